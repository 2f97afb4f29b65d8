//! Global functions and data whose name could be anybody's: there is one space of names for the whole
//! kernel.

use super::GLOBAL;
use super::declared::declared;
use super::known::Known;
use super::lists::Lists;
use super::point::Point;
use crate::finding::{Finding, Findings};
use crate::syntax::{Lexed, Outline};
use crate::text::Span;

/// Something that a file defines outside functions.
#[derive(Clone, Debug)]
pub(super) struct Global {
    pub(super) name: String,
    pub(super) span: Span,
    /// The words in front of the name.
    pub(super) head: Vec<String>,
}

/// The functions and variables that a file defines.
pub(super) fn find(lexed: &Lexed<'_>, outline: &Outline) -> Vec<Global> {
    let mut found = Vec::new();
    let mut next = 0;
    while next < outline.nodes.len() {
        let node = outline.nodes[next];
        let names = match node.kind {
            "function_definition" => declared(lexed.bytes, outline, next),
            "declaration" => {
                let mut names = declared(lexed.bytes, outline, next);
                names.retain(|name| !name.is_function);
                names
            }
            _ => Vec::new(),
        };
        // All names of a declaration share what stands in front of the first.
        let head = names.first().map(|name| head(lexed, name.span.start)).unwrap_or_default();
        for name in names {
            let head = head.clone();
            found.push(Global { name: name.name, span: name.span, head });
        }
        let whole = matches!(node.kind, "function_definition" | "declaration" | "type_definition");
        next = if whole { node.end } else { next + 1 };
    }
    found
}

/// The words of a declaration in front of its name, those included that the parser isn't shown.
pub(super) fn head(lexed: &Lexed<'_>, name: u32) -> Vec<String> {
    let behind = lexed.code.partition_point(|token| token.span.start < name);
    let words = lexed.code[..behind].iter().rev();
    let words = words.take_while(|token| !matches!(token.punct, b';' | b'}' | b'{'));
    let words = words.filter(|token| token.is_identifier());
    words.map(|token| String::from_utf8_lossy(&lexed.text(token)).into_owned()).collect()
}

pub(super) fn judge(
    lists: &Lists<'_>,
    known: &Known<'_>,
    point: &Point<'_>,
    globals: &[Global],
    findings: &mut Findings,
) {
    for Global { name, span, head } in globals {
        let hidden = |word: &String| {
            matches!(word.as_str(), "static" | "extern" | "typedef" | "inline") || known.hides(word)
        };
        let listed = lists.prefixes.rule(name).is_some() || lists.globals.rule(name).is_some();
        if listed || head.iter().any(hidden) {
            continue;
        }
        let message = format!("`{name}` is global and has no prefix of the library's");
        let finding = point.at(Finding::error(GLOBAL, message), *span, "defined here");
        let finding = finding.hint(
            "make it static, give it the library's prefix, or list it by a rule of kind allowed",
        );
        findings.push(finding);
    }
}
