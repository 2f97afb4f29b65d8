//! Blocks of lines that went in one place and came in another.

use std::collections::HashMap;

use super::result::FileReport;

/// Fewest lines of a block.
const FEWEST_LINES: usize = 3;
/// Fewest letters and digits of a block: brackets and blanks alone say nothing.
const FEWEST_LETTERS: usize = 20;
/// Lines within which a block must have these.
const LETTERS_WITHIN: usize = 64;
/// Places that one line is looked for at. More have it only where it says nothing by itself.
const MAX_PLACES: usize = 8;

/// A changed line: file, hunk, line.
type At = (usize, usize, usize);

/// Marks the lines of blocks that moved, both where they went and where they came. Each line that
/// went is looked for at a bounded number of places, and what was found isn't looked at again.
pub(super) fn mark(files: &mut [FileReport]) {
    let (went, came) = (changed(files, '-'), changed(files, '+'));
    let mut pairs = Vec::new();
    {
        let text = |at: At| files[at.0].hunks[at.1].lines[at.2].text.as_str();
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, at) in came.iter().enumerate() {
            let places = places.entry(text(*at)).or_default();
            if places.len() < MAX_PLACES {
                places.push(number);
            }
        }
        let mut used = vec![false; came.len()];
        let mut at = 0;
        while at < went.len() {
            let found = places.get(text(went[at])).into_iter().flatten().filter(|to| !used[**to]);
            let longest = found.map(|to| (block(&text, (&went, at), (&came, *to), &used), *to));
            let longest = longest.max_by_key(|(len, to)| (*len, std::cmp::Reverse(*to)));
            let Some((len, to)) = longest.filter(|(len, _)| *len > 0) else {
                at += 1;
                continue;
            };
            for n in 0..len {
                used[to + n] = true;
                pairs.push((went[at + n], came[to + n]));
            }
            at += len;
        }
    }
    for (went, came) in pairs {
        for (file, hunk, line) in [went, came] {
            files[file].hunks[hunk].lines[line].moved = true;
        }
    }
}

/// The places of all lines with one mark, in order.
fn changed(files: &[FileReport], mark: char) -> Vec<At> {
    let mut all = Vec::new();
    for (f, file) in files.iter().enumerate() {
        for (h, hunk) in file.hunks.iter().enumerate() {
            let lines = hunk.lines.iter().enumerate().filter(|(_, line)| line.mark == mark);
            all.extend(lines.map(|(l, _)| (f, h, l)));
        }
    }
    all
}

/// Length of the block that starts at two places, or 0 where it is too small to be one.
fn block<'t>(
    text: &dyn Fn(At) -> &'t str,
    (went, from): (&[At], usize),
    (came, to): (&[At], usize),
    used: &[bool],
) -> usize {
    // A block stands in one piece on both sides.
    let follows = |all: &[At], at: usize| {
        let (last, next) = (all[at - 1], all[at]);
        (last.0, last.1, last.2 + 1) == next
    };
    let (mut len, mut letters) = (0, 0);
    while let (Some(one), Some(other)) = (went.get(from + len), came.get(to + len)) {
        let apart = len > 0 && !(follows(went, from + len) && follows(came, to + len));
        let line = text(*one);
        if apart || used[to + len] || line != text(*other) {
            break;
        }
        letters += line.bytes().filter(u8::is_ascii_alphanumeric).count();
        len += 1;
        if len >= LETTERS_WITHIN && letters < FEWEST_LETTERS {
            return 0;
        }
    }
    if len >= FEWEST_LINES && letters >= FEWEST_LETTERS { len } else { 0 }
}
