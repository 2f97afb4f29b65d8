//! The number that a release's own header states.

use crate::finding::{Error, Result};
use crate::rules::{Library, Version};
use crate::text::{Files, TreePath};

/// Reads the release's number from the header that the ruleset names. `place` names the source in
/// errors.
pub(super) fn of_files(library: &Library, files: &Files, place: &str) -> Result<Version> {
    let header = below_root(library, &library.version_file)?;
    let bytes = files.get(&header).ok_or_else(|| {
        Error::input(format!("{place} lacks {header}, which states the release's number"))
    })?;
    let text = without_comments(&String::from_utf8_lossy(bytes), &library.version_macros);
    let number = |name: &String| {
        defined_number(&text, name).ok_or_else(|| {
            Error::input(format!("{header} of {place} has no `#define {name} NUMBER`"))
                .hint("the macros that state a release's number are named in library.toml")
        })
    };
    let [major, minor, patch] = &library.version_macros;
    Ok(Version { major: number(major)?, minor: number(minor)?, patch: number(patch)? })
}

/// Path below the library root of a file that the ruleset names as in a release.
pub(super) fn below_root(library: &Library, path: &str) -> Result<TreePath> {
    path.strip_prefix(&library.root)
        .and_then(|rest| rest.strip_prefix('/'))
        .and_then(TreePath::new)
        .ok_or_else(|| {
            let root = &library.root;
            Error::usage(format!("library.toml names {path}, which isn't below its root {root}"))
        })
}

/// Value of the first `#define name NUMBER`.
fn defined_number(text: &str, name: &str) -> Option<u32> {
    text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let rest = rest.strip_prefix([' ', '\t'])?.trim_start().strip_prefix(name)?;
        let value = rest.strip_prefix([' ', '\t', '('])?.trim_matches([' ', '\t', '(', ')', '\r']);
        value.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok()
    })
}

/// The text with splices joined and every comment turned into a blank, which is all the C that a
/// line with a number can hold. Quotes are heeded, since comment openers stand in strings too; one
/// that isn't closed ends with its line. One pass, whatever the text; what comes behind the last line
/// that names one of `names` is left out.
fn without_comments(text: &str, names: &[String]) -> String {
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    let last = names.iter().filter_map(|name| text.rfind(name)).max().unwrap_or_default();
    let mut out = String::with_capacity(last);
    let mut inside = Inside::Code;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\n' && at > last && !matches!(inside, Inside::Comment) {
            break;
        }
        inside = match (inside, c) {
            (Inside::Code, '/') if chars.next_if(|next| next.1 == '*').is_some() => Inside::Comment,
            (Inside::Code, '/') if chars.next_if(|next| next.1 == '/').is_some() => {
                Inside::LineComment
            }
            (Inside::Comment, '*') if chars.next_if(|next| next.1 == '/').is_some() => {
                out.push(' ');
                Inside::Code
            }
            (Inside::Comment, _) => Inside::Comment,
            (Inside::LineComment, c) if c != '\n' => Inside::LineComment,
            (state, c) => {
                out.push(c);
                match (state, c) {
                    (_, '\n') => Inside::Code,
                    (Inside::Quote(_), '\\') => {
                        out.extend(chars.next_if(|next| next.1 != '\n').map(|next| next.1));
                        state
                    }
                    (Inside::Quote(quote), c) if c == quote => Inside::Code,
                    (Inside::Code, '"' | '\'') => Inside::Quote(c),
                    _ => state,
                }
            }
        };
    }
    out
}

#[derive(Clone, Copy)]
enum Inside {
    Code,
    Comment,
    LineComment,
    Quote(char),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<u32> {
        defined_number(&without_comments(text, &["V_MAJOR".to_owned()]), "V_MAJOR")
    }

    #[test]
    fn numbers_are_found_however_they_are_written() {
        for text in [
            "#define V_MAJOR 7\n",
            "  # \tdefine\tV_MAJOR   7   /* the seventh */\r\n",
            "#define V_MAJOR (7)",
            "#define V_MAJOR 7U // x",
            "#define \\\n V_MAJOR \\\r\n 7\n",
            "#define /* a\n b */ V_MAJOR /**/ 7\n",
            "/* #define V_MAJOR 1\n */ int x = '\"'; \"/*\"\n#define V_MAJOR 7 /*",
            "// #define V_MAJOR 1\n#define V_MAJOR_ 2\n#define V_MAJOR 7",
            "#error it's\n#define V_MAJOR 7",
        ] {
            assert_eq!(number(text), Some(7), "{text:?}");
        }
        for text in
            ["", "#define V_MAJOR", "#define V_MAJOR x", "/*#define V_MAJOR 7", "#defineV_MAJOR 7"]
        {
            assert_eq!(number(text), None, "{text:?}");
        }
    }
}
