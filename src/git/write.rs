//! A commit on a new branch: the only thing that is written to a repository.

use std::collections::BTreeMap;

use git2::{ErrorCode, ObjectType, Odb, Oid, Reference};

use super::objects::Objects;
use super::parse::Commit;
use super::{Identity, Repository};
use crate::finding::{Error, Result};
use crate::text::{Files, TreePath};

/// A commit to make.
#[derive(Clone, Debug)]
pub struct NewCommit<'c> {
    /// The commit it stands on.
    pub base: &'c Commit,
    /// New content by path; `None` deletes the file.
    pub changes: &'c BTreeMap<TreePath, Option<std::sync::Arc<[u8]>>>,
    /// What it says.
    pub message: &'c str,
    /// Who makes it, as author and as committer.
    pub author: &'c Identity,
    /// When, in seconds since 1970 UTC.
    pub date: i64,
}

/// What differs between two sets of files, as [`NewCommit::changes`] has it.
pub fn differences(old: &Files, new: &Files) -> BTreeMap<TreePath, Option<std::sync::Arc<[u8]>>> {
    let gone = old.keys().filter(|path| !new.contains_key(*path));
    let mut found: BTreeMap<_, _> = gone.map(|path| (path.clone(), None)).collect();
    let changed = new.iter().filter(|(path, bytes)| old.get(*path) != Some(*bytes));
    found.extend(changed.map(|(path, bytes)| (path.clone(), Some(bytes.clone()))));
    found
}

/// What becomes of the entries of a folder.
#[derive(Default)]
struct Folder<'c> {
    files: BTreeMap<&'c str, Option<&'c [u8]>>,
    folders: BTreeMap<&'c str, Folder<'c>>,
}

/// An entry of a tree that is written.
struct NewEntry {
    mode: u32,
    id: Oid,
}

/// Deepest nesting of a file that is written.
const MAX_DEPTH: usize = 64;

const FILE: u32 = 0o100_644;
const FOLDER: u32 = 0o040_000;
/// What of a mode says the kind.
const KIND: u32 = 0o170_000;

impl Repository {
    /// Makes a commit and the branch `branch` on it. Only objects and that ref are added (with its
    /// reflog, where the repository keeps them): HEAD, index and work tree stay. The same commit
    /// gives the same id.
    ///
    /// # Errors
    /// There is such a branch, its name is none, or an object can't be written.
    pub fn commit_on_new_branch(&self, branch: &str, commit: &NewCommit<'_>) -> Result<Oid> {
        let name = format!("refs/heads/{branch}");
        self.check_new_branch(&name, branch)?;
        let id = self.commit_alone(commit)?;
        let made = self.inner.reference(&name, id, false, "branch: made by kernelize");
        made.map_err(|error| match error.code() {
            ErrorCode::Exists => self.branch_exists(branch),
            _ => self.unwritable(&format!("the branch `{branch}`"), &error),
        })?;
        Ok(id)
    }

    /// Makes a commit that no ref leads to, for another one to stand on.
    ///
    /// # Errors
    /// An object can't be written.
    pub fn commit_alone(&self, commit: &NewCommit<'_>) -> Result<Oid> {
        let objects = Objects::new(self)?;
        let odb = self.inner.odb().map_err(|error| self.unwritable("an object", &error))?;
        let mut top = Folder::default();
        for (path, content) in commit.changes {
            if path.as_str().split('/').count() > MAX_DEPTH {
                return Err(Error::input(format!("`{path}` lies over {MAX_DEPTH} folders deep")));
            }
            top.add(path, content.as_deref());
        }
        let writer = Writer { repository: self, objects, odb };
        let tree = writer.folder(Some(commit.base.tree), &top, "")?;
        let tree = tree.map_or_else(|| writer.write(ObjectType::Tree, b""), Ok)?;
        let text = text_of(commit, tree)?;
        writer.write(ObjectType::Commit, text.as_bytes())
    }

    /// Whether [`Repository::commit_on_new_branch`] could make that branch, so that a long run can
    /// fail at its start.
    ///
    /// # Errors
    /// There is such a branch, or its name is none.
    pub fn check_branch(&self, branch: &str) -> Result<()> {
        self.check_new_branch(&format!("refs/heads/{branch}"), branch)
    }

    fn check_new_branch(&self, name: &str, branch: &str) -> Result<()> {
        if branch.starts_with('-')
            || matches!(branch, "HEAD" | "@")
            || !Reference::is_valid_name(name)
        {
            return Err(Error::usage(format!(
                "`{}` can't be the name of a branch",
                branch.escape_debug()
            ))
            .hint("`git check-ref-format --branch NAME` knows which can"));
        }
        match self.has_reference(name) {
            true => Err(self.branch_exists(branch)),
            false => Ok(()),
        }
    }

    fn branch_exists(&self, branch: &str) -> Error {
        Error::usage(format!("{} has a branch `{branch}` already", self.shown))
            .hint("name a new one: no branch is moved")
    }

    fn unwritable(&self, what: &str, error: &git2::Error) -> Error {
        Error::usage(format!("{what} can't be written to {}: {}", self.shown, error.message()))
    }
}

impl<'c> Folder<'c> {
    fn add(&mut self, path: &'c TreePath, content: Option<&'c [u8]>) {
        let mut at = self;
        for part in path.folder().split('/').filter(|part| !part.is_empty()) {
            at = at.folders.entry(part).or_default();
        }
        at.files.insert(path.file_name(), content);
    }
}

struct Writer<'r> {
    repository: &'r Repository,
    objects: Objects<'r>,
    odb: Odb<'r>,
}

impl Writer<'_> {
    /// Writes a folder with its changes; `None` where nothing is left in it. Recurses as deep as the
    /// paths of the changes go.
    fn folder(&self, old: Option<Oid>, folder: &Folder<'_>, path: &str) -> Result<Option<Oid>> {
        let mut entries = BTreeMap::new();
        if let Some(old) = old {
            for entry in self.objects.tree(old, path)? {
                entries.insert(entry.name, NewEntry { mode: entry.mode, id: entry.id });
            }
        }
        for (name, below) in &folder.folders {
            let path = join(path, name);
            let here = entries.remove(name.as_bytes());
            let is_deleted = folder.files.get(name).is_some_and(Option::is_none);
            let here = match here {
                Some(entry) if entry.mode & KIND == FOLDER => Some(entry.id),
                Some(_) if !is_deleted => return Err(self.in_the_way(&path)),
                _ => None,
            };
            if let Some(id) = self.folder(here, below, &path)? {
                entries.insert((*name).into(), NewEntry { mode: FOLDER, id });
            }
        }
        for (name, content) in &folder.files {
            let is_file = |entry: &NewEntry| entry.mode & KIND == FILE & KIND;
            let old = entries.get(name.as_bytes());
            match (content, old) {
                // A folder of that name was made above.
                (None, _) if folder.folders.contains_key(name) => {}
                (_, Some(old)) if !is_file(old) => return Err(self.in_the_way(&join(path, name))),
                (None, _) => drop(entries.remove(name.as_bytes())),
                (Some(content), old) => {
                    let mode = old.map_or(FILE, |entry| entry.mode);
                    let id = self.write(ObjectType::Blob, content)?;
                    entries.insert((*name).into(), NewEntry { mode, id });
                }
            }
        }
        if entries.is_empty() {
            return Ok(None);
        }
        self.write(ObjectType::Tree, &tree_of(entries)).map(Some)
    }

    fn in_the_way(&self, path: &str) -> Error {
        let shown = &self.repository.shown;
        Error::input(format!("what `{path}` is in {shown} stands in the way of the new files"))
            .hint("move it away in a commit, and name that as the base")
    }

    /// Writes an object, and reads it back: one that is there already, damaged, isn't replaced.
    fn write(&self, kind: ObjectType, content: &[u8]) -> Result<Oid> {
        let unwritable = |error| self.repository.unwritable("an object", &error);
        let id = self.odb.write(kind, content).map_err(unwritable)?;
        self.objects.read(id, content.len() as u64, &|| format!("the new {kind}"))?;
        Ok(id)
    }
}

fn join(folder: &str, name: &str) -> String {
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}{name}")
}

/// The bytes of a tree. Folders are sorted as if their names ended in a slash.
fn tree_of(entries: BTreeMap<Vec<u8>, NewEntry>) -> Vec<u8> {
    let mut sorted: Vec<(Vec<u8>, NewEntry)> = entries.into_iter().collect();
    sorted.sort_by_cached_key(|(name, entry)| {
        let end: &[u8] = if entry.mode & KIND == FOLDER { b"/" } else { b"" };
        [name, end].concat()
    });
    let mut out = Vec::new();
    for (name, NewEntry { mode, id }) in sorted {
        out.extend_from_slice(format!("{mode:o} ").as_bytes());
        out.extend_from_slice(&name);
        out.push(0);
        out.extend_from_slice(id.as_bytes());
    }
    out
}

fn text_of(commit: &NewCommit<'_>, tree: Oid) -> Result<String> {
    let NewCommit { base, message, author, date, .. } = commit;
    if *date < 0 || message.contains('\0') {
        return Err(Error::input(format!("a commit can't have the date {date} or a NUL in it")));
    }
    // The author is checked where it is made, but its fields are open.
    let author = Identity::new(&author.name, &author.mail)?;
    let line = format!("{author} {date} +0000");
    let message = message.trim_end_matches('\n');
    Ok(format!("tree {tree}\nparent {}\nauthor {line}\ncommitter {line}\n\n{message}\n", base.id))
}
