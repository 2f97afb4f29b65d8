use super::*;
use proptest::prelude::*;

fn rule(id: &str) -> RuleRef {
    RuleRef::new("test", id)
}

fn edits(list: &[(usize, usize, &str, &str)]) -> EditSet {
    let mut set = EditSet::default();
    for &(start, end, text, id) in list {
        set.replace(Span::new(start, end), text, &rule(id));
    }
    set
}

#[test]
fn edits_apply_in_text_order() {
    let text = Traced::new(&b"one two three"[..]);
    let text = text.apply(edits(&[(8, 13, "3", "c"), (0, 3, "1", "a")])).unwrap();
    assert_eq!(&**text.bytes(), b"1 two 3");
    assert_eq!(text.fired()[&rule("a")], 1);
}

#[test]
fn overlapping_edits_are_refused() {
    let text = Traced::new(&b"abcdef"[..]);
    let overlap = text.apply(edits(&[(0, 3, "x", "a"), (2, 4, "y", "b")])).unwrap_err();
    assert_eq!(overlap.first.rules, [rule("a")]);
    assert_eq!(overlap.second.rules, [rule("b")]);
}

#[test]
fn the_trace_composes_over_stages() {
    let text = Traced::new(&b"aa\nbb\ncc\n"[..]);
    let text = text.apply(edits(&[(0, 3, "", "gone")])).unwrap();
    let text = text.apply(edits(&[(3, 5, "CCC", "up")])).unwrap();
    assert_eq!(&**text.bytes(), b"bb\nCCC\n");
    let origins = text.line_origins();
    assert_eq!(origins[0].rules, [rule("gone")]);
    assert_eq!(origins[0].from, Span::new(0, 6));
    assert_eq!(origins[1].rules, [rule("up")]);
    assert_eq!(origins[1].from, Span::new(6, 9));
    assert_eq!(text.upstream_span(0), Span::new(3, 4));
    assert_eq!(text.upstream_cover(Span::new(0, 2)), Span::new(3, 5));
    let left = [(0, 3), (3, 6), (5, 7), (7, 9), (0, 9)];
    let left = left.map(|(from, to)| text.left_of(Span::new(from, to)));
    assert_eq!(left, [&b""[..], b"bb\n", b"\nCCC", b"CCC\n", b"bb\nCCC\n"]);
}

#[test]
fn an_edit_over_made_bytes_keeps_both_rules() {
    let text = Traced::new(&b"abc"[..]).apply(edits(&[(1, 2, "XX", "a")])).unwrap();
    let text = text.apply(edits(&[(2, 4, "", "b")])).unwrap();
    assert_eq!(&**text.bytes(), b"aX");
    assert_eq!(text.line_origins()[0].rules, [rule("a"), rule("b")]);
}

/// Two rounds of edits as (start, length, text), to be cut to what does not overlap.
fn rounds() -> impl Strategy<Value = Vec<Vec<(usize, usize, String)>>> {
    let edit = (0usize..30, 0usize..5, "[x-z]{0,4}");
    prop::collection::vec(prop::collection::vec(edit, 0..6), 1..4)
}

proptest! {
    #[test]
    fn application_is_that_of_a_plain_splice(text in "[a-c\n]{0,30}", rounds in rounds()) {
        let mut traced = Traced::new(text.clone().into_bytes());
        let mut plain = text.clone();
        for mut round in rounds {
            round.sort();
            let mut set = EditSet::default();
            let (mut next, mut taken) = (0, Vec::new());
            for (start, len, new) in round {
                let (start, end) = (start.min(plain.len()), (start + len).min(plain.len()));
                if start >= next {
                    set.replace(Span::new(start, end), new.clone(), &rule("r"));
                    // An insertion right behind is fine, one at the same place is not told apart.
                    next = end.max(start + 1);
                    taken.push((start, end, new));
                }
            }
            for (start, end, new) in taken.into_iter().rev() {
                plain.replace_range(start..end, &new);
            }
            traced = traced.apply(set).unwrap();
        }
        prop_assert_eq!(std::str::from_utf8(traced.bytes()).unwrap(), &plain);
        // Every byte that is upstream's own leads back to itself.
        for (offset, byte) in traced.bytes().iter().enumerate() {
            let span = traced.upstream_span(offset as u32);
            prop_assert!(span.end as usize <= text.len());
            if !b"xyz".contains(byte) {
                prop_assert_eq!(text.as_bytes()[span.start as usize], *byte);
            }
        }
        let lines = plain.matches('\n').count() + 1;
        prop_assert_eq!(traced.line_origins().len(), lines);
    }
}
