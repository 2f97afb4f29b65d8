//! One side of a comparison, read and, as far as it goes, made again.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use walkdir::WalkDir;

use super::{Plan, Subject, Way, differing, patched};
use crate::commands::held::{Place, Sources};
use crate::commands::record::{RECORD, Record};
use crate::commands::{held, import, output, profile};
use crate::compare::{self, Form};
use crate::finding::{Error, Result};
use crate::kernel::target::Target;
use crate::linux::base::Base;
use crate::linux::tree::Tree;
use crate::pipeline::{self, Input, KernelTree};
use crate::report::console::Console;
use crate::rules::{Profile, Ruleset};
use crate::text::{Files, MAX_FILE_BYTES, TreePath, sha256};
use crate::upstream::Release;

/// Most files of an import's folder.
const MAX_FILES: usize = 20_000;
/// How many digits of a ruleset's digest are shown.
const DIGITS: usize = 12;

/// What a side was made from, made again.
pub(in crate::commands) struct Made<'r> {
    pub(in crate::commands) release: Release,
    pub(in crate::commands) rules: &'r Ruleset,
    pub(in crate::commands) profile: &'r Profile,
    pub(in crate::commands) target: Target,
    pub(in crate::commands) tree: KernelTree,
}

impl Made<'_> {
    /// What the same rules make of another release.
    pub(super) fn again(&self, release: &Release) -> Result<Files> {
        Ok(Form::of(&made(release, self.rules, self.profile, &self.target)?).files)
    }
}

/// Whether it can be the name of a file only: git lets no revision begin so.
fn is_path(name: &str) -> bool {
    name.starts_with(['.', '/']) || name.ends_with(".patch")
}

/// Why a path is no side.
fn no_side(path: &Path) -> Error {
    let shown = path.display();
    let message = match path.is_dir() {
        true => format!("{shown} is a folder that `import` didn't write: it has no {RECORD}"),
        false if path.exists() => format!("{shown} is neither a plain file nor a folder"),
        false => format!("there is no file or folder {shown}"),
    };
    Error::usage(message).hint(
        "name a release, a folder that `import` wrote, a patch that `patch` wrote, or linux:PATH",
    )
}

/// Imports a release.
pub(in crate::commands) fn made(
    release: &Release,
    rules: &Ruleset,
    profile: &Profile,
    target: &Target,
) -> Result<KernelTree> {
    pipeline::import(Input::of(release, &rules.library, target), rules, profile)
}

/// A side.
pub(in crate::commands) struct Opened<'r> {
    pub(in crate::commands) side: compare::Side,
    pub(in crate::commands) form: Form,
    /// None where what it was made from isn't at hand.
    pub(in crate::commands) made: Option<Made<'r>>,
    /// Files that are as an import made them, by other rules than ours.
    pub(in crate::commands) foreign: BTreeSet<TreePath>,
}

impl<'r> Opened<'r> {
    /// What an import made.
    pub(in crate::commands) fn imported(made: Made<'r>, name: String) -> Opened<'r> {
        let side = compare::Side {
            name,
            kind: "release",
            source: import::spoken(&made.release.origin),
            release: Some(made.release.name.clone()),
            profile: Some(made.profile.name.clone()),
            rules: Some(digits(&made.rules.digest)),
        };
        Opened { side, form: Form::of(&made.tree), made: Some(made), foreign: BTreeSet::new() }
    }

    /// What a kernel tree holds, and what that was made from.
    pub(in crate::commands) fn held(
        tree: &Tree,
        base: Base,
        (rules, wanted): (&'r Ruleset, &'r Profile),
        target: Target,
    ) -> Result<Opened<'r>> {
        let side = compare::Side {
            name: format!("Linux {}", tree.kernel),
            kind: "linux",
            source: format!("kernel tree {}", tree.shown),
            release: Some(base.name.clone()),
            profile: base.profile.clone(),
            rules: None,
        };
        let profile = profile(rules, base.profile.as_deref().or(Some(&wanted.name)))?;
        let made = match base.release {
            Some(release) => {
                let tree = made(&release, rules, profile, &target)?;
                Some(Made { release, rules, profile, target, tree })
            }
            None => None,
        };
        let upstream = made.as_ref().map(|made| Form::of(&made.tree).upstream).unwrap_or_default();
        let form = Form { files: tree.files.clone(), upstream };
        Ok(Opened { side, form, made, foreign: BTreeSet::new() })
    }
}

/// Opens sides.
pub(in crate::commands) struct Opener<'p> {
    pub(super) plan: &'p Plan,
    /// The kernel of a tree or patch that is one of the sides: releases are imported for it.
    target: Option<Target>,
}

impl<'p> Opener<'p> {
    pub(in crate::commands) fn new(plan: &'p Plan, rules: [&Ruleset; 2]) -> Result<Opener<'p>> {
        let mut opener = Opener { plan, target: None };
        for (way, rules) in [&plan.old, &plan.new].into_iter().zip(rules) {
            let target = match &way.subject {
                _ if plan.kernel.is_some() => None,
                Subject::Linux(path) => {
                    Some(Tree::open(path, None, &rules.library)?.target(&rules.library))
                }
                Subject::Named(name) if patched::is_patch(name) => {
                    patched::target(Path::new(name), &opener, rules)?
                }
                Subject::Named(_) => None,
            };
            opener.target = target.or(opener.target);
        }
        Ok(opener)
    }

    pub(in crate::commands) fn open<'r>(
        &self,
        way: &Way,
        rules: &'r Ruleset,
        console: &mut Console,
    ) -> Result<Opened<'r>> {
        let profile = profile(rules, way.profile.as_deref())?;
        match &way.subject {
            Subject::Linux(path) => self.linux(path, rules, profile, console),
            Subject::Named(name) if patched::is_patch(name) => {
                patched::open(self, Path::new(name), way, rules, console)
            }
            Subject::Named(name) => {
                let folder = Path::new(name);
                match folder.join(RECORD).is_file() {
                    true => self.folder(folder, rules, console),
                    false if is_path(name) => Err(no_side(folder)),
                    false => self.release(name, rules, profile, console),
                }
            }
        }
    }

    fn target(&self, rules: &Ruleset, kernel: Option<&str>) -> Result<Target> {
        match (&self.plan.kernel, &self.target) {
            (Some(kernel), _) => Target::named(&rules.library, Some(kernel)),
            (None, Some(target)) => Ok(target.clone()),
            (None, None) => Target::named(&rules.library, kernel),
        }
    }

    fn release<'r>(
        &self,
        name: &str,
        rules: &'r Ruleset,
        profile: &'r Profile,
        console: &mut Console,
    ) -> Result<Opened<'r>> {
        let release = self.plan.sources.other(Some(name.to_owned()), rules, console)?;
        let target = self.target(rules, None)?;
        let tree = made(&release, rules, profile, &target)?;
        let name = release.name.clone();
        Ok(Opened::imported(Made { release, rules, profile, target, tree }, name))
    }

    fn folder<'r>(
        &self,
        folder: &Path,
        rules: &'r Ruleset,
        console: &mut Console,
    ) -> Result<Opened<'r>> {
        let shown = folder.display().to_string();
        let record = record(folder, &shown)?;
        let files = files(folder, &shown)?;
        let mut form = Form { files, ..Form::default() };
        let root = format!("{}/", rules.library.root);
        for (path, file) in &record.files {
            let upstream = file.upstream.as_ref().and_then(|path| path.strip_prefix(&root));
            let pair = TreePath::new(path).zip(upstream.and_then(TreePath::new));
            form.upstream.extend(pair);
        }
        let name = record.release.get("name").cloned().unwrap_or_default();
        let side = compare::Side {
            name: shown.clone(),
            kind: "import",
            source: format!("folder {shown}"),
            release: Some(name.clone()),
            profile: Some(record.profile.clone()),
            rules: Some(digits(&record.ruleset)),
        };
        let made = match self.remade(&record, rules, console) {
            Ok(made) => Some(made),
            Err(error) => {
                let message = &error.message;
                console.note(&format!("what {shown} was made from is not at hand: {message}"));
                None
            }
        };
        let mut foreign = BTreeSet::new();
        if let Some(made) = &made {
            foreign = differing(&form.files, &Form::of(&made.tree).files);
            foreign.retain(|path| as_recorded(&record, path, form.files.get(path)));
            if record.ruleset != rules.digest {
                let (rules, ours) = (digits(&record.ruleset), digits(&rules.digest));
                console.note(&format!("{shown} was made by rules {rules}, these are {ours}"));
            }
        }
        Ok(Opened { side, form, made, foreign })
    }

    fn remade<'r>(
        &self,
        record: &Record,
        rules: &'r Ruleset,
        console: &mut Console,
    ) -> Result<Made<'r>> {
        let profile = profile(rules, Some(&record.profile))?;
        let release = made_from(&self.plan.sources, record, rules, console)?;
        let target = self.target(rules, record.kernel.as_deref())?;
        let tree = made(&release, rules, profile, &target)?;
        Ok(Made { release, rules, profile, target, tree })
    }

    fn linux<'r>(
        &self,
        path: &Path,
        rules: &'r Ruleset,
        wanted: &'r Profile,
        console: &mut Console,
    ) -> Result<Opened<'r>> {
        let made_from = self.plan.place.as_ref().and_then(|place| place.made_from.clone());
        let place = Place { linux: path.to_owned(), base: None, made_from };
        let tree = place.tree(rules)?;
        let version = held::version(&tree, rules)?;
        let sources = &self.plan.sources;
        let base = sources.made_from(&place, &tree, version, rules, wanted, console)?;
        let target = self.target(rules, None)?;
        let mut opened = Opened::held(&tree, base, (rules, wanted), target)?;
        if let Some(commit) = &tree.commit {
            opened.side.source.push_str(&format!(", commit {commit:.12}"));
        }
        Ok(opened)
    }
}

pub(in crate::commands) fn digits(digest: &str) -> String {
    digest.chars().take(DIGITS).collect()
}

/// Whether a file is as its import wrote it: there with that digest, or neither there nor recorded.
fn as_recorded(record: &Record, path: &TreePath, bytes: Option<&Arc<[u8]>>) -> bool {
    let recorded = record.files.get(path.as_str()).map(|file| &file.sha256);
    recorded == bytes.map(|bytes| sha256(bytes)).as_ref()
}

/// The release that a folder was made from: its commit, or from a source without that its name.
///
/// # Errors
/// It can't be read.
pub(in crate::commands) fn made_from(
    sources: &Sources,
    record: &Record,
    rules: &Ruleset,
    console: &mut Console,
) -> Result<Release> {
    let name = record.release.get("name").cloned();
    if let Some(commit) = record.source.get("commit")
        && let Ok(release) = sources.other(Some(commit.clone()), rules, console)
    {
        return Ok(release);
    }
    sources.other(name, rules, console)
}

/// The record of a folder that an import wrote.
///
/// # Errors
/// It can't be read, or is none of ours.
pub(in crate::commands) fn record(folder: &Path, shown: &str) -> Result<Record> {
    output::read_record(&folder.join(RECORD)).map_err(|why| {
        Error::input(format!("{shown} holds no import of ours ({RECORD}: {why})"))
            .hint("name a folder that `kernelize import` wrote")
    })
}

/// The files of such a folder but for the record.
fn files(folder: &Path, shown: &str) -> Result<Files> {
    let mut files = Files::new();
    for entry in WalkDir::new(folder).min_depth(1).sort_by_file_name() {
        let unreadable = |why: String| Error::input(format!("{shown} can't be read: {why}"));
        let entry = entry.map_err(|error| unreadable(error.to_string()))?;
        let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        if entry.file_type().is_dir() || below == Path::new(RECORD) {
            continue;
        }
        let path = below.to_str().and_then(TreePath::new);
        let Some(path) = path.filter(|_| entry.file_type().is_file()) else {
            let why = format!("{} is no plain file", below.display());
            return Err(unreadable(why).hint("remove it: an import has only files"));
        };
        let large = entry.metadata().is_ok_and(|found| found.len() > MAX_FILE_BYTES as u64);
        if large || files.len() >= MAX_FILES {
            return Err(unreadable(format!("{path} is more than any import has")));
        }
        let bytes = std::fs::read(entry.path());
        let bytes = bytes.map_err(|error| unreadable(format!("{path}: {error}")))?;
        files.insert(path, bytes.into());
    }
    Ok(files)
}
