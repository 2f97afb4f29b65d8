//! A tree's own changes, and the files of a new import with and without them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::hunks::lines;
use super::merge::{Patch, apply};
use crate::edit::RuleRef;
use crate::finding::{Error, Result};
use crate::text::{Files, TreePath};

/// What a local change is, held against a new import.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Class {
    /// What the import generates takes its place.
    #[default]
    Generated,
    /// The new release has it.
    Upstreamed,
    /// It is still wanted, and fits.
    Local,
    /// It is neither upstream nor does it fit.
    Conflict,
}

impl Class {
    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Generated => "generated",
            Class::Upstreamed => "upstreamed",
            Class::Local => "local",
            Class::Conflict => "conflict",
        }
    }
}

/// What becomes of a local change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is in the new tree.
    Kept,
    /// It is not: it is upstream or generated, or somebody decided so.
    Dropped,
    /// Nobody has decided yet.
    Open,
}

/// A local change: one hunk, as `diff -u` would show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Name by which it can be kept or dropped: its rule's id, or file name and digest. Hunks of one
    /// rule share it.
    pub id: String,
    /// The rule that knows it.
    pub rule: Option<RuleRef>,
    /// What it is, as the rule says.
    pub what: Option<String>,
    /// The kernel's commit and first version, as the rule says.
    pub commit: Option<String>,
    /// The first kernel that has it, as the rule says.
    pub kernel: Option<String>,
    /// The file.
    pub file: TreePath,
    /// First and last line in the tree, from 1; the line above where lines only go.
    pub lines: (usize, usize),
    /// The hunk in unified form, without header; empty for a file as a whole.
    pub text: String,
    /// What it is.
    pub class: Class,
    /// Why.
    pub reason: String,
    /// What becomes of it.
    pub fate: Fate,
    /// Who decided, where it doesn't follow from the class.
    pub decided: Option<String>,
}

/// What the user has decided, by id.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// Changes that go onto the new import.
    pub keep: BTreeSet<String>,
    /// Changes that don't.
    pub drop: BTreeSet<String>,
}

/// The library's part of a tree on the way to a new import.
#[derive(Clone, Debug)]
pub struct Carried {
    /// All local changes, in order of file and line.
    pub locals: Vec<Local>,
    /// Files in the library's places that neither release nor importer knows: they stay.
    pub local_files: Vec<TreePath>,
    /// The version that the tree holds, imported as now, with all local changes.
    pub reimport: Files,
    /// The new import without any local change.
    pub import: Files,
    /// All files afterwards.
    pub files: Files,
    /// The kept changes by id, in order of file and line.
    pub order: Vec<String>,
    pub(super) kept: Vec<Kept>,
    pub(super) whole: Vec<Whole>,
}

impl Carried {
    /// The changes that need a decision.
    pub fn open(&self) -> impl Iterator<Item = &Local> {
        self.locals.iter().filter(|local| local.fate == Fate::Open)
    }

    /// The ids of the kept changes in order, those together that can't be had one without the other: they
    /// need the same lines, or one of them the file as a whole.
    pub fn steps(&self) -> Vec<Vec<String>> {
        let mut groups: Vec<Vec<String>> = self.order.iter().map(|id| vec![id.clone()]).collect();
        let mut tied: Vec<Vec<String>> = self.kept.iter().map(|(all, ..)| all.clone()).collect();
        for (id, path, _) in &self.whole {
            let patches = self.kept.iter().filter(|(_, other, _)| other == path);
            let wholes = self.whole.iter().filter(|(_, other, _)| other == path);
            let mut all: Vec<String> = patches.flat_map(|(all, ..)| all).cloned().collect();
            all.extend(wholes.map(|(id, ..)| id.clone()));
            all.push(id.clone());
            tied.push(all);
        }
        for all in tied.iter().filter(|all| all.len() > 1) {
            let (together, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(|id| all.contains(id)));
            groups = apart;
            groups.push(together.concat());
        }
        let place = |id: &String| self.order.iter().position(|other| other == id);
        for group in &mut groups {
            group.sort_by_key(place);
        }
        groups.sort_by_key(|group| group.first().and_then(place));
        groups
    }

    /// All files with the kept changes of these ids alone: for one patch a change.
    ///
    /// # Errors
    /// Two of them can't stand together.
    pub fn with(&self, ids: &[String]) -> Result<Files> {
        let mut files = self.import.clone();
        let mut patches: BTreeMap<&TreePath, (Vec<Patch>, BTreeSet<&str>)> = BTreeMap::new();
        let is_in = |all: &[String]| all.iter().any(|id| ids.contains(id));
        for (all, path, patch) in self.kept.iter().filter(|(all, ..)| is_in(all)) {
            let (patches, names) = patches.entry(path).or_default();
            patches.push(patch.clone());
            names.extend(all.iter().map(String::as_str));
        }
        for (path, (patches, names)) in patches {
            let Some(bytes) = self.import.get(path) else { continue };
            let merged = apply(&lines(bytes), &patches).ok_or_else(|| {
                let names: Vec<&str> = names.into_iter().collect();
                let names = names.join(", ");
                Error::usage(format!("the changes {names} of {path} can't be kept together"))
                    .hint("drop one of them, and put it on top of the new import by hand")
            })?;
            files.insert(path.clone(), merged.into());
        }
        for (_, path, bytes) in self.whole.iter().filter(|(id, ..)| ids.contains(id)) {
            match bytes {
                Some(bytes) => _ = files.insert(path.clone(), Arc::clone(bytes)),
                None => _ = files.remove(path),
            }
        }
        Ok(files)
    }
}

/// Kept changes that need the same lines: what gives way in the new file to what.
pub(super) type Kept = (Vec<String>, TreePath, Patch);
/// A file that stays as the tree has it, or away, and the change that says so.
pub(super) type Whole = (String, TreePath, Option<Arc<[u8]>>);
