//! What differs between two sets of files.

use std::sync::Arc;

use super::{renames, stat, text};
use crate::finding::{Error, Result};
use crate::git::{Hunk, Id, Side, changed_lines, file_id};
use crate::text::{Files, TreePath};

/// All that differs between two sets of files, by path.
#[derive(Clone, Debug)]
pub struct Change {
    pub(super) files: Vec<FileChange>,
}

/// One state of a file.
#[derive(Clone, Debug)]
pub struct Version {
    /// Its path.
    pub path: TreePath,
    /// Its content.
    pub bytes: Arc<[u8]>,
    /// The id that git gives the content.
    pub id: Id,
}

/// A file that differs.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// The path after the change, or before for a deleted file.
    pub path: TreePath,
    /// The file before; `None` for a new one.
    pub old: Option<Version>,
    /// The file after; `None` for a deleted one.
    pub new: Option<Version>,
    /// For a renamed file: how much of it stayed, in git's measure of which 60000 is all.
    pub(super) similarity: Option<u32>,
    /// What differs in it.
    pub hunks: Vec<Hunk>,
    /// Number of added lines.
    pub added: usize,
    /// Number of deleted lines.
    pub deleted: usize,
}

impl Change {
    /// Compares two sets of files. A file that went and one like it that came are a renamed one, by
    /// the measure of git.
    ///
    /// # Errors
    /// A file that differs isn't text.
    pub fn between(old: &Files, new: &Files) -> Result<Change> {
        let version = |(path, bytes): (&TreePath, &Arc<[u8]>)| {
            let id = file_id(bytes)?;
            Ok(Version { path: path.clone(), bytes: bytes.clone(), id })
        };
        let gone = old.iter().filter(|(path, _)| !new.contains_key(*path));
        let came = new.iter().filter(|(path, _)| !old.contains_key(*path));
        let gone = gone.map(version).collect::<Result<Vec<Version>>>()?;
        let came = came.map(version).collect::<Result<Vec<Version>>>()?;
        let renamed = renames::find(&gone, &came);

        let mut pairs = Vec::new();
        for (path, bytes) in old {
            if let Some(after) = new.get(path).filter(|after| *after != bytes) {
                let sides = (version((path, bytes))?, version((path, after))?);
                pairs.push((path.clone(), Some(sides.0), Some(sides.1), None));
            }
        }
        let is_renamed = |at: usize| renamed.iter().flatten().any(|found| found.source == at);
        let deleted = gone.iter().enumerate().filter(|(at, _)| !is_renamed(*at));
        pairs.extend(deleted.map(|(_, gone)| (gone.path.clone(), Some(gone.clone()), None, None)));
        for (came, found) in came.into_iter().zip(&renamed) {
            let source = found.as_ref().map(|found| gone[found.source].clone());
            let score = found.as_ref().map(|found| found.score);
            pairs.push((came.path.clone(), source, Some(came), score));
        }
        let files = pairs.into_iter().map(|(path, old, new, score)| compare(path, old, new, score));
        let mut files = files.collect::<Result<Vec<FileChange>>>()?;
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Change { files })
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The files that differ, by path.
    pub fn files(&self) -> &[FileChange] {
        &self.files
    }

    /// Numbers of files that differ, of added and of deleted lines.
    pub fn totals(&self) -> (usize, usize, usize) {
        let sum = |count: fn(&FileChange) -> usize| self.files.iter().map(count).sum();
        (self.files.len(), sum(|file| file.added), sum(|file| file.deleted))
    }

    /// The table of changed files that stands above a patch, with the list of new, deleted and
    /// renamed ones.
    pub fn stat(&self) -> String {
        stat::table(self)
    }

    /// The changes as `git diff` writes them.
    pub fn text(&self) -> Vec<u8> {
        text::render(self)
    }

    /// Whether a line ends in a carriage return, which `git am` drops unless told `--keep-cr`.
    pub fn has_carriage_returns(&self) -> bool {
        let versions = self.files.iter().flat_map(|file| [&file.old, &file.new]);
        versions.flatten().any(|version| version.bytes.windows(2).any(|pair| pair == b"\r\n"))
    }
}

impl FileChange {
    /// For a renamed file, the path before it and how alike both are in percent.
    pub fn renamed_from(&self) -> Option<(&TreePath, u32)> {
        let old = self.old.as_ref()?;
        Some((&old.path, self.similarity? * 100 / renames::ALL))
    }

    /// For each hunk the nearest line above it that starts something, such as a function: what its
    /// head repeats.
    pub fn within(&self) -> Vec<Vec<u8>> {
        text::within(self)
    }
}

fn compare(
    path: TreePath,
    old: Option<Version>,
    new: Option<Version>,
    similarity: Option<u32>,
) -> Result<FileChange> {
    for version in [&old, &new].into_iter().flatten() {
        if memchr::memchr(0, &version.bytes).is_some() {
            return Err(Error::input(format!(
                "`{}` holds a NUL byte, which no patch in mail format can carry",
                version.path
            ))
            .hint("is it a text file?"));
        }
    }
    let bytes = |version: &Option<Version>| version.as_ref().map(|v| v.bytes.clone());
    let (before, after) = (bytes(&old).unwrap_or_default(), bytes(&new).unwrap_or_default());
    let hunks = if before == after { Vec::new() } else { changed_lines(&before, &after)? };
    let sides = || hunks.iter().flat_map(|hunk| &hunk.sides);
    let added = sides().filter(|side| **side == Side::New).count();
    let deleted = sides().filter(|side| **side == Side::Old).count();
    Ok(FileChange { path, old, new, similarity, hunks, added, deleted })
}
