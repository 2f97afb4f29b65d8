//! Loose objects, one file each. They are read here and not by libgit2, which never comes back from
//! a truncated one.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::ZlibDecoder;
use git2::{ObjectType, Oid};

use super::{Repository, read_small};
use crate::finding::{Error, Result};

/// Most folders of objects that a repository may borrow from.
const MAX_STORES: usize = 64;
/// Longest first part of an object: its kind, its size, and a NUL.
const MAX_HEADER: usize = 32;
/// Most loose objects that are looked through at once.
const MAX_SCANNED: usize = 200_000;

/// The kind and size that an object states of itself.
#[derive(Clone, Copy)]
pub(super) struct Header {
    pub(super) kind: ObjectType,
    pub(super) size: u64,
}

/// An open loose object, its header read.
struct Loose {
    header: Header,
    rest: ZlibDecoder<BufReader<File>>,
}

/// The folder `objects` and all that it borrows from, at any remove.
pub(super) fn stores(objects: &Path, shown: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut pending = vec![objects.to_owned()];
    while let Some(folder) = pending.pop() {
        if !seen.insert(folder.clone()) {
            continue;
        }
        if found.len() == MAX_STORES {
            return Err(Error::input(format!(
                "the git repository {shown} borrows objects from over {MAX_STORES} folders"
            ))
            .hint("`git repack -a -d` in it copies them, after which info/alternates can go"));
        }
        let list = read_small(&folder.join("info/alternates")).unwrap_or_default();
        for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            // Git takes a relative path from the folder, libgit2 only where it starts with a dot.
            pending.push(folder.join(line));
            pending.push(PathBuf::from(line));
        }
        found.push(folder);
    }
    Ok(found)
}

impl Repository {
    /// What a loose object states of itself; `None` where `id` isn't loose.
    pub(super) fn loose_header(&self, id: Oid) -> io::Result<Option<Header>> {
        Ok(self.open_loose(id)?.map(|object| object.header))
    }

    /// A loose object of at most `limit` bytes; `None` where `id` isn't loose.
    pub(super) fn loose(&self, id: Oid, limit: u64) -> io::Result<Option<(ObjectType, Vec<u8>)>> {
        let Some(object) = self.open_loose(id)? else { return Ok(None) };
        object.read(limit).map(Some)
    }

    fn open_loose(&self, id: Oid) -> io::Result<Option<Loose>> {
        let digits = id.to_string();
        let (folder, name) = digits.split_at(2);
        for store in &self.stores {
            let path = store.join(folder).join(name);
            match fs::metadata(&path) {
                Ok(_) => return Loose::open(&path).map(Some),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) if error.kind() == ErrorKind::NotADirectory => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Reads every loose object but the files, so that libgit2 may read them too.
    pub(super) fn check_loose(&self) -> Result<()> {
        let mut left = MAX_SCANNED;
        for store in &self.stores {
            for folder in 0..=255_u8 {
                let folder = store.join(format!("{folder:02x}"));
                let Ok(entries) = fs::read_dir(&folder) else { continue };
                for entry in entries.flatten() {
                    left = left.checked_sub(1).ok_or_else(|| self.too_many_loose())?;
                    self.check_one(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    fn check_one(&self, path: &Path) -> Result<()> {
        let sound = Loose::open(path).and_then(|object| match object.header.kind {
            ObjectType::Blob => Ok(()),
            _ => object.read(super::objects::MAX_OBJECT).map(drop),
        });
        sound.map_err(|error| {
            Error::input(format!("{} in {} is damaged: {error}", path.display(), self.shown))
                .hint(self.check_command())
        })
    }

    fn too_many_loose(&self) -> Error {
        Error::input(format!("{} holds over {MAX_SCANNED} loose objects", self.shown))
            .hint(format!("`git -C {} gc` packs them", self.path.display()))
    }
}

impl Loose {
    fn open(path: &Path) -> io::Result<Loose> {
        // To open a pipe is to wait for what never comes.
        if !fs::metadata(path)?.is_file() {
            return Err(invalid("it is no plain file"));
        }
        let mut rest = ZlibDecoder::new(BufReader::new(File::open(path)?));
        let mut text = Vec::with_capacity(MAX_HEADER);
        loop {
            let mut byte = [0];
            rest.read_exact(&mut byte)?;
            match byte {
                [0] => break,
                _ if text.len() == MAX_HEADER => return Err(invalid("it starts like no object")),
                [byte] => text.push(byte),
            }
        }
        let header = header(&text).ok_or_else(|| invalid("it starts like no object"))?;
        Ok(Loose { header, rest })
    }

    /// The content; the stream must end where the header says, with the right checksum.
    fn read(mut self, limit: u64) -> io::Result<(ObjectType, Vec<u8>)> {
        let Header { kind, size } = self.header;
        if size > limit {
            return Err(invalid(&format!("it has {size} bytes, over the limit of {limit}")));
        }
        let mut content = Vec::new();
        Read::by_ref(&mut self.rest).take(size + 1).read_to_end(&mut content)?;
        match content.len() as u64 == size {
            true => Ok((kind, content)),
            false => Err(invalid("its length isn't what it says")),
        }
    }
}

fn header(text: &[u8]) -> Option<Header> {
    let (kind, size) = std::str::from_utf8(text).ok()?.split_once(' ')?;
    let kind = match kind {
        "blob" => ObjectType::Blob,
        "tree" => ObjectType::Tree,
        "commit" => ObjectType::Commit,
        "tag" => ObjectType::Tag,
        _ => return None,
    };
    let digits = size.bytes().all(|b| b.is_ascii_digit());
    Some(Header { kind, size: size.parse().ok().filter(|_| digits)? })
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
