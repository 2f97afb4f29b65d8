//! All files together: names as numbers, and what each name may stand for.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Place;
use super::heads::{Heads, Kind};
use super::scan::Scanned;
use crate::preprocess::lexer::TokenKind;
use crate::syntax::Code;
use crate::text::{Span, TreePath};

/// A name; 0 is none.
pub(super) type Name = u32;

/// Most rounds in which macros that name each other are looked through.
pub(super) const MAX_ROUNDS: usize = 64;

/// Tokens in which names stand.
pub(super) struct Region {
    /// The file.
    pub(super) file: usize,
    /// What each token is.
    pub(super) words: Vec<Word>,
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
pub(super) struct Macro {
    /// The parameters; `None` where it takes no arguments.
    pub(super) parameters: Option<Vec<Name>>,
    /// Whether the last argument takes the rest.
    pub(super) variadic: bool,
    /// Whether a condition decides on it.
    pub(super) conditional: bool,
    /// For each argument whether it becomes code.
    pub(super) uses: Vec<bool>,
    /// What it stands for.
    pub(super) body: Region,
    /// Names that it puts together: the fixed parts, with a gap for each argument.
    makes: Vec<Vec<Option<Vec<u8>>>>,
}

impl Macro {
    /// Whether it puts names together.
    pub(super) fn pastes(&self) -> bool {
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
    /// Static definitions by name.
    pub(super) locals: Vec<Vec<(usize, Local)>>,
    /// Where names are declared as functions or variables that may be defined elsewhere.
    pub(super) declared: Vec<Vec<Place>>,
    /// Names of types.
    pub(super) types: HashSet<Name>,
    names: HashMap<Cow<'a, [u8]>, Name>,
    texts: Vec<Cow<'a, [u8]>>,
}

impl<'a> World<'a> {
    pub(super) fn new(scanned: &[(&'a TreePath, &'a Scanned<'a>)], folders: &[&str]) -> World<'a> {
        let mut world = World {
            paths: scanned.iter().map(|(path, _)| *path).collect(),
            files: Vec::new(),
            macros: Vec::new(),
            locals: Vec::new(),
            declared: Vec::new(),
            types: HashSet::new(),
            names: HashMap::new(),
            texts: vec![Cow::Borrowed(b"")],
        };
        let words: Vec<Vec<Word>> =
            scanned.iter().map(|(_, file)| world.words(file, &file.lexed.code)).collect();
        let bodies: Vec<Vec<Macro>> =
            scanned.iter().enumerate().map(|(at, (_, file))| world.bodies(at, file)).collect();
        let count = world.texts.len();
        world.macros.resize_with(count, Vec::new);
        world.locals.resize_with(count, Vec::new);
        world.declared.resize_with(count, Vec::new);
        for (at, (list, (_, file))) in bodies.into_iter().zip(scanned).enumerate() {
            for (definition, text) in list.into_iter().zip(&file.macros) {
                let name = world.name_at(file, text.name);
                world.macros[name as usize].push((at, definition));
            }
        }
        world.find_uses();
        let heads = Heads::new(&world);
        for (at, ((_, file), words)) in scanned.iter().zip(&words).enumerate() {
            let includes = world.included(at, file, folders);
            let undefines = file.undefined.iter().map(|span| world.name_at(file, *span)).collect();
            world.files.push(File { undefines, includes, ..File::default() });
            world.items(at, file, words, &heads);
        }
        world
    }

    /// The text of a name.
    pub(super) fn text(&self, name: Name) -> &[u8] {
        self.texts.get(name as usize).map_or(b"", |text| text)
    }

    /// How many names there are, the empty one included.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    fn intern(&mut self, text: Cow<'a, [u8]>) -> Name {
        if let Some(&name) = self.names.get(&text) {
            return name;
        }
        let name = self.texts.len() as Name;
        self.texts.push(text.clone());
        self.names.insert(text, name);
        name
    }

    /// The name of a text that has been met.
    pub(super) fn known(&self, text: &[u8]) -> Name {
        self.names.get(text).copied().unwrap_or(0)
    }

    fn name_at(&self, file: &Scanned<'a>, span: Span) -> Name {
        let code = Code { kind: TokenKind::Identifier, punct: 0, span };
        self.known(&file.lexed.text(&code))
    }

    /// Tokens as words. Members and what is made a string stand for nothing.
    fn words(&mut self, file: &'a Scanned<'a>, code: &[Code]) -> Vec<Word> {
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

    fn bodies(&mut self, at: usize, file: &'a Scanned<'a>) -> Vec<Macro> {
        let mut list = Vec::with_capacity(file.macros.len());
        for text in &file.macros {
            let words = self.words(file, &text.body);
            let mut word = |span: Span| {
                let code = Code { kind: TokenKind::Identifier, punct: 0, span };
                self.intern(file.lexed.text(&code))
            };
            word(text.name);
            let parameters: Option<Vec<Name>> =
                text.parameters.as_ref().map(|list| list.iter().map(|span| word(*span)).collect());
            let rest = usize::from(text.variadic);
            let uses = vec![false; parameters.as_ref().map_or(0, |p| p.len() + rest)];
            let names = parameters.as_deref().unwrap_or_default();
            let makes = self.pasted(file, &text.body, &words, names);
            let body = Region { file: at, words };
            let (variadic, conditional) = (text.variadic, text.conditional);
            list.push(Macro { parameters, variadic, conditional, uses, body, makes });
        }
        list
    }

    /// The names that a body puts together by `##`.
    fn pasted(
        &self,
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
            parts.push(if parameters.contains(&word.name) {
                None
            } else {
                Some(text.into_owned())
            });
        }
        found.extend(Some(parts).filter(|parts| parts.len() > 1));
        found
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

    /// Visits the names in a region, without the arguments that macros drop, and says of each whether
    /// a parenthesis stands behind it.
    pub(super) fn walk(&self, region: &Region, visit: &mut dyn FnMut(&Word, bool)) {
        let closing = closing(&region.words);
        let mut dropped: Vec<Range<usize>> = Vec::new();
        for (at, word) in region.words.iter().enumerate() {
            while dropped.last().is_some_and(|range| range.end <= at) {
                dropped.pop();
            }
            if dropped.last().is_some_and(|range| range.start <= at) || word.name == 0 {
                continue;
            }
            let called = region.words.get(at + 1).is_some_and(|next| next.punct == b'(');
            visit(word, called);
            if called && !self.macros[word.name as usize].is_empty() {
                let mut ranges = self.dropped(word.name, &region.words, at + 1, &closing);
                // The walk meets the last range first.
                ranges.reverse();
                dropped.extend(ranges);
            }
        }
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
        let simple = |(_, m): &(usize, Macro)| m.parameters.is_none();
        if close == 0 || definitions.iter().any(simple) {
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

    fn included(&self, at: usize, file: &Scanned<'_>, folders: &[&str]) -> Vec<usize> {
        let find = |path: &TreePath| self.paths.binary_search(&path).ok();
        let resolve = |spelling: &String| {
            let beside = self.paths[at].resolve(spelling).as_ref().and_then(find);
            let mut below =
                folders.iter().map(|folder| TreePath::new(&format!("{folder}/{spelling}")));
            beside.or_else(|| below.find_map(|path| path.as_ref().and_then(find)))
        };
        file.includes.iter().filter_map(resolve).collect()
    }

    /// Takes what a macro that makes definitions is given for names of these.
    fn made(&mut self, region: &Region) {
        let names = region.words.iter().map(|word| word.name).filter(|name| *name != 0);
        self.files[region.file].made.extend(names);
    }

    fn items(&mut self, at: usize, file: &Scanned<'_>, words: &[Word], heads: &Heads) {
        let mut own_static: HashSet<Name> = HashSet::new();
        let source = self.paths[at].extension() == Some("c");
        for item in &file.items {
            let region = |range: Range<usize>| Region { file: at, words: words[range].to_vec() };
            let declared = heads.read(self, item, words);
            let mut code = region(declared.from..item.code.end);
            for name in &declared.names {
                // The name itself is no use of it.
                if let Some(word) = code.words.get_mut(name - declared.from) {
                    word.name = 0;
                }
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
                        let own = if source { Vec::new() } else { code.words.clone() };
                        for word in &names {
                            let code = Region { file: at, words: own.clone() };
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
pub(super) fn closing(words: &[Word]) -> Vec<u32> {
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
