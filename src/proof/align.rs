//! Holds the tokens before against the tokens after, by where the trace says they come from.

use std::borrow::Cow;
use std::collections::BTreeSet;

use biodivine_lib_bdd::Bdd;

use super::algebra::Algebra;
use super::explain::{Definition, Rewrites, Section};
use super::reading::{Item, Reading};
use crate::edit::{RuleRef, Run, Traced};
use crate::preprocess::lexer::unspliced;
use crate::text::Span;

/// Most differences that are told of one file: the first ones tell, the others follow.
const MAX_DIFFERENCES: usize = 5;

/// Bytes that the stages left as they were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    from: Span,
    to: Span,
}

/// The runs of bytes that stayed, those that only an edit elsewhere parted joined again.
pub(super) fn kept(text: &Traced) -> Vec<Kept> {
    let mut all: Vec<Kept> = Vec::new();
    for Run { from, to, rules } in text.runs().filter(|run| !run.to.is_empty()) {
        match all.last_mut() {
            _ if rules.is_some() => {}
            Some(last) if last.from.end == from.start && last.to.end == to.start => {
                last.from.end = from.end;
                last.to.end = to.end;
            }
            _ => all.push(Kept { from, to }),
        }
    }
    all
}

/// Whether the bytes that are said to have stayed did.
pub(super) fn holds(kept: &[Kept], before: &[u8], after: &[u8]) -> bool {
    kept.iter().all(|kept| {
        let (from, to) = (before.get(kept.from.range()), after.get(kept.to.range()));
        from.is_some() && from == to
    })
}

/// Goes along the bytes that stayed: asked in text order, it looks at each run once.
pub(super) struct Cursor<'a> {
    kept: &'a [Kept],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(kept: &'a [Kept]) -> Cursor<'a> {
        Cursor { kept, at: 0 }
    }

    /// [`image`], for places in text order.
    fn image(&mut self, from: Span) -> Option<Span> {
        while self.kept.get(self.at).is_some_and(|kept| kept.from.end <= from.start) {
            self.at += 1;
        }
        inside(self.kept.get(self.at)?, from)
    }

    /// [`is_kept`], for places in text order.
    fn is_kept(&mut self, to: Span) -> bool {
        while self.kept.get(self.at).is_some_and(|kept| kept.to.end <= to.start) {
            self.at += 1;
        }
        self.kept.get(self.at).is_some_and(|k| k.to.start <= to.start && to.end <= k.to.end)
    }
}

fn inside(kept: &Kept, from: Span) -> Option<Span> {
    if from.start < kept.from.start || kept.from.end < from.end {
        return None;
    }
    let start = kept.to.start + (from.start - kept.from.start);
    Some(Span { start, end: start + (from.end - from.start) })
}

fn covers(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Where upstream's bytes are afterwards, where they all stayed.
pub(super) fn image(kept: &[Kept], from: Span) -> Option<Span> {
    let at = kept.partition_point(|kept| kept.from.end <= from.start);
    inside(kept.get(at)?, from)
}

/// Whether all of these bytes are upstream's.
pub(super) fn is_kept(kept: &[Kept], to: Span) -> bool {
    let at = kept.partition_point(|kept| kept.to.end <= to.start);
    kept.get(at).is_some_and(|k| k.to.start <= to.start && to.end <= k.to.end)
}

/// One side of the comparison.
pub(super) struct Side<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) reading: &'a Reading,
    /// When each run is part of what the compiler sees.
    pub(super) presence: &'a [Bdd],
}

impl Side<'_> {
    fn presence(&self, item: &Item) -> &Bdd {
        &self.presence[item.run]
    }

    pub(super) fn is_dead(&self, item: &Item) -> bool {
        self.presence(item).is_false()
    }

    fn raw(&self, item: &Item) -> &[u8] {
        &self.bytes[item.span.range()]
    }

    pub(super) fn text(&self, item: &Item) -> Cow<'_, [u8]> {
        unspliced(self.raw(item))
    }

    /// The run that a conditional directive at `offset` ends.
    fn run_at(&self, offset: u32) -> usize {
        self.reading.steps.partition_point(|(_, directive)| directive.lead < offset)
    }
}

/// A difference of meaning.
#[derive(Debug)]
pub(super) enum Difference {
    /// A token of upstream's (place) is gone although some setting has it.
    Gone(Span, Bdd),
    /// A token (place afterwards) that upstream hasn't.
    New(Span),
    /// A token of upstream's (place) is there under other settings.
    Presence(Span, Bdd),
    /// A token (places before and after) became another one, which no rule says.
    Changed(Span, Span),
}

/// Compares both sides.
pub(super) struct Comparison<'a> {
    pub(super) before: Side<'a>,
    pub(super) after: Side<'a>,
    pub(super) kept: &'a [Kept],
    /// The runs that rules made.
    pub(super) made: Vec<Run<'a>>,
    pub(super) rewrites: &'a Rewrites<'a>,
    /// The sections before that rules leave out.
    pub(super) sections: Vec<Section<'a>>,
    pub(super) algebra: &'a Algebra,
    pub(super) differences: Vec<Difference>,
    /// The rules that made tokens others, or left them out, where a compiler sees them.
    pub(super) rewritten: BTreeSet<RuleRef>,
    /// Two runs that were seen to be there under the same settings.
    pub(super) same: Option<(usize, usize)>,
}

impl<'a> Comparison<'a> {
    /// Goes along both token lists. What stayed must pair up; what stands between two pairs must be
    /// what rules say.
    pub(super) fn run(&mut self) {
        let (mut i, mut j) = (0, 0);
        let (mut images, mut stayed) = (Cursor::new(self.kept), Cursor::new(self.kept));
        loop {
            let (first, second) = (i, j);
            let before: &'a [Item] = &self.before.reading.items;
            let after: &'a [Item] = &self.after.reading.items;
            let mut target = None;
            while let Some(item) = before.get(i) {
                target = images.image(item.span);
                if target.is_some() {
                    break;
                }
                i += 1;
            }
            j += after[j..].iter().take_while(|t| !stayed.is_kept(t.span)).count();
            let (gone, new) = (&before[first..i], &after[second..j]);
            let (a, b) = (before.get(i).copied(), after.get(j).copied());
            if !gone.is_empty() || !new.is_empty() {
                self.gap(gone, new);
            }
            if self.differences.len() >= MAX_DIFFERENCES {
                return;
            }
            match (a, b, target) {
                (None, None, _) => return,
                (Some(a), Some(b), Some(target)) if target == b.span => {
                    self.pair(&a, &b);
                    (i, j) = (i + 1, j + 1);
                }
                // Bytes that stayed are read otherwise now.
                (Some(a), b, Some(target)) if b.is_none_or(|b| target.start <= b.span.start) => {
                    self.unpaired(&a);
                    i += 1;
                }
                (_, Some(b), _) => {
                    self.differences.push(Difference::New(b.span));
                    j += 1;
                }
                (Some(a), None, _) => {
                    self.unpaired(&a);
                    i += 1;
                }
            }
        }
    }

    fn unpaired(&mut self, item: &Item) {
        let presence = self.before.presence(item).clone();
        if !presence.is_false() {
            self.differences.push(Difference::Gone(item.span, presence));
        }
    }

    fn pair(&mut self, a: &Item, b: &Item) {
        // Their bytes are the same: see `holds`.
        let same = a.kind == b.kind && a.place == b.place;
        if !same && !self.before.is_dead(a) {
            self.differences.push(Difference::Changed(a.span, b.span));
        } else {
            self.same_presence(a, b);
        }
    }

    fn same_presence(&mut self, a: &Item, b: &Item) {
        if self.same == Some((a.run, b.run)) {
            return;
        }
        let (f, g) = (self.before.presence(a), self.after.presence(b));
        if f != g {
            let when = self.algebra.differ(f, g);
            self.differences.push(Difference::Presence(a.span, when));
        } else {
            self.same = Some((a.run, b.run));
        }
    }

    /// Tokens that went or were touched, and those that came: each as its rules say.
    fn gap(&mut self, gone: &[Item], new: &[Item]) {
        let mut new = new.iter().peekable();
        for item in
            gone.iter().filter(|item| !self.before.is_dead(item)).copied().collect::<Vec<_>>()
        {
            self.definitions(&mut new, item.span.start);
            let rules = self.rules_at(item.span);
            let mut sections = self.sections.iter();
            if let Some((rule, _)) =
                sections.find(|(r, s)| rules.contains(r) && covers(*s, item.span))
            {
                self.rewritten.insert((*rule).clone());
                continue;
            }
            let Some(expected) = self.rewrites.of(item.kind, &self.before.text(&item), &rules)
            else {
                let presence = self.before.presence(&item).clone();
                self.differences.push(Difference::Gone(item.span, presence));
                continue;
            };
            if expected.len() != 1 || expected[0] != *self.before.text(&item) {
                self.rewritten.extend(rules);
            }
            for text in expected {
                let Some(found) = new.next().copied() else {
                    let presence = self.before.presence(&item).clone();
                    self.differences.push(Difference::Gone(item.span, presence));
                    break;
                };
                // A name that moved onto or off the line of a directive is another one.
                if *self.after.text(&found) != text || found.place.0 != item.place.0 {
                    self.differences.push(Difference::Changed(item.span, found.span));
                } else {
                    self.same_presence(&item, &found);
                }
            }
        }
        self.definitions(&mut new, u32::MAX);
        self.differences.extend(new.map(|item| Difference::New(item.span)));
    }

    /// Passes the tokens of definitions that stand in place of a default, up to upstream's `before`.
    fn definitions(
        &mut self,
        new: &mut std::iter::Peekable<std::slice::Iter<'_, Item>>,
        before: u32,
    ) {
        while let Some(first) = new.peek() {
            let run = self
                .made
                .iter()
                .find(|r| r.to.start <= first.span.start && first.span.end <= r.to.end);
            let Some(run) = run.filter(|run| run.from.start < before) else { return };
            let (run, wanted) = (*run, self.rewrites.definitions(run.rules.unwrap_or_default()));
            let (to, place) = (run.to, self.before.run_at(run.from.start));
            let all: Vec<Item> =
                new.clone().take_while(|item| item.span.end <= to.end).copied().collect();
            if !wanted.iter().any(|wanted| self.is_definition(wanted, &all, run.from)) {
                return;
            }
            let expected = &self.before.presence[place];
            if let Some(found) = all.first()
                && self.after.presence(found) != expected
            {
                let when = self.algebra.differ(expected, self.after.presence(found));
                self.differences.push(Difference::Presence(run.from, when));
            }
            all.iter().for_each(|_| _ = new.next());
            self.rewritten.extend(run.rules.unwrap_or_default().iter().cloned());
        }
    }

    /// Whether tokens are a definition, on a line of its own, and stand for one of upstream's of the
    /// same name.
    fn is_definition(&self, wanted: &Definition<'_>, found: &[Item], from: Span) -> bool {
        let is = |(at, (item, (text, blank))): (usize, (&Item, &(Vec<u8>, bool)))| {
            *self.after.text(item) == **text && item.place == (true, at == 0, at > 1 && *blank)
        };
        let mut pairs = found.iter().zip(&wanted.tokens).enumerate();
        let inside = self.before.reading.items.iter();
        let inside = inside.filter(|item| item.place.0 && covers(from, item.span));
        let inside: Vec<_> = inside.map(|item| self.before.text(item)).collect();
        let own =
            |pair: &[Cow<'_, [u8]>]| *pair[0] == *b"define" && *pair[1] == *wanted.name.as_bytes();
        found.len() == wanted.tokens.len() && pairs.all(is) && inside.windows(2).any(own)
    }

    /// The rules that touched bytes of upstream's.
    fn rules_at(&self, span: Span) -> Vec<RuleRef> {
        let first = self.made.partition_point(|run| run.from.end < span.start);
        let runs = self.made[first..].iter().take_while(|run| run.from.start <= span.end);
        let touching = runs.filter(|run| run.from.start < span.end && span.start < run.from.end);
        touching.flat_map(|run| run.rules.unwrap_or_default()).cloned().collect()
    }
}
