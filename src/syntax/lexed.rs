//! A file as its directives and its code tokens, the form in which masks are worked out.

use std::borrow::Cow;

use crate::preprocess::lexer::{Directive, Token, TokenKind, scan, tokens};
use crate::text::Span;

/// A token outside directives that is neither white space nor comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code {
    /// What it is.
    pub(super) kind: TokenKind,
    /// Its byte where it is a single punctuation character, digraphs translated; else 0.
    pub(super) punct: u8,
    /// Its bytes.
    pub(super) span: Span,
}

impl Code {
    pub(super) fn is_punct(&self) -> bool {
        self.kind == TokenKind::Punct
    }

    pub(super) fn is_identifier(&self) -> bool {
        self.kind == TokenKind::Identifier
    }
}

/// A file in its parts.
#[derive(Debug)]
pub(super) struct Lexed<'a> {
    /// The text.
    pub(super) bytes: &'a [u8],
    /// The directives, in order.
    pub(super) directives: Vec<Directive>,
    /// The code tokens, in order.
    pub(super) code: Vec<Code>,
    /// Comments outside directives, and white space there that is more than blanks and newlines.
    pub(super) trivia: Vec<Token>,
}

impl<'a> Lexed<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Lexed<'a> {
        let directives = scan(bytes).directives;
        let (mut code, mut trivia) = (Vec::new(), Vec::new());
        let mut next = 0;
        for token in tokens(bytes) {
            while directives.get(next).is_some_and(|d| d.end <= token.span.start) {
                next += 1;
            }
            if directives.get(next).is_some_and(|d| d.hash <= token.span.start) {
                continue;
            }
            if token.is_trivia() {
                if !is_plain(token.raw(bytes)) {
                    trivia.push(token);
                }
            } else {
                code.push(Code { kind: token.kind, punct: punct(bytes, &token), span: token.span });
            }
        }
        Lexed { bytes, directives, code, trivia }
    }

    /// The token as the compiler sees it.
    pub(super) fn text(&self, token: &Code) -> Cow<'a, [u8]> {
        Token { kind: token.kind, span: token.span }.text(self.bytes)
    }

    pub(super) fn is_word(&self, token: &Code, word: &[u8]) -> bool {
        token.is_identifier() && &*self.text(token) == word
    }
}

fn is_plain(space: &[u8]) -> bool {
    space.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n'))
}

fn punct(bytes: &[u8], token: &Token) -> u8 {
    if token.kind != TokenKind::Punct {
        return 0;
    }
    match &*token.text(bytes) {
        [byte] => *byte,
        b"<%" => b'{',
        b"%>" => b'}',
        b"<:" => b'[',
        b":>" => b']',
        _ => 0,
    }
}
