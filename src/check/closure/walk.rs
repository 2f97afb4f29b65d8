//! The tokens of a file in one pass: which names are used, and which stand where declarations have
//! them.
//!
//! No grammar is asked: what follows from the tokens beside a name is enough to tell a name that
//! nothing declares from one that something may.

use std::borrow::Cow;
use std::collections::HashSet;

use super::facts::{Facts, Groups, NONE, Use, Word, Words};
use super::heads::Head;
use crate::preprocess::lexer::{Keyword, Token, TokenKind};
use crate::syntax::{Code, Lexed, is_attribute};
use crate::text::{Quick, Span};

/// Most open brackets that a branch is known to start with.
const MAX_SAVED: usize = 256;

/// An open bracket.
#[derive(Clone, Copy)]
struct Bracket {
    kind: Kind,
    /// The name in front of a parenthesis.
    callee: Word,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Paren,
    /// Of a `for`: its first part may declare.
    For,
    /// Of an attribute: names in it are the compiler's.
    Attribute,
    Square,
    /// A body, a block, or a structure.
    Block,
    Values,
    Enum,
}

/// Walks a file.
pub(super) struct Walk<'l, 'a, 'f> {
    lexed: &'l Lexed<'a>,
    groups: &'l Groups,
    words: &'f mut Words<'a>,
    facts: &'f mut Facts,
    open: Vec<Bracket>,
    /// The open brackets at the start of each open group: every branch starts with them.
    saved: Vec<Vec<Bracket>>,
    head: Head,
    condition: u32,
    guarded: bool,
    seen: HashSet<(Word, Word, bool, u32), Quick>,
    declared: HashSet<Word, Quick>,
    /// Whether the parenthesis closed last was an attribute's.
    behind_attribute: bool,
}

impl<'l, 'a, 'f> Walk<'l, 'a, 'f> {
    pub(super) fn new(
        lexed: &'l Lexed<'a>,
        groups: &'l Groups,
        words: &'f mut Words<'a>,
        facts: &'f mut Facts,
    ) -> Walk<'l, 'a, 'f> {
        Walk {
            lexed,
            groups,
            words,
            facts,
            open: Vec::new(),
            saved: Vec::new(),
            head: Head::starting(0, 0),
            condition: 0,
            guarded: false,
            seen: HashSet::default(),
            declared: HashSet::default(),
            behind_attribute: false,
        }
    }

    pub(super) fn run(mut self) {
        let mut next = 0;
        for at in 0..self.lexed.code.len() {
            while let Some(directive) = self.lexed.directives.get(next)
                && directive.end <= self.lexed.code[at].span.start
            {
                self.directive(directive.keyword);
                next += 1;
            }
            self.condition = self.groups.in_front_of(next);
            self.guarded = self.groups.is_guarded(next);
            self.token(at);
        }
        self.finish(self.lexed.code.len());
        self.declared.extend(std::mem::take(&mut self.facts.declares));
        self.facts.declares = self.declared.into_iter().collect();
        self.facts.declares.sort_unstable();
    }

    fn directive(&mut self, keyword: Keyword) {
        match keyword {
            keyword if keyword.opens() => self.saved.push(self.innermost()),
            Keyword::Else | Keyword::Elif | Keyword::Elifdef | Keyword::Elifndef => {
                if let Some(open) = self.saved.last() {
                    self.open.clone_from(open);
                }
            }
            Keyword::Endif => _ = self.saved.pop(),
            _ => {}
        }
    }

    /// The open brackets, of those that nothing would nest so deep the innermost.
    fn innermost(&self) -> Vec<Bracket> {
        self.open[self.open.len().saturating_sub(MAX_SAVED)..].to_vec()
    }

    fn code(&self, at: Option<usize>) -> Option<&'l Code> {
        self.lexed.code.get(at?)
    }

    fn raw(&self, at: Option<usize>) -> &'a [u8] {
        self.code(at).map_or(b"", |token| token.raw(self.lexed.bytes))
    }

    fn token(&mut self, at: usize) {
        let token = &self.lexed.code[at];
        if self.head.start == at {
            (self.head.condition, self.head.guarded) = (self.condition, self.guarded);
        }
        match token.punct {
            b'(' => self.open_parenthesis(at),
            b'[' => self.push(Kind::Square, NONE),
            b'{' => self.open_brace(at),
            b')' | b']' => {
                let closed = self.open.pop();
                self.behind_attribute = closed.is_some_and(|b| b.kind == Kind::Attribute);
            }
            b'}' => {
                self.open.pop();
                if self.open.is_empty() && self.head.body {
                    self.finish(at + 1);
                }
            }
            b';' if self.open.iter().all(|b| matches!(b.kind, Kind::Paren | Kind::Square)) => {
                // A parenthesis that never closed must not swallow the rest of the file.
                self.open.clear();
                self.finish(at + 1);
            }
            b'=' if self.open.is_empty() => {
                (self.head.in_value, self.head.value) = (true, true);
            }
            b',' if self.open.is_empty() => self.head.in_value = false,
            _ if token.is_identifier() => self.name(at),
            _ => {}
        }
    }

    fn push(&mut self, kind: Kind, callee: Word) {
        self.open.push(Bracket { kind, callee });
    }

    fn open_parenthesis(&mut self, at: usize) {
        let before = at.checked_sub(1);
        let word = self.code(before).filter(|t| t.is_identifier()).map(|t| self.lexed.text(t));
        let inside = self.open.last().is_some_and(|b| b.kind == Kind::Attribute);
        match word {
            _ if inside => self.push(Kind::Attribute, NONE),
            Some(word) if is_attribute(&word) => self.push(Kind::Attribute, NONE),
            Some(word) if &*word == b"for" => self.push(Kind::For, NONE),
            Some(word) if !is_keyword(&word) => {
                let callee = self.words.of(word);
                self.push(Kind::Paren, callee);
            }
            _ => self.push(Kind::Paren, NONE),
        }
    }

    fn open_brace(&mut self, at: usize) {
        let before = at.checked_sub(1);
        let values = self.open.last().is_some_and(|b| b.kind == Kind::Values);
        let tag = self.raw(at.checked_sub(2));
        let kind = match self.raw(before) {
            b"enum" => Kind::Enum,
            _ if tag == b"enum" => Kind::Enum,
            b"=" | b"," => Kind::Values,
            _ if values => Kind::Values,
            _ => Kind::Block,
        };
        if self.open.is_empty() {
            if self.code(before).is_some_and(|t| t.kind == TokenKind::Str) {
                // Of a linkage specification: what is inside stands at file scope.
                self.head = Head::starting(at + 1, self.condition);
                return;
            }
            let body = kind == Kind::Block && self.head.may_have_body(self.lexed, at);
            if body {
                self.head.body_at = Some(at);
            }
            self.head.body |= body;
        }
        self.push(kind, NONE);
    }

    fn finish(&mut self, end: usize) {
        let head = std::mem::replace(&mut self.head, Head::starting(end, self.condition));
        head.finish(end, self.lexed, self.words, self.facts);
    }

    fn name(&mut self, at: usize) {
        let token = &self.lexed.code[at];
        let text = self.lexed.text(token);
        let top = self.open.is_empty();
        if top {
            self.head.name(at, self.lexed);
        }
        let (before, next) = (self.raw(at.checked_sub(1)), self.raw(Some(at + 1)));
        let dead = self.groups.is_dead(self.condition);
        let attribute = self.open.last().is_some_and(|b| b.kind == Kind::Attribute);
        if is_keyword(&text) || attribute || dead || matches!(before, b"." | b"->" | b"goto") {
            return;
        }
        let word = self.words.of(text);
        if self.declares(at, before, next) {
            // The name of a function at file scope is that of an item.
            if !(top && next == b"(") {
                self.declared.insert(word);
            }
            return;
        }
        let called = next == b"(";
        let alone = matches!(before, b"(" | b",") && matches!(next, b"," | b")");
        let callee = self.open.last().filter(|_| alone).map_or(NONE, |b| b.callee);
        if self.seen.insert((word, callee, called, self.condition)) {
            self.facts.uses.push(Use {
                name: word,
                span: token.span,
                called,
                argument_of: callee,
                condition: self.condition,
            });
        }
    }

    /// Whether the name at a place stands where a declaration has it.
    fn declares(&self, at: usize, before: &[u8], next: &[u8]) -> bool {
        let inside = self.open.last().map(|b| b.kind);
        let previous = self.code(at.checked_sub(1));
        match before {
            _ if previous.is_some_and(Code::is_identifier) => may_precede_a_name(before),
            b"*" => self.behind_stars(at, next),
            b"," => match inside {
                Some(Kind::Enum) => true,
                None | Some(Kind::Block | Kind::For) => next != b"(",
                _ => false,
            },
            b"{" if inside == Some(Kind::Enum) => true,
            b"}" if inside == Some(Kind::Values) => false,
            b"}" => matches!(next, b";" | b"," | b"[" | b"=" | b":"),
            b")" => self.behind_attribute,
            // A label.
            b";" | b"{" => next == b":",
            b":" => next == b":",
            _ => false,
        }
    }

    fn behind_stars(&self, at: usize, next: &[u8]) -> bool {
        let mut first = at;
        while first > 0 && matches!(self.raw(Some(first - 1)), b"*" | b"const" | b"restrict") {
            first -= 1;
        }
        let before = first.checked_sub(1);
        let word = self.code(before).is_some_and(Code::is_identifier);
        let raw = self.raw(before);
        if next == b"(" {
            return word && self.open.is_empty();
        }
        (word && may_precede_a_name(raw) && matches!(next, b"," | b")" | b";" | b"=" | b"[" | b":"))
            || (raw == b"(" && next == b")")
            || (raw == b"," && self.open.last().is_none_or(|b| b.kind == Kind::Block))
    }
}

/// Reads the body of a macro: no grammar fits one, so every name in it counts.
pub(super) fn macro_body<'a>(
    bytes: &'a [u8],
    body: &[Token],
    (own, parameters): (Word, &[Cow<'_, [u8]>]),
    condition: u32,
    words: &mut Words<'a>,
    facts: &mut Facts,
) -> Body {
    let mut found = Body::default();
    let raw = |at: Option<usize>| at.and_then(|at| body.get(at)).map_or(&b""[..], |t| t.raw(bytes));
    let arguments: Vec<Word> =
        parameters.iter().map(|text| words.of(Cow::Owned(text.to_vec()))).collect();
    let mut open: Vec<Word> = Vec::new();
    let mut attribute: Option<usize> = None;
    for (at, token) in body.iter().enumerate() {
        let (before, next) = (raw(at.checked_sub(1)), raw(Some(at + 1)));
        let previous = at.checked_sub(1).map(|at| &body[at]);
        let behind_name = previous.is_some_and(|t| t.kind == TokenKind::Identifier);
        match token.raw(bytes) {
            b"(" => {
                if is_attribute(before) {
                    attribute = attribute.or(Some(open.len()));
                }
                let callee = previous.filter(|_| behind_name && !is_keyword(before));
                let callee = callee.map_or(NONE, |token| words.of(token.text(bytes)));
                found.callees.extend(Some(callee).filter(|word| *word != NONE));
                open.push(callee);
            }
            b")" => {
                open.pop();
                attribute = attribute.filter(|depth| open.len() > *depth);
            }
            _ => {}
        }
        let text = token.text(bytes);
        let pasted = matches!(before, b"." | b"->" | b"#" | b"##" | b"%:" | b"%:%:")
            || matches!(next, b"##" | b"%:%:");
        if token.kind != TokenKind::Identifier || attribute.is_some() || pasted || is_keyword(&text)
        {
            continue;
        }
        let declared = behind_name && may_precede_a_name(before)
            || before == b"*" && at > 1 && body[at - 2].kind == TokenKind::Identifier;
        let alone = matches!(before, b"(" | b",") && matches!(next, b"," | b")");
        let handed = open.last().is_some_and(|of| alone && arguments.contains(of));
        if parameters.contains(&text) {
            found.declares |= declared && next != b"(";
            continue;
        }
        let word = words.of(text);
        if handed {
            facts.made.push(word);
        } else if declared && next != b"(" {
            facts.declares.push(word);
        } else if word != own {
            facts.macro_uses.push(Use {
                name: word,
                span: token.span,
                called: next == b"(",
                argument_of: open.last().copied().filter(|_| alone).unwrap_or(NONE),
                condition,
            });
        }
    }
    found
}

/// What the body of a macro does with what it is given.
#[derive(Default)]
pub(super) struct Body {
    /// Whether it declares a parameter.
    pub(super) declares: bool,
    /// What it calls.
    pub(super) callees: Vec<Word>,
}

/// Whether a name behind this one is a declared one: not behind words of statements and expressions.
fn may_precede_a_name(word: &[u8]) -> bool {
    !matches!(
        word,
        b"return" | b"else" | b"case" | b"goto" | b"sizeof" | b"do" | b"typeof" | b"__typeof__"
    )
}

/// Words of the language. What begins with two underscores is a compiler's or a kernel header's own.
pub(super) fn is_keyword(word: &[u8]) -> bool {
    word.starts_with(b"__")
        || matches!(
            word,
            b"auto"
                | b"break"
                | b"case"
                | b"char"
                | b"const"
                | b"continue"
                | b"default"
                | b"do"
                | b"double"
                | b"else"
                | b"enum"
                | b"extern"
                | b"float"
                | b"for"
                | b"goto"
                | b"if"
                | b"inline"
                | b"int"
                | b"long"
                | b"register"
                | b"restrict"
                | b"return"
                | b"short"
                | b"signed"
                | b"sizeof"
                | b"static"
                | b"struct"
                | b"switch"
                | b"typedef"
                | b"union"
                | b"unsigned"
                | b"void"
                | b"volatile"
                | b"while"
                | b"asm"
                | b"typeof"
                | b"_Static_assert"
                | b"_Alignof"
                | b"_Alignas"
                | b"_Bool"
                | b"_Pragma"
                | b"_Noreturn"
                | b"_Generic"
                | b"defined"
                | b"alignof"
                | b"alignas"
                | b"static_assert"
                | b"_Thread_local"
        )
}

/// The bytes from the first to the last of some tokens.
pub(super) fn extent(lexed: &Lexed<'_>, from: usize, to: usize) -> Span {
    match (lexed.code.get(from), to.checked_sub(1).and_then(|at| lexed.code.get(at))) {
        (Some(first), Some(last)) if from < to => first.span.cover(last.span),
        _ => Span::default(),
    }
}
