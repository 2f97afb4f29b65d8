//! A hasher for short words, quicker than the standard library's.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Makes hashers with a key of their own, which nobody can know: no text can be made whose words all
/// fall together.
#[derive(Clone, Debug)]
pub(crate) struct Quick(u64);

impl Default for Quick {
    fn default() -> Quick {
        Quick(RandomState::new().hash_one(0u8) | 1)
    }
}

impl BuildHasher for Quick {
    type Hasher = QuickHasher;

    fn build_hasher(&self) -> QuickHasher {
        QuickHasher { key: self.0, state: self.0 }
    }
}

/// Multiplies eight bytes at a time with the key, and folds the halves of the product together.
#[derive(Debug)]
pub(crate) struct QuickHasher {
    key: u64,
    state: u64,
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        let chunks = bytes.chunks_exact(8);
        let rest = chunks.remainder().iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte));
        for chunk in chunks {
            self.write_u64(chunk.try_into().map_or(0, u64::from_le_bytes));
        }
        self.write_u64(rest);
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.key);
        // The second half keeps a product of 0 from swallowing what comes before.
        self.state = (product as u64 ^ (product >> 64) as u64).wrapping_add(self.key);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_get_hashes_of_their_own() {
        let quick = Quick::default();
        let words = ["", "a", "b", "ab", "ba", "abcdefgh", "abcdefghi", "abcdefgha", "\0", "\0\0"];
        let hashes = words.map(|word| quick.hash_one(word.as_bytes()));
        for (at, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..at].contains(hash), "{:?}", words[at]);
            assert_eq!(*hash, quick.hash_one(words[at].as_bytes()));
        }
    }
}
