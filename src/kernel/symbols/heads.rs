//! What an item at file scope declares, read from its head.

use std::collections::HashSet;

use super::scan::Item;
use super::world::{MAX_ROUNDS, Macro, Name, Word, World, closing_of};
use crate::syntax::is_attribute;

/// What an item is.
pub(super) enum Kind {
    /// A type and nothing else.
    Type,
    /// It says that something is defined elsewhere, perhaps.
    Declaration,
    /// It defines functions or variables.
    Definition,
    /// Anything else, such as a macro call.
    Code,
}

/// An item that has been read.
pub(super) struct Declared {
    pub(super) kind: Kind,
    /// Whether it stands for this file alone.
    pub(super) is_static: bool,
    /// The declared names, as places in the file's code.
    pub(super) names: Vec<usize>,
    /// Where it starts; what stands before it is code of its own.
    pub(super) from: usize,
}

/// What is to be known of words to read the head of a declaration.
pub(super) struct Heads {
    /// Macros that make what they stand before static.
    statics: HashSet<Name>,
    /// Macros with braces: whole definitions.
    makers: HashSet<Name>,
    /// Macros of any kind.
    macros: HashSet<Name>,
    word: Words,
}

/// Names that mean something to a declaration.
struct Words {
    is_static: Name,
    is_extern: Name,
    is_typedef: Name,
    tagged: [Name; 3],
}

impl Heads {
    pub(super) fn new(world: &World<'_>) -> Heads {
        let all =
            || world.macros.iter().enumerate().flat_map(|(n, l)| l.iter().map(move |m| (n, m)));
        let word = Words {
            is_static: world.known(b"static"),
            is_extern: world.known(b"extern"),
            is_typedef: world.known(b"typedef"),
            tagged: [b"struct".as_slice(), b"union", b"enum"].map(|word| world.known(word)),
        };
        let mut statics: HashSet<Name> = HashSet::from([word.is_static]);
        statics.remove(&0);
        for _ in 0..MAX_ROUNDS {
            let names = all().filter(|(_, (_, m))| {
                m.body.words().iter().any(|word| word.name != 0 && statics.contains(&word.name))
            });
            let found: HashSet<Name> = names.map(|(name, _)| name as Name).collect();
            let before = statics.len();
            statics.extend(found);
            if statics.len() == before {
                break;
            }
        }
        let makes =
            |m: &Macro| m.parameters.is_some() && m.body.words().iter().any(|w| w.punct == b'{');
        let makers = all().filter(|(_, (_, m))| makes(m)).map(|(name, _)| name as Name).collect();
        let macros = all().map(|(name, _)| name as Name).collect();
        Heads { statics, makers, macros, word }
    }

    /// Whether a macro of this name is a whole definition.
    pub(super) fn makes(&self, name: Name) -> bool {
        self.makers.contains(&name)
    }

    pub(super) fn read(&self, world: &World<'_>, item: &Item, words: &[Word]) -> Declared {
        let name = |at: usize| words[at].name;
        let from = self.behind_makers(item, words);
        let plain = || item.plain.iter().copied().filter(move |&at| at >= from);
        let has = |wanted: Name| wanted != 0 && plain().any(|at| name(at) == wanted);
        let first_is = |at: usize| from == at;
        let attribute = |at: usize| is_attribute(world.text(name(at)));
        let called: Vec<usize> =
            item.called.iter().copied().filter(|&at| at >= from && !attribute(at)).collect();
        let unknown = |at: &usize| !self.macros.contains(&name(*at));
        let names: Vec<usize> =
            item.declared.iter().copied().filter(|at| *at >= from && unknown(at)).collect();
        // A function may have a macro's name; else that is an attribute with arguments.
        let last = called.last().copied().filter(|_| names.is_empty());
        let function = called.iter().copied().find(unknown).or(last);
        let is_static = item.plain.iter().chain(&item.called).any(|&at| {
            at >= from && self.statics.contains(&name(at)) && function.is_none_or(|f| at < f)
        });
        let done = |kind, names| Declared { kind, is_static, names, from };
        if has(self.word.is_typedef) {
            return done(Kind::Type, Vec::new());
        }
        if let Some(function) = function.filter(|_| !item.value) {
            let bare = first_is(function) && !item.body;
            return match (item.body, bare) {
                (true, _) => done(Kind::Definition, vec![function]),
                (false, true) => done(Kind::Code, Vec::new()),
                (false, false) => done(Kind::Declaration, vec![function]),
            };
        }
        let tagged = plain().any(|at| self.word.tagged.contains(&name(at)) && name(at) != 0);
        let least = if tagged { 3 } else { 2 };
        let anonymous = tagged && item.braces;
        let enough = plain().count() >= if anonymous { 2 } else { least };
        if names.is_empty() || !enough {
            return done(if tagged { Kind::Type } else { Kind::Code }, Vec::new());
        }
        match has(self.word.is_extern) && !item.value {
            true => done(Kind::Declaration, names),
            false => done(Kind::Definition, names),
        }
    }

    /// Calls of macros that are whole definitions stand in front of the next item with no `;`.
    fn behind_makers(&self, item: &Item, words: &[Word]) -> usize {
        let makes = |at: &usize| self.makes(words[*at].name);
        let mut from = item.code.start;
        if !item.called.first().is_some_and(makes) {
            return from;
        }
        let closing = closing_of(&words[item.code.clone()]);
        for &at in item.called.iter().filter(|at| makes(at)) {
            let close = item.code.start + closing[at + 1 - item.code.start] as usize;
            if at != from || close <= at || close + 1 >= item.code.end {
                break;
            }
            from = close + 1;
        }
        from
    }
}
