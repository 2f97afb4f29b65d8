//! Results that earlier runs left in the user's cache folder.
//!
//! An entry is one file: a line with the digest of the rest, then key and state as JSON. It is written
//! beside its name and renamed, so that runs side by side find it whole or not at all. What can't be
//! read, is damaged or has another key counts as not there, and is written anew. Nothing here ever
//! fails a run: without a cache it only takes longer.

use std::fs::{self, File};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::check::compare::State;
use crate::commands::record::hex;

/// What entries start with; raised when their form changes.
const MAGIC: &str = "kernelize check 1 ";
/// Largest entry, in bytes; most have some 10 KB.
const MAX_ENTRY: u64 = 8 << 20;
/// Most bytes of all entries.
const MAX_TOTAL: u64 = 64 << 20;
/// Most entries.
const MAX_ENTRIES: usize = 20_000;

/// The folder of results.
pub(super) struct Cache {
    folder: PathBuf,
    written: AtomicUsize,
}

#[derive(Serialize)]
struct Entry<'a> {
    key: &'a str,
    state: &'a State,
}

#[derive(Deserialize)]
struct ReadEntry {
    key: String,
    state: State,
}

impl Cache {
    /// The results below the cache folder `cache`.
    pub(super) fn new(cache: impl AsRef<Path>) -> Cache {
        Cache { folder: cache.as_ref().join("check"), written: AtomicUsize::new(0) }
    }

    /// A key is made of hex digits: no name leads out of the folder.
    fn path(&self, key: &str) -> PathBuf {
        let (front, rest) = key.split_at(key.len().min(2));
        self.folder.join(front).join(rest)
    }

    /// The state kept under `key`, if it is there and sound.
    pub(super) fn get(&self, key: &str) -> Option<State> {
        let path = self.path(key);
        if !fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MAX_ENTRY).read_to_end(&mut bytes).ok()?;
        let line = bytes.iter().position(|byte| *byte == b'\n')?;
        let (head, rest) = bytes.split_at(line + 1);
        if head.strip_suffix(b"\n")? != head_of(rest).as_bytes() {
            return None;
        }
        let entry: ReadEntry = serde_json::from_slice(rest).ok()?;
        (entry.key == key).then_some(entry.state)
    }

    /// Keeps a state.
    pub(super) fn put(&self, key: &str, state: &State) {
        let Ok(rest) = serde_json::to_vec(&Entry { key, state }) else { return };
        if rest.len() as u64 + 256 > MAX_ENTRY {
            return;
        }
        let path = self.path(key);
        let folder = path.parent().unwrap_or(&self.folder);
        let head = format!("{}\n", head_of(&rest));
        let write = || {
            fs::create_dir_all(folder)?;
            let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
            file.write_all(head.as_bytes())?;
            file.write_all(&rest)?;
            file.persist(&path).map_err(|error| error.error).map(drop)
        };
        if write().is_ok() {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Lets the oldest entries go where there are too many, if any were written.
    pub(super) fn sweep(&self) {
        if self.written.load(Ordering::Relaxed) > 0 {
            self.sweep_to(MAX_TOTAL, MAX_ENTRIES);
        }
    }

    fn sweep_to(&self, total: u64, count: usize) {
        let mut entries = self.entries();
        entries.sort();
        let (mut bytes, mut left) =
            (entries.iter().map(|entry| entry.2).sum::<u64>(), entries.len());
        if bytes <= total && left <= count {
            return;
        }
        // Some room is made, so that not every run has to sweep.
        for (_, path, size) in entries {
            if bytes <= total / 4 * 3 && left <= count / 4 * 3 {
                break;
            }
            // Another run may have been faster.
            let _ = fs::remove_file(path);
            (bytes, left) = (bytes.saturating_sub(size), left.saturating_sub(1));
        }
    }

    /// All files with their age and size, left-overs of killed runs included.
    fn entries(&self) -> Vec<(SystemTime, PathBuf, u64)> {
        let walk = walkdir::WalkDir::new(&self.folder).min_depth(2).max_depth(2);
        let files = walk.into_iter().flatten().filter(|entry| entry.file_type().is_file());
        let found = files.filter_map(|entry| {
            let found = entry.metadata().ok()?;
            Some((found.modified().ok()?, entry.into_path(), found.len()))
        });
        found.collect()
    }
}

fn head_of(rest: &[u8]) -> String {
    format!("{MAGIC}{}", hex(&Sha256::digest(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(version: &str) -> State {
        State { version: version.to_owned(), ..State::default() }
    }

    fn key(byte: u8) -> String {
        hex(&[byte; 32])
    }

    #[test]
    fn what_is_kept_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        assert_eq!(cache.get(&key(1)), None);
        cache.put(&key(1), &state("1.2.3"));
        cache.put(&key(1), &state("1.2.4"));
        assert_eq!(Cache::new(folder.path()).get(&key(1)), Some(state("1.2.4")));
        assert_eq!(cache.get(&key(2)), None);
        let left = cache.entries();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn damaged_and_foreign_entries_are_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        cache.put(&key(1), &state("1.2.3"));
        let path = cache.path(&key(1));
        let sound = fs::read(&path).unwrap();
        let flipped = |at: usize| {
            let mut bytes = sound.clone();
            bytes[at] ^= 1;
            bytes
        };
        let mut spoilt = vec![Vec::new(), b"{}".to_vec(), sound[..sound.len() - 1].to_vec()];
        spoilt.extend([0, MAGIC.len(), sound.len() / 2, sound.len() - 1].map(flipped));
        for bytes in spoilt {
            fs::write(&path, &bytes).unwrap();
            assert_eq!(cache.get(&key(1)), None, "{bytes:?}");
            cache.put(&key(1), &state("1.2.3"));
            assert_eq!(cache.get(&key(1)), Some(state("1.2.3")));
        }
        // Sound, but of another key.
        fs::create_dir_all(cache.path(&key(2)).parent().unwrap()).unwrap();
        fs::copy(&path, cache.path(&key(2))).unwrap();
        assert_eq!(cache.get(&key(2)), None);
        // A folder, or a link, in an entry's place.
        fs::create_dir_all(cache.path(&key(3))).unwrap();
        cache.put(&key(3), &state("1.2.3"));
        assert_eq!(cache.get(&key(3)), None);
        fs::create_dir_all(cache.path(&key(4)).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&path, cache.path(&key(4))).unwrap();
        assert_eq!(cache.get(&key(4)), None);
    }

    #[test]
    fn the_oldest_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        for byte in 0..8 {
            cache.put(&key(byte), &state("1.2.3"));
            let file = File::options().write(true).open(cache.path(&key(byte))).unwrap();
            let age = std::time::Duration::from_secs(1000 + u64::from(byte));
            file.set_modified(SystemTime::UNIX_EPOCH + age).unwrap();
        }
        cache.sweep_to(u64::MAX, 8);
        assert_eq!(cache.entries().len(), 8);
        cache.sweep_to(u64::MAX, 4);
        let left: Vec<bool> = (0..8).map(|byte| cache.get(&key(byte)).is_some()).collect();
        assert_eq!(left, [false, false, false, false, false, true, true, true]);
        cache.sweep_to(1, 100);
        assert_eq!(cache.entries().len(), 0);
    }

    #[test]
    fn a_cache_that_cannot_be_written_does_no_harm() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = Cache::new(file.path());
        cache.put(&key(1), &state("1.2.3"));
        cache.sweep();
        assert_eq!(cache.get(&key(1)), None);
    }
}
