//! Which commits of a range brought and took the lines of files.
//!
//! The range is gone through once, oldest commit first. Of each file that a commit has, every line is
//! known to be one of the version that the range starts from, or to have come with some commit.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::lines::{Side, changed_lines};
use super::objects::Objects;
use super::parse::Commit;
use super::shelf::Shelf;
use super::touched::Reader;
use super::{Id, Repository};
use crate::finding::Result;
use crate::text::TreePath;

/// The commits behind the lines of one file, by their place in the range; none for a line that both
/// ends have, or that the range doesn't account for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lineage {
    /// For each line of the new version, from 0: the commit that brought it.
    pub came: Vec<Option<usize>>,
    /// For each line of the old version: the commit that took it.
    pub went: Vec<Option<usize>>,
}

/// What a line is known to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// That line of the version that the range starts from.
    Base(usize),
    /// It came with that commit.
    Came(usize),
    /// It stands in what the range is built on, and not in what it starts from.
    Older,
}

/// One version of a file.
struct Version {
    /// Its text; none where there is no such file.
    id: Option<Id>,
    lines: Vec<Line>,
    /// For each line of the version that the range starts from: the commit that took it.
    went: Vec<Option<usize>>,
}

type Versions = BTreeMap<String, Arc<Version>>;

impl Repository {
    /// The commits behind the lines of the files `paths` below the folder `root`. `commits` are those of
    /// `to` that `from` hasn't, each behind its parents.
    pub fn lineages(
        &self,
        commits: &[Commit],
        (from, to): (&Commit, &Commit),
        root: &str,
        paths: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, Lineage>> {
        let shelf = &mut Shelf::default();
        let reader = Reader { objects: Objects::new(self)?, shelf };
        let mut walk = Walk { reader, root, paths, base: BTreeMap::new(), outside: HashMap::new() };
        for path in paths {
            let id = walk.file(from, path)?;
            let count = walk.text(id, path)?.split_inclusive(|byte| *byte == b'\n').count();
            let lines = (0..count).map(Line::Base).collect();
            walk.base
                .insert(path.clone(), Arc::new(Version { id, lines, went: vec![None; count] }));
        }
        let of_range: HashMap<Id, usize> =
            commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
        let mut uses: HashMap<Id, usize> = HashMap::from([(to.id, 1)]);
        for parent in commits.iter().flat_map(|commit| &commit.parents) {
            *uses.entry(*parent).or_default() += 1;
        }
        let mut known: HashMap<Id, Versions> = HashMap::new();
        for (number, commit) in commits.iter().enumerate() {
            let mut parents = Vec::with_capacity(commit.parents.len());
            for id in &commit.parents {
                let versions = match of_range.contains_key(id) {
                    true => taken(&mut known, &mut uses, *id),
                    false => walk.older(&self.commit(*id)?)?,
                };
                parents.push((self.commit(*id)?, versions));
            }
            let versions = walk.versions(number, commit, &parents)?;
            known.insert(commit.id, versions);
        }
        let last = known.remove(&to.id).unwrap_or_default();
        let lineage = |version: &Version| Lineage {
            came: version.lines.iter().map(|line| line.came()).collect(),
            went: version.went.clone(),
        };
        Ok(last.iter().map(|(path, version)| (path.clone(), lineage(version))).collect())
    }
}

/// The versions of a parent, which are let go when all that stand on it are done.
fn taken(known: &mut HashMap<Id, Versions>, uses: &mut HashMap<Id, usize>, id: Id) -> Versions {
    let left = uses.entry(id).or_insert(1);
    *left = left.saturating_sub(1);
    let found = if *left == 0 { known.remove(&id) } else { known.get(&id).cloned() };
    found.unwrap_or_default()
}

impl Line {
    fn came(self) -> Option<usize> {
        match self {
            Line::Came(commit) => Some(commit),
            Line::Base(_) | Line::Older => None,
        }
    }
}

struct Walk<'r, 's> {
    reader: Reader<'r, 's>,
    root: &'s str,
    paths: &'s BTreeSet<String>,
    base: Versions,
    /// Versions of commits that the range is built on, by path and text.
    outside: HashMap<(String, Option<Id>), Arc<Version>>,
}

impl Walk<'_, '_> {
    fn whole(&self, path: &str) -> Option<TreePath> {
        TreePath::new(&format!("{}/{path}", self.root))
    }

    fn file(&mut self, commit: &Commit, path: &str) -> Result<Option<Id>> {
        match self.whole(path) {
            Some(whole) => self.reader.file(commit, &whole),
            None => Ok(None),
        }
    }

    fn text(&mut self, id: Option<Id>, path: &str) -> Result<Arc<[u8]>> {
        match (id, self.whole(path)) {
            (Some(id), Some(whole)) => self.reader.text(id, &whole),
            _ => Ok(Arc::default()),
        }
    }

    /// The versions of a commit outside the range.
    fn older(&mut self, commit: &Commit) -> Result<Versions> {
        let mut versions = Versions::new();
        for path in self.paths {
            let id = self.file(commit, path)?;
            let key = (path.clone(), id);
            if let Some(version) = self.outside.get(&key) {
                versions.insert(path.clone(), Arc::clone(version));
                continue;
            }
            let base = Arc::clone(&self.base[path]);
            let version = match id == base.id {
                true => base,
                false => {
                    let map = self.map(path, &base, id)?;
                    let lines = map.into_iter().map(|from| from.map_or(Line::Older, Line::Base));
                    Arc::new(Version { id, lines: lines.collect(), went: base.went.clone() })
                }
            };
            self.outside.insert(key, Arc::clone(&version));
            versions.insert(path.clone(), version);
        }
        Ok(versions)
    }

    /// For each line of the text `to` the line that it was in an older version.
    fn map(&mut self, path: &str, from: &Version, to: Option<Id>) -> Result<Vec<Option<usize>>> {
        let (old, new) = (self.text(from.id, path)?, self.text(to, path)?);
        before(&old, &new)
    }

    /// The versions of a commit of the range.
    fn versions(
        &mut self,
        number: usize,
        commit: &Commit,
        parents: &[(Commit, Versions)],
    ) -> Result<Versions> {
        let first = parents.first();
        let touched = self.reader.touched(commit, first.map(|(parent, _)| parent), self.root)?;
        let mut versions = first.map(|(_, versions)| versions.clone()).unwrap_or_default();
        for path in touched.iter().filter(|path| self.paths.contains(*path)) {
            let id = self.file(commit, path)?;
            let before = parents.iter().filter_map(|(_, versions)| versions.get(path));
            let before: Vec<&Arc<Version>> = before.collect();
            let version = match before.iter().find(|version| version.id == id) {
                Some(same) => Arc::clone(same),
                None => Arc::new(self.version(number, path, id, &before)?),
            };
            versions.insert(path.clone(), version);
        }
        Ok(versions)
    }

    /// A version that no parent has.
    fn version(
        &mut self,
        number: usize,
        path: &str,
        id: Option<Id>,
        before: &[&Arc<Version>],
    ) -> Result<Version> {
        let mut lines: Vec<Option<Line>> = Vec::new();
        for parent in before {
            let map = self.map(path, parent, id)?;
            lines.resize(map.len(), None);
            for (line, from) in lines.iter_mut().zip(map) {
                // What several parents have is the first one's.
                *line = line.or(from.and_then(|from| parent.lines.get(from).copied()));
            }
        }
        if before.is_empty() {
            let text = self.text(id, path)?;
            lines = vec![None; text.split_inclusive(|byte| *byte == b'\n').count()];
        }
        let lines: Vec<Line> =
            lines.into_iter().map(|line| line.unwrap_or(Line::Came(number))).collect();
        let count = self.base[path].lines.len();
        let there = based(count, &[&lines]);
        let parents: Vec<&[Line]> = before.iter().map(|parent| parent.lines.as_slice()).collect();
        let had = based(count, &parents);
        let went = (0..count).map(|at| match (there[at], had[at]) {
            (true, _) => None,
            (false, true) => before.iter().find_map(|parent| parent.went[at]).or(Some(number)),
            (false, false) => before.iter().find_map(|parent| parent.went[at]),
        });
        let went = went.collect();
        Ok(Version { id, lines, went })
    }
}

/// For each line of the version that the range starts from: whether one of these has it.
fn based(count: usize, versions: &[&[Line]]) -> Vec<bool> {
    let mut found = vec![false; count];
    for line in versions.iter().copied().flatten() {
        if let Line::Base(at) = line {
            found[*at] = true;
        }
    }
    found
}

/// For each line of `new` the line of `old` that it is, both from 0.
fn before(old: &[u8], new: &[u8]) -> Result<Vec<Option<usize>>> {
    let count = new.split_inclusive(|byte| *byte == b'\n').count();
    let mut found = Vec::with_capacity(count);
    let mut from = 0;
    for hunk in changed_lines(old, new)? {
        let start = if hunk.new.1 == 0 { hunk.new.0 } else { hunk.new.0 - 1 };
        while found.len() < start {
            found.push(Some(from));
            from += 1;
        }
        for side in hunk.sides {
            match side {
                Side::Both => found.push(Some(from)),
                Side::New => found.push(None),
                Side::Old => {}
            }
            from += usize::from(side != Side::New);
        }
    }
    while found.len() < count {
        found.push(Some(from));
        from += 1;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_before() {
        let map = |old: &str, new: &str| before(old.as_bytes(), new.as_bytes()).unwrap();
        assert_eq!(map("a\nb\nc\n", "x\na\nc\ny\n"), [None, Some(0), Some(2), None]);
        assert_eq!(map("", "a\n"), [None]);
        assert_eq!(map("a\n", ""), []);
        let long: String = (0..30).map(|n| format!("{n}\n")).collect();
        let other = long.replace("\n15\n", "\nnew\n");
        let found = map(&long, &other);
        assert_eq!(
            (found[14], found[15], found[16], found[29]),
            (Some(14), None, Some(16), Some(29))
        );
    }
}
