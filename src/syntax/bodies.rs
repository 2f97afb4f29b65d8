//! Macro bodies as lists of tokens, and what they say that a macro is.

use std::collections::{HashMap, HashSet};

use super::definitions::{Head, Postfix, Role, Wraps};
use super::words;
use crate::memo::KeyMaker;
use crate::preprocess::lexer::{Token, TokenKind, directive_tokens};
use crate::text::{Quick, Span};

/// All definitions of a tree. Their tokens lie in one list, so that many small bodies cost little.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    text: Vec<u8>,
    tokens: Vec<(TokenKind, std::ops::Range<usize>)>,
    macros: Vec<Macro>,
    by_name: HashMap<Box<[u8]>, Vec<usize>>,
}

/// One definition: ranges of `Bodies::tokens`.
#[derive(Clone, Debug)]
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
    pub(super) fn add(&mut self, bytes: &[u8], body: Span, head: &Head) {
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

    /// Adds the definitions of another file behind these.
    pub(super) fn append(&mut self, other: Bodies) {
        if self.macros.is_empty() {
            *self = other;
            return;
        }
        let (text, tokens, macros) = (self.text.len(), self.tokens.len(), self.macros.len());
        let by = |range: std::ops::Range<usize>, by: usize| range.start + by..range.end + by;
        self.text.extend(other.text);
        self.tokens.extend(other.tokens.into_iter().map(|(kind, range)| (kind, by(range, text))));
        self.macros.extend(other.macros.into_iter().map(|of| Macro {
            name: of.name + tokens,
            parameters: by(of.parameters, tokens),
            body: by(of.body, tokens),
            ..of
        }));
        for (name, ids) in other.by_name {
            self.by_name.entry(name).or_default().extend(ids.into_iter().map(|id| id + macros));
        }
    }

    /// About how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        self.text.len() + 32 * self.tokens.len() + 160 * self.macros.len()
    }

    /// Adds all of it to a key.
    pub(super) fn digest(&self, key: &mut KeyMaker) {
        for of in &self.macros {
            key.number(usize::from(of.function) + 2 * usize::from(of.variadic));
            key.bytes(self.token(of.name)).number(of.parameters.len()).number(of.body.len());
            for at in of.parameters.clone().chain(of.body.clone()) {
                key.number(usize::from(self.is_name(at))).bytes(self.token(at));
            }
        }
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

    pub(super) fn classify<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> HashMap<Box<[u8]>, Role, Quick> {
        let mut roles: HashMap<Box<[u8]>, Role, Quick> = HashMap::default();
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
            role.divides = ids.iter().any(|&id| self.divides(id));
        }
        roles
    }

    fn divides(&self, id: usize) -> bool {
        let Macro { function, body, .. } = &self.macros[id];
        let divides = |at| matches!(self.token(at), b"/" | b"%" | b"/=" | b"%=");
        *function && body.clone().any(divides)
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
    pub(super) fn deprecating(&self) -> HashSet<Box<[u8]>> {
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
