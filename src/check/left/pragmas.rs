//! Pragmas that one of the kernel's compilers doesn't know, which it warns of.

use super::PRAGMA;
use super::guards::Guards;
use super::lists::Lists;
use super::point::Point;
use crate::finding::{Finding, Findings};
use crate::preprocess::lexer::{Keyword, Token, TokenKind, directive_tokens, tokens};
use crate::syntax::Lexed;
use crate::text::Span;

pub(super) fn check(
    lists: &Lists<'_>,
    lexed: &Lexed<'_>,
    guards: &Guards,
    point: &Point<'_>,
    findings: &mut Findings,
) {
    for pragma in directives(lexed).into_iter().chain(operators(lexed)) {
        let Pragma { words, span, lead } = pragma;
        let Some(first) = words.first() else { continue };
        let both = words.join(" ");
        let taken = |name: &str| lists.pragmas.rule(name).is_some();
        if taken(first) || taken(&both) {
            continue;
        }
        let rule = lists.no_pragmas.rule(&both).or_else(|| lists.no_pragmas.rule(first));
        let guard = rule.and_then(|rule| rule.instead.as_deref()).map(Guard::new);
        let dead = guards.stands_under(span, |name| lists.dead.contains(name));
        if dead || guard.is_some_and(|guard| guards.tests(span, |name| name == guard.name)) {
            continue;
        }
        let message = format!("not every kernel compiler knows the pragma `{both}`");
        let mut finding = point.at(Finding::error(PRAGMA, message), span, "not guarded");
        if let Some(rule) = rule {
            finding = finding.label(rule.rule.label("named here"));
        }
        findings.push(match guard {
            Some(guard) => {
                let finding =
                    finding.hint(format!("put it into a group that tests `{}`", guard.name));
                guarded(point, finding, lead, span, guard)
            }
            None => finding.hint("leave it out, or list it by a rule of kind allowed"),
        });
    }
}

/// The macro that tells who knows a pragma: whoever defines it, or, behind a `!`, doesn't.
#[derive(Clone, Copy)]
struct Guard<'a> {
    name: &'a str,
    directive: &'static str,
}

impl<'a> Guard<'a> {
    fn new(text: &'a str) -> Guard<'a> {
        match text.strip_prefix('!') {
            Some(name) => Guard { name, directive: "#ifndef" },
            None => Guard { name: text, directive: "#ifdef" },
        }
    }
}

/// A pragma in the text.
struct Pragma {
    /// Its first words.
    words: Vec<String>,
    span: Span,
    /// Where its line starts; none for one amid code.
    lead: Option<u32>,
}

fn directives(lexed: &Lexed<'_>) -> Vec<Pragma> {
    let others = lexed.directives.iter().filter(|d| d.keyword == Keyword::Other);
    let pragmas = others.filter(|d| lexed.bytes.get(d.name.range()) == Some(b"pragma"));
    let pragma = pragmas.map(|directive| Pragma {
        words: words(lexed.bytes, directive_tokens(lexed.bytes, directive.body)),
        span: Span { start: directive.hash, end: directive.body.end },
        lead: Some(directive.lead),
    });
    pragma.collect()
}

/// Pragmas by the operator that takes their text as a string, in code and macro bodies.
fn operators(lexed: &Lexed<'_>) -> Vec<Pragma> {
    let mut found = Vec::new();
    let code = lexed.code.iter().map(|token| Token { kind: token.kind, span: token.span });
    let runs = std::iter::once(code.collect::<Vec<_>>());
    let defines = lexed.directives.iter().filter(|d| d.keyword == Keyword::Define);
    let bodies = defines.map(|d| {
        directive_tokens(lexed.bytes, d.body).filter(|token| !token.is_trivia()).collect()
    });
    for run in runs.chain(bodies) {
        for three in run.windows(3) {
            let [operator, _, text] = three else { continue };
            if text.kind != TokenKind::Str || &*operator.text(lexed.bytes) != b"_Pragma" {
                continue;
            }
            let inside = text.text(lexed.bytes);
            let inside = inside.strip_prefix(b"\"").unwrap_or(&inside);
            let span = operator.span.cover(text.span);
            found.push(Pragma { words: words(inside, tokens(inside)), span, lead: None });
        }
    }
    found
}

fn words(bytes: &[u8], tokens: impl Iterator<Item = Token>) -> Vec<String> {
    let words = tokens.filter(|token| token.kind == TokenKind::Identifier).take(2);
    words.map(|token| String::from_utf8_lossy(&token.text(bytes)).into_owned()).collect()
}

/// Offers the guard for one on a line of its own.
fn guarded(
    point: &Point<'_>,
    finding: Finding,
    lead: Option<u32>,
    whole: Span,
    guard: Guard<'_>,
) -> Finding {
    let Some(lead) = lead else { return finding };
    let line = Span { start: lead, end: whole.end };
    if point.literal(line).is_none() {
        return finding;
    }
    let Guard { name, directive } = guard;
    let text = format!("{directive} {name}\n{}\n#endif", point.text(line));
    point.replace(finding, line, &text, format!("guard it by `{directive} {name}`"))
}
