//! A tree whose release is not at hand as text: which of its files are as that release's import has
//! them is known by their digests, and of some that are not, what was changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::base::{Base, Distance, Search};
use super::normal::{Normal, Places};
use crate::edit::RuleRef;
use crate::finding::Result;
use crate::rules::{BaseRule, ChangedFile, FileAction};
use crate::text::{Files, TreePath, sha256};

/// What a rule knows of one file of its release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known<'r> {
    /// It is as the release's importer wrote it.
    Unchanged,
    /// It is as a known kernel has changed it.
    Changed(&'r ChangedFile),
    /// It is neither.
    Unknown,
}

/// What `rule` knows of the file at `path` with this sha-256; none where the release has no such file.
pub fn known<'r>(rule: &'r BaseRule, path: &TreePath, sha256: &str) -> Option<Known<'r>> {
    if rule.files.get(path)? == sha256 {
        return Some(Known::Unchanged);
    }
    let mut changed = rule.changed.iter();
    let found = changed.find(|changed| changed.file == *path && changed.sha256 == sha256);
    Some(found.map_or(Known::Unknown, Known::Changed))
}

/// A tree's files held against the digests of a release.
#[derive(Clone, Debug)]
pub struct Digests {
    /// The rule that has them.
    pub rule: RuleRef,
    /// Files that are as the release's importer wrote them.
    pub unchanged: BTreeSet<TreePath>,
    /// Files that are as a known kernel has changed them, with the ids of the rules that say how.
    pub changed: BTreeMap<TreePath, Vec<String>>,
    /// Files of which only that is known that they were changed.
    pub unknown: BTreeSet<TreePath>,
    /// All files of the release.
    pub(super) places: BTreeSet<TreePath>,
}

impl Digests {
    fn of(rule: &BaseRule, tree: &Files) -> Digests {
        let mut digests = Digests {
            rule: rule.rule.name.clone(),
            unchanged: BTreeSet::new(),
            changed: BTreeMap::new(),
            unknown: BTreeSet::new(),
            places: rule.files.keys().cloned().collect(),
        };
        for (path, bytes) in tree {
            match known(rule, path, &sha256(bytes)) {
                None => {}
                Some(Known::Unchanged) => _ = digests.unchanged.insert(path.clone()),
                Some(Known::Changed(file)) => {
                    digests.changed.insert(path.clone(), file.local.clone());
                }
                Some(Known::Unknown) => _ = digests.unknown.insert(path.clone()),
            }
        }
        digests
    }

    /// Whether anything says that the tree was made from this release at all.
    fn tell(&self) -> bool {
        !self.unchanged.is_empty() || !self.changed.is_empty()
    }
}

impl Search<'_> {
    /// The release whose digests the tree's files have most of; none where no rule knows any.
    ///
    /// What stands for the text of the release is the tree's own: files that are unchanged have that,
    /// and the others are told apart before any text is compared.
    pub(super) fn by_digests(&self, mut notes: Vec<String>) -> Result<Option<Base>> {
        let rules = self.ruleset.bases.iter().filter(|rule| rule.version == self.version);
        let held = rules.map(|rule| (rule, Digests::of(rule, &self.tree.files)));
        let nearest = held.min_by_key(|(_, digests)| digests.unknown.len());
        let Some((rule, digests)) = nearest.filter(|(_, digests)| digests.tell()) else {
            return Ok(None);
        };
        let tree = self.means().again(&self.tree.files, &self.places(), self.profile)?;
        let of_release = tree.iter().filter(|(path, _)| digests.places.contains(*path));
        let normal: Normal = of_release.map(|(path, file)| (path.clone(), file.clone())).collect();
        let added =
            self.tree.files.iter().filter(|(path, _)| {
                digests.unchanged.contains(*path) && !normal.contains_key(*path)
            });
        let added = added.map(|(path, bytes)| (path.clone(), Arc::clone(bytes))).collect();
        let (name, id) = (&rule.release, &rule.rule.name);
        notes.push(format!(
            "the text of {name} is not at hand: only digests of its files, as the rule {id} lists them, \
             were compared"
        ));
        Ok(Some(Base {
            name: rule.release.clone(),
            version: self.version,
            release: None,
            source: format!("rule {id}"),
            profile: None,
            distance: Distance::default(),
            importer: None,
            tried: Vec::new(),
            digests: Some(digests),
            notes,
            normal,
            raw: None,
            tree,
            added,
        }))
    }

    /// Where files of the release lie in the tree that don't lie where they do upstream.
    fn places(&self) -> Places {
        let applies =
            |rule: &&crate::rules::FileRule| rule.rule.applies(self.version, &self.profile.name);
        let moved = self.ruleset.files.iter().filter(applies).filter_map(|rule| {
            let (from, to) = match &rule.action {
                FileAction::Map { from, to } => (from, to),
                FileAction::Template { replaces: Some(from), to, .. } => (from, to),
                _ => return None,
            };
            Some((TreePath::new(to)?, TreePath::new(from)?))
        });
        moved.collect()
    }
}
