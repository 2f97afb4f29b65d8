//! From what a tree holds and a new import to the patches between the two.

mod again;
mod facts;
mod locals;

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use facts::{DIGITS, asked, compared, origin, short, spoken, stat};
pub use facts::{date, digest};

use crate::finding::{Error, Result};
use crate::git::Identity;
use crate::letter::{ApiChange, Kind, Letter, Recipe, Stat};
use crate::linux::base::Base;
use crate::linux::carry::Carried;
use crate::linux::interface::Interface;
use crate::linux::tree::Tree;
use crate::patch::{Change, Mail, apply};
use crate::pipeline::KernelTree;
use crate::rules::{Profile, Ruleset};
use crate::text::{Files, Source, TreePath};
use crate::upstream::Release;

/// The new import.
#[derive(Clone, Copy, Debug)]
pub struct New<'a> {
    /// The release.
    pub release: &'a Release,
    /// Its kernel form.
    pub tree: &'a KernelTree,
    /// The rules.
    pub ruleset: &'a Ruleset,
    /// The profile.
    pub profile: &'a Profile,
    /// The kernel that it was made for.
    pub kernel: &'a str,
}

/// What the patch starts from.
#[derive(Clone, Copy)]
pub enum Old<'a> {
    /// A tree without the library.
    Nothing,
    /// A tree that holds the unchanged import of a release.
    Import(&'a Release, &'a KernelTree),
    /// A Linux tree; with the release that it holds and what becomes of its own changes, if any.
    Tree(&'a Tree, Option<(&'a Base, &'a Carried)>),
}

/// How the patches are to be written.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Who makes them.
    pub author: Identity,
    /// Lines to sign off with, each `Name <mail>`.
    pub signed_off: Vec<String>,
    /// Whether each step is a patch of its own.
    pub split: bool,
    /// Local changes that the user decided to keep.
    pub keep: Vec<String>,
    /// Local changes that the user decided to drop.
    pub drop: Vec<String>,
}

/// A patch as it is written.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Its place in the series; 0 for the letter in front, none for a patch alone.
    pub number: Option<usize>,
    /// The subject without mark.
    pub subject: String,
    /// The mail.
    pub bytes: Vec<u8>,
    /// The message of its commit.
    pub message: String,
    /// All files once it is applied; none for the letter.
    pub files: Option<Files>,
    /// What it does to files.
    pub stat: Stat,
}

/// One step on the way.
struct Step {
    subject: String,
    body: String,
    files: Files,
}

/// All files before and after.
pub fn files(new: &New<'_>, old: &Old<'_>) -> (Files, Files) {
    let after = match old {
        Old::Tree(_, Some((_, carried))) => carried.files.clone(),
        // What lies there already and isn't the library's stays.
        Old::Tree(tree, None) => tree.files.clone().into_iter().chain(new.files()).collect(),
        _ => new.files(),
    };
    (old.files(), after)
}

/// Makes the patches; none where nothing is to be changed.
///
/// # Errors
/// A message can't be put into a mail, or a patch doesn't give the files that it was made from, which
/// is a fault of this program.
pub fn make(new: &New<'_>, old: &Old<'_>, wish: &Wish) -> Result<Vec<Patch>> {
    let (before, after) = files(new, old);
    no_clash(&after)?;
    let change = Change::between(&before, &after)?;
    if change.is_empty() {
        return Ok(Vec::new());
    }
    let series = Series { new, old, wish };
    let letter = series.letter(&before, &after, &change);
    match (wish.split, old) {
        (true, Old::Tree(_, Some((base, carried)))) => {
            series.split(&letter, &before, &change, base, carried)
        }
        (true, _) => Err(Error::usage("there is nothing to split: no library is there before")
            .hint("--split goes with --linux and a tree that holds the library")),
        (false, _) => {
            let step = Step { subject: letter.subject(), body: letter.body(), files: after };
            series.patch(&letter, &before, step, None).map(|patch| vec![patch])
        }
    }
}

/// A file of the import can't stand where a tree has a folder with files of its own.
fn no_clash(files: &Files) -> Result<()> {
    for path in files.keys() {
        let folders = path.as_str().match_indices('/').map(|(at, _)| &path.as_str()[..at]);
        let mut clash =
            folders.filter(|f| TreePath::new(f).is_some_and(|f| files.contains_key(&f)));
        if let Some(folder) = clash.next() {
            return Err(Error::input(format!(
                "{folder} is a file of the import, but {path} is there"
            ))
            .hint("move that folder away in a patch before this one"));
        }
    }
    Ok(())
}

impl New<'_> {
    fn files(&self) -> Files {
        bytes(self.tree)
    }
}

/// The files of an import.
fn bytes(tree: &KernelTree) -> Files {
    tree.files.iter().map(|(path, file)| (path.clone(), Arc::clone(file.text.bytes()))).collect()
}

impl Old<'_> {
    fn files(&self) -> Files {
        match self {
            Old::Nothing => Files::new(),
            Old::Import(_, tree) => bytes(tree),
            Old::Tree(tree, ..) => tree.files.clone(),
        }
    }

    /// The release that is there, where only digests of it were at hand.
    fn by_digests(&self) -> Option<String> {
        let Old::Tree(_, Some((base, _))) = self else { return None };
        base.digests.as_ref().map(|_| base.name.clone())
    }

    /// The release that is there, as messages call it.
    fn holds(&self) -> Option<String> {
        match self {
            Old::Nothing => None,
            Old::Import(release, _) => Some(release.version.to_string()),
            Old::Tree(_, held) => held.map(|(base, _)| base.version.to_string()),
        }
    }
}

struct Series<'a> {
    new: &'a New<'a>,
    old: &'a Old<'a>,
    wish: &'a Wish,
}

impl Series<'_> {
    fn letter(&self, before: &Files, after: &Files, change: &Change) -> Letter {
        let New { release, tree, ruleset, .. } = self.new;
        let kinds = tree.kinds().into_iter();
        let (locals, local_files) = match self.old {
            Old::Tree(_, Some((_, carried))) => {
                (locals::told(carried), carried.local_files.clone())
            }
            _ => (Vec::new(), Vec::new()),
        };
        Letter {
            library: ruleset.library.name.clone(),
            from: self.old.holds(),
            to: release.version.to_string(),
            source: spoken(release, ruleset),
            kinds: kinds.map(|(kind, (rules, edits))| Kind { kind, rules, edits }).collect(),
            conditions: (tree.conditions.before, tree.conditions.after),
            proof: tree.proof,
            stat: stat(change),
            api: self.old.holds().map(|_| self.callers(before, after)),
            locals,
            by_digests: self.old.by_digests(),
            local_files: local_files.iter().map(ToString::to_string).collect(),
            recipe: self.recipe(before),
        }
    }

    /// What changes in the headers that are the kernel's own.
    fn callers(&self, before: &Files, after: &Files) -> ApiChange {
        let ours = |path: &&TreePath| {
            let file = self.new.tree.files.get(*path);
            file.is_some_and(|file| file.template.is_some())
                && path.extension() == Some("h")
                && !path.as_str().starts_with(&self.new.ruleset.library.output)
        };
        let read = |files: &Files| {
            let headers = files.iter().filter(|(path, _)| ours(path));
            let sources: BTreeMap<TreePath, Arc<Source>> = headers
                .map(|(path, bytes)| (path.clone(), Source::new(path.as_str(), Arc::clone(bytes))))
                .collect();
            Interface::of(&sources)
        };
        compared(&read(before), &read(after))
    }

    fn recipe(&self, before: &Files) -> Recipe {
        let New { release, ruleset, profile, kernel, .. } = self.new;
        let mut recipe = Recipe {
            tool: env!("CARGO_PKG_VERSION").into(),
            release: asked(release),
            upstream: origin(&release.origin),
            rules: ruleset.digest.chars().take(DIGITS).collect(),
            profile: profile.name.clone(),
            kernel: (*kernel).to_owned(),
            keep: self.wish.keep.clone(),
            drop: self.wish.drop.clone(),
            ..Recipe::default()
        };
        match self.old {
            Old::Nothing => {}
            Old::Import(release, _) => recipe.from = Some(asked(release)),
            Old::Tree(_, held) => {
                recipe.base = Some(digest(before));
                let held = held.map(|(base, _)| base);
                recipe.held = held.map(|base| match &base.profile {
                    Some(profile) => format!("{}, profile {profile}", base.name),
                    None => format!("{}, by digests", base.name),
                });
            }
        }
        recipe
    }

    /// One patch, applied once in memory before anybody sees it.
    fn patch(
        &self,
        letter: &Letter,
        before: &Files,
        step: Step,
        part: Option<(usize, usize)>,
    ) -> Result<Patch> {
        let change = Change::between(before, &step.files)?;
        let mail = self.mail(letter, step.subject, step.body, part);
        let bytes = mail.render(&change, part)?;
        let applied = apply(&bytes, before)?;
        if applied != step.files {
            return Err(Error::internal(format!("the patch `{}` gives other files", mail.subject)));
        }
        Ok(Patch {
            number: part.map(|(number, _)| number),
            message: mail.message()?,
            subject: mail.subject,
            bytes,
            files: Some(step.files),
            stat: stat(&change),
        })
    }

    fn mail(
        &self,
        letter: &Letter,
        subject: String,
        body: String,
        part: Option<(usize, usize)>,
    ) -> Mail {
        let seal = self.seal();
        let recipe = Recipe { part, seal, ..letter.recipe.clone() };
        let mut trailers = recipe.trailers();
        let signed = self.wish.signed_off.iter();
        trailers.extend(signed.map(|who| ("Signed-off-by".to_owned(), who.clone())));
        Mail {
            author: self.wish.author.clone(),
            date: date(self.new.release, self.new.ruleset),
            subject,
            body,
            trailers,
            signature: concat!("kernelize ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }

    /// Digest of who made and signed it, which nothing else of the patch follows from.
    fn seal(&self) -> String {
        let author = self.wish.author.to_string();
        let people = std::iter::once(&author).chain(&self.wish.signed_off);
        let people: String = people.map(|who| format!("{who}\n")).collect();
        short(&Sha256::digest(people))
    }

    /// The series: the release that is there in the new form, the new release, the local changes.
    fn split(
        &self,
        letter: &Letter,
        before: &Files,
        overall: &Change,
        base: &Base,
        carried: &Carried,
    ) -> Result<Vec<Patch>> {
        let mut steps = vec![again::step(self.new, before, base, carried)?];
        let (subject, body) = (letter.subject(), letter.body());
        steps.push(Step { subject, body, files: carried.import.clone() });
        steps.extend(locals::steps(carried)?);
        let steps = that_change(steps, before);
        let subjects: Vec<String> = steps.iter().map(|step| step.subject.clone()).collect();
        let of = steps.len();
        let mut patches = vec![self.cover(letter, overall, &subjects)?];
        let mut files = before.clone();
        for (number, step) in steps.into_iter().enumerate() {
            let after = step.files.clone();
            patches.push(self.patch(letter, &files, step, Some((number + 1, of)))?);
            files = after;
        }
        Ok(patches)
    }

    fn cover(&self, letter: &Letter, overall: &Change, subjects: &[String]) -> Result<Patch> {
        let part = Some((0, subjects.len()));
        let mail = self.mail(letter, letter.subject(), letter.body(), part);
        let subjects: Vec<&str> = subjects.iter().map(String::as_str).collect();
        Ok(Patch {
            number: Some(0),
            message: mail.message()?,
            bytes: mail.render_cover(overall, &subjects)?,
            subject: mail.subject,
            files: None,
            stat: stat(overall),
        })
    }
}

/// The steps that change anything.
fn that_change(steps: Vec<Step>, before: &Files) -> Vec<Step> {
    let mut found: Vec<Step> = Vec::new();
    for step in steps {
        let last = found.last().map_or(before, |step| &step.files);
        if step.files != *last {
            found.push(step);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_a_folder_of_one_name_clash() {
        let files = |names: &[&str]| -> Files {
            names.iter().map(|name| (TreePath::new(name).unwrap(), Arc::default())).collect()
        };
        assert!(no_clash(&files(&["a/b.h", "a/b.h-c", "a/c/d"])).is_ok());
        let error = no_clash(&files(&["a/b.h", "a/b.h-c", "a/b.h/mine"])).unwrap_err();
        assert!(error.message.starts_with("a/b.h is a file"), "{}", error.message);
    }
}
