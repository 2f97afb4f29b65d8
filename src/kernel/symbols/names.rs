//! Names as numbers, and texts in these: done once for trees that have most texts in common.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::scan::Scanned;
use super::world::{Macro, Name, Region, Word};
use crate::preprocess::lexer::TokenKind;
use crate::syntax::Code;
use crate::text::{Quick, Span};

/// Names and their numbers.
pub(super) struct Names<'a> {
    numbers: HashMap<Cow<'a, [u8]>, Name, Quick>,
    texts: Vec<Cow<'a, [u8]>>,
}

/// A file in names.
pub(super) struct Named<'a> {
    /// Its parts.
    pub(super) scanned: Scanned<'a>,
    /// Its code.
    pub(super) words: Arc<Vec<Word>>,
    /// Its macros with their names; in which file of a tree it stands is left open.
    pub(super) macros: Vec<(Name, Macro)>,
    /// Macros that it undefines.
    pub(super) undefines: Vec<Name>,
}

impl<'a> Names<'a> {
    /// Only the empty name.
    pub(super) fn new() -> Names<'a> {
        Names { numbers: HashMap::default(), texts: vec![Cow::Borrowed(b"")] }
    }

    /// The text of a name.
    pub(super) fn text(&self, name: Name) -> &[u8] {
        self.texts.get(name as usize).map_or(b"", |text| text)
    }

    /// How many names there are, the empty one included.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The name of a text that has been met.
    pub(super) fn known(&self, text: &[u8]) -> Name {
        self.numbers.get(text).copied().unwrap_or(0)
    }

    /// Puts names to a file.
    pub(super) fn name(&mut self, scanned: Scanned<'a>) -> Named<'a> {
        let words = Arc::new(self.words(&scanned, &scanned.lexed.code));
        let macros = self.bodies(&scanned);
        let mut undefined = |span: &Span| self.intern(scanned.lexed.text(&identifier(*span)));
        let undefines = scanned.undefined.iter().map(&mut undefined).collect();
        Named { scanned, words, macros, undefines }
    }

    fn intern(&mut self, text: Cow<'a, [u8]>) -> Name {
        if let Some(&name) = self.numbers.get(&text) {
            return name;
        }
        let name = self.texts.len() as Name;
        self.texts.push(text.clone());
        self.numbers.insert(text, name);
        name
    }

    /// Tokens as words. Members and what is made a string stand for nothing.
    fn words(&mut self, file: &Scanned<'a>, code: &[Code]) -> Vec<Word> {
        let paste = |token: &Code| {
            token.is_punct() && matches!(token.raw(file.lexed.bytes), b"##" | b"%:%:")
        };
        let mut words = Vec::with_capacity(code.len());
        let mut before: &[u8] = b"";
        for (at, token) in code.iter().enumerate() {
            let mut word = Word { name: 0, punct: 0, pasted: false, span: token.span };
            if token.is_identifier() {
                if !matches!(before, b"." | b"->" | b"#" | b"%:") {
                    word.name = self.intern(file.lexed.text(token));
                    word.pasted =
                        matches!(before, b"##" | b"%:%:") || code.get(at + 1).is_some_and(paste);
                }
            } else if matches!(token.punct, b'(' | b')' | b',' | b'{') {
                word.punct = token.punct;
            }
            before = if token.is_punct() { token.raw(file.lexed.bytes) } else { b"" };
            words.push(word);
        }
        words
    }

    fn bodies(&mut self, file: &Scanned<'a>) -> Vec<(Name, Macro)> {
        let mut list = Vec::with_capacity(file.macros.len());
        for text in &file.macros {
            let words = self.words(file, &text.body);
            let mut word = |span: Span| self.intern(file.lexed.text(&identifier(span)));
            let name = word(text.name);
            let parameters: Option<Vec<Name>> =
                text.parameters.as_ref().map(|list| list.iter().map(|span| word(*span)).collect());
            let rest = usize::from(text.variadic);
            let uses = vec![false; parameters.as_ref().map_or(0, |p| p.len() + rest)];
            let names = parameters.as_deref().unwrap_or_default();
            let makes = pasted(file, &text.body, &words, names);
            let all = 0..words.len();
            let body = Region::new(0, &Arc::new(words), all);
            let (variadic, conditional) = (text.variadic, text.conditional);
            list.push((name, Macro { parameters, variadic, conditional, uses, body, makes }));
        }
        list
    }
}

fn identifier(span: Span) -> Code {
    Code { kind: TokenKind::Identifier, punct: 0, span }
}

/// The names that a body puts together by `##`.
fn pasted(
    file: &Scanned<'_>,
    body: &[Code],
    words: &[Word],
    parameters: &[Name],
) -> Vec<Vec<Option<Vec<u8>>>> {
    let mut found = Vec::new();
    let mut parts: Vec<Option<Vec<u8>>> = Vec::new();
    let mut due = false;
    for (token, word) in body.iter().zip(words) {
        let text = file.lexed.text(token);
        if token.is_punct() && matches!(&*text, b"##" | b"%:%:") {
            due = true;
            continue;
        }
        if !due && parts.len() > 1 {
            found.push(std::mem::take(&mut parts));
        }
        if !due {
            parts.clear();
        }
        due = false;
        parts.push(if parameters.contains(&word.name) { None } else { Some(text.into_owned()) });
    }
    found.extend(Some(parts).filter(|parts| parts.len() > 1));
    found
}
