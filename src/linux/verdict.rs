//! Whether a new release has a change already, by tokens: layout and comments don't matter, place does.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::preprocess::lexer::tokens;

/// Tokens on both sides that tell where a changed token stands.
const NEAR: usize = 2;
/// The same where tokens only go.
const NEAR_GONE: usize = 3;
/// Fewest tokens that are recognised by themselves, wherever in the place they stand.
const ALONE: usize = 4;
/// Tokens that may stand among those of a change that is in the new release in other words.
const SPREAD: usize = 40;

/// Most tokens that are compared one by one: a place has some hundred.
const MAX_TOKENS: usize = 20_000;

/// What the new release says of a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Verdict {
    /// No token changes: comments and layout only.
    Silent,
    /// It has the same tokens in the same place.
    Same,
    /// It has them in the same place and order, with others among them.
    OtherWords,
    /// It hasn't got them.
    Absent,
}

/// The tokens of a text, comments and white space left out.
pub(super) fn tokens_of(text: &[u8]) -> Vec<Vec<u8>> {
    tokens(text).filter(|token| !token.is_trivia()).map(|token| token.text(text).into()).collect()
}

/// Whether `piece` stands in `tokens`, without anything between.
pub(super) fn has(tokens: &[Vec<u8>], piece: &[Vec<u8>]) -> bool {
    !piece.is_empty() && tokens.windows(piece.len()).any(|window| window == piece)
}

/// Tokens that go and tokens that come in their place.
struct Edit {
    gone: Range<usize>,
    come: Range<usize>,
}

/// Of the places at which an insertion has the same effect, the first: it takes in whole statements
/// more often than the last, which a comparison finds.
fn early(tree: &[Vec<u8>], mut edit: Edit) -> Edit {
    while edit.gone.is_empty()
        && edit.gone.start > 0
        && edit.come.start > 0
        && tree[edit.come.start - 1] == tree[edit.come.end - 1]
    {
        edit.gone = edit.gone.start - 1..edit.gone.end - 1;
        edit.come = edit.come.start - 1..edit.come.end - 1;
    }
    edit
}

/// Judges a change from `base` to `tree`, which both include some lines around it; `new` is what the
/// new release has in that place.
pub(super) fn judge(base: &[u8], tree: &[u8], new: &[u8]) -> Verdict {
    judge_tokens(&tokens_of(base), &tokens_of(tree), &tokens_of(new))
}

/// The same for texts that are tokens already.
pub(super) fn judge_tokens(base: &[Vec<u8>], tree: &[Vec<u8>], new: &[Vec<u8>]) -> Verdict {
    // Text beyond this is nothing that a person has changed, and to compare it takes long.
    if base.len().max(tree.len()).max(new.len()) > MAX_TOKENS {
        return Verdict::Absent;
    }
    let edits: Vec<Edit> = capture_diff_slices(Algorithm::Myers, base, tree)
        .into_iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| early(tree, Edit { gone: op.old_range(), come: op.new_range() }))
        .collect();
    if edits.is_empty() {
        return Verdict::Silent;
    }
    if edits.iter().all(|edit| same(base, tree, new, edit)) {
        return Verdict::Same;
    }
    match in_other_words(base, tree, new, &edits) {
        true => Verdict::OtherWords,
        false => Verdict::Absent,
    }
}

/// Whether `new` has one edit of the tree, told by what stands around it, and `base` hasn't.
fn same(base: &[Vec<u8>], tree: &[Vec<u8>], new: &[Vec<u8>], edit: &Edit) -> bool {
    let near = if edit.come.is_empty() { NEAR_GONE } else { NEAR };
    let start = edit.come.start.saturating_sub(near);
    let end = tree.len().min(edit.come.end + near);
    let in_place = |piece: &[Vec<u8>]| has(new, piece) && !has(base, piece);
    let alone = edit.come.len() >= ALONE && in_place(&tree[edit.come.clone()]);
    (alone || in_place(&tree[start..end])) && is_gone(base, new, edit)
}

/// Whether what goes, with its neighbours, is less often in `new` than in `base`.
fn is_gone(base: &[Vec<u8>], new: &[Vec<u8>], edit: &Edit) -> bool {
    let piece = beside(base, edit);
    let count =
        |tokens: &[Vec<u8>]| tokens.windows(piece.len().max(1)).filter(|w| *w == piece).count();
    edit.gone.is_empty() || count(new) < count(base)
}

/// What goes, and its neighbours.
fn beside<'t>(base: &'t [Vec<u8>], edit: &Edit) -> &'t [Vec<u8>] {
    &base[edit.gone.start.saturating_sub(1)..base.len().min(edit.gone.end + 1)]
}

/// Whether all that comes stands in `new` in its order and close together, much of it side by side as
/// in the tree and some of that not so in `base`, and what goes is gone.
fn in_other_words(base: &[Vec<u8>], tree: &[Vec<u8>], new: &[Vec<u8>], edits: &[Edit]) -> bool {
    let come: Vec<&Vec<u8>> = edits.iter().flat_map(|edit| &tree[edit.come.clone()]).collect();
    if come.len() < ALONE || !spread(new, &come) {
        return false;
    }
    let side_by_side = |pair: &[&Vec<u8>], tokens: &[Vec<u8>]| {
        tokens.windows(2).any(|two| two[0] == *pair[0] && two[1] == *pair[1])
    };
    let pairs: Vec<_> = come.windows(2).filter(|pair| side_by_side(pair, new)).collect();
    if 2 * pairs.len() < come.len() || pairs.iter().all(|pair| side_by_side(pair, base)) {
        return false;
    }
    edits.iter().all(|edit| edit.gone.is_empty() || !has(new, beside(base, edit)))
}

/// Whether the tokens stand in order, in as many tokens as they are and [`SPREAD`] more.
fn spread(tokens: &[Vec<u8>], wanted: &[&Vec<u8>]) -> bool {
    let Some((first, rest)) = wanted.split_first() else { return false };
    let mut starts = (0..tokens.len()).filter(|at| tokens[*at] == **first);
    starts.any(|start| {
        let limit = tokens.len().min(start + wanted.len() + SPREAD);
        let mut left = tokens[start + 1..limit].iter();
        rest.iter().all(|token| left.any(|other| other == *token))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(base: &str, tree: &str, new: &str) -> Verdict {
        judge(base.as_bytes(), tree.as_bytes(), new.as_bytes())
    }

    #[test]
    fn layout_and_comments_change_nothing() {
        assert_eq!(verdict("int a; /* b */", "int  a;\n", "int c;"), Verdict::Silent);
        assert_eq!(verdict("f(t* p);", "f(u *p);", "f(u* p);"), Verdict::Same);
    }

    #[test]
    fn tokens_count_in_their_place() {
        let (base, tree) = ("copy(to, from, end - at);", "copy(to, from, stop - at);");
        assert_eq!(verdict(base, tree, "copy(to, from, stop - at, 1);"), Verdict::Same);
        assert_eq!(verdict(base, tree, "stop(); copy(to, from, end - at);"), Verdict::Absent);
        assert_eq!(verdict(base, tree, base), Verdict::Absent);
    }

    #[test]
    fn what_goes_must_be_gone() {
        let (base, tree) = ("short n[8]; int rows[1]; } s;", "short n[8]; int rows[]; } s;");
        assert_eq!(verdict(base, tree, "short n[9]; int rows[]; } s;"), Verdict::Same);
        assert_eq!(verdict(base, tree, base), Verdict::Absent);
        assert_eq!(verdict(base, tree, "short n[8]; } s;"), Verdict::Absent);
    }

    #[test]
    fn what_comes_beside_what_goes_is_no_exchange() {
        let (base, tree) = ("a(); f(x, y, 1); b();", "a(); g(x, y, z, 2); b();");
        assert_eq!(verdict(base, tree, tree), Verdict::Same);
        assert_eq!(
            verdict(base, tree, "a(); f(x, y, 1); b(); c(); g(x, y, z, 2);"),
            Verdict::Absent
        );
        let (base, tree) = ("a; if (x) lock(); b; c(d);", "a; if (x) b; c(d);");
        assert_eq!(verdict(base, tree, "e; if (x) b; c(d);"), Verdict::Same);
        assert_eq!(verdict(base, tree, "if (x) lock(); b; if (x) b; c(d);"), Verdict::Absent);
    }

    #[test]
    fn other_words_hold_the_tokens_in_order() {
        let base = "p = make(x); if (bad(fill(p, x))) { drop(p); return NULL; }";
        let tree =
            "p = make(x); if (!p) return NULL; if (bad(fill(p, x))) { drop(p); return NULL; }";
        let new = "p = make(x); if (!p || bad(fill(p, x))) { drop(p); return NULL; }";
        assert_eq!(verdict(base, tree, new), Verdict::OtherWords);
        assert_eq!(verdict(base, tree, base), Verdict::Absent);
        let elsewhere = "p = make(x, y); if (!q) { return 0; }";
        assert_eq!(verdict(base, tree, elsewhere), Verdict::Absent);
    }
}
