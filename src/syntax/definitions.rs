//! What the macros of a source tree do to its grammar, derived from their definitions alone.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::facts::{Facts, Merged, Words};
use super::words;
use crate::memo::{Held, Key, Memo};
use crate::preprocess::lexer::{Scanned, Token, TokenKind, directive_tokens};
use crate::text::{Quick, Span, TreePath};

/// The macros of a tree of files, as far as a parser that doesn't expand them has to know.
///
/// It holds for every file of the tree: which definition is in force where depends on settings, so
/// all definitions of a name count.
#[derive(Debug, Default)]
pub struct Definitions {
    roles: HashMap<Box<[u8]>, Role, Quick>,
    owners: HashMap<Box<[u8]>, Owners>,
    /// Macros that mark what they stand beside as deprecated.
    deprecating: HashSet<Box<[u8]>>,
    key: Option<Key>,
}

impl Held for Definitions {
    fn weight(&self) -> usize {
        const NAME: usize = 150;
        NAME * (self.roles.len() + self.owners.len())
    }
}

/// Which files see a definition.
#[derive(Debug, Default)]
pub(super) struct Owners {
    /// It stands in a header, or is a function that isn't static.
    pub(super) all: bool,
    /// The files that it stands in, else.
    pub(super) files: BTreeSet<TreePath>,
}

/// What a macro is where it is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Role {
    /// Some definition takes arguments.
    pub(super) function: bool,
    /// Some definition takes none.
    pub(super) object: bool,
    /// It stands for specifiers, attributes or nothing at all.
    pub(super) specifier: bool,
    /// It begins with a binary operator.
    pub(super) postfix: Option<Postfix>,
    /// It is `sizeof` or `alignof` of its argument.
    pub(super) of_type: bool,
    /// It stands for one of its arguments and specifiers around it.
    pub(super) wraps: Option<Wraps>,
    /// It ends in `;` or `}`, so that its uses need no semicolon.
    pub(super) closed: bool,
    /// Some of its uses have indeed none.
    pub(super) bare: bool,
    /// Some definition takes arguments and divides.
    pub(super) divides: bool,
}

impl Role {
    /// All of it in two numbers.
    fn bits(self) -> [usize; 2] {
        let Role { function, object, specifier, of_type, closed, bare, divides, .. } = self;
        let flags = [function, object, specifier, of_type, closed, bare, divides];
        let flags = flags.iter().fold(0, |bits, flag| bits << 1 | usize::from(*flag));
        let postfix = match self.postfix {
            None => 0,
            Some(Postfix::Binary) => 1,
            Some(Postfix::Either) => 2,
        };
        let wraps = self.wraps.map_or(0, |w| 1 + 2 * w.argument + usize::from(w.rest));
        [flags << 2 | postfix, wraps]
    }
}

/// The operator that a macro begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Postfix {
    /// Binary for certain.
    Binary,
    /// Might be unary as well (`-1`).
    Either,
}

/// The argument that a macro stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wraps {
    /// Its place, from 0.
    pub(super) argument: usize,
    /// Whether all arguments from there on belong to it.
    pub(super) rest: bool,
}

impl Definitions {
    /// Derives the roles of all macros that `files` define; `names` are to be treated as specifiers
    /// whatever they are.
    pub fn derive<'a>(
        files: impl IntoIterator<Item = (&'a TreePath, &'a [u8])>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Definitions {
        Definitions::of_tokens(files.into_iter().map(|(path, bytes)| (path, bytes, None)), names)
    }

    /// The same for files of which some have been taken into tokens already.
    pub fn of_tokens<'a>(
        files: impl IntoIterator<Item = (&'a TreePath, &'a [u8], Option<&'a [Token]>)>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Definitions {
        let mut merged = Merged::default();
        for (path, bytes, tokens) in files {
            merged.add(path, Facts::of(path, bytes, &Scanned::default(), tokens));
        }
        merged.classify(names)
    }

    /// The same for files of which some have been seen before, with a key that says what they define.
    /// `of` gives what a file adds; files come with their keys.
    pub fn of_known<'a>(
        memo: &Memo,
        files: impl IntoIterator<Item = (&'a TreePath, Option<Key>)>,
        names: impl IntoIterator<Item = &'a str> + Clone,
        of: impl Fn(&TreePath) -> Facts,
    ) -> Arc<Definitions> {
        let facts = |(path, key): (&'a TreePath, Option<Key>)| {
            // Whether it is a header is part of it.
            let key = memo.key("facts", |maker| _ = maker.key(key).text(path.as_str()));
            let facts = memo.get(key, || {
                let mut facts = of(path);
                facts.key = facts.digest(memo);
                facts
            });
            (path, facts)
        };
        let facts: Vec<(&TreePath, Arc<Facts>)> = files.into_iter().map(facts).collect();
        let key = memo.key("definitions", |key| {
            for name in names.clone() {
                key.text(name);
            }
            for (path, facts) in &facts {
                key.text(path.as_str()).key(facts.key);
            }
        });
        memo.get(key, || {
            let mut merged = Merged::default();
            for (path, facts) in facts {
                match Arc::try_unwrap(facts) {
                    Ok(facts) => merged.add(path, facts),
                    Err(facts) => merged.add(path, Facts::clone(&facts)),
                }
            }
            Definitions { key, ..merged.classify(names) }
        })
    }

    /// What it was made from.
    pub fn key(&self) -> Option<Key> {
        self.key
    }

    /// Key of all that is said here of some words: what another set says the same of them has, too.
    pub fn key_for(&self, memo: &Memo, words: &Words) -> Option<Key> {
        memo.key("roles", |key| {
            for word in &words.0 {
                let (role, deprecates) = (self.role(word), self.deprecates(word));
                if role.is_some() || deprecates {
                    let bits = role.map_or([0; 2], Role::bits);
                    key.bytes(word).number(bits[0]).number(bits[1]).number(deprecates.into());
                }
            }
        })
    }

    pub(super) fn new(
        roles: HashMap<Box<[u8]>, Role, Quick>,
        owners: HashMap<Box<[u8]>, Owners>,
        deprecating: HashSet<Box<[u8]>>,
    ) -> Definitions {
        Definitions { roles, owners, deprecating, key: None }
    }

    /// Whether the tree itself defines `name`, as a macro or a function that `path` can see.
    pub fn defines(&self, name: &str, path: &TreePath) -> bool {
        self.owners.get(name.as_bytes()).is_some_and(|o| o.all || o.files.contains(path))
    }

    /// Whether `word` says that a declaration is deprecated.
    pub(super) fn deprecates(&self, word: &[u8]) -> bool {
        words::is_deprecation(word) || self.deprecating.contains(word)
    }

    /// Whether a macro of that name takes arguments and has a division in its body.
    pub fn divides(&self, name: &[u8]) -> bool {
        self.roles.get(name).is_some_and(|role| role.divides)
    }

    pub(super) fn role(&self, name: &[u8]) -> Option<Role> {
        self.roles.get(name).copied()
    }
}

/// The part of a `#define` in front of what the macro stands for.
pub(crate) struct Head {
    /// The macro's name.
    pub(crate) name: Token,
    /// Its parameters, without `...`; `None` where it takes no arguments.
    pub(crate) parameters: Option<Vec<Token>>,
    /// Whether the last one takes the rest of the arguments.
    pub(crate) variadic: bool,
    /// Where its body starts.
    pub(crate) end: u32,
}

impl Head {
    /// Reads the head of the definition whose directive has `body`; `None` where it isn't one.
    pub(crate) fn read(bytes: &[u8], body: Span) -> Option<Head> {
        let mut tokens = directive_tokens(bytes, body);
        let name = tokens.find(|t| !t.is_trivia()).filter(|t| t.kind == TokenKind::Identifier)?;
        let mut head = Head { name, parameters: None, variadic: false, end: name.span.end };
        // Only a parenthesis that touches the name opens parameters.
        let opening = tokens.next().filter(|t| &*t.text(bytes) == b"(");
        if opening.is_none() {
            return Some(head);
        }
        let mut parameters = Vec::new();
        let mut due = true;
        for token in tokens.filter(|t| !t.is_trivia()) {
            match (token.kind, &*token.text(bytes)) {
                (TokenKind::Identifier, _) if due && !head.variadic => {
                    parameters.push(token);
                    due = false;
                }
                (TokenKind::Punct, b"...") if !head.variadic => {
                    head.variadic = true;
                    due = false;
                }
                (TokenKind::Punct, b",") if !due && !head.variadic => due = true,
                (TokenKind::Punct, b")") if !due || parameters.is_empty() => {
                    head.parameters = Some(parameters);
                    head.end = token.span.end;
                    return Some(head);
                }
                _ => return None,
            }
        }
        None
    }
}
