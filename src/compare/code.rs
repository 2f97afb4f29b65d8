//! The files that differ, line by line and function by function.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::Form;
use super::functions::{Forms, changed};
use super::kinds::kinds;
use super::result::{Class, Counts, FileReport, HunkReport, Kind, Line, Status};
use crate::finding::Result;
use crate::git::Side;
use crate::patch::{Change, FileChange, Version};
use crate::preprocess::lexer::{TokenKind, tokens};

/// All files that differ, with their functions and lines; causes, moves and figures come later.
pub(super) fn files(change: &Change, old: &Form, new: &Form) -> Result<Vec<FileReport>> {
    let reports = change.files().iter().map(|file| report(file, old, new));
    let mut reports: Vec<FileReport> = reports.collect();
    let forms = Forms::of(old, new);
    changed(&forms, change, &mut reports);
    Ok(reports)
}

fn report(file: &FileChange, old: &Form, new: &Form) -> FileReport {
    let status = match (&file.old, &file.new) {
        (None, _) => Status::Added,
        (_, None) => Status::Removed,
        _ if file.renamed_from().is_some() => Status::Renamed,
        _ => Status::Changed,
    };
    let from = file.renamed_from().map(|(path, _)| path.to_string());
    let before = file.old.as_ref().map_or(&file.path, |version| &version.path);
    let upstream = new.upstream.get(&file.path).or_else(|| old.upstream.get(before));
    FileReport {
        path: file.path.to_string(),
        from,
        status,
        class: class(file),
        upstream: upstream.map(ToString::to_string),
        lines: Counts::default(),
        causes: Default::default(),
        functions: Vec::new(),
        commits: Vec::new(),
        hunks: hunks(file),
    }
}

/// One side of a file in lines.
struct Lines<'t> {
    texts: Vec<&'t [u8]>,
    kinds: Vec<Kind>,
}

impl<'t> Lines<'t> {
    fn of(version: &'t Option<Version>) -> Lines<'t> {
        let Some(Version { path, bytes, .. }) = version else {
            return Lines { texts: Vec::new(), kinds: Vec::new() };
        };
        let texts = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        Lines { texts, kinds: kinds(path, bytes) }
    }

    fn line(&self, number: usize, mark: char) -> Line {
        let bytes = self.texts.get(number).copied().unwrap_or_default();
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let kind = self.kinds.get(number).copied().filter(|_| mark != ' ');
        Line {
            mark,
            text: String::from_utf8_lossy(text).into_owned(),
            kind,
            cause: None,
            moved: false,
            open: text.len() == bytes.len(),
        }
    }
}

fn hunks(file: &FileChange) -> Vec<HunkReport> {
    let (old, new) = (Lines::of(&file.old), Lines::of(&file.new));
    let within = file.within();
    let hunks = file.hunks.iter().zip(within).map(|(hunk, within)| {
        let start = |(first, count): (usize, usize)| if count == 0 { first } else { first - 1 };
        let (mut before, mut after) = (start(hunk.old), start(hunk.new));
        let lines = hunk.sides.iter().map(|side| {
            let line = match side {
                Side::Both => old.line(before, ' '),
                Side::Old => old.line(before, '-'),
                Side::New => new.line(after, '+'),
            };
            before += usize::from(*side != Side::New);
            after += usize::from(*side != Side::Old);
            line
        });
        let lines = lines.collect();
        let within = String::from_utf8_lossy(&within).into_owned();
        HunkReport { old: hunk.old, new: hunk.new, within, commits: Vec::new(), lines }
    });
    hunks.collect()
}

/// What kind of text differs at most.
fn class(file: &FileChange) -> Class {
    let (Some(old), Some(new)) = (&file.old, &file.new) else { return Class::Code };
    let is_c = matches!(file.path.extension(), Some("c" | "h" | "S"));
    if is_c {
        return match () {
            () if code_hash(&old.bytes) != code_hash(&new.bytes) => Class::Code,
            () => words_class(file),
        };
    }
    match lines_of(file).any(|kind| kind == Kind::Code) {
        true => Class::Code,
        false => words_class(file),
    }
}

/// Of a file whose code is the same.
fn words_class(file: &FileChange) -> Class {
    let (mut comments, mut licence) = (false, false);
    for kind in lines_of(file) {
        comments |= matches!(kind, Kind::Comment | Kind::Code);
        licence |= kind == Kind::Licence;
    }
    let texts = [&file.old, &file.new].map(|version| {
        version.as_ref().map(|version| squeezed(&version.bytes)).unwrap_or_default()
    });
    match (texts[0] == texts[1], comments, licence) {
        (true, ..) => Class::Blanks,
        (_, true, _) => Class::Comments,
        (_, false, true) => Class::Licence,
        _ => Class::Blanks,
    }
}

/// What stands in the lines that differ.
fn lines_of(file: &FileChange) -> impl Iterator<Item = Kind> {
    let hunks = hunks(file);
    hunks.into_iter().flat_map(|hunk| hunk.lines).filter_map(|line| line.kind)
}

fn squeezed(bytes: &[u8]) -> u64 {
    let mut hash = DefaultHasher::new();
    for byte in bytes.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        byte.hash(&mut hash);
    }
    hash.finish()
}

/// Says in short what a compiler reads, where lines end directives included.
fn code_hash(bytes: &[u8]) -> u64 {
    let mut hash = DefaultHasher::new();
    let mut directive = false;
    let mut line_start = true;
    for token in tokens(bytes) {
        if token.kind == TokenKind::Newline {
            if directive {
                b"\n".hash(&mut hash);
            }
            (directive, line_start) = (false, true);
        }
        if token.is_trivia() {
            continue;
        }
        let text = token.text(bytes);
        directive |= line_start && &*text == b"#";
        line_start = false;
        text.hash(&mut hash);
    }
    hash.finish()
}
