//! Finds the directives of a text, fast: code between them is skipped, not tokenised.

use std::sync::{Arc, OnceLock};

use super::{Token, TokenKind, Tokens, is_blank, is_word, splice_len};
use crate::text::Span;

/// The directives that conditionals and rules are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is the directive of that name")]
pub enum Keyword {
    If,
    Ifdef,
    Ifndef,
    Elif,
    Elifdef,
    Elifndef,
    Else,
    Endif,
    Define,
    Undef,
    Include,
    /// Any other directive, the null directive, or `#` before something else.
    Other,
}

impl Keyword {
    fn new(name: &[u8]) -> Keyword {
        match name {
            b"if" => Keyword::If,
            b"ifdef" => Keyword::Ifdef,
            b"ifndef" => Keyword::Ifndef,
            b"elif" => Keyword::Elif,
            b"elifdef" => Keyword::Elifdef,
            b"elifndef" => Keyword::Elifndef,
            b"else" => Keyword::Else,
            b"endif" => Keyword::Endif,
            b"define" => Keyword::Define,
            b"undef" => Keyword::Undef,
            b"include" | b"include_next" | b"import" => Keyword::Include,
            _ => Keyword::Other,
        }
    }

    /// Whether a condition stands behind it.
    pub fn is_condition(self) -> bool {
        self.opens() || matches!(self, Keyword::Elif | Keyword::Elifdef | Keyword::Elifndef)
    }

    /// Whether it opens a conditional group.
    pub fn opens(self) -> bool {
        matches!(self, Keyword::If | Keyword::Ifdef | Keyword::Ifndef)
    }
}

/// One directive with its places in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directive {
    /// Which one.
    pub keyword: Keyword,
    /// Where its line starts; behind the comment, where one from an earlier line ends on it.
    pub lead: u32,
    /// Whether such a comment ends on its line.
    pub behind_comment: bool,
    /// The `#`.
    pub hash: u32,
    /// The name; empty for a null directive.
    pub name: Span,
    /// What stands between the name and the newline.
    pub body: Span,
    /// Behind the newline.
    pub end: u32,
}

/// The directives of a text, in order.
#[derive(Debug, Default)]
pub struct Scan {
    /// The directives.
    pub directives: Vec<Directive>,
    /// Where a block comment starts that is never closed.
    pub open_comment: Option<u32>,
}

/// The directives of a text, found when first asked for; copies share them.
#[derive(Clone, Debug, Default)]
pub struct Scanned(Arc<OnceLock<Scan>>);

impl Scanned {
    /// The directives of `bytes`, which have to be the same each time.
    pub fn of(&self, bytes: &[u8]) -> &Scan {
        self.0.get_or_init(|| scan(bytes))
    }
}

/// Finds the directives of `bytes`.
pub fn scan(bytes: &[u8]) -> Scan {
    let mut scanner = Scanner { bytes, at: 0, found: Scan::default() };
    while scanner.at < bytes.len() {
        scanner.logical_line();
    }
    scanner.found
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    found: Scan,
}

/// The bytes at which skipping code has to stop and think.
const STOP: [bool; 256] = {
    let mut table = [false; 256];
    table[b'\n' as usize] = true;
    table[b'"' as usize] = true;
    table[b'\'' as usize] = true;
    table[b'/' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

/// The first of the bytes of [`STOP`] at or behind `at`. Code is passed by sixteen bytes at once, which
/// compilers turn into a few instructions.
fn next_stop(bytes: &[u8], mut at: usize) -> usize {
    let stops = |byte: &u8| {
        // No `||`: a branch a byte is what this is to save.
        (*byte == b'\n') | (*byte == b'"') | (*byte == b'\'') | (*byte == b'/') | (*byte == b'\\')
    };
    while let Some(chunk) = bytes.get(at..at + 16) {
        if chunk.iter().fold(false, |found, byte| found | stops(byte)) {
            break;
        }
        at += 16;
    }
    while at < bytes.len() && !STOP[bytes[at] as usize] {
        at += 1;
    }
    at
}

impl Scanner<'_> {
    /// Reads from the start of one logical line to the start of the next.
    fn logical_line(&mut self) {
        let start = self.at;
        let mut first = start;
        while first < self.bytes.len() && matches!(self.bytes[first], b' ' | b'\t') {
            first += 1;
        }
        match self.bytes.get(first) {
            Some(b'#' | b'%' | b'/' | b'\\') => self.lexed_line(start),
            Some(&byte) if is_blank(byte) => self.lexed_line(start),
            _ => {
                if !self.skip_code(first) {
                    self.lexed_line(start);
                }
            }
        }
    }

    /// Skips code to behind the newline; `false` where only the tokens can tell.
    fn skip_code(&mut self, from: usize) -> bool {
        let bytes = self.bytes;
        let mut at = from;
        loop {
            at = next_stop(bytes, at);
            match bytes.get(at) {
                None => break,
                Some(b'\n') => {
                    at += 1;
                    break;
                }
                Some(b'\\') => return false,
                Some(b'/') => match bytes.get(at + 1) {
                    Some(b'\\') => return false,
                    Some(b'/') => match line_comment_end(bytes, at) {
                        Some(end) => at = end,
                        None => return false,
                    },
                    Some(b'*') => match block_comment_end(bytes, at) {
                        Some(end) => at = end,
                        None => return false,
                    },
                    _ => at += 1,
                },
                Some(&quote) => {
                    if at > from && is_word(bytes[at - 1]) {
                        return false;
                    }
                    match quoted_end(bytes, at, quote) {
                        Some(end) => at = end,
                        None => return false,
                    }
                }
            }
        }
        self.at = at;
        true
    }

    /// Reads one logical line token by token.
    fn lexed_line(&mut self, start: usize) {
        let mut tokens = Tokens::from(self.bytes, start);
        let (lead, behind_comment, first) = self.line_start(start, &mut tokens);
        let is_hash = first.is_some_and(|t| matches!(&*t.text(self.bytes), b"#" | b"%:"));
        let (name, newline) = self.line_rest(first, is_hash, &mut tokens);
        self.at = newline.map_or(self.bytes.len(), |span| span.end as usize);
        let Some(hash) = first.filter(|_| is_hash) else { return };
        let eol = newline.map_or(self.bytes.len(), |span| span.start as usize);
        let name = name.unwrap_or(Span { start: hash.span.end, end: hash.span.end });
        let keyword = Keyword::new(&super::unspliced(&self.bytes[name.range()]));
        self.found.directives.push(Directive {
            keyword,
            lead: lead as u32,
            behind_comment,
            hash: hash.span.start,
            name,
            body: Span { start: name.end, end: eol as u32 },
            end: self.at as u32,
        });
    }

    /// Passes blanks and comments: where the line starts behind the last comment that ends on it and
    /// began before it, whether there is one, and the first token behind them.
    fn line_start(
        &mut self,
        start: usize,
        tokens: &mut Tokens<'_>,
    ) -> (usize, bool, Option<Token>) {
        let (mut lead, mut behind_comment) = (start, false);
        for token in tokens.by_ref() {
            match token.kind {
                TokenKind::Blank => {}
                TokenKind::BlockComment => {
                    self.note_open_comment(token.span);
                    if memchr::memchr(b'\n', token.raw(self.bytes)).is_some() {
                        lead = token.span.end as usize;
                        behind_comment = true;
                    }
                }
                _ => return (lead, behind_comment, Some(token)),
            }
        }
        (lead, behind_comment, None)
    }

    /// Passes the rest of a line: the name behind a hash, and the newline that ends it.
    fn line_rest(
        &mut self,
        first: Option<Token>,
        is_hash: bool,
        tokens: &mut Tokens<'_>,
    ) -> (Option<Span>, Option<Span>) {
        let mut name = None;
        // The hash itself comes before its name.
        let (mut due, mut at_hash) = (is_hash, true);
        for token in first.into_iter().chain(tokens) {
            match token.kind {
                TokenKind::Newline => return (name, Some(token.span)),
                TokenKind::BlockComment => self.note_open_comment(token.span),
                _ => {}
            }
            if due && !at_hash && !token.is_trivia() {
                due = false;
                name = (token.kind == TokenKind::Identifier).then_some(token.span);
            }
            at_hash = false;
        }
        (name, None)
    }

    fn note_open_comment(&mut self, span: Span) {
        let raw = &self.bytes[span.range()];
        let open = span.end as usize == self.bytes.len()
            && !(super::unspliced(raw).ends_with(b"*/") && super::unspliced(raw).len() >= 4);
        if open {
            self.found.open_comment.get_or_insert(span.start);
        }
    }
}

/// End of the line comment at `at`, in front of the newline; `None` where it is spliced.
fn line_comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |len| at + len);
    let text = bytes[at..end].trim_ascii_end();
    if text.last() == Some(&b'\\') { None } else { Some(end) }
}

/// End of the block comment at `at`; `None` where a splice or the end of the text decides.
fn block_comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut from = at + 2;
    loop {
        let star = from + memchr::memchr(b'*', &bytes[from..])?;
        match bytes.get(star + 1) {
            Some(b'/') => return Some(star + 2),
            Some(b'\\') if splice_len(bytes, star + 1) > 0 => return None,
            _ => from = star + 1,
        }
    }
}

/// End of the string or character constant at `at`; `None` where it is spliced or never closed.
fn quoted_end(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let mut from = at + 1;
    loop {
        match bytes.get(from)? {
            b'\n' => return None,
            b'\\' if splice_len(bytes, from) > 0 => return None,
            b'\\' if matches!(bytes.get(from + 1), Some(b'\n' | b'\\') | None) => {
                // `\\` may be followed by a splice that belongs to the pair; let the tokens tell.
                if splice_len(bytes, from + 1) > 0 || bytes.get(from + 1) != Some(&b'\\') {
                    return None;
                }
                from += 2;
            }
            b'\\' => from += 2,
            &byte if byte == quote => return Some(from + 1),
            _ => from += 1,
        }
    }
}
