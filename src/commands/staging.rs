//! A folder under construction, and the rename that puts it in its place.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;

use super::output::{error, parent};
use super::signals::Signals;
use crate::finding::Result;

/// A new folder beside its target. Unless it is put in place it vanishes with this value.
pub(super) struct Staging {
    target: PathBuf,
    folder: TempDir,
    /// Held while we live, so that no other run takes the folder for a left-over.
    _lock: Option<File>,
    signals: Signals,
}

/// What the names of our helper folders for `target` start with.
fn prefix(target: &Path) -> OsString {
    let mut prefix = OsString::from(".kernelize-");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".");
    prefix
}

/// Where the old folder lies for a moment on file systems that can't exchange two names.
fn aside(target: &Path) -> PathBuf {
    let mut name = prefix(target);
    name.push("old");
    target.with_file_name(name)
}

impl Staging {
    /// Makes an empty folder beside `target`.
    pub(super) fn beside(target: &Path) -> Result<Staging> {
        let signals = Signals::hold();
        let folder = tempfile::Builder::new()
            .prefix(&prefix(target))
            .permissions(Permissions::from_mode(0o777))
            .tempdir_in(parent(target))
            .map_err(|e| error("can't be written", target, &e))?;
        // Where folders can't be locked, left-overs just stay.
        let lock = File::open(folder.path()).ok().filter(|file| file.try_lock().is_ok());
        Ok(Staging { target: target.to_owned(), folder, _lock: lock, signals })
    }

    /// Writes one file; its path is relative and stays below.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.signals.check()?;
        let shown = self.target.join(path);
        let path = self.folder.path().join(path);
        let folder = path.parent().unwrap_or(self.folder.path());
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|e| error("can't be written", &shown, &e))
    }

    /// Gives the folder its name. Whatever happens, a whole folder stands there afterwards: the
    /// new one, or what was there before.
    pub(super) fn put_in_place(self, replace: bool) -> Result<()> {
        self.signals.check()?;
        let moved = match replace {
            true => self.exchange(),
            false => rename_to_free(self.folder.path(), &self.target),
        };
        moved.map_err(|e| error("can't be put in place", &self.target, &e))?;
        let Staging { mut folder, signals: _signals, .. } = self;
        match replace {
            // The old folder has our temporary name now. It may hold what its owner can't remove;
            // the import stands all the same, and the next run tries again.
            true => drop(folder),
            false => folder.disable_cleanup(true),
        }
        Ok(())
    }

    fn exchange(&self) -> io::Result<()> {
        let new = self.folder.path();
        // The old folder goes for good after this, so the new one has to be on the disk.
        settle(new)?;
        match renameat_with(CWD, new, CWD, &self.target, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(()),
            Err(e) if cannot_exchange(e) => exchange_in_steps(new, &self.target),
            Err(e) => Err(e.into()),
        }
    }
}

fn cannot_exchange(e: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP].contains(&e)
}

/// Exchanges two folders by three renames; [`recover`] sorts out what a kill in between leaves.
fn exchange_in_steps(new: &Path, target: &Path) -> io::Result<()> {
    let aside = aside(target);
    fs::rename(target, &aside)?;
    if let Err(e) = fs::rename(new, target) {
        fs::rename(&aside, target)?;
        return Err(e);
    }
    // Where this fails the next run removes the old folder.
    let _ = fs::rename(&aside, new);
    Ok(())
}

/// Renames to a name that nobody may have taken meanwhile.
fn rename_to_free(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        // A plain rename replaces nothing but an empty folder.
        Err(e) if cannot_exchange(e) => fs::rename(from, to),
        Err(e) => Err(e.into()),
    }
}

/// Brings everything written to the disk. One call for all files: a call for each takes ten times
/// as long.
fn settle(folder: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(File::open(folder)?)?;
    #[cfg(not(target_os = "linux"))]
    File::open(folder)?.sync_all()?;
    Ok(())
}

/// Settles what a killed run left beside `target`: an old folder that lies aside returns to its
/// place, and half-built ones that no living run holds go. Never fails: what can't be settled only
/// takes up room.
pub(super) fn recover(target: &Path) {
    let old = aside(target);
    if old.symlink_metadata().is_ok() && target.symlink_metadata().is_err() {
        let _ = fs::rename(&old, target);
    }
    let prefix = prefix(target);
    let Ok(entries) = fs::read_dir(parent(target)) else { return };
    for entry in entries.flatten() {
        if is_left_over(&entry.file_name(), &prefix) && is_free(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left_over(name: &OsStr, prefix: &OsStr) -> bool {
    let name = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
    name.is_some_and(|rest| {
        rest == b"old" || rest.len() == 6 && rest.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// Whether `path` is a folder that no living run holds.
fn is_free(path: &Path) -> bool {
    let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    is_folder && File::open(path).is_ok_and(|folder| folder.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(path: &Path, text: &str) {
        fs::create_dir(path).unwrap();
        fs::write(path.join("file"), text).unwrap();
    }

    #[test]
    fn folders_are_exchanged_where_the_file_system_cannot() {
        let dir = tempfile::tempdir().unwrap();
        let (new, target) = (dir.path().join(".kernelize-out.abc123"), dir.path().join("out"));
        folder_with(&new, "new");
        folder_with(&target, "old");
        exchange_in_steps(&new, &target).unwrap();
        assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "new");
        assert_eq!(fs::read_to_string(new.join("file")).unwrap(), "old");
        assert!(!aside(&target).exists());
    }

    #[test]
    fn a_failed_exchange_puts_the_old_folder_back() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("out");
        folder_with(&target, "old");
        assert!(exchange_in_steps(&dir.path().join("gone"), &target).is_err());
        assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "old");
    }

    #[test]
    fn a_folder_of_a_living_run_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("out");
        let staging = Staging::beside(&target).unwrap();
        staging.write("lib/a.c", b"a").unwrap();
        recover(&target);
        staging.put_in_place(false).unwrap();
        assert_eq!(fs::read(target.join("lib/a.c")).unwrap(), b"a");
    }

    #[test]
    fn only_names_of_ours_are_left_overs() {
        let prefix = prefix(Path::new("x/out"));
        for (name, ours) in [
            (".kernelize-out.abC123", true),
            (".kernelize-out.old", true),
            (".kernelize-out.abc1234", false),
            (".kernelize-out.d.abc123", false),
            (".kernelize-out2.abc123", false),
            ("out", false),
        ] {
            assert_eq!(is_left_over(OsStr::new(name), &prefix), ours, "{name}");
        }
    }
}
