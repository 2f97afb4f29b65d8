//! What the macros of a source tree do to its grammar, derived from their definitions alone.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::lexed::Lexed;
use super::tree::MAX_PARSED_BYTES;
use super::{functions, words};
use crate::preprocess::lexer::{Keyword, Token, TokenKind, directive_tokens};
use crate::text::{Span, TreePath};

/// The macros of a tree of files, as far as a parser that doesn't expand them has to know.
///
/// It holds for every file of the tree: which definition is in force where depends on settings, so
/// all definitions of a name count.
#[derive(Debug, Default)]
pub struct Definitions {
    roles: HashMap<Box<[u8]>, Role>,
    owners: HashMap<Box<[u8]>, Owners>,
    /// Macros that mark what they stand beside as deprecated.
    deprecating: HashSet<Box<[u8]>>,
}

/// Which files see a definition.
#[derive(Debug, Default)]
struct Owners {
    /// It stands in a header, or is a function that isn't static.
    all: bool,
    /// The files that it stands in, else.
    files: BTreeSet<TreePath>,
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
        let mut bodies = Bodies::default();
        let mut bare: HashSet<Box<[u8]>> = HashSet::new();
        let mut owners: HashMap<Box<[u8]>, Owners> = HashMap::new();
        for (path, bytes, tokens) in files {
            // What is too long to be parsed must not take memory for its tokens either.
            if bytes.len() > MAX_PARSED_BYTES {
                continue;
            }
            let lexed = match tokens {
                Some(tokens) => Lexed::of(bytes, tokens.iter().copied()),
                None => Lexed::new(bytes),
            };
            let header = path.extension() == Some("h");
            let mut own = |name: &[u8], all: bool| {
                let owners = owners.entry(name.into()).or_default();
                owners.all |= all;
                if !owners.all {
                    owners.files.insert(path.clone());
                }
            };
            for directive in lexed.directives.iter().filter(|d| d.keyword == Keyword::Define) {
                if let Some(head) = Head::read(bytes, directive.body) {
                    own(&head.name.text(bytes), header);
                    bodies.add(bytes, directive.body, &head);
                }
            }
            bare.extend(functions::bare_statements(&lexed).iter().map(|name| Box::from(&**name)));
            for function in functions::defined(&lexed) {
                own(&function.name, header || function.exported);
            }
        }
        let mut roles = bodies.classify(names);
        for (name, role) in &mut roles {
            role.bare = bare.contains(name);
        }
        Definitions { roles, owners, deprecating: bodies.deprecating() }
    }

    /// Whether the tree itself defines `name`, as a macro or a function that `path` can see.
    pub fn defines(&self, name: &str, path: &TreePath) -> bool {
        self.owners.get(name.as_bytes()).is_some_and(|o| o.all || o.files.contains(path))
    }

    /// Whether `word` says that a declaration is deprecated.
    pub(super) fn deprecates(&self, word: &[u8]) -> bool {
        words::is_deprecation(word) || self.deprecating.contains(word)
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

/// All definitions of a tree. Their tokens lie in one list, so that many small bodies cost little.
#[derive(Default)]
struct Bodies {
    text: Vec<u8>,
    tokens: Vec<(TokenKind, std::ops::Range<usize>)>,
    macros: Vec<Macro>,
    by_name: HashMap<Box<[u8]>, Vec<usize>>,
}

/// One definition: ranges of `Bodies::tokens`.
struct Macro {
    name: usize,
    function: bool,
    variadic: bool,
    parameters: std::ops::Range<usize>,
    body: std::ops::Range<usize>,
}

/// How far a body has been found to hold nothing but specifiers.
enum Progress {
    /// Up to its end.
    Done,
    /// Up to this token, a name that may yet turn out to be one.
    Waiting(usize),
    /// Never.
    Other,
}

impl Bodies {
    fn add(&mut self, bytes: &[u8], body: Span, head: &Head) {
        let name = self.push(bytes, head.name);
        let parameters = self.tokens.len();
        for &parameter in head.parameters.iter().flatten() {
            self.push(bytes, parameter);
        }
        let start = self.tokens.len();
        let rest = Span { start: head.end, end: body.end };
        for token in directive_tokens(bytes, rest).filter(|t| !t.is_trivia()) {
            self.push(bytes, token);
        }
        let id = self.macros.len();
        self.macros.push(Macro {
            name,
            function: head.parameters.is_some(),
            variadic: head.variadic,
            parameters: parameters..start,
            body: start..self.tokens.len(),
        });
        self.by_name.entry(self.token(name).into()).or_default().push(id);
    }

    fn push(&mut self, bytes: &[u8], token: Token) -> usize {
        let start = self.text.len();
        self.text.extend_from_slice(&token.text(bytes));
        self.tokens.push((token.kind, start..self.text.len()));
        self.tokens.len() - 1
    }

    fn token(&self, at: usize) -> &[u8] {
        self.tokens.get(at).map_or(b"", |(_, range)| &self.text[range.clone()])
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|(kind, _)| *kind == TokenKind::Identifier)
    }

    fn classify<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> HashMap<Box<[u8]>, Role> {
        let mut roles: HashMap<Box<[u8]>, Role> = HashMap::new();
        for (name, ids) in &self.by_name {
            let function = ids.iter().any(|&id| self.macros[id].function);
            let object = ids.iter().any(|&id| !self.macros[id].function);
            roles.insert(name.clone(), Role { function, object, ..Role::default() });
        }
        let named: Vec<&[u8]> = names.into_iter().map(str::as_bytes).collect();
        let specifiers = self.specifiers(&named);
        for &name in &specifiers {
            roles.entry(name.into()).or_default().specifier = true;
        }
        for (name, ids) in &self.by_name {
            let Some(role) = roles.get_mut(name) else { continue };
            role.postfix = ids.iter().find_map(|&id| self.postfix(id));
            role.of_type = ids.iter().any(|&id| self.of_type(id));
            role.wraps = self.wraps(ids, &specifiers);
            role.closed = ids.iter().any(|&id| self.closed(id));
        }
        roles
    }

    /// The names that stand for specifiers. One definition that does is enough: the others are for
    /// compilers that lack the specifier.
    ///
    /// A body that waits for a name is resumed when the name is found to be one, so that the work is
    /// linear in the text whatever the order of definitions.
    fn specifiers<'a>(&'a self, named: &[&'a [u8]]) -> HashSet<&'a [u8]> {
        let mut found: HashSet<&[u8]> = named.iter().copied().collect();
        let mut news: Vec<&[u8]> = named.to_vec();
        let mut waiting: HashMap<&[u8], Vec<(usize, usize)>> = HashMap::new();
        let mut ready: Vec<(usize, usize)> = Vec::new();
        for (name, ids) in &self.by_name {
            let empty = |id: &usize| self.macros[*id].body.is_empty();
            if ids.iter().all(empty) && found.insert(name) {
                news.push(name);
            }
            ready.extend(
                ids.iter().filter(|id| !empty(id)).map(|&id| (id, self.macros[id].body.start)),
            );
        }
        loop {
            while let Some((id, at)) = ready.pop() {
                let name = self.token(self.macros[id].name);
                match self.read_specifiers(&self.macros[id], at, &found) {
                    Progress::Done if found.insert(name) => news.push(name),
                    Progress::Waiting(at) => {
                        waiting.entry(self.token(at)).or_default().push((id, at));
                    }
                    Progress::Done | Progress::Other => {}
                }
            }
            match news.pop() {
                Some(name) => ready.extend(waiting.remove(name).unwrap_or_default()),
                None => return found,
            }
        }
    }

    /// The macros in whose body, or in that of a macro that it uses, the attribute stands. One
    /// definition that has it is enough: the others are for compilers that lack it.
    fn deprecating(&self) -> HashSet<Box<[u8]>> {
        let mut users: HashMap<&[u8], Vec<usize>> = HashMap::new();
        let mut found = HashSet::new();
        let mut news: Vec<&[u8]> = Vec::new();
        for (id, of) in self.macros.iter().enumerate() {
            for at in of.body.clone().filter(|&at| self.is_name(at)) {
                if words::is_deprecation(self.token(at)) {
                    news.push(self.token(of.name));
                } else if self.by_name.contains_key(self.token(at)) {
                    users.entry(self.token(at)).or_default().push(id);
                }
            }
        }
        while let Some(name) = news.pop() {
            if found.insert(Box::from(name)) {
                let ids = users.remove(name).unwrap_or_default();
                news.extend(ids.into_iter().map(|id| self.token(self.macros[id].name)));
            }
        }
        found
    }

    fn read_specifiers(&self, of: &Macro, mut at: usize, found: &HashSet<&[u8]>) -> Progress {
        while at < of.body.end {
            at = match self.read_specifier(of, at, found) {
                Some(next) => next,
                None if self.is_name(at) => return Progress::Waiting(at),
                None => return Progress::Other,
            };
        }
        Progress::Done
    }

    /// The token behind the specifier at `at`; `None` where there is none.
    fn read_specifier(&self, of: &Macro, at: usize, found: &HashSet<&[u8]>) -> Option<usize> {
        let word = self.token(at);
        let next = if at + 1 < of.body.end { self.token(at + 1) } else { b"" };
        if !self.is_name(at) {
            return if word == b"[" && next == b"[" { self.behind_brackets(of, at) } else { None };
        }
        if words::is_attribute(word) {
            return if next == b"(" { self.behind_brackets(of, at + 1) } else { None };
        }
        if words::is_specifier(word) {
            let linkage = word == b"extern" && next.starts_with(b"\"");
            return Some(at + 1 + usize::from(linkage));
        }
        if !found.contains(word) {
            return None;
        }
        let takes_arguments = self
            .by_name
            .get(word)
            .is_some_and(|ids| ids.iter().any(|&id| self.macros[id].function));
        if takes_arguments && next == b"(" {
            self.behind_brackets(of, at + 1)
        } else {
            Some(at + 1)
        }
    }

    /// The token behind the bracket that closes the one at `at`.
    fn behind_brackets(&self, of: &Macro, at: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in at..of.body.end {
            match self.token(at) {
                b"(" | b"[" => depth += 1,
                b")" | b"]" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    fn postfix(&self, id: usize) -> Option<Postfix> {
        let of = &self.macros[id];
        if of.function || of.body.len() < 2 {
            return None;
        }
        let operand = self.token(of.body.start + 1);
        match self.token(of.body.start) {
            b"/" | b"%" | b"<<" | b">>" | b"|" | b"^" | b"&&" | b"||" | b"==" | b"!=" | b"<"
            | b">" | b"<=" | b">=" => Some(Postfix::Binary),
            // `*` before a number multiplies; before a name it may as well follow a pointer.
            b"*" if operand == b"(" || operand.first().is_some_and(u8::is_ascii_digit) => {
                Some(Postfix::Binary)
            }
            b"*" | b"+" | b"-" | b"&" => Some(Postfix::Either),
            _ => None,
        }
    }

    fn of_type(&self, id: usize) -> bool {
        let of = &self.macros[id];
        let mut body = of.body.clone();
        while body.len() > 4 && self.token(body.start) == b"(" && self.token(body.end - 1) == b")" {
            body = body.start + 1..body.end - 1;
        }
        let is = |at: usize, text: &[u8]| self.token(body.start + at) == text;
        body.len() == 4
            && of.parameters.len() == 1
            && words::takes_type(self.token(body.start))
            && is(1, b"(")
            && is(2, self.token(of.parameters.start))
            && is(3, b")")
    }

    /// The argument that all definitions stand for, if they agree.
    fn wraps(&self, ids: &[usize], specifiers: &HashSet<&[u8]>) -> Option<Wraps> {
        let mut all = ids.iter().map(|&id| self.wraps_one(&self.macros[id], specifiers));
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }

    fn wraps_one(&self, of: &Macro, specifiers: &HashSet<&[u8]>) -> Option<Wraps> {
        /// More parameters than this are no wrapper's; each token is looked for among them.
        const MOST_PARAMETERS: usize = 16;
        if of.parameters.len() > MOST_PARAMETERS {
            return None;
        }
        let mut wrapped = None;
        let mut at = of.body.start;
        while at < of.body.end {
            let word = self.token(at);
            let named = of.parameters.clone().position(|p| self.token(p) == word);
            let rest = of.variadic && word == b"__VA_ARGS__";
            let argument = if rest { Some(of.parameters.len()) } else { named };
            at = match argument.filter(|_| of.function) {
                Some(_) if wrapped.is_some() => return None,
                Some(argument) => {
                    wrapped = Some(Wraps { argument, rest });
                    at + 1
                }
                None => self.read_specifier(of, at, specifiers)?,
            };
        }
        wrapped
    }

    /// Whether the body ends a statement or definition itself, or in the use of a macro that does.
    fn closed(&self, id: usize) -> bool {
        /// Chains of macros are short; a cycle must end.
        const LONGEST_CHAIN: usize = 8;
        let mut id = id;
        for _ in 0..LONGEST_CHAIN {
            let body = &self.macros[id].body;
            let last = if body.is_empty() { b"" } else { self.token(body.end - 1) };
            if matches!(last, b";" | b"}") {
                return true;
            }
            let Some(next) = (last == b")").then(|| self.last_call(body)).flatten() else {
                return false;
            };
            id = next;
        }
        false
    }

    /// The macro whose use ends the body.
    fn last_call(&self, body: &std::ops::Range<usize>) -> Option<usize> {
        let mut depth = 0usize;
        let open = body.clone().rev().find(|&at| {
            match self.token(at) {
                b")" => depth += 1,
                b"(" => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        let name = open.checked_sub(1).filter(|name| body.contains(name))?;
        let ids = self.by_name.get(self.token(name))?;
        ids.iter().copied().find(|&id| self.macros[id].function)
    }
}
