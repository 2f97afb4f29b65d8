//! Proposed edits, applied once, and the trace that leads every output byte back to upstream.
//!
//! A stage never changes text itself: it fills an [`EditSet`], and [`Traced::apply`] makes the next
//! text from it. The trace composes over stages, so the last text still knows the upstream bytes.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::text::{LineIndex, Span};

/// Name of a rule: `kind/id`, the path of its file below the ruleset without the suffix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleRef(Arc<str>);

impl RuleRef {
    /// The rule `id` of `kind`.
    pub fn new(kind: &str, id: &str) -> RuleRef {
        RuleRef(format!("{kind}/{id}").into())
    }

    /// `kind/id`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the slash.
    pub fn kind(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }
}

impl fmt::Display for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Put `text` in place of `span`, because `rules` say so.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Bytes of the stage's input that go; empty for an insertion.
    pub span: Span,
    /// What comes in their place.
    pub text: Vec<u8>,
    /// The rules at work, never empty.
    pub rules: Vec<RuleRef>,
}

/// Two edits that touch the same bytes: a fault of the rules, shown with both.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// The edit that starts first.
    pub first: Edit,
    /// The one that starts inside it.
    pub second: Edit,
}

/// The edits that one stage proposes for one file.
#[derive(Clone, Debug, Default)]
pub struct EditSet {
    edits: Vec<Edit>,
}

impl EditSet {
    /// Proposes to put `text` in place of `span`.
    pub fn replace(&mut self, span: Span, text: impl Into<Vec<u8>>, rule: &RuleRef) {
        self.push(span, text, vec![rule.clone()]);
    }

    /// Proposes to delete `span`.
    pub fn delete(&mut self, span: Span, rules: Vec<RuleRef>) {
        self.push(span, Vec::new(), rules);
    }

    /// Proposes an edit that several rules have a part in.
    pub fn push(&mut self, span: Span, text: impl Into<Vec<u8>>, rules: Vec<RuleRef>) {
        self.edits.push(Edit { span, text: text.into(), rules });
    }

    /// Whether nothing was proposed.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The edits in text order; insertions at one place keep the order in which they were proposed.
    fn ordered(mut self) -> Result<Vec<Edit>, Box<Overlap>> {
        self.edits.sort_by_key(|e| (e.span.start, e.span.end));
        for pair in self.edits.windows(2) {
            if let [a, b] = pair
                && b.span.start < a.span.end
            {
                return Err(Box::new(Overlap { first: a.clone(), second: b.clone() }));
            }
        }
        Ok(self.edits)
    }
}

/// Where a run of output bytes comes from.
#[derive(Clone, Debug)]
enum Piece {
    /// Upstream's own bytes.
    Kept { len: u32, from: u32 },
    /// Bytes (perhaps none: a deletion) that rules put in place of `from`.
    Made { len: u32, from: Span, rules: Vec<RuleRef> },
}

impl Piece {
    fn len(&self) -> u32 {
        match self {
            Piece::Kept { len, .. } | Piece::Made { len, .. } => *len,
        }
    }

    /// The upstream bytes that this piece stands for.
    fn from(&self) -> Span {
        match self {
            Piece::Kept { len, from } => Span { start: *from, end: from + len },
            Piece::Made { from, .. } => *from,
        }
    }

    /// The first `at` bytes and the rest. Made bytes are not divisible: both parts name the whole.
    fn split(self, at: u32) -> (Piece, Piece) {
        match self {
            Piece::Kept { len, from } => {
                (Piece::Kept { len: at, from }, Piece::Kept { len: len - at, from: from + at })
            }
            Piece::Made { len, from, rules } => (
                Piece::Made { len: at, from, rules: rules.clone() },
                Piece::Made { len: len - at, from, rules },
            ),
        }
    }
}

/// A run of a text and the upstream bytes that it stands for.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Bytes of the text; empty for a deletion.
    pub to: Span,
    /// Upstream's bytes.
    pub from: Span,
    /// The rules that made the run; `None` for upstream's own bytes.
    pub rules: Option<&'a [RuleRef]>,
}

/// What is known of one output line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineOrigin {
    /// The upstream bytes that the line stands for.
    pub from: Span,
    /// The rules that made, changed or deleted bytes in it, sorted; empty for an untouched line.
    pub rules: Vec<RuleRef>,
}

/// A text and the trace of how it came from upstream's.
#[derive(Clone, Debug)]
pub struct Traced {
    bytes: Arc<[u8]>,
    pieces: Vec<Piece>,
    /// Where each piece ends in the text; made when first asked for.
    ends: OnceLock<Vec<u32>>,
    fired: BTreeMap<RuleRef, usize>,
}

impl Traced {
    /// Upstream's text, untouched.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Traced {
        let bytes = bytes.into();
        let pieces = vec![Piece::Kept { len: bytes.len() as u32, from: 0 }];
        Traced { bytes, pieces, ends: OnceLock::new(), fired: BTreeMap::new() }
    }

    /// The text.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// How many edits each rule had a part in, over all stages so far.
    pub fn fired(&self) -> &BTreeMap<RuleRef, usize> {
        &self.fired
    }

    /// Applies one stage's edits.
    ///
    /// # Errors
    /// Two edits touch the same bytes; nothing is applied then.
    pub fn apply(self, edits: EditSet) -> Result<Traced, Box<Overlap>> {
        let edits = edits.ordered()?;
        if edits.is_empty() {
            return Ok(self);
        }
        let mut fired = self.fired;
        let made: usize = edits.iter().map(|edit| edit.text.len()).sum();
        let mut bytes = Vec::with_capacity(self.bytes.len() + made);
        let mut cut = Cutter::new(self.pieces);
        let mut at = 0;
        for edit in edits {
            bytes.extend_from_slice(&self.bytes[at..edit.span.start as usize]);
            bytes.extend_from_slice(&edit.text);
            at = edit.span.end as usize;
            for rule in &edit.rules {
                *fired.entry(rule.clone()).or_default() += 1;
            }
            cut.keep_until(edit.span.start);
            cut.replace_until(edit.span.end, edit.text.len() as u32, edit.rules);
        }
        bytes.extend_from_slice(&self.bytes[at..]);
        Ok(Traced { bytes: bytes.into(), pieces: cut.finish(), ends: OnceLock::new(), fired })
    }

    /// The runs that the text is made of, in order; together they stand for all of upstream's bytes.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let mut at = 0;
        self.pieces.iter().map(move |piece| {
            let to = Span { start: at, end: at + piece.len() };
            at = to.end;
            let rules = match piece {
                Piece::Kept { .. } => None,
                Piece::Made { rules, .. } => Some(rules.as_slice()),
            };
            Run { to, from: piece.from(), rules }
        })
    }

    /// The upstream bytes that the byte at `offset` stands for.
    pub fn upstream_span(&self, offset: u32) -> Span {
        let ends = self.ends();
        let at = ends.partition_point(|&end| end <= offset);
        match self.pieces.get(at) {
            Some(piece @ Piece::Kept { len, from }) => {
                let at = from + (offset + len - ends[at]);
                debug_assert!(at < piece.from().end);
                Span { start: at, end: at + 1 }
            }
            Some(Piece::Made { from, .. }) => *from,
            None => {
                let end = self.pieces.last().map_or(0, |p| p.from().end);
                Span { start: end, end }
            }
        }
    }

    fn ends(&self) -> &[u32] {
        self.ends.get_or_init(|| {
            let mut end = 0;
            let ends = self.pieces.iter().map(|piece| {
                end += piece.len();
                end
            });
            ends.collect()
        })
    }

    /// The upstream bytes that a run of bytes stands for.
    pub fn upstream_cover(&self, span: Span) -> Span {
        let first = self.upstream_span(span.start);
        if span.is_empty() {
            return Span { start: first.start, end: first.start };
        }
        first.cover(self.upstream_span(span.end - 1))
    }

    /// What is there by now of a run of upstream bytes: those that are left, and what came in the place
    /// of others, whole.
    pub fn left_of(&self, span: Span) -> Vec<u8> {
        let first = self.pieces.partition_point(|piece| piece.from().end < span.start);
        let before = first.checked_sub(1).and_then(|at| self.ends().get(at));
        let (mut out, mut at) = (Vec::new(), before.map_or(0, |end| *end as usize));
        let pieces = self.pieces.iter().skip(first);
        for piece in pieces.take_while(|piece| piece.from().start < span.end) {
            let (from, len) = (piece.from(), piece.len() as usize);
            let start = from.start.max(span.start);
            let end = from.end.min(span.end);
            let here = match piece {
                Piece::Kept { .. } if start < end => {
                    at + (start - from.start) as usize..at + (end - from.start) as usize
                }
                Piece::Made { .. } if start < end || span.range().contains(&(start as usize)) => {
                    at..at + len
                }
                _ => at..at,
            };
            out.extend_from_slice(&self.bytes[here]);
            at += len;
        }
        out
    }

    /// The origin of each output line, in order. A deletion belongs to the line it stands in; one
    /// of whole lines to the line after it.
    pub fn line_origins(&self) -> Vec<LineOrigin> {
        let index = LineIndex::new(&self.bytes);
        let mut lines: Vec<Option<LineOrigin>> = vec![None; index.line_count()];
        let mut start = 0u32;
        for piece in &self.pieces {
            let end = start + piece.len();
            let last = if piece.len() == 0 { start } else { end - 1 };
            let lines_of = index.position(start as usize).line..=index.position(last as usize).line;
            for line in lines_of {
                let from = line_part(piece, start, &index, line);
                let origin = lines[line - 1].get_or_insert(LineOrigin { from, rules: Vec::new() });
                origin.from = origin.from.cover(from);
                if let Piece::Made { rules, .. } = piece {
                    origin.rules.extend(rules.iter().cloned());
                }
            }
            start = end;
        }
        let mut last = Span::default();
        lines
            .into_iter()
            .map(|line| {
                let mut line = line.unwrap_or(LineOrigin { from: last, rules: Vec::new() });
                line.rules.sort();
                line.rules.dedup();
                last = line.from;
                line
            })
            .collect()
    }
}

/// The part of `piece`, which starts at output offset `start`, that lies in `line`, as upstream bytes.
fn line_part(piece: &Piece, start: u32, index: &LineIndex, line: usize) -> Span {
    match piece {
        Piece::Made { from, .. } => *from,
        Piece::Kept { len, from } => {
            let line_start = index.line_start(line).map_or(start, |at| at as u32);
            let line_end = index.line_start(line + 1).map_or(start + len, |at| at as u32);
            let first = line_start.max(start);
            let end = line_end.min(start + len).max(first);
            Span { start: from + (first - start), end: from + (end - start) }
        }
    }
}

/// Walks the old pieces and makes the new ones.
struct Cutter {
    old: std::vec::IntoIter<Piece>,
    rest: Option<Piece>,
    at: u32,
    new: Vec<Piece>,
}

impl Cutter {
    fn new(pieces: Vec<Piece>) -> Cutter {
        Cutter { old: pieces.into_iter(), rest: None, at: 0, new: Vec::new() }
    }

    /// The next piece, cut off at `end`; `None` at `end`. Empty pieces at `end` stay for later.
    fn take_until(&mut self, end: u32) -> Option<Piece> {
        if self.at >= end {
            return None;
        }
        let piece = self.rest.take().or_else(|| self.old.next())?;
        let piece = if self.at + piece.len() > end {
            let (head, tail) = piece.split(end - self.at);
            self.rest = Some(tail);
            head
        } else {
            piece
        };
        self.at += piece.len();
        Some(piece)
    }

    fn keep_until(&mut self, end: u32) {
        while let Some(piece) = self.take_until(end) {
            self.new.push(piece);
        }
    }

    fn replace_until(&mut self, end: u32, len: u32, rules: Vec<RuleRef>) {
        let mut all = rules;
        let mut from: Option<Span> = None;
        while let Some(piece) = self.take_until(end) {
            from = Some(from.map_or(piece.from(), |f| f.cover(piece.from())));
            if let Piece::Made { rules, .. } = piece {
                all.extend(rules);
            }
        }
        all.sort();
        all.dedup();
        let from = from.unwrap_or_else(|| {
            let at = match &self.rest {
                Some(piece) => piece.from().start,
                None => self.new.last().map_or(0, |p| p.from().end),
            };
            Span { start: at, end: at }
        });
        self.new.push(Piece::Made { len, from, rules: all });
    }

    fn finish(mut self) -> Vec<Piece> {
        self.new.extend(self.rest.take());
        self.new.extend(self.old);
        self.new
    }
}
