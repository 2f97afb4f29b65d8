//! Paths as git spells them in patches.

/// `text` in quotes with escapes, if a byte of it needs one.
pub(super) fn quoted(text: &str) -> Option<String> {
    let plain = |b: u8| (b' '..0x7f).contains(&b) && b != b'"' && b != b'\\';
    if text.bytes().all(plain) {
        return None;
    }
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            _ if plain(byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    Some(out)
}

/// `text`, in quotes where needed.
pub(super) fn shown(text: &str) -> String {
    quoted(text).unwrap_or_else(|| text.to_owned())
}

/// Reads what [`shown`] writes, and the escapes that other programs use for control characters; what
/// isn't quoted stands for itself.
pub(super) fn unquoted(text: &[u8]) -> Option<Vec<u8>> {
    let Some(inner) = text.strip_prefix(b"\"") else { return Some(text.to_vec()) };
    let inner = inner.strip_suffix(b"\"")?;
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match rest.next()? {
            byte @ (b'"' | b'\\') => byte,
            b'n' => b'\n',
            b't' => b'\t',
            first @ b'0'..=b'3' => {
                let digit = |byte: u8| (b'0'..=b'7').contains(&byte).then(|| byte - b'0');
                let (second, third) = (digit(rest.next()?)?, digit(rest.next()?)?);
                (first - b'0') << 6 | second << 3 | third
            }
            _ => return None,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_go_there_and_back() {
        for (text, expected) in
            [("a b.c", "a b.c"), ("a\"b", "\"a\\\"b\""), ("ü", "\"\\303\\274\"")]
        {
            assert_eq!(shown(text), expected);
            assert_eq!(unquoted(expected.as_bytes()).unwrap(), text.as_bytes());
        }
        for bad in ["\"a", "\"\\9\"", "\"\\", "\"\\30\""] {
            assert!(unquoted(bad.as_bytes()).is_none(), "{bad}");
        }
    }
}
