//! A folder that holds a release: what is there, read as it is.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use super::collect::{Collector, MAX_DEPTH, MAX_ENTRIES, MAX_FILE};
use crate::finding::{Error, Result};
use crate::rules::Library;
use crate::text::{Files, TreePath};

/// Reads all files below `folder/root`. `shown` is how the user named the folder; `skips` is asked for
/// each path in it, and told whether it is a folder's.
pub(super) fn read(
    folder: &Path,
    root: &str,
    shown: &str,
    skips: &dyn Fn(&Path, bool) -> bool,
) -> Result<Collector> {
    let top = folder.join(root);
    let mut collector = Collector::new(format!("{root} of {shown}"));
    let found = fs::symlink_metadata(&top).map_err(|error| cannot_read(&top, &error))?;
    if found.is_symlink() {
        return Err(collector.refuse(root.as_bytes(), "a symbolic link, which is not followed"));
    }
    if !found.is_dir() {
        return Err(collector.refuse(root.as_bytes(), "a file where a folder belongs"));
    }
    let walk = WalkDir::new(&top).min_depth(1).max_depth(MAX_DEPTH + 1).sort_by_file_name();
    let taken = |entry: &DirEntry| {
        let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        !skips(below, entry.file_type().is_dir())
    };
    for (count, entry) in walk.into_iter().filter_entry(taken).enumerate() {
        let entry =
            entry.map_err(|error| Error::input(format!("{shown} can't be read: {error}")))?;
        if count >= MAX_ENTRIES {
            return Err(Error::input(format!(
                "{root} of {shown} holds over {MAX_ENTRIES} entries"
            )));
        }
        take(&mut collector, &entry, &top)?;
    }
    Ok(collector)
}

fn take(collector: &mut Collector, entry: &DirEntry, top: &Path) -> Result<()> {
    let fail = |error| cannot_read(entry.path(), &error);
    let below = entry.path().strip_prefix(top).unwrap_or(entry.path());
    let name = bytes_of(below);
    let kind = entry.file_type();
    if kind.is_dir() {
        return match entry.depth() > MAX_DEPTH {
            true => Err(collector.refuse(&name, "nested too deep")),
            false => Ok(()),
        };
    }
    if kind.is_symlink() {
        let target = fs::read_link(entry.path()).map_err(fail)?;
        return collector.link(&name, &bytes_of(&target));
    }
    if !kind.is_file() {
        return Err(collector.refuse(&name, "a device, pipe or socket"));
    }
    let mut file = File::open(entry.path()).map_err(fail)?;
    let admitted = collector.admit(&name, file.metadata().map_err(fail)?.len())?;
    let mut bytes = Vec::new();
    // A file may grow while it is read.
    Read::by_ref(&mut file).take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(fail)?;
    collector.add(admitted, bytes)
}

/// The files of the release's importer, where the folder has them.
pub(super) fn importer(folder: &Path, library: &Library) -> Result<Files> {
    let mut found = Files::new();
    for path in library.importer.values().filter_map(|path| TreePath::new(path)) {
        let whole = folder.join(path.as_str());
        if !fs::symlink_metadata(&whole).is_ok_and(|found| found.is_file()) {
            continue;
        }
        let fail = |error| cannot_read(&whole, &error);
        let mut bytes = Vec::new();
        let file = File::open(&whole).map_err(fail)?;
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() as u64 > MAX_FILE {
            let limit = MAX_FILE >> 20;
            return Err(Error::input(format!("{} is over {limit} MiB", whole.display())));
        }
        found.insert(path, bytes.into());
    }
    Ok(found)
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Error {
    Error::input(format!("{} can't be read: {error}", path.display()))
}

/// A path with `/` between its parts, whatever the system; the collector judges it.
fn bytes_of(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_encoded_bytes().to_vec();
    match std::path::MAIN_SEPARATOR {
        '/' => bytes,
        other => bytes.iter().map(|&b| if b == other as u8 { b'/' } else { b }).collect(),
    }
}
