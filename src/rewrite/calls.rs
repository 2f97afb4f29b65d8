//! Calls of the C library's functions, which the kernel has under other names or not at all.

use std::collections::{BTreeSet, HashMap};

use super::{File, Proposal};
use crate::finding::Finding;
use crate::preprocess::lexer::{Directive, Keyword, Token, TokenKind};
use crate::rules::CallRule;
use crate::syntax::{Call, Definitions, calls_in_definition, parse};
use crate::text::{Quick, Span};

/// Code of the findings about calls that can't stand.
pub const LIBC_CALL: &str = "libc-call";

/// What is known of the release that a file belongs to.
pub struct Release<'a> {
    /// The macros and functions of its files. Asked for only where a file has something to parse:
    /// few have.
    pub definitions: &'a dyn Fn() -> &'a Definitions,
    /// The same of those files alone in which a name of [`Wanted`] stands: enough to tell where one of
    /// these is defined.
    pub owners: &'a dyn Fn() -> &'a Definitions,
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
    let own = |name: &[u8]| {
        let name = std::str::from_utf8(name);
        name.is_ok_and(|name| (release.owners)().defines(name, file.path))
    };
    let wanted = |name: &[u8]| table.rule(name).is_some_and(|rule| !is_allowed(rule));
    let mut calls: Vec<Call> = Vec::new();
    for directive in &used.definitions {
        calls.extend(calls_in_definition(file.bytes(), directive, &wanted, &own));
    }
    let foreign = |name: &[u8]| wanted(name) && !own(name);
    if used.code.iter().any(|&at| foreign(&file.tokens[at].text(file.bytes()))) {
        let parsed = parse(file.source, file.text, (release.definitions)());
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

/// The functions that can't be called as they are.
pub struct Wanted<'a>(Table<'a>);

impl<'a> Wanted<'a> {
    /// What the rules say.
    pub fn new(rules: &[&'a CallRule]) -> Wanted<'a> {
        let wanted: Vec<&CallRule> = rules.iter().copied().filter(|r| !is_allowed(r)).collect();
        Wanted(Table::new(&wanted))
    }

    /// Those of them that are among the tokens of a text.
    pub fn names(&self, bytes: &[u8], tokens: &[Token]) -> BTreeSet<String> {
        let found = tokens.iter().filter(|token| self.0.rule_at(bytes, token).is_some());
        found.map(|token| String::from_utf8_lossy(&token.text(bytes)).into_owned()).collect()
    }

    /// What a rule puts in the place of one.
    pub fn instead_of(&self, name: &str) -> Option<&'a str> {
        self.0.rule(name.as_bytes())?.to.as_deref()
    }

    /// Whether one of them is among the tokens of a text.
    pub fn stand_in(&self, bytes: &[u8], tokens: &[Token]) -> bool {
        tokens.iter().any(|token| self.0.rule_at(bytes, token).is_some())
    }
}

/// The rules by function.
struct Table<'a> {
    rules: HashMap<&'a [u8], &'a CallRule, Quick>,
    /// Which first bytes the names have: most words of a file are ruled out by theirs.
    first: [bool; 256],
}

impl<'a> Table<'a> {
    fn new(rules: &[&'a CallRule]) -> Table<'a> {
        let mut table = Table { rules: HashMap::default(), first: [false; 256] };
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

    fn rule_at(&self, bytes: &[u8], token: &Token) -> Option<&'a CallRule> {
        let may = token.kind == TokenKind::Identifier
            && self.first[usize::from(bytes[token.span.start as usize])];
        may.then(|| self.rule(&token.text(bytes))).flatten()
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
            let rule = table.rule_at(bytes, token)?;
            (!is_member(file, at)).then_some((at, rule))
        });
        let named: Vec<(usize, &CallRule)> = named.collect();
        let mut used = Used::default();
        for (at, rule) in named {
            let directive = directive_at(file.directives(), file.tokens[at].span);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::edit::{RuleRef, Traced};
    use crate::preprocess::lexer::Scanned;
    use crate::rewrite::tokenise;
    use crate::rules::{Expect, Rule};
    use crate::text::{Source, TreePath};

    fn rule(id: &str, functions: &[&str], to: Option<&str>, instead: Option<&str>) -> CallRule {
        CallRule {
            rule: Rule {
                name: RuleRef::new("calls", id),
                why: "to try".into(),
                source: Source::new("rule", &b"rule"[..]),
                span: Span::at(0),
                since: None,
                until: None,
                profiles: Vec::new(),
                expect: Expect { least: 0, most: None, since: None, until: None },
            },
            functions: functions.iter().map(|name| (*name).into()).collect(),
            to: to.map(str::to_owned),
            report: instead.is_some(),
            instead: instead.map(str::to_owned),
        }
    }

    /// The text with its calls settled, the findings, and how often the definitions were asked for.
    fn settled(text: &str) -> (String, Vec<String>, usize) {
        let rules = [
            rule("copy", &["memcpy"], Some("my_copy"), None),
            rule("clear", &["memset"], Some("my_clear"), None),
            rule("print", &["printf", "puts"], None, Some("the log")),
            rule("check", &["assert"], None, None),
        ];
        let path = TreePath::new("lib/a.c").unwrap();
        let source = Source::new("lib/a.c", text.as_bytes());
        let traced = Traced::new(Arc::clone(&source.bytes));
        let tokens = tokenise(&traced);
        let (path, source, text, tokens) = (&path, &source, &traced, &tokens);
        let file = File { path, source, text, tokens, scan: &Scanned::default() };
        let definitions = Definitions::derive([(path, text.bytes().as_ref())], []);
        let asked = std::cell::Cell::new(0);
        let derived = || {
            asked.set(asked.get() + 1);
            &definitions
        };
        let offers = |name: &str| name == "my_copy";
        let release = Release { definitions: &derived, owners: &derived, offers: &offers };
        let mut out = Proposal::default();
        propose(&file, &release, &rules.iter().collect::<Vec<_>>(), &mut out);
        let mut found: Vec<String> = out
            .findings
            .iter()
            .map(|f| {
                let at = f.labels[0].position();
                format!("{}:{} {} ({})", at.line, at.column, f.message, f.hint.as_ref().unwrap())
            })
            .collect();
        found.extend(out.matched.iter().map(|(rule, count)| format!("{rule} {count}")));
        let text = traced.apply(out.edits).unwrap();
        (String::from_utf8(text.bytes().to_vec()).unwrap(), found, asked.get())
    }

    #[test]
    fn calls_get_the_kernel_s_name() {
        let (text, found, _) = settled(
            "#define COPY(d, s) memcpy(d, s, 1)\nvoid f(S* s) { memcpy (s, s, 1); s->memcpy(s); }\n",
        );
        assert_eq!(
            text,
            "#define COPY(d, s) my_copy(d, s, 1)\nvoid f(S* s) { my_copy (s, s, 1); s->memcpy(s); }\n"
        );
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn calls_without_a_name_are_reported() {
        let (_, found, _) = settled("void f(void) {\n memset(a, 0, 1);\n puts(\"x\");\n}\n");
        assert_eq!(
            found,
            [
                "2:2 `memset` of the C library is called (the release has no `my_clear` to put in \
                 its place: define it there)",
                "3:2 `puts` of the C library is called (use the log)",
                "calls/clear 1",
                "calls/print 1"
            ]
        );
    }

    #[test]
    fn a_macro_that_stands_for_a_function_alone_calls_it() {
        let (text, found, _) = settled(
            "#define release puts\n#define COPY (memcpy)\n#define NAME puts + 1\n#define F(puts) puts\n",
        );
        assert!(text.contains("#define COPY (my_copy)"), "{text}");
        assert_eq!(
            found,
            ["1:17 `puts` of the C library is called (use the log)", "calls/print 1"]
        );
    }

    #[test]
    fn calls_that_may_stand_are_counted_and_nothing_is_parsed_for_them() {
        let text =
            "void f(int a) { assert(a); /* memcpy(a) */ s.puts(a); } @\n#define A(x) assert(x)\n";
        let (same, found, asked) = settled(text);
        assert_eq!((&*same, asked), (text, 0));
        assert_eq!(found, ["calls/check 2"]);
    }

    #[test]
    fn what_the_library_defines_is_its_own() {
        let text = "static void puts(char* s) { }\n#define printf(x) puts(x)\nvoid f(void) { printf(1); puts(2); }\n";
        assert_eq!(settled(text).1, Vec::<String>::new());
    }

    #[test]
    fn text_that_is_no_c_is_reported() {
        let (text, found, _) = settled("void f(void) { memcpy(a, b, 1) }\n");
        assert!(text.contains("my_copy"));
        assert!(found[0].contains("`;` is missing"), "{found:?}");
    }
}
