//! Names of commits, as one types them, to commits.

use git2::{ErrorCode, ObjectType, Oid};

use super::Repository;
use super::objects::{MAX_OBJECT, Objects};
use super::parse::{self, Commit};
use crate::finding::{Error, Result};

/// A commit id must be given by so many digits at least.
const FEWEST_DIGITS: usize = 4;
/// Longest chain of tags that each stand on the next.
const MAX_TAGS: usize = 16;
/// Farthest that `~N` goes back.
const MAX_BACK: usize = 100_000;

/// What a revision names.
#[derive(Clone, Debug)]
pub struct Found {
    /// The commit.
    pub commit: Commit,
    /// The tag, where the revision is one.
    pub tag: Option<String>,
}

/// The tags and branches, as one would type them.
#[derive(Clone, Default, Debug)]
pub struct Names {
    /// Tags.
    pub tags: Vec<String>,
    /// Branches, and those of remotes with the remote's name.
    pub branches: Vec<String>,
}

/// A tag or branch and where it stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reference {
    /// Full name (`refs/tags/v1`).
    pub name: String,
    /// The commit, behind annotated tags.
    pub commit: Oid,
}

/// One step from a commit to another.
enum Step {
    /// `^N`
    Parent(usize),
    /// `~N`
    Back(usize),
    /// `^{commit}`
    Stay,
}

impl Repository {
    /// The tags and branches.
    pub fn names(&self) -> Names {
        let mut names = Names::default();
        let Ok(references) = self.inner.references() else { return names };
        for reference in references.flatten() {
            let Ok(name) = reference.name() else { continue };
            if let Some(tag) = name.strip_prefix("refs/tags/") {
                names.tags.push(tag.to_owned());
            } else if let Some(branch) =
                name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/remotes/"))
            {
                names.branches.push(branch.to_owned());
            }
        }
        names
    }

    /// All tags and branches that stand on commits, by name. One that can't be read is left out.
    ///
    /// # Errors
    /// The refs of the repository can't be listed.
    pub fn references(&self) -> Result<Vec<Reference>> {
        let objects = Objects::new(self)?;
        let listed = self.inner.references();
        let listed = listed.map_err(|error| self.unreadable("the list of refs", &error))?;
        let mut found = Vec::new();
        for reference in listed.flatten() {
            let Ok(name) = reference.name().map(str::to_owned) else { continue };
            let kinds = ["refs/tags/", "refs/heads/", "refs/remotes/"];
            let Ok(target) = reference.resolve() else { continue };
            let Some(id) = target.target() else { continue };
            if !kinds.iter().any(|kind| name.starts_with(kind)) {
                continue;
            }
            if let Ok(commit) = self.peel(&objects, id, &name) {
                found.push(Reference { name, commit: commit.id });
            }
        }
        found.sort();
        Ok(found)
    }

    /// Whether there is no commit and no name of one.
    pub fn is_empty(&self) -> bool {
        let Names { tags, branches } = self.names();
        tags.is_empty() && branches.is_empty() && self.inner.head().is_err()
    }

    /// Whether there is a ref of that full name.
    pub fn has_reference(&self, name: &str) -> bool {
        self.inner.find_reference(name).is_ok()
    }

    /// The commit with the whole id `id`.
    ///
    /// # Errors
    /// There is no such commit, or it can't be read.
    pub fn commit(&self, id: Oid) -> Result<Commit> {
        Objects::new(self)?.commit(id, &|| format!("commit {id}"))
    }

    /// The commit that `revision` names: a tag, branch, commit id or any other way that git knows;
    /// `None` where there is no such thing.
    ///
    /// # Errors
    /// Several things have the name, or what it leads to can't be read.
    pub fn find(&self, revision: &str) -> Result<Option<Found>> {
        let objects = Objects::new(self)?;
        if revision.is_empty() || revision.contains("..") || revision.contains('\0') {
            return Ok(None);
        }
        let start = revision.find(['~', '^']).unwrap_or(revision.len());
        let (base, steps) = revision.split_at(start);
        let simple = !base.contains([':', '{']);
        let (Some(steps), true) = (steps_of(steps), simple) else {
            return self.find_unusual(&objects, revision);
        };
        let Some((id, tag)) = self.find_base(base, revision)? else { return Ok(None) };
        let mut commit = self.peel(&objects, id, revision)?;
        let tag = tag.filter(|_| steps.is_empty());
        for step in steps {
            match self.step(&objects, commit, &step, revision)? {
                Some(next) => commit = next,
                None => return Ok(None),
            }
        }
        Ok(Some(Found { commit, tag }))
    }

    /// The object behind a plain name, in git's order: a whole id, a ref, the start of an id, what
    /// `git describe` writes.
    fn find_base(&self, base: &str, revision: &str) -> Result<Option<(Oid, Option<String>)>> {
        let is_hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
        if base.len() == 40 && is_hex(base) {
            return Ok(Oid::from_str(base).ok().map(|id| (id, None)));
        }
        let name = if base == "@" { "HEAD" } else { base };
        if let Ok(reference) = self.inner.resolve_reference_from_short_name(name) {
            let tag = reference.name().ok().and_then(|name| name.strip_prefix("refs/tags/"));
            let tag = tag.map(str::to_owned);
            let target = reference.resolve().ok().and_then(|reference| reference.target());
            return Ok(target.map(|id| (id, tag)));
        }
        let described = base.rsplit_once("-g").map(|(_, id)| id);
        for digits in [Some(base), described].into_iter().flatten() {
            if !(FEWEST_DIGITS..40).contains(&digits.len()) || !is_hex(digits) {
                continue;
            }
            if let Some(id) = self.find_digits(digits, revision)? {
                return Ok(Some((id, None)));
            }
        }
        Ok(None)
    }

    fn find_digits(&self, digits: &str, revision: &str) -> Result<Option<Oid>> {
        let found = self.inner.odb().and_then(|odb| {
            let start = Oid::from_str(digits)?;
            odb.exists_prefix(start, digits.len())
        });
        match found {
            Ok(id) => Ok(Some(id)),
            Err(error) if error.code() == ErrorCode::Ambiguous => {
                Err(Error::input(format!("`{revision}` fits several objects in {}", self.shown))
                    .hint("give more digits of the commit id"))
            }
            Err(_) => Ok(None),
        }
    }

    /// Reflogs, searches in messages, paths: rare, and left to libgit2, once it can't be led astray.
    fn find_unusual(&self, objects: &Objects<'_>, revision: &str) -> Result<Option<Found>> {
        let searches = revision.starts_with(":/") || revision.contains("^{/");
        if revision.contains(':') && !searches && !revision.contains('{') {
            return Err(self.no_commit(revision, "file or folder"));
        }
        self.check_loose()?;
        let Ok(object) = self.inner.revparse_single(revision) else { return Ok(None) };
        let commit = self.peel(objects, object.id(), revision)?;
        Ok(Some(Found { commit, tag: None }))
    }

    /// Goes behind annotated tags.
    fn peel(&self, objects: &Objects<'_>, id: Oid, revision: &str) -> Result<Commit> {
        let what = || format!("the commit of `{revision}`");
        let mut at = id;
        for _ in 0..MAX_TAGS {
            let kind = objects.header(at, &what)?.kind;
            match kind {
                ObjectType::Commit => return objects.commit(at, &what),
                ObjectType::Tag => {
                    let content = objects.read_as(at, ObjectType::Tag, MAX_OBJECT, &what)?;
                    at = parse::tag_target(&content)
                        .ok_or_else(|| self.no_commit(revision, "damaged tag"))?;
                }
                _ => return Err(self.no_commit(revision, kind.str())),
            }
        }
        Err(self.no_commit(revision, "chain of tags"))
    }

    fn step(
        &self,
        objects: &Objects<'_>,
        from: Commit,
        step: &Step,
        revision: &str,
    ) -> Result<Option<Commit>> {
        let what = || format!("the commit of `{revision}`");
        let (count, parent) = match *step {
            Step::Stay | Step::Parent(0) => return Ok(Some(from)),
            Step::Parent(parent) => (1, parent),
            Step::Back(count) => (count, 1),
        };
        let mut commit = from;
        for _ in 0..count {
            let Some(&id) = commit.parents.get(parent - 1) else { return Ok(None) };
            commit = objects.commit(id, &what)?;
        }
        Ok(Some(commit))
    }

    fn no_commit(&self, revision: &str, kind: &str) -> Error {
        Error::input(format!("`{revision}` in {} names a {kind}, not a commit", self.shown))
    }
}

/// The steps behind a plain name; `None` where they are more than steps.
fn steps_of(mut text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !text.is_empty() {
        if let Some(rest) = text.strip_prefix("^{}").or_else(|| text.strip_prefix("^{commit}")) {
            steps.push(Step::Stay);
            text = rest;
            continue;
        }
        let rest = &text[1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let count: usize = if digits == 0 { 1 } else { rest[..digits].parse().ok()? };
        match text.as_bytes().first() {
            Some(b'~') if count <= MAX_BACK => steps.push(Step::Back(count)),
            Some(b'^') if !rest.starts_with('{') => steps.push(Step::Parent(count)),
            _ => return None,
        }
        text = &rest[digits..];
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_from_the_rest() {
        let count = |text: &str| steps_of(text).map(|steps| steps.len());
        assert_eq!(count(""), Some(0));
        assert_eq!(count("~2^^3^{}^{commit}~"), Some(6));
        for more in ["^{tree}", "^{/x}", "~1:lib", "^x", "~999999999999999999999", "~1000000"] {
            assert_eq!(count(more), None, "{more}");
        }
    }
}
