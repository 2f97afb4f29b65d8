//! Writes an output folder whole or not at all.
//!
//! The new folder is built beside the old one and put in its place by one rename. What stands
//! there is replaced only if this program made it and nobody has changed it since.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use super::record::{RECORD, Record};
use super::staging::{Staging, recover};
use crate::finding::{Error, Result};
use crate::text::hex;

/// Largest record that is read back, in bytes; ours have some 20 KB.
const MAX_RECORD: u64 = 16 << 20;

/// A place for an output folder, found fit before any work is done.
#[derive(Debug)]
pub struct Output {
    folder: PathBuf,
    force: bool,
    /// What is being read, and so must not be taken away.
    read: Vec<PathBuf>,
}

impl Output {
    /// Checks that a folder can be written to `path`, and settles what an interrupted run left.
    /// `read` are the places that the run reads from.
    ///
    /// # Errors
    /// Something stands there that must not be lost, or the folder above isn't there.
    pub fn prepare(path: &Path, force: bool, read: &[&Path]) -> Result<Output> {
        let folder: PathBuf = path.components().collect();
        let shown = folder.display();
        if folder.file_name().is_none() {
            return Err(Error::usage(format!("{shown} can't be an output folder: it has no name"))
                .hint("name a folder below an existing one"));
        }
        let parent = parent(&folder);
        if !parent.is_dir() {
            let parent = parent.display();
            return Err(Error::usage(format!("{shown} can't be written: there is no {parent}"))
                .hint(format!("make it first: mkdir -p {parent}")));
        }
        let read = read.iter().map(|path| path.to_path_buf()).collect();
        let output = Output { folder, force, read };
        recover(&output.folder);
        output.replaceable()?;
        Ok(output)
    }

    /// Whether a folder stands there; an error where it must stay.
    fn replaceable(&self) -> Result<bool> {
        let shown = self.folder.display();
        let found = match fs::symlink_metadata(&self.folder) {
            Ok(found) => found,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(e) => return Err(error("can't be looked at", &self.folder, &e)),
        };
        if !found.is_dir() {
            let what = if found.is_symlink() { "a symbolic link" } else { "not a folder" };
            return Err(Error::usage(format!("{shown} is {what}; only a folder is replaced"))
                .hint("move it away, or choose another folder with --out"));
        }
        if self.force {
            self.not_around_us()?;
        } else if !is_empty(&self.folder) {
            unchanged(&self.folder)?;
        }
        self.not_around_what_is_read()?;
        Ok(true)
    }

    /// Even `--force` must not take away the folder that the user stands in.
    fn not_around_us(&self) -> Result<()> {
        let here = std::env::current_dir().and_then(fs::canonicalize);
        match (here, fs::canonicalize(&self.folder)) {
            (Ok(here), Ok(folder)) if here.starts_with(&folder) => {
                let shown = self.folder.display();
                Err(Error::usage(format!("{shown} holds the current folder and isn't replaced"))
                    .hint("run from elsewhere, or choose another folder with --out"))
            }
            _ => Ok(()),
        }
    }

    /// What the run reads must not be replaced by what it writes.
    fn not_around_what_is_read(&self) -> Result<()> {
        let Ok(folder) = fs::canonicalize(&self.folder) else { return Ok(()) };
        for path in &self.read {
            if fs::canonicalize(path).is_ok_and(|path| path.starts_with(&folder)) {
                let message =
                    format!("{} holds what is read, {}", self.folder.display(), path.display());
                return Err(Error::usage(message).hint("choose another folder with --out"));
            }
        }
        Ok(())
    }

    /// The folder, as the user named it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes `files` and the record of them; says whether another folder was replaced.
    ///
    /// # Errors
    /// A file can't be written, or what stands there has changed meanwhile. Nothing is changed then.
    pub fn write(self, files: &BTreeMap<&str, &[u8]>, record: &Record) -> Result<bool> {
        let staging = Staging::beside(&self.folder)?;
        for (path, bytes) in files {
            staging.write(path, bytes)?;
        }
        staging.write(RECORD, &record.to_bytes()?)?;
        let replaces = self.replaceable()?;
        staging.put_in_place(replaces)?;
        Ok(replaces)
    }
}

/// Whether a file can be written there, asked before any work is done.
///
/// # Errors
/// There is no such folder, it can't be written to, or a folder stands in the file's place.
pub(super) fn writable(path: &Path) -> Result<()> {
    let shown = path.display();
    if path.is_dir() {
        return Err(Error::usage(format!("{shown} is a folder")).hint("name a file in it"));
    }
    // A pipe or a device is written to as it is.
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    let parent = parent(path);
    if !parent.is_dir() {
        let parent = parent.display();
        return Err(Error::usage(format!("{shown} can't be written: there is no folder {parent}"))
            .hint(format!("make it first: mkdir -p {parent}")));
    }
    rustix::fs::access(parent, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|e| error("can't be written", path, &io::Error::from(e)))
}

/// Written beside and moved into place, so that nobody finds half a patch.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    // Without the name of the file beside, which nobody has asked for.
    let fail = |e: io::Error| error("can't be written", path, &io::Error::from(e.kind()));
    if path.is_dir() {
        return Err(
            Error::usage(format!("{} is a folder", path.display())).hint("name a file in it")
        );
    }
    // A pipe or a device is written to as it is.
    if path.exists() && !path.is_file() {
        return fs::write(path, bytes).map_err(fail);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kernelize-");
    // Others may read what a user writes, unless the umask says otherwise.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(parent(path)).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    file.persist(path).map_err(|e| fail(e.error))?;
    Ok(())
}

/// The folder that `path` lies in; `x` lies in the current one.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// What can't be done with `path`, and what to do about it.
pub(super) fn error(what: &str, path: &Path, e: &io::Error) -> Error {
    let error = Error::usage(format!("{} {what}: {e}", path.display()));
    match e.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            error.hint("free some space, or choose another place")
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            error.hint("choose a place that you may write to")
        }
        _ => error,
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Fails unless this program made `folder` and everything in it is as it was made.
fn unchanged(folder: &Path) -> Result<()> {
    let refuse = |why: String| {
        let shown = folder.display();
        Err(Error::usage(format!("{shown} exists and {why}"))
            .hint("--force replaces it all the same; --out names another folder"))
    };
    let path = folder.join(RECORD);
    let record = match read_record(&path) {
        Ok(record) => record,
        Err(why) => return refuse(format!("kernelize did not make it ({RECORD}: {why})")),
    };
    let mut missing: BTreeSet<&str> = record.files.keys().map(String::as_str).collect();
    for entry in WalkDir::new(folder).min_depth(1).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(e) => return refuse(format!("can't be read: {e}")),
        };
        let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let Some(name) = below.to_str() else {
            return refuse(format!("has gained {}", below.display()));
        };
        let known = record.files.get(name);
        let as_made = match known {
            _ if name == RECORD => entry.file_type().is_file(),
            Some(file) => {
                entry.file_type().is_file()
                    && digest(entry.path()).is_ok_and(|digest| digest == file.sha256)
            }
            None => entry.file_type().is_dir() && holds_a_file(&record, name),
        };
        if !as_made {
            let how =
                if known.is_some() || name == RECORD { "was changed in" } else { "has gained" };
            return refuse(format!("{how} {name}"));
        }
        missing.remove(name);
    }
    match missing.first() {
        Some(name) => refuse(format!("has lost {name}")),
        None => Ok(()),
    }
}

pub(super) fn read_record(path: &Path) -> Result<Record, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAX_RECORD).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    Record::parse(&bytes)
}

/// Whether the record has a file below the folder `name`.
fn holds_a_file(record: &Record, name: &str) -> bool {
    let prefix = format!("{name}/");
    let next = record.files.range(prefix.clone()..).next();
    RECORD.starts_with(&prefix) || next.is_some_and(|(path, _)| path.starts_with(&prefix))
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(hasher.finalize().as_slice())),
            n => hasher.update(&buffer[..n]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::commands::record::FileRecord;
    use crate::text::sha256;

    fn write(out: &Path, force: bool, files: &[(&str, &str)]) -> Result<bool> {
        let mut record = Record::new();
        let files: BTreeMap<&str, &[u8]> = files.iter().map(|(p, b)| (*p, b.as_bytes())).collect();
        for (path, bytes) in &files {
            let file = FileRecord { sha256: sha256(bytes), ..FileRecord::default() };
            record.files.insert((*path).to_owned(), file);
        }
        Output::prepare(out, force, &[])?.write(&files, &record)
    }

    fn refusal(out: &Path) -> String {
        write(out, false, &[("lib/new.c", "new")]).unwrap_err().message
    }

    /// Names of what lies in a folder.
    fn listing(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[cfg(unix)]
    #[test]
    fn a_written_file_is_as_open_as_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let [ours, plain] = ["ours", "plain"].map(|name| dir.path().join(name));
        write_file(&ours, b"x").unwrap();
        fs::write(&plain, b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn a_place_for_a_file_is_looked_at_first() {
        let dir = tempfile::tempdir().unwrap();
        let said = |name: &str| writable(&dir.path().join(name)).unwrap_err().message;
        assert!(said("no/such").contains("there is no folder"));
        assert!(said("").contains("is a folder"));
        fs::write(dir.path().join("file"), "x").unwrap();
        assert!(said("file/below").contains("there is no folder"));
        for fit in ["new", "file"] {
            assert!(writable(&dir.path().join(fit)).is_ok(), "{fit}");
        }
        assert!(writable(Path::new("/dev/null")).is_ok());
        // Nothing was left there.
        assert_eq!(listing(dir.path()), ["file"]);
    }

    #[test]
    fn an_untouched_folder_is_replaced_and_nothing_stays_behind() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        assert!(!write(&out, false, &[("lib/a.c", "1"), ("lib/x/b.c", "2")]).unwrap());
        assert!(write(&out, false, &[("lib/a.c", "3")]).unwrap());
        assert_eq!(fs::read_to_string(out.join("lib/a.c")).unwrap(), "3");
        assert!(!out.join("lib/x").exists());
        assert_eq!(listing(dir.path()), ["out"]);
        let mode = fs::metadata(&out).unwrap().permissions().mode();
        assert_eq!(mode & 0o700, 0o700);
    }

    #[test]
    fn a_changed_folder_stays_unless_forced() {
        type Change = fn(&Path);
        let changes: [(Change, &str); 7] = [
            (|out| fs::write(out.join("lib/a.c"), "mine").unwrap(), "was changed in lib/a.c"),
            (|out| fs::write(out.join("lib/own.c"), "").unwrap(), "has gained lib/own.c"),
            (|out| fs::create_dir(out.join("own")).unwrap(), "has gained own"),
            (|out| fs::remove_file(out.join("lib/a.c")).unwrap(), "has lost lib/a.c"),
            (|out| fs::remove_file(out.join(RECORD)).unwrap(), "kernelize did not make it"),
            (|out| fs::write(out.join(RECORD), "{}").unwrap(), "kernelize did not make it"),
            (|out| symlink("a.c", out.join("lib/link")).unwrap(), "has gained lib/link"),
        ];
        for (change, problem) in changes {
            let dir = tempfile::tempdir().unwrap();
            let out = dir.path().join("out");
            write(&out, false, &[("lib/a.c", "1")]).unwrap();
            change(&out);
            let message = refusal(&out);
            assert!(message.contains(problem), "{message}");
            assert!(!out.join("lib/new.c").exists());
            assert!(write(&out, true, &[("lib/new.c", "new")]).unwrap());
            assert_eq!(listing(dir.path()), ["out"]);
        }
    }

    #[test]
    fn only_folders_are_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "x").unwrap();
        assert!(refusal(&file).contains("not a folder"));
        assert!(write(&file, true, &[]).is_err());
        let link = dir.path().join("link");
        symlink(dir.path(), &link).unwrap();
        assert!(refusal(&link).contains("a symbolic link"));
        assert!(write(&link, true, &[]).is_err());
        assert!(refusal(&dir.path().join("no/such/out")).contains("there is no "));
        assert!(refusal(Path::new("/")).contains("has no name"));
        assert!(refusal(Path::new("..")).contains("has no name"));
    }

    #[test]
    fn an_empty_folder_has_nothing_to_lose() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write(dir.path(), false, &[("a", "1")]).unwrap());
        assert_eq!(listing(dir.path()), [".kernelize", "a"]);
    }

    #[test]
    fn the_current_folder_is_never_taken_away() {
        let here = std::env::current_dir().unwrap();
        let error = Output::prepare(&here, true, &[]).unwrap_err();
        assert!(error.message.contains("the current folder"));
    }

    #[test]
    fn a_path_that_cannot_be_written_leaves_the_old_folder() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        write(&out, false, &[("a.c", "1")]).unwrap();
        let long = "x".repeat(300);
        let message = write(&out, false, &[("b.c", "2"), (&long, "3")]).unwrap_err().message;
        assert!(message.contains("can't be written"), "{message}");
        assert_eq!(listing(&out), [".kernelize", "a.c"]);
        assert_eq!(listing(dir.path()), ["out"]);
    }

    #[test]
    fn what_a_killed_run_left_is_settled() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        write(&out, false, &[("a.c", "1")]).unwrap();
        fs::create_dir(dir.path().join(".kernelize-out.abc123")).unwrap();
        fs::create_dir(dir.path().join(".kernelize-other.abc123")).unwrap();
        // Killed between the two renames: the old folder lies aside.
        fs::rename(&out, dir.path().join(".kernelize-out.old")).unwrap();
        let message = write(&out, false, &[(&"x".repeat(300), "")]).unwrap_err().message;
        assert!(message.contains("can't be written"), "{message}");
        assert_eq!(fs::read_to_string(out.join("a.c")).unwrap(), "1");
        assert_eq!(listing(dir.path()), [".kernelize-other.abc123", "out"]);
    }

    #[test]
    fn what_is_read_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let upstream = folder.path().join("upstream");
        fs::create_dir(&upstream).unwrap();
        for out in [&upstream, folder.path()] {
            let error = Output::prepare(out, true, &[&upstream]).unwrap_err();
            assert!(error.message.contains("holds what is read"), "{}", error.message);
        }
        assert!(Output::prepare(&upstream.join("out"), true, &[&upstream]).is_ok());
    }
}
