//! Which symbols the objects of the output define, and which they need: what a linker would find,
//! worked out from the text.
//!
//! A name needs what it stands for: an object needs what its own code names and, through the macros
//! and inline functions of the headers it includes, what those name. An argument that a macro drops
//! is not code, and a macro hides a function of its name. Conditions that are not decided count with all their branches, so that what is found
//! is never less than what is linked.

mod heads;
mod names;
mod scan;
mod uses;
mod world;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::memo::{Key, Memo};
use crate::preprocess::lexer::Scanned;
use crate::text::{Span, TreePath};

/// A place in one of the files.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The file.
    pub path: TreePath,
    /// The name there.
    pub span: Span,
}

/// One object: a source that is compiled by itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ObjectSymbols {
    /// What other objects can refer to.
    pub defines: BTreeMap<String, Place>,
    /// Symbols of the library that it does not define itself, with the first place that names each.
    pub needs: BTreeMap<String, Place>,
}

/// All objects of the output.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// The objects by the path of their source.
    pub objects: BTreeMap<TreePath, ObjectSymbols>,
    /// Where symbols are declared in headers, first place first.
    pub declared: BTreeMap<String, Place>,
    /// Names that are macros in a header of the library.
    pub macros: Vec<String>,
    /// Symbols that an object needs and none defines: where it is named first.
    pub undefined: BTreeMap<String, Place>,
}

/// Reads the symbols of a tree. Sources are what ends in `.c`; what is included is looked for beside
/// the file that does so and in `folders`.
pub fn read(files: &BTreeMap<TreePath, &[u8]>, folders: &[&str]) -> Symbols {
    read_each(&[files], folders).pop().unwrap_or_default()
}

/// Reads the symbols of several trees that have most texts in common: each text is taken apart once.
pub fn read_each(trees: &[&BTreeMap<TreePath, &[u8]>], folders: &[&str]) -> Vec<Symbols> {
    let scan = &Scanned::default();
    let (mut scans, mut texts) = (BTreeMap::new(), Vec::new());
    for bytes in trees.iter().flat_map(|files| files.values()) {
        scans.entry(*bytes).or_insert_with(Scanned::default);
    }
    for files in trees {
        let text = |bytes| Text { bytes, key: None, scan: scans.get(bytes).unwrap_or(scan) };
        texts.push(files.iter().map(|(path, bytes)| (path.clone(), text(*bytes))).collect());
    }
    read_known(&Memo::off(), &texts, folders)
}

/// A text whose names are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The text.
    pub bytes: &'a [u8],
    /// Its key.
    pub key: Option<Key>,
    /// Its directives.
    pub scan: &'a Scanned,
}

/// The same for texts of which some have been seen before.
pub fn read_known(
    memo: &Memo,
    trees: &[BTreeMap<TreePath, Text<'_>>],
    folders: &[&str],
) -> Vec<Symbols> {
    Trees::new(memo, trees).read(folders)
}

/// Trees whose texts have been taken apart.
pub struct Trees<'a> {
    memo: &'a Memo,
    names: Arc<names::Names>,
    /// For each tree its files.
    trees: Vec<Vec<(&'a TreePath, Arc<names::Named>)>>,
}

impl<'a> Trees<'a> {
    /// Takes the texts apart, each once.
    pub fn new(memo: &'a Memo, trees: &'a [BTreeMap<TreePath, Text<'a>>]) -> Trees<'a> {
        let code = |path: &TreePath| matches!(path.extension(), Some("c" | "h"));
        let own = |files: &'a BTreeMap<TreePath, Text<'a>>| {
            files.iter().filter(|(path, _)| code(path)).collect::<Vec<_>>()
        };
        let trees: Vec<Vec<(&TreePath, &Text<'_>)>> = trees.iter().map(own).collect();
        let all = trees.iter().flatten();
        let unique: BTreeMap<&[u8], Text<'_>> = all.map(|(_, text)| (text.bytes, **text)).collect();
        let table = names::Table::of(memo);
        let key =
            |text: &Text<'_>| memo.key("named", |key| _ = key.key(text.key).number(table.id()));
        let known = unique.into_values().map(|text| (text, memo.known::<names::Named>(key(&text))));
        let texts: Vec<(Text<'_>, Option<Arc<names::Named>>)> = known.collect();
        let fresh: Vec<Option<scan::Scanned<'_>>> = texts
            .par_iter()
            .map(|(text, known)| known.is_none().then(|| scan::scan(text.bytes, text.scan)))
            .collect();
        let keep = |text: &Text<'_>, mut named: names::Named| {
            named.keys(memo, key(text));
            memo.put(key(text), named)
        };
        let (names, named) = table.name(texts.into_iter().zip(fresh), keep);
        let named = |(path, text): &(&'a TreePath, &Text<'_>)| {
            Some((*path, Arc::clone(named.get(text.bytes)?)))
        };
        let trees = trees.iter().map(|files| files.iter().filter_map(named).collect()).collect();
        Trees { memo, names, trees }
    }

    /// Key of all that is named in the trees: texts that differ in anything else, where a name stands
    /// for one, have the same.
    pub fn sense(&self) -> Option<Key> {
        self.memo.key("sense", |key| {
            for files in &self.trees {
                key.number(files.len());
                for (path, named) in files {
                    key.text(path.as_str()).key(named.sense);
                }
            }
        })
    }

    /// Reads the symbols of each tree.
    pub fn read(&self, folders: &[&str]) -> Vec<Symbols> {
        let read = |files: &Vec<(&TreePath, Arc<names::Named>)>| {
            let own: Vec<(&TreePath, &names::Named)> =
                files.iter().map(|(path, named)| (*path, &**named)).collect();
            let world = world::World::new(&own, &self.names, folders);
            uses::symbols(&world, self.memo, &own)
        };
        self.trees.par_iter().map(read).collect()
    }
}

/// The names that a file offers to those who include it, with the place of the first definition:
/// macros, functions, variables and types.
pub fn offered(bytes: &[u8], directives: &Scanned) -> BTreeMap<Vec<u8>, Span> {
    let scanned = scan::scan(bytes, directives);
    let text = |span: Span| crate::preprocess::lexer::unspliced(&bytes[span.range()]).into_owned();
    let mut offered = BTreeMap::new();
    let items = scanned.items.iter().flat_map(|item| item.called.iter().chain(&item.declared));
    let spans = items.map(|&at| scanned.lexed.code[at].span);
    for span in scanned.macros.iter().map(|m| m.name).chain(spans) {
        let name = text(span);
        if !crate::syntax::is_attribute(&name) {
            offered.entry(name).or_insert(span);
        }
    }
    offered
}

#[cfg(test)]
mod tests;
