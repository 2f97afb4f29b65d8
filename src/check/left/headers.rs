//! Headers that the kernel form has not.

use super::known::Known;
use super::lists::Lists;
use super::point::Point;
use super::{HEADER, INTRINSICS};
use crate::finding::{Finding, Findings};
use crate::preprocess::lexer::{Keyword, TokenKind, directive_tokens};
use crate::syntax::Lexed;
use crate::text::{Span, TreePath};

/// A header that a file includes, as it is spelt.
#[derive(Clone, Debug)]
pub(super) struct Included {
    pub(super) spelling: String,
    pub(super) span: Span,
}

pub(super) fn find(lexed: &Lexed<'_>) -> Vec<Included> {
    let includes = lexed.directives.iter().filter(|d| d.keyword == Keyword::Include);
    let named = includes.filter_map(|directive| {
        let mut tokens = directive_tokens(lexed.bytes, directive.body);
        let token = tokens.find(|token| !token.is_trivia())?;
        let quoted = matches!(token.kind, TokenKind::HeaderName | TokenKind::Str);
        // Behind the keyword the lexer sees `<`, a name and `>`.
        let span = if quoted { token.span } else { bracketed(lexed.bytes, directive.body)? };
        let spelling = String::from_utf8_lossy(&lexed.bytes[span.range()]).into_owned();
        Some(Included { spelling, span })
    });
    named.collect()
}

/// `<...>` in the body of a directive.
fn bracketed(bytes: &[u8], body: Span) -> Option<Span> {
    let text = &bytes[body.range()];
    let start = memchr::memchr(b'<', text)?;
    let len = memchr::memchr(b'>', &text[start..])?;
    let start = body.range().start + start;
    Some(Span::new(start, start + len + 1))
}

pub(super) fn judge(
    lists: &Lists<'_>,
    known: &Known<'_>,
    path: &TreePath,
    point: &Point<'_>,
    headers: &[Included],
    findings: &mut Findings,
) {
    for Included { spelling, span } in headers {
        if lists.headers.rule(spelling).is_some() || known.has_header(path, spelling) {
            continue;
        }
        if let Some(rule) = lists.no_headers.rule(spelling) {
            let message = format!("{spelling} offers what kernel code can't use");
            let finding = point.at(Finding::error(INTRINSICS, message), *span, "included here");
            let instead = rule.instead.as_deref().unwrap_or("guard it so that it is left out");
            findings.push(finding.label(rule.rule.label("named here")).hint(instead));
            continue;
        }
        // What our own templates need of the kernel is not for the library's rules to say.
        if point.file.template.is_some() && spelling.starts_with('<') {
            continue;
        }
        let message = format!("the kernel build has no {spelling}");
        let finding = point.at(Finding::error(HEADER, message), *span, "not in the kernel form");
        let hint = format!("add a rule of kind includes that maps or allows {spelling}");
        findings.push(finding.hint(hint));
    }
}
