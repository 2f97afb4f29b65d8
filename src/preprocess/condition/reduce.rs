//! Decides a condition, or takes the operands out of it that are known.

use super::super::settings::{EntryId, Settings};
use super::parse::{Node, NodeKind, Parsed};
use super::{evaluate, truth_everywhere};
use crate::rules::Simplify;
use crate::text::Span;

/// A decision, or the bytes to take out.
#[derive(Debug)]
pub(super) struct Reduced {
    /// True or false in every world.
    pub decided: Option<bool>,
    /// Disjoint, in text order.
    pub cuts: Vec<Span>,
    /// Macros that had a part in it.
    pub used: Vec<EntryId>,
}

/// Judges a parsed condition.
pub(super) fn reduce(parsed: &Parsed, settings: &Settings) -> Reduced {
    let facts = Facts::new(parsed, settings);
    let mut reducer = Reducer { parsed, facts, cuts: Vec::new(), used: Vec::new() };
    let decided = match settings.simplify {
        Simplify::Full => reducer.full(settings),
        Simplify::Leading => reducer.leading(),
    };
    reducer.cuts.sort();
    reducer.used.sort_unstable();
    reducer.used.dedup();
    if decided.is_some() {
        reducer.cuts.clear();
    }
    Reduced { decided, cuts: reducer.cuts, used: reducer.used }
}

/// What is known of each node: its truth in all worlds, and whether a setting says so.
struct Facts {
    truth: Vec<Option<bool>>,
    touched: Vec<bool>,
}

impl Facts {
    fn new(parsed: &Parsed, settings: &Settings) -> Facts {
        let mut truth: Vec<Option<bool>> = Vec::new();
        for world in 0..settings.worlds() {
            let results = evaluate(parsed, settings, world);
            if world == 0 {
                truth = results.into_iter().map(|result| result.truth).collect();
                continue;
            }
            for (truth, result) in truth.iter_mut().zip(results) {
                *truth = truth.filter(|t| result.truth == Some(*t));
            }
        }
        let mut touched: Vec<bool> = Vec::with_capacity(parsed.nodes.len());
        for node in &parsed.nodes {
            let of = |index: u32| touched[index as usize];
            touched.push(match node.kind {
                NodeKind::Name(id) | NodeKind::Defined(id) | NodeKind::Call(id) => id.is_some(),
                NodeKind::Constant(_) | NodeKind::Opaque => false,
                NodeKind::Paren(a)
                | NodeKind::Not(a)
                | NodeKind::Plus(a)
                | NodeKind::Minus(a)
                | NodeKind::Complement(a) => of(a),
                NodeKind::And(a, b)
                | NodeKind::Or(a, b)
                | NodeKind::Comma(a, b)
                | NodeKind::Binary(_, a, b) => of(a) || of(b),
                NodeKind::Ternary(a, b, c) => of(a) || of(b) || of(c),
            });
        }
        Facts { truth, touched }
    }

    /// The truth of a node, if the settings have a part in it: constants alone stay as they are.
    fn known(&self, index: u32) -> Option<bool> {
        self.truth[index as usize].filter(|_| self.touched[index as usize])
    }
}

struct Reducer<'a> {
    parsed: &'a Parsed,
    facts: Facts,
    cuts: Vec<Span>,
    used: Vec<EntryId>,
}

impl Reducer<'_> {
    fn node(&self, index: u32) -> &Node {
        &self.parsed.nodes[index as usize]
    }

    fn root(&self) -> u32 {
        (self.parsed.nodes.len() - 1) as u32
    }

    /// Takes out `from..to`, because the operand `why` is known.
    fn cut(&mut self, from: u32, to: u32, why: u32) {
        self.cuts.push(Span { start: from, end: to });
        self.note_used(why);
    }

    /// Notes the macros below a node; operands stand right before their operator, so that a subtree
    /// is a run of nodes.
    fn note_used(&mut self, index: u32) {
        let start = self.node(index).span.start;
        let nodes = &self.parsed.nodes[..=index as usize];
        for node in nodes.iter().rev().take_while(|node| node.span.start >= start) {
            if let NodeKind::Name(Some(id))
            | NodeKind::Defined(Some(id))
            | NodeKind::Call(Some(id)) = node.kind
            {
                self.used.push(id);
            }
        }
    }

    /// Every known operand that stands where only its truth counts is taken out.
    fn full(&mut self, settings: &Settings) -> Option<bool> {
        let root = self.root();
        if self.facts.touched[root as usize]
            && let Some(truth) = truth_everywhere(self.parsed, settings)
        {
            self.note_used(root);
            return Some(truth);
        }
        let mut work = vec![root];
        while let Some(index) = work.pop() {
            if self.facts.known(index).is_some() {
                // Only a branch of `? :` can be: it stays, for its value is another than its text.
                continue;
            }
            match self.node(index).kind {
                NodeKind::Paren(inner) | NodeKind::Not(inner) => work.push(inner),
                NodeKind::And(a, b) | NodeKind::Or(a, b) => self.junction(a, b, &mut work),
                NodeKind::Ternary(c, a, b) => self.ternary(c, a, b, &mut work),
                _ => {}
            }
        }
        None
    }

    /// An undecided `a && b` or `a || b`: a known operand can only be the neutral one.
    fn junction(&mut self, a: u32, b: u32, work: &mut Vec<u32>) {
        let (left, right) = (self.node(a).span, self.node(b).span);
        if self.facts.known(a).is_some() {
            self.cut(left.start, right.start, a);
            work.push(b);
        } else if self.facts.known(b).is_some() {
            self.cut(left.end, right.end, b);
            work.push(a);
        } else {
            work.push(a);
            work.push(b);
        }
    }

    fn ternary(&mut self, c: u32, a: u32, b: u32, work: &mut Vec<u32>) {
        let (condition, then, other) = (self.node(c).span, self.node(a).span, self.node(b).span);
        // Between `?` and `:` a comma needs no parentheses; elsewhere it would bind otherwise.
        let comma = matches!(self.node(a).kind, NodeKind::Comma(..));
        match self.facts.known(c) {
            Some(true) if comma => work.push(a),
            Some(true) => {
                self.cut(condition.start, then.start, c);
                self.cut(then.end, other.end, c);
                work.push(a);
            }
            Some(false) => {
                self.cut(condition.start, other.start, c);
                work.push(b);
            }
            None => work.extend([c, a, b]),
        }
    }

    /// Known `defined(X)` operands are taken off the front until one is not known; a leading name
    /// counts only where it decides the whole.
    fn leading(&mut self) -> Option<bool> {
        // The junctions that start where the condition starts, then the operand that leads.
        let mut spine = vec![self.root()];
        let mut behind_defined = false;
        loop {
            while let Some(NodeKind::And(first, _) | NodeKind::Or(first, _)) =
                spine.last().map(|&top| self.node(top).kind)
            {
                spine.push(first);
            }
            let operand = spine.pop()?;
            let is_defined = self.is_defined(operand);
            if !is_defined && !self.is_leading_name(operand, behind_defined) {
                return None;
            }
            let truth = self.facts.known(operand)?;
            while spine.last().is_some_and(|&junction| self.decides(junction, truth)) {
                spine.pop();
            }
            let Some(junction) = spine.pop() else {
                self.note_used(operand);
                return Some(truth);
            };
            if !is_defined {
                return None;
            }
            let (NodeKind::And(_, next) | NodeKind::Or(_, next)) = self.node(junction).kind else {
                return None;
            };
            // What leads now stood behind all that was taken off: one cut covers it.
            let from = self.node(self.root()).span.start;
            self.cuts.clear();
            self.cut(from, self.node(next).span.start, operand);
            behind_defined = true;
            spine.push(next);
        }
    }

    fn decides(&self, junction: u32, truth: bool) -> bool {
        match self.node(junction).kind {
            NodeKind::And(..) => !truth,
            NodeKind::Or(..) => truth,
            _ => false,
        }
    }

    fn is_defined(&self, index: u32) -> bool {
        match self.node(index).kind {
            NodeKind::Defined(_) => true,
            NodeKind::Not(inner) => matches!(self.node(inner).kind, NodeKind::Defined(_)),
            _ => false,
        }
    }

    /// `X` or `X >= n`; in parentheses only behind a `defined(X)` that was taken off.
    fn is_leading_name(&self, index: u32, behind_defined: bool) -> bool {
        match self.node(index).kind {
            NodeKind::Name(_) => true,
            NodeKind::Binary(_, a, b) => {
                matches!(self.node(a).kind, NodeKind::Name(_))
                    && matches!(self.node(b).kind, NodeKind::Constant(_))
            }
            NodeKind::Paren(inner) => behind_defined && self.is_leading_name(inner, true),
            _ => false,
        }
    }
}
