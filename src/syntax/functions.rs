//! Function definitions and statements, found by their brackets: quicker than a tree, and enough to
//! tell the library's own functions from those it expects elsewhere.

use std::borrow::Cow;

use super::lexed::{Code, Lexed};
use crate::preprocess::lexer::TokenKind;

/// A function that a file defines.
pub(super) struct Function<'a> {
    /// Its name.
    pub(super) name: Cow<'a, [u8]>,
    /// Whether other files can call it.
    pub(super) exported: bool,
}

/// The functions that a file defines, in order.
pub(super) fn defined<'a>(lexed: &Lexed<'a>) -> Vec<Function<'a>> {
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut heads = Heads::default();
    for (at, token) in lexed.code.iter().enumerate() {
        match token.punct {
            b'{' => {
                let linkage = at > 0 && lexed.code[at - 1].kind == TokenKind::Str;
                if depth == 0 {
                    found.extend(heads.definition(lexed, at));
                }
                depth += usize::from(!linkage);
            }
            // An unbalanced brace (of `extern "C"`, or in a branch that doesn't hold) must not hide
            // what comes.
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            heads.token(lexed, at, token);
        }
    }
    found
}

/// What of the declaration so far could be the head of a function.
#[derive(Default)]
struct Heads {
    parentheses: usize,
    is_static: bool,
    name: Option<usize>,
}

impl Heads {
    fn token(&mut self, lexed: &Lexed<'_>, at: usize, token: &Code) {
        match token.punct {
            b'(' => {
                // The first parenthesis behind a name opens the parameters; attributes are no names.
                let before = at.checked_sub(1).filter(|&b| lexed.code[b].is_identifier());
                let word = before.map(|b| lexed.text(&lexed.code[b]));
                let named = word.is_some_and(|w| !super::words::is_attribute(&w));
                if self.parentheses == 0 && self.name.is_none() && named {
                    self.name = before;
                }
                self.parentheses += 1;
            }
            b')' => self.parentheses = self.parentheses.saturating_sub(1),
            b';' | b'}' => *self = Heads::default(),
            _ => self.is_static |= lexed.is_word(token, b"static"),
        }
    }

    /// The function whose body opens at `at`.
    fn definition<'a>(&mut self, lexed: &Lexed<'a>, at: usize) -> Option<Function<'a>> {
        let head = std::mem::take(self);
        let behind_parameters = at > 0 && matches!(lexed.code[at - 1].punct, b')');
        let name = head.name.filter(|_| behind_parameters)?;
        Some(Function { name: lexed.text(&lexed.code[name]), exported: !head.is_static })
    }
}

/// The names that, with arguments, make a whole statement or definition with no `;` behind it.
pub(super) fn bare_statements<'a>(lexed: &Lexed<'a>) -> Vec<Cow<'a, [u8]>> {
    let mut found = Vec::new();
    // For each open parenthesis the name in front of it, if a statement starts there.
    let mut open: Vec<Option<usize>> = Vec::new();
    for (at, token) in lexed.code.iter().enumerate() {
        match token.punct {
            b'(' => open.push(at.checked_sub(1).filter(|&name| starts_statement(lexed, name))),
            b')' => {
                let name = open.pop().flatten();
                let bare = lexed
                    .code
                    .get(at + 1)
                    .is_none_or(|next| next.is_identifier() || matches!(next.punct, b'{' | b'}'));
                found.extend(name.filter(|_| bare).map(|name| lexed.text(&lexed.code[name])));
            }
            b'{' | b'}' => open.clear(),
            _ => {}
        }
    }
    found
}

fn starts_statement(lexed: &Lexed<'_>, at: usize) -> bool {
    lexed.code[at].is_identifier()
        && at.checked_sub(1).is_none_or(|before| {
            let before = &lexed.code[before];
            // A specifier may stand in front, which only a definition has.
            before.is_identifier() || matches!(before.punct, b';' | b'{' | b'}' | b':' | b')')
        })
}
