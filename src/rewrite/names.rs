//! Identifiers that are called something else in the kernel.

use std::collections::HashMap;

use super::{File, Proposal};
use crate::finding::Finding;
use crate::preprocess::lexer::{Token, TokenKind};
use crate::rules::NameRule;
use crate::text::{Quick, Span, first_bytes};

/// What a name becomes, and the rule that says so.
type Renames<'a> = HashMap<&'a [u8], (&'a NameRule, &'a str), Quick>;

/// Renames by token, in code and macro bodies alike; strings and header names stay, comments too
/// but for rules made for them. A name with a forbidden prefix that no rule knows is a finding.
pub fn propose(file: &File<'_>, rules: &[&NameRule], out: &mut Proposal) {
    let (prose, code): (Vec<&NameRule>, Vec<&NameRule>) =
        rules.iter().copied().partition(|rule| rule.in_comments);
    in_comments(file, &renames(&prose), out);
    in_code(file, &code, out);
}

fn renames<'a>(rules: &[&'a NameRule]) -> Renames<'a> {
    let of = |rule: &'a NameRule| {
        rule.rename.iter().map(move |(from, to)| (from.as_bytes(), (rule, to.as_str())))
    };
    rules.iter().copied().flat_map(of).collect()
}

fn in_comments(file: &File<'_>, renames: &Renames<'_>, out: &mut Proposal) {
    // Most files hold none of the names.
    let held = |name: &&[u8]| memchr::memmem::find(file.bytes(), name).is_some();
    if !renames.keys().any(held) {
        return;
    }
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let first = first_bytes(renames.keys().copied());
    for token in file.tokens {
        if !matches!(token.kind, TokenKind::BlockComment | TokenKind::LineComment) {
            continue;
        }
        let mut at = token.span.start as usize;
        for run in token.raw(file.bytes()).chunk_by(|a, b| word(a) == word(b)) {
            if first[usize::from(run[0])]
                && let Some((rule, to)) = renames.get(run)
            {
                out.edits.replace(Span::new(at, at + run.len()), *to, &rule.rule.name);
            }
            at += run.len();
        }
    }
}

fn in_code(file: &File<'_>, rules: &[&NameRule], out: &mut Proposal) {
    let renames = renames(rules);
    let prefixes = rules.iter().flat_map(|rule| &rule.forbid_prefixes).map(|p| p.as_bytes());
    let mut first = first_bytes(renames.keys().copied().chain(prefixes));
    // A splice may stand in front of it.
    first[usize::from(b'\\')] = true;
    let bytes = file.bytes();
    let may = |token: &&Token| {
        token.kind == TokenKind::Identifier && first[usize::from(bytes[token.span.start as usize])]
    };
    for token in file.tokens.iter().filter(may) {
        let word = token.text(file.bytes());
        if let Some((rule, to)) = renames.get(&*word) {
            out.edits.replace(token.span, *to, &rule.rule.name);
            continue;
        }
        let forbidden = rules.iter().find_map(|rule| {
            let mut prefixes = rule.forbid_prefixes.iter();
            prefixes
                .find(|prefix| word.starts_with(prefix.as_bytes()))
                .map(|prefix| (*rule, prefix))
        });
        let Some((rule, prefix)) = forbidden else { continue };
        let word = String::from_utf8_lossy(&word);
        let allowing = rules.iter().find(|rule| rule.allow.iter().any(|name| *name == word));
        if let Some(rule) = allowing {
            out.count(&rule.rule.name);
            continue;
        }
        let finding =
            Finding::error("forbidden-name", format!("`{word}` has no counterpart in the kernel"));
        let finding = file.point(finding, token.span, "not in the table of names");
        let finding =
            finding.label(rule.rule.label(format!("names in `{prefix}` are mapped here")));
        out.findings.push(
            finding
                .hint("map it to what the kernel offers, or guard its use so that it is left out"),
        );
    }
}
