//! Two texts line by line: changes, and the hunks that `diff -u` would show them in.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

/// Lines of context around a change.
pub(super) const CONTEXT: usize = 3;

/// The lines of a text, each with its end.
pub(super) fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Old lines that give way to new ones; either may be none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Change {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

impl Change {
    fn of(op: &DiffOp) -> Option<Change> {
        let same = matches!(op, DiffOp::Equal { .. });
        (!same).then(|| Change { old: op.old_range(), new: op.new_range() })
    }

    /// Lines that go and lines that come.
    pub(super) fn count(&self) -> usize {
        self.old.len() + self.new.len()
    }
}

/// All changes, in hunks: those within twice the context of each other stand in one.
pub(super) fn hunks(old: &[&[u8]], new: &[&[u8]]) -> Vec<Vec<Change>> {
    let ops = capture_diff_slices(Algorithm::Histogram, old, new);
    let groups = group_diff_ops(ops, CONTEXT);
    let hunks = groups.iter().map(|group| group.iter().filter_map(Change::of).collect());
    hunks.filter(|hunk: &Vec<Change>| !hunk.is_empty()).collect()
}

/// The line of the new text that each line of the old one became, where it stayed as it was.
pub(super) fn line_map(old: &[&[u8]], new: &[&[u8]]) -> Vec<Option<usize>> {
    let mut map = vec![None; old.len()];
    for op in capture_diff_slices(Algorithm::Histogram, old, new) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            for n in 0..len {
                map[old_index + n] = Some(new_index + n);
            }
        }
    }
    map
}

/// A hunk as text, with its context and without a header.
pub(super) fn shown(old: &[&[u8]], new: &[&[u8]], hunk: &[Change]) -> String {
    let mut out = String::new();
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return out };
    let mut at = first.old.start.saturating_sub(CONTEXT);
    for change in hunk {
        context(&mut out, &old[at..change.old.start]);
        marked(&mut out, '-', &old[change.old.clone()]);
        marked(&mut out, '+', &new[change.new.clone()]);
        at = change.old.end;
    }
    context(&mut out, &old[at..old.len().min(last.old.end + CONTEXT)]);
    out
}

fn context(out: &mut String, lines: &[&[u8]]) {
    marked(out, ' ', lines);
}

fn marked(out: &mut String, mark: char, lines: &[&[u8]]) {
    for line in lines {
        out.push(mark);
        out.push_str(String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']));
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_changes_share_a_hunk() {
        let old: Vec<String> = (0..40).map(|n| format!("line {n}\n")).collect();
        let mut new = old.clone();
        new[5] = "five\n".into();
        new[12] = "twelve\n".into();
        new.remove(30);
        let (old, new) = (old.concat(), new.concat());
        let (old, new) = (lines(old.as_bytes()), lines(new.as_bytes()));
        let hunks = hunks(&old, &new);
        assert_eq!(hunks.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(hunks[1][0], Change { old: 30..31, new: 30..30 });
        let text = shown(&old, &new, &hunks[1]);
        assert_eq!(text, " line 27\n line 28\n line 29\n-line 30\n line 31\n line 32\n line 33\n");
        assert_eq!(line_map(&old, &new)[29..32], [Some(29), None, Some(30)]);
    }

    #[test]
    fn equal_texts_have_none() {
        let text = lines(b"a\nb");
        assert!(hunks(&text, &text).is_empty());
        assert!(hunks(&[], &[]).is_empty());
    }
}
