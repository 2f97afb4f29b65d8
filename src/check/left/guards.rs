//! Which conditions a place in the text stands under.

use crate::preprocess::lexer::{Keyword, TokenKind, directive_tokens};
use crate::syntax::Lexed;
use crate::text::Span;

/// A conditional group from its `#if` to its `#endif`.
struct Group {
    start: u32,
    end: u32,
    /// The names in its conditions, those of all branches.
    names: Vec<String>,
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
                open.push(guards.groups.len());
                let group = Group { start: directive.hash, end: u32::MAX, names: Vec::new() };
                guards.groups.push(group);
            }
            if directive.keyword.is_condition()
                && let Some(&innermost) = open.last()
            {
                let tokens = directive_tokens(lexed.bytes, directive.body);
                let names = tokens.filter(|token| token.kind == TokenKind::Identifier);
                let name = |token: crate::preprocess::lexer::Token| {
                    String::from_utf8_lossy(&token.text(lexed.bytes)).into_owned()
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

    /// Whether a group around `span` tests one of the macros that satisfy `is`.
    pub(super) fn tests(&self, span: Span, is: impl Fn(&str) -> bool) -> bool {
        self.groups
            .iter()
            .take_while(|group| group.start <= span.start)
            .filter(|group| span.start < group.end)
            .any(|group| group.names.iter().any(|name| is(name)))
    }
}
