//! From what an object's code names to the symbols that it needs.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::names::Named;
use super::world::{File, Macro, Met, Name, Region, World};
use super::{ObjectSymbols, Place, Symbols};
use crate::memo::{Held, Memo};
use crate::text::TreePath;

/// Most names for which an object's macros are searched; text that has more isn't meant seriously.
const MAX_LOOKED_FOR: usize = 2000;

/// Works out the symbols of all objects; `texts` are the files that the world was made from.
pub(super) fn symbols(world: &World<'_>, memo: &Memo, texts: &[(&TreePath, &Named)]) -> Symbols {
    let defined = Defined::new(world);
    let sources: Vec<usize> =
        (0..world.paths.len()).filter(|&at| world.paths[at].extension() == Some("c")).collect();
    let outside = memo.key("outside", |key| {
        texts.iter().for_each(|(path, text)| _ = key.text(path.as_str()).key(text.outside));
    });
    let one = |&at: &usize| {
        let visible = visible(world, at);
        // Of the files that it doesn't include it sees no bodies.
        let key = memo.key("object", |key| {
            key.key(outside).text(world.paths[at].as_str());
            for ((path, text), _) in texts.iter().zip(&visible).filter(|(_, seen)| **seen) {
                key.text(path.as_str()).key(text.key);
            }
        });
        memo.get(key, || object(world, &defined, &visible))
    };
    let read: Vec<Arc<Object>> = sources.par_iter().map(one).collect();
    let mut symbols = Symbols::default();
    for (at, object) in sources.iter().zip(read) {
        for (name, place) in &object.undefined {
            let earliest = symbols.undefined.entry(name.clone()).or_insert_with(|| place.clone());
            *earliest = place.min(earliest).clone();
        }
        symbols.objects.insert(world.paths[*at].clone(), object.symbols.clone());
    }
    for (name, places) in world.declared.iter().enumerate() {
        let header = |place: &&Place| place.path.extension() == Some("h");
        if let Some(place) = places.iter().find(header) {
            symbols.declared.insert(text(world, name as Name), place.clone());
        }
    }
    for (name, definitions) in world.macros.iter().enumerate() {
        let header = |(file, _): &(usize, _)| world.paths[*file].extension() == Some("h");
        if definitions.iter().any(header) {
            symbols.macros.push(text(world, name as Name));
        }
    }
    symbols.macros.sort();
    symbols
}

fn text(world: &World<'_>, name: Name) -> String {
    String::from_utf8_lossy(world.text(name)).into_owned()
}

/// What is defined anywhere.
struct Defined {
    /// For each name whether a file defines it for others.
    symbols: Vec<bool>,
    /// What the names of the library's symbols start with, up to the first `_`.
    prefixes: HashSet<Vec<u8>>,
}

impl Defined {
    fn new(world: &World<'_>) -> Defined {
        let mut defined = Defined { symbols: vec![false; world.len()], prefixes: HashSet::new() };
        for (name, _) in world.files.iter().flat_map(|file| &file.defines) {
            defined.symbols[*name as usize] = true;
            defined.prefixes.extend(prefix(world.text(*name)).map(<[u8]>::to_vec));
        }
        defined
    }

    fn is_ours(&self, text: &[u8]) -> bool {
        prefix(text).is_some_and(|prefix| self.prefixes.contains(prefix))
    }
}

fn prefix(text: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr(b'_', text)?;
    (end > 0).then(|| &text[..end])
}

struct Object {
    symbols: ObjectSymbols,
    undefined: BTreeMap<String, Place>,
}

impl Held for Object {
    fn weight(&self) -> usize {
        const PLACE: usize = 120;
        PLACE * (self.symbols.defines.len() + self.symbols.needs.len() + self.undefined.len())
    }
}

fn object(world: &World<'_>, defined: &Defined, visible: &[bool]) -> Object {
    let files = || visible.iter().enumerate().filter(|(_, seen)| **seen).map(|(file, _)| file);
    let mut object = Object { symbols: ObjectSymbols::default(), undefined: BTreeMap::new() };
    let mut own: HashSet<Name> = HashSet::new();
    let mut waiting: Vec<&Region> = Vec::new();
    for file in files() {
        for (name, span) in &world.files[file].defines {
            let place = Place { path: world.paths[file].clone(), span: *span };
            own.insert(*name);
            object.symbols.defines.entry(text(world, *name)).or_insert(place);
        }
        waiting.extend(&world.files[file].roots);
    }
    waiting.reverse();
    let undefined: HashSet<Name> =
        files().flat_map(|file| world.files[file].undefines.iter().copied()).collect();
    let mut makers = Makers::new(world, visible);
    let mut met: Vec<[bool; 2]> = vec![[false; 2]; world.len()];
    while let Some(region) = waiting.pop() {
        for &Met { name, span, called } in world.met(region) {
            if std::mem::replace(&mut met[name as usize][usize::from(called)], true) {
                continue;
            }
            let place = || Place { path: world.paths[region.file].clone(), span };
            let macros = || world.macros[name as usize].iter().filter(|(file, _)| visible[*file]);
            let locals = || world.locals[name as usize].iter().filter(|(file, _)| visible[*file]);
            waiting.extend(macros().map(|(_, definition)| &definition.body));
            waiting.extend(locals().map(|(_, local)| &local.code));
            // A macro hides the function of its name, where it is sure to be one.
            let hides = |(_, m): &(usize, Macro)| {
                !m.conditional && !undefined.contains(&name) && (called || m.parameters.is_none())
            };
            if locals().next().is_some() || own.contains(&name) || macros().any(hides) {
                continue;
            }
            if defined.symbols[name as usize] {
                object.symbols.needs.entry(text(world, name)).or_insert_with(place);
            } else if is_missing(world, defined, name, called) && !makers.make(world, name) {
                object.undefined.entry(text(world, name)).or_insert_with(place);
            }
        }
    }
    object
}

/// The macros in sight that make definitions.
struct Makers<'w> {
    /// The files.
    files: Vec<&'w File>,
    /// Those that put names together.
    pasting: Vec<&'w Macro>,
    /// How many names may still be looked for.
    budget: usize,
}

impl<'w> Makers<'w> {
    fn new(world: &'w World<'_>, visible: &[bool]) -> Makers<'w> {
        let files = world.files.iter().zip(visible).filter(|(_, visible)| **visible);
        let pasting = world.pasting().filter(|(file, _)| visible[*file]);
        Makers {
            files: files.map(|(file, _)| file).collect(),
            pasting: pasting.map(|(_, m)| m).collect(),
            budget: MAX_LOOKED_FOR,
        }
    }

    /// Whether a macro is given the name for something that it defines, or can put it together.
    fn make(&mut self, world: &World<'_>, name: Name) -> bool {
        let Some(left) = self.budget.checked_sub(1) else { return true };
        self.budget = left;
        self.files.iter().any(|file| file.made.contains(&name))
            || self.pasting.iter().any(|m| m.makes(world.text(name)))
    }
}

/// Whether a name that nothing defines has to be: it is declared, or called like one of the library's
/// functions.
fn is_missing(world: &World<'_>, defined: &Defined, name: Name, called: bool) -> bool {
    let other = !world.macros[name as usize].is_empty() || world.types.contains(&name);
    !other
        && defined.is_ours(world.text(name))
        && (called || !world.declared[name as usize].is_empty())
}

/// The files that an object is made of: itself and what it includes.
fn visible(world: &World<'_>, at: usize) -> Vec<bool> {
    let mut visible = vec![false; world.paths.len()];
    let mut waiting = vec![at];
    while let Some(file) = waiting.pop() {
        if !std::mem::replace(&mut visible[file], true) {
            waiting.extend(&world.files[file].includes);
        }
    }
    visible
}
