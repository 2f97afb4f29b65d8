//! Line splices: a backslash at the end of a line, which compilers take out before all else.

use std::borrow::Cow;

use super::is_word;
use crate::text::Span;

/// Length of the line splice at `at`: a backslash, blanks (compilers allow them), a newline.
pub(super) fn splice_len(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) != Some(&b'\\') {
        return 0;
    }
    let mut end = at + 1;
    while matches!(bytes.get(end), Some(b' ' | b'\t' | b'\x0b' | b'\x0c' | b'\r')) {
        end += 1;
    }
    if bytes.get(end) == Some(&b'\n') { end + 1 - at } else { 0 }
}

/// `bytes` without line splices.
pub fn unspliced(bytes: &[u8]) -> Cow<'_, [u8]> {
    // Most of what is asked about is a short word, for which a plain loop is quicker than a search.
    let Some(first) = bytes.iter().position(|&byte| byte == b'\\') else {
        return Cow::Borrowed(bytes);
    };
    let mut out = bytes[..first].to_vec();
    let mut at = first;
    while at < bytes.len() {
        let len = splice_len(bytes, at);
        if len == 0 {
            out.push(bytes[at]);
            at += 1;
        } else {
            at += len;
        }
    }
    if out.len() == bytes.len() { Cow::Borrowed(bytes) } else { Cow::Owned(out) }
}

/// Whether a line splice stands inside a word, so that searching for the word misses it.
pub fn splices_a_word(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', bytes).any(|at| {
        let len = splice_len(bytes, at);
        let word = |byte: Option<&u8>| byte.is_some_and(|&byte| is_word(byte) || byte == b'\\');
        len > 0 && at > 0 && word(bytes.get(at - 1)) && word(bytes.get(at + len))
    })
}

/// Whether what stands on both sides of `gap` would be one word without it.
pub fn would_join(bytes: &[u8], gap: Span) -> bool {
    let Span { start, end } = gap;
    let before = start.checked_sub(1).and_then(|at| bytes.get(at as usize));
    let word = |byte: Option<&u8>| byte.is_some_and(|&byte| is_word(byte) || byte == b'\\');
    word(before) && word(bytes.get(end as usize))
}
