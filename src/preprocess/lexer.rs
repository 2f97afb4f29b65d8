//! C's lexical level: comments, strings, line splices, directives. The tokens of a text, joined, are
//! that text again, byte for byte, whatever it holds.

mod directives;
mod spelling;
mod splices;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::text::Span;

use spelling::{punct_len, raw_string_end};
use splices::splice_len;

pub use directives::{Directive, Keyword, Scan, Scanned, scan};
pub use splices::{splices_a_word, unspliced, would_join};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// Blanks, tabs, form feeds, splices between tokens.
    Blank,
    /// `\n` or `\r\n` that ends a logical line.
    Newline,
    /// `// ...` up to the newline.
    LineComment,
    /// `/* ... */`, or up to the end of the text where it is never closed.
    BlockComment,
    /// A name or keyword.
    Identifier,
    /// A preprocessing number.
    Number,
    /// A string literal with its prefix.
    Str,
    /// A character constant with its prefix.
    Char,
    /// `<...>` or `"..."` where a header is named.
    HeaderName,
    /// An operator or other punctuation, longest match.
    Punct,
    /// A quote that is never closed, up to the end of its line, or any other byte.
    Stray,
}

/// A token and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its bytes, splices included.
    pub span: Span,
}

impl Token {
    /// The bytes as written.
    pub fn raw<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.span.range()]
    }

    /// The text that the compiler sees: splices taken out.
    pub fn text<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        unspliced(self.raw(bytes))
    }

    /// Whether the token is white space or a comment.
    pub fn is_trivia(&self) -> bool {
        use TokenKind::{Blank, BlockComment, LineComment, Newline};
        matches!(self.kind, Blank | Newline | LineComment | BlockComment)
    }
}

/// Longest header name, in bytes. Names and raw strings that never close must not make a line of
/// them cost the square of its length.
const MAX_HEADER_NAME: usize = 4096;

/// Longest raw string, in bytes.
const MAX_RAW_STRING: usize = 16 << 10;

fn is_blank(byte: u8) -> bool {
    // A lone carriage return and a NUL separate tokens for compilers, too.
    matches!(byte, b' ' | b'\t' | b'\x0b' | b'\x0c' | b'\r' | 0)
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_word(byte: u8) -> bool {
    is_word_start(byte) || byte.is_ascii_digit()
}

/// `is_word` as a table: half of all bytes are asked.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let ascii = (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize;
        table[byte] = ascii || byte == b'$' as usize || byte >= 0x80;
        byte += 1;
    }
    table
};

/// Which part of a directive comes next; decides what `<` and `"` mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Nothing but white space so far on this logical line.
    LineStart,
    /// Behind the `#`.
    Hash,
    /// In a directive, behind its name.
    Directive,
    /// Behind `__has_include` and the like.
    Has,
    /// Where a header name is due.
    Header,
    /// Anywhere else.
    Code,
}

/// Iterator over the tokens of a text.
#[derive(Clone)]
pub struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    place: Place,
}

/// The tokens of a whole text.
pub fn tokens(bytes: &[u8]) -> Tokens<'_> {
    Tokens { bytes, at: 0, end: bytes.len(), place: Place::LineStart }
}

/// The tokens of a directive's body, which stands at `span`.
pub fn directive_tokens(bytes: &[u8], span: Span) -> Tokens<'_> {
    let range = span.range();
    Tokens { bytes: &bytes[..range.end], at: range.start, end: range.end, place: Place::Directive }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        if let Some(kind) = self.lex_plain() {
            return Some(Token { kind, span: Span::new(start, self.at) });
        }
        let kind = self.lex();
        debug_assert!(self.at > start);
        let token = Token { kind, span: Span::new(start, self.at) };
        self.place = self.next_place(token);
        Some(token)
    }
}

impl<'a> Tokens<'a> {
    /// Goes on at `at`, a place where a logical line starts.
    pub(crate) fn go_to(&mut self, at: u32) {
        (self.at, self.place) = (at as usize, Place::LineStart);
    }

    /// The tokens from `at` on, a place where a logical line starts.
    fn from(bytes: &'a [u8], at: usize) -> Tokens<'a> {
        Tokens { bytes, at, end: bytes.len(), place: Place::LineStart }
    }

    /// The next byte behind any splices, and the offset behind it.
    fn peek_at(&self, mut at: usize) -> Option<(u8, usize)> {
        loop {
            let byte = *self.bytes.get(at)?;
            if byte == b'\\' {
                let len = splice_len(self.bytes, at);
                if len > 0 {
                    at += len;
                    continue;
                }
            }
            return Some((byte, at + 1));
        }
    }

    fn peek(&self) -> Option<(u8, usize)> {
        self.peek_at(self.at)
    }

    /// Takes the next byte if it satisfies `want`.
    fn take(&mut self, want: impl Fn(u8) -> bool) -> bool {
        match self.peek() {
            Some((byte, next)) if want(byte) => {
                self.at = next;
                true
            }
            _ => false,
        }
    }

    /// Passes the bytes that satisfy `want`, which a backslash must not. Splices are rare: bytes are
    /// looked at plainly up to the next backslash.
    fn take_while(&mut self, want: impl Fn(u8) -> bool) {
        loop {
            let rest = &self.bytes[self.at..];
            self.at += rest.iter().position(|&byte| !want(byte)).unwrap_or(rest.len());
            if self.bytes.get(self.at) != Some(&b'\\') || !self.take(&want) {
                return;
            }
        }
    }

    /// What most tokens are, where nothing in or behind them needs a second look: blanks, a newline,
    /// a word in code, a bracket or a separator.
    fn lex_plain(&mut self) -> Option<TokenKind> {
        let rest = &self.bytes[self.at..self.end];
        let in_code = matches!(self.place, Place::Code | Place::LineStart);
        let (kind, len) = match rest[0] {
            b' ' | b'\t' => {
                let len = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
                let plain = rest[len].is_ascii_graphic() && rest[len] != b'\\';
                (TokenKind::Blank, (plain || rest[len] == b'\n').then_some(len)?)
            }
            b'\n' => {
                self.place = Place::LineStart;
                (TokenKind::Newline, 1)
            }
            // No operator of more bytes starts with these.
            b'(' | b')' | b',' | b';' | b'{' | b'}' | b'[' | b']' if in_code => {
                self.place = Place::Code;
                (TokenKind::Punct, 1)
            }
            first if in_code && WORD[usize::from(first)] && !first.is_ascii_digit() => {
                let len = rest.iter().position(|&byte| !WORD[usize::from(byte)])?;
                if matches!(rest[len], b'\\' | b'"' | b'\'') {
                    return None;
                }
                self.place = Place::Code;
                (TokenKind::Identifier, len)
            }
            _ => return None,
        };
        self.at += len;
        Some(kind)
    }

    fn lex(&mut self) -> TokenKind {
        let Some((byte, next)) = self.peek() else {
            // Nothing but splices is left.
            self.at = self.end;
            return TokenKind::Blank;
        };
        let spliced = next > self.at + 1;
        match byte {
            b'\n' => {
                // A splice in front is white space of its own, or the newline would contain it.
                if spliced {
                    self.at = next - 1;
                    return TokenKind::Blank;
                }
                self.at = next;
                TokenKind::Newline
            }
            b'\r' if self.bytes.get(next) == Some(&b'\n') => {
                if spliced {
                    self.at = next - 1;
                    return TokenKind::Blank;
                }
                self.at = next + 1;
                TokenKind::Newline
            }
            _ if is_blank(byte) => self.lex_blank(),
            _ if is_word_start(byte) => self.lex_word(),
            b'0'..=b'9' => self.lex_number(),
            b'.' if self.peek_at(next).is_some_and(|(b, _)| b.is_ascii_digit()) => {
                self.lex_number()
            }
            b'<' | b'"' if self.place == Place::Header => self.lex_header(byte, next),
            b'"' | b'\'' => self.lex_quoted(byte, next),
            // Half of all punctuation; no operator of more bytes starts with these.
            b'(' | b')' | b',' | b';' | b'{' | b'}' | b'[' | b']' => {
                self.at = next;
                TokenKind::Punct
            }
            b'/' => match self.peek_at(next) {
                Some((b'/', after)) => self.lex_line_comment(after),
                Some((b'*', after)) => self.lex_block_comment(after),
                _ => self.lex_punct(),
            },
            _ => self.lex_punct(),
        }
    }

    fn lex_blank(&mut self) -> TokenKind {
        self.take_while(|byte| matches!(byte, b' ' | b'\t'));
        while let Some((byte, next)) = self.peek() {
            let newline = byte == b'\r' && self.bytes.get(next) == Some(&b'\n');
            if !is_blank(byte) || newline {
                break;
            }
            self.at = next;
        }
        TokenKind::Blank
    }

    /// A line comment, whose opening ends at `at`.
    fn lex_line_comment(&mut self, at: usize) -> TokenKind {
        self.at = at;
        loop {
            let stop = memchr::memchr2(b'\n', b'\\', &self.bytes[self.at..]);
            self.at = stop.map_or(self.end, |len| self.at + len);
            if !self.take(|byte| byte != b'\n') {
                break;
            }
        }
        self.give_back_cr();
        TokenKind::LineComment
    }

    /// A line comment must not swallow the `\r` of the newline behind it.
    fn give_back_cr(&mut self) {
        let at_newline = self.bytes.get(self.at) == Some(&b'\n');
        if at_newline && self.bytes[self.at - 1] == b'\r' {
            self.at -= 1;
        }
    }

    fn lex_block_comment(&mut self, mut at: usize) -> TokenKind {
        loop {
            let Some(star) = memchr::memchr(b'*', &self.bytes[at..]) else {
                self.at = self.end;
                return TokenKind::BlockComment;
            };
            at += star + 1;
            if let Some((b'/', next)) = self.peek_at(at) {
                self.at = next;
                return TokenKind::BlockComment;
            }
        }
    }

    fn lex_word(&mut self) -> TokenKind {
        let start = self.at;
        self.take_while(|byte| WORD[usize::from(byte)]);
        let quote = match self.peek() {
            Some((quote @ (b'"' | b'\''), next)) => (quote, next),
            _ => return TokenKind::Identifier,
        };
        match (&*unspliced(&self.bytes[start..self.at]), quote) {
            (b"L" | b"u" | b"U" | b"u8", (quote, next)) => {
                let word_end = self.at;
                let kind = self.lex_quoted(quote, next);
                if kind == TokenKind::Stray {
                    self.at = word_end;
                    return TokenKind::Identifier;
                }
                kind
            }
            (b"R" | b"LR" | b"uR" | b"UR" | b"u8R", (b'"', next)) => {
                match raw_string_end(self.bytes, next) {
                    Some(end) => {
                        self.at = end;
                        TokenKind::Str
                    }
                    None => TokenKind::Identifier,
                }
            }
            _ => TokenKind::Identifier,
        }
    }

    fn lex_number(&mut self) -> TokenKind {
        // A number behind which a blank or a bracket stands, and no letter in it.
        let rest = &self.bytes[self.at..self.end];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && matches!(rest.get(digits), Some(b' ' | b')' | b']' | b',' | b';')) {
            self.at += digits;
            return TokenKind::Number;
        }
        let mut last = 0;
        while let Some((byte, next)) = self.peek() {
            let exponent = matches!(last, b'e' | b'E' | b'p' | b'P') && matches!(byte, b'+' | b'-');
            let separator =
                byte == b'\'' && self.peek_at(next).is_some_and(|(b, _)| is_word(b) && b < 0x80);
            if !(is_word(byte) || byte == b'.' || exponent || separator) {
                break;
            }
            last = byte;
            self.at = next;
        }
        TokenKind::Number
    }

    /// A string or character constant, whose opening quote ends at `at`.
    fn lex_quoted(&mut self, quote: u8, at: usize) -> TokenKind {
        let mut at = at;
        while let Some((byte, next)) = self.peek_at(at) {
            if byte == b'\n' {
                break;
            }
            at = next;
            if byte == quote {
                self.at = at;
                return if quote == b'"' { TokenKind::Str } else { TokenKind::Char };
            }
            if byte == b'\\' {
                match self.peek_at(at) {
                    Some((b'\n', _)) | None => {}
                    Some((_, next)) => at = next,
                }
            }
        }
        // Never closed: compilers take the rest of the line, so that a comment can't start in it.
        self.at = at;
        self.give_back_cr();
        TokenKind::Stray
    }

    /// Backslashes are plain bytes in header names.
    fn lex_header(&mut self, open: u8, at: usize) -> TokenKind {
        let close = if open == b'<' { b'>' } else { b'"' };
        let mut end = at;
        while let Some((byte, next)) = self.peek_at(end).filter(|_| end - at < MAX_HEADER_NAME) {
            end = next;
            if byte == close {
                self.at = end;
                return TokenKind::HeaderName;
            }
            if byte == b'\n' {
                break;
            }
        }
        if open == b'<' { self.lex_punct() } else { self.lex_quoted(open, at) }
    }

    fn lex_punct(&mut self) -> TokenKind {
        // Behind most operators a blank or a word comes, with which none goes on.
        if let [byte, next, ..] = self.bytes[self.at..]
            && (next == b' ' || next.is_ascii_alphanumeric())
        {
            self.at += 1;
            return if punct_len([byte, next, 0, 0]) == 0 {
                TokenKind::Stray
            } else {
                TokenKind::Punct
            };
        }
        let mut seen = [0u8; 4];
        let mut ends = [self.at; 4];
        let mut at = self.at;
        for i in 0..4 {
            match self.peek_at(at) {
                Some((byte, next)) => {
                    seen[i] = byte;
                    ends[i] = next;
                    at = next;
                }
                None => break,
            }
        }
        let len = punct_len(seen);
        self.at = ends[len.max(1) - 1];
        if len == 0 { TokenKind::Stray } else { TokenKind::Punct }
    }

    fn next_place(&self, token: Token) -> Place {
        use TokenKind::{Blank, BlockComment, Identifier, LineComment, Newline, Punct};
        match (self.place, token.kind) {
            (_, Newline) => Place::LineStart,
            (Place::Code, _) => Place::Code,
            (place, Blank | BlockComment | LineComment) => place,
            (Place::LineStart, Punct) => match &*token.text(self.bytes) {
                b"#" | b"%:" => Place::Hash,
                _ => Place::Code,
            },
            (Place::Hash, Identifier) => match &*token.text(self.bytes) {
                b"include" | b"include_next" | b"import" | b"embed" => Place::Header,
                _ => Place::Directive,
            },
            (Place::Directive | Place::Has, Identifier) => match &*token.text(self.bytes) {
                b"__has_include" | b"__has_include_next" | b"__has_embed" => Place::Has,
                _ => Place::Directive,
            },
            (Place::Has, Punct) if &*token.text(self.bytes) == b"(" => Place::Header,
            (Place::Directive | Place::Has | Place::Header | Place::Hash, _) => Place::Directive,
            (Place::LineStart, _) => Place::Code,
        }
    }
}
