//! Trees of texts parsed before: what a text has in common with the one before it isn't parsed again.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use tree_sitter::{InputEdit, Point, Tree};

use super::View;
use crate::memo::Held;

/// The views of a file when it was parsed last.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    views: Vec<(Vec<u8>, Tree)>,
}

impl Held for Earlier {
    fn weight(&self) -> usize {
        // About what the parser's nodes take for a byte of C.
        const NODES: usize = 20;
        self.views.iter().map(|(text, _)| text.len() * (NODES + 1)).sum()
    }
}

impl Earlier {
    /// Keeps what can be built upon: a parser that had to guess may guess otherwise another time.
    pub(super) fn of(views: &[View]) -> Earlier {
        let sound = |view: &&View| !view.tree.root_node().has_error();
        let kept = views.iter().take_while(sound);
        Earlier { views: kept.map(|view| (view.text.clone(), view.tree.clone())).collect() }
    }

    /// The tree of a view, told where `text` differs from the text that it was made from.
    pub(super) fn edited(&self, number: usize, text: &[u8]) -> Option<Tree> {
        let (before, tree) = self.views.get(number)?;
        let mut tree = tree.clone();
        // From the last to the first, so that the places of the others stay true.
        for edit in edits(before, text).iter().rev() {
            tree.edit(edit);
        }
        Some(tree)
    }
}

/// What has to change in `old` to make `new` of it, in lines.
fn edits(old: &[u8], new: &[u8]) -> Vec<InputEdit> {
    /// Most pairs of lines that are compared; beyond that everything between the first and the last
    /// difference counts as changed.
    const MOST_PAIRS: usize = 1 << 22;
    let lines = |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |b| *b == b'\n').collect() };
    let (mut old, mut new) = (lines(old), lines(new));
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let start: usize = old.drain(..same).map(<[u8]>::len).sum();
    new.drain(..same);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    old.truncate(old.len() - same);
    new.truncate(new.len() - same);
    let whole =
        DiffOp::Replace { old_index: 0, old_len: old.len(), new_index: 0, new_len: new.len() };
    let ops = match old.len() * new.len() {
        0 if old.is_empty() && new.is_empty() => Vec::new(),
        0 => vec![whole],
        pairs if pairs > MOST_PAIRS => vec![whole],
        _ => capture_diff_slices(Algorithm::Myers, &old, &new),
    };
    let (old, new) = (offsets(start, &old), offsets(start, &new));
    let changes = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changes.map(|op| edit(&old, &new, op)).collect()
}

/// Where each line starts, and where the last one ends.
fn offsets(start: usize, lines: &[&[u8]]) -> Vec<usize> {
    let ends = lines.iter().scan(start, |at, line| {
        *at += line.len();
        Some(*at)
    });
    std::iter::once(start).chain(ends).collect()
}

fn edit(old: &[usize], new: &[usize], op: &DiffOp) -> InputEdit {
    let (from, to) = (op.old_range(), op.new_range());
    let (start_byte, old_end_byte) = (old[from.start], old[from.end]);
    let new_end_byte = start_byte + (new[to.end] - new[to.start]);
    // Nobody asks for lines and columns.
    let point = |byte| Point::new(0, byte);
    InputEdit {
        start_byte,
        old_end_byte,
        new_end_byte,
        start_position: point(start_byte),
        old_end_position: point(old_end_byte),
        new_end_position: point(new_end_byte),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::edit::Traced;
    use crate::memo::Memo;
    use crate::syntax::{Definitions, Lexed, Parsed, parse, parse_again};
    use crate::text::Source;

    /// Each text is parsed behind the one before it, and by itself.
    fn same(texts: &[&str]) {
        let memo = Memo::default();
        for text in texts {
            let source = Source::new("a.c", text.as_bytes());
            let text = Traced::new(Arc::clone(&source.bytes));
            let defs = Definitions::default();
            let words = |parsed: &Parsed| {
                let nodes = parsed.outlines().map(|o| format!("{:?}", o.nodes));
                (nodes.collect::<Vec<_>>(), format!("{:?}", parsed.errors))
            };
            let lexed = Lexed::new(text.bytes());
            let again = parse_again(&source, &text, &lexed, &defs, (&memo, ""));
            assert_eq!(words(&again), words(&parse(&source, &text, &defs)), "{texts:?}");
        }
    }

    #[test]
    fn a_tree_is_the_same_whatever_was_parsed_before() {
        same(&[
            "int a;\nint f(int x)\n{\n    return x + 1;\n}\nint b;\n",
            "int a;\nint f(int x)\n{\n    return x - 1;\n}\nint b;\n",
            "int c;\nint a;\nint f(int x)\n{\n    return x * a;\n}\nint b, c;\nint d;",
            "",
            "int b;\nint b;\n",
            "int b;\nint b;\n",
            "int b;\n",
        ]);
    }

    #[test]
    fn errors_come_and_go() {
        same(&[
            "int f(void) { return 1; }\nint b;\n",
            "int f(void) { return 1 }\nint b;\n",
            "int f(void) { return 1; \nint b;\n",
            "int f(void) { return 1; }\nint b;\n",
        ]);
    }

    #[test]
    fn long_gaps_come_and_go() {
        let gap = " ".repeat(300);
        let texts = [
            format!("int a;{gap}\nint b;{gap}\nint c;\n"),
            format!("int a;\nint b;{gap}\nint c;\n"),
            format!("int a;{gap}x;\nint b; int d;{gap}\n{gap}\nint c;\n"),
            format!("{gap}{gap}int b;{gap}\nint c;\n"),
        ];
        same(&texts.each_ref().map(String::as_str));
    }

    #[test]
    fn differences_are_told_in_lines() {
        let all = |old: &str, new: &str| -> Vec<(usize, usize, usize)> {
            let edits = edits(old.as_bytes(), new.as_bytes());
            edits.iter().map(|e| (e.start_byte, e.old_end_byte, e.new_end_byte)).collect()
        };
        assert_eq!(all("a\nb\nc\n", "a\nb\nc\n"), []);
        assert_eq!(all("a\nb\nc\n", "a\nBB\nc\n"), [(2, 4, 5)]);
        assert_eq!(all("a\nb\nc\nd\ne\n", "b\nc\nd\nEEE\n"), [(0, 2, 0), (8, 10, 12)]);
        assert_eq!(all("", "a\n"), [(0, 0, 2)]);
        assert_eq!(all("a\nb", "a\n"), [(2, 3, 2)]);
    }
}
