//! Functions of the C library that are called by their plain name. The import maps or reports them
//! where the profile has a rule for it; upstream's text is wrong all the same.

use super::LIBC;
use super::known::Known;
use super::lists::Lists;
use super::point::Point;
use crate::finding::{Finding, Findings, Fix, Severity};
use crate::preprocess::lexer::{Keyword, TokenKind, tokens};
use crate::syntax::{Lexed, Parsed, calls_in_definition};
use crate::text::Span;

/// A call that upstream makes by the plain name.
#[derive(Clone, Debug)]
pub(super) struct PlainCall {
    function: String,
    /// Its place in the kernel form.
    span: Span,
    /// Whether the import has put another name there.
    mapped: bool,
}

pub(super) fn find(
    lists: &Lists<'_>,
    lexed: &Lexed<'_>,
    parsed: &Parsed,
    point: &Point<'_>,
) -> Vec<PlainCall> {
    let bytes = lexed.bytes;
    let wanted = |name: &[u8]| lists.calls.contains_key(name);
    let mut found: Vec<PlainCall> = Vec::new();
    let plain = |call: crate::syntax::Call| PlainCall {
        function: call.text,
        span: call.name,
        mapped: false,
    };
    if lexed.code.iter().any(|token| token.is_identifier() && wanted(token.raw(bytes))) {
        found.extend(parsed.calls(&wanted).into_iter().map(plain));
    }
    for directive in lexed.directives.iter().filter(|d| d.keyword == Keyword::Define) {
        let calls = calls_in_definition(bytes, directive, &wanted, &|_| false);
        found.extend(calls.into_iter().map(plain));
    }
    if point.file.template.is_some() {
        return found;
    }
    let mapping = |rule: &crate::edit::RuleRef| rule.kind() == "calls";
    if point.file.text.fired().keys().any(mapping) {
        found.extend(mapped(lists, lexed, point));
    }
    found
}

/// Calls that stand in the kernel form by another name than upstream's.
fn mapped(lists: &Lists<'_>, lexed: &Lexed<'_>, point: &Point<'_>) -> Vec<PlainCall> {
    let mut found = Vec::new();
    for token in tokens(lexed.bytes) {
        if token.kind != TokenKind::Identifier {
            continue;
        }
        let word = token.text(lexed.bytes);
        if !lists.mapped.contains(&*word) {
            continue;
        }
        let upstream = point.file.text.upstream_cover(token.span);
        let was = point.file.source.bytes.get(upstream.range()).unwrap_or_default();
        let to = lists.calls.get(was).and_then(|rule| rule.to.as_ref());
        if to.is_some_and(|to| to.as_bytes() == &*word) {
            let function = String::from_utf8_lossy(was).into_owned();
            found.push(PlainCall { function, span: token.span, mapped: true });
        }
    }
    found
}

pub(super) fn judge(
    lists: &Lists<'_>,
    known: &Known<'_>,
    point: &Point<'_>,
    calls: &[PlainCall],
    findings: &mut Findings,
) {
    for call in calls {
        let name = &call.function;
        let Some(rule) = lists.calls.get(name.as_bytes()) else { continue };
        if !call.mapped && (known.defines(name) || lists.functions.rule(name).is_some()) {
            continue;
        }
        let message = format!("`{name}` of the C library is called by its plain name");
        let mut finding = Finding::error(LIBC, message);
        if call.mapped {
            finding.severity = Severity::Warning;
        }
        let label = if call.mapped { "mapped by the import" } else { "left as it is" };
        let finding = point.at(finding, call.span, label).label(rule.rule.label("named here"));
        let Some(to) = &rule.to else {
            let instead = rule.instead.as_deref().unwrap_or("what the kernel has");
            findings.push(finding.hint(format!("use {instead}")));
            continue;
        };
        let finding = finding.hint(format!("call `{to}`, so that it doesn't hang on a mapping"));
        let upstream = point.file.text.upstream_cover(call.span);
        let there = point.file.source.bytes.get(upstream.range());
        let literal = there == Some(name.as_bytes()) && point.file.template.is_none();
        findings.push(if literal && known.offers(to) {
            let what = format!("call `{to}` instead");
            finding.fix(Fix::replace(&point.file.source, upstream, to.as_str(), what))
        } else {
            finding
        });
    }
}
