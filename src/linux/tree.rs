//! The library's files in a Linux tree, and single files of it on demand.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder;
use super::search::{self, Found, Words};
use crate::finding::{Error, Result};
use crate::git::{Commit, Limits, Repository};
use crate::kernel::target::Target;
use crate::rules::{Library, glob_matches};
use crate::text::{Files, TreePath};

/// The files by which a kernel tree is known.
const MARKERS: [&str; 3] = ["Makefile", "Kconfig", "MAINTAINERS"];

/// What an import leaves of itself in its folder.
const RECORD: &str = ".kernelize/import.json";

/// Most lines of one file. The largest of any release has under ten thousand; comparing takes time by
/// the square of what differs.
const MAX_LINES: usize = 50_000;

/// The kernel's own version, as its top Makefile states it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Kernel {
    /// `VERSION`.
    pub version: u32,
    /// `PATCHLEVEL`.
    pub patchlevel: u32,
    /// `SUBLEVEL`.
    pub sublevel: u32,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.version, self.patchlevel)?;
        if self.sublevel > 0 { write!(f, ".{}", self.sublevel) } else { Ok(()) }
    }
}

/// A Linux tree with the library's files in memory.
pub struct Tree {
    /// How the user named it.
    pub shown: String,
    /// The kernel's version.
    pub kernel: Kernel,
    /// The commit that was read, in hex; none for a plain folder.
    pub commit: Option<String>,
    /// The library's files by their path in the tree.
    pub files: Files,
    source: Source,
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tree { shown, kernel, commit, files, .. } = self;
        write!(f, "Tree({shown}, {kernel}, {commit:?}, {} files)", files.len())
    }
}

enum Source {
    Folder(PathBuf),
    Git(Box<Repository>, Commit),
}

impl Tree {
    /// Opens the tree at `path`: a git repository is read at `revision`, default `HEAD`, a plain
    /// folder as it is.
    ///
    /// # Errors
    /// It can't be read, is no kernel tree, or holds what no kernel tree holds.
    pub fn open(path: &Path, revision: Option<&str>, library: &Library) -> Result<Tree> {
        let shown = path.display().to_string();
        let found = std::fs::metadata(path)
            .map_err(|error| Error::input(format!("{shown} can't be read: {error}")))?;
        if !found.is_dir() {
            return Err(Error::input(format!("{shown} is no folder"))
                .hint("name the top folder of a kernel tree, or a git repository of one"));
        }
        let source = match Repository::find_in(path)? {
            Some(repository) => Source::at(repository, revision.unwrap_or("HEAD"))?,
            None if revision.is_some() => {
                let message = format!("{shown} is no git repository, so it has no revisions");
                return Err(Error::usage(message)
                    .hint("leave the revision out: a plain folder is read as it is"));
            }
            None => Source::Folder(path.to_owned()),
        };
        let kernel = kernel(&source, &shown)?;
        let files = source.files(&library.paths, &shown)?;
        for (path, bytes) in &files {
            sound(path, bytes, &shown)?;
        }
        let commit = match &source {
            Source::Git(_, commit) => Some(commit.id.to_string()),
            Source::Folder(_) => None,
        };
        Ok(Tree { shown, kernel, commit, files, source })
    }

    /// What templates and wrapper have to know of this kernel. A file that can't be read counts as none.
    pub fn target(&self, library: &Library) -> Target {
        Target::of_tree(library, &|path| {
            let path = TreePath::new(path)?;
            self.file(&path).ok().flatten()
        })
    }

    /// One file of the tree, wherever it lies; `None` if there is none.
    ///
    /// # Errors
    /// It can't be read.
    pub fn file(&self, path: &TreePath) -> Result<Option<Arc<[u8]>>> {
        self.source.file(path, &self.shown)
    }
}

/// The library's files in a folder that an import was written to, or in a kernel tree, read as
/// [`Tree::open`] does.
///
/// # Errors
/// It can't be read, or is neither.
pub fn import_or_tree(path: &Path, library: &Library) -> Result<Files> {
    let source = Source::Folder(path.to_owned());
    let shown = path.display().to_string();
    let record = TreePath::new(RECORD);
    let record = record.map(|record| source.file(&record, &shown)).transpose()?;
    if record.flatten().is_none() {
        return Ok(Tree::open(path, None, library)?.files);
    }
    let files = source.files(&library.paths, &shown)?;
    for (path, bytes) in &files {
        sound(path, bytes, &shown)?;
    }
    Ok(files)
}

impl Tree {
    /// The files outside the library that may use it.
    ///
    /// # Errors
    /// The tree can't be read.
    pub fn callers(&self, library: &Library) -> Result<Found> {
        let words = Words::new(library);
        match &self.source {
            Source::Folder(folder) => search::folder(folder, &words, &self.shown),
            Source::Git(repository, commit) => {
                search::commit(repository, commit, &words, &self.shown)
            }
        }
    }
}

impl Source {
    fn at(repository: Repository, revision: &str) -> Result<Source> {
        let found = repository.find(revision)?.ok_or_else(|| {
            let shown = repository.shown();
            Error::input(format!("{shown} has no revision `{revision}`{}", repository.deepen()))
                .hint("name a branch, tag or commit of the kernel tree")
        })?;
        Ok(Source::Git(Box::new(repository), found.commit))
    }

    fn file(&self, path: &TreePath, shown: &str) -> Result<Option<Arc<[u8]>>> {
        match self {
            Source::Folder(folder) => folder::file(folder, path, shown),
            Source::Git(repository, commit) => {
                Ok(repository.file(commit, path)?.map(|bytes| bytes.into()))
            }
        }
    }

    fn files(&self, globs: &[String], shown: &str) -> Result<Files> {
        match self {
            Source::Folder(folder) => folder::files(folder, globs, shown),
            Source::Git(repository, commit) => {
                let wanted = |path: &str| globs.iter().any(|glob| glob_matches(glob, path));
                let enters = |path: &str| globs.iter().any(|glob| leads_to(path, glob));
                repository.files(commit, Limits::default(), &enters, &wanted)
            }
        }
    }
}

/// Refuses what is no source, or larger than any.
fn sound(path: &TreePath, bytes: &[u8], shown: &str) -> Result<()> {
    let refused = |what: String| {
        Err(Error::input(format!("{path} of {shown} {what}"))
            .hint("the library's files in a kernel tree are sources: move it elsewhere"))
    };
    if memchr::memchr(0, bytes).is_some() {
        return refused("is no text: it holds a NUL byte".into());
    }
    if memchr::memchr_iter(b'\n', bytes).nth(MAX_LINES).is_some() {
        return refused(format!("has over {MAX_LINES} lines"));
    }
    Ok(())
}

/// Whether something below `folder` can match `glob`.
fn leads_to(folder: &str, glob: &str) -> bool {
    let start = folder::start(glob).0;
    let below = |longer: &str, shorter: &str| {
        longer.strip_prefix(shorter).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(start, folder) || below(folder, start) && folder::start(glob).1 > 1 || start.is_empty()
}

/// The kernel's version; an error that says why where it is no kernel tree.
fn kernel(source: &Source, shown: &str) -> Result<Kernel> {
    let no_tree = |why: String| {
        Error::input(format!("{shown} is no kernel tree: {why}"))
            .hint("name the top folder of a kernel tree, the one with MAINTAINERS")
    };
    let mut top = None;
    for name in MARKERS {
        let path = TreePath::new(name);
        let found = path.map(|path| source.file(&path, shown)).transpose()?.flatten();
        let found = found.ok_or_else(|| no_tree(format!("it has no file {name}")))?;
        top.get_or_insert(found);
    }
    let makefile = top.unwrap_or_default();
    let text = String::from_utf8_lossy(&makefile);
    let number = |name: &str| {
        let value = text.lines().find_map(|line| {
            let rest = line.strip_prefix(name)?.trim_start().strip_prefix('=')?;
            rest.trim().parse().ok()
        });
        value.ok_or_else(|| no_tree(format!("its Makefile states no {name}")))
    };
    Ok(Kernel {
        version: number("VERSION")?,
        patchlevel: number("PATCHLEVEL")?,
        sublevel: number("SUBLEVEL")?,
    })
}
