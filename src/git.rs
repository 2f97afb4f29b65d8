//! Git repositories: names to commits, commits to files, and new commits. The only module that
//! names git2.
//!
//! Objects and refs are read, nothing else: no work tree, no index, no hook. The repository is opened
//! as a bare one for that reason, which also leaves out the check of its owner: that check keeps a
//! command from running what another user's configuration says, and nothing of it is run here. Only
//! [`Repository::commit_on_new_branch`] writes, and only objects and the one new branch.

mod files;
mod history;
mod identity;
mod lineage;
mod lines;
mod loose;
mod objects;
mod parse;
mod revision;
mod shelf;
mod touched;
mod walk;
mod worktree;
mod write;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use git2::ErrorCode;

use crate::finding::{Error, Result};

pub use files::Limits;
/// Id of an object.
pub use git2::Oid as Id;
pub use identity::Identity;
pub use lineage::Lineage;
pub use lines::{Hunk, Side, changed_lines, file_id};
pub use parse::Commit;
pub use revision::{Found, Names, Reference};
pub use shelf::Shelf;
pub use touched::Written;
pub use walk::{Entry, Kind, Sink};
pub use worktree::Noticed;
pub use write::{NewCommit, differences};

/// An open repository.
pub struct Repository {
    inner: git2::Repository,
    /// Path or URL as the user gave it, for errors.
    shown: String,
    /// Folder that holds objects and refs.
    common: PathBuf,
    /// What `-C` takes, for the commands that errors suggest.
    path: PathBuf,
    /// The folders that hold objects: the repository's own and those it borrows from.
    stores: Vec<PathBuf>,
}

/// The git folder of `path`: `.git` in it, where a `.git` file points, or itself where it is bare;
/// `None` where there is none.
///
/// # Errors
/// A `.git` file can't be read, or points nowhere.
pub fn git_folder(path: &Path) -> Result<Option<PathBuf>> {
    let inner = path.join(".git");
    match fs::metadata(&inner) {
        Ok(found) if found.is_dir() => return Ok(Some(inner)),
        Ok(found) if found.is_file() => return pointed_at(&inner, path).map(Some),
        _ => {}
    }
    let bare = path.join("HEAD").is_file()
        && (path.join("objects").is_dir() || path.join("commondir").is_file());
    Ok(bare.then(|| path.to_owned()))
}

/// Follows the `.git` file of a linked work tree or a submodule.
fn pointed_at(file: &Path, folder: &Path) -> Result<PathBuf> {
    let target = read_small(file).and_then(|text| {
        Some(folder.join(text.strip_prefix("gitdir:")?.trim_matches([' ', '\t', '\r', '\n'])))
    });
    target.filter(|target| target.is_dir()).ok_or_else(|| {
        Error::input(format!("{} names no git folder", file.display()))
            .hint("`git worktree repair` in the main work tree mends a moved one")
    })
}

/// The text of one of git's own small files.
fn read_small(path: &Path) -> Option<String> {
    let mut text = String::new();
    fs::File::open(path).ok()?.take(64 << 10).read_to_string(&mut text).ok()?;
    Some(text)
}

impl Repository {
    /// Opens the repository that `path` is or holds; `None` where it is neither.
    ///
    /// # Errors
    /// As for [`git_folder`] and [`Repository::open`].
    pub fn find_in(path: &Path) -> Result<Option<Repository>> {
        let Some(folder) = git_folder(path)? else { return Ok(None) };
        Repository::open(&folder, &path.display().to_string(), path).map(Some)
    }

    /// Opens the git folder `folder`, called `shown` in errors; `path` is where the user's own git
    /// would be run.
    ///
    /// # Errors
    /// Git refuses the folder: it is damaged, another user's, or in a format that libgit2 lacks.
    pub fn open(folder: &Path, shown: &str, path: &Path) -> Result<Repository> {
        // Its own check costs more than all the rest; `Objects::read` makes one that doesn't.
        git2::opts::strict_hash_verification(false);
        let common = common_folder(folder);
        let inner = git2::Repository::open_bare(folder)
            .map_err(|error| cannot_open(&error, &common, shown, path))?;
        let stores = loose::stores(&common.join("objects"), shown)?;
        Ok(Repository { inner, shown: shown.into(), common, path: path.into(), stores })
    }

    /// Path or URL as the user gave it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// For hints: how a repository that holds only a part gets the rest; empty for a whole one.
    pub fn deepen(&self) -> String {
        let at = self.path.display();
        match (self.inner.is_shallow(), self.is_partial()) {
            (true, _) => format!(
                "; this is a shallow clone: `git -C {at} fetch --unshallow --tags` brings the rest"
            ),
            (_, true) => format!(
                "; this is a partial clone: `git -C {at} fetch --refetch --no-filter` brings the rest"
            ),
            _ => String::new(),
        }
    }

    fn is_partial(&self) -> bool {
        let Ok(mut config) = self.inner.config() else { return false };
        let Ok(config) = config.snapshot() else { return false };
        let Ok(entries) = config.entries(Some(r"remote\..*\.promisor")) else { return false };
        let mut found = false;
        // An entry that can't be read says nothing about promises.
        let _ = entries.for_each(|entry| found |= entry.value().is_ok_and(|v| v != "false"));
        found
    }

    /// An object that a name or another object names isn't there.
    pub fn missing(&self, what: &str) -> Error {
        let error = Error::input(format!("{} lacks {what}", self.shown));
        let deepen = self.deepen();
        if !deepen.is_empty() {
            return error.hint(deepen.trim_start_matches("; "));
        }
        let alternates = self.common.join("objects/info/alternates");
        error.hint(match alternates.exists() {
            true => format!("are all folders of {} in their place?", alternates.display()),
            false => self.check_command(),
        })
    }

    fn check_command(&self) -> String {
        format!("`git -C {} fsck` tells what is damaged", self.path.display())
    }

    fn unreadable(&self, what: &str, error: &git2::Error) -> Error {
        match error.code() {
            ErrorCode::NotFound => self.missing(what),
            _ => {
                Error::input(format!("{what} in {} can't be read: {}", self.shown, error.message()))
                    .hint(self.check_command())
            }
        }
    }
}

/// The first 12 digits of an id.
pub fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

/// A linked work tree shares all but its HEAD with the main one.
fn common_folder(folder: &Path) -> PathBuf {
    let shared = read_small(&folder.join("commondir"));
    shared.map_or_else(|| folder.to_owned(), |text| folder.join(text.trim_end()))
}

fn cannot_open(error: &git2::Error, common: &Path, shown: &str, path: &Path) -> Error {
    let said = error.message();
    let config = git2::Config::open(&common.join("config"));
    let format = config.as_ref().ok().and_then(|c| c.get_string("extensions.objectformat").ok());
    if format.is_some_and(|format| !format.eq_ignore_ascii_case("sha1")) {
        return Error::input(format!("{shown} has SHA-256 object ids, which can't be read")).hint(
            format!(
                "`git -C {} archive --format=tar.gz -o FILE REVISION` writes an archive that can",
                path.display()
            ),
        );
    }
    let error = Error::input(format!("the git repository {shown} can't be opened: {said}"));
    if said.contains("extension") {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        return error.hint(format!(
            "`file://{}` in place of the path has your own git copy it into the cache",
            absolute.display()
        ));
    }
    error.hint(format!("does `git -C {} log` work?", path.display()))
}
