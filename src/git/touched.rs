//! Which files commits change, and which commit wrote a line.

use std::sync::Arc;

use git2::{ObjectType, Oid};

use super::files::Limits;
use super::lines::{Side, changed_lines};
use super::objects::Objects;
use super::parse::{Commit, TreeEntry};
use super::shelf::Shelf;
use super::walk::Kind;
use super::{Repository, short};
use crate::finding::{Error, Result};
use crate::text::TreePath;

/// Most commits that are looked at to find who wrote a line.
const MAX_LINE_HISTORY: usize = 200_000;
/// Most files that one commit changes below the folder.
const MAX_TOUCHED: usize = 100_000;
/// Deepest nesting of folders.
const MAX_DEPTH: usize = 64;

/// The commit that wrote a line, and the line there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The commit.
    pub commit: Commit,
    /// The line's number in that commit, from 1.
    pub line: usize,
}

impl Repository {
    /// The files below the folder `root` that `commit` has otherwise than `parent`, by their path below
    /// that folder, sorted; all of them where there is no parent.
    pub fn touched(
        &self,
        commit: &Commit,
        parent: Option<&Commit>,
        root: &str,
        shelf: &mut Shelf,
    ) -> Result<Vec<String>> {
        Reader { objects: Objects::new(self)?, shelf }.touched(commit, parent, root)
    }

    /// The commit that wrote line `line` (from 1) of the file `path` as `start` has it: the first one
    /// on the way back whose parents haven't got it. `None` where there is no such file or line. A
    /// renamed file starts with its new name.
    pub fn written(&self, start: &Commit, path: &TreePath, line: usize) -> Result<Option<Written>> {
        let shelf = &mut Shelf::default();
        let mut reader = Reader { objects: Objects::new(self)?, shelf };
        let Some(mut here) = reader.file(start, path)? else { return Ok(None) };
        let mut text = reader.text(here, path)?;
        if line == 0 || line > text.split_inclusive(|byte| *byte == b'\n').count() {
            return Ok(None);
        }
        let mut at = Written { commit: start.clone(), line };
        for _ in 0..MAX_LINE_HISTORY {
            let parents = at.commit.parents.iter().map(|id| self.commit(*id));
            let parents = parents.collect::<Result<Vec<Commit>>>()?;
            let mut files = Vec::with_capacity(parents.len());
            for parent in &parents {
                files.push(reader.file(parent, path)?);
            }
            if let Some(same) = files.iter().position(|file| *file == Some(here)) {
                at.commit = parents[same].clone();
                continue;
            }
            let mut next = None;
            for (parent, file) in parents.into_iter().zip(files) {
                let Some(file) = file else { continue };
                let old = reader.text(file, path)?;
                if let Some(line) = line_before(&old, &text, at.line)? {
                    next = Some((parent, file, old, line));
                    break;
                }
            }
            let Some((commit, file, old, line)) = next else { return Ok(Some(at)) };
            (at, here, text) = (Written { commit, line }, file, old);
        }
        Err(Error::input(format!("the history of {path} in {} is too long", self.shown())))
    }
}

/// The line of `old` that a line of `new` was; `None` where it is new.
fn line_before(old: &[u8], new: &[u8], line: usize) -> Result<Option<usize>> {
    let mut shift = 0isize;
    for hunk in changed_lines(old, new)? {
        let start = if hunk.new.1 == 0 { hunk.new.0 + 1 } else { hunk.new.0 };
        if line < start {
            break;
        }
        let (mut before, mut here) =
            (if hunk.old.1 == 0 { hunk.old.0 + 1 } else { hunk.old.0 }, start);
        for side in &hunk.sides {
            match side {
                Side::New if here == line => return Ok(None),
                Side::Both if here == line => return Ok(Some(before)),
                _ => {}
            }
            before += usize::from(*side != Side::New);
            here += usize::from(*side != Side::Old);
        }
        shift = before as isize - here as isize;
    }
    Ok(line.checked_add_signed(shift))
}

/// An entry of a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    id: Oid,
    is_folder: bool,
}

impl Place {
    fn of(entry: &TreeEntry) -> Place {
        Place { id: entry.id, is_folder: Kind::of(entry.mode) == Kind::Folder }
    }
}

/// The entries of two folders, by name.
fn paired(old: &[TreeEntry], new: &[TreeEntry]) -> Vec<(Vec<u8>, Option<Place>, Option<Place>)> {
    let mut all = std::collections::BTreeMap::new();
    for entry in old {
        all.entry(&entry.name).or_insert((None, None)).0 = Some(Place::of(entry));
    }
    for entry in new {
        all.entry(&entry.name).or_insert((None, None)).1 = Some(Place::of(entry));
    }
    let differ = all.into_iter().filter(|(_, (old, new))| old != new);
    differ.map(|(name, (old, new))| (name.clone(), old, new)).collect()
}

pub(super) struct Reader<'r, 's> {
    pub(super) objects: Objects<'r>,
    pub(super) shelf: &'s mut Shelf,
}

impl Reader<'_, '_> {
    /// As for [`Repository::touched`].
    pub(super) fn touched(
        &mut self,
        commit: &Commit,
        parent: Option<&Commit>,
        root: &str,
    ) -> Result<Vec<String>> {
        let new = self.entry(commit, root)?;
        let old = parent.map(|parent| self.entry(parent, root)).transpose()?.flatten();
        let mut found = Vec::new();
        let mut pending = vec![(String::new(), old, new, 0)];
        while let Some((path, old, new, depth)) = pending.pop() {
            if old == new {
                continue;
            }
            let is_folder = |side: &Option<Place>| side.is_none_or(|place| place.is_folder);
            if !is_folder(&old) || !is_folder(&new) {
                found.push(path.clone());
            }
            if found.len() > MAX_TOUCHED || depth > MAX_DEPTH {
                let id = commit.id.to_string();
                return Err(Error::input(format!("commit {} changes too much", short(&id))));
            }
            let (old, new) = (self.folder(old, &path)?, self.folder(new, &path)?);
            for (name, old, new) in paired(&old, &new) {
                let name = String::from_utf8_lossy(&name).into_owned();
                let below = if path.is_empty() { name } else { format!("{path}/{name}") };
                pending.push((below, old, new, depth + 1));
            }
        }
        found.sort();
        Ok(found)
    }

    fn folder(&mut self, place: Option<Place>, path: &str) -> Result<Arc<[TreeEntry]>> {
        match place.filter(|place| place.is_folder) {
            Some(place) => self.shelf.folder(place.id, || self.objects.tree(place.id, path)),
            None => Ok(Arc::from(Vec::new())),
        }
    }

    /// What stands at `path` in a commit.
    fn entry(&mut self, commit: &Commit, path: &str) -> Result<Option<Place>> {
        let mut at = Place { id: commit.tree, is_folder: true };
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let entries = self.folder(Some(at), path)?;
            let found = entries.iter().find(|entry| entry.name == part.as_bytes());
            let Some(found) = found else { return Ok(None) };
            at = Place::of(found);
        }
        Ok(Some(at))
    }

    /// The id of a plain file.
    pub(super) fn file(&mut self, commit: &Commit, path: &TreePath) -> Result<Option<Oid>> {
        let entry = self.entry(commit, path.as_str())?;
        Ok(entry.filter(|place| !place.is_folder).map(|place| place.id))
    }

    pub(super) fn text(&mut self, id: Oid, path: &TreePath) -> Result<Arc<[u8]>> {
        if let Some(text) = self.shelf.file(id) {
            return Ok(text);
        }
        let what = || format!("the file `{path}`");
        let limit = Limits::default().file;
        let text: Arc<[u8]> = self.objects.read_as(id, ObjectType::Blob, limit, &what)?.into();
        self.shelf.keep(id, &text);
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_led_back() {
        let old = b"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
        let new = b"x\na\nb\nc\nD\ne\nf\ng\nh\ni\nj\nl\n";
        let before = |line| line_before(old, new, line).unwrap();
        assert_eq!(
            [1, 2, 5, 6, 11, 12].map(before),
            [None, Some(1), None, Some(5), Some(10), Some(12)]
        );
        let far: String = (0..40).map(|n| format!("{n}\n")).collect();
        let longer = format!("new\nnewer\n{far}");
        let line = |line| line_before(far.as_bytes(), longer.as_bytes(), line).unwrap();
        assert_eq!([line(2), line(3), line(42)], [None, Some(1), Some(40)]);
    }
}
