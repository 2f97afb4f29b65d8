//! Where raw strings and operators end.

use super::{MAX_RAW_STRING, is_blank};

/// Where the raw string ends whose opening quote ends at `at`, if it is one.
pub(super) fn raw_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let delimiter = bytes[at..].iter().take(17).position(|&b| b == b'(')?;
    let name = &bytes[at..at + delimiter];
    if name.iter().any(|&b| is_blank(b) || matches!(b, b')' | b'\\' | b'\n' | b'"')) {
        return None;
    }
    let close = [b")", name, b"\""].concat();
    let body = at + delimiter + 1;
    let limit = bytes.len().min(body + MAX_RAW_STRING);
    let found = memchr::memmem::find(&bytes[body..limit], &close)?;
    Some(body + found + close.len())
}

/// Length of the longest operator at the start of `seen`; 0 where there is none.
pub(super) fn punct_len(seen: [u8; 4]) -> usize {
    match &seen {
        b"%:%:" => 4,
        [b'.', b'.', b'.', _] | [b'<', b'<', b'=', _] | [b'>', b'>', b'=', _] => 3,
        [b'-', b'>' | b'-' | b'=', ..]
        | [b'+', b'+' | b'=', ..]
        | [b'&', b'&' | b'=', ..]
        | [b'|', b'|' | b'=', ..]
        | [b'<', b'<' | b'=' | b':' | b'%', ..]
        | [b'>', b'>' | b'=', ..]
        | [b'%', b'=' | b'>' | b':', ..]
        | [b':', b':' | b'>', ..]
        | [b'#', b'#', ..]
        | [b'=' | b'!' | b'*' | b'/' | b'^', b'=', ..] => 2,
        [b'\\' | b'@' | b'`', ..] => 0,
        [byte, ..] if byte.is_ascii_punctuation() => 1,
        _ => 0,
    }
}
