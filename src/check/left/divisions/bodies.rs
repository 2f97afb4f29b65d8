//! Divisions in the bodies of macros, which no parser reads: by their tokens. A parameter stands for
//! what a use hands over.

use super::Division;
use crate::check::left::expressions::{Expr, number};
use crate::check::left::types::{Ty, Width};
use crate::preprocess::lexer::{Token, TokenKind};
use crate::text::Span;

/// Deepest parentheses that are looked into.
const MAX_DEPTH: usize = 16;

/// Most divisions of one macro.
const MOST: usize = 8;

/// A token with its text.
struct Word {
    kind: TokenKind,
    span: Span,
    text: String,
}

impl Word {
    fn is(&self, text: &str) -> bool {
        self.text == text
    }

    fn is_name(&self) -> bool {
        self.kind == TokenKind::Identifier
    }

    fn is_any(&self, texts: &[&str]) -> bool {
        self.kind == TokenKind::Punct && texts.contains(&self.text.as_str())
    }
}

/// What ends an operand of a division.
const WEAKER: [&str; 32] = [
    "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||", "?", ":",
    ",", ";", "{", "}", "=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%=",
];
const COMPARING: [&str; 8] = ["<", ">", "<=", ">=", "==", "!=", "&&", "||"];
const JOINING: [&str; 8] = ["+", "-", "*", "/", "%", "&", "|", "^"];

/// The divisions among the tokens that a macro stands for.
pub(crate) fn find(bytes: &[u8], body: &[Token]) -> Vec<Division> {
    let text = |token: &Token| String::from_utf8_lossy(&token.text(bytes)).into_owned();
    let is_division = |token: &Token| matches!(token.raw(bytes), b"/" | b"%" | b"/=" | b"%=");
    if !body.iter().any(is_division) {
        return Vec::new();
    }
    let words: Vec<Word> = body
        .iter()
        .map(|token| Word { kind: token.kind, span: token.span, text: text(token) })
        .collect();
    let divides = |at: &usize| words[*at].is_any(&["/", "%", "/=", "%="]);
    let places = (0..words.len()).filter(divides).take(MOST);
    places.filter_map(|at| division(&words, at)).collect()
}

fn division(words: &[Word], at: usize) -> Option<Division> {
    let (start, end) = (left_of(words, at), right_of(words, at + 1));
    let (left, right) = (words.get(start..at)?, words.get(at + 1..end)?);
    let (first, last) = (left.first()?, right.last()?);
    Some(Division {
        span: first.span.cover(last.span),
        operator: words[at].text.clone(),
        left: read(left, 0),
        right: read(right, 0),
        inside: inside(words, at),
    })
}

/// Where the operand that ends before `at` starts.
fn left_of(words: &[Word], at: usize) -> usize {
    let (mut here, mut open) = (at, 0usize);
    while let Some(before) = here.checked_sub(1) {
        let word = &words[before];
        if word.is_any(&[")", "]"]) {
            open += 1;
        } else if word.is_any(&["(", "["]) {
            if open == 0 {
                break;
            }
            open -= 1;
        } else if open == 0 && word.is_any(&WEAKER) {
            break;
        }
        here = before;
    }
    here
}

/// Behind the operand that starts at `at`.
fn right_of(words: &[Word], at: usize) -> usize {
    let (mut here, mut open) = (at, 0usize);
    while let Some(word) = words.get(here) {
        let unary = here == at;
        if word.is_any(&["(", "["]) {
            open += 1;
        } else if word.is_any(&[")", "]"]) {
            if open == 0 {
                break;
            }
            open -= 1;
        } else if open == 0 && !unary && (word.is_any(&WEAKER) || word.is_any(&["*", "/", "%"])) {
            break;
        }
        here += 1;
    }
    here
}

/// The macros or functions in whose arguments a token stands.
fn inside(words: &[Word], at: usize) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), 0usize);
    for before in (0..at).rev() {
        if words[before].is(")") {
            open += 1;
        } else if words[before].is("(") {
            let name = before.checked_sub(1).map(|n| &words[n]).filter(|name| name.is_name());
            if open == 0 {
                found.extend(name.map(|name| name.text.clone()));
            }
            open = open.saturating_sub(1);
        }
    }
    found
}

/// The place of the parenthesis that closes the one that the words begin with.
fn closing(words: &[Word]) -> Option<usize> {
    let mut open = 0usize;
    for (at, word) in words.iter().enumerate() {
        if word.is("(") {
            open += 1;
        } else if word.is(")") {
            open = open.checked_sub(1)?;
            if open == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// What an expression is, by the operators outside its parentheses.
fn read(words: &[Word], depth: usize) -> Expr {
    if depth >= MAX_DEPTH || words.is_empty() {
        return Expr::Unknown;
    }
    let (mut open, mut start) = (0usize, 0);
    let mut operands: Vec<&[Word]> = Vec::new();
    let mut operators: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.is_any(&["(", "["]) {
            open += 1;
        } else if word.is_any(&[")", "]"]) {
            open = open.saturating_sub(1);
        }
        let binary = word.is_any(&WEAKER) || word.is_any(&JOINING);
        // An operator behind another, or behind a cast, has one operand only.
        if open == 0 && binary && at > start && !is_cast(&words[start..at]) {
            operands.push(&words[start..at]);
            operators.push(&word.text);
            start = at + 1;
        }
    }
    operands.push(&words[start..]);
    let of = |operand: &[Word]| single(operand, depth + 1);
    let Some((first, rest)) = operands.split_first() else { return Expr::Unknown };
    if let Some(at) = operators.iter().position(|operator| *operator == "?") {
        return operands[at + 1..].iter().map(|o| of(o)).fold(Expr::Narrow, wider);
    }
    if operators.iter().any(|operator| COMPARING.contains(operator)) {
        return Expr::Narrow;
    }
    match (operators.as_slice(), rest) {
        (["<<" | ">>"], [by]) => Expr::Shifted(Box::new(of(first)), Box::new(of(by))),
        (all, _) if all.iter().all(|operator| JOINING.contains(operator)) => {
            rest.iter().map(|operand| of(operand)).fold(of(first), wider)
        }
        _ => Expr::Unknown,
    }
}

fn wider(one: Expr, other: Expr) -> Expr {
    Expr::Wider(Box::new(one), Box::new(other))
}

/// Whether words are a type in parentheses, as far as words tell.
fn is_cast(words: &[Word]) -> bool {
    let [first, inner @ .., last] = words else { return false };
    let types = |word: &Word| word.is_name() || word.is("*");
    first.is("(") && last.is(")") && inner.len() > 1 && inner.iter().all(types)
}

/// An operand without binary operators around it.
fn single(words: &[Word], depth: usize) -> Expr {
    let signs = words.iter().take_while(|w| w.is_any(&["+", "-", "~", "*", "&", "!"])).count();
    let (signs, words) = words.split_at(signs);
    if signs.iter().any(|sign| sign.is("!")) {
        return Expr::Narrow;
    }
    if signs.iter().any(|sign| sign.is("*") || sign.is("&")) {
        return Expr::Unknown;
    }
    match words {
        [only] if only.kind == TokenKind::Number => number(&only.text),
        [only] if only.is_name() => Expr::Name(only.text.clone()),
        [first, ..] if first.is("sizeof") => Expr::Narrow,
        [first, ..] if first.is("(") => match closing(words) {
            Some(end) if end + 1 == words.len() => read(&words[1..end], depth),
            // What follows makes it a cast.
            Some(end) => cast(&words[1..end]),
            None => Expr::Unknown,
        },
        [name, rest @ ..] if name.is_name() && closing(rest) == rest.len().checked_sub(1) => {
            Expr::Call(name.text.clone(), Vec::new())
        }
        _ => Expr::Unknown,
    }
}

fn cast(words: &[Word]) -> Expr {
    if !words.iter().all(Word::is_name) {
        return Expr::Unknown;
    }
    let is_long = |word: &&Word| word.is("long");
    match (words.iter().filter(is_long).count(), words) {
        (2.., _) => Expr::Typed(Ty::new("long long", 0)),
        (0, [only]) => Expr::Typed(Ty::new(only.text.as_str(), 0)),
        _ => Expr::Number(0, Width::Narrow),
    }
}
