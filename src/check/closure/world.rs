//! The files of a kernel form side by side: one numbering of names, and what each object sees.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::facts::{Facts, Item, ItemKind, Word};
use crate::check::Scope;
use crate::finding::{Finding, Label};
use crate::pipeline::OutputFile;
use crate::text::{Quick, Span, TreePath};

/// Most rounds in which macros that name each other are looked through.
const MAX_ROUNDS: usize = 16;

/// A name, the same in all files.
pub(super) type Name = u32;

/// One source or header.
pub(super) struct File<'a> {
    pub(super) path: &'a TreePath,
    pub(super) output: &'a OutputFile,
    pub(super) facts: Arc<Facts>,
    /// The name of each word of the facts.
    names: Vec<Name>,
    /// Names that its macros may give to what they define.
    pub(super) made: Vec<Name>,
    /// The files that it includes, each with the number of its directive.
    pub(super) includes: Vec<(usize, usize)>,
}

impl File<'_> {
    pub(super) fn is_source(&self) -> bool {
        self.path.extension() == Some("c")
    }

    pub(super) fn name(&self, word: Word) -> Name {
        self.names.get(word as usize).copied().unwrap_or(Name::MAX)
    }

    pub(super) fn text(&self, word: Word) -> String {
        let text = self.facts.names.get(word as usize);
        text.map_or_else(String::new, |text| String::from_utf8_lossy(text).into_owned())
    }

    /// The place that a run of its bytes comes from.
    pub(super) fn label(&self, span: Span, text: impl Into<String>) -> Label {
        Label::new(&self.output.source, self.output.text.upstream_cover(span), text)
    }

    /// A finding that points at it.
    pub(super) fn at(&self, finding: Finding, span: Span, text: impl Into<String>) -> Finding {
        finding.label(self.label(span, text))
    }
}

/// What each source and header holds, in order.
pub(super) fn read(scope: Scope<'_>) -> Vec<Arc<Facts>> {
    files(scope).par_iter().map(|(_, file)| facts_of(scope, file)).collect()
}

fn files(scope: Scope<'_>) -> Vec<(&TreePath, &OutputFile)> {
    let code = |path: &TreePath| matches!(path.extension(), Some("c" | "h"));
    scope.tree.files.iter().filter(|(path, _)| code(path)).collect()
}

fn facts_of(scope: Scope<'_>, file: &OutputFile) -> Arc<Facts> {
    let key = scope.memo.key("closure", |key| _ = key.key(file.key));
    scope.memo.get(key, || Facts::of(file.text.bytes()))
}

/// A place: a file and one of its items.
pub(super) type Place = (usize, usize);

/// All sources and headers.
pub(super) struct World<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) files: Vec<File<'a>>,
    /// The texts of the names.
    pub(super) texts: Vec<&'a [u8]>,
    /// For each name the functions and data that are defined for all to see.
    pub(super) globals: BTreeMap<Name, Vec<Place>>,
    /// For each name the functions and data that are declared.
    pub(super) declared: HashMap<Name, Vec<Place>, Quick>,
    /// Names that something other than a declaration may define: macros, and what macros make.
    pub(super) made: HashSet<Name, Quick>,
    /// Macros that join or quote what they are given.
    pub(super) pasting: HashSet<Name, Quick>,
    statics: HashSet<Name, Quick>,
    seen: Vec<OnceLock<Vec<usize>>>,
}

impl<'a> World<'a> {
    /// `facts` are those of [`read`].
    pub(super) fn new(scope: Scope<'a>, facts: &'a [Arc<Facts>]) -> World<'a> {
        let list = files(scope);
        let mut numbers: HashMap<&[u8], Name, Quick> = HashMap::default();
        let mut named: Vec<Vec<Name>> = Vec::with_capacity(facts.len());
        for facts in facts {
            let names = facts.names.iter().map(|text| {
                let next = numbers.len() as Name;
                *numbers.entry(text).or_insert(next)
            });
            named.push(names.collect());
        }
        let mut texts: Vec<&[u8]> = vec![&[]; numbers.len()];
        for (text, name) in &numbers {
            texts[*name as usize] = text;
        }
        let files =
            list.into_iter().zip(facts).zip(named).map(|(((path, output), facts), names)| File {
                path,
                output,
                facts: Arc::clone(facts),
                names,
                made: Vec::new(),
                includes: Vec::new(),
            });
        let mut world = World {
            scope,
            files: files.collect(),
            texts,
            globals: BTreeMap::new(),
            declared: HashMap::default(),
            made: HashSet::default(),
            pasting: HashSet::default(),
            statics: HashSet::default(),
            seen: Vec::new(),
        };
        world.seen.resize_with(world.files.len(), OnceLock::new);
        world.resolve();
        world.find_statics();
        world.find_pasting();
        world.gather();
        world
    }

    pub(super) fn text(&self, name: Name) -> String {
        let text = self.texts.get(name as usize);
        text.map_or_else(String::new, |text| String::from_utf8_lossy(text).into_owned())
    }

    pub(super) fn item(&self, (file, item): Place) -> (&File<'a>, &Item) {
        let file = &self.files[file];
        (file, &file.facts.items[item])
    }

    /// Whether an item stands for its own file alone.
    pub(super) fn is_static(&self, file: &File<'_>, item: &Item) -> bool {
        item.words.iter().any(|word| self.statics.contains(&file.name(*word)))
    }

    /// The files that a file is made of: itself and what it includes, in order.
    pub(super) fn seen_by(&self, file: usize) -> &[usize] {
        self.seen[file].get_or_init(|| self.reach(file))
    }

    /// The pieces of files between includes in the order in which a compiler reads them, each with the
    /// offset at which it ends.
    pub(super) fn sequence(&self, source: usize) -> Vec<(usize, u32)> {
        let mut seen = vec![false; self.files.len()];
        let mut found = Vec::new();
        let mut waiting = vec![(source, 0)];
        seen[source] = true;
        while let Some((file, next)) = waiting.pop() {
            let Some(&(to, directive)) = self.files[file].includes.get(next) else {
                found.push((file, u32::MAX));
                continue;
            };
            waiting.push((file, next + 1));
            if !std::mem::replace(&mut seen[to], true) {
                found.push((file, self.files[file].facts.includes[directive].span.start));
                waiting.push((to, 0));
            }
        }
        found
    }

    fn reach(&self, file: usize) -> Vec<usize> {
        let mut seen = vec![false; self.files.len()];
        let mut waiting = vec![file];
        while let Some(next) = waiting.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                waiting.extend(self.files[next].includes.iter().map(|(to, _)| *to));
            }
        }
        (0..seen.len()).filter(|&at| seen[at]).collect()
    }

    fn resolve(&mut self) {
        let library = &self.scope.rules.ruleset.library;
        let folders = [library.output.as_str(), "include"];
        let places: BTreeMap<&TreePath, usize> =
            self.files.iter().enumerate().map(|(at, file)| (file.path, at)).collect();
        let find = |from: &TreePath, spelling: &str| {
            let beside = from.resolve(spelling).and_then(|path| places.get(&path).copied());
            let mut below =
                folders.iter().filter_map(|folder| TreePath::new(&format!("{folder}/{spelling}")));
            beside.or_else(|| below.find_map(|path| places.get(&path).copied()))
        };
        let found: Vec<Vec<(usize, usize)>> = self
            .files
            .iter()
            .map(|file| {
                let all = file.facts.includes.iter().enumerate();
                all.filter_map(|(at, i)| Some((find(file.path, &i.spelling)?, at))).collect()
            })
            .collect();
        for (file, includes) in self.files.iter_mut().zip(found) {
            file.includes = includes;
        }
    }

    /// Macros that join or quote what they are given, be it by way of others.
    fn find_pasting(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let before = self.pasting.len();
            for file in &self.files {
                for found in &file.facts.macros {
                    let hands_on = |word: &Word| self.pasting.contains(&file.name(*word));
                    if found.pastes || found.callees.iter().any(hands_on) {
                        self.pasting.insert(file.name(found.name));
                    }
                }
            }
            if self.pasting.len() == before {
                break;
            }
        }
    }

    /// Macros that make what they stand before static.
    fn find_statics(&mut self) {
        let word = |text: &[u8]| self.texts.iter().position(|t| **t == *text);
        self.statics.extend(word(b"static").map(|at| at as Name));
        for _ in 0..MAX_ROUNDS {
            let before = self.statics.len();
            for file in &self.files {
                for found in &file.facts.macros {
                    if found.words.iter().any(|word| self.statics.contains(&file.name(*word))) {
                        self.statics.insert(file.name(found.name));
                    }
                }
            }
            if self.statics.len() == before {
                break;
            }
        }
    }

    fn gather(&mut self) {
        let macros: HashSet<Name, Quick> = self
            .files
            .iter()
            .flat_map(|file| file.facts.macros.iter().map(|found| file.name(found.name)))
            .collect();
        for file in &mut self.files {
            let calls = file.facts.top_calls.iter();
            let calls = calls.filter(|call| macros.contains(&file.name(call.name)));
            let given = calls.flat_map(|call| call.arguments.iter().map(|(word, _)| *word));
            let given = given.chain(file.facts.made.iter().copied());
            file.made = given.map(|word| file.name(word)).collect();
            self.made.extend(&file.made);
        }
        let (mut globals, mut declared) =
            (BTreeMap::<Name, Vec<Place>>::new(), HashMap::<Name, Vec<Place>, Quick>::default());
        for (at, file) in self.files.iter().enumerate() {
            for found in &file.facts.macros {
                self.made.insert(file.name(found.name));
            }
            // A forward may say that a definition behind it is static.
            let own: HashSet<Name, Quick> = file
                .facts
                .items
                .iter()
                .filter(|item| self.is_static(file, item))
                .map(|item| file.name(item.name))
                .collect();
            for (number, item) in file.facts.items.iter().enumerate() {
                let name = file.name(item.name);
                if item.kind == ItemKind::Type {
                    continue;
                }
                declared.entry(name).or_default().push((at, number));
                if item.defines && !own.contains(&name) {
                    globals.entry(name).or_default().push((at, number));
                }
            }
        }
        (self.globals, self.declared) = (globals, declared);
    }
}
