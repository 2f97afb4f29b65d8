//! The closed world of conditions: every macro that still stands in one is known to a rule.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::hits::Hits;
use super::{Conditions, Text, Upstream};
use crate::finding::{Finding, Findings};
use crate::memo::Held;
use crate::preprocess::lexer::{Directive, Keyword, Token, TokenKind, directive_tokens};
use crate::rules::{Active, MacroClass, Rule};
use crate::text::{Source, Span, TreePath};

/// Classifies what stays, and counts that; in a closed profile what no rule knows is a finding.
pub(super) fn check(upstream: &mut Upstream<'_>, texts: &BTreeMap<TreePath, Text>) -> Conditions {
    let mut check = Check {
        known: Known::new(&upstream.rules),
        closed: upstream.rules.profile.closed,
        conditions: Conditions::default(),
        findings: &mut upstream.findings,
        hits: &mut upstream.hits,
    };
    for (path, text) in texts {
        let Some(source) = upstream.files.get(path) else { continue };
        let key = upstream.memo.key("conditions", |key| _ = key.key(text.key));
        let left = upstream.memo.get(key, || left(text));
        check.conditions.after += left.conditions;
        for (name, is_guard, at) in &left.macros {
            check.macro_left(name, *is_guard, source, *at);
        }
    }
    check.conditions
}

/// The conditions of one file.
struct Left {
    conditions: usize,
    /// The macros that stand in them: whether it is the one that guards the file, and its place
    /// upstream.
    macros: Vec<(String, bool, Span)>,
}

impl Held for Left {
    fn weight(&self) -> usize {
        self.macros.iter().map(|(name, ..)| name.len() + 40).sum()
    }
}

fn left(Text { text, scan, .. }: &Text) -> Left {
    let bytes = text.bytes();
    let directives = &scan.of(bytes).directives;
    let guard = guard(bytes, directives);
    let mut left = Left { conditions: 0, macros: Vec::new() };
    for directive in directives.iter().filter(|d| d.keyword.is_condition()) {
        left.conditions += 1;
        for token in macros(bytes, directive) {
            let name = token.text(bytes);
            let is_guard = guard.as_deref() == Some(&*name);
            let name = String::from_utf8_lossy(&name).into_owned();
            left.macros.push((name, is_guard, text.upstream_cover(token.span)));
        }
    }
    left
}

/// What is gathered over all files.
struct Check<'r, 'f> {
    known: Known<'r>,
    closed: bool,
    conditions: Conditions,
    findings: &'f mut Findings,
    hits: &'f mut Hits,
}

impl Check<'_, '_> {
    /// Counts a macro that stands in a condition, or reports it.
    fn macro_left(&mut self, name: &str, is_guard: bool, source: &Arc<Source>, at: Span) {
        let class = match self.known.of(name) {
            Some((class, rule)) => {
                self.hits.count(&rule.name, 1);
                Some((class, Some(rule)))
            }
            None => is_guard.then_some((MacroClass::Guard, None)),
        };
        let fine = class.is_some_and(|(class, _)| class != MacroClass::Portability);
        if self.closed && !fine {
            self.findings.push(finding_for(class, name, source, at));
        }
        if let Some((class, _)) = class {
            let names = self.conditions.by_class.entry(class).or_default();
            match names.get_mut(name) {
                Some(count) => *count += 1,
                None => _ = names.insert(name.to_owned(), 1),
            }
        }
    }
}

/// A macro that must not be in a condition: of class portability, or of none.
fn finding_for(
    class: Option<(MacroClass, Option<&Rule>)>,
    name: &str,
    source: &Arc<Source>,
    at: Span,
) -> Finding {
    let Some((_, rule)) = class else {
        return Finding::error("unclassified-macro", format!("no rule knows the macro `{name}`"))
            .at(source, at, "stays in a condition of the kernel form")
            .hint(format!(
                "add a rule of kind macros that settles or classifies `{name}`, with the reason"
            ));
    };
    let message = format!("a condition on `{name}` stays, which the kernel never needs");
    let finding = Finding::error("portability-left", message).at(source, at, "not decided");
    let finding = match rule {
        Some(rule) => finding.label(rule.label("classified here")),
        None => finding,
    };
    finding.hint("settle what the condition depends on")
}

/// The macros that a condition names; what stands in the parentheses of `NAME(...)` is no macro.
fn macros(bytes: &[u8], directive: &Directive) -> Vec<Token> {
    let tokens: Vec<Token> =
        directive_tokens(bytes, directive.body).filter(|token| !token.is_trivia()).collect();
    let mut found = Vec::new();
    let mut skip = 0usize;
    for (index, token) in tokens.iter().enumerate() {
        let text = token.text(bytes);
        match (token.kind, &*text) {
            (TokenKind::Punct, b"(") if skip > 0 => skip += 1,
            (TokenKind::Punct, b"(") => {
                let before = index.checked_sub(1).and_then(|i| tokens.get(i));
                let call = before.is_some_and(|t| {
                    t.kind == TokenKind::Identifier && &*t.text(bytes) != b"defined"
                });
                skip = usize::from(call);
            }
            (TokenKind::Punct, b")") => skip = skip.saturating_sub(1),
            (TokenKind::Identifier, b"defined") => {}
            (TokenKind::Identifier, _) if skip == 0 => found.push(*token),
            _ => {}
        }
    }
    found
}

/// The macro that guards the file against being read twice: the first directive is `#ifndef X`, the
/// second `#define X`.
fn guard(bytes: &[u8], directives: &[Directive]) -> Option<Vec<u8>> {
    let name = |directive: &Directive| {
        let token = directive_tokens(bytes, directive.body).find(|token| !token.is_trivia())?;
        Some(token.text(bytes).into_owned())
    };
    let at = directives.iter().position(|d| d.keyword == Keyword::Ifndef)?;
    let first = name(directives.get(at)?)?;
    let define = directives.get(at + 1).filter(|d| d.keyword == Keyword::Define)?;
    let bare = directive_tokens(bytes, define.body).filter(|token| !token.is_trivia()).count() == 1;
    (bare && name(define)? == first).then_some(first)
}

/// Name to class and rule.
struct Known<'a> {
    exact: HashMap<&'a str, (MacroClass, &'a Rule)>,
    /// Prefixes of names that end in `*`, longest first.
    prefixes: Vec<(&'a str, MacroClass, &'a Rule)>,
}

impl<'a> Known<'a> {
    fn new(rules: &Active<'a>) -> Known<'a> {
        let mut known = Known { exact: HashMap::new(), prefixes: Vec::new() };
        for rule in &rules.macros {
            for name in &rule.names {
                match name.strip_suffix('*') {
                    Some(prefix) => known.prefixes.push((prefix, rule.class, &rule.rule)),
                    None => {
                        known.exact.insert(name, (rule.class, &rule.rule));
                    }
                }
            }
        }
        for rule in &rules.one_of {
            let names = rule.alternatives.iter().flat_map(|alternative| alternative.macros.keys());
            known.exact.extend(names.map(|name| (name.as_str(), (rule.class, &rule.rule))));
        }
        known.prefixes.sort_by_key(|(prefix, ..)| std::cmp::Reverse(prefix.len()));
        known
    }

    fn of(&self, name: &str) -> Option<(MacroClass, &'a Rule)> {
        let prefix = || {
            let found = self.prefixes.iter().find(|(prefix, ..)| name.starts_with(prefix));
            found.map(|&(_, class, rule)| (class, rule))
        };
        self.exact.get(name).copied().or_else(prefix)
    }
}
