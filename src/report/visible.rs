//! Makes visible what a terminal would act upon or hide: sources and names may be hostile.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether `c` could move the cursor, change the reading direction or take no room at all.
pub(super) fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Appends `c` as it is to be shown in a source excerpt. Tabs stay: the renderer expands them.
pub(super) fn push_source_char(out: &mut String, c: char) {
    match c {
        '\t' => out.push(c),
        '\0'..='\x1f' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        '\x7f' => out.push('\u{2421}'),
        c if is_treacherous(c) => {
            // Writing to a string can't fail.
            let _ = write!(out, "<U+{:04X}>", u32::from(c));
        }
        c => out.push(c),
    }
}

/// A line of a source as it is to be shown, with its tabs.
pub(super) fn source_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\t' && is_treacherous(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| push_source_char(&mut out, c));
    Cow::Owned(out)
}

/// `text` for a place that must stay on one line: a path, a message, a name.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_treacherous) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_treacherous(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// A JSON text in which strings hold no such character as it is; their values stay what they are.
pub(super) fn json(text: String) -> String {
    // Between the strings there are line ends only.
    let plain = |c: char| c == '\n' || !is_treacherous(c);
    if text.chars().all(plain) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if plain(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string can't fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// `text` on one line, for a text or an attribute of XML.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // No XML may hold these.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_on_one_line() {
        assert_eq!(one_line("a\nb\x1b[31m.c"), "a\\nb\\u{1b}[31m.c");
        assert_eq!(one_line("x\u{202e}c.h"), "x\\u{202e}c.h");
        assert!(matches!(one_line("Grüße.c"), Cow::Borrowed(_)));
    }

    #[test]
    fn source_controls_become_pictures() {
        let mut out = String::new();
        "a\x0c\x7f\u{202e}\tb".chars().for_each(|c| push_source_char(&mut out, c));
        assert_eq!(out, "a\u{240c}\u{2421}<U+202E>\tb");
    }

    #[test]
    fn strings_of_json_keep_their_value() {
        let value = "a\x7f\u{9b}\u{202e}\u{e0041}\u{2028}ä\n\0";
        let text = json(serde_json::to_string_pretty(&[value]).unwrap());
        assert!(text.chars().all(|c| c == '\n' || !is_treacherous(c)), "{text}");
        assert!(text.contains("\\udb40\\udc41") && text.contains('ä'), "{text}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&text).unwrap()[0], value);
    }

    #[test]
    fn xml_holds_no_markup_of_a_text() {
        assert_eq!(xml("]]><!--&\"'\x1b\u{ffff}"), "]]&gt;&lt;!--&amp;&quot;'\\u{1b}\u{fffd}");
    }
}
