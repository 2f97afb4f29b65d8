//! All files of a tree together: what each name may stand for.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::Place;
use super::heads::{Heads, Kind};
use super::names::{Named, Names};
use crate::text::{Span, TreePath};

/// A name; 0 is none.
pub(super) type Name = u32;

/// Most rounds in which macros that name each other are looked through.
pub(super) const MAX_ROUNDS: usize = 64;

/// Tokens in which names stand.
#[derive(Clone)]
pub(super) struct Region {
    /// The file.
    pub(super) file: usize,
    /// What each token of the file, or of the macro's body, is: regions have these in common.
    all: Arc<Vec<Word>>,
    /// Those of them that the region is made of.
    range: Range<usize>,
    /// The places in `all` of names that it declares: these are no use of what they name.
    own: Option<Arc<Vec<usize>>>,
    /// The names that are met in it; worked out once, however many objects it is part of.
    met: OnceLock<Vec<Met>>,
}

impl Region {
    pub(super) fn new(file: usize, all: &Arc<Vec<Word>>, range: Range<usize>) -> Region {
        Region { file, all: Arc::clone(all), range, own: None, met: OnceLock::new() }
    }

    /// What each token is.
    pub(super) fn words(&self) -> &[Word] {
        self.all.get(self.range.clone()).unwrap_or_default()
    }

    /// Whether the word at a place in [`Region::words`] is a name that the region declares.
    fn declares(&self, at: usize) -> bool {
        self.own.as_ref().is_some_and(|own| own.contains(&(at + self.range.start)))
    }
}

/// A name that stands for something in a region.
#[derive(Clone, Copy)]
pub(super) struct Met {
    pub(super) name: Name,
    /// Where it stands.
    pub(super) span: Span,
    /// Whether a parenthesis stands behind it.
    pub(super) called: bool,
}

/// A token as far as the graph cares.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// Its name, where it is an identifier that stands for something.
    pub(super) name: Name,
    /// Its byte, where it is a parenthesis, a comma or an opening brace; else 0.
    pub(super) punct: u8,
    /// Part of another name by `##`: it says that a parameter is used, nothing else.
    pub(super) pasted: bool,
    /// Its bytes.
    pub(super) span: Span,
}

/// A macro definition.
#[derive(Clone)]
pub(super) struct Macro {
    /// The parameters; `None` where it takes no arguments.
    pub(super) parameters: Option<Arc<Vec<Name>>>,
    /// Whether the last argument takes the rest.
    pub(super) variadic: bool,
    /// Whether a condition decides on it.
    pub(super) conditional: bool,
    /// For each argument whether it becomes code.
    pub(super) uses: Vec<bool>,
    /// What it stands for.
    pub(super) body: Region,
    /// Names that it puts together: the fixed parts, with a gap for each argument.
    pub(super) makes: Arc<Vec<Vec<Option<Vec<u8>>>>>,
}

impl Macro {
    /// Whether it puts names together.
    fn pastes(&self) -> bool {
        !self.makes.is_empty()
    }

    /// Whether it can put this name together.
    pub(super) fn makes(&self, name: &[u8]) -> bool {
        self.makes.iter().any(|parts| fits(parts, name))
    }
}

/// A static function or variable, or an inline one of a header.
pub(super) struct Local {
    pub(super) code: Region,
}

/// What one file adds.
#[derive(Default)]
pub(super) struct File {
    /// Symbols that others can refer to.
    pub(super) defines: Vec<(Name, Span)>,
    /// Code that is compiled whatever is called: all but static functions and declarations.
    pub(super) roots: Vec<Region>,
    /// Names that macros may give to what they define.
    pub(super) made: HashSet<Name>,
    /// Macros that it undefines.
    pub(super) undefines: Vec<Name>,
    /// Files that it includes.
    pub(super) includes: Vec<usize>,
}

/// All files.
pub(super) struct World<'a> {
    pub(super) paths: Vec<&'a TreePath>,
    pub(super) files: Vec<File>,
    /// Macros by name: the file and the definition.
    pub(super) macros: Vec<Vec<(usize, Macro)>>,
    /// Those of them that put names together: the name and the place in its list.
    pasting: Vec<(Name, usize)>,
    /// Static definitions by name.
    pub(super) locals: Vec<Vec<(usize, Local)>>,
    /// Where names are declared as functions or variables that may be defined elsewhere.
    pub(super) declared: Vec<Vec<Place>>,
    /// Names of types.
    pub(super) types: HashSet<Name>,
    names: &'a Names,
}

impl<'a> World<'a> {
    pub(super) fn new(
        texts: &[(&'a TreePath, &'a Named)],
        names: &'a Names,
        folders: &[&str],
    ) -> World<'a> {
        let count = names.len();
        let mut world = World {
            paths: texts.iter().map(|(path, _)| *path).collect(),
            files: Vec::new(),
            macros: std::iter::repeat_with(Vec::new).take(count).collect(),
            pasting: Vec::new(),
            locals: std::iter::repeat_with(Vec::new).take(count).collect(),
            declared: vec![Vec::new(); count],
            types: HashSet::new(),
            names,
        };
        for (at, (_, text)) in texts.iter().enumerate() {
            for (name, definition) in &text.macros {
                let mut definition = definition.clone();
                definition.body.file = at;
                let list = &mut world.macros[*name as usize];
                if definition.pastes() {
                    world.pasting.push((*name, list.len()));
                }
                list.push((at, definition));
            }
        }
        world.find_uses();
        let heads = Heads::new(&world);
        for (at, (_, text)) in texts.iter().enumerate() {
            let includes = world.included(at, &text.includes, folders);
            let undefines = text.undefines.clone();
            world.files.push(File { undefines, includes, ..File::default() });
            world.items(at, text, &heads);
        }
        world
    }

    /// The text of a name.
    pub(super) fn text(&self, name: Name) -> &[u8] {
        self.names.text(name)
    }

    /// The macros that put names together, each with its file.
    pub(super) fn pasting(&self) -> impl Iterator<Item = &(usize, Macro)> {
        self.pasting.iter().map(|(name, at)| &self.macros[*name as usize][*at])
    }

    /// How many names there are, the empty one included.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a text that has been met.
    pub(super) fn known(&self, text: &[u8]) -> Name {
        self.names.known(text)
    }

    /// Works out which arguments become code, from the bodies inwards: an argument that is handed on
    /// to a macro that drops it is dropped.
    fn find_uses(&mut self) {
        let rest = self.known(b"__VA_ARGS__");
        for round in 0..=MAX_ROUNDS {
            let mut found = Vec::new();
            for (name, list) in self.macros.iter().enumerate() {
                for (at, (_, definition)) in list.iter().enumerate() {
                    let Some(parameters) = &definition.parameters else { continue };
                    // Uses only grow: one that uses all is done.
                    if definition.uses.iter().all(|used| *used) {
                        continue;
                    }
                    let mut uses = definition.uses.clone();
                    self.walk(&definition.body, &mut |word, _| {
                        let place = parameters.iter().position(|p| *p == word.name);
                        let rest = || {
                            let own = definition.variadic && word.name == rest && rest != 0;
                            own.then_some(parameters.len())
                        };
                        if let Some(place) = place.or_else(rest) {
                            uses[place] = true;
                        }
                    });
                    if round == MAX_ROUNDS {
                        uses.fill(true);
                    }
                    if uses != definition.uses {
                        found.push((name, at, uses));
                    }
                }
            }
            if found.is_empty() {
                return;
            }
            for (name, at, uses) in found {
                self.macros[name][at].1.uses = uses;
            }
        }
    }

    /// The names in a region. To be asked for when the uses of all arguments are known.
    pub(super) fn met<'r>(&self, region: &'r Region) -> &'r [Met] {
        region.met.get_or_init(|| {
            let mut found = Vec::new();
            self.walk(region, &mut |word, called| {
                if !word.pasted {
                    found.push(Met { name: word.name, span: word.span, called });
                }
            });
            found
        })
    }

    /// Visits the names in a region, without the arguments that macros drop, and says of each whether
    /// a parenthesis stands behind it.
    fn walk(&self, region: &Region, visit: &mut dyn FnMut(&Word, bool)) {
        let words = region.words();
        let mut closing: Option<Vec<u32>> = None;
        let mut dropped: Vec<Range<usize>> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            while dropped.last().is_some_and(|range| range.end <= at) {
                dropped.pop();
            }
            if dropped.last().is_some_and(|range| range.start <= at) || word.name == 0 {
                continue;
            }
            if region.declares(at) {
                continue;
            }
            let called = words.get(at + 1).is_some_and(|next| next.punct == b'(');
            visit(word, called);
            if called && self.drops(word.name) {
                let closing = closing.get_or_insert_with(|| closing_of(words));
                let mut ranges = self.dropped(word.name, words, at + 1, closing);
                // The walk meets the last range first.
                ranges.reverse();
                dropped.extend(ranges);
            }
        }
    }

    /// Whether the macros of a name may drop an argument: most use all that they take.
    fn drops(&self, name: Name) -> bool {
        let definitions = &self.macros[name as usize];
        let takes_all = |m: &Macro| m.parameters.is_none() || m.uses.iter().all(|used| *used);
        !definitions.is_empty() && !definitions.iter().any(|(_, m)| takes_all(m))
    }

    /// The arguments of the call whose parenthesis opens at `open` that no definition uses.
    fn dropped(
        &self,
        name: Name,
        words: &[Word],
        open: usize,
        closing: &[u32],
    ) -> Vec<Range<usize>> {
        let close = closing[open] as usize;
        let definitions = &self.macros[name as usize];
        if close == 0 {
            return Vec::new();
        }
        let used = |argument: usize| {
            definitions.iter().any(|(_, m)| {
                let last = m.uses.len().saturating_sub(1);
                let place = if m.variadic { argument.min(last) } else { argument };
                // More arguments than parameters: nothing is known.
                m.uses.get(place).copied().unwrap_or(true)
            })
        };
        let mut found = Vec::new();
        let (mut start, mut argument, mut at) = (open + 1, 0, open + 1);
        while at <= close {
            if at == close || words[at].punct == b',' {
                if !used(argument) && start < at {
                    found.push(start..at);
                }
                (start, argument) = (at + 1, argument + 1);
            } else if words[at].punct == b'(' && closing[at] > 0 {
                at = closing[at] as usize;
            }
            at += 1;
        }
        found
    }

    fn included(&self, at: usize, includes: &[String], folders: &[&str]) -> Vec<usize> {
        let find = |path: &TreePath| self.paths.binary_search(&path).ok();
        let resolve = |spelling: &String| {
            let beside = self.paths[at].resolve(spelling).as_ref().and_then(find);
            let mut below =
                folders.iter().map(|folder| TreePath::new(&format!("{folder}/{spelling}")));
            beside.or_else(|| below.find_map(|path| path.as_ref().and_then(find)))
        };
        includes.iter().filter_map(resolve).collect()
    }

    /// Takes what a macro that makes definitions is given for names of these.
    fn made(&mut self, region: &Region) {
        let names = region.words().iter().map(|word| word.name).filter(|name| *name != 0);
        self.files[region.file].made.extend(names);
    }

    fn items(&mut self, at: usize, file: &Named, heads: &Heads) {
        let words = &file.words;
        let mut own_static: HashSet<Name> = HashSet::new();
        let source = self.paths[at].extension() == Some("c");
        for item in &file.items {
            let region = |range: Range<usize>| Region::new(at, words, range);
            let declared = heads.read(self, item, words);
            let mut code = region(declared.from..item.code.end);
            if !declared.names.is_empty() {
                code.own = Some(Arc::new(declared.names.clone()));
            }
            if declared.from > item.code.start {
                let made = region(item.code.start..declared.from);
                self.made(&made);
                self.files[at].roots.push(made);
            }
            let names = declared.names.iter().map(|&name| words[name]);
            match declared.kind {
                Kind::Type => {
                    self.types.extend(item.plain.iter().map(|&name| words[name].name));
                }
                Kind::Declaration => {
                    for word in names {
                        if declared.is_static {
                            own_static.insert(word.name);
                        } else {
                            let place = Place { path: self.paths[at].clone(), span: word.span };
                            self.declared[word.name as usize].push(place);
                        }
                    }
                }
                Kind::Definition => {
                    let names: Vec<Word> = names.collect();
                    let is_static =
                        declared.is_static || names.iter().any(|n| own_static.contains(&n.name));
                    // A source's own static code is there because something uses it, if only by a
                    // name that a macro puts together.
                    if is_static {
                        for word in &names {
                            let code = if source { region(0..0) } else { code.clone() };
                            self.locals[word.name as usize].push((at, Local { code }));
                        }
                    } else {
                        self.files[at].defines.extend(names.iter().map(|n| (n.name, n.span)));
                    }
                    if source || !is_static {
                        self.files[at].roots.push(code);
                    }
                }
                Kind::Code => {
                    if item.called.first().is_some_and(|&first| heads.makes(words[first].name)) {
                        self.made(&code);
                    }
                    self.files[at].roots.push(code);
                }
            }
        }
    }
}

/// Whether a name consists of these parts, gaps standing for anything.
fn fits(parts: &[Option<Vec<u8>>], name: &[u8]) -> bool {
    let mut rest = name;
    let mut gap = false;
    for part in parts {
        let Some(part) = part else {
            gap = true;
            continue;
        };
        let place = memchr::memmem::find(rest, part).filter(|place| gap || *place == 0);
        let Some(place) = place else { return false };
        rest = &rest[place + part.len()..];
        gap = false;
    }
    let fixed = parts.iter().any(Option::is_some);
    fixed && (gap || rest.is_empty() || parts.last().is_some_and(|last| ends(last, name)))
}

fn ends(last: &Option<Vec<u8>>, name: &[u8]) -> bool {
    last.as_ref().is_some_and(|last| name.ends_with(last))
}

/// For each opening parenthesis the place of the closing one, else 0.
pub(super) fn closing_of(words: &[Word]) -> Vec<u32> {
    let mut close = vec![0; words.len()];
    let mut open = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match word.punct {
            b'(' => open.push(at),
            b')' => {
                if let Some(open) = open.pop() {
                    let place: &mut u32 = &mut close[open];
                    *place = at as u32;
                }
            }
            _ => {}
        }
    }
    close
}
