//! What was worked out for texts seen before: commits of a range share most of their files.
//!
//! A result is known by a [`Key`], a digest of all that it depends on. Whoever asks for one says what
//! that is; the memo only holds results and lets go of those that nobody has asked for lately.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use crate::finding::Findings;
use crate::text::{Quick, Source};

/// Most bytes that results take, by their own estimate.
const DEFAULT_LIMIT: usize = 80 << 20;

/// Most bytes that what is kept to build upon takes, by its own estimate.
const MAX_LAST: usize = 48 << 20;

/// Threads that ask at once rarely meet in one of these.
const SHARDS: usize = 16;

/// Most files whose last content is held.
const MAX_SOURCES: usize = 4096;

/// A digest of all that a result depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(u128);

/// Makes a key from parts. Parts are kept apart: `ab`, `c` is another key than `a`, `bc`.
#[derive(Clone, Debug)]
pub struct KeyMaker {
    digest: Sha256,
    /// Whether all parts so far have a key.
    known: bool,
}

impl KeyMaker {
    fn new(stage: &str) -> KeyMaker {
        let mut maker = KeyMaker { digest: Sha256::new(), known: true };
        maker.text(stage);
        maker
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut KeyMaker {
        self.number(bytes.len());
        self.digest.update(bytes);
        self
    }

    /// Adds text.
    pub fn text(&mut self, text: &str) -> &mut KeyMaker {
        self.bytes(text.as_bytes())
    }

    /// Adds a number.
    pub fn number(&mut self, number: usize) -> &mut KeyMaker {
        self.digest.update((number as u64).to_le_bytes());
        self
    }

    /// Adds another key. Without it nothing that depends on it has one either.
    pub fn key(&mut self, key: Option<Key>) -> &mut KeyMaker {
        match key {
            Some(key) => self.digest.update(key.0.to_le_bytes()),
            None => self.known = false,
        }
        self
    }

    fn done(self) -> Option<Key> {
        let digest = self.digest.finalize();
        let half: [u8; 16] = digest.as_slice().get(..16)?.try_into().ok()?;
        self.known.then_some(Key(u128::from_le_bytes(half)))
    }
}

/// Something that a memo holds.
pub trait Held: Any + Send + Sync {
    /// About how many bytes it takes, what it shares with others left out.
    fn weight(&self) -> usize;
}

impl Held for Findings {
    fn weight(&self) -> usize {
        const ONE: usize = 400;
        self.len() * ONE
    }
}

/// Results by key. Shared by threads; without one, nothing is kept and no key is made.
#[derive(Debug)]
pub struct Memo {
    store: Option<Store>,
}

impl Default for Memo {
    fn default() -> Memo {
        Memo::with_limit(DEFAULT_LIMIT)
    }
}

impl Memo {
    /// Keeps nothing: for one import alone.
    pub const fn off() -> Memo {
        Memo { store: None }
    }

    /// Keeps results of about so many bytes.
    pub fn with_limit(limit: usize) -> Memo {
        let shards = std::iter::repeat_with(Mutex::default).take(SHARDS).collect();
        let (sources, last) = (Mutex::default(), Mutex::default());
        Memo { store: Some(Store { shards, sources, last, half: limit / SHARDS / 2 }) }
    }

    /// Whether it keeps anything.
    pub fn is_on(&self) -> bool {
        self.store.is_some()
    }

    /// The key of what `stage` makes of the parts that `add` names; none where nothing is kept.
    pub fn key(&self, stage: &str, add: impl FnOnce(&mut KeyMaker)) -> Option<Key> {
        self.store.as_ref()?;
        let mut maker = KeyMaker::new(stage);
        add(&mut maker);
        maker.done()
    }

    /// The result of `key`, made if it isn't there. Threads that ask at the same time may each make it.
    pub fn get<T: Held>(&self, key: Option<Key>, make: impl FnOnce() -> T) -> Arc<T> {
        let found = self.known::<T>(key);
        found.unwrap_or_else(|| self.put(key, make()))
    }

    /// The same where making it may fail; failures are not kept.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn try_get<T: Held, E>(
        &self,
        key: Option<Key>,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        self.try_share(key, || make().map(Arc::new))
    }

    /// The same for a result that is known by another key, too.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn try_share<T: Held, E>(
        &self,
        key: Option<Key>,
        make: impl FnOnce() -> Result<Arc<T>, E>,
    ) -> Result<Arc<T>, E> {
        match self.known::<T>(key) {
            Some(found) => Ok(found),
            None => Ok(self.share(key, make()?)),
        }
    }

    /// The result of `key` if it is there.
    pub fn known<T: Held>(&self, key: Option<Key>) -> Option<Arc<T>> {
        let held = self.store.as_ref()?.shard(key?).find(key?)?;
        Arc::downcast(held).ok()
    }

    /// Keeps a result.
    pub fn put<T: Held>(&self, key: Option<Key>, value: T) -> Arc<T> {
        self.share(key, Arc::new(value))
    }

    fn share<T: Held>(&self, key: Option<Key>, value: Arc<T>) -> Arc<T> {
        if let (Some(store), Some(key)) = (&self.store, key) {
            let held = Entry { weight: OVERHEAD + value.weight(), value: Arc::clone(&value) as _ };
            store.shard(key).insert(key, held, store.half);
        }
        value
    }

    /// What was kept last under a name, to build upon: whatever it is, the result must be the same.
    pub fn last<T: Held>(&self, name: &str) -> Option<Arc<T>> {
        let last = locked(&self.store.as_ref()?.last);
        let (held, _) = last.by_name.get(name)?;
        Arc::downcast(Arc::clone(held)).ok()
    }

    /// Keeps something under a name, in the place of what was kept before.
    pub fn keep_last<T: Held>(&self, name: &str, value: T) {
        let Some(store) = &self.store else { return };
        let weight = OVERHEAD + value.weight();
        // Freed when nobody has to wait for it any more.
        let mut gone = Vec::new();
        let mut last = locked(&store.last);
        if let Some((before, weight)) = last.by_name.remove(name) {
            last.bytes -= weight;
            gone.push(before);
        }
        if last.bytes + weight > MAX_LAST {
            let all = std::mem::take(&mut *last).by_name.into_values();
            gone.extend(all.map(|(value, _)| value));
        }
        if weight <= MAX_LAST {
            last.bytes += weight;
            last.by_name.insert(name.to_owned(), (Arc::new(value), weight));
        }
    }

    /// The findings of one check in one file: `file` is the key of the file, `shared` that of all
    /// else the check looks at.
    pub fn file(
        &self,
        check: &str,
        file: Option<Key>,
        shared: Option<Key>,
        make: impl FnOnce() -> Findings,
    ) -> Arc<Findings> {
        let key = self.key(check, |key| _ = key.key(file).key(shared));
        self.get(key, make)
    }

    /// The file `name` of this content, and its key: the same `Source` as long as the content is.
    pub fn source(&self, name: &str, bytes: &Arc<[u8]>) -> (Arc<Source>, Option<Key>) {
        let Some(store) = &self.store else {
            return (Source::new(name, Arc::clone(bytes)), None);
        };
        let last = locked(&store.sources).get(name).cloned();
        if let Some((source, key)) = last
            && (Arc::ptr_eq(&source.bytes, bytes) || source.bytes == *bytes)
        {
            return (source, Some(key));
        }
        let key = self.key("source", |key| _ = key.text(name).bytes(bytes));
        let held = self.get(key, || HeldSource(Source::new(name, Arc::clone(bytes))));
        let source = Arc::clone(&held.0);
        if let Some(key) = key {
            let mut sources = locked(&store.sources);
            if sources.len() >= MAX_SOURCES {
                sources.clear();
            }
            sources.insert(name.to_owned(), (Arc::clone(&source), key));
        }
        (source, key)
    }
}

struct HeldSource(Arc<Source>);

impl Held for HeldSource {
    fn weight(&self) -> usize {
        self.0.bytes.len() + self.0.bytes.len() / 8
    }
}

/// What an entry takes beside its value.
const OVERHEAD: usize = 120;

struct Store {
    shards: Vec<Mutex<Shard>>,
    /// By name the content that was asked for last: most of a commit's files are those of the one
    /// before, and comparing is quicker than a digest.
    sources: Mutex<HashMap<String, (Arc<Source>, Key)>>,
    /// What was kept to build upon.
    last: Mutex<Last>,
    /// Most bytes of one generation of a shard.
    half: usize,
}

/// Values by name, each with its weight.
#[derive(Default)]
struct Last {
    by_name: HashMap<String, (Arc<dyn Any + Send + Sync>, usize)>,
    bytes: usize,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes: usize = self.shards.iter().map(|shard| locked(shard).bytes()).sum();
        write!(f, "about {bytes} bytes")
    }
}

impl Store {
    fn shard(&self, key: Key) -> MutexGuard<'_, Shard> {
        // The digest's bits are as good as any hash.
        locked(&self.shards[key.0 as usize % SHARDS])
    }
}

/// What a thread left behind that panicked is whole: entries are put in at once.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Entry {
    value: Arc<dyn Any + Send + Sync>,
    weight: usize,
}

/// Two generations: when the young one is full, the old one goes, but for what was asked for meanwhile.
#[derive(Default)]
struct Shard {
    young: HashMap<Key, Entry, Quick>,
    old: HashMap<Key, Entry, Quick>,
    young_bytes: usize,
    old_bytes: usize,
}

impl Shard {
    fn bytes(&self) -> usize {
        self.young_bytes + self.old_bytes
    }

    fn find(&mut self, key: Key) -> Option<Arc<dyn Any + Send + Sync>> {
        if let Some(entry) = self.young.get(&key) {
            return Some(Arc::clone(&entry.value));
        }
        let entry = self.old.remove(&key)?;
        self.old_bytes -= entry.weight;
        self.young_bytes += entry.weight;
        let value = Arc::clone(&entry.value);
        self.young.insert(key, entry);
        Some(value)
    }

    fn insert(&mut self, key: Key, entry: Entry, half: usize) {
        if self.young_bytes + entry.weight > half {
            self.old = std::mem::take(&mut self.young);
            self.old_bytes = std::mem::take(&mut self.young_bytes);
        }
        // What is too large by itself would only drive out all else.
        if entry.weight > half {
            return;
        }
        self.young_bytes += entry.weight;
        if let Some(before) = self.young.insert(key, entry) {
            self.young_bytes -= before.weight;
        }
        if let Some(before) = self.old.remove(&key) {
            self.old_bytes -= before.weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number(usize);

    impl Held for Number {
        fn weight(&self) -> usize {
            1000
        }
    }

    fn key(memo: &Memo, number: usize) -> Option<Key> {
        memo.key("test", |key| _ = key.number(number))
    }

    #[test]
    fn a_result_is_made_once_and_its_type_is_part_of_it() {
        let memo = Memo::default();
        assert_eq!(memo.get(key(&memo, 1), || Number(1)).0, 1);
        assert_eq!(memo.get(key(&memo, 1), || Number(2)).0, 1);
        assert_eq!(memo.get(key(&memo, 2), || Number(2)).0, 2);
        assert!(memo.known::<Findings>(key(&memo, 1)).is_none());
    }

    #[test]
    fn without_a_memo_each_result_is_made_anew() {
        let memo = Memo::off();
        assert_eq!(key(&memo, 1), None);
        assert_eq!(memo.get(None, || Number(1)).0, 1);
        assert_eq!(memo.get(None, || Number(2)).0, 2);
    }

    #[test]
    fn what_has_an_unknown_part_is_not_kept() {
        let memo = Memo::default();
        let part = memo.key("test", |key| _ = key.key(None));
        assert_eq!(part, None);
        assert_eq!(memo.get(part, || Number(1)).0, 1);
        assert_eq!(memo.get(part, || Number(2)).0, 2);
    }

    #[test]
    fn parts_are_kept_apart() {
        let memo = Memo::default();
        let of = |parts: [&str; 2]| memo.key("t", |key| _ = key.text(parts[0]).text(parts[1]));
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
    }

    #[test]
    fn memory_is_bounded_and_what_is_asked_for_stays() {
        let memo = Memo::with_limit(200 << 10);
        for number in 0..10_000 {
            memo.get(key(&memo, number), || Number(number));
            assert_eq!(memo.get(key(&memo, 0), || Number(1)).0, 0);
        }
        let shards = &memo.store.as_ref().unwrap().shards;
        let bytes: usize = shards.iter().map(|shard| locked(shard).bytes()).sum();
        assert!(bytes <= 200 << 10 && bytes > 50 << 10, "{bytes}");
        let counted =
            |s: &Shard| -> usize { s.young.values().chain(s.old.values()).map(|e| e.weight).sum() };
        let sum: usize = shards.iter().map(|shard| counted(&locked(shard))).sum::<usize>();
        assert_eq!(bytes, sum);
    }

    #[test]
    fn the_last_of_a_name_is_kept_within_bounds() {
        struct Large;
        impl Held for Large {
            fn weight(&self) -> usize {
                MAX_LAST / 3
            }
        }
        let memo = Memo::default();
        memo.keep_last("a", Number(1));
        memo.keep_last("a", Number(2));
        assert_eq!(memo.last::<Number>("a").unwrap().0, 2);
        assert!(memo.last::<Large>("a").is_none() && memo.last::<Number>("b").is_none());
        for name in ["b", "b", "c", "d"] {
            memo.keep_last(name, Large);
        }
        assert!(memo.last::<Number>("a").is_none() && memo.last::<Large>("d").is_some());
        assert_eq!(locked(&memo.store.as_ref().unwrap().last).by_name.len(), 1);
        Memo::off().keep_last("a", Number(1));
    }

    #[test]
    fn the_source_stays_the_same_while_its_content_does() {
        let memo = Memo::default();
        let bytes = |text: &str| -> Arc<[u8]> { Arc::from(text.as_bytes()) };
        let (one, key) = memo.source("a.c", &bytes("1"));
        assert!(Arc::ptr_eq(&one, &memo.source("a.c", &bytes("1")).0));
        let (two, other) = memo.source("a.c", &bytes("2"));
        assert_ne!(key, other);
        assert_eq!((&*one.bytes, &*two.bytes), (&b"1"[..], &b"2"[..]));
        assert!(Arc::ptr_eq(&one, &memo.source("a.c", &bytes("1")).0));
        assert_ne!(memo.source("b.c", &bytes("1")).1, key);
    }
}
