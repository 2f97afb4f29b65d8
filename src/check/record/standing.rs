//! What a record says of the findings in its range: where each came, and where it went.

use std::collections::BTreeMap;

use super::{Commit, Found, Record};

/// A finding, at the commit that brought it.
#[derive(Clone, Copy, Debug)]
pub struct Introduced<'r> {
    /// The commit.
    pub commit: &'r Commit,
    /// The finding.
    pub found: &'r Found,
    /// The later commit that it is gone at.
    pub fixed_by: Option<&'r Commit>,
}

impl Introduced<'_> {
    /// Whether it still stands at the last commit, and no baseline accepts it.
    pub fn stands(&self) -> bool {
        self.fixed_by.is_none() && !self.found.accepted
    }
}

impl Record {
    /// All findings, in the order of the commits that brought them.
    pub fn introduced(&self) -> Vec<Introduced<'_>> {
        let mut list: Vec<Introduced<'_>> = Vec::new();
        let mut open: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for commit in &self.commits {
            for fingerprint in &commit.fixed {
                for at in open.remove(fingerprint.as_str()).unwrap_or_default() {
                    list[at].fixed_by = Some(commit);
                }
            }
            for found in &commit.findings {
                open.entry(&found.fingerprint).or_default().push(list.len());
                list.push(Introduced { commit, found, fixed_by: None });
            }
        }
        list
    }
}

impl Commit {
    /// How messages call it: its name, with the start of its id where the name doesn't show it.
    pub fn shown(&self) -> String {
        let id = self.id.as_deref().and_then(|id| id.get(..12)).unwrap_or_default();
        match &self.name {
            name if name.is_empty() => id.to_owned(),
            name if id.is_empty() || id.get(..8).is_some_and(|id| name.contains(id)) => {
                name.clone()
            }
            name => format!("{name} ({id})"),
        }
    }
}
