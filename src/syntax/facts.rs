//! What one file adds to the definitions of its tree.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::bodies::Bodies;
use super::definitions::{Definitions, Head, Owners};
use super::functions;
use super::lexed::Lexed;
use super::tree::MAX_PARSED_BYTES;
use crate::memo::{Held, Key, Memo};
use crate::preprocess::lexer::{Keyword, Scanned, Token, TokenKind};
use crate::text::TreePath;

/// The macros and functions of one file.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    bodies: Bodies,
    /// Names that, with arguments, make a whole statement.
    bare: BTreeSet<Box<[u8]>>,
    /// What it defines, and whether all files see it.
    own: Vec<(Box<[u8]>, bool)>,
    /// Says all of this in short; a change elsewhere in the file leaves it as it is.
    pub(super) key: Option<Key>,
}

impl Facts {
    /// Reads a file, which may have been taken into tokens already.
    pub fn of(path: &TreePath, bytes: &[u8], scan: &Scanned, tokens: Option<&[Token]>) -> Facts {
        let mut facts = Facts::default();
        // What is too long to be parsed must not take memory for its tokens either.
        if bytes.len() > MAX_PARSED_BYTES {
            return facts;
        }
        let directives = scan.of(bytes).directives.clone();
        let lexed = match tokens {
            Some(tokens) => Lexed::of(bytes, directives, tokens.iter().copied()),
            None => Lexed::scanned(bytes, directives),
        };
        let header = path.extension() == Some("h");
        for directive in lexed.directives.iter().filter(|d| d.keyword == Keyword::Define) {
            if let Some(head) = Head::read(bytes, directive.body) {
                facts.own.push((Box::from(&*head.name.text(bytes)), header));
                facts.bodies.add(bytes, directive.body, &head);
            }
        }
        let bare = functions::bare_statements(&lexed);
        facts.bare.extend(bare.iter().map(|name| Box::from(&**name)));
        for function in functions::defined(&lexed) {
            facts.own.push((Box::from(&*function.name), header || function.exported));
        }
        facts
    }

    pub(super) fn digest(&self, memo: &Memo) -> Option<Key> {
        memo.key("facts", |key| {
            self.bodies.digest(key);
            key.number(self.bare.len());
            for name in &self.bare {
                key.bytes(name);
            }
            for (name, all) in &self.own {
                key.bytes(name).number(usize::from(*all));
            }
        })
    }
}

impl Held for Facts {
    fn weight(&self) -> usize {
        self.bodies.weight() + 60 * (self.bare.len() + self.own.len())
    }
}

/// What the files of a tree add up to.
#[derive(Default)]
pub(super) struct Merged {
    bodies: Bodies,
    bare: HashSet<Box<[u8]>>,
    owners: HashMap<Box<[u8]>, Owners>,
}

impl Merged {
    pub(super) fn add(&mut self, path: &TreePath, facts: Facts) {
        for (name, all) in facts.own {
            let owners = self.owners.entry(name).or_default();
            owners.all |= all;
            if !owners.all {
                owners.files.insert(path.clone());
            }
        }
        self.bare.extend(facts.bare);
        self.bodies.append(facts.bodies);
    }

    pub(super) fn classify<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Definitions {
        let mut roles = self.bodies.classify(names);
        for (name, role) in &mut roles {
            role.bare = self.bare.contains(name);
        }
        Definitions::new(roles, self.owners, self.bodies.deprecating())
    }
}

/// The names that stand in a text, sorted.
#[derive(Debug)]
pub struct Words(pub(super) Vec<Box<[u8]>>);

impl Words {
    /// Those among tokens.
    pub fn of(bytes: &[u8], tokens: impl IntoIterator<Item = Token>) -> Words {
        let names = tokens.into_iter().filter(|token| token.kind == TokenKind::Identifier);
        let texts: HashSet<_> = names.map(|token| token.text(bytes)).collect();
        let mut words: Vec<Box<[u8]>> = texts.iter().map(|text| Box::from(&**text)).collect();
        words.sort();
        Words(words)
    }
}

impl Held for Words {
    fn weight(&self) -> usize {
        40 * self.0.len()
    }
}
