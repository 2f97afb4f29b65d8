//! Calls of the C library's functions, which the kernel has under other names or not at all.

use std::collections::HashMap;

use super::{File, Proposal};
use crate::finding::Finding;
use crate::preprocess::lexer::{Directive, Keyword, TokenKind, scan};
use crate::rules::CallRule;
use crate::syntax::{Call, Definitions, calls_in_definition, parse};
use crate::text::Span;

/// Code of the findings about calls that can't stand.
pub const LIBC_CALL: &str = "libc-call";

/// What is known of the release that a file belongs to.
pub struct Release<'a> {
    /// The macros and functions of its files. Asked for only where a file has something to parse:
    /// few have.
    pub definitions: &'a dyn Fn() -> &'a Definitions,
    /// Whether it defines a name that a rule puts in place of a function's.
    pub offers: &'a dyn Fn(&str) -> bool,
}

/// Puts the kernel's names in place of the functions that rules name, in code and macro bodies, and
/// reports calls of those that have none.
pub fn propose(file: &File<'_>, release: &Release<'_>, rules: &[&CallRule], out: &mut Proposal) {
    let table = Table::new(rules);
    let used = Used::find(file, &table);
    for &at in &used.allowed {
        if let Some(rule) = table.rule(&file.tokens[at].text(file.bytes())) {
            out.count(&rule.rule.name);
        }
    }
    if used.code.is_empty() && used.definitions.is_empty() {
        return;
    }
    let definitions = (release.definitions)();
    let own = |name: &[u8]| {
        std::str::from_utf8(name).is_ok_and(|name| definitions.defines(name, file.path))
    };
    let wanted = |name: &[u8]| table.rule(name).is_some_and(|rule| !is_allowed(rule));
    let mut calls: Vec<Call> = Vec::new();
    for directive in &used.definitions {
        calls.extend(calls_in_definition(file.bytes(), directive, &wanted, &own));
    }
    let foreign = |name: &[u8]| wanted(name) && !own(name);
    if used.code.iter().any(|&at| foreign(&file.tokens[at].text(file.bytes()))) {
        let parsed = parse(file.source, file.text, definitions);
        calls.extend(parsed.calls(&foreign));
        out.findings.extend(parsed.errors);
    }
    for call in calls {
        if let Some(rule) = table.rule(call.text.as_bytes()) {
            settle(file, release, rule, &call, out);
        }
    }
}

/// Renames or reports one call.
fn settle(
    file: &File<'_>,
    release: &Release<'_>,
    rule: &CallRule,
    call: &Call,
    out: &mut Proposal,
) {
    let missing = match &rule.to {
        Some(to) if (release.offers)(to) => {
            out.edits.replace(call.name, to.as_str(), &rule.rule.name);
            return;
        }
        missing => missing.as_ref(),
    };
    out.count(&rule.rule.name);
    let hint = match (missing, &rule.instead) {
        (Some(to), _) => format!("the release has no `{to}` to put in its place: define it there"),
        (None, Some(instead)) => format!("use {instead}"),
        (None, None) => "leave it out of what the kernel builds".to_owned(),
    };
    let message = format!("`{}` of the C library is called", call.text);
    let finding = file.point(Finding::error(LIBC_CALL, message), call.name, "called here");
    out.findings.push(finding.label(rule.rule.label("named here")).hint(hint));
}

/// A rule that neither renames nor reports says that the call may stand.
fn is_allowed(rule: &CallRule) -> bool {
    rule.to.is_none() && !rule.report
}

/// The rules by function.
struct Table<'a> {
    rules: HashMap<&'a [u8], &'a CallRule>,
    /// Which first bytes the names have: most words of a file are ruled out by theirs.
    first: [bool; 256],
}

impl<'a> Table<'a> {
    fn new(rules: &[&'a CallRule]) -> Table<'a> {
        let mut table = Table { rules: HashMap::new(), first: [false; 256] };
        // A splice may stand in front of the first byte.
        table.first[usize::from(b'\\')] = true;
        for rule in rules {
            for name in &rule.functions {
                table.rules.insert(name.as_bytes(), *rule);
                if let Some(&byte) = name.as_bytes().first() {
                    table.first[usize::from(byte)] = true;
                }
            }
        }
        table
    }

    fn rule(&self, name: &[u8]) -> Option<&'a CallRule> {
        self.rules.get(name).copied()
    }
}

/// Where a file uses the names that rules are about.
#[derive(Default)]
struct Used {
    /// Places in the file's tokens at which a function is called that may be.
    allowed: Vec<usize>,
    /// Places of the others, outside directives.
    code: Vec<usize>,
    /// The macro definitions that name others.
    definitions: Vec<Directive>,
}

impl Used {
    fn find(file: &File<'_>, table: &Table<'_>) -> Used {
        let bytes = file.bytes();
        let named = file.tokens.iter().enumerate().filter_map(|(at, token)| {
            let may = token.kind == TokenKind::Identifier
                && table.first[usize::from(bytes[token.span.start as usize])];
            let rule = may.then(|| table.rule(&token.text(bytes))).flatten()?;
            (!is_member(file, at)).then_some((at, rule))
        });
        let named: Vec<(usize, &CallRule)> = named.collect();
        let mut used = Used::default();
        if named.is_empty() {
            return used;
        }
        let directives = scan(bytes).directives;
        for (at, rule) in named {
            let directive = directive_at(&directives, file.tokens[at].span);
            let defining = directive.filter(|d| d.keyword == Keyword::Define);
            if directive.is_some() != defining.is_some() {
                // A condition or another directive calls nothing.
                continue;
            }
            match defining {
                _ if is_allowed(rule) => used.allowed.extend(is_called(file, at).then_some(at)),
                None => used.code.push(at),
                Some(directive) if used.definitions.last() != Some(directive) => {
                    used.definitions.push(*directive);
                }
                Some(_) => {}
            }
        }
        used
    }
}

/// The directive that a token is part of.
fn directive_at(directives: &[Directive], span: Span) -> Option<&Directive> {
    let after = directives.partition_point(|d| d.hash <= span.start);
    directives[..after].last().filter(|d| span.start < d.end)
}

fn is_member(file: &File<'_>, at: usize) -> bool {
    let before = file.tokens[..at].iter().rev().find(|t| !t.is_trivia());
    before.is_some_and(|t| matches!(&*t.text(file.bytes()), b"." | b"->"))
}

fn is_called(file: &File<'_>, at: usize) -> bool {
    let next = file.tokens[at + 1..].iter().find(|t| !t.is_trivia());
    next.is_some_and(|t| &*t.text(file.bytes()) == b"(")
}
