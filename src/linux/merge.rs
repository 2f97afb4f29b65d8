//! Puts changes of one text onto another that came from the same base: a merge of three texts in
//! which each change is decided for itself.

use std::ops::Range;

use super::hunks::{Change, line_map};
use super::verdict::tokens_of;

/// Lines with a token or two stand anywhere; one of these many tells where it is.
const TELLING: usize = 3;
/// Telling lines on each side of a change that its place in the new text is looked for between.
const ANCHORS: usize = 8;
/// Farthest that such a line is looked for, in lines.
const REACH: usize = 60;

/// Where the lines of a base text went in a new one.
pub(super) struct Places<'t> {
    base: &'t [&'t [u8]],
    new: &'t [&'t [u8]],
    map: Vec<Option<usize>>,
}

impl<'t> Places<'t> {
    pub(super) fn new(base: &'t [&'t [u8]], new: &'t [&'t [u8]]) -> Places<'t> {
        Places { base, new, map: line_map(base, new) }
    }

    /// The lines of the new text that a change replaces without touching what the release changed;
    /// `None` where there are none such.
    pub(super) fn fits(&self, change: &Change) -> Option<Range<usize>> {
        let Range { start, end } = change.old.clone();
        if start == end {
            return self.between(start).map(|at| at..at);
        }
        let first = self.map[start]?;
        let in_line = (start..end).all(|line| self.map[line] == Some(first + line - start));
        let telling = (start..end).any(|line| is_telling(self.base[line]));
        // Lines that could stand anywhere are known by their neighbours.
        let held = || self.between(start) == Some(first) && self.between(end).is_some();
        (in_line && (telling || held())).then(|| first..first + (end - start))
    }

    /// The place between two lines that are still neighbours.
    fn between(&self, line: usize) -> Option<usize> {
        let before = line.checked_sub(1).map(|before| self.map[before]);
        match (before, self.map.get(line)) {
            (None, None) => Some(0),
            (None, Some(after)) => after.filter(|after| *after == 0),
            (Some(before), None) => before.map(|at| at + 1).filter(|at| *at == self.new.len()),
            (Some(before), Some(after)) => match (*before.as_ref()?, *after.as_ref()?) {
                (before, after) if before + 1 == after => Some(after),
                _ => None,
            },
        }
    }

    /// The place of new lines beside a line that tells where it is, or at an end of the text, where they
    /// may stand behind or before others that are new.
    pub(super) fn beside(&self, change: &Change, come: &[Vec<u8>]) -> Option<Range<usize>> {
        let at = change.old.start;
        let goes_on = |line: &[u8]| line.trim_ascii_end().ends_with(b"\\");
        let telling = |line: &usize| is_telling(self.base[*line]);
        let before = at.checked_sub(1).filter(telling).and_then(|line| self.map[line]);
        let after = Some(at).filter(|at| *at < self.base.len()).filter(telling);
        let place = match (before, after.and_then(|line| self.map[line])) {
            _ if !change.old.is_empty() => None,
            (_, Some(after)) => Some(after),
            (Some(before), None) => Some(before + 1),
            (None, None) if at == self.base.len() => Some(self.new.len()),
            (None, None) => None,
        };
        // Lines must not get into a list that goes on, nor swallow what stands behind them.
        let last = come.last().is_some_and(|line| goes_on(line));
        let in_list = |at: usize| at > 0 && goes_on(self.new[at - 1]);
        place.filter(|at| in_list(*at) == last).map(|at| at..at)
    }

    /// The lines of base and new text in which a change has to be looked for: up to some lines that
    /// both have and that tell where they are.
    pub(super) fn around(&self, change: &Change) -> (Range<usize>, Range<usize>) {
        let before = (0..change.old.start).rev().take(REACH);
        let after = (change.old.end..self.base.len()).take(REACH);
        let anchors = |lines: &mut dyn Iterator<Item = usize>| {
            let held =
                lines.filter(|line| self.map[*line].is_some() && is_telling(self.base[*line]));
            held.take(ANCHORS).last()
        };
        let start = anchors(&mut before.into_iter());
        let end = anchors(&mut after.into_iter());
        let new = |line: Option<usize>| line.and_then(|line| self.map[line]);
        let new_start = new(start).unwrap_or(0);
        let new_end = new(end).map_or(self.new.len(), |line| line + 1);
        let base = start.unwrap_or(0)..end.map_or(self.base.len(), |line| line + 1);
        (base, new_start..new_end.max(new_start))
    }

    /// The lines of base and new text between the nearest lines that both have: what has to give way
    /// where a change is kept although it doesn't fit.
    pub(super) fn gap(&self, change: &Change) -> (Range<usize>, Range<usize>) {
        let before = (0..change.old.start).rev().find(|line| self.map[*line].is_some());
        let after = (change.old.end..self.base.len()).find(|line| self.map[*line].is_some());
        let new_start = before.and_then(|line| self.map[line]).map_or(0, |line| line + 1);
        let new_end = after.and_then(|line| self.map[line]).unwrap_or(self.new.len());
        let base = before.map_or(0, |line| line + 1)..after.unwrap_or(self.base.len());
        // Where no line of the base is in between, nothing has to give way.
        let new_end = if base.is_empty() { new_start } else { new_end.max(new_start) };
        (base, new_start..new_end)
    }
}

/// Whether a line has enough tokens to tell where it is.
fn is_telling(line: &[u8]) -> bool {
    tokens_of(line).len() >= TELLING
}

/// Lines of the new text that give way, and what comes in their place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Patch {
    pub(super) at: Range<usize>,
    pub(super) lines: Vec<Vec<u8>>,
}

/// Applies patches, which may stand in any order; `None` where two overlap.
pub(super) fn apply(new: &[&[u8]], patches: &[Patch]) -> Option<Vec<u8>> {
    let mut sorted: Vec<&Patch> = patches.iter().collect();
    sorted.sort_by_key(|patch| (patch.at.start, patch.at.end));
    let (mut out, mut at) = (Vec::new(), 0);
    for patch in sorted {
        if patch.at.start < at {
            return None;
        }
        out.extend(new[at..patch.at.start].iter().copied().flatten());
        out.extend(patch.lines.iter().flatten());
        at = patch.at.end;
    }
    out.extend(new[at..].iter().copied().flatten());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::super::hunks::{hunks, lines};
    use super::*;

    const BASE: &str = "int a = 1;\nint b = 2;\n\nint c = 3;\n}\nint d = 4;\nint e = 5;\n";

    fn merged(tree: &str, new: &str) -> Option<String> {
        three(BASE, tree, new)
    }

    fn three(base: &str, tree: &str, new: &str) -> Option<String> {
        let (base, tree, new) =
            (lines(base.as_bytes()), lines(tree.as_bytes()), lines(new.as_bytes()));
        let places = Places::new(&base, &new);
        let mut patches = Vec::new();
        for change in hunks(&base, &tree).concat() {
            let lines = tree[change.new.clone()].iter().map(|line| line.to_vec()).collect();
            patches.push(Patch { at: places.fits(&change)?, lines });
        }
        apply(&new, &patches).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn changes_apart_are_merged() {
        let tree = BASE.replace("c = 3", "c = 30").replace("int e = 5;\n", "int e = 5;\nint f;\n");
        let new = BASE.replace("a = 1", "a = 10");
        let both = tree.replace("a = 1", "a = 10");
        assert_eq!(merged(&tree, &new), Some(both));
        assert_eq!(merged(BASE, &new), Some(new));
    }

    #[test]
    fn a_telling_line_may_have_new_neighbours() {
        let tree = BASE.replace("d = 4", "d = 40");
        let new = BASE.replace("}\n", "} /* x */\n").replace("e = 5", "e = 50");
        assert_eq!(merged(&tree, &new), Some(new.replace("d = 4", "d = 40")));
    }

    #[test]
    fn what_both_change_is_refused() {
        assert_eq!(merged(&BASE.replace("c = 3", "c = 30"), &BASE.replace("c = 3", "c")), None);
        assert_eq!(
            merged(&BASE.replace("}\n", "};\n"), &BASE.replace("}\nint d = 4;\n", "}\n")),
            None
        );
        // New lines where the release has new lines too have no place of their own.
        let more = |text: &str| BASE.replace("int d", &format!("{text}int d"));
        assert_eq!(merged(&more("int x;\n"), &more("int y;\n")), None);
    }

    #[test]
    fn any_two_changes_apart_are_merged() {
        let base: Vec<String> = (0..12).map(|n| format!("int v{n} = {n};\n")).collect();
        let edits: [fn(&str) -> String; 3] =
            [|line| line.replace('=', "+="), |_| String::new(), |line| format!("{line}int w;\n")];
        for (i, mine) in (0..12).flat_map(|at| edits.map(|edit| (at, edit))) {
            for (j, theirs) in (0..12).flat_map(|at| edits.map(|edit| (at, edit))) {
                let mut texts = [base.clone(), base.clone(), base.clone()];
                texts[0][i] = mine(&base[i]);
                texts[1][j] = theirs(&base[j]);
                if i.abs_diff(j) < 2 {
                    continue;
                }
                texts[2][i] = mine(&base[i]);
                texts[2][j] = theirs(&base[j]);
                let [tree, new, both] = texts.map(|lines| lines.concat());
                assert_eq!(three(&base.concat(), &tree, &new), Some(both), "{i} {j}");
            }
        }
    }

    #[test]
    fn the_gap_of_an_insertion_takes_nothing_away() {
        let more = |text: &str| BASE.replace("int d", &format!("{text}int d"));
        let (tree, new) = (more("int x;\n"), more("int y;\n"));
        let (base, tree, new) =
            (lines(BASE.as_bytes()), lines(tree.as_bytes()), lines(new.as_bytes()));
        let change = hunks(&base, &tree).concat().remove(0);
        assert_eq!(Places::new(&base, &new).gap(&change), (5..5, 5..5));
        let changed = BASE.replace("d = 4", "d");
        let changed = lines(changed.as_bytes());
        let places = Places::new(&base, &changed);
        let change = Change { old: 5..6, new: 5..6 };
        assert_eq!((places.fits(&change), places.gap(&change)), (None, (5..6, 5..6)));
    }

    #[test]
    fn overlapping_patches_are_refused() {
        let patch = |at: Range<usize>| Patch { at, lines: vec![b"x\n".to_vec()] };
        let new = lines(BASE.as_bytes());
        assert!(apply(&new, &[patch(1..3), patch(2..4)]).is_none());
        assert!(apply(&new, &[patch(2..4), patch(1..2)]).is_some());
    }
}
