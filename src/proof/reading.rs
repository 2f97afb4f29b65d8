//! A text as its tokens, each with the branch it stands in, and the branches with their conditions.

use std::collections::BTreeMap;

use biodivine_lib_bdd::Bdd;

use super::algebra::Algebra;
use super::expression::{Expression, Word, words};
use super::facts::{Belief, Condition};
use crate::preprocess::lexer::{Directive, Keyword, TokenKind, tokens};
use crate::preprocess::settings::{Known, Settings};
use crate::text::Span;

/// Most bytes that the settings' values may make of a condition.
const MAX_EXPANSION: usize = 64 << 10;

/// A token that a compiler sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
    /// Whether it is part of a directive, and its first token; whether white space stands before it,
    /// where that has a meaning.
    pub(super) place: (bool, bool, bool),
    /// The run of text between two conditional directives that it stands in.
    pub(super) run: usize,
}

/// A directive of a conditional group.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// `#if`, with the number of its condition.
    If(usize),
    Elif(usize),
    Else,
    Endif,
}

/// A text as read. Run 0 goes up to the first step, run `n` stands behind step `n - 1`.
pub(super) struct Reading {
    pub(super) items: Vec<Item>,
    pub(super) steps: Vec<(Step, Directive)>,
    pub(super) conditions: Vec<Condition>,
}

/// How the names in a text are to be understood.
pub(super) struct View<'a> {
    pub(super) settings: &'a Settings,
    /// Whether a hard-wired macro is one that nothing defines there.
    pub(super) lost: &'a dyn Fn(&[u8]) -> bool,
    /// Whether a directive, by the offset of its `#`, is there both before and after.
    pub(super) shared: &'a dyn Fn(u32) -> bool,
}

/// Reads a text with these directives.
pub(super) fn read(bytes: &[u8], directives: &[Directive], view: &View<'_>) -> Reading {
    let mut reader = Reader {
        bytes,
        view,
        reading: Reading {
            items: Vec::with_capacity(bytes.len() / 8),
            steps: Vec::new(),
            conditions: Vec::new(),
        },
        defined: 0,
        included: 0,
    };
    reader.run(directives);
    reader.reading
}

struct Reader<'a> {
    bytes: &'a [u8],
    view: &'a View<'a>,
    reading: Reading,
    /// How many definitions were passed, of whatever name: a macro may stand for another; and how many
    /// includes, which may define any.
    defined: u32,
    included: u32,
}

impl Reader<'_> {
    fn run(&mut self, directives: &[Directive]) {
        let mut next = directives.iter().peekable();
        let mut current: Option<(&Directive, usize)> = None;
        let mut blank = false;
        for token in tokens(self.bytes) {
            if token.is_trivia() {
                blank = true;
                continue;
            }
            if current.is_some_and(|(directive, _)| token.span.start >= directive.body.end) {
                current = None;
            }
            while let Some(directive) = next.next_if(|d| d.hash <= token.span.start) {
                self.directive(directive);
                current = Some((directive, 0));
            }
            let place = match &mut current {
                None => (false, false, false),
                Some((directive, count)) => {
                    *count += 1;
                    if is_step(directive.keyword) {
                        continue;
                    }
                    // Between `#` and the name of the directive anything may stand.
                    (true, *count == 1, *count > 2 && blank)
                }
            };
            blank = false;
            let run = self.reading.steps.len();
            self.reading.items.push(Item { kind: token.kind, span: token.span, place, run });
        }
    }

    fn directive(&mut self, directive: &Directive) {
        let step = match directive.keyword {
            Keyword::If => Step::If(self.condition(directive)),
            Keyword::Ifdef => Step::If(self.definedness(directive, true)),
            Keyword::Ifndef => Step::If(self.definedness(directive, false)),
            Keyword::Elif => Step::Elif(self.condition(directive)),
            Keyword::Elifdef => Step::Elif(self.definedness(directive, true)),
            Keyword::Elifndef => Step::Elif(self.definedness(directive, false)),
            Keyword::Else => Step::Else,
            Keyword::Endif => Step::Endif,
            Keyword::Include => {
                self.included += u32::from((self.view.shared)(directive.hash));
                return;
            }
            Keyword::Define | Keyword::Undef => {
                self.defined += u32::from((self.view.shared)(directive.hash));
                return;
            }
            Keyword::Other => return,
        };
        self.reading.steps.push((step, *directive));
    }

    fn condition(&mut self, directive: &Directive) -> usize {
        let written = words(self.bytes, directive.body);
        let names = written.iter().filter(|word| word.is_name()).map(|word| word.text.clone());
        let names = names.collect();
        let expression = Expression::read(self.expanded(written));
        self.believe(expression, names)
    }

    fn definedness(&mut self, directive: &Directive, wanted: bool) -> usize {
        let name = words(self.bytes, directive.body).into_iter().next();
        let names = name.iter().map(|name| name.text.clone()).collect();
        let expression = match name {
            Some(name) if name.is_name() => Expression::defined(name, wanted),
            other => Expression::read(other.into_iter().collect()),
        };
        self.believe(expression, names)
    }

    fn believe(&mut self, expression: Expression, written: Vec<Vec<u8>>) -> usize {
        let mut beliefs = BTreeMap::new();
        for word in expression.tokens.iter().filter(|word| word.is_name()) {
            beliefs.insert(word.text.clone(), self.belief(&word.text));
        }
        self.reading.conditions.push(Condition { expression, beliefs, written });
        self.reading.conditions.len() - 1
    }

    fn belief(&self, name: &[u8]) -> Belief {
        let settings = self.view.settings;
        let set = settings
            .find(name)
            .filter(|id| settings.entry(*id).known.iter().any(|known| *known != Known::Free));
        match set {
            Some(_) if (self.view.lost)(name) => Belief::Lost,
            Some(id) => Belief::Set(id),
            None => Belief::Free(self.defined, self.included),
        }
    }

    /// The words with the values of hard-wired macros put in, as a preprocessor does it.
    fn expanded(&self, written: Vec<Word>) -> Vec<Word> {
        let mut out = Vec::new();
        let mut size = 0;
        let mut open = vec![(None, written.clone().into_iter())];
        let mut naming = 0;
        while let Some((_, rest)) = open.last_mut() {
            let Some(word) = rest.next() else {
                open.pop();
                continue;
            };
            let id = self.view.settings.find(&word.text).filter(|_| naming == 0 && word.is_name());
            naming = match word.text.as_slice() {
                b"defined" => 2,
                b"(" if naming == 2 => 1,
                _ => 0,
            };
            let value = id.filter(|_| self.belief(&word.text) != Belief::Lost);
            let value =
                value.and_then(|id| Some((id, self.view.settings.entry(id).text.as_deref()?)));
            match value {
                Some((id, text)) if open.iter().all(|(other, _)| *other != Some(id)) => {
                    let inner = words(text.as_bytes(), Span::new(0, text.len()));
                    open.push((Some(id), inner.into_iter()));
                }
                _ => {
                    size += word.text.len() + 1;
                    out.push(word);
                }
            }
            if size > MAX_EXPANSION || out.len() > MAX_EXPANSION {
                return written;
            }
        }
        out
    }
}

fn is_step(keyword: Keyword) -> bool {
    keyword.is_condition() || matches!(keyword, Keyword::Else | Keyword::Endif)
}

/// When each run is part of what the compiler sees; `None` where the groups don't balance.
pub(super) fn presences(reading: &Reading, truths: &[Bdd], algebra: &Algebra) -> Option<Vec<Bdd>> {
    let mut now = algebra.constant(true);
    let mut runs = vec![now.clone()];
    // Of each open group: what is around it, that one of its branches was taken, and its `#else`.
    let mut open: Vec<(Bdd, Bdd, bool)> = Vec::new();
    for (step, _) in &reading.steps {
        match step {
            Step::If(condition) => {
                let truth = truths[*condition].clone();
                let inside = algebra.and(&now, &truth);
                open.push((std::mem::replace(&mut now, inside), truth, false));
            }
            Step::Elif(condition) => {
                let (around, taken, closed) = open.last_mut()?;
                let truth = &truths[*condition];
                now = algebra.and(around, &algebra.and(&taken.not(), truth));
                *taken = algebra.or(taken, truth);
                if *closed {
                    return None;
                }
            }
            Step::Else => {
                let (around, taken, closed) = open.last_mut()?;
                now = algebra.and(around, &taken.not());
                if std::mem::replace(closed, true) {
                    return None;
                }
            }
            Step::Endif => now = open.pop()?.0,
        }
        runs.push(now.clone());
    }
    open.is_empty().then_some(runs)
}
