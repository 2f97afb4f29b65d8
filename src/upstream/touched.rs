//! What upstream's history says of files and lines: which commits changed them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{Opener, Progress, Range, Request};
use crate::finding::Result;
use crate::git::{Commit, Id, Lineage, Shelf, Written};
use crate::text::TreePath;

/// The commits between two others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Between {
    /// The commits, each behind its parents.
    pub commits: Vec<TouchedBy>,
    /// The commits behind the lines of files, by path below the library root: places in `commits`.
    pub lines: BTreeMap<String, Lineage>,
}

/// A commit, and what it changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TouchedBy {
    /// Its id in hex.
    pub id: String,
    /// First line of its message.
    pub title: String,
    /// The pull request that brought it, as a merge or its own title says.
    pub pull: Option<u64>,
    /// The library's files that it changed, below the library root, sorted; none of a merge.
    pub files: Vec<String>,
    /// Whether it has several parents.
    pub is_merge: bool,
}

/// The commit that wrote a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineCommit {
    /// Its id in hex.
    pub id: String,
    /// First line of its message.
    pub title: String,
    /// The pull request that brought it, as its own title or a merge says.
    pub pull: Option<u64>,
    /// The line's number in that commit, from 1.
    pub line: usize,
}

/// The commits of `to` that `from` hasn't, both commit ids, and those behind the lines of `paths`,
/// files below the library root.
///
/// # Errors
/// The source is no git repository, or can't be read.
pub fn touched(
    request: &Request<'_>,
    (from, to): (&str, &str),
    paths: &BTreeSet<String>,
    progress: &dyn Progress,
) -> Result<Between> {
    let opener = Opener { request, library: request.library, progress };
    let range = Range { from: from.to_owned(), to: to.to_owned(), all_parents: true };
    let (held, ..) = opener.held(&range)?;
    let repository = held.repository();
    let find = |name: &str| super::git::resolve(repository, Some(name), request.library);
    let (from, to) = (find(from)?.commit, find(to)?.commit);
    let seen = |seen: u64| progress.step("looking at commits", seen, None);
    let commits = repository.between(&from, &to, true, &seen)?;
    let pulls = pulls(&commits, to.id);
    let of_range: HashMap<Id, &Commit> = commits.iter().map(|one| (one.id, one)).collect();
    let mut shelf = Shelf::default();
    let mut found = Vec::new();
    let root = &request.library.root;
    for commit in &commits {
        let is_merge = commit.parents.len() > 1;
        let parent = match commit.parents.first() {
            Some(id) => Some(match of_range.get(id) {
                Some(known) => Commit::clone(known),
                None => repository.commit(*id)?,
            }),
            None => None,
        };
        let files = match is_merge {
            true => Vec::new(),
            false => repository.touched(commit, parent.as_ref(), root, &mut shelf)?,
        };
        found.push(TouchedBy {
            id: commit.id.to_string(),
            title: commit.title.clone(),
            pull: number(&commit.title).or_else(|| pulls.get(&commit.id).copied()),
            files,
            is_merge,
        });
    }
    progress.step("looking at lines", 0, None);
    let lines = repository.lineages(&commits, (&from, &to), root, paths)?;
    Ok(Between { commits: found, lines })
}

/// The pull request that brought each commit: that of the nearest merge which brought the line of first
/// parents that it stands on. Lines are gone through whole before what was merged into them, oldest
/// merge first, so that a branch has only what was its own.
fn pulls(commits: &[Commit], last: Id) -> HashMap<Id, u64> {
    let known: HashMap<Id, &Commit> = commits.iter().map(|commit| (commit.id, commit)).collect();
    let (mut seen, mut pulls) = (HashSet::new(), HashMap::new());
    let mut pending = vec![(last, None)];
    while let Some((start, pull)) = pending.pop() {
        let mut at = known.get(&start);
        while let Some(commit) = at.filter(|commit| seen.insert(commit.id)) {
            pulls.extend(pull.map(|pull| (commit.id, pull)));
            let merged = number(&commit.title).filter(|_| commit.parents.len() > 1).or(pull);
            pending.extend(commit.parents.iter().skip(1).map(|parent| (*parent, merged)));
            at = commit.parents.first().and_then(|id| known.get(id));
        }
    }
    pulls
}

/// The number of a pull request in a title: `Merge pull request #N from ...`, or `... (#N)` at the end.
fn number(title: &str) -> Option<u64> {
    let merged = title.strip_prefix("Merge pull request #").and_then(|rest| rest.split(' ').next());
    let squashed =
        || title.trim_end().strip_suffix(')')?.rsplit_once("(#").map(|(_, number)| number);
    merged.or_else(squashed)?.parse().ok()
}

/// The commit that wrote line `line` (from 1) of the library's file `path`, a path below the library
/// root, as the commit `at` has it. `None` where it has no such line.
///
/// # Errors
/// The source is no git repository, or can't be read.
pub fn line_commit(
    request: &Request<'_>,
    at: &str,
    (path, line): (&TreePath, usize),
    progress: &dyn Progress,
) -> Result<Option<LineCommit>> {
    let opener = Opener { request, library: request.library, progress };
    let range = Range { from: at.to_owned(), to: at.to_owned(), all_parents: false };
    let (held, ..) = opener.held(&range)?;
    let repository = held.repository();
    let commit = super::git::resolve(repository, Some(at), request.library)?.commit;
    let whole = TreePath::new(&format!("{}/{path}", request.library.root));
    let Some(whole) = whole else { return Ok(None) };
    let Some(written) = repository.written(&commit, &whole, line)? else { return Ok(None) };
    let mut pull = number(&written.commit.title);
    if pull.is_none() {
        let seen = |seen: u64| progress.step("looking at commits", seen, None);
        let mut since = repository.between(&written.commit, &commit, true, &seen)?;
        since.push(written.commit.clone());
        pull = pulls(&since, commit.id).get(&written.commit.id).copied();
    }
    let Written { commit, line } = written;
    Ok(Some(LineCommit { id: commit.id.to_string(), pull, title: commit.title, line }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_named_in_two_ways() {
        assert_eq!(number("Merge pull request #4321 from someone/branch"), Some(4321));
        assert_eq!(number("Do a thing (#17)"), Some(17));
        for none in ["Merge branch 'dev'", "Do (#x)", "See #12", "Merge pull request #x from y"] {
            assert_eq!(number(none), None, "{none}");
        }
    }

    #[test]
    fn what_a_merge_brings_is_of_its_request() {
        let id = |n: u8| Id::from_bytes(&[n; 20]).unwrap();
        let commit = |n: u8, parents: &[u8], title: &str| Commit {
            id: id(n),
            tree: id(0),
            parents: parents.iter().map(|n| id(*n)).collect(),
            date: 0,
            title: title.into(),
        };
        let commits = [
            commit(2, &[1], "on the line"),
            commit(3, &[2], "of the branch"),
            commit(4, &[3], "more of it"),
            commit(5, &[2, 4], "Merge pull request #7 from x/y"),
            commit(6, &[4], "of the next"),
            commit(7, &[5, 6], "Merge pull request #8 from x/z"),
            // A release branch takes all of it.
            commit(8, &[1, 7], "Merge pull request #9 from x/dev"),
        ];
        let of = |last: u8| {
            let pulls = pulls(&commits, id(last));
            [2, 3, 4, 5, 6, 7, 8].map(|n: u8| pulls.get(&id(n)).copied())
        };
        assert_eq!(of(7), [None, Some(7), Some(7), None, Some(8), None, None]);
        assert_eq!(of(8), [Some(9), Some(7), Some(7), Some(9), Some(8), Some(9), None]);
    }
}
