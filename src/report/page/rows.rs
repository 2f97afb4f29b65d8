//! Rows of two texts side by side: a number and a line, twice. Row and cell ends are left out, as HTML
//! allows, since a page has ten thousands of them.

use std::fmt::Write as _;

use super::text::push_code;
use super::words::{self, Marks};

/// A line with its number, counted from 1.
#[derive(Clone, Copy)]
pub(super) struct Cell<'t> {
    pub(super) number: usize,
    pub(super) text: &'t [u8],
    pub(super) moved: bool,
}

/// A line that both texts have.
pub(super) fn both(out: &mut String, (old, new): (usize, usize), text: &[u8]) {
    // Writing to a string can't fail.
    let _ = write!(out, "<tr><th>{old}<td>");
    push_code(out, text);
    let _ = write!(out, "<th>{new}<td>");
    push_code(out, text);
    out.push('\n');
}

/// Lines of one text beside those of the other that stand for them.
pub(super) fn pairs(out: &mut String, old: &[Cell<'_>], new: &[Cell<'_>]) {
    for at in 0..old.len().max(new.len()) {
        let (one, other) = (old.get(at), new.get(at));
        let marks = match (one, other) {
            (Some(one), Some(other)) => words::differing(one.text, other.text),
            _ => [Marks::new(), Marks::new()],
        };
        out.push_str("<tr>");
        cell(out, one, &marks[0], "del");
        cell(out, other, &marks[1], "ins");
        out.push('\n');
    }
}

fn cell(out: &mut String, cell: Option<&Cell<'_>>, marks: &Marks, tag: &str) {
    let Some(Cell { number, text, moved }) = cell else { return out.push_str("<th><td>") };
    let class = if *moved { " class=\"m\"" } else { "" };
    let _ = write!(out, "<th>{number}<td{class}>");
    let mut at = 0;
    for mark in marks {
        push_code(out, &text[at..mark.start]);
        let _ = write!(out, "<{tag}>");
        push_code(out, &text[mark.clone()]);
        let _ = write!(out, "</{tag}>");
        at = mark.end;
    }
    push_code(out, &text[at..]);
}
