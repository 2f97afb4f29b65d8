//! A file as its directives and its code tokens, the form in which masks are worked out.

use std::borrow::Cow;

use crate::preprocess::lexer::{Directive, Token, TokenKind, scan, tokens};
use crate::text::Span;

/// A token outside directives that is neither white space nor comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Code {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Its byte where it is a single punctuation character, digraphs translated; else 0.
    pub(crate) punct: u8,
    /// Its bytes.
    pub(crate) span: Span,
}

impl Code {
    pub(crate) fn new(bytes: &[u8], token: &Token) -> Code {
        Code { kind: token.kind, punct: punct(bytes, token), span: token.span }
    }

    /// The bytes as written.
    pub(crate) fn raw<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.span.range()]
    }

    pub(crate) fn is_punct(&self) -> bool {
        self.kind == TokenKind::Punct
    }

    pub(crate) fn is_identifier(&self) -> bool {
        self.kind == TokenKind::Identifier
    }
}

/// A file in its parts.
#[derive(Debug)]
pub(crate) struct Lexed<'a> {
    /// The text.
    pub(crate) bytes: &'a [u8],
    /// The directives, in order.
    pub(crate) directives: Vec<Directive>,
    /// The code tokens, in order.
    pub(crate) code: Vec<Code>,
    /// Comments outside directives, and white space there that is more than blanks and newlines.
    pub(crate) trivia: Vec<Token>,
}

impl<'a> Lexed<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Lexed<'a> {
        Lexed::scanned(bytes, scan(bytes).directives)
    }

    /// The file whose directives these are.
    pub(crate) fn scanned(bytes: &'a [u8], directives: Vec<Directive>) -> Lexed<'a> {
        let mut tokens = tokens(bytes);
        Lexed::by(bytes, directives, |skip| {
            // What stands in directives isn't wanted here.
            if let Some(to) = skip {
                tokens.go_to(to);
            }
            tokens.next()
        })
    }

    /// The file whose directives and tokens these are.
    pub(crate) fn of(
        bytes: &'a [u8],
        directives: Vec<Directive>,
        tokens: impl IntoIterator<Item = Token>,
    ) -> Lexed<'a> {
        let mut tokens = tokens.into_iter();
        Lexed::by(bytes, directives, |_| tokens.next())
    }

    /// Takes each token from `pull`, which is told where the directive ends that it is in.
    fn by(
        bytes: &'a [u8],
        directives: Vec<Directive>,
        mut pull: impl FnMut(Option<u32>) -> Option<Token>,
    ) -> Lexed<'a> {
        // Fewer tokens than this are rare: a list that grows copies itself.
        let (mut code, mut trivia) = (Vec::with_capacity(bytes.len() / 6), Vec::new());
        let mut next = 0;
        let mut skip = None;
        while let Some(token) = pull(skip.take()) {
            while directives.get(next).is_some_and(|d| d.end <= token.span.start) {
                next += 1;
            }
            if let Some(directive) = directives.get(next)
                && directive.hash <= token.span.start
            {
                skip = Some(directive.end);
                continue;
            }
            if token.is_trivia() {
                if !is_plain(token.raw(bytes)) {
                    trivia.push(token);
                }
            } else {
                code.push(Code::new(bytes, &token));
            }
        }
        Lexed { bytes, directives, code, trivia }
    }

    /// The token as the compiler sees it.
    pub(crate) fn text(&self, token: &Code) -> Cow<'a, [u8]> {
        Token { kind: token.kind, span: token.span }.text(self.bytes)
    }

    pub(crate) fn is_word(&self, token: &Code, word: &[u8]) -> bool {
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
    if token.span.len() == 1 {
        return bytes[token.span.start as usize];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_left_out_whoever_makes_the_tokens() {
        let text = b"int a; /* x */ # not first\n /* y */ # define M(x) \\\n f(\"x\", x) /* z\n */ g\n\
            a = 'b'; \t// c\n#include <d.h>\n%: if 1 // e\n  a->b = L\"s\" + 0x1e+1;\n#endif\nlast \\\n\
            word\n#define end";
        let (skipping, passed) =
            (Lexed::new(text), Lexed::of(text, scan(text).directives, tokens(text)));
        assert_eq!(skipping.code, passed.code);
        assert_eq!(skipping.trivia, passed.trivia);
        assert_eq!(skipping.directives.len(), 5);
        let words = skipping.code.iter().filter(|token| token.is_identifier());
        let words: Vec<_> = words.map(|token| skipping.text(token)).collect();
        let wanted: [&[u8]; 9] =
            [b"int", b"a", b"not", b"first", b"a", b"a", b"b", b"last", b"word"];
        assert_eq!(words, wanted);
    }
}
