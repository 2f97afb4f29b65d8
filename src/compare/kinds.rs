//! What stands in each line of a file: code, a comment, licence text, or nothing.

use super::result::Kind;
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::text::{LineIndex, TreePath};

/// Words of comments that state a licence or copyright, in lower case.
const LICENCE: [&str; 4] =
    ["spdx-license-identifier", "copyright", "licensed under", "gnu general"];

/// What stands in each line.
pub(super) fn kinds(path: &TreePath, bytes: &[u8]) -> Vec<Kind> {
    match path.extension() {
        Some("c" | "h" | "S") => of_c(bytes),
        _ => of_others(bytes),
    }
}

fn of_c(bytes: &[u8]) -> Vec<Kind> {
    let index = LineIndex::new(bytes);
    let mut kinds = vec![Kind::Blank; index.line_count()];
    // Licences stand above all code.
    let mut above = true;
    for token in tokens(bytes) {
        let kind = match token.kind {
            TokenKind::Blank | TokenKind::Newline => continue,
            TokenKind::LineComment | TokenKind::BlockComment => {
                match above && states_licence(token.raw(bytes)) {
                    true => Kind::Licence,
                    false => Kind::Comment,
                }
            }
            _ => Kind::Code,
        };
        above &= kind != Kind::Code;
        let first = index.position(token.span.start as usize).line;
        let last = index.position(token.span.end.saturating_sub(1) as usize).line;
        for line in &mut kinds[first - 1..last] {
            if *line != Kind::Code {
                *line = kind;
            }
        }
    }
    kinds
}

/// Makefiles and the like.
fn of_others(bytes: &[u8]) -> Vec<Kind> {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut above = true;
    let kinds = lines.map(|line| {
        let kind = match line.first() {
            None => Kind::Blank,
            Some(b'#') if above && states_licence(line) => Kind::Licence,
            Some(b'#') => Kind::Comment,
            Some(_) => Kind::Code,
        };
        above &= kind != Kind::Code;
        kind
    });
    kinds.collect()
}

fn states_licence(comment: &[u8]) -> bool {
    let text = String::from_utf8_lossy(comment).to_lowercase();
    LICENCE.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let path = TreePath::new("a.c").unwrap();
        let text =
            b"/* Copyright X\n *\n * words */\n\n/* about */\nint x; /* copyright */\n/* a\n\nb */";
        use Kind::{Blank, Code, Comment, Licence};
        let expected = [Licence, Licence, Licence, Blank, Comment, Code, Comment, Comment, Comment];
        assert_eq!(kinds(&path, text), expected);
        let path = TreePath::new("Makefile").unwrap();
        let text = b"# SPDX-License-Identifier: MIT\n#\n# words\n\nobj := a.o\n# Copyright\n";
        let expected = [Licence, Comment, Comment, Blank, Code, Comment, Blank];
        assert_eq!(kinds(&path, text), expected);
    }
}
