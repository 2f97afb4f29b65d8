//! Which files of a work tree git takes notice of.

use std::path::Path;

use git2::Index;

use super::Repository;
use crate::finding::{Error, Result};

/// Tells files that git takes notice of, tracked or new, from those that it is told to ignore.
pub struct Noticed {
    repository: git2::Repository,
    index: Index,
}

impl Repository {
    /// Looks at the work tree in `folder`: its index, and what it ignores. Both are only read.
    ///
    /// # Errors
    /// The folder is no work tree, or its index can't be read.
    pub fn noticed(&self, folder: &Path) -> Result<Noticed> {
        let fail = |error: git2::Error| self.unreadable("the index", &error);
        // A handle of its own: all others stay without a work tree.
        let repository = git2::Repository::open_bare(self.inner.path()).map_err(fail)?;
        repository.set_workdir(folder, false).map_err(fail)?;
        let index = repository.index().map_err(fail)?;
        Ok(Noticed { repository, index })
    }
}

impl Noticed {
    /// Whether the index has the file `path`, relative to the top of the work tree.
    pub fn tracks(&self, path: &Path) -> bool {
        self.index.get_path(path, 0).is_some()
    }

    /// Whether git takes notice of the file or folder `path`, relative to the top of the work tree.
    /// Of a folder it does as well where something below it is tracked.
    ///
    /// # Errors
    /// The rules of what is ignored can't be read.
    pub fn notices(&self, path: &Path, is_folder: bool) -> Result<bool> {
        let tracked = match is_folder {
            true => self.index.find_prefix(path.join("")).is_ok(),
            false => self.tracks(path),
        };
        if tracked {
            return Ok(true);
        }
        let ignored = self.repository.is_path_ignored(match is_folder {
            true => path.join(""),
            false => path.to_owned(),
        });
        ignored.map(|ignored| !ignored).map_err(|error| {
            let (path, why) = (path.display(), error.message());
            Error::input(format!("it can't be told whether git ignores {path}: {why}"))
        })
    }
}
