//! Git repositories: a revision to a commit, a commit to its files. The only file that names git2.
//!
//! Objects and refs are read, nothing else: no work tree, no index, no hook, nothing is written. The
//! repository is opened as a bare one for that reason, which also leaves out the check of its owner:
//! that check keeps a command from running what another user's configuration says, and nothing of it
//! is run here.

use std::fs;
use std::path::{Path, PathBuf};

use git2::{Commit, ErrorCode, ObjectType, Odb, OdbObject, Oid, Repository, Tree, TreeEntry};
use sha1::{Digest, Sha1};

use super::choose::{nearest, newest, release_number, spoken};
use super::collect::{Collector, MAX_DEPTH, MAX_ENTRIES, MAX_FILE};
use crate::finding::{Error, Result};
use crate::rules::Library;

/// A commit id must be given by so many digits at least.
const FEWEST_DIGITS: usize = 4;

/// An open repository.
pub(super) struct GitRepository {
    inner: Repository,
    /// Path or URL as the user gave it, for errors.
    shown: String,
    /// Folder that holds objects and refs.
    common: PathBuf,
    /// What `-C` takes, for the commands that errors suggest.
    path: PathBuf,
}

/// A revision, resolved.
pub(super) struct Resolved {
    commit: Oid,
    /// Commit id in hex.
    pub(super) id: String,
    /// The tag that named it, or the highest release tag that stands on it.
    pub(super) tag: Option<String>,
}

/// What a commit says of itself.
pub(super) struct Facts {
    /// Id of its top tree in hex.
    pub(super) tree: String,
    /// Seconds since 1970 UTC.
    pub(super) date: i64,
}

/// The git folder of `path`: `.git` in it, where a `.git` file points, or itself where it is bare.
pub(super) fn git_folder(path: &Path) -> Result<Option<PathBuf>> {
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
    let text = fs::File::open(file).and_then(|opened| {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut std::io::Read::take(opened, 16 << 10), &mut text)?;
        Ok(text)
    });
    let target = text.ok().and_then(|text| {
        Some(folder.join(text.strip_prefix("gitdir:")?.trim_matches([' ', '\t', '\r', '\n'])))
    });
    target.filter(|target| target.is_dir()).ok_or_else(|| {
        Error::input(format!("{} names no git folder", file.display()))
            .hint("`git worktree repair` in the main work tree mends a moved one")
    })
}

impl GitRepository {
    /// Opens the git folder `folder`, called `shown` in errors; `path` is where the user's own git
    /// would be run.
    pub(super) fn open(folder: &Path, shown: &str, path: &Path) -> Result<GitRepository> {
        // Its own check costs more than all the rest; `Objects::object` makes one that doesn't.
        git2::opts::strict_hash_verification(false);
        let common = common_folder(folder);
        match Repository::open_bare(folder) {
            Ok(inner) => {
                Ok(GitRepository { inner, shown: shown.into(), common, path: path.into() })
            }
            Err(error) => Err(cannot_open(&error, &common, shown, path)),
        }
    }

    /// The tags and branches, as one would type them, tags first.
    fn names(&self) -> (Vec<String>, Vec<String>) {
        let (mut tags, mut branches) = (Vec::new(), Vec::new());
        let Ok(references) = self.inner.references() else { return (tags, branches) };
        for reference in references.flatten() {
            let Ok(name) = reference.name() else { continue };
            if let Some(tag) = name.strip_prefix("refs/tags/") {
                tags.push(tag.to_owned());
            } else if let Some(branch) =
                name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/remotes/"))
            {
                branches.push(branch.to_owned());
            }
        }
        (tags, branches)
    }

    /// Whether `revision` means the same commit for ever: a tag that is here, or a whole commit id.
    pub(super) fn has_fixed(&self, revision: &str, prefix: &str) -> bool {
        let is_tag = |name: &str| self.inner.find_reference(&format!("refs/tags/{name}")).is_ok();
        let is_commit = || {
            let id = Oid::from_str(revision).ok().filter(|_| revision.len() == 40);
            id.is_some_and(|id| self.inner.find_commit(id).is_ok())
        };
        is_tag(revision) || is_tag(&format!("{prefix}{revision}")) || is_commit()
    }

    /// The commit that `revision` names, or the newest release tag.
    pub(super) fn resolve(&self, revision: Option<&str>, library: &Library) -> Result<Resolved> {
        let prefix = &library.tag_prefix;
        if let Some(revision) = revision {
            return self.resolve_named(revision, prefix);
        }
        let (tags, branches) = self.names();
        if tags.is_empty() && branches.is_empty() && self.inner.head().is_err() {
            return Err(Error::input(format!("{} has no commit yet", self.shown)));
        }
        let tag = newest(tags.iter().map(String::as_str), prefix).ok_or_else(|| {
            let error = Error::input(format!("{} has no release tag `{prefix}N.N.N`", self.shown));
            error.hint(match branches.first() {
                Some(branch) => {
                    format!("name what to take, for example `{branch}`{}", self.deepen())
                }
                None => format!("name what to take, for example `HEAD`{}", self.deepen()),
            })
        })?;
        self.resolve_named(&format!("refs/tags/{tag}"), prefix)
    }

    /// Tries `revision` as it is, with the tag prefix, and without the remote's name, which a bare
    /// clone doesn't use.
    fn resolve_named(&self, revision: &str, prefix: &str) -> Result<Resolved> {
        let prefixed = format!("{prefix}{revision}");
        let spellings = [Some(revision), Some(prefixed.as_str()), revision.strip_prefix("origin/")];
        for spelling in spellings.into_iter().flatten() {
            match self.inner.revparse_ext(spelling) {
                Ok((object, reference)) => {
                    let named = reference.as_ref().and_then(|found| found.name().ok());
                    let tag = named.and_then(|name| name.strip_prefix("refs/tags/"));
                    let commit = object.peel_to_commit().map_err(|error| {
                        let kind = object.kind().map_or("object", |kind| kind.str());
                        match error.code() {
                            ErrorCode::NotFound => {
                                self.missing(&format!("the commit of `{revision}`"))
                            }
                            _ => Error::input(format!(
                                "`{revision}` in {} names a {kind}, not a commit",
                                self.shown
                            )),
                        }
                    })?;
                    let tag = tag.map(str::to_owned).or_else(|| self.tag_on(commit.id(), prefix));
                    return Ok(Resolved { commit: commit.id(), id: commit.id().to_string(), tag });
                }
                Err(error)
                    if error.code() == ErrorCode::Ambiguous && spelling.len() >= FEWEST_DIGITS =>
                {
                    return Err(Error::input(format!(
                        "`{revision}` fits several objects in {}",
                        self.shown
                    ))
                    .hint("give more digits of the commit id"));
                }
                Err(_) => {}
            }
        }
        Err(self.unknown(revision, prefix))
    }

    /// The highest release tag that stands on `commit`.
    fn tag_on(&self, commit: Oid, prefix: &str) -> Option<String> {
        let (tags, _) = self.names();
        let here = tags.into_iter().filter(|tag| {
            tag.starts_with(prefix) && release_number(tag, prefix).is_some() && {
                let found = self.inner.find_reference(&format!("refs/tags/{tag}"));
                found.and_then(|tag| tag.peel_to_commit()).is_ok_and(|at| at.id() == commit)
            }
        });
        here.max_by_key(|tag| release_number(tag, prefix))
    }

    fn unknown(&self, revision: &str, prefix: &str) -> Error {
        let (tags, branches) = self.names();
        let names = tags.iter().chain(&branches).map(String::as_str);
        if names.clone().any(|name| name == revision || name.strip_prefix(prefix) == Some(revision))
        {
            return self.missing(&format!("what `{revision}` names"));
        }
        let near = nearest(revision, names, prefix);
        let error = Error::input(format!("{} has no revision `{revision}`", self.shown));
        if tags.is_empty() && branches.is_empty() {
            return error.hint(format!("it has neither tags nor branches{}", self.deepen()));
        }
        if near.is_empty() {
            let newest = newest(tags.iter().map(String::as_str), prefix);
            let newest = newest.map_or("a branch or commit".into(), |tag| format!("`{tag}`"));
            return error.hint(format!("its newest release is {newest}{}", self.deepen()));
        }
        error.hint(format!("near it are {}{}", spoken(&near), self.deepen()))
    }

    /// For hints: how a repository that holds only a part gets the rest.
    fn deepen(&self) -> String {
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

    /// An object that other objects name isn't there.
    fn missing(&self, what: &str) -> Error {
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
                    .hint(format!("`git -C {} fsck` tells what is damaged", self.path.display()))
            }
        }
    }

    /// Reads the library of a commit: all files below its `root`.
    pub(super) fn read(&self, at: &Resolved, root: &str) -> Result<(Facts, Collector)> {
        let what = format!("commit {}", at.id);
        let commit = self.inner.find_commit(at.commit).map_err(|e| self.unreadable(&what, &e))?;
        let place = format!("{root} of commit {} in {}", short(&at.id), self.shown);
        let odb = self.inner.odb().map_err(|e| self.unreadable(&what, &e))?;
        let objects = Objects { repository: self, odb };
        let mut reader = Reader { objects, collector: Collector::new(place), seen: 0 };
        reader.objects.object(at.commit, ObjectType::Commit, &|| what.clone())?;
        let top = self.root_tree(&commit, root, &reader)?;
        reader.walk(top)?;
        let facts = Facts { tree: commit.tree_id().to_string(), date: commit.time().seconds() };
        Ok((facts, reader.collector))
    }

    /// Id of the tree of the folder `root`.
    fn root_tree(&self, commit: &Commit<'_>, root: &str, reader: &Reader<'_>) -> Result<Oid> {
        let mut id = commit.tree_id();
        for part in root.split('/') {
            let tree = reader.objects.tree(id, part)?;
            let entry = tree.get_name(part).ok_or_else(|| {
                let id = commit.id().to_string();
                Error::input(format!(
                    "commit {} in {} has no folder {root}",
                    short(&id),
                    self.shown
                ))
                .hint("is it a repository of the library, and of a time when it had that folder?")
            })?;
            if entry.kind() != Some(ObjectType::Tree) {
                return Err(reader.collector.refuse(part.as_bytes(), kind_of(&entry)));
            }
            id = entry.id();
        }
        Ok(id)
    }
}

/// Objects of a repository, measured before and checked after they are read.
struct Objects<'r> {
    repository: &'r GitRepository,
    odb: Odb<'r>,
}

impl<'r> Objects<'r> {
    fn tree(&self, id: Oid, path: &str) -> Result<Tree<'r>> {
        let what = || format!("the folder `{path}`");
        let size = self.size(id, &what)?;
        if size > MAX_FILE {
            let (what, shown) = (what(), &self.repository.shown);
            return Err(Error::input(format!("{what} in {shown} has a list of {size} bytes")));
        }
        self.object(id, ObjectType::Tree, &what)?;
        self.repository.inner.find_tree(id).map_err(|e| self.repository.unreadable(&what(), &e))
    }

    fn size(&self, id: Oid, what: &dyn Fn() -> String) -> Result<u64> {
        let header = self.odb.read_header(id);
        let (size, _) = header.map_err(|e| self.repository.unreadable(&what(), &e))?;
        Ok(size as u64)
    }

    /// Reads an object and holds it against its id.
    fn object(
        &self,
        id: Oid,
        kind: ObjectType,
        what: &dyn Fn() -> String,
    ) -> Result<OdbObject<'_>> {
        let shown = &self.repository.shown;
        let object = self.odb.read(id).map_err(|e| self.repository.unreadable(&what(), &e))?;
        let damaged = |how: &str| {
            let what = what();
            Error::input(format!("{what} in {shown} is damaged: object {id} {how}"))
                .hint(self.repository.check_command())
        };
        if object.kind() != kind {
            return Err(damaged(&format!("is a {}", object.kind())));
        }
        let header = format!("{kind} {}\0", object.len());
        let digest = Sha1::new().chain_update(header).chain_update(object.data()).finalize();
        match digest[..] == *id.as_bytes() {
            true => Ok(object),
            false => Err(damaged("doesn't have that digest")),
        }
    }
}

/// Walks the trees of one commit.
struct Reader<'r> {
    objects: Objects<'r>,
    collector: Collector,
    seen: usize,
}

impl Reader<'_> {
    /// Depth first with a list of its own: trees can be nested without end.
    fn walk(&mut self, root: Oid) -> Result<()> {
        let mut pending = vec![(Vec::new(), root, 0)];
        while let Some((folder, id, depth)) = pending.pop() {
            let shown = String::from_utf8_lossy(&folder).into_owned();
            for entry in self.objects.tree(id, &shown)?.iter() {
                let path = self.enter(&folder, &entry)?;
                if entry.kind() != Some(ObjectType::Tree) {
                    self.take(&path, &entry)?;
                } else if depth == MAX_DEPTH {
                    return Err(self.collector.refuse(&path, "nested too deep"));
                } else {
                    pending.push(([path, b"/".to_vec()].concat(), entry.id(), depth + 1));
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, folder: &[u8], entry: &TreeEntry<'_>) -> Result<Vec<u8>> {
        let name = entry.name_bytes();
        let path = [folder, name].concat();
        self.seen += 1;
        if self.seen > MAX_ENTRIES {
            let place = self.collector.place();
            return Err(Error::input(format!("{place} holds over {MAX_ENTRIES} entries")));
        }
        if name.contains(&b'/') || name == b".." || name == b"." || name.is_empty() {
            return Err(self.collector.refuse(&path, "a name that leads out of its folder"));
        }
        Ok(path)
    }

    fn take(&mut self, path: &[u8], entry: &TreeEntry<'_>) -> Result<()> {
        if entry.kind() != Some(ObjectType::Blob) {
            return Err(self.collector.refuse(path, kind_of(entry)));
        }
        let what = || format!("the file `{}`", path.escape_ascii());
        // The size is known before the content is unpacked, which may be far larger than its delta.
        let size = self.objects.size(entry.id(), &what)?;
        if kind_of(entry) == LINK {
            let target = match size {
                0..4096 => {
                    self.objects.object(entry.id(), ObjectType::Blob, &what)?.data().to_vec()
                }
                _ => b"/".to_vec(),
            };
            return self.collector.link(path, &target);
        }
        let admitted = self.collector.admit(path, size)?;
        let object = self.objects.object(entry.id(), ObjectType::Blob, &what)?;
        self.collector.add(admitted, object.data())
    }
}

/// What [`kind_of`] calls a symbolic link.
const LINK: &str = "a symbolic link";

fn kind_of(entry: &TreeEntry<'_>) -> &'static str {
    match entry.filemode_raw() & 0o170_000 {
        0o120_000 => LINK,
        0o160_000 => "a submodule",
        0o100_000 => "a file where a folder belongs",
        _ => "an entry of unknown kind",
    }
}

/// The first 12 digits of an id.
pub(super) fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

/// A linked work tree shares all but its HEAD with the main one.
fn common_folder(folder: &Path) -> PathBuf {
    let shared = fs::read_to_string(folder.join("commondir"));
    shared.map_or_else(|_| folder.to_owned(), |text| folder.join(text.trim_end()))
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
            "`--upstream file://{}` has your own git copy it into the cache",
            absolute.display()
        ));
    }
    error.hint(format!("does `git -C {} log` work?", path.display()))
}
