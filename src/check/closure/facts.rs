//! What one file says by itself: what it names, declares, defines, includes and exports.
//!
//! A function of the file's text and nothing else, so that files that did not change need not be looked
//! at again. All branches of conditionals count.

use std::borrow::Cow;
use std::collections::HashMap;

use super::walk;
use crate::memo::Held;
use crate::preprocess::lexer::{Directive, Keyword, Token, TokenKind, directive_tokens};
use crate::syntax::{Head, Lexed};
use crate::text::{Quick, Span};

/// Most conditions around a place that are looked at: as many as C asks compilers to cope with.
pub(super) const MAX_NESTED: usize = 63;

/// Number of a name within one file.
pub(super) type Word = u32;

/// No name.
pub(super) const NONE: Word = Word::MAX;

/// What is known of one file.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The names by their number.
    pub(super) names: Vec<Box<[u8]>>,
    /// Names in code that stand for something declared elsewhere.
    pub(super) uses: Vec<Use>,
    /// The same in the bodies of macros.
    pub(super) macro_uses: Vec<Use>,
    /// Names that stand where declarations have them: variables, parameters, members, constants, types.
    pub(super) declares: Vec<Word>,
    /// Names handed to macros at file scope, which may give them to what they define.
    pub(super) made: Vec<Word>,
    /// What is declared or defined at file scope.
    pub(super) items: Vec<Item>,
    /// Calls at file scope with nothing else beside them.
    pub(super) top_calls: Vec<TopCall>,
    /// The macros it defines.
    pub(super) macros: Vec<Macro>,
    /// Its include directives.
    pub(super) includes: Vec<Include>,
    /// The conditions that names and items stand under; the first is none.
    pub(super) conditions: Vec<Condition>,
    /// Whether a pragma keeps it from being included twice.
    pub(super) once: bool,
    /// Each statement of the licence by its identifier.
    pub(super) licences: Vec<Span>,
    /// Which licences its first comments speak of.
    pub(super) mentions: Mentions,
}

/// A name in use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) name: Word,
    /// The first place.
    pub(super) span: Span,
    /// Whether a parenthesis stands behind it.
    pub(super) called: bool,
    /// The function or macro that it is an argument of, all by itself.
    pub(super) argument_of: Word,
    /// The condition that decides on it, as a place in [`Facts::conditions`].
    pub(super) condition: u32,
}

/// The innermost condition around a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Condition {
    /// The directive that opens the group.
    pub(super) text: String,
    /// The names in it; none behind an `#else`.
    pub(super) names: Vec<Box<[u8]>>,
    /// The condition around it, as a place in [`Facts::conditions`].
    pub(super) outside: u32,
    /// Whether it, or one around it, never holds.
    pub(super) dead: bool,
}

/// What an item at file scope is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ItemKind {
    Function,
    Data,
    Type,
}

/// A declaration or definition at file scope.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) kind: ItemKind,
    pub(super) name: Word,
    pub(super) span: Span,
    /// The whole of it; of a function definition the head.
    pub(super) extent: Span,
    pub(super) defines: bool,
    /// What stands in its head beside the name: specifiers, types.
    pub(super) words: Vec<Word>,
    /// As in [`Use::condition`].
    pub(super) condition: u32,
    /// Whether it stands in a guard.
    pub(super) guarded: bool,
    /// The comment right in front of it.
    pub(super) comment: Option<Span>,
    /// Names of a function's parameters.
    pub(super) parameters: Vec<Word>,
}

/// A call at file scope, such as `EXPORT(name);`.
#[derive(Clone, Debug)]
pub(super) struct TopCall {
    pub(super) name: Word,
    /// Names among the arguments.
    pub(super) arguments: Vec<(Word, Span)>,
    /// The first string among the arguments, quotes included.
    pub(super) string: Option<Span>,
}

/// A macro definition.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) name: Word,
    pub(super) span: Span,
    /// Parameters and body with one blank between tokens.
    pub(super) text: Box<[u8]>,
    /// Whether it joins its arguments to names, makes strings of them, or declares them.
    pub(super) pastes: bool,
    /// What it hands its arguments on to.
    pub(super) callees: Vec<Word>,
    /// Names that it puts together: the fixed parts, with a gap for each argument.
    pub(super) makes: Vec<Vec<Option<Box<[u8]>>>>,
    /// The names in a short body.
    pub(super) words: Vec<Word>,
    /// As in [`Use::condition`].
    pub(super) condition: u32,
    /// Whether a condition around it asks for the name itself, or it is undefined before.
    pub(super) guarded: bool,
    /// Whether the file undefines it again.
    pub(super) undefined: bool,
}

/// An include directive.
#[derive(Clone, Debug)]
pub(super) struct Include {
    /// What is named.
    pub(super) spelling: String,
    pub(super) span: Span,
}

/// Licences that a text speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Mentions {
    pub(super) bsd: bool,
    pub(super) gpl: bool,
}

impl Mentions {
    pub(super) fn of(text: &[u8]) -> Mentions {
        let has = |word: &[u8]| memchr::memmem::find(text, word).is_some();
        Mentions { bsd: has(b"BSD"), gpl: has(b"GPL") || has(b"GNU General Public") }
    }
}

impl Held for Facts {
    fn weight(&self) -> usize {
        let names: usize = self.names.iter().map(|name| name.len() + 16).sum();
        let uses = self.uses.len() + self.macro_uses.len() + self.declares.len();
        let macros: usize = self.macros.iter().map(|m| 160 + m.text.len()).sum();
        names + 32 * uses + 128 * self.items.len() + macros
    }
}

/// Numbers the names of a file.
#[derive(Default)]
pub(super) struct Words<'a> {
    numbers: HashMap<Cow<'a, [u8]>, Word, Quick>,
    list: Vec<Box<[u8]>>,
}

impl<'a> Words<'a> {
    pub(super) fn of(&mut self, text: Cow<'a, [u8]>) -> Word {
        if let Some(&word) = self.numbers.get(&text) {
            return word;
        }
        let word = self.list.len() as Word;
        self.list.push(Box::from(&*text));
        self.numbers.insert(text, word);
        word
    }
}

impl Facts {
    /// Reads a file.
    pub(super) fn of(bytes: &[u8]) -> Facts {
        let lexed = Lexed::new(bytes);
        let mut words = Words::default();
        let mut facts = Facts::default();
        let groups = Groups::of(&lexed);
        facts.directives(&lexed, &groups, &mut words);
        walk::Walk::new(&lexed, &groups, &mut words, &mut facts).run();
        facts.licence(&lexed);
        facts.names = words.list;
        facts.conditions = groups.conditions;
        facts
    }

    fn directives<'a>(&mut self, lexed: &Lexed<'a>, groups: &Groups, words: &mut Words<'a>) {
        let bytes = lexed.bytes;
        self.once = pragma_once(lexed);
        let mut undefined: Vec<Word> = Vec::new();
        for (at, directive) in lexed.directives.iter().enumerate() {
            let condition = groups.in_front_of(at);
            match directive.keyword {
                Keyword::Define => {
                    let Some(found) = macro_of(bytes, directive, condition, words, self) else {
                        continue;
                    };
                    let own = groups.tests(bytes, lexed, at, &words.list[found.name as usize]);
                    let guarded = own || undefined.contains(&found.name);
                    self.macros.push(Macro { guarded, ..found });
                }
                Keyword::Undef => {
                    let name = directive_tokens(bytes, directive.body).find(|t| !t.is_trivia());
                    let Some(name) = name.map(|token| words.of(token.text(bytes))) else {
                        continue;
                    };
                    undefined.push(name);
                    let earlier = self.macros.iter_mut().filter(|m| m.name == name);
                    earlier.for_each(|m| m.undefined = true);
                }
                Keyword::Include => self.includes.extend(include_of(bytes, directive)),
                _ => {}
            }
        }
    }

    fn licence(&mut self, lexed: &Lexed<'_>) {
        const TAG: &[u8] = b"SPDX-License-Identifier:";
        let bytes = lexed.bytes;
        for at in memchr::memmem::find_iter(bytes, TAG) {
            let start = at + TAG.len();
            let rest = &bytes[start..];
            let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let end = memchr::memmem::find(&rest[..line], b"*/").unwrap_or(line);
            let text = &rest[..end];
            let blanks = text.len() - text.trim_ascii_start().len();
            self.licences
                .push(Span::new(start + blanks, start + text.trim_ascii_end().len().max(blanks)));
        }
        let first = lexed.directives.first().map(|d| d.hash);
        let code = lexed.code.first().map(|c| c.span.start);
        let end = first.into_iter().chain(code).min().map_or(bytes.len(), |at| at as usize);
        let tagged = self.licences.first().map_or(0, |span| span.end as usize).min(end);
        self.mentions = Mentions::of(&bytes[tagged..end]);
    }
}

fn pragma_once(lexed: &Lexed<'_>) -> bool {
    let once = |d: &Directive| {
        d.keyword == Keyword::Other
            && lexed.bytes[d.name.range()] == *b"pragma"
            && lexed.bytes[d.body.range()].trim_ascii() == b"once"
    };
    lexed.directives.iter().any(once)
}

fn include_of(bytes: &[u8], directive: &Directive) -> Option<Include> {
    let body = &bytes[directive.body.range()];
    let text = body.trim_ascii_start();
    let close = match text.first()? {
        b'<' => b'>',
        b'"' => b'"',
        _ => return None,
    };
    let end = memchr::memchr(close, &text[1..])? + 1;
    let start = directive.body.start as usize + body.len() - text.len();
    Some(Include {
        spelling: String::from_utf8_lossy(&text[1..end]).into_owned(),
        span: Span::new(start, start + end + 1),
    })
}

/// The conditional groups of a file, as far as they matter here.
pub(super) struct Groups {
    /// For each directive the condition in front of it, as a place in the list; 0 is none.
    before: Vec<u32>,
    /// For each directive the one that opened the innermost group it stands in.
    opener: Vec<Option<u32>>,
    conditions: Vec<Condition>,
    /// For each directive whether it stands in a guard.
    guarded: Vec<bool>,
}

impl Groups {
    fn of(lexed: &Lexed<'_>) -> Groups {
        let directives = &lexed.directives;
        let mut groups = Groups {
            before: Vec::with_capacity(directives.len()),
            opener: Vec::with_capacity(directives.len()),
            conditions: vec![Condition::default()],
            guarded: Vec::with_capacity(directives.len()),
        };
        // For each open group its directive, the condition outside, that inside, and whether it or one
        // around it is a guard.
        let mut open: Vec<(u32, u32, u32, bool)> = Vec::new();
        for (at, directive) in directives.iter().enumerate() {
            let inside = open.last().map_or(0, |(_, _, inside, _)| *inside);
            groups.guarded.push(open.last().is_some_and(|(.., guarded)| *guarded));
            groups.before.push(inside);
            groups.opener.push(open.last().map(|(at, ..)| *at));
            match directive.keyword {
                Keyword::Endif => _ = open.pop(),
                Keyword::Else | Keyword::Elif | Keyword::Elifdef | Keyword::Elifndef => {
                    if let Some((_, outside, inside, _)) = open.last_mut() {
                        let (outside, dead) = (*outside, groups.is_dead(*outside));
                        let text = "#else".to_owned();
                        groups.conditions.push(Condition {
                            text,
                            names: Vec::new(),
                            outside,
                            dead,
                        });
                        *inside = groups.conditions.len() as u32 - 1;
                    }
                }
                keyword if keyword.opens() => {
                    let guard = guards(lexed, at);
                    let new =
                        if guard { inside } else { groups.condition(lexed, directive, inside) };
                    let guarded = guard || open.last().is_some_and(|(.., guarded)| *guarded);
                    open.push((at as u32, inside, new, guarded));
                }
                _ => {}
            }
        }
        groups
    }

    /// Adds the condition of a directive to the one that it stands under.
    fn condition(&mut self, lexed: &Lexed<'_>, directive: &Directive, outside: u32) -> u32 {
        let line = directive.hash as usize..directive.body.end as usize;
        let text = String::from_utf8_lossy(lexed.bytes[line].trim_ascii()).into_owned();
        let dead =
            self.is_dead(outside) || lexed.bytes[directive.body.range()].trim_ascii() == b"0";
        let tokens = directive_tokens(lexed.bytes, directive.body);
        let tokens = tokens.filter(|token| token.kind == TokenKind::Identifier);
        let names = tokens.map(|token| Box::from(&*token.text(lexed.bytes))).collect();
        self.conditions.push(Condition { text, names, outside, dead });
        self.conditions.len() as u32 - 1
    }

    /// Whether a condition around a directive names a macro.
    fn tests(&self, bytes: &[u8], lexed: &Lexed<'_>, at: usize, name: &[u8]) -> bool {
        let around = std::iter::successors(self.opener[at], |&open| self.opener[open as usize]);
        around.take(MAX_NESTED).any(|open| names(bytes, &lexed.directives[open as usize], name))
    }

    /// The condition of what stands in front of a directive, or behind the last.
    pub(super) fn in_front_of(&self, directive: usize) -> u32 {
        self.before.get(directive).copied().unwrap_or(0)
    }
}

impl Groups {
    /// Whether what stands in front of a directive stands in a guard.
    pub(super) fn is_guarded(&self, directive: usize) -> bool {
        self.guarded.get(directive).copied().unwrap_or(false)
    }

    /// Whether a condition never holds.
    pub(super) fn is_dead(&self, condition: u32) -> bool {
        self.conditions.get(condition as usize).is_some_and(|condition| condition.dead)
    }
}

/// Whether the group that a directive opens is a guard: what it asks for is defined first in it.
fn guards(lexed: &Lexed<'_>, at: usize) -> bool {
    let bytes = lexed.bytes;
    let Some(define) = lexed.directives.get(at + 1) else { return false };
    if define.keyword != Keyword::Define || lexed.directives[at].keyword == Keyword::Ifdef {
        return false;
    }
    let Some(head) = Head::read(bytes, define.body) else { return false };
    names(bytes, &lexed.directives[at], &head.name.text(bytes))
}

fn names(bytes: &[u8], directive: &Directive, name: &[u8]) -> bool {
    directive_tokens(bytes, directive.body)
        .any(|t| t.kind == TokenKind::Identifier && *t.text(bytes) == *name)
}

/// Most names of a body that are kept: what stands for specifiers is short.
const SHORT_BODY: usize = 12;

fn macro_of<'a>(
    bytes: &'a [u8],
    directive: &Directive,
    condition: u32,
    words: &mut Words<'a>,
    facts: &mut Facts,
) -> Option<Macro> {
    let head = Head::read(bytes, directive.body)?;
    let body = Span { start: head.end, end: directive.body.end };
    let body: Vec<Token> = directive_tokens(bytes, body).filter(|t| !t.is_trivia()).collect();
    let parameters: Vec<Cow<'_, [u8]>> =
        head.parameters.iter().flatten().map(|p| p.text(bytes)).collect();
    let mut text = Vec::new();
    for part in parameters.iter().cloned().chain(body.iter().map(|t| t.text(bytes))) {
        text.extend_from_slice(&part);
        text.push(b' ');
    }
    let name = words.of(head.name.text(bytes));
    let raw = |token: &Token| matches!(token.raw(bytes), b"#" | b"##" | b"%:" | b"%:%:");
    let body_of = walk::macro_body(bytes, &body, (name, &parameters), condition, words, facts);
    let own = body.iter().filter(|t| t.kind == TokenKind::Identifier).take(SHORT_BODY);
    Some(Macro {
        name,
        span: head.name.span,
        text: text.into(),
        pastes: body_of.declares || body.iter().any(raw),
        callees: body_of.callees,
        makes: joined(bytes, &body, &parameters),
        words: own.map(|token| words.of(token.text(bytes))).collect(),
        condition,
        guarded: false,
        undefined: false,
    })
}

/// The names that a body puts together by `##`.
fn joined(
    bytes: &[u8],
    body: &[Token],
    parameters: &[Cow<'_, [u8]>],
) -> Vec<Vec<Option<Box<[u8]>>>> {
    let mut found = Vec::new();
    let mut parts: Vec<Option<Box<[u8]>>> = Vec::new();
    let mut due = false;
    for token in body {
        let text = token.text(bytes);
        if matches!(&*text, b"##" | b"%:%:") {
            due = true;
            continue;
        }
        if !due {
            found.extend(Some(std::mem::take(&mut parts)).filter(|parts| parts.len() > 1));
        }
        due = false;
        parts.push(if parameters.contains(&text) { None } else { Some(Box::from(&*text)) });
    }
    found.extend(Some(parts).filter(|parts| parts.len() > 1));
    found
}

/// Whether a name consists of these parts, gaps standing for anything.
pub(super) fn fits(parts: &[Option<Box<[u8]>>], name: &[u8]) -> bool {
    let Some(fixed) = parts.iter().position(Option::is_some) else { return false };
    let mut rest = name;
    for (at, part) in parts.iter().enumerate() {
        let Some(part) = part else { continue };
        let gap = at > fixed || fixed > 0;
        let place = memchr::memmem::find(rest, part).filter(|place| gap || *place == 0);
        let Some(place) = place else { return false };
        rest = &rest[place + part.len()..];
    }
    match parts.last() {
        Some(Some(last)) => name.ends_with(last),
        _ => true,
    }
}
