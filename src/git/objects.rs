//! Objects by id: measured before they are read, checked after.

use git2::{ObjectType, Odb, Oid};
use sha1::{Digest, Sha1};

use super::parse::{self, Commit, TreeEntry};
use super::{Repository, loose};
use crate::finding::{Error, Result};

/// Largest commit, tag or tree, in bytes.
pub(super) const MAX_OBJECT: u64 = 16 << 20;

/// The objects of a repository. All that is read goes through here.
pub(super) struct Objects<'r> {
    repository: &'r Repository,
    odb: Odb<'r>,
}

impl<'r> Objects<'r> {
    pub(super) fn new(repository: &'r Repository) -> Result<Objects<'r>> {
        let odb = repository.inner.odb();
        let odb = odb.map_err(|error| repository.unreadable("the object store", &error))?;
        Ok(Objects { repository, odb })
    }

    /// What an object states of itself, before its content is unpacked, which may be far larger than
    /// what is stored of it.
    pub(super) fn header(&self, id: Oid, what: &dyn Fn() -> String) -> Result<loose::Header> {
        let found = self.repository.loose_header(id);
        if let Some(header) = found.map_err(|error| self.damaged(id, what, &error.to_string()))? {
            return Ok(header);
        }
        let header = self.odb.read_header(id);
        let (size, kind) = header.map_err(|e| self.repository.unreadable(&what(), &e))?;
        Ok(loose::Header { kind, size: size as u64 })
    }

    /// Reads an object of at most `limit` bytes and holds it against its id.
    pub(super) fn read(
        &self,
        id: Oid,
        limit: u64,
        what: &dyn Fn() -> String,
    ) -> Result<(ObjectType, Vec<u8>)> {
        let found = self.repository.loose(id, limit);
        let found = found.map_err(|error| self.damaged(id, what, &error.to_string()))?;
        let (kind, content) = match found {
            Some(found) => found,
            None => self.read_packed(id, limit, what)?,
        };
        let header = format!("{kind} {}\0", content.len());
        let digest = Sha1::new().chain_update(header).chain_update(&content).finalize();
        match digest[..] == *id.as_bytes() {
            true => Ok((kind, content)),
            false => Err(self.damaged(id, what, "it doesn't have that digest")),
        }
    }

    fn read_packed(
        &self,
        id: Oid,
        limit: u64,
        what: &dyn Fn() -> String,
    ) -> Result<(ObjectType, Vec<u8>)> {
        let unreadable = |error| self.repository.unreadable(&what(), &error);
        let (size, _) = self.odb.read_header(id).map_err(unreadable)?;
        if size as u64 > limit {
            let (what, shown) = (what(), &self.repository.shown);
            return Err(Error::input(format!("{what} in {shown} has {size} bytes")));
        }
        let object = self.odb.read(id).map_err(unreadable)?;
        Ok((object.kind(), object.data().to_vec()))
    }

    /// Reads an object that must be of one kind.
    pub(super) fn read_as(
        &self,
        id: Oid,
        wanted: ObjectType,
        limit: u64,
        what: &dyn Fn() -> String,
    ) -> Result<Vec<u8>> {
        let (kind, content) = self.read(id, limit, what)?;
        match kind == wanted {
            true => Ok(content),
            false => Err(self.damaged(id, what, &format!("it is a {kind}"))),
        }
    }

    pub(super) fn commit(&self, id: Oid, what: &dyn Fn() -> String) -> Result<Commit> {
        let content = self.read_as(id, ObjectType::Commit, MAX_OBJECT, what)?;
        parse::commit(id, &content).ok_or_else(|| self.damaged(id, what, "it isn't as commits are"))
    }

    pub(super) fn tree(&self, id: Oid, path: &str) -> Result<Vec<TreeEntry>> {
        let what = || match path {
            "" => "the top folder".to_owned(),
            _ => format!("the folder `{path}`"),
        };
        let content = self.read_as(id, ObjectType::Tree, MAX_OBJECT, &what)?;
        parse::tree(&content).ok_or_else(|| self.damaged(id, &what, "it isn't as folders are"))
    }

    fn damaged(&self, id: Oid, what: &dyn Fn() -> String, how: &str) -> Error {
        let (what, shown) = (what(), &self.repository.shown);
        Error::input(format!("{what} in {shown} is damaged: object {id}: {how}"))
            .hint(self.repository.check_command())
    }
}
