//! A Linux tree that is a plain folder: only what is wanted is looked at.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use walkdir::WalkDir;

use crate::finding::{Error, Result};
use crate::rules::glob_matches;
use crate::text::{Files, TreePath};

/// Largest file taken in, in bytes.
const MAX_FILE: u64 = 16 << 20;
/// Most bytes taken in.
const MAX_TOTAL: u64 = 128 << 20;
/// Most entries that are looked at.
const MAX_ENTRIES: usize = 50_000;
/// Deepest nesting of folders.
const MAX_DEPTH: usize = 32;

/// One file; `None` if there is none.
pub(super) fn file(top: &Path, path: &TreePath, shown: &str) -> Result<Option<Arc<[u8]>>> {
    let whole = top.join(path.as_str());
    stays_inside(top, path.as_str(), shown)?;
    match fs::metadata(&whole) {
        Ok(found) if found.is_file() => read(&whole, path, shown).map(Some),
        Ok(_) => Ok(None),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(Error::input(format!("{path} of {shown} can't be read: {error}"))),
    }
}

/// The files that match one of the globs.
pub(super) fn files(top: &Path, globs: &[String], shown: &str) -> Result<Files> {
    let mut found = Files::new();
    let (mut total, mut entries) = (0, 0);
    for glob in globs {
        let (folder, depth) = start(glob);
        stays_inside(top, folder, shown)?;
        let walk = WalkDir::new(top.join(folder)).min_depth(1).max_depth(depth).sort_by_file_name();
        for entry in walk {
            let entry = match entry {
                Ok(entry) => entry,
                // A tree need not have the library.
                Err(error) if error.depth() == 0 => break,
                Err(error) => {
                    return Err(Error::input(format!("{shown} can't be read: {error}")));
                }
            };
            entries += 1;
            if entries > MAX_ENTRIES {
                return Err(Error::input(format!(
                    "{folder} of {shown} holds over {MAX_ENTRIES} entries"
                ))
                .hint("is it a kernel tree?"));
            }
            let Some(path) = place(&entry, top, depth > 1, shown)? else { continue };
            let is_other = || !glob_matches(glob, path.as_str()) || is_build_output(&path);
            if entry.file_type().is_dir() || is_other() {
                continue;
            }
            if !entry.file_type().is_file() {
                let what = if entry.path_is_symlink() { "a symbolic link" } else { "no file" };
                return Err(Error::input(format!("{path} of {shown} is {what}"))
                    .hint("the library's files in a kernel tree are plain files"));
            }
            let bytes = read(entry.path(), &path, shown)?;
            total += bytes.len() as u64;
            if total > MAX_TOTAL {
                return Err(Error::input(format!(
                    "the library's files of {shown} exceed {} MiB at {path}",
                    MAX_TOTAL >> 20
                )));
            }
            found.insert(path, bytes);
        }
    }
    Ok(found)
}

/// Whether a file is none of the tree's but of a build in it: what the kernel has git ignore.
fn is_build_output(path: &TreePath) -> bool {
    const SUFFIXES: [&str; 16] = [
        ".a",
        ".cmd",
        ".gcno",
        ".i",
        ".ko",
        ".ll",
        ".lst",
        ".mod",
        ".mod.c",
        ".o",
        ".order",
        ".s",
        ".su",
        ".symtypes",
        ".symvers",
        ".symversions",
    ];
    let name = path.file_name();
    name.starts_with('.') || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

/// Refuses a path that a symbolic link below the top is part of: it might lead out of the tree.
fn stays_inside(top: &Path, path: &str, shown: &str) -> Result<()> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    for part in ends.map(|end| &path[..end]).filter(|part| !part.is_empty()) {
        let found = fs::symlink_metadata(top.join(part));
        if found.is_ok_and(|found| found.file_type().is_symlink()) {
            return Err(Error::input(format!("{part} of {shown} is a symbolic link"))
                .hint("the library's files in a kernel tree, and its folders, are plain ones"));
        }
    }
    Ok(())
}

/// The folder that a glob starts in, and how deep below it there can be a match.
pub(super) fn start(glob: &str) -> (&str, usize) {
    let fixed = glob.find(['*', '?']).map_or(glob, |at| &glob[..at]);
    let folder = fixed.rsplit_once('/').map_or("", |(folder, _)| folder);
    let rest = glob[folder.len()..].trim_start_matches('/');
    (folder, if rest.contains('/') { MAX_DEPTH } else { 1 })
}

/// The entry's path in the tree; none for a name that no glob can mean, in a folder shared with others.
fn place(
    entry: &walkdir::DirEntry,
    top: &Path,
    ours: bool,
    shown: &str,
) -> Result<Option<TreePath>> {
    let below = entry.path().strip_prefix(top).unwrap_or(entry.path());
    let path = below.to_str().map(|text| text.replace(std::path::MAIN_SEPARATOR, "/"));
    match path.as_deref().and_then(TreePath::new) {
        Some(path) => Ok(Some(path)),
        None if !ours => Ok(None),
        None => {
            let name = below.as_os_str().as_encoded_bytes().escape_ascii();
            Err(Error::input(format!("the name `{name}` in {shown} is no plain UTF-8 path"))
                .hint("no file of a kernel tree has such a name: move it elsewhere"))
        }
    }
}

/// Reads a text, whole.
fn read(from: &Path, path: &TreePath, shown: &str) -> Result<Arc<[u8]>> {
    let fail = |error| Error::input(format!("{path} of {shown} can't be read: {error}"));
    let mut bytes = Vec::new();
    File::open(from).map_err(fail)?.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(Error::input(format!("{path} of {shown} is over {} MiB", MAX_FILE >> 20))
            .hint("no source of a kernel is that large"));
    }
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_build_leaves_is_no_file_of_the_tree() {
        let left = |name: &str| is_build_output(&TreePath::new(name).unwrap());
        for name in ["built-in.a", ".a.o.cmd", "a.o", "x.mod.c", "modules.order"] {
            assert!(left(&format!("lib/x/{name}")), "{name}");
        }
        for name in ["a.c", "a.S", "Makefile", "mod.c"] {
            assert!(!left(&format!("lib/x/{name}")), "{name}");
        }
    }
}
