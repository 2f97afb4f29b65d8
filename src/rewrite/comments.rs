//! Comment openers that mean something to the kernel's tools.

use super::{File, Proposal};
use crate::preprocess::lexer::TokenKind;
use crate::rules::CommentRule;
use crate::text::Span;

/// Changes the openers of real comments; strings and `/**/` stay.
pub fn propose(file: &File<'_>, rules: &[&CommentRule], out: &mut Proposal) {
    let mut rules = rules.to_vec();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.from.len()));
    for token in file.tokens.iter().filter(|token| token.kind == TokenKind::BlockComment) {
        let raw = token.raw(file.bytes());
        let found = rules.iter().find(|rule| {
            raw.strip_prefix(rule.from.as_bytes()).is_some_and(|rest| still_a_comment(rule, rest))
        });
        if let Some(rule) = found {
            let end = token.span.start + rule.from.len() as u32;
            out.edits.replace(Span { start: token.span.start, end }, &*rule.to, &rule.rule.name);
        }
    }
}

/// Whether the new opener and what follows are one comment again, closed where it was.
fn still_a_comment(rule: &CommentRule, rest: &[u8]) -> bool {
    let changed = [rule.to.as_bytes(), rest].concat();
    changed.len() >= 4
        && memchr::memmem::find(&changed[2..], b"*/").is_some_and(|at| at + 4 == changed.len())
}
