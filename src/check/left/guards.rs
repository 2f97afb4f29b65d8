//! Which conditions a place in the text stands under.

use crate::preprocess::lexer::{Keyword, Token, TokenKind, directive_tokens};
use crate::syntax::Lexed;
use crate::text::Span;

/// Deepest nesting of groups that is looked at.
const MAX_NESTING: usize = 256;

/// A conditional group from its `#if` to its `#endif`.
struct Group {
    start: u32,
    end: u32,
    /// The group around it.
    outer: Option<usize>,
    /// Where its branches start.
    branches: Vec<u32>,
    /// The names in its conditions, each with the place of its directive.
    names: Vec<(u32, String)>,
}

/// The conditional groups of a file.
#[derive(Default)]
pub(super) struct Guards {
    groups: Vec<Group>,
}

impl Guards {
    pub(super) fn new(lexed: &Lexed<'_>) -> Guards {
        let mut guards = Guards::default();
        let mut open: Vec<usize> = Vec::new();
        for directive in &lexed.directives {
            if directive.keyword.opens() {
                let number = guards.groups.len();
                let group = Group {
                    start: directive.hash,
                    end: u32::MAX,
                    outer: open.last().copied(),
                    branches: Vec::new(),
                    names: Vec::new(),
                };
                guards.groups.push(group);
                open.push(number);
            }
            let branch = directive.keyword.is_condition() || directive.keyword == Keyword::Else;
            if branch && let Some(&innermost) = open.last() {
                guards.groups[innermost].branches.push(directive.hash);
            }
            if directive.keyword.is_condition()
                && let Some(&innermost) = open.last()
            {
                let tokens = directive_tokens(lexed.bytes, directive.body);
                let names = tokens.filter(|token| token.kind == TokenKind::Identifier);
                let name = |token: Token| {
                    let name = String::from_utf8_lossy(&token.text(lexed.bytes)).into_owned();
                    (directive.hash, name)
                };
                guards.groups[innermost].names.extend(names.map(name));
            }
            if directive.keyword == Keyword::Endif
                && let Some(closed) = open.pop()
            {
                guards.groups[closed].end = directive.end;
            }
        }
        guards
    }

    /// Whether a group around `span` tests one of the macros that satisfy `is`, in any of its branches.
    pub(super) fn tests(&self, span: Span, is: impl Fn(&str) -> bool) -> bool {
        self.around(span).any(|group| group.names.iter().any(|(_, name)| is(name)))
    }

    /// Whether the condition of a branch around `span` names one of the macros that satisfy `is`.
    pub(super) fn stands_under(&self, span: Span, is: impl Fn(&str) -> bool) -> bool {
        self.around(span).any(|group| {
            let before = group.branches.partition_point(|&branch| branch <= span.start);
            let branch = before.checked_sub(1).and_then(|at| group.branches.get(at));
            let names = group.names.iter().filter(|(at, _)| Some(at) == branch);
            names.into_iter().any(|(_, name)| is(name))
        })
    }

    /// The groups around a place, which are among those around the last that starts before it.
    fn around(&self, span: Span) -> impl Iterator<Item = &Group> {
        let before = self.groups.partition_point(|group| group.start <= span.start);
        let mut next = before.checked_sub(1);
        let up = std::iter::from_fn(move || {
            let group = self.groups.get(next?)?;
            next = group.outer;
            Some(group)
        });
        up.take(MAX_NESTING).filter(move |group| span.start < group.end)
    }
}
