//! Pragmas that one of the kernel's compilers doesn't know, which it warns of.

use super::PRAGMA;
use super::guards::Guards;
use super::lists::Lists;
use super::point::Point;
use crate::finding::{Finding, Findings};
use crate::preprocess::lexer::{Keyword, TokenKind, directive_tokens};
use crate::syntax::Lexed;
use crate::text::Span;

pub(super) fn check(
    lists: &Lists<'_>,
    lexed: &Lexed<'_>,
    guards: &Guards,
    point: &Point<'_>,
    findings: &mut Findings,
) {
    for directive in lexed.directives.iter().filter(|d| d.keyword == Keyword::Other) {
        if lexed.bytes.get(directive.name.range()) != Some(b"pragma") {
            continue;
        }
        let tokens = directive_tokens(lexed.bytes, directive.body);
        let words = tokens.filter(|token| token.kind == TokenKind::Identifier).take(2);
        let words: Vec<String> = words
            .map(|token| String::from_utf8_lossy(&token.text(lexed.bytes)).into_owned())
            .collect();
        let [first, ..] = words.as_slice() else { continue };
        let both = words.join(" ");
        let taken = |name: &str| lists.pragmas.rule(name).is_some();
        if taken(first) || taken(&both) {
            continue;
        }
        let rule = lists.no_pragmas.rule(&both).or_else(|| lists.no_pragmas.rule(first));
        let guard = rule.and_then(|rule| rule.instead.as_deref());
        let whole = Span { start: directive.hash, end: directive.body.end };
        let dead = guards.stands_under(whole, |name| lists.dead.contains(name));
        if dead || guard.is_some_and(|guard| guards.tests(whole, |name| name == guard)) {
            continue;
        }
        let message = format!("not every kernel compiler knows `#pragma {both}`");
        let mut finding = point.at(Finding::error(PRAGMA, message), whole, "not guarded");
        if let Some(rule) = rule {
            finding = finding.label(rule.rule.label("named here"));
        }
        findings.push(match guard {
            Some(guard) => {
                let finding = finding.hint(format!("put it into a group that tests `{guard}`"));
                guarded(point, finding, directive.lead, whole, guard)
            }
            None => finding.hint("leave it out, or list it by a rule of kind allowed"),
        });
    }
}

/// Offers the guard; a pragma that comes behind others on the lines before is guarded with them.
fn guarded(point: &Point<'_>, finding: Finding, lead: u32, whole: Span, guard: &str) -> Finding {
    let line = Span { start: lead, end: whole.end };
    if point.literal(line).is_none() {
        return finding;
    }
    let text = format!("#ifdef {guard}\n{}\n#endif", point.text(line));
    point.replace(finding, line, &text, format!("guard it by `{guard}`"))
}
