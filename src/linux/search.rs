//! The files of a Linux tree that may use the library.
//!
//! A kernel has 60,000 sources, and reading them all takes longer than all the rest. What uses a
//! library can be built only where Kconfig sees to it that the library is there: so those folders are
//! searched whose Kconfig file, or that of a folder above, speaks of the library, and the headers of
//! all, which may use it in macros.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use crate::finding::{Error, Result};
use crate::git::{Commit, Limits, Repository};
use crate::rules::{Library, glob_matches};
use crate::text::{Files, TreePath};

/// Where headers lie that everybody includes.
const HEADERS: &str = "include";
/// Folders of a tree that the kernel is not built from.
const NOT_KERNEL: [&str; 2] = ["Documentation", "tools"];
/// Most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 2_000_000;
/// Largest file that is searched: no source that people write is as long.
const MAX_FILE: u64 = 16 << 20;

/// What tells of the library.
pub(super) struct Words<'a> {
    library: &'a Library,
}

impl<'a> Words<'a> {
    /// What `library` says of itself.
    pub(super) fn new(library: &'a Library) -> Words<'a> {
        Words { library }
    }

    fn in_kconfig(&self, bytes: &[u8]) -> bool {
        memchr::memmem::find(bytes, self.library.kconfig_word.as_bytes()).is_some()
    }

    fn in_source(&self, bytes: &[u8]) -> bool {
        let words = &self.library.caller_words;
        words.iter().any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some())
    }

    /// The library itself is not among its callers.
    fn is_own(&self, path: &str) -> bool {
        self.library.paths.iter().any(|glob| glob_matches(glob, path))
    }
}

/// Folders that are searched, with all below them.
struct Folders(BTreeSet<String>);

impl Folders {
    /// Those of these Kconfig files.
    fn of<'p>(kconfigs: impl Iterator<Item = &'p str>) -> Folders {
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        // The top file only names those of the folders.
        let mut found: BTreeSet<String> = kconfigs.map(folder).filter(|f| !f.is_empty()).collect();
        found.insert(HEADERS.to_owned());
        Folders(found)
    }

    fn hold(&self, path: &str) -> bool {
        path.match_indices('/').any(|(at, _)| self.0.contains(&path[..at]))
    }
}

fn is_kconfig(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with("Kconfig"))
}

fn is_source(path: &str) -> bool {
    [".c", ".h", ".S"].iter().any(|suffix| path.ends_with(suffix))
}

/// Searches a plain folder.
pub(super) fn folder(top: &Path, words: &Words<'_>, shown: &str) -> Result<Files> {
    let (mut kconfigs, mut sources) = (Vec::new(), Vec::new());
    let walk = WalkDir::new(top).min_depth(1).into_iter();
    for (seen, entry) in walk.filter_entry(|entry| !is_hidden(entry)).enumerate() {
        // What nobody may read, nobody builds.
        let Ok(entry) = entry else { continue };
        if seen == MAX_ENTRIES {
            return Err(Error::input(format!("{shown} holds over {MAX_ENTRIES} entries"))
                .hint("name the top folder of a kernel tree"));
        }
        let below = entry.path().strip_prefix(top).ok().and_then(Path::to_str);
        let Some(path) = below.filter(|_| entry.file_type().is_file()) else { continue };
        if is_kconfig(path) {
            kconfigs.push(path.to_owned());
        } else if is_source(path) {
            sources.push(path.to_owned());
        }
    }
    let mut buffer = Vec::new();
    kconfigs
        .retain(|path| text(&top.join(path), &mut buffer).is_some() && words.in_kconfig(&buffer));
    let folders = Folders::of(kconfigs.iter().map(String::as_str));
    sources.retain(|path| folders.hold(path) && !words.is_own(path));
    // Few of many use the library: one buffer serves the others.
    let found = sources.par_iter().map_init(Vec::new, |buffer, path| {
        text(&top.join(path), buffer).filter(|_| words.in_source(buffer))?;
        Some((TreePath::new(path)?, buffer.as_slice().into()))
    });
    Ok(found.flatten().collect())
}

/// What git and editors keep for themselves; and what is no part of the kernel, a fifth of all files.
fn is_hidden(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let hidden = name.as_encoded_bytes().starts_with(b".");
    entry.file_type().is_dir()
        && (hidden || entry.depth() == 1 && NOT_KERNEL.iter().any(|other| name == *other))
}

/// Reads a file into `bytes`.
fn text(path: &Path, bytes: &mut Vec<u8>) -> Option<usize> {
    bytes.clear();
    File::open(path).ok()?.take(MAX_FILE).read_to_end(bytes).ok()
}

/// Searches a commit.
pub(super) fn commit(repository: &Repository, commit: &Commit, words: &Words<'_>) -> Result<Files> {
    let limits = Limits { total: 1 << 30, ..Limits::default() };
    let kconfigs =
        repository.files(commit, limits, &|folder| !NOT_KERNEL.contains(&folder), &is_kconfig)?;
    let kconfigs = kconfigs.iter().filter(|(_, bytes)| words.in_kconfig(bytes));
    let folders = Folders::of(kconfigs.map(|(path, _)| path.as_str()));
    let enters = |path: &str| {
        let below = format!("{path}/");
        folders.hold(&below) || folders.0.iter().any(|folder| folder.starts_with(&below))
    };
    let wanted = |path: &str| is_source(path) && folders.hold(path) && !words.is_own(path);
    let mut found = repository.files(commit, limits, &enters, &wanted)?;
    found.retain(|_, bytes| words.in_source(bytes));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::load;

    #[test]
    fn folders_that_kconfig_speaks_of_are_searched() {
        let top = tempfile::tempdir().unwrap();
        let library = load(None).unwrap().library;
        let (kconfig, word) = (&library.kconfig_word, &library.caller_words[0]);
        let write = |path: &str, text: &str| {
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("Kconfig", &format!("source all {kconfig}"));
        write("fs/a/Kconfig", &format!("select {kconfig}_X"));
        write("fs/a/deep/use.c", &format!("{word}x();"));
        write("fs/a/none.c", "int x;");
        write("fs/a/notes.txt", word);
        write("fs/b/Kconfig", "config B");
        write("fs/b/use.c", &format!("{word}x();"));
        write("include/linux/use.h", &format!("{word}x();"));
        write("lib/Kconfig", kconfig);
        write(&format!("{}/own.c", library.output), &format!("{word}x();"));
        write(".git/Kconfig", kconfig);
        write(".git/use.c", word);
        std::os::unix::fs::symlink("/nowhere", top.path().join("fs/a/link.c")).unwrap();
        let found = folder(top.path(), &Words::new(&library), "tree").unwrap();
        let paths: Vec<&str> = found.keys().map(TreePath::as_str).collect();
        assert_eq!(paths, ["fs/a/deep/use.c", "include/linux/use.h"]);
    }
}
