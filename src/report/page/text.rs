//! Text that others wrote, as it may stand in a page: nothing in it is markup, and what would be
//! invisible or turn the reading direction is shown.

use std::fmt::Write as _;

use crate::report::visible::is_treacherous;

/// Most bytes of a line that are shown.
const MAX_LINE: usize = 4_000;

/// Whether a character is to be shown by its number. Beside what a terminal minds these are letters
/// without a shape.
fn is_odd(c: char) -> bool {
    is_treacherous(c)
        || matches!(c,
            '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{ffff}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn push_char(out: &mut String, c: char) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&#39;"),
        c => out.push(c),
    }
}

/// What stands for a character that can't be seen.
fn shown(c: char) -> String {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}').to_string(),
        '\x7f' => '\u{2421}'.to_string(),
        c => format!("\u{27e8}U+{:04X}\u{27e9}", u32::from(c)),
    }
}

/// Appends text for anywhere in a page, attributes in double quotes included. Line ends stay.
pub(super) fn push(out: &mut String, text: &str) {
    for c in text.chars() {
        match is_odd(c) && !matches!(c, '\n' | '\t') {
            true => out.push_str(&shown(c)),
            false => push_char(out, c),
        }
    }
}

/// Text for anywhere in a page.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    push(&mut out, text);
    out
}

/// Appends a line of a source, without its end. What can't be seen is marked as such.
pub(super) fn push_code(out: &mut String, line: &[u8]) {
    let mut end = line.len();
    if end > MAX_LINE {
        end = MAX_LINE;
        // Not within a character.
        while end > 0 && line[end] & 0xc0 == 0x80 {
            end -= 1;
        }
    }
    for chunk in line[..end].utf8_chunks() {
        for c in chunk.valid().chars() {
            match is_odd(c) && c != '\t' {
                true => odd(out, &format!("U+{:04X}", u32::from(c)), &shown(c)),
                false => push_char(out, c),
            }
        }
        for byte in chunk.invalid() {
            odd(out, "a byte that is no UTF-8", &format!("\u{27e8}{byte:02X}\u{27e9}"));
        }
    }
    if end < line.len() {
        let more = line.len() - end;
        odd(out, "the line is longer", &format!("\u{27e8}{more} bytes more\u{27e9}"));
    }
}

fn odd(out: &mut String, title: &str, shown: &str) {
    // Writing to a string can't fail.
    let _ = write!(out, "<span class=\"odd\" title=\"{title}\">{shown}</span>");
}

/// What a name is in an id and behind `#`: of its characters those stay that need no quoting anywhere.
pub(super) fn anchor(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'+' | b':' => {
                out.push(char::from(byte));
            }
            // `%` would be decoded again on the way.
            _ => _ = write!(out, "~{byte:02x}"),
        }
    }
    out
}

/// The digest of an inline script or style, as a policy names it.
pub(super) fn digest(text: &str) -> String {
    use sha2::{Digest as _, Sha256};
    format!("sha256-{}", base64(Sha256::digest(text.as_bytes()).as_slice()))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let at = |n: usize| u32::from(group.get(n).copied().unwrap_or_default());
        let all = at(0) << 16 | at(1) << 8 | at(2);
        for n in 0..4 {
            let digit = DIGITS[(all >> (18 - 6 * n) & 63) as usize];
            out.push(if n > group.len() { '=' } else { char::from(digit) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escaped("</script> &amp; \"'"), "&lt;/script&gt; &amp;amp; &quot;&#39;");
        assert_eq!(
            escaped("a\u{202e}b\0\n\u{ad}"),
            "a\u{27e8}U+202E\u{27e9}b\u{2400}\n\u{27e8}U+00AD\u{27e9}"
        );
    }

    #[test]
    fn what_a_source_hides_is_shown() {
        let code = |bytes: &[u8]| {
            let mut out = String::new();
            push_code(&mut out, bytes);
            out
        };
        assert_eq!(code(b"\ta < b"), "\ta &lt; b");
        assert_eq!(
            code("\u{2066}".as_bytes()),
            "<span class=\"odd\" title=\"U+2066\">\u{27e8}U+2066\u{27e9}</span>"
        );
        assert_eq!(code(b"\xff\0\r").matches("class=\"odd\"").count(), 3);
        let long = "\u{e4}".repeat(3_000);
        let drawn = code(format!("x{long}").as_bytes());
        assert!(
            drawn.starts_with("x\u{e4}") && drawn.contains("\u{27e8}2002 bytes more\u{27e9}"),
            "{drawn}"
        );
    }

    #[test]
    fn names_become_anchors() {
        assert_eq!(anchor("lib/a.c:1"), "lib/a.c:1");
        assert_eq!(anchor("a b%\"\u{e4}"), "a~20b~25~22~c3~a4");
    }

    #[test]
    fn policies_have_digests() {
        assert_eq!(base64(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
        assert_eq!(base64(b"any carnal pleasure"), "YW55IGNhcm5hbCBwbGVhc3VyZQ==");
        assert_eq!(digest(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
