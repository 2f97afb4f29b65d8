//! Conditions of `#if` and `#elif`: true, false or not known, and the text that stays.

mod parse;
mod reduce;
#[cfg(test)]
mod tests;

use super::lexer::{TokenKind, directive_tokens};
use super::settings::{Entry, EntryId, Known, Settings};
use super::value::Value;
use crate::text::Span;

use parse::{Node, NodeKind, Parsed, parse};
use reduce::{Reduced, reduce};

/// What a condition comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// True, false, or not known: then `cuts` shorten it.
    pub decided: Option<bool>,
    /// Bytes to take out of an undecided condition, in text order, disjoint.
    pub cuts: Vec<Span>,
    /// The macros of the settings that had a part in the decision or the cuts.
    pub used: Vec<EntryId>,
    /// Macros of the settings that stay in an undecided condition, with their places.
    pub left: Vec<(EntryId, Span)>,
}

impl Outcome {
    /// Nothing is known, nothing changes.
    pub fn unchanged() -> Outcome {
        Outcome { decided: None, cuts: Vec::new(), used: Vec::new(), left: Vec::new() }
    }
}

/// Evaluates the condition at `span` (the directive's body) and shortens it as the settings say.
pub fn judge(bytes: &[u8], span: Span, settings: &Settings) -> Outcome {
    let named = named_entries(bytes, span, settings);
    if named.is_empty() {
        return Outcome::unchanged();
    }
    let Some(parsed) = parse(bytes, span, settings) else {
        return Outcome { left: named, ..Outcome::unchanged() };
    };
    if named.iter().any(|(id, _)| settings.entry(*id).open) {
        // Such a value binds with its neighbours: only the whole can be judged.
        let text = expand(bytes, span, settings);
        let whole = parse(&text, Span::new(0, text.len()), settings);
        let decided = whole.and_then(|whole| truth_everywhere(&whole, settings));
        let used = if decided.is_some() { ids(&named) } else { Vec::new() };
        let left = if decided.is_some() { Vec::new() } else { named };
        return Outcome { decided, cuts: Vec::new(), used, left };
    }
    let Reduced { decided, cuts, used } = reduce(&parsed, settings);
    let cut = |at: Span| {
        let before = cuts.partition_point(|cut| cut.start <= at.start);
        before.checked_sub(1).is_some_and(|last| at.end <= cuts[last].end)
    };
    let left = match decided {
        Some(_) => Vec::new(),
        None => named.into_iter().filter(|(_, at)| !cut(*at)).collect(),
    };
    Outcome { decided, cuts, used, left }
}

fn ids(named: &[(EntryId, Span)]) -> Vec<EntryId> {
    let mut ids: Vec<EntryId> = named.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The macros of the settings that the condition names.
fn named_entries(bytes: &[u8], span: Span, settings: &Settings) -> Vec<(EntryId, Span)> {
    directive_tokens(bytes, span)
        .filter(|token| token.kind == TokenKind::Identifier)
        .filter_map(|token| Some((settings.find(&token.text(bytes))?, token.span)))
        .collect()
}

/// The words of an expression, and whether each is a name that a value may stand in place of.
pub(super) fn words(text: &str) -> Vec<(Vec<u8>, bool)> {
    words_at(text.as_bytes(), Span::new(0, text.len()))
}

fn words_at(bytes: &[u8], span: Span) -> Vec<(Vec<u8>, bool)> {
    let mut words = Vec::new();
    let mut after_defined = false;
    for token in directive_tokens(bytes, span).filter(|token| !token.is_trivia()) {
        let text = token.text(bytes).into_owned();
        let replaceable = token.kind == TokenKind::Identifier && !after_defined;
        after_defined = text == b"defined" || (after_defined && text == b"(");
        words.push((text, replaceable));
    }
    words
}

/// The condition with values that bind with their neighbours put in place of their names.
fn expand(bytes: &[u8], span: Span, settings: &Settings) -> Vec<u8> {
    let mut out = Vec::new();
    for (word, replaceable) in words_at(bytes, span) {
        out.push(b' ');
        let entry = settings.find(&word).filter(|_| replaceable).map(|id| settings.entry(id));
        out.extend_from_slice(entry.and_then(Entry::open_text).unwrap_or(&word));
    }
    out
}

/// What a node comes to in one world. Its truth can be known where its value isn't: in `K ? 1 : X`
/// the type of `X` has a say in the value.
#[derive(Clone, Copy)]
struct Evaluated {
    value: Value,
    truth: Option<bool>,
}

impl Evaluated {
    const UNKNOWN: Evaluated = Evaluated { value: Value::Unknown, truth: None };
}

/// Evaluates all nodes in one world; operands stand before their operators.
fn evaluate(parsed: &Parsed, settings: &Settings, world: usize) -> Vec<Evaluated> {
    let mut results: Vec<Evaluated> = Vec::with_capacity(parsed.nodes.len());
    for node in &parsed.nodes {
        results.push(evaluate_node(node, &results, settings, world));
    }
    results
}

fn evaluate_node(node: &Node, done: &[Evaluated], settings: &Settings, world: usize) -> Evaluated {
    let known = |id: Option<EntryId>| id.map_or(Known::Free, |id| settings.entry(id).known[world]);
    let value = |index: u32| done[index as usize].value;
    let truth = |index: u32| done[index as usize].truth;
    let of_value = |value: Value| Evaluated { value, truth: value.truth() };
    let of_truth = |truth: Option<bool>| Evaluated { value: Value::truth_of(truth), truth };
    match node.kind {
        NodeKind::Constant(value) => of_value(value),
        NodeKind::Name(id) => match known(id) {
            Known::Free => Evaluated::UNKNOWN,
            Known::Undefined => of_value(Value::int(0)),
            Known::Defined(value) => of_value(value),
        },
        NodeKind::Defined(id) => of_truth(match known(id) {
            Known::Free => None,
            Known::Undefined => Some(false),
            Known::Defined(_) => Some(true),
        }),
        // Whatever the arguments are: a setting with a value speaks of all of them.
        NodeKind::Call(id) => match known(id) {
            Known::Defined(value) => of_value(value),
            Known::Free | Known::Undefined => Evaluated::UNKNOWN,
        },
        NodeKind::Opaque => Evaluated::UNKNOWN,
        NodeKind::Paren(inner) | NodeKind::Plus(inner) => done[inner as usize],
        NodeKind::Not(inner) => of_truth(truth(inner).map(|truth| !truth)),
        NodeKind::Minus(inner) => Evaluated { value: value(inner).negate(), truth: truth(inner) },
        NodeKind::Complement(inner) => of_value(value(inner).complement()),
        NodeKind::And(a, b) => of_truth(both(truth(a), truth(b))),
        NodeKind::Or(a, b) => {
            let not = |truth: Option<bool>| truth.map(|truth| !truth);
            of_truth(not(both(not(truth(a)), not(truth(b)))))
        }
        NodeKind::Comma(_, b) => done[b as usize],
        NodeKind::Binary(op, a, b) => of_value(value(a).binary(op, value(b))),
        NodeKind::Ternary(c, a, b) => Evaluated {
            value: Value::choose(truth(c), value(a), value(b)),
            truth: match truth(c) {
                Some(true) => truth(a),
                Some(false) => truth(b),
                None => truth(a).filter(|truth_a| truth(b) == Some(*truth_a)),
            },
        },
    }
}

/// `a && b`; C has no side effects here, so either operand can decide.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// The truth of the whole, where all worlds agree on it.
fn truth_everywhere(parsed: &Parsed, settings: &Settings) -> Option<bool> {
    let mut worlds = (0..settings.worlds())
        .map(|world| evaluate(parsed, settings, world).last().and_then(|root| root.truth));
    let first = worlds.next()??;
    worlds.all(|truth| truth == Some(first)).then_some(first)
}

/// The value of an expression in which every name but those in `settings` is unknown.
pub(super) fn evaluate_in(bytes: &[u8], settings: &Settings, world: usize) -> Value {
    match parse(bytes, Span::new(0, bytes.len()), settings) {
        Some(parsed) => {
            evaluate(&parsed, settings, world).last().map_or(Value::Unknown, |root| root.value)
        }
        None => Value::Unknown,
    }
}

/// Whether the expression has an operator outside parentheses that could bind with what stands
/// around it.
pub(super) fn is_open(text: &[u8]) -> bool {
    let settings = Settings::default();
    let Some(parsed) = parse(text, Span::new(0, text.len()), &settings) else { return false };
    let root = parsed.nodes.last().map(|node| &node.kind);
    matches!(
        root,
        Some(
            NodeKind::And(..)
                | NodeKind::Or(..)
                | NodeKind::Comma(..)
                | NodeKind::Binary(..)
                | NodeKind::Ternary(..)
        )
    )
}
