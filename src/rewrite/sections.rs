//! Sections that upstream marks for leaving out: `BEGIN name` to `END name`, both lines included.

use super::{File, Proposal};
use crate::finding::Finding;
use crate::preprocess::lexer::{Token, TokenKind};
use crate::rules::SectionRule;
use crate::text::{LineIndex, Span};

/// Deletes the lines from a comment that says `BEGIN name` through one that says `END name`.
pub fn propose(file: &File<'_>, rules: &[&SectionRule], out: &mut Proposal) {
    if rules.is_empty() {
        return;
    }
    let lines = LineIndex::new(file.bytes());
    for rule in rules {
        let begin = format!("BEGIN {}", rule.marker);
        let end = format!("END {}", rule.marker);
        let mut open: Option<Token> = None;
        for token in file.tokens.iter().filter(|token| is_comment(token)) {
            let raw = token.raw(file.bytes());
            match open {
                None if says(raw, &begin) => open = Some(*token),
                None if says(raw, &end) => stray(file, rule, token, &begin, out),
                Some(first) if says(raw, &end) => {
                    let span =
                        whole_lines(&lines, first.span.cover(token.span), file.bytes().len());
                    out.edits.delete(span, vec![rule.rule.name.clone()]);
                    open = None;
                }
                _ => {}
            }
        }
        if let Some(token) = open {
            stray(file, rule, &token, &end, out);
        }
    }
}

fn is_comment(token: &Token) -> bool {
    matches!(token.kind, TokenKind::BlockComment | TokenKind::LineComment)
}

/// Whether the comment holds the marker as words of its own.
fn says(comment: &[u8], marker: &str) -> bool {
    let word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    memchr::memmem::find_iter(comment, marker).any(|at| {
        let before = at.checked_sub(1).and_then(|i| comment.get(i));
        !word(before) && !word(comment.get(at + marker.len()))
    })
}

fn whole_lines(lines: &LineIndex, span: Span, len: usize) -> Span {
    let first = lines.position(span.start as usize).line;
    let last = lines.position(span.end as usize - 1).line;
    Span::new(lines.line_start(first).unwrap_or(0), lines.line_start(last + 1).unwrap_or(len))
}

fn stray(file: &File<'_>, rule: &SectionRule, token: &Token, other: &str, out: &mut Proposal) {
    let finding =
        Finding::error("unbalanced-section", format!("this marker has no `{other}` to go with it"));
    let finding = file.point(finding, token.span, "marker");
    out.findings.push(finding.label(rule.rule.label("the rule that leaves the section out")));
}
