//! Overwrites what the grammar of C can't take with blanks, so that offsets stay true.

use super::definitions::{Definitions, Postfix, Role, Wraps};
use super::groups::{Choice, Groups};
use super::lexed::{Code, Lexed};
use super::words;
use crate::preprocess::lexer::{Directive, Keyword, Token, TokenKind, directive_tokens};
use crate::text::Span;

/// A file's text for the parser, and the place of its tokens that had to be moved together.
pub(super) struct Masker<'a> {
    lexed: &'a Lexed<'a>,
    defs: &'a Definitions,
    /// The text with all that doesn't depend on the choice of branches done.
    base: Vec<u8>,
}

impl<'a> Masker<'a> {
    pub(super) fn new(lexed: &'a Lexed<'a>, defs: &'a Definitions) -> Masker<'a> {
        let mut base = lexed.bytes.to_vec();
        // The grammar wants a newline behind the last directive, and a macro may want a semicolon.
        base.push(b'\n');
        for token in &lexed.trivia {
            blank(&mut base, token.span);
        }
        for token in &lexed.code {
            plain_token(&mut base, lexed, token);
        }
        for directive in &lexed.directives {
            plain_directive(&mut base, lexed.bytes, directive);
        }
        Masker { lexed, defs, base }
    }

    /// The text with one choice of branches, and white space or a semicolon behind it.
    pub(super) fn text(&self, groups: &Groups, choice: &Choice) -> Vec<u8> {
        let mut out = self.base.clone();
        let code = self.cut(groups, choice, &mut out);
        let pairs = Pairs::new(&code);
        let mut pass = Pass {
            masker: self,
            out: &mut out,
            gone: vec![false; code.len()],
            code,
            pairs,
            before: None,
            assigned: false,
            depth: 0,
            braces: Vec::new(),
        };
        pass.run();
        out
    }

    /// Blanks the branches that aren't chosen, and gives the code that stays.
    fn cut(&self, groups: &Groups, choice: &Choice, out: &mut [u8]) -> Vec<Code> {
        let directives = &self.lexed.directives;
        let mut code = Vec::with_capacity(self.lexed.code.len());
        let mut dropped: Vec<Span> = Vec::new();
        for (group, kept) in groups.list.iter().zip(choice) {
            let Some(kept) = *kept else { continue };
            for (at, branch) in group.branches.iter().enumerate() {
                let next = group.branches.get(at + 1).map_or(group.end, |next| next.directive);
                let (this, next) = (&directives[branch.directive], &directives[next]);
                blank_from(out, self.lexed.bytes, directive_span(this));
                blank_from(out, self.lexed.bytes, directive_span(next));
                if at != kept {
                    dropped.push(Span { start: this.end, end: next.hash });
                }
            }
        }
        dropped.sort();
        let (mut at, mut end) = (0, 0);
        for span in dropped {
            // A group inside a dropped branch adds nothing.
            if span.start < end {
                continue;
            }
            end = span.end.max(span.start);
            let from = self.lexed.code.partition_point(|t| t.span.start < span.start);
            code.extend_from_slice(&self.lexed.code[at..from.max(at)]);
            at = self.lexed.code.partition_point(|t| t.span.start < end);
            blank_from(out, self.lexed.bytes, Span { start: span.start, end });
        }
        code.extend_from_slice(&self.lexed.code[at..]);
        code
    }
}

/// Blanks a span, newlines kept.
fn blank(out: &mut [u8], span: Span) {
    for byte in &mut out[span.range()] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// Blanks a span with the newlines that the text has there.
fn blank_from(out: &mut [u8], bytes: &[u8], span: Span) {
    out[span.range()].copy_from_slice(&bytes[span.range()]);
    blank(out, span);
}

fn directive_span(directive: &Directive) -> Span {
    Span { start: directive.hash, end: directive.end }
}

/// Writes `text` at the start of `span` and blanks the rest, newlines included.
fn write(out: &mut [u8], span: Span, text: &[u8]) {
    let place = &mut out[span.range()];
    let len = text.len().min(place.len());
    place[..len].copy_from_slice(&text[..len]);
    place[len..].fill(b' ');
}

/// Brings a token to the form that the grammar knows: no splices, no digraphs, ASCII alone.
fn plain_token(out: &mut [u8], lexed: &Lexed<'_>, token: &Code) {
    let place = &mut out[token.span.range()];
    match token.kind {
        TokenKind::Str | TokenKind::Char => plain_quoted(place),
        TokenKind::Stray => place.fill(b'@'),
        _ => {
            let text = lexed.text(token);
            if token.punct != 0 {
                write(out, token.span, &[token.punct]);
            } else if text.len() < place.len() {
                write(out, token.span, &text);
            }
            for byte in &mut out[token.span.range()] {
                if !byte.is_ascii() {
                    *byte = b'_';
                }
            }
        }
    }
}

/// Overwrites what stands between the quotes: escapes, splices and raw strings are no concern of the
/// grammar's.
fn plain_quoted(place: &mut [u8]) {
    let Some(&quote) = place.last() else { return };
    // Closed by a quote, unless an empty constant is to stay the error that it is.
    if place.len() > 2 {
        place.fill(b'_');
        place[0] = quote;
        place[place.len() - 1] = quote;
    }
}

/// Leaves of conditional directives what the grammar takes, and nothing of the others: they may
/// stand where it doesn't expect them, and what they say is read from the tokens.
fn plain_directive(out: &mut [u8], bytes: &[u8], directive: &Directive) {
    match directive.keyword {
        Keyword::Define | Keyword::Undef | Keyword::Include | Keyword::Other => {
            blank(out, directive_span(directive));
        }
        _ => {
            // All on one line, since a splice in a comment would end the directive.
            let span = Span { start: directive.hash, end: directive.body.end };
            write(out, span, b"#");
            let name = Token { kind: TokenKind::Identifier, span: directive.name };
            write(out, directive.name, &name.text(bytes));
            // Compilers ignore what stands behind these two.
            if !matches!(directive.keyword, Keyword::Else | Keyword::Endif) {
                plain_condition(out, bytes, directive.body);
            }
        }
    }
}

fn plain_condition(out: &mut [u8], bytes: &[u8], body: Span) {
    let mut opened = false;
    let mut header = false;
    for token in directive_tokens(bytes, body).filter(|t| !t.is_trivia()) {
        // A header named in the argument of a macro that stands for `__has_include`.
        header = if header { token.raw(bytes) != b")" } else { opened && token.raw(bytes) == b"<" };
        opened = token.raw(bytes) == b"(";
        if header {
            out[token.span.range()].fill(b'_');
            continue;
        }
        match token.kind {
            TokenKind::HeaderName | TokenKind::Str => out[token.span.range()].fill(b'_'),
            TokenKind::Char => {
                out[token.span.range()].copy_from_slice(token.raw(bytes));
                plain_quoted(&mut out[token.span.range()]);
            }
            TokenKind::Stray => out[token.span.range()].fill(b'@'),
            _ => {
                let text = token.text(bytes);
                // Operators that its conditions lack, as one that needs the same operands.
                let text = if matches!(&*text, b"?" | b":" | b"::") { b"+" } else { &*text };
                write(out, token.span, text);
            }
        }
    }
}

/// Which bracket closes which.
struct Pairs {
    /// For an opening bracket the place of the closing one; 0 where it is never closed.
    close: Vec<u32>,
    /// For each place how many of `;`, `{` and `}` stand before it.
    stops: Vec<u32>,
}

impl Pairs {
    fn new(code: &[Code]) -> Pairs {
        let mut close = vec![0; code.len()];
        let mut stops = Vec::with_capacity(code.len());
        let mut open: Vec<usize> = Vec::new();
        let mut count = 0;
        for (at, token) in code.iter().enumerate() {
            stops.push(count);
            count += u32::from(matches!(token.punct, b';' | b'{' | b'}'));
            let opening = match token.punct {
                b'(' | b'[' | b'{' => {
                    open.push(at);
                    continue;
                }
                b')' => b'(',
                b']' => b'[',
                b'}' => b'{',
                _ => continue,
            };
            // A brace closes what was left open inside it; the other way round is left alone.
            if opening == b'{' {
                while open.last().is_some_and(|&o| code[o].punct != b'{') {
                    open.pop();
                }
            }
            if let Some(&last) = open.last()
                && code[last].punct == opening
            {
                close[last] = at as u32;
                open.pop();
            }
        }
        Pairs { close, stops }
    }

    /// The place of the bracket that closes the one at `at`.
    fn closing(&self, at: usize) -> Option<usize> {
        self.close.get(at).map(|&close| close as usize).filter(|&close| close > 0)
    }

    /// The same, where nothing in between says that a bracket was forgotten.
    fn closing_argument(&self, at: usize) -> Option<usize> {
        self.closing(at).filter(|&close| self.stops[close] == self.stops[at])
    }
}

/// One walk over the code of one choice.
struct Pass<'m, 'o> {
    masker: &'m Masker<'m>,
    out: &'o mut Vec<u8>,
    code: Vec<Code>,
    pairs: Pairs,
    /// Tokens that are to be blanked when the walk meets them.
    gone: Vec<bool>,
    /// The last token that stayed.
    before: Option<usize>,
    /// Whether the statement that the walk is in has an assignment or a value.
    assigned: bool,
    /// How many braces are open, those of linkage specifications left out.
    depth: usize,
    /// The open braces.
    braces: Vec<Brace>,
}

/// What a pair of braces holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    /// Of `extern "C"`: what is inside stands at the top level.
    Linkage,
    /// Enumerators.
    Enum,
    /// The members of a structure or union.
    Members,
    /// Anything else.
    Block,
}

impl Pass<'_, '_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.code.len() {
            at = self.token(at);
        }
    }

    /// Handles the token at `at` and gives the place of the next.
    fn token(&mut self, at: usize) -> usize {
        let token = self.code[at];
        if self.gone[at] {
            self.blank(at, at);
            return at + 1;
        }
        self.assigned &= !matches!(token.punct, b';' | b'{' | b'}');
        self.assigned |= token.punct == b'=';
        match token.punct {
            b'{' => {
                let brace = self.brace();
                self.braces.push(brace);
                self.depth += usize::from(brace != Brace::Linkage);
            }
            b'}' => {
                let brace = self.braces.pop().unwrap_or(Brace::Linkage);
                self.depth -= usize::from(brace != Brace::Linkage);
            }
            b'[' if self.punct(at + 1) == b'[' => {
                if let Some(close) = self.pairs.closing_argument(at) {
                    return self.blank(at, close);
                }
            }
            _ => {}
        }
        if token.is_identifier()
            && let Some(next) = self.identifier(at)
        {
            return next;
        }
        self.before = Some(at);
        at + 1
    }

    /// Masks the identifier at `at`, if it is to be: the place behind is given then.
    fn identifier(&mut self, at: usize) -> Option<usize> {
        let word = self.masker.lexed.text(&self.code[at]);
        let open = Some(at + 1).filter(|&next| self.punct(next) == b'(');
        if word.starts_with(b"_") || &*word == b"alignas" {
            if words::is_vendor_specifier(&word) {
                return Some(self.blank(at, at));
            }
            if words::is_attribute(&word) {
                return self.pairs.closing_argument(open?).map(|close| self.blank(at, close));
            }
        }
        let role = self.masker.defs.role(&word)?;
        if role.specifier {
            // Nothing qualifies what stands behind a value: this is the next statement.
            let next = self.assigned && open.is_none() && self.punct(at + 1) == b';';
            return if next { None } else { self.specifier(at, open, role) };
        }
        match (role.postfix, open) {
            (Some(operator), _) if role.object && self.is_operator(operator) => {
                return Some(self.blank(at, at));
            }
            _ => {}
        }
        let open = open.filter(|_| role.function)?;
        let close = self.pairs.closing(open)?;
        if role.of_type && word.len() >= b"sizeof".len() {
            write(self.out, self.code[at].span, b"sizeof");
        } else if let Some(wraps) = role.wraps {
            self.unwrap_argument(at, open, close, wraps);
            return Some(self.blank(at, at));
        } else if self.braces.last() == Some(&Brace::Enum) {
            return Some(self.enumerators(at, open, close));
        }
        let starts = self.starts_statement(at, role);
        if starts && role.bare && self.lacks_semicolon(close, role) {
            self.put_behind(close, b';');
        }
        if starts && self.braces.last() == Some(&Brace::Members) {
            // Among members the grammar takes no call, but a type without a member's name.
            self.before = Some(close);
            return Some(self.blank(open, close));
        }
        None
    }

    fn specifier(&mut self, at: usize, open: Option<usize>, role: Role) -> Option<usize> {
        // A name that only a mask rule gives may be used both ways.
        let takes_arguments = role.function || !role.object;
        match open.filter(|_| takes_arguments) {
            Some(open) => self.pairs.closing_argument(open).map(|close| self.blank(at, close)),
            None if role.function && !role.object => None,
            None => Some(self.blank(at, at)),
        }
    }

    /// Whether a macro that begins with `operator` follows a value here.
    fn is_operator(&self, operator: Postfix) -> bool {
        let Some(before) = self.before.map(|b| self.code[b]) else { return false };
        match before.kind {
            TokenKind::Number => true,
            TokenKind::Identifier => !words::awaits_operand(&self.masker.lexed.text(&before)),
            // Behind a parenthesis it may be the operand of a cast.
            _ => before.punct == b']' || (before.punct == b')' && operator == Postfix::Binary),
        }
    }

    /// Marks all but the wrapped argument for blanking.
    fn unwrap_argument(&mut self, at: usize, open: usize, close: usize, wraps: Wraps) {
        let mut argument = 0;
        let mut inner = open + 1;
        let kept =
            |argument| argument == wraps.argument || (wraps.rest && argument > wraps.argument);
        self.gone[at] = true;
        self.gone[open] = true;
        self.gone[close] = true;
        while inner < close {
            let end = self.pairs.closing(inner).filter(|&end| end < close).unwrap_or(inner);
            let separates =
                self.punct(inner) == b',' && !(wraps.rest && argument >= wraps.argument);
            if separates || !kept(argument) {
                self.gone[inner..=end].fill(true);
            }
            argument += usize::from(separates);
            inner = end + 1;
        }
    }

    /// Leaves of a macro that makes enumerators a single one, its name.
    fn enumerators(&mut self, at: usize, open: usize, close: usize) -> usize {
        self.before = Some(at);
        let next = self.blank(open, close);
        if !matches!(self.punct(next), b',' | b'}') {
            self.put_behind(close, b',');
        }
        next
    }

    /// Whether the macro call at `at` starts a statement, a definition or a member.
    fn starts_statement(&self, at: usize, role: Role) -> bool {
        let Some(before) = self.before else { return at == 0 || role.closed };
        let token = self.code[before];
        // Blanked specifiers in between belong to a definition that the macro makes, if any.
        (before + 1 == at || role.closed)
            && (matches!(token.punct, b';' | b'{' | b'}' | b':' | b')')
                || self.masker.lexed.is_word(&token, b"else")
                || self.masker.lexed.is_word(&token, b"do"))
    }

    /// Whether the macro call that ends at `close` is a whole statement or definition with no `;`
    /// behind it.
    fn lacks_semicolon(&self, close: usize, role: Role) -> bool {
        let top = self.depth == 0;
        match self.code.get(close + 1) {
            None => top || role.closed,
            Some(next) if next.is_identifier() => top || role.closed,
            Some(next) => matches!(next.punct, b'{' | b'}') && role.closed,
        }
    }

    /// Puts a byte over the white space behind the parenthesis at `close`.
    fn put_behind(&mut self, close: usize, put: u8) {
        let place = self.code[close].span.end as usize;
        if let Some(byte) = self.out.get_mut(place)
            && byte.is_ascii_whitespace()
        {
            *byte = put;
        }
    }

    /// What the brace that comes now opens.
    fn brace(&self) -> Brace {
        let lexed = self.masker.lexed;
        let Some(before) = self.before else { return Brace::Block };
        let earlier = before.checked_sub(1).map(|e| self.code[e]);
        let token = self.code[before];
        let keyword = |word: &[u8]| {
            let named = token.is_identifier() && earlier.is_some_and(|t| lexed.is_word(&t, word));
            named || lexed.is_word(&token, word)
        };
        if token.kind == TokenKind::Str && earlier.is_some_and(|t| lexed.is_word(&t, b"extern")) {
            Brace::Linkage
        } else if keyword(b"enum") {
            Brace::Enum
        } else if keyword(b"struct") || keyword(b"union") {
            Brace::Members
        } else {
            Brace::Block
        }
    }

    fn punct(&self, at: usize) -> u8 {
        self.code.get(at).map_or(0, |t| t.punct)
    }

    /// Blanks from the token at `first` to the one at `last` and gives the place behind.
    fn blank(&mut self, first: usize, last: usize) -> usize {
        let span = self.code[first].span.cover(self.code[last].span);
        blank(self.out, span);
        last + 1
    }
}
