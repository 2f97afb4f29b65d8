//! Functions of the C library that the kernel form still calls by their plain name: those for which the
//! profile has no rule, while another has.

use super::LIBC;
use super::known::Known;
use super::lists::Lists;
use super::point::Point;
use crate::finding::{Finding, Findings};
use crate::preprocess::lexer::Keyword;
use crate::syntax::{Lexed, Parsed, calls_in_definition};
use crate::text::Span;

/// A call by the plain name.
#[derive(Clone, Debug)]
pub(super) struct PlainCall {
    function: String,
    /// Its place in the kernel form.
    span: Span,
}

pub(super) fn find(lists: &Lists<'_>, lexed: &Lexed<'_>, parsed: &Parsed) -> Vec<PlainCall> {
    let bytes = lexed.bytes;
    let wanted = |name: &[u8]| lists.calls.contains_key(name);
    let mut found: Vec<PlainCall> = Vec::new();
    let plain = |call: crate::syntax::Call| PlainCall { function: call.text, span: call.name };
    if lexed.code.iter().any(|token| token.is_identifier() && wanted(token.raw(bytes))) {
        found.extend(parsed.calls(&wanted).into_iter().map(plain));
    }
    for directive in lexed.directives.iter().filter(|d| d.keyword == Keyword::Define) {
        let calls = calls_in_definition(bytes, directive, &wanted, &|_| false);
        found.extend(calls.into_iter().map(plain));
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
        if known.defines(name) {
            continue;
        }
        let message = format!("`{name}` of the C library is called by its plain name");
        let finding = point.at(Finding::error(LIBC, message), call.span, "left as it is");
        let finding = finding.label(rule.rule.label("named here"));
        let Some(to) = &rule.to else {
            let instead = rule.instead.as_deref().unwrap_or("what the kernel has");
            findings.push(finding.hint(format!("use {instead}")));
            continue;
        };
        let finding = finding.hint(format!("call `{to}`"));
        findings.push(if known.offers(to) {
            point.replace(finding, call.span, to, format!("call `{to}` instead"))
        } else {
            finding
        });
    }
}
