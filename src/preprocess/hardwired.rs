//! Definitions of hard-wired macros in the text itself, and uses that lose theirs.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::condition;
use super::fold::Folded;
use super::lexer::{Directive, Keyword, TokenKind, directive_tokens, splices_a_word, tokens};
use super::settings::{EntryId, Known, Settings};
use super::value::Value;
use crate::edit::Traced;
use crate::finding::{Finding, Findings};
use crate::text::{Source, Span};

/// A `#define` of a hard-wired macro.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The macro.
    pub entry: EntryId,
    /// Its name in the directive.
    pub name: Span,
}

/// The hard-wired macro that a `#define` or `#undef` names.
pub fn definition(
    source: &Source,
    directive: &Directive,
    settings: &Settings,
) -> Option<Definition> {
    let bytes = &source.bytes;
    let token = directive_tokens(bytes, directive.body).find(|token| !token.is_trivia())?;
    let entry =
        settings.find(&token.text(bytes)).filter(|_| token.kind == TokenKind::Identifier)?;
    let hardwired = settings.entry(entry).settled().is_some_and(|known| known != Known::Free);
    hardwired.then_some(Definition { entry, name: token.span })
}

/// Holds a `#define` or `#undef` that stays against the settings: it may only say the same.
pub fn check(
    source: &Arc<Source>,
    directive: &Directive,
    settings: &Settings,
) -> Option<(EntryId, Option<Finding>)> {
    let Definition { entry, name } = definition(source, directive, settings)?;
    let macro_ = settings.entry(entry);
    let undefines = directive.keyword == Keyword::Undef;
    let body = Span { start: name.end, end: directive.body.end };
    let same = match macro_.settled() {
        Some(Known::Undefined) => undefines,
        Some(Known::Defined(value)) => {
            !undefines && agrees(source, body, macro_.text.as_deref(), value)
        }
        _ => true,
    };
    if same {
        return Some((entry, None));
    }
    let does = if undefines { "undefined" } else { "defined" };
    let message = format!("`{}` is {does} here, against its setting", macro_.name);
    let said = match (macro_.settled(), &macro_.text) {
        (Some(Known::Undefined), _) => "it is set to be undefined".to_owned(),
        (_, Some(text)) => format!("it is set to `{text}`"),
        _ => "it is set to be defined".to_owned(),
    };
    let finding = Finding::error("hardwired-redefined", message).at(source, name, said).hint(
        "conditions before and behind this line need different settings; leave the macro free",
    );
    Some((entry, Some(finding)))
}

/// Whether a replacement list says what the setting says.
fn agrees(source: &Source, body: Span, text: Option<&str>, value: Value) -> bool {
    let bytes = &source.bytes;
    let list: Vec<_> =
        directive_tokens(bytes, body).filter(|t| !t.is_trivia()).map(|t| t.text(bytes)).collect();
    match text {
        Some(text) => {
            let wanted: Vec<_> = tokens(text.as_bytes())
                .filter(|t| !t.is_trivia())
                .map(|t| t.text(text.as_bytes()))
                .collect();
            list == wanted
        }
        None => match value {
            Value::Unknown => true,
            Value::Int { lo, hi, .. } => {
                condition::evaluate_in(&list.join(&b' '), &Settings::default(), 0)
                    .constant()
                    .is_some_and(|n| lo <= n && n <= hi)
            }
        },
    }
}

/// Findings for hard-wired macros whose definition went while `text`, the folded one, still uses
/// them. `lost` are their names.
pub fn lost_definitions(
    source: &Arc<Source>,
    text: &Traced,
    lost: &BTreeSet<&[u8]>,
    dropped: impl Fn(&[u8]) -> Option<(Arc<Source>, Span)>,
) -> Findings {
    let mut findings = Findings::default();
    let bytes = text.bytes();
    // Most files name none of them: a search is faster than the tokens.
    let named = |name: &&[u8]| memchr::memmem::find(bytes, name).is_some();
    if lost.is_empty() || !(lost.iter().any(named) || splices_a_word(bytes)) {
        return findings;
    }
    let (mut about_name, mut in_directive) = (false, false);
    for token in tokens(bytes) {
        let word = token.text(bytes);
        match token.kind {
            TokenKind::Newline => (about_name, in_directive) = (false, false),
            TokenKind::Punct if &*word == b"#" => in_directive = true,
            TokenKind::Punct if &*word == b"(" => {}
            _ if token.is_trivia() => {}
            TokenKind::Identifier => {
                // Naming a macro to ask for or change its definition is no use of its value.
                let naming = [&b"defined"[..], b"ifdef", b"ifndef", b"undef", b"define"];
                if lost.contains(&*word) && !about_name {
                    let name = String::from_utf8_lossy(&word).into_owned();
                    findings.push(lost_finding(source, text, token.span, &name, dropped(&word)));
                }
                about_name = in_directive && naming.contains(&&*word);
            }
            _ => about_name = false,
        }
    }
    findings
}

fn lost_finding(
    source: &Arc<Source>,
    text: &Traced,
    at: Span,
    name: &str,
    dropped: Option<(Arc<Source>, Span)>,
) -> Finding {
    let finding = Finding::error(
        "default-removed",
        format!("`{name}` is still used, but its definition went with a decided branch"),
    )
    .at(source, text.upstream_cover(at), "used here");
    let finding = match dropped {
        Some((file, span)) => finding.at(&file, span, "was defined here"),
        None => finding,
    };
    finding.hint(format!("leave `{name}` free, or have its value put in place of the default"))
}

/// Findings for macros whose value a condition needed and the settings don't know.
pub fn left_over(source: &Arc<Source>, folded: &Folded, settings: &Settings) -> Findings {
    let mut findings = Findings::default();
    for (id, span) in &folded.left {
        let entry = settings.entry(*id);
        if entry.settled() == Some(Known::Defined(Value::Unknown)) && entry.text.is_none() {
            findings.push(
                Finding::warning(
                    "hardwired-left",
                    format!("the value of `{}` is needed here, and not known", entry.name),
                )
                .at(source, *span, "set as defined, without a value")
                .hint(format!("give a value or a range: `{}=1`, `{}=5..`", entry.name, entry.name)),
            );
        }
    }
    findings
}
