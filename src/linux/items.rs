//! A text that the import writes itself, in the pieces that mean something: declarations, macros and
//! includes of C, words of assignments in a Makefile. Order, layout and comments don't count.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::preprocess::lexer::{Directive, Keyword, TokenKind, directive_tokens, scan, tokens};
use crate::text::{LineIndex, TreePath};

/// One piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Item {
    /// What stands for the conditions around it, if any, then its tokens.
    pub(super) tokens: Vec<Vec<u8>>,
    /// Line of each token, from 1.
    pub(super) lines: Vec<usize>,
}

/// The pieces by what they are called: a name, an include, or variable and word.
pub(super) type Items = BTreeMap<String, Vec<Item>>;

/// The pieces of a file.
pub(super) fn items(path: &TreePath, bytes: &[u8]) -> Items {
    match path.extension() {
        Some("c" | "h") => of_c(bytes),
        _ => of_makefile(bytes),
    }
}

/// Parts an assignment into variable, operator and value.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let at = line.find('=')?;
    let start = line[..at].trim_end_matches([':', '+', '?']).len();
    let name = line[..start].trim();
    let plain = !name.is_empty() && !name.contains(char::is_whitespace);
    plain.then(|| (name, &line[start..=at], &line[at + 1..]))
}

fn of_makefile(bytes: &[u8]) -> Items {
    let text = String::from_utf8_lossy(bytes);
    let mut items = Items::new();
    let (mut variable, mut continued) = (None, false);
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (body, goes_on) = match line.strip_suffix('\\') {
            Some(body) => (body, true),
            None => (line, false),
        };
        let mut rest = body;
        if !continued {
            variable = assignment(body).map(|(name, operator, value)| {
                rest = value;
                (name.to_owned(), operator.to_owned())
            });
        }
        continued = goes_on;
        let mut add = |key: String, token: &str| {
            let item = Item { tokens: vec![token.into()], lines: vec![number + 1] };
            items.entry(key).or_default().push(item);
        };
        match &variable {
            Some((name, operator)) => {
                for word in rest.split_whitespace() {
                    add(format!("{name} {word}"), if is_list(name, word) { "" } else { operator });
                }
            }
            None if body.trim().is_empty() => {}
            None => add(body.split_whitespace().collect::<Vec<_>>().join(" "), ""),
        }
    }
    items
}

/// Whether the word is an object in a list of such.
fn is_list(variable: &str, word: &str) -> bool {
    let lists =
        variable.starts_with("obj-") || variable.ends_with("-y") || variable.ends_with("-objs");
    lists && word.ends_with(".o")
}

/// The object that a piece of a Makefile lists.
pub(super) fn object(key: &str) -> Option<&str> {
    key.split_once(' ').filter(|(name, word)| is_list(name, word)).map(|(_, word)| word)
}

/// What is being read.
#[derive(Default)]
struct Reader {
    items: Items,
    /// Digests of the open conditions, each with those around it.
    conditions: Vec<Vec<u8>>,
    /// What the directive before asked for.
    guard: Option<Vec<u8>>,
    item: Vec<(Vec<u8>, bool, usize)>,
    depth: usize,
}

fn of_c(bytes: &[u8]) -> Items {
    let index = LineIndex::new(bytes);
    let directives = scan(bytes).directives;
    let mut read = Reader::default();
    let mut waiting = directives.iter().peekable();
    for token in tokens(bytes).filter(|token| !token.is_trivia()) {
        while let Some(directive) = waiting.next_if(|d| d.hash <= token.span.start) {
            read.directive(bytes, &index, directive);
        }
        if directives_hold(&directives, token.span.start) {
            continue;
        }
        let line = index.position(token.span.start as usize).line;
        let is_name = token.kind == TokenKind::Identifier;
        read.token((token.text(bytes).into_owned(), is_name, line));
    }
    for directive in waiting {
        read.directive(bytes, &index, directive);
    }
    read.end();
    read.items
}

fn directives_hold(directives: &[Directive], at: u32) -> bool {
    let next = directives.partition_point(|directive| directive.hash <= at);
    next.checked_sub(1).is_some_and(|last| at < directives[last].end)
}

impl Reader {
    fn token(&mut self, token: (Vec<u8>, bool, usize)) {
        let text = token.0.clone();
        self.item.push(token);
        match text.as_slice() {
            b"{" => self.depth += 1,
            b"}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && self.has_body() {
                    self.end();
                }
            }
            b";" if self.depth == 0 => self.end(),
            _ => {}
        }
    }

    /// Whether the item is a function with its body, after which no `;` follows.
    fn has_body(&self) -> bool {
        let first = self.item.first().is_some_and(|(text, ..)| text == b"typedef");
        let position = |wanted: &[u8]| self.item.iter().position(|(text, ..)| text == wanted);
        !first
            && matches!((position(b"("), position(b"{")), (Some(open), Some(body)) if open < body)
    }

    fn end(&mut self) {
        let item = std::mem::take(&mut self.item);
        self.depth = 0;
        if item.iter().all(|(text, ..)| text == b";") {
            return;
        }
        let key = key(&item);
        self.add(key, item.into_iter().map(|(text, _, line)| (text, line)).collect());
    }

    fn add(&mut self, key: String, item: Vec<(Vec<u8>, usize)>) {
        let line = item.first().map_or(1, |(_, line)| *line);
        let conditions = self.conditions.last().filter(|digest| !digest.is_empty());
        let conditions = conditions.map(|digest| (digest.clone(), line));
        let (tokens, lines) = conditions.into_iter().chain(item).unzip();
        self.items.entry(key).or_default().push(Item { tokens, lines });
    }

    fn directive(&mut self, bytes: &[u8], index: &LineIndex, directive: &Directive) {
        let line = |at: u32| index.position(at as usize).line;
        let body: Vec<_> =
            directive_tokens(bytes, directive.body).filter(|t| !t.is_trivia()).collect();
        let mut text: Vec<(Vec<u8>, usize)> =
            body.iter().map(|t| (t.text(bytes).into_owned(), line(t.span.start))).collect();
        let name = String::from_utf8_lossy(&bytes[directive.name.range()]);
        let word = format!("#{name} ").into_bytes();
        let words = |text: &[(Vec<u8>, usize)]| -> Vec<Vec<u8>> {
            std::iter::once(word.clone()).chain(text.iter().map(|(text, _)| text.clone())).collect()
        };
        // Within a declaration or a body it is a part of that.
        if !self.item.is_empty() {
            let at = line(directive.hash);
            self.item.extend(words(&text).into_iter().map(|text| (text, false, at)));
            return;
        }
        let guard = self.guard.take();
        match directive.keyword {
            Keyword::If | Keyword::Ifdef | Keyword::Ifndef => {
                self.guard = text.first().map(|(text, _)| text.clone());
                let within = digest(self.conditions.last(), &words(&text));
                self.conditions.push(within);
            }
            Keyword::Elif | Keyword::Elifdef | Keyword::Elifndef | Keyword::Else => {
                if let Some(last) = self.conditions.pop() {
                    self.conditions.push(digest(Some(&last), &words(&text)));
                }
            }
            Keyword::Endif => _ = self.conditions.pop(),
            // A switch: what depends on it says so. A guard against a second inclusion is no condition.
            Keyword::Define if text.len() < 2 => {
                if guard.is_some() && guard.as_ref() == text.first().map(|(text, _)| text) {
                    self.conditions.pop();
                    let around = self.conditions.last().cloned().unwrap_or_default();
                    self.conditions.push(around);
                }
            }
            Keyword::Define => {
                let called = text[0].0.clone();
                let has_list = body[0].span.end == body[1].span.start && text[1].0 == b"(";
                if has_list {
                    number_parameters(&mut text);
                }
                self.add(String::from_utf8_lossy(&called).into_owned(), text);
            }
            _ => {
                let key = words(&text).concat();
                self.add(String::from_utf8_lossy(&key).into_owned(), text);
            }
        }
    }
}

/// One token for a condition and all around it, however deep that is.
fn digest(around: Option<&Vec<u8>>, words: &[Vec<u8>]) -> Vec<u8> {
    let mut hash = Sha256::new().chain_update(around.map_or(&[][..], Vec::as_slice));
    for word in words {
        hash = hash.chain_update(word).chain_update([0]);
    }
    hash.finalize().to_vec()
}

/// A macro's parameters may be called anything.
fn number_parameters(text: &mut [(Vec<u8>, usize)]) {
    let close = text.iter().position(|(text, _)| text == b")").unwrap_or(1);
    let names: Vec<Vec<u8>> = text[1..close].iter().map(|(text, _)| text.clone()).collect();
    for (text, _) in text.iter_mut().skip(1) {
        let is_word = text.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        if let Some(at) = names.iter().position(|name| is_word && name == text) {
            *text = format!("${at}").into_bytes();
        }
    }
}

/// What a declaration is called: the name before the parameters, the last one, or all of it.
fn key(item: &[(Vec<u8>, bool, usize)]) -> String {
    let head = item.iter().position(|(text, ..)| text == b"{").unwrap_or(item.len());
    let open = item[..head].iter().position(|(text, ..)| text == b"(");
    let is_type = item.first().is_some_and(|(text, ..)| text == b"typedef");
    let name = match open {
        Some(open) if is_type => item[open..].iter().find(|(_, is_name, _)| *is_name),
        Some(open) => item[..open].iter().rev().find(|(_, is_name, _)| *is_name),
        None if is_type => item.iter().rev().find(|(_, is_name, _)| *is_name),
        None => item[..head].iter().rev().find(|(_, is_name, _)| *is_name),
    };
    let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    match name {
        Some((called, ..)) if called.starts_with(b"EXPORT_SYMBOL") => {
            text(&item.iter().map(|(text, ..)| text.as_slice()).collect::<Vec<_>>().concat())
        }
        Some((called, ..)) => text(called),
        None => text(&item.iter().map(|(text, ..)| text.as_slice()).collect::<Vec<_>>().concat()),
    }
}
