//! A walk through the tree of a commit.

use std::sync::Arc;

use git2::{ObjectType, Oid};

use super::Repository;
use super::objects::Objects;
use super::parse::{Commit, TreeEntry};
use super::shelf::Shelf;
use crate::finding::{Error, Result};

/// What stands in a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A file.
    File,
    /// A symbolic link; its content is the target.
    Link,
    /// A commit of another repository, whose content isn't here.
    Submodule,
    /// What no git writes.
    Unknown,
}

impl Kind {
    pub(super) fn of(mode: u32) -> Kind {
        match mode & 0o170_000 {
            0o040_000 => Kind::Folder,
            0o100_000 => Kind::File,
            0o120_000 => Kind::Link,
            0o160_000 => Kind::Submodule,
            _ => Kind::Unknown,
        }
    }
}

/// One entry of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Path below the place where the walk started.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// Its object.
    pub id: Oid,
}

/// What a walk hands its entries to.
pub trait Sink {
    /// How errors name what is walked (`lib of commit 0123 in /src/it`).
    fn place(&self) -> &str;

    /// Most entries that are looked at, and deepest nesting of folders.
    fn bounds(&self) -> (usize, usize);

    /// Whether to look into the folder `path`.
    fn enters(&mut self, path: &[u8]) -> Result<bool>;

    /// Whether to read an entry that is no folder. `size` is 0 for what can't be read.
    fn wants(&mut self, path: &[u8], kind: Kind, size: u64) -> Result<bool>;

    /// Takes the content of an entry that was wanted.
    fn take(&mut self, path: &[u8], kind: Kind, content: &Arc<[u8]>) -> Result<()>;
}

impl Repository {
    /// The entry at `path` in a commit. Where something on the way is no folder, that; `None` where
    /// nothing is.
    ///
    /// # Errors
    /// An object can't be read.
    pub fn entry_at(&self, commit: &Commit, path: &str) -> Result<Option<Entry>> {
        let objects = Objects::new(self)?;
        let mut at = Entry { path: Vec::new(), kind: Kind::Folder, id: commit.tree };
        for part in path.split('/') {
            if at.kind != Kind::Folder {
                break;
            }
            let folder = String::from_utf8_lossy(&at.path).into_owned();
            let entries = objects.tree(at.id, &folder)?;
            let Some(found) = entries.into_iter().find(|entry| entry.name == part.as_bytes())
            else {
                return Ok(None);
            };
            let path = if at.path.is_empty() { found.name } else { join(&at.path, &found.name) };
            at = Entry { path, kind: Kind::of(found.mode), id: found.id };
        }
        Ok(Some(at))
    }

    /// Hands all that stands below the folder `root` of a commit to `sink`.
    ///
    /// # Errors
    /// An object can't be read, or the sink refuses what it is given.
    pub fn walk(&self, root: Oid, sink: &mut dyn Sink) -> Result<()> {
        self.walk_with(root, sink, &mut Shelf::default())
    }

    /// The same for several commits: what lies on the shelf isn't read again.
    ///
    /// # Errors
    /// As for [`Repository::walk`].
    pub fn walk_with(&self, root: Oid, sink: &mut dyn Sink, shelf: &mut Shelf) -> Result<()> {
        Walk { objects: Objects::new(self)?, sink, shelf, seen: 0 }.folders(root)
    }
}

struct Walk<'r, 's> {
    objects: Objects<'r>,
    sink: &'s mut dyn Sink,
    shelf: &'s mut Shelf,
    seen: usize,
}

impl Walk<'_, '_> {
    /// Depth first with a list of its own: trees can be nested without end.
    fn folders(&mut self, root: Oid) -> Result<()> {
        let (_, max_depth) = self.sink.bounds();
        let mut pending = vec![(Vec::new(), root, 0)];
        while let Some((folder, id, depth)) = pending.pop() {
            let shown = String::from_utf8_lossy(&folder).into_owned();
            let entries = self.shelf.folder(id, || self.objects.tree(id, &shown))?;
            for entry in entries.iter() {
                let path = self.enter(&folder, entry)?;
                let kind = Kind::of(entry.mode);
                if kind != Kind::Folder {
                    self.take(&path, kind, entry.id)?;
                } else if self.sink.enters(&path)? {
                    if depth == max_depth {
                        return Err(self.refuse(&path, "is nested too deep"));
                    }
                    pending.push((path, entry.id, depth + 1));
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, folder: &[u8], entry: &TreeEntry) -> Result<Vec<u8>> {
        let name = &entry.name;
        let path = if folder.is_empty() { name.clone() } else { join(folder, name) };
        self.seen += 1;
        let (max_entries, _) = self.sink.bounds();
        if self.seen > max_entries {
            let place = self.sink.place();
            return Err(Error::input(format!("{place} holds over {max_entries} entries")));
        }
        if name.contains(&b'/') || name == b".." || name == b"." || name.is_empty() {
            return Err(self.refuse(&path, "is a name that leads out of its folder"));
        }
        Ok(path)
    }

    fn take(&mut self, path: &[u8], kind: Kind, id: Oid) -> Result<()> {
        let what = || format!("the file `{}`", path.escape_ascii());
        if !matches!(kind, Kind::File | Kind::Link) {
            return self.sink.wants(path, kind, 0).map(drop);
        }
        if let Some(content) = self.shelf.file(id) {
            return match self.sink.wants(path, kind, content.len() as u64)? {
                true => self.sink.take(path, kind, &content),
                false => Ok(()),
            };
        }
        let size = self.objects.header(id, &what)?.size;
        if !self.sink.wants(path, kind, size)? {
            return Ok(());
        }
        let content: Arc<[u8]> = self.objects.read_as(id, ObjectType::Blob, size, &what)?.into();
        self.shelf.keep(id, &content);
        self.sink.take(path, kind, &content)
    }

    fn refuse(&self, path: &[u8], what: &str) -> Error {
        let path = path.escape_ascii();
        Error::input(format!("`{path}` in {} {what}", self.sink.place()))
            .hint("no release has such a thing there: take the files from another source")
    }
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    [folder, b"/", name].concat()
}
