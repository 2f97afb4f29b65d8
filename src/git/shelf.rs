//! Folders and files that were read, for commits that share most of theirs.

use std::collections::HashMap;
use std::sync::Arc;

use git2::Oid;

use super::parse::TreeEntry;
use crate::finding::Result;

/// Most bytes of files kept; a few times what one commit of any library has.
const MAX_BYTES: usize = 32 << 20;
/// Most folders kept.
const MAX_FOLDERS: usize = 4096;

/// What was read. Bounded: what wasn't asked for lately goes.
#[derive(Default)]
pub struct Shelf {
    folders: Kept<Arc<[TreeEntry]>>,
    files: Kept<Arc<[u8]>>,
}

/// Two generations: when the young one is full, it becomes the old one, and the old one goes.
struct Kept<T> {
    young: HashMap<Oid, T>,
    old: HashMap<Oid, T>,
    weight: usize,
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept { young: HashMap::new(), old: HashMap::new(), weight: 0 }
    }
}

impl<T: Clone> Kept<T> {
    fn get(&mut self, id: Oid, weight: impl Fn(&T) -> usize, most: usize) -> Option<T> {
        if let Some(found) = self.young.get(&id) {
            return Some(found.clone());
        }
        let found = self.old.remove(&id)?;
        self.put(id, found.clone(), weight(&found), most);
        Some(found)
    }

    fn put(&mut self, id: Oid, value: T, weight: usize, most: usize) {
        if self.weight + weight > most / 2 {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        if self.young.insert(id, value).is_none() {
            self.weight += weight;
        }
    }
}

impl Shelf {
    /// The entries of a folder, by `read` where they aren't here.
    pub(super) fn folder(
        &mut self,
        id: Oid,
        read: impl FnOnce() -> Result<Vec<TreeEntry>>,
    ) -> Result<Arc<[TreeEntry]>> {
        if let Some(found) = self.folders.get(id, |_| 1, MAX_FOLDERS) {
            return Ok(found);
        }
        let entries: Arc<[TreeEntry]> = read()?.into();
        self.folders.put(id, Arc::clone(&entries), 1, MAX_FOLDERS);
        Ok(entries)
    }

    pub(super) fn file(&mut self, id: Oid) -> Option<Arc<[u8]>> {
        self.files.get(id, |file| file.len(), MAX_BYTES)
    }

    pub(super) fn keep(&mut self, id: Oid, content: &Arc<[u8]>) {
        self.files.put(id, Arc::clone(content), content.len(), MAX_BYTES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(byte: u8) -> Oid {
        Oid::from_bytes(&[byte; 20]).unwrap()
    }

    #[test]
    fn what_is_asked_for_stays() {
        let mut kept: Kept<u8> = Kept::default();
        let weight = |_: &u8| 1;
        for round in 0..10 {
            kept.put(id(round), round, 1, 4);
            assert_eq!(kept.get(id(0), weight, 4), Some(0), "{round}");
        }
        assert!(kept.young.len() + kept.old.len() <= 4);
        assert_eq!(kept.get(id(1), weight, 4), None);
    }
}
