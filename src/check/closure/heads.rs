//! What stands at file scope, by its head.

use super::facts::{Facts, Item, ItemKind, TopCall, Word, Words};
use super::walk::extent;
use crate::preprocess::lexer::{Token, TokenKind};
use crate::syntax::{Lexed, is_attribute};
use crate::text::Span;

/// Most words that are kept of a head: specifiers and types stand in front, and are few.
const MAX_WORDS: usize = 64;

/// A construct at file scope on the way.
pub(super) struct Head {
    /// Its first token.
    pub(super) start: usize,
    pub(super) condition: u32,
    pub(super) guarded: bool,
    /// Whether it gives a value, and whether the place is in one.
    pub(super) value: bool,
    pub(super) in_value: bool,
    /// Whether a function body ends it, and where that opens.
    pub(super) body: bool,
    pub(super) body_at: Option<usize>,
    /// Names with a parenthesis behind them, in no bracket.
    called: Vec<usize>,
    /// Other names in no bracket.
    plain: Vec<usize>,
    /// Those of them behind which a declaration of data goes on or ends.
    declared: Vec<usize>,
}

impl Head {
    pub(super) fn starting(start: usize, condition: u32) -> Head {
        Head {
            start,
            condition,
            guarded: false,
            value: false,
            in_value: false,
            body: false,
            body_at: None,
            called: Vec::new(),
            plain: Vec::new(),
            declared: Vec::new(),
        }
    }

    /// Takes in a name outside all brackets.
    pub(super) fn name(&mut self, at: usize, lexed: &Lexed<'_>) {
        if self.in_value {
            return;
        }
        let token = &lexed.code[at];
        let next = lexed.code.get(at + 1).map_or(0, |token| token.punct);
        if next == b'(' {
            if !is_attribute(&lexed.text(token)) {
                self.called.push(at);
            }
            return;
        }
        self.plain.push(at);
        let behind_parameters = at.checked_sub(1).is_some_and(|b| lexed.code[b].punct == b')');
        let function = behind_parameters && !self.called.is_empty();
        if matches!(next, b'=' | b'[' | b',' | b';') && !function {
            self.declared.push(at);
        }
    }

    fn has(&self, lexed: &Lexed<'_>, word: &[u8]) -> bool {
        self.plain.iter().any(|&at| lexed.is_word(&lexed.code[at], word))
    }

    /// Whether the brace at a place opens the body of a function.
    pub(super) fn may_have_body(&self, lexed: &Lexed<'_>, at: usize) -> bool {
        let named = at.checked_sub(1).is_some_and(|before| lexed.code[before].is_identifier())
            && !self.called.iter().any(|&called| called + 1 < at);
        !self.value && !named && !self.called.is_empty() && !self.has(lexed, b"typedef")
    }

    /// Adds what it is to the facts.
    pub(super) fn finish<'a>(
        self,
        end: usize,
        lexed: &Lexed<'a>,
        words: &mut Words<'a>,
        facts: &mut Facts,
    ) {
        if end <= self.start + 1 {
            return;
        }
        if self.has(lexed, b"typedef") {
            return self.type_of(end, lexed, words, facts);
        }
        if !self.declared.is_empty() && !self.body {
            return self.data(end, lexed, words, facts);
        }
        let Some((&function, before)) = self.called.split_last() else { return };
        if self.plain.is_empty() && !self.body {
            return self.calls(end, lexed, words, facts);
        }
        // Calls of macros in front of it are attributes, or whole definitions.
        for &at in before {
            let (arguments, _) = arguments(lexed, at, end, words);
            facts.made.extend(arguments.iter().map(|(word, _)| *word));
        }
        let item = self.item(ItemKind::Function, function, end, lexed, words);
        let defines = self.body;
        let parameters = parameters(lexed, function, end, words);
        facts.items.push(Item { defines, parameters, ..item });
    }

    fn item<'a>(
        &self,
        kind: ItemKind,
        at: usize,
        end: usize,
        lexed: &Lexed<'a>,
        words: &mut Words<'a>,
    ) -> Item {
        let others = self.plain.iter().chain(&self.called).filter(|&&other| other != at);
        let others = others.take(MAX_WORDS);
        Item {
            kind,
            name: words.of(lexed.text(&lexed.code[at])),
            span: lexed.code[at].span,
            extent: extent(lexed, self.start, self.body_at.unwrap_or(end)),
            defines: false,
            words: others.map(|&at| words.of(lexed.text(&lexed.code[at]))).collect(),
            condition: self.condition,
            guarded: self.guarded,
            comment: comment_before(lexed, self.start),
            parameters: Vec::new(),
        }
    }

    fn data<'a>(&self, end: usize, lexed: &Lexed<'a>, words: &mut Words<'a>, facts: &mut Facts) {
        let tagged = [&b"struct"[..], b"union", b"enum"].iter().any(|tag| self.has(lexed, tag));
        // A type and a name, at least.
        if self.plain.len() < 2 || (tagged && self.plain.len() < 3 && !self.value) {
            return;
        }
        let defines = self.value || !self.has(lexed, b"extern");
        for &at in &self.declared {
            let item = self.item(ItemKind::Data, at, end, lexed, words);
            facts.items.push(Item { defines, ..item });
        }
    }

    fn type_of<'a>(&self, end: usize, lexed: &Lexed<'a>, words: &mut Words<'a>, facts: &mut Facts) {
        let punct = |at: usize| lexed.code.get(at).map_or(0, |token| token.punct);
        let pointer = |at: &usize| {
            lexed.code[*at].is_identifier()
                && punct(at + 1) == b')'
                && at.checked_sub(2).is_some_and(|b| [punct(b), punct(b + 1)] == *b"(*")
        };
        let name = self.declared.last().copied();
        let name = name.or_else(|| (self.start..end.min(lexed.code.len())).find(|at| pointer(at)));
        if let Some(name) = name {
            let item = self.item(ItemKind::Type, name, end, lexed, words);
            facts.declares.push(item.name);
            facts.items.push(Item { defines: true, ..item });
        }
    }

    /// Nothing but calls of macros.
    fn calls<'a>(&self, end: usize, lexed: &Lexed<'a>, words: &mut Words<'a>, facts: &mut Facts) {
        for &at in &self.called {
            let (arguments, string) = arguments(lexed, at, end, words);
            let name = words.of(lexed.text(&lexed.code[at]));
            facts.top_calls.push(TopCall { name, arguments, string });
        }
    }
}

/// The tokens between the parentheses behind the name at a place.
fn inside(lexed: &Lexed<'_>, at: usize, end: usize) -> std::ops::Range<usize> {
    let mut depth = 0usize;
    let end = end.min(lexed.code.len());
    for place in at + 1..end {
        match lexed.code[place].punct {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 2..place;
        }
    }
    end..end
}

fn arguments<'a>(
    lexed: &Lexed<'a>,
    at: usize,
    end: usize,
    words: &mut Words<'a>,
) -> (Vec<(Word, Span)>, Option<Span>) {
    let tokens = lexed.code.get(inside(lexed, at, end)).unwrap_or_default();
    let names = tokens.iter().filter(|token| token.is_identifier());
    let names = names.map(|token| (words.of(lexed.text(token)), token.span)).collect();
    (names, tokens.iter().find(|t| t.kind == TokenKind::Str).map(|t| t.span))
}

/// The names in front of `,`, `[` and the end in a list of parameters.
fn parameters<'a>(lexed: &Lexed<'a>, at: usize, end: usize, words: &mut Words<'a>) -> Vec<Word> {
    let range = inside(lexed, at, end);
    let mut found = Vec::new();
    let mut depth = 0usize;
    for place in range.clone() {
        let token = &lexed.code[place];
        match token.punct {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let next = lexed.code.get(place + 1).map_or(0, |next| next.punct);
        let last = place + 1 == range.end || next == b',' || next == b'[';
        let named = depth == 0 && token.is_identifier() && last && place > range.start;
        if named {
            found.push(words.of(lexed.text(token)));
        }
    }
    found
}

/// The comment that ends right in front of a token, with white space between at most.
fn comment_before(lexed: &Lexed<'_>, at: usize) -> Option<Span> {
    let start = lexed.code.get(at)?.span.start;
    let last = lexed.trivia.partition_point(|token| token.span.end <= start);
    let blank = |token: &&Token| token.raw(lexed.bytes).trim_ascii().is_empty();
    let last = lexed.trivia[..last].iter().rev().find(|token| !blank(token))?;
    let between = &lexed.bytes[last.span.end as usize..start as usize];
    let near = last.kind == TokenKind::BlockComment && between.trim_ascii().is_empty();
    near.then_some(last.span)
}
