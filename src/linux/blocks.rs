//! The changes of one file that are kept, as patches of the new text.

use std::ops::Range;

use super::hunks::Change;
use super::merge::{Patch, Places};

/// Changes that stand or fall together, with the lines that they need.
struct Block {
    ids: Vec<String>,
    base: Range<usize>,
    at: Range<usize>,
    changes: Vec<Change>,
}

impl Block {
    fn new(places: &Places<'_>, id: String, change: Change) -> Block {
        let (base, at) = match places.fits(&change) {
            Some(at) => (change.old.clone(), at),
            // What stands between the nearest lines that both releases have gives way.
            None => places.gap(&change),
        };
        Block { ids: vec![id], base, at, changes: vec![change] }
    }

    /// Whether the two need the same lines, or the same place between two.
    fn touches(&self, other: &Block) -> bool {
        other.base.start < self.base.end
            || other.at.start < self.at.end
            || other.base == self.base
            || other.at == self.at
    }

    fn join(&mut self, other: Block) {
        self.base = self.base.start..self.base.end.max(other.base.end);
        self.at = self.at.start.min(other.at.start)..self.at.end.max(other.at.end);
        self.changes.extend(other.changes);
        for id in other.ids {
            if !self.ids.contains(&id) {
                self.ids.push(id);
            }
        }
    }

    /// The lines in the block as the tree has them.
    fn patch(&self, old: &[&[u8]], tree: &[&[u8]], upstreamed: &[Change]) -> Patch {
        let within = |change: &&Change| {
            change.old.start >= self.base.start && change.old.end <= self.base.end
        };
        let mut changes: Vec<&Change> =
            self.changes.iter().chain(upstreamed.iter().filter(within)).collect();
        changes.sort_by_key(|change| (change.old.start, change.old.end));
        changes.dedup();
        let (mut lines, mut done) = (Vec::new(), self.base.start);
        for change in changes {
            lines.extend(owned(&old[done.min(change.old.start)..change.old.start]));
            lines.extend(owned(&tree[change.new.clone()]));
            done = change.old.end;
        }
        lines.extend(owned(&old[done..self.base.end.max(done)]));
        Patch { at: self.at.clone(), lines }
    }
}

/// The patches by which the new text gets the changes, each with the ids of those that it holds. Changes
/// that the new text has already count where lines have to be as in the tree.
pub(super) fn patches(
    places: &Places<'_>,
    (old, tree): (&[&[u8]], &[&[u8]]),
    kept: Vec<(String, Change)>,
    upstreamed: &[Change],
) -> Vec<(Vec<String>, Patch)> {
    let mut all: Vec<Block> =
        kept.into_iter().map(|(id, change)| Block::new(places, id, change)).collect();
    all.sort_by_key(|block| (block.base.start, block.base.end));
    let mut joined: Vec<Block> = Vec::new();
    for block in all {
        match joined.last_mut() {
            Some(last) if last.touches(&block) => last.join(block),
            _ => joined.push(block),
        }
    }
    let patch = |block: &Block| block.patch(old, tree, upstreamed);
    joined.iter().map(|block| (block.ids.clone(), patch(block))).collect()
}

fn owned(lines: &[&[u8]]) -> Vec<Vec<u8>> {
    lines.iter().map(|line| line.to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::hunks::{hunks, lines};
    use super::super::merge::apply;
    use super::*;

    /// Keeps all changes, each by its number.
    fn kept(base: &str, tree: &str, new: &str) -> (Vec<Vec<String>>, String) {
        let [base, tree, new] = [base, tree, new].map(|text| lines(text.as_bytes()));
        let places = Places::new(&base, &new);
        let changes = hunks(&base, &tree).concat().into_iter().enumerate();
        let changes = changes.map(|(n, change)| (n.to_string(), change)).collect();
        let found = patches(&places, (&base, &tree), changes, &[]);
        let (ids, all): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        (ids, String::from_utf8(apply(&new, &all).unwrap()).unwrap())
    }

    const BASE: &str = "int a = 1;\nint b = 2;\nint c = 3;\nint d = 4;\nint e = 5;\nint f = 6;\n";

    #[test]
    fn changes_in_one_gap_share_a_patch() {
        let tree = BASE.replace("b = 2", "b = 20").replace("d = 4", "d = 40");
        let new = "int a = 1;\nlong b;\nlong c;\nlong d;\nint e = 5;\nint f = 6;\n";
        let (ids, text) = kept(BASE, &tree, new);
        assert_eq!((ids, text), (vec![vec!["0".to_owned(), "1".to_owned()]], tree));
    }

    #[test]
    fn gaps_that_overlap_are_one() {
        // The first change goes over a line that the new text has, so its gap ends behind the second's.
        let tree = "int a = 1;\nint x;\nint d = 4;\nint y;\nint e = 5;\nint f = 6;\n";
        let new = "int a = 1;\nlong b;\nint c = 3;\nlong d;\nlong e;\nint f = 6;\n";
        let (ids, text) = kept(BASE, tree, new);
        assert_eq!(ids.concat(), ["0", "1"]);
        assert_eq!(text, tree);
    }

    #[test]
    fn changes_that_fit_stay_apart() {
        let tree = BASE.replace("b = 2", "b = 20").replace("d = 4", "d = 40");
        let (ids, text) = kept(BASE, &tree, &BASE.replace("f = 6", "f = 60"));
        assert_eq!((ids.len(), text), (2, tree.replace("f = 6", "f = 60")));
    }
}
