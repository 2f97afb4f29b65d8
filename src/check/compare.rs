//! What a commit changed, from what was found there and at the commits it stands on.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::baseline::Known;
use super::record::{Commit, Found};
use crate::proof::Figures;

/// What a check came to for one state of the library, whatever commits have it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// The number that the library states.
    pub version: String,
    /// All that stands there, sorted by place.
    pub findings: Vec<Found>,
    /// Digests of the kernel form's files by their path in a Linux tree.
    pub files: BTreeMap<String, String>,
    /// What was proved.
    pub proof: Figures,
    /// What was left out of the library as it was read, and the like.
    pub notes: Vec<String>,
    /// There was nothing to check: the one finding says why. No such state is kept.
    #[serde(skip)]
    pub unreadable: bool,
    /// Figures of a build, by name; empty without one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, u64>,
}

impl State {
    fn fingerprints(&self) -> BTreeSet<&str> {
        self.findings.iter().map(|found| found.fingerprint.as_str()).collect()
    }
}

/// The states that one is compared with.
#[derive(Clone, Debug, Default)]
pub struct Before<'a> {
    /// The nearest ones that could be read.
    pub read: Vec<&'a State>,
    /// Those directly before it that couldn't.
    pub unreadable: Vec<&'a State>,
}

/// What `state` is to those before it: new is what none of them had, fixed what all of them had. The
/// first one tells which files have changed. Names are left to the caller.
pub fn commit(state: &State, before: &Before<'_>, known: Option<&Known>) -> Commit {
    let parents = match state.unreadable {
        // That nothing can be told of a commit is all that it shares with others.
        true => &before.unreadable,
        false => &before.read,
    };
    let mut commit = against(state, parents, known);
    if state.unreadable {
        commit.changed = None;
        return commit;
    }
    // Whatever else was wrong, this one could be read.
    let gone = before.unreadable.iter().flat_map(|state| state.fingerprints());
    commit.fixed.extend(gone.map(str::to_owned));
    commit.fixed.sort();
    commit.fixed.dedup();
    commit
}

fn against(state: &State, parents: &[&State], known: Option<&Known>) -> Commit {
    let accepts = |found: &Found| known.is_some_and(|known| known.accepts(&found.fingerprint));
    let weigh = |severity: &str, all: bool| {
        let of = |found: &&Found| found.severity == severity && (all || !accepts(found));
        state.findings.iter().filter(of).count()
    };
    let before: Vec<BTreeSet<&str>> = parents.iter().map(|state| state.fingerprints()).collect();
    let here = state.fingerprints();
    let is_new = |found: &&Found| !before.iter().any(|b| b.contains(found.fingerprint.as_str()));
    let findings = state.findings.iter().filter(is_new).map(|found| {
        let accepted = accepts(found);
        Found { accepted, ..found.clone() }
    });
    let fixed = before.first().into_iter().flatten().filter(|fingerprint| {
        !here.contains(*fingerprint) && before.iter().all(|other| other.contains(*fingerprint))
    });
    Commit {
        changed: parents.first().map(|parent| changed(&parent.files, &state.files)),
        findings: findings.collect(),
        fixed: fixed.map(|fingerprint| (*fingerprint).to_owned()).collect(),
        errors: weigh("error", false),
        warnings: weigh("warning", true),
        proof: state.proof,
        figures: state.figures.clone(),
        ..Commit::default()
    }
}

/// The files that only one side has, or each another.
fn changed(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<String> {
    let gone = old.keys().filter(|path| !new.contains_key(*path));
    let other = new.iter().filter(|(path, digest)| old.get(*path) != Some(digest));
    let mut paths: Vec<String> = gone.chain(other.map(|(path, _)| path)).cloned().collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(fingerprint: &str, severity: &str) -> Found {
        Found {
            code: "code".into(),
            severity: severity.into(),
            message: "m".into(),
            places: Vec::new(),
            hint: None,
            fix: None,
            fingerprint: fingerprint.into(),
            accepted: false,
        }
    }

    fn state(prints: &[&str], files: &[(&str, &str)]) -> State {
        State {
            findings: prints.iter().map(|print| found(print, "error")).collect(),
            files: files.iter().map(|(p, d)| ((*p).to_owned(), (*d).to_owned())).collect(),
            ..State::default()
        }
    }

    fn prints(commit: &Commit) -> Vec<&str> {
        commit.findings.iter().map(|found| found.fingerprint.as_str()).collect()
    }

    #[test]
    fn news_fixes_and_files_are_told() {
        let before = state(&["a", "b"], &[("gone", "1"), ("same", "2"), ("other", "3")]);
        let after = state(&["b", "c"], &[("same", "2"), ("other", "4"), ("new", "5")]);
        let commit = against(&after, &[&before], None);
        assert_eq!((prints(&commit), commit.fixed.as_slice()), (vec!["c"], &["a".to_owned()][..]));
        assert_eq!(commit.changed.unwrap(), ["gone", "new", "other"]);
        assert_eq!((commit.errors, commit.warnings), (2, 0));
    }

    #[test]
    fn a_merge_brings_nothing_that_a_parent_had() {
        let (main, branch) = (state(&["a", "b"], &[]), state(&["b", "c"], &[]));
        let merge = against(&state(&["a", "c"], &[]), &[&main, &branch], None);
        assert!(merge.findings.is_empty());
        assert_eq!(merge.fixed, ["b"]);
    }

    #[test]
    fn accepted_errors_do_not_count() {
        let known = Known::new(BTreeMap::from([("a".to_owned(), String::new())]));
        let mut here = state(&["a", "b"], &[]);
        here.findings.push(found("w", "warning"));
        let commit = against(&here, &[], Some(&known));
        assert_eq!((commit.errors, commit.warnings, commit.changed), (1, 1, None));
        assert!(commit.findings[0].accepted && !commit.findings[1].accepted);
    }

    #[test]
    fn what_cannot_be_read_hides_nothing() {
        let unreadable = |print: &str| State { unreadable: true, ..state(&[print], &[]) };
        let (good, lost) = (state(&["a", "b"], &[("file", "1")]), unreadable("lost"));
        let at = |state: &State, read: &[&State], unreadable: &[&State]| {
            let before = Before { read: read.to_vec(), unreadable: unreadable.to_vec() };
            let commit = commit(state, &before, None);
            let new: Vec<String> = prints(&commit).into_iter().map(str::to_owned).collect();
            (new, commit.fixed, commit.changed)
        };
        let own = |prints: &[&str]| prints.iter().map(|p| (*p).to_owned()).collect::<Vec<String>>();
        assert_eq!(at(&lost, &[&good], &[]), (own(&["lost"]), own(&[]), None));
        assert_eq!(at(&lost, &[&good], &[&lost]), (own(&[]), own(&[]), None));
        let other = unreadable("other");
        assert_eq!(at(&other, &[&good], &[&lost]), (own(&["other"]), own(&["lost"]), None));
        let after = state(&["b", "c"], &[("file", "2")]);
        let expected = (own(&["c"]), own(&["a", "lost"]), Some(own(&["file"])));
        assert_eq!(at(&after, &[&good], &[&lost]), expected);
    }
}
