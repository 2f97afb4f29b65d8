//! `patch`: from what a tree holds to a release, as one patch or a series.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::output::{self, error, parent};
use super::patching::{Before, Ground, Start, Way};
use super::staging::Staging;
use super::{Outcome, environment};
use crate::finding::{Error, Result};
use crate::git::{Identity, NewCommit, Repository, differences};
use crate::letter::Recipe;
use crate::linux::carry::{Class, Fate, Local};
use crate::linux::interface::Kind;
use crate::patch::{file_name, parse};
use crate::report::console::Console;
use crate::report::patch::{PatchRow, PatchSummary};
use crate::series::{Patch, Wish, date};

/// What is to be patched, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// From where to where.
    pub way: Way,
    /// Where the patch goes; `None` for a file, or folder for a series, named after the release.
    pub output: Option<Output>,
    /// The author as `Name <mail>`; `None` for the user, as git knows them.
    pub author: Option<String>,
    /// Whether the author signs it off.
    pub signoff: bool,
    /// Whether each step is a patch of its own.
    pub split: bool,
    /// A new branch of the tree that gets the commits.
    pub commit: Option<String>,
}

/// Where patches go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Standard output, one after the other.
    Standard,
    /// A file, or a folder for a series.
    Path(PathBuf),
}

/// Makes the patch. Nothing is written where anything is found at fault.
///
/// # Errors
/// Something can't be read or written, there is no author, or there is nothing to patch.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    if let Some(Output::Path(path)) = &plan.output {
        fit(path)?;
    }
    let repository = repository(plan)?;
    let author = author(plan, repository.as_ref())?;
    let ground = plan.way.ground(console)?;
    if ground.findings.errors() > 0 {
        console.patch(&summary(&ground, &[]), &ground.findings)?;
        return Ok(Outcome::of(&ground.findings));
    }
    let signed_off = if plan.signoff { vec![author.to_string()] } else { Vec::new() };
    let list = |ids: &std::collections::BTreeSet<String>| ids.iter().cloned().collect();
    let wish = Wish {
        author: author.clone(),
        signed_off,
        split: plan.split,
        keep: list(&plan.way.keep),
        drop: list(&plan.way.drop),
    };
    let patches = ground.patches(&wish)?;
    let mut summary = summary(&ground, &patches);
    let to_stdout = plan.output == Some(Output::Standard);
    match &plan.output {
        Some(Output::Standard) => {
            console.output(&patches.iter().flat_map(|p| p.bytes.clone()).collect::<Vec<u8>>())?;
        }
        _ if patches.is_empty() => {}
        Some(Output::Path(path)) => write(path, plan.split, &patches, &mut summary)?,
        None => {
            let path = default_path(&ground, plan.split);
            write(&path, plan.split, &patches, &mut summary)?;
        }
    }
    if let (Some(branch), Some(repository)) = (&plan.commit, &repository)
        && !patches.is_empty()
    {
        let id = commit(branch, repository, &ground, &patches, &author)?;
        summary.commit = Some(format!("{id} on {branch}"));
    }
    match to_stdout {
        true => console.findings(&ground.findings),
        false => console.patch(&summary, &ground.findings)?,
    }
    Ok(Outcome::of(&ground.findings))
}

/// The repository that the tree is, where it gets commits.
fn repository(plan: &Plan) -> Result<Option<Repository>> {
    let (Some(branch), Start::Tree(place)) = (&plan.commit, &plan.way.start) else {
        return match plan.commit {
            Some(_) => {
                Err(Error::usage("--commit needs a git repository")
                    .hint("name one with --linux TREE"))
            }
            None => Ok(None),
        };
    };
    let repository = Repository::find_in(&place.linux)?.ok_or_else(|| {
        let shown = place.linux.display();
        Error::usage(format!("{shown} is no git repository, so nothing can be committed to it"))
            .hint("leave --commit out, or name a git repository with --linux")
    })?;
    repository.check_branch(branch)?;
    Ok(Some(repository))
}

fn author(plan: &Plan, repository: Option<&Repository>) -> Result<Identity> {
    match &plan.author {
        Some(text) => Identity::parse(text),
        None => {
            let place = match &plan.way.start {
                Start::Tree(place) => Repository::find_in(&place.linux).ok().flatten(),
                _ => None,
            };
            Identity::of_user(repository.or(place.as_ref()), &environment)
        }
    }
}

fn commit(
    branch: &str,
    repository: &Repository,
    ground: &Ground,
    patches: &[Patch],
    author: &Identity,
) -> Result<String> {
    let Before::Tree(tree, _) = &ground.before else {
        return Err(Error::internal("commits without a tree"));
    };
    // The commit that was read: a branch may have moved since.
    let read = tree.commit.as_deref().unwrap_or_default();
    let found = repository.find(read)?;
    let mut base = found.ok_or_else(|| Error::internal(format!("commit {read} is gone")))?.commit;
    let mut before = tree.files.clone();
    let steps: Vec<(&Patch, _)> =
        patches.iter().filter_map(|patch| Some((patch, patch.files.as_ref()?))).collect();
    let count = steps.len();
    for (number, (patch, files)) in steps.into_iter().enumerate() {
        let changes = differences(&before, files);
        let date = date(&ground.release, &ground.ruleset);
        let message = &patch.message;
        let new = NewCommit { base: &base, changes: &changes, message, author, date };
        let id = match number + 1 == count {
            true => repository.commit_on_new_branch(branch, &new)?,
            false => repository.commit_alone(&new)?,
        };
        base = repository.commit(id)?;
        before = files.clone();
    }
    Ok(base.id.to_string())
}

/// Checks a place for patches before any work is done.
fn fit(path: &Path) -> Result<()> {
    let (shown, parent) = (path.display(), parent(path));
    match parent.is_dir() {
        true => Ok(()),
        false => {
            let parent = parent.display();
            Err(Error::usage(format!("{shown} can't be written: there is no {parent}"))
                .hint(format!("make it first: mkdir -p {parent}")))
        }
    }
}

fn default_path(ground: &Ground, split: bool) -> PathBuf {
    let suffix = if split { "patches" } else { "patch" };
    let (library, version) = (&ground.ruleset.library.name, ground.release.version);
    PathBuf::from(format!("{library}-{version}.{suffix}"))
}

/// Writes a file, or the files of a series as a folder.
fn write(path: &Path, split: bool, patches: &[Patch], summary: &mut PatchSummary) -> Result<()> {
    if !split {
        for (patch, row) in patches.iter().zip(&mut summary.patches) {
            write_file(path, &patch.bytes)?;
            row.file = Some(path.display().to_string());
        }
        return Ok(());
    }
    let replaces = only_series(path)?;
    let staging = Staging::beside(path)?;
    for (patch, row) in patches.iter().zip(&mut summary.patches) {
        let name = match patch.number {
            Some(0) | None => "0000-cover-letter.patch".to_owned(),
            Some(number) => file_name(number, &patch.subject),
        };
        staging.write(&name, &patch.bytes)?;
        row.file = Some(path.join(name).display().to_string());
    }
    staging.put_in_place(replaces)
}

/// Whether a folder stands there that a series may replace: one that holds nothing but patches of
/// this program. An error where something else does.
fn only_series(path: &Path) -> Result<bool> {
    let shown = path.display();
    let found = match fs::read_dir(path) {
        Ok(found) => found,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(error("can't be replaced by a series", path, &e)),
    };
    for entry in found {
        let entry = entry.map_err(|e| error("can't be read", path, &e))?;
        let is_ours = || {
            parse(&fs::read(entry.path()).ok()?).ok().and_then(|p| Recipe::parse(&p.trailers).ok())
        };
        if !entry.file_type().is_ok_and(|kind| kind.is_file()) || is_ours().is_none() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            return Err(Error::usage(format!(
                "{shown} holds {name}, which is no patch of kernelize"
            ))
            .hint("a series is written as a folder of its own: name another one with -o"));
        }
    }
    Ok(true)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    if path.is_dir() {
        return Err(Error::usage(format!("{} is a folder", path.display()))
            .hint("name a file with -o; a series (--split) goes into a folder"));
    }
    output::write_file(path, bytes)
}

fn summary(ground: &Ground, patches: &[Patch]) -> PatchSummary {
    let held = match &ground.before {
        Before::Tree(_, Some(held)) => Some(&held.0),
        _ => None,
    };
    let carried = match &ground.before {
        Before::Tree(_, Some(held)) => Some(&held.1),
        _ => None,
    };
    let locals = carried.map_or(&[][..], |carried| &carried.locals);
    let count = |is: &dyn Fn(&Local) -> bool| locals.iter().filter(|local| is(local)).count();
    let is_covered = |local: &Local| matches!(local.class, Class::Generated | Class::Upstreamed);
    let from = match &ground.before {
        Before::Nothing | Before::Tree(_, None) => None,
        Before::Import(release, _) => Some(release.name.clone()),
        Before::Tree(..) => held.map(|base| base.name.clone()),
    };
    PatchSummary {
        library: ground.ruleset.library.name.clone(),
        from,
        to: ground.release.name.clone(),
        profile: ground.profile.name.clone(),
        kernel: ground.kernel.clone(),
        kept: count(&|local| local.fate == Fate::Kept),
        covered: count(&|local| local.fate == Fate::Dropped && is_covered(local)),
        dropped: count(&|local| local.fate == Fate::Dropped && !is_covered(local)),
        open: count(&|local| local.fate == Fate::Open),
        local_files: carried.map_or(0, |carried| carried.local_files.len()),
        callers: ground
            .callers
            .as_ref()
            .map(|callers| (callers.files.len(), callers.names(Kind::Function).len())),
        patches: patches
            .iter()
            .map(|patch| PatchRow {
                subject: patch.subject.clone(),
                is_letter: patch.files.is_none(),
                files: patch.stat.files,
                insertions: patch.stat.insertions,
                deletions: patch.stat.deletions,
                file: None,
            })
            .collect(),
        commit: None,
        errors: ground.findings.errors(),
        warnings: ground.findings.len() - ground.findings.errors(),
    }
}
