//! The user's cache folder: the only place that reading upstream writes to. What is kept there is
//! built beside its final name and renamed, under a lock, so that runs side by side and broken-off
//! runs leave it whole.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::release::Progress;
use crate::finding::{Error, Result};

/// The cache folder: `kernelize` below `XDG_CACHE_HOME`, or below `~/.cache`. `None` where neither
/// that variable nor `HOME` is an absolute path.
pub fn default_cache() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("kernelize"))
}

/// A place in the cache, locked until dropped.
pub(super) struct Slot {
    /// Where the finished thing lies, if it is there.
    pub(super) path: PathBuf,
    _lock: File,
}

impl Slot {
    /// Locks `name` in `kind` (`git`, `packages`), waiting for other runs.
    pub(super) fn lock(
        cache: Option<&Path>,
        kind: &str,
        name: &str,
        progress: &dyn Progress,
    ) -> Result<Slot> {
        let cache = cache.ok_or_else(|| {
            Error::input("there is no cache folder to keep upstream in")
                .hint("set HOME or XDG_CACHE_HOME to an absolute path")
        })?;
        let folder = cache.join(kind);
        let path = folder.join(name);
        let lock = fs::create_dir_all(&folder)
            .and_then(|()| take_lock(&folder.join(format!("{name}.lock")), progress))
            .map_err(|error| unusable(&folder, &error))?;
        let slot = Slot { path, _lock: lock };
        slot.sweep();
        Ok(slot)
    }

    /// Whether the thing is there.
    pub(super) fn is_filled(&self) -> bool {
        self.path.is_dir()
    }

    /// A new folder beside the slot, gone again when dropped.
    pub(super) fn beside(&self) -> Result<TempDir> {
        let (folder, prefix) = self.parts();
        tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(folder)
            .map_err(|e| unusable(folder, &e))
    }

    /// Puts a finished folder into the slot.
    pub(super) fn fill(&self, built: &Path) -> Result<()> {
        fs::rename(built, &self.path).map_err(|error| unusable(&self.path, &error))
    }

    /// Removes what runs that were killed left beside this slot; nobody else can be building, since
    /// the lock is held. What can't be removed does no harm.
    fn sweep(&self) {
        let (folder, prefix) = self.parts();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    fn parts(&self) -> (&Path, String) {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        (self.path.parent().unwrap_or(Path::new(".")), format!(".{name}.new-"))
    }
}

/// Writes a file of a folder that is being built.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| unusable(path, &error))
}

fn take_lock(path: &Path, progress: &dyn Progress) -> io::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            progress.step("waiting for another run of this program", 0, None);
            file.lock().map(|()| file)
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn unusable(path: &Path, error: &io::Error) -> Error {
    Error::input(format!("the cache at {} can't be used: {error}", path.display()))
        .hint("XDG_CACHE_HOME moves the cache to another place")
}

#[cfg(test)]
mod tests {
    use super::super::release::Silent;
    use super::*;

    #[test]
    fn slots_are_filled_by_renaming_and_swept() {
        let cache = tempfile::tempdir().unwrap();
        let slot = Slot::lock(Some(cache.path()), "git", "x", &Silent).unwrap();
        assert!(!slot.is_filled());
        let building = slot.beside().unwrap();
        write(&building.path().join("done/a"), "1").unwrap();
        slot.fill(&building.path().join("done")).unwrap();
        assert!(slot.is_filled() && slot.path.join("a").is_file());
        let left = building.keep();
        drop(slot);
        Slot::lock(Some(cache.path()), "git", "x", &Silent).unwrap();
        assert!(!left.exists());
    }

    #[test]
    fn a_slot_is_locked_against_others() {
        let cache = tempfile::tempdir().unwrap();
        let slot = Slot::lock(Some(cache.path()), "git", "x", &Silent).unwrap();
        let other = File::open(cache.path().join("git/x.lock")).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(slot);
        other.try_lock().unwrap();
    }

    #[test]
    fn an_unusable_cache_is_named() {
        let cache = tempfile::NamedTempFile::new().unwrap();
        let error = Slot::lock(Some(cache.path()), "git", "x", &Silent).err().unwrap();
        assert!(error.message.contains(&cache.path().display().to_string()));
        assert!(
            Slot::lock(None, "git", "x", &Silent).err().unwrap().hint.unwrap().contains("HOME")
        );
    }
}
