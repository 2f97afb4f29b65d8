//! Releases in git repositories: a tag, branch or commit to the library's files.

use std::sync::Arc;

use super::choose::{nearest, newest, release_number, spoken};
use super::collect::{Collector, MAX_DEPTH, MAX_ENTRIES};
use crate::finding::{Error, Result};
use crate::git::{Commit, Entry, Id, Kind, Names, Repository, Shelf, Sink, short};
use crate::rules::Library;
use crate::text::TreePath;

/// A revision, resolved.
pub(super) struct Resolved {
    pub(super) commit: Commit,
    /// The tag that named it, or the highest release tag that stands on it.
    pub(super) tag: Option<String>,
}

/// Whether `revision` means the same commit for ever: a tag that is here, or a whole commit id.
pub(super) fn has_fixed(repository: &Repository, revision: &str, prefix: &str) -> bool {
    let is_tag = |name: &str| repository.has_reference(&format!("refs/tags/{name}"));
    let is_commit = || {
        let id = Id::from_str(revision).ok().filter(|_| revision.len() == 40);
        id.is_some_and(|id| repository.commit(id).is_ok())
    };
    is_tag(revision) || is_tag(&format!("{prefix}{revision}")) || is_commit()
}

/// The commit that `revision` names, or the newest release tag.
pub(super) fn resolve(
    repository: &Repository,
    revision: Option<&str>,
    library: &Library,
) -> Result<Resolved> {
    let prefix = &library.tag_prefix;
    if let Some(revision) = revision {
        return resolve_named(repository, revision, prefix);
    }
    let shown = repository.shown();
    if repository.is_empty() {
        return Err(Error::input(format!("{shown} has no commit yet")));
    }
    let Names { tags, branches } = repository.names();
    let tag = newest(tags.iter().map(String::as_str), prefix).ok_or_else(|| {
        let name = branches.first().map_or("HEAD", String::as_str);
        let deepen = repository.deepen();
        Error::input(format!("{shown} has no release tag `{prefix}N.N.N`"))
            .hint(format!("name what to take, for example `{name}`{deepen}"))
    })?;
    resolve_named(repository, &format!("refs/tags/{tag}"), prefix)
}

/// Tries `revision` as it is, with the tag prefix, and without the remote's name, which a bare
/// clone doesn't use.
fn resolve_named(repository: &Repository, revision: &str, prefix: &str) -> Result<Resolved> {
    let prefixed = format!("{prefix}{revision}");
    let spellings = [Some(revision), Some(prefixed.as_str()), revision.strip_prefix("origin/")];
    for spelling in spellings.into_iter().flatten() {
        if let Some(found) = repository.find(spelling)? {
            let tag = found.tag.or_else(|| tag_on(repository, found.commit.id, prefix));
            return Ok(Resolved { commit: found.commit, tag });
        }
    }
    Err(unknown(repository, revision, prefix))
}

/// The highest release tag that stands on `commit`.
fn tag_on(repository: &Repository, commit: Id, prefix: &str) -> Option<String> {
    let tags = repository.names().tags.into_iter().filter(|tag| {
        let is_release = tag.starts_with(prefix) && release_number(tag, prefix).is_some();
        let found = || repository.find(&format!("refs/tags/{tag}"));
        is_release && found().is_ok_and(|at| at.is_some_and(|at| at.commit.id == commit))
    });
    tags.max_by_key(|tag| release_number(tag, prefix))
}

fn unknown(repository: &Repository, revision: &str, prefix: &str) -> Error {
    let Names { tags, branches } = repository.names();
    let names = tags.iter().chain(&branches).map(String::as_str);
    if names.clone().any(|name| name == revision || name.strip_prefix(prefix) == Some(revision)) {
        return repository.missing(&format!("what `{revision}` names"));
    }
    let near = nearest(revision, names, prefix);
    let error = Error::input(format!("{} has no revision `{revision}`", repository.shown()));
    let deepen = repository.deepen();
    if tags.is_empty() && branches.is_empty() {
        return error.hint(format!("it has neither tags nor branches{deepen}"));
    }
    if near.is_empty() {
        return error.hint(match newest(tags.iter().map(String::as_str), prefix) {
            Some(tag) => format!("its newest release is `{tag}`{deepen}"),
            None => format!("none of its tags is a release{deepen}"),
        });
    }
    error.hint(format!("near it are {}{deepen}", spoken(&near)))
}

/// Reads the library of a commit: all files below its `root`.
pub(super) fn read(
    repository: &Repository,
    commit: &Commit,
    root: &str,
    shelf: &mut Shelf,
) -> Result<Collector> {
    let top = library(repository, commit, root)?;
    let mut reader = Reader { collector: collector(repository, commit, root), admitted: None };
    repository.walk_with(top, &mut reader, shelf)?;
    Ok(reader.collector)
}

fn collector(repository: &Repository, commit: &Commit, root: &str) -> Collector {
    let id = commit.id.to_string();
    Collector::new(format!("{root} of commit {} in {}", short(&id), repository.shown()))
}

/// The id of a commit's folder `root`: equal ids, equal libraries.
pub(super) fn library(repository: &Repository, commit: &Commit, root: &str) -> Result<Id> {
    let Some(Entry { path, kind, id: top }) = repository.entry_at(commit, root)? else {
        let (id, shown) = (commit.id.to_string(), repository.shown());
        return Err(Error::input(format!("commit {} in {shown} has no folder {root}", short(&id)))
            .hint("is it a repository of the library, and of a time when it had that folder?"));
    };
    match kind {
        Kind::Folder => Ok(top),
        _ => Err(collector(repository, commit, root).refuse(&path, spoken_kind(kind))),
    }
}

struct Reader {
    collector: Collector,
    /// The file that is being read.
    admitted: Option<TreePath>,
}

impl Sink for Reader {
    fn place(&self) -> &str {
        self.collector.place()
    }

    fn bounds(&self) -> (usize, usize) {
        (MAX_ENTRIES, MAX_DEPTH)
    }

    fn enters(&mut self, _: &[u8]) -> Result<bool> {
        Ok(true)
    }

    fn wants(&mut self, path: &[u8], kind: Kind, size: u64) -> Result<bool> {
        match kind {
            Kind::File => self.admitted = Some(self.collector.admit(path, size)?),
            // A target of such a length is refused unread.
            Kind::Link if size >= 4096 => self.collector.link(path, b"/")?,
            Kind::Link => {}
            _ => return Err(self.collector.refuse(path, spoken_kind(kind))),
        }
        Ok(true)
    }

    fn take(&mut self, path: &[u8], kind: Kind, content: &Arc<[u8]>) -> Result<()> {
        match (kind, self.admitted.take()) {
            (Kind::File, Some(admitted)) => self.collector.add(admitted, Arc::clone(content)),
            _ => self.collector.link(path, content),
        }
    }
}

fn spoken_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Link => "a symbolic link",
        Kind::Submodule => "a submodule",
        Kind::File => "a file where a folder belongs",
        Kind::Folder | Kind::Unknown => "an entry of unknown kind",
    }
}
