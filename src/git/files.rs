//! Files of a commit by their paths, for trees that hold far more than is wanted.

use std::sync::Arc;

use super::parse::Commit;
use super::walk::{Kind, Sink};
use super::{Repository, short};
use crate::finding::{Error, Result};
use crate::text::{Files, TreePath};

/// Deepest nesting of folders.
const MAX_DEPTH: usize = 64;

/// How much is read at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of all files.
    pub total: u64,
    /// Entries that are looked at, wanted or not.
    pub entries: usize,
}

impl Default for Limits {
    /// Enough for any kernel tree, of which the wanted part is small.
    fn default() -> Limits {
        Limits { file: 16 << 20, total: 256 << 20, entries: 2_000_000 }
    }
}

struct Picker<'w> {
    place: String,
    limits: Limits,
    enters: &'w dyn Fn(&str) -> bool,
    wanted: &'w dyn Fn(&str) -> bool,
    files: Files,
    total: u64,
}

impl Repository {
    /// The files of `commit` whose path satisfies `wanted`, from the folders that satisfy `enters`;
    /// symbolic links and submodules are skipped. Fails where a wanted file exceeds `limits` or has
    /// a name that no tree can hold.
    pub fn files(
        &self,
        commit: &Commit,
        limits: Limits,
        enters: &dyn Fn(&str) -> bool,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Files> {
        let place = self.place(commit);
        let mut picker = Picker { place, limits, enters, wanted, files: Files::new(), total: 0 };
        self.walk(commit.tree, &mut picker)?;
        Ok(picker.files)
    }

    /// One file of `commit`; `None` where there is no plain file of that path.
    ///
    /// # Errors
    /// An object can't be read.
    pub fn file(&self, commit: &Commit, path: &TreePath) -> Result<Option<Vec<u8>>> {
        let Some(entry) = self.entry_at(commit, path.as_str())? else { return Ok(None) };
        if entry.kind != Kind::File || entry.path != path.as_str().as_bytes() {
            return Ok(None);
        }
        let what = || format!("the file `{path}`");
        let objects = super::objects::Objects::new(self)?;
        let limit = Limits::default().file;
        objects.read_as(entry.id, git2::ObjectType::Blob, limit, &what).map(Some)
    }

    /// How errors name a commit.
    fn place(&self, commit: &Commit) -> String {
        format!("commit {} in {}", short(&commit.id.to_string()), self.shown())
    }
}

impl Sink for Picker<'_> {
    fn place(&self) -> &str {
        &self.place
    }

    fn bounds(&self) -> (usize, usize) {
        (self.limits.entries, MAX_DEPTH)
    }

    fn enters(&mut self, path: &[u8]) -> Result<bool> {
        Ok((self.enters)(&String::from_utf8_lossy(path)))
    }

    fn wants(&mut self, path: &[u8], kind: Kind, size: u64) -> Result<bool> {
        if kind != Kind::File || !(self.wanted)(&String::from_utf8_lossy(path)) {
            return Ok(false);
        }
        let Limits { file, total, .. } = self.limits;
        if size > file || self.total + size > total {
            let limit = if size > file { file } else { total };
            return Err(Error::input(format!(
                "`{}` in {} has {size} bytes, which exceeds the limit of {} MiB",
                path.escape_ascii(),
                self.place,
                limit >> 20
            )));
        }
        self.total += size;
        Ok(true)
    }

    fn take(&mut self, path: &[u8], _: Kind, content: &Arc<[u8]>) -> Result<()> {
        let name = std::str::from_utf8(path).ok().and_then(TreePath::new).ok_or_else(|| {
            let path = path.escape_ascii();
            Error::input(format!("`{path}` in {} is no name that can be written", self.place))
        })?;
        match self.files.insert(name, Arc::clone(content)) {
            None => Ok(()),
            Some(_) => {
                let path = path.escape_ascii();
                Err(Error::input(format!("`{path}` stands twice in {}", self.place)))
            }
        }
    }
}
