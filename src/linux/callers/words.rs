//! The words of a caller, and what each is used as.

use super::super::interface::Kind;
use crate::preprocess::lexer::{Token, TokenKind, tokens};
use crate::text::Span;

/// The tokens of a text without blanks and comments.
pub(super) struct Code<'t> {
    bytes: &'t [u8],
    tokens: Vec<Token>,
    /// For each the one that begins its line.
    lines: Vec<usize>,
}

impl<'t> Code<'t> {
    /// Reads a text.
    pub(super) fn of(bytes: &'t [u8]) -> Code<'t> {
        let mut code = Code { bytes, tokens: Vec::new(), lines: Vec::new() };
        let (mut first, mut line) = (true, 0);
        for token in tokens(bytes) {
            first |= token.kind == TokenKind::Newline;
            if !token.is_trivia() {
                if std::mem::take(&mut first) {
                    line = code.tokens.len();
                }
                code.tokens.push(token);
                code.lines.push(line);
            }
        }
        code
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The text of one; nothing behind the end, and for a word that a splice cuts.
    pub(super) fn text(&self, at: usize) -> &'t str {
        let token = self.tokens.get(at);
        token.and_then(|token| std::str::from_utf8(token.raw(self.bytes)).ok()).unwrap_or("")
    }

    /// Where one stands.
    pub(super) fn span(&self, at: usize) -> Span {
        self.tokens.get(at).map_or(Span::at(self.bytes.len()), |token| token.span)
    }

    pub(super) fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Identifier)
    }

    pub(super) fn name(&self, at: usize) -> Option<&'t str> {
        self.is_name(at).then(|| self.text(at))
    }

    /// Whether a token names a member of something.
    pub(super) fn is_member(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|at| matches!(self.text(at), "." | "->"))
    }

    /// Whether a token names a struct, union or enumeration by its tag.
    pub(super) fn is_tag(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|at| matches!(self.text(at), "struct" | "union" | "enum"))
    }

    /// What a name is used as where that shows: as a function that is called, or as a type.
    pub(super) fn role(&self, at: usize) -> Option<Kind> {
        let before = at.checked_sub(1).map_or("", |at| self.text(at));
        if self.is_prose(at) || before == "goto" {
            return None;
        }
        if self.is_tag(at) {
            return Some(Kind::Type);
        }
        let same_line = |next: usize| self.lines.get(next) == self.lines.get(at);
        match self.text(at + 1) {
            "(" => Some(Kind::Function),
            "*" => {
                let cast = self.text(at + 2) == ")";
                let begins = matches!(before, ";" | "{" | "}" | "const" | "static" | "extern");
                (cast || begins).then_some(Kind::Type)
            }
            after => {
                let declares = self.is_name(at + 1) && same_line(at + 1) && !is_expression(after);
                declares.then_some(Kind::Type)
            }
        }
    }

    /// Whether a token stands in a directive that is no code.
    fn is_prose(&self, at: usize) -> bool {
        let line = self.lines.get(at).filter(|line| self.text(**line) == "#");
        let Some(line) = line else { return false };
        !matches!(self.text(line + 1), "define" | "if" | "elif")
    }
}

/// Words before a value, and not before a name that is declared.
pub(super) fn is_expression(word: &str) -> bool {
    matches!(
        word,
        "return" | "else" | "do" | "case" | "goto" | "sizeof" | "typeof" | "if" | "while"
    )
}
