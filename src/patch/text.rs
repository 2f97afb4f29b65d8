//! The changes in the form of `git diff`.

use super::change::{Change, FileChange, Version};
use super::quote;
use crate::git::{Hunk, Side};
use crate::text::LineIndex;

/// Digits of a file's id: as many as the kernel's maintainers ask for.
const DIGITS: usize = 12;
/// Longest line that a hunk's head repeats, in bytes.
const LONGEST_CONTEXT: usize = 80;

pub(super) fn render(change: &Change) -> Vec<u8> {
    let mut out = Vec::new();
    for file in &change.files {
        head(file, &mut out);
        body(file, &mut out);
    }
    out
}

fn head(file: &FileChange, out: &mut Vec<u8>) {
    let path = |version: &Option<Version>| {
        let path = version.as_ref().map_or(&file.path, |version| &version.path);
        path.as_str().to_owned()
    };
    let (old, new) = (path(&file.old), path(&file.new));
    let prefixed = |prefix: &str, path: &str| quote::shown(&format!("{prefix}/{path}"));
    let (a, b) = (prefixed("a", &old), prefixed("b", &new));
    let mut text = format!("diff --git {a} {b}\n");
    let id = |version: &Option<Version>| {
        let id = version.as_ref().map(|version| version.id.to_string());
        id.unwrap_or_else(|| "0".repeat(DIGITS))[..DIGITS].to_owned()
    };
    let ids = format!("index {}..{}", id(&file.old), id(&file.new));
    match (&file.old, &file.new) {
        (None, _) => text += &format!("new file mode 100644\n{ids}\n"),
        (_, None) => text += &format!("deleted file mode 100644\n{ids}\n"),
        _ => {
            if let Some((_, percent)) = file.renamed_from() {
                let (old, new) = (quote::shown(&old), quote::shown(&new));
                text +=
                    &format!("similarity index {percent}%\nrename from {old}\nrename to {new}\n");
            }
            if id(&file.old) != id(&file.new) {
                text += &format!("{ids} 100644\n");
            }
        }
    }
    if !file.hunks.is_empty() {
        // The tab ends a name that holds blanks.
        let end = |path: &str| if path.contains(' ') { "\t\n" } else { "\n" };
        let side = |version: &Option<Version>, name: &str, path: &str| match version {
            Some(_) => format!("{name}{}", end(path)),
            None => "/dev/null\n".to_owned(),
        };
        text += &format!("--- {}+++ {}", side(&file.old, &a, &old), side(&file.new, &b, &new));
    }
    out.extend_from_slice(text.as_bytes());
}

/// One text and where its lines are.
struct Lines<'t> {
    text: &'t [u8],
    index: LineIndex,
}

impl<'t> Lines<'t> {
    fn of(version: &'t Option<Version>) -> Lines<'t> {
        let text = version.as_ref().map_or(&[][..], |version| &version.bytes);
        Lines { text, index: LineIndex::new(text) }
    }

    /// A line, counted from 1, with its end.
    fn get(&self, line: usize) -> &'t [u8] {
        let end = self.index.line_start(line + 1).unwrap_or(self.text.len());
        &self.text[self.index.line_start(line).unwrap_or(end)..end]
    }
}

fn body(file: &FileChange, out: &mut Vec<u8>) {
    let (old, new) = (Lines::of(&file.old), Lines::of(&file.new));
    for (hunk, within) in file.hunks.iter().zip(within(file)) {
        let range = |sign: char, (start, count): (usize, usize)| match count {
            1 => format!("{sign}{start}"),
            _ => format!("{sign}{start},{count}"),
        };
        let (before, after) = (range('-', hunk.old), range('+', hunk.new));
        out.extend_from_slice(format!("@@ {before} {after} @@").as_bytes());
        if !within.is_empty() {
            out.push(b' ');
            out.extend_from_slice(&within);
        }
        out.push(b'\n');
        lines(hunk, &old, &new, out);
    }
}

/// What each hunk of a file lies in, as its head repeats it.
pub(super) fn within(file: &FileChange) -> Vec<Vec<u8>> {
    let old = Lines::of(&file.old);
    let is_c = matches!(file.path.extension(), Some("c" | "h"));
    let mut context = Context { is_c, looked_at: 0, found: Vec::new() };
    let hunks = file.hunks.iter().map(|hunk| {
        context.above(hunk, &old);
        context.found.clone()
    });
    hunks.collect()
}

fn lines(hunk: &Hunk, old: &Lines<'_>, new: &Lines<'_>, out: &mut Vec<u8>) {
    let (mut old_line, mut new_line) = (hunk.old.0, hunk.new.0);
    for side in &hunk.sides {
        let (sign, line) = match side {
            Side::Both => (b' ', old.get(old_line)),
            Side::Old => (b'-', old.get(old_line)),
            Side::New => (b'+', new.get(new_line)),
        };
        old_line += usize::from(*side != Side::New);
        new_line += usize::from(*side != Side::Old);
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// The nearest line above a hunk that starts something: what the hunk lies in.
struct Context {
    is_c: bool,
    looked_at: usize,
    found: Vec<u8>,
}

impl Context {
    fn above(&mut self, hunk: &Hunk, old: &Lines<'_>) {
        let end = hunk.old.0 + usize::from(hunk.old.1 == 0);
        let lines = (self.looked_at + 1..end).rev().map(|line| old.get(line));
        if let Some(line) = { lines }.find(|line| starts_something(line, self.is_c)) {
            self.found = line[..line.len().min(LONGEST_CONTEXT)].trim_ascii_end().to_vec();
        }
        self.looked_at = self.looked_at.max(end.saturating_sub(1));
    }
}

/// Git's guess for any text is a line that starts with a letter. For C the kernel tells git of its
/// language, and labels are left out then.
fn starts_something(line: &[u8], is_c: bool) -> bool {
    let letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    match line.first() {
        Some(&first) if letter(first) => !(is_c && is_label(line)),
        Some(b'$') => !is_c,
        _ => false,
    }
}

/// `name:`, with nothing or a comment behind it.
fn is_label(line: &[u8]) -> bool {
    let name = line.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let Some(rest) = line[name..].strip_prefix(b":") else { return false };
    let rest = rest.trim_ascii();
    rest.is_empty() || rest.starts_with(b"//") || rest.starts_with(b"/*")
}
