//! Releases in the making: the files of a work tree as they are.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::{Opener, Origin, Release, Request, folder};
use crate::finding::{Error, Result};
use crate::git::{Repository, git_folder};
use crate::rules::Library;
use crate::upstream::release::Silent;

/// How far above the current folder a checkout is looked for.
const MAX_UP: usize = 64;

/// Whether `path` is or holds a git repository.
///
/// # Errors
/// It names a git folder that isn't there.
pub fn is_repository(path: &Path) -> Result<bool> {
    git_folder(path).map(|folder| folder.is_some())
}

/// The checkout of the library that `here` lies in: the nearest folder upwards that holds the marker, or
/// a work tree that has lost it, as a path relative to `here`.
pub fn checkout(here: &Path, library: &Library) -> Option<PathBuf> {
    let is_it = |folder: &Path| {
        folder.join(&library.marker).is_file() || tracks(folder, Path::new(&library.marker))
    };
    let folders = here.ancestors().take(MAX_UP);
    let steps = folders.enumerate().find(|(_, folder)| is_it(folder))?.0;
    Some(match steps {
        0 => PathBuf::from("."),
        steps => [".."; MAX_UP][..steps].iter().collect(),
    })
}

/// Why the repository that `here` lies in shows no work tree of the library: it is bare, has no commit
/// yet or, where its marker is asked for, is another one. What somebody who stands in it wants isn't the
/// newest release of the default sources.
///
/// # Errors
/// Git refuses the repository.
pub fn unusable(here: &Path, marker: Option<&str>) -> Result<Option<Error>> {
    for folder in here.ancestors().take(MAX_UP) {
        let Some(git) = git_folder(folder)? else { continue };
        let shown = folder.display().to_string();
        let why = match (Repository::open(&git, &shown, folder)?, marker) {
            _ if git == folder => "is a bare git repository, without a work tree".to_owned(),
            (repository, _) if repository.is_empty() => {
                "is a git repository without a commit".to_owned()
            }
            (_, Some(marker)) => format!("is a git repository that holds no {marker}"),
            (_, None) => return Ok(None),
        };
        let error = Error::usage(format!("{shown} {why}"));
        return Ok(Some(error.hint(
            "say where to read the library from: `--upstream .` for the repository that you stand in, \
             `--upstream` with another one, or `--upstream packages`",
        )));
    }
    Ok(None)
}

/// Whether a folder is a work tree with that file, even if it was deleted there.
fn tracks(folder: &Path, file: &Path) -> bool {
    let Ok(Some(git)) = git_folder(folder) else { return false };
    let repository = Repository::open(&git, &folder.display().to_string(), folder);
    let noticed = repository.and_then(|repository| repository.noticed(folder));
    git != folder && noticed.is_ok_and(|noticed| noticed.tracks(file))
}

/// Reads the library of the work tree in `path`: what git tracks and what is new, as it is on disk;
/// what git ignores is left out.
///
/// # Errors
/// `path` is no work tree, or a file can't be read or taken in.
pub fn worktree(request: &Request<'_>, path: &Path) -> Result<Release> {
    let shown = path.display().to_string();
    let repository = match git_folder(path)?.filter(|folder| folder.as_path() != path) {
        Some(git) => Repository::open(&git, &shown, path)?,
        None => {
            return Err(Error::usage(format!("{shown} is no work tree of a git repository"))
                .hint("without --worktree a plain folder is read as it is"));
        }
    };
    let library = request.library;
    let noticed = repository.noticed(path)?;
    let failed = RefCell::new(None);
    let skips = |below: &Path, is_folder: bool| match noticed.notices(below, is_folder) {
        // The way to the library's folder is gone in any case.
        Ok(notices) => {
            !notices && below.starts_with(&library.root) && below != Path::new(&library.root)
        }
        Err(error) => {
            failed.borrow_mut().get_or_insert(error);
            true
        }
    };
    let collector = folder::read(path, &library.root, &shown, &skips)?;
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    let opener = Opener { request, library, progress: &Silent };
    let mut release = opener.finish(collector, Origin::Folder { path: shown })?;
    release.name.push_str("-worktree");
    Ok(release)
}
