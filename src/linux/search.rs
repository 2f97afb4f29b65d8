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
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use crate::finding::{Error, Finding, Result};
use crate::git::{Commit, Kind, Repository, Sink};
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
/// Most bytes of all files that speak of the library.
const MAX_TOTAL: u64 = 256 << 20;
/// Deepest nesting of folders in a commit.
const MAX_DEPTH: usize = 64;
/// Code of the finding about what was not looked at.
pub const PASSED_OVER: &str = "caller-unread";

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

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The files that speak of the library.
    pub files: Files,
    /// What was not looked at.
    pub passed_over: PassedOver,
}

/// How much was not looked at, among what may use the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PassedOver {
    /// Files and folders that can't be read, or whose names can't be written.
    pub unreadable: usize,
    /// Files that are too long for anybody to have written them.
    pub too_long: usize,
}

impl PassedOver {
    /// Says so, if there is anything.
    pub fn finding(self) -> Option<Finding> {
        let PassedOver { unreadable, too_long } = self;
        let counts = [
            ("unreadable".to_owned(), unreadable),
            (format!("over {} MiB", MAX_FILE >> 20), too_long),
        ];
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let said: Vec<String> = counts.map(|(what, count)| format!("{what}: {count}")).collect();
        let message = format!("not all files were searched for callers ({})", said.join(", "));
        (!said.is_empty()).then(|| {
            Finding::warning(PASSED_OVER, message)
                .hint("look there yourself for what calls the library")
        })
    }

    fn add(&mut self, other: PassedOver) {
        self.unreadable += other.unreadable;
        self.too_long += other.too_long;
    }
}

/// A file that was asked for.
enum Looked {
    Read,
    Unreadable,
    TooLong,
}

/// Searches a plain folder.
pub(super) fn folder(top: &Path, words: &Words<'_>, shown: &str) -> Result<Found> {
    let mut passed_over = PassedOver::default();
    let (mut kconfigs, mut sources) = walked(top, shown, &mut passed_over)?;
    let mut buffer = Vec::new();
    kconfigs.retain(|path| {
        let looked = text(&top.join(path), &mut buffer);
        passed_over.add(looked.passed_over());
        matches!(looked, Looked::Read) && words.in_kconfig(&buffer)
    });
    let folders = Folders::of(kconfigs.iter().map(String::as_str));
    sources.retain(|path| folders.hold(path) && !words.is_own(path));
    let total = AtomicU64::new(0);
    // Few of many use the library: one buffer serves the others.
    let looked = sources.par_iter().map_init(Vec::new, |buffer, path| {
        let looked = text(&top.join(path), buffer);
        let wanted = matches!(looked, Looked::Read) && words.in_source(buffer);
        let file = TreePath::new(path).filter(|_| wanted).filter(|_| {
            let size = buffer.len() as u64;
            total.fetch_add(size, Ordering::Relaxed) + size <= MAX_TOTAL
        });
        (looked.passed_over(), file.map(|path| (path, Arc::from(buffer.as_slice()))))
    });
    let looked: Vec<(PassedOver, Option<_>)> = looked.collect();
    if total.into_inner() > MAX_TOTAL {
        return Err(too_much(shown));
    }
    let mut files = Files::new();
    for (more, file) in looked {
        passed_over.add(more);
        files.extend(file);
    }
    Ok(Found { files, passed_over })
}

/// The paths of all Kconfig files and of all sources.
fn walked(
    top: &Path,
    shown: &str,
    passed_over: &mut PassedOver,
) -> Result<(Vec<String>, Vec<String>)> {
    let (mut kconfigs, mut sources) = (Vec::new(), Vec::new());
    let walk = WalkDir::new(top).min_depth(1).into_iter();
    for (seen, entry) in walk.filter_entry(|entry| !is_hidden(entry)).enumerate() {
        if seen == MAX_ENTRIES {
            return Err(Error::input(format!("{shown} holds over {MAX_ENTRIES} entries"))
                .hint("name the top folder of a kernel tree"));
        }
        let Ok(entry) = entry else {
            passed_over.unreadable += 1;
            continue;
        };
        if !entry.file_type().is_file() {
            continue;
        }
        let below = entry.path().strip_prefix(top).unwrap_or(entry.path());
        let path = below.to_string_lossy();
        let of_interest = is_kconfig(&path) || is_source(&path);
        if of_interest && below.to_str().and_then(TreePath::new).is_none() {
            passed_over.unreadable += 1;
        } else if is_kconfig(&path) {
            kconfigs.push(path.into_owned());
        } else if of_interest {
            sources.push(path.into_owned());
        }
    }
    Ok((kconfigs, sources))
}

/// What git and editors keep for themselves; and what is no part of the kernel, a fifth of all files.
fn is_hidden(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let hidden = name.as_encoded_bytes().starts_with(b".");
    entry.file_type().is_dir()
        && (hidden || entry.depth() == 1 && NOT_KERNEL.iter().any(|other| name == *other))
}

impl Looked {
    fn passed_over(&self) -> PassedOver {
        PassedOver {
            unreadable: usize::from(matches!(self, Looked::Unreadable)),
            too_long: usize::from(matches!(self, Looked::TooLong)),
        }
    }
}

/// Reads a file into `bytes`.
fn text(path: &Path, bytes: &mut Vec<u8>) -> Looked {
    bytes.clear();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_end(bytes));
    match read {
        Err(_) => Looked::Unreadable,
        Ok(_) if bytes.len() as u64 > MAX_FILE => Looked::TooLong,
        Ok(_) => Looked::Read,
    }
}

fn too_much(shown: &str) -> Error {
    let most = MAX_TOTAL >> 20;
    Error::input(format!("what speaks of the library in {shown} exceeds {most} MiB"))
        .hint("name the top folder of a kernel tree")
}

/// Searches a commit.
pub(super) fn commit(
    repository: &Repository,
    commit: &Commit,
    words: &Words<'_>,
    shown: &str,
) -> Result<Found> {
    let mut kconfigs = Picker {
        shown,
        enters: &|folder| !NOT_KERNEL.contains(&folder),
        wants: &is_kconfig,
        holds: &|bytes| words.in_kconfig(bytes),
        keeps: false,
        found: Found::default(),
        total: 0,
    };
    repository.walk(commit.tree, &mut kconfigs)?;
    let Found { files, passed_over } = kconfigs.found;
    let folders = Folders::of(files.keys().map(TreePath::as_str));
    let mut sources = Picker {
        shown,
        enters: &|path| {
            let below = format!("{path}/");
            folders.hold(&below) || folders.0.iter().any(|folder| folder.starts_with(&below))
        },
        wants: &|path| is_source(path) && folders.hold(path) && !words.is_own(path),
        holds: &|bytes| words.in_source(bytes),
        keeps: true,
        found: Found { files: Files::new(), passed_over },
        total: 0,
    };
    repository.walk(commit.tree, &mut sources)?;
    Ok(sources.found)
}

/// Picks files of a commit by what they hold, one at a time.
struct Picker<'w> {
    shown: &'w str,
    enters: &'w dyn Fn(&str) -> bool,
    wants: &'w dyn Fn(&str) -> bool,
    holds: &'w dyn Fn(&[u8]) -> bool,
    /// Whether anybody asks for the content of what is found.
    keeps: bool,
    found: Found,
    total: u64,
}

impl Sink for Picker<'_> {
    fn place(&self) -> &str {
        self.shown
    }

    fn bounds(&self) -> (usize, usize) {
        (MAX_ENTRIES, MAX_DEPTH)
    }

    fn enters(&mut self, path: &[u8]) -> Result<bool> {
        Ok((self.enters)(&String::from_utf8_lossy(path)))
    }

    fn wants(&mut self, path: &[u8], kind: Kind, size: u64) -> Result<bool> {
        if kind != Kind::File || !(self.wants)(&String::from_utf8_lossy(path)) {
            return Ok(false);
        }
        let long = size > MAX_FILE;
        self.found.passed_over.too_long += usize::from(long);
        Ok(!long)
    }

    fn take(&mut self, path: &[u8], _: Kind, content: &Arc<[u8]>) -> Result<()> {
        let content: &[u8] = content;
        let Some(path) = std::str::from_utf8(path).ok().and_then(TreePath::new) else {
            self.found.passed_over.unreadable += 1;
            return Ok(());
        };
        if !(self.holds)(content) {
            return Ok(());
        }
        let content = if self.keeps { content } else { &[] };
        self.total += content.len() as u64;
        if self.total > MAX_TOTAL {
            return Err(too_much(self.shown));
        }
        self.found.files.insert(path, content.into());
        Ok(())
    }
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
        let paths: Vec<&str> = found.files.keys().map(TreePath::as_str).collect();
        assert_eq!(paths, ["fs/a/deep/use.c", "include/linux/use.h"]);
        assert_eq!(found.passed_over, PassedOver::default());
        assert!(found.passed_over.finding().is_none());
    }

    /// A folder with a caller, a file that nobody wrote and a name that can't be written, as it is and
    /// as a commit.
    #[test]
    fn what_is_passed_over_is_counted() {
        let top = tempfile::tempdir().unwrap();
        let library = load(None).unwrap().library;
        let use_it = format!("{}x();", library.caller_words[0]);
        let write = |path: &str, bytes: &[u8]| {
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        write("fs/a/Kconfig", library.kconfig_word.as_bytes());
        write("fs/a/use.c", use_it.as_bytes());
        write("fs/a/back\\slash.c", use_it.as_bytes());
        let mut long = use_it.clone().into_bytes();
        long.resize(MAX_FILE as usize, b' ');
        write("fs/a/longest.c", &long);
        long.push(b' ');
        write("fs/a/long.c", &long);
        write("fs/b/long.txt", &long);
        let git = |arguments: &[&str]| {
            let mut command = std::process::Command::new("git");
            command.arg("-C").arg(top.path()).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
            assert!(command.args(arguments).status().unwrap().success());
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        git(&["-c", "commit.gpgsign=false", "commit", "-qm", "all"]);
        let words = Words::new(&library);
        let repository = Repository::open(&top.path().join(".git"), "tree", top.path()).unwrap();
        let head = repository.find("HEAD").unwrap().unwrap();
        for found in [
            folder(top.path(), &words, "tree").unwrap(),
            commit(&repository, &head.commit, &words, "tree").unwrap(),
        ] {
            let paths: Vec<&str> = found.files.keys().map(TreePath::as_str).collect();
            assert_eq!(paths, ["fs/a/longest.c", "fs/a/use.c"]);
            assert_eq!(found.files.values().map(|bytes| bytes.len()).max(), Some(16 << 20));
            assert_eq!(
                found.passed_over.finding().unwrap().message,
                "not all files were searched for callers (unreadable: 1, over 16 MiB: 1)"
            );
        }
    }
}
