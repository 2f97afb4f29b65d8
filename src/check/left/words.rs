//! Single words that kernel code can't have, in code and in macro bodies.

use super::asserts::handed_to;
use super::guards::Guards;
use super::known::Known;
use super::lists::Lists;
use super::point::Point;
use super::{BUILTIN, FLOATING, HARDWIRED, INTRINSICS, NAME};
use crate::finding::{Finding, Findings};
use crate::preprocess::lexer::{Directive, Keyword, Token, TokenKind, directive_tokens};
use crate::rules::MacroState;
use crate::syntax::{Lexed, Outline};
use crate::text::Span;

/// What the compiler's own functions begin with.
const BUILTINS: &[u8] = b"__builtin_";

/// A settled macro that is named.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    name: String,
    span: Span,
    /// Whether a condition asks for it.
    asked: bool,
    undefined: bool,
}

/// A floating type or constant.
#[derive(Clone, Debug)]
pub(super) struct Floating {
    span: Span,
    /// Functions or macros that it is handed to.
    inside: Vec<String>,
}

/// Looks at each word once.
pub(super) fn check(
    lists: &Lists<'_>,
    lexed: &Lexed<'_>,
    guards: &Guards,
    point: &Point<'_>,
    findings: &mut Findings,
) -> (Vec<Settled>, Vec<Floating>) {
    let (settled, floats) = (Vec::new(), Vec::new());
    let mut words = Words { lists, lexed, guards, point, findings, settled, floats };
    for token in &lexed.code {
        words.word(token.kind, token.span);
    }
    for directive in &lexed.directives {
        words.directive(directive);
    }
    (words.settled, words.floats)
}

/// Finds what floating values are handed to.
pub(super) fn place(bytes: &[u8], outline: &Outline, floats: &mut [Floating]) {
    if floats.is_empty() {
        return;
    }
    for at in 0..outline.nodes.len() {
        let node = outline.nodes[at];
        if !matches!(node.kind, "primitive_type" | "number_literal") {
            continue;
        }
        let same = |float: &&mut Floating| float.span.start == node.span.start;
        if let Some(float) = floats.iter_mut().find(same) {
            float.inside = handed_to(bytes, outline, at);
        }
    }
}

struct Words<'a, 'f> {
    lists: &'a Lists<'a>,
    lexed: &'a Lexed<'a>,
    guards: &'a Guards,
    point: &'a Point<'a>,
    findings: &'f mut Findings,
    settled: Vec<Settled>,
    floats: Vec<Floating>,
}

impl Words<'_, '_> {
    fn directive(&mut self, directive: &Directive) {
        let tokens = directive_tokens(self.lexed.bytes, directive.body);
        let mut tokens = tokens.filter(|token| !token.is_trivia());
        if directive.keyword.is_condition() {
            for token in tokens.filter(|token| token.kind == TokenKind::Identifier) {
                let name = token.text(self.lexed.bytes);
                self.hardwired(&name, token.span, true);
            }
        } else if directive.keyword == Keyword::Define {
            let _ = tokens.next();
            for token in tokens {
                self.word(token.kind, token.span);
            }
        }
    }

    fn word(&mut self, kind: TokenKind, span: Span) {
        let bytes = self.lexed.bytes;
        let word = Token { kind, span }.text(bytes);
        match kind {
            TokenKind::Number if is_floating(&word) => self.floating(span),
            TokenKind::Identifier => match &*word {
                b"float" | b"double" => self.floating(span),
                word => self.name(word, span),
            },
            _ => {}
        }
    }

    fn name(&mut self, word: &[u8], span: Span) {
        self.hardwired(word, span, false);
        if word.starts_with(BUILTINS) && self.lists.builtins.bytes(word).is_none() {
            let name = String::from_utf8_lossy(word);
            let message = format!("`{name}` is not known to be offered by every kernel compiler");
            let finding = self.point.at(Finding::error(BUILTIN, message), span, "used here");
            self.findings.push(
                finding.hint(
                    "use what the kernel's headers have, or list it by a rule of kind allowed",
                ),
            );
        }
        if let Some(rule) = self.lists.no_types.bytes(word)
            && !self.guards.stands_under(span, |name| self.lists.dead.contains(name))
        {
            let message = format!("`{}` belongs to a vector unit", String::from_utf8_lossy(word));
            let finding = self.point.at(Finding::error(INTRINSICS, message), span, "used here");
            let instead = rule.instead.as_deref().unwrap_or("leave it out by its condition");
            self.findings.push(finding.label(rule.rule.label("named here")).hint(instead));
        }
        self.forbidden(word, span);
    }

    /// Names in a space of which only some have a counterpart in the kernel.
    fn forbidden(&mut self, word: &[u8], span: Span) {
        for rule in self.lists.names {
            let mut prefixes = rule.forbid_prefixes.iter();
            let Some(prefix) = prefixes.find(|p| word.starts_with(p.as_bytes())) else { continue };
            let allowed = |name: &String| name.as_bytes() == word;
            if self.lists.names.iter().any(|rule| rule.allow.iter().any(allowed)) {
                continue;
            }
            let name = String::from_utf8_lossy(word);
            let message = format!("`{name}` has no counterpart in the kernel");
            let finding = self.point.at(Finding::error(NAME, message), span, "left as it is");
            let label = rule.rule.label(format!("names in `{prefix}` are mapped here"));
            self.findings.push(finding.label(label).hint("map it to what the kernel offers"));
            return;
        }
    }

    fn hardwired(&mut self, word: &[u8], span: Span, asked: bool) {
        let Some(rule) = self.lists.settled.get(word) else { return };
        let name = String::from_utf8_lossy(word).into_owned();
        let undefined = rule.state == MacroState::Undefined;
        self.settled.push(Settled { name, span, asked, undefined });
    }

    fn floating(&mut self, span: Span) {
        let debug = |name: &str| self.lists.debug.contains(&name);
        if self.guards.tests(span, debug) {
            return;
        }
        self.floats.push(Floating { span, inside: Vec::new() });
    }
}

/// Whether a preprocessing number is a floating constant.
fn is_floating(number: &[u8]) -> bool {
    let hex = number.len() > 1 && number[0] == b'0' && matches!(number[1], b'x' | b'X');
    number.iter().any(|&byte| match byte {
        b'.' => true,
        b'e' | b'E' => !hex,
        b'p' | b'P' => hex,
        _ => false,
    })
}

/// What is handed to a macro that may drop it is compiled out in kernels.
pub(super) fn judge_floats(
    known: &Known<'_>,
    point: &Point<'_>,
    floats: &[Floating],
    findings: &mut Findings,
) {
    for Floating { span, inside } in floats {
        if inside.iter().any(|name| known.drops(name)) {
            continue;
        }
        let message = "floating point can't be used in kernel code";
        let finding = point.at(Finding::error(FLOATING, message), *span, "used here");
        findings.push(finding.hint("use integers, or leave it out by its condition"));
    }
}

/// Settled macros are gone where rules fold all conditions, unless their definition stays.
pub(super) fn judge(
    known: &Known<'_>,
    point: &Point<'_>,
    settled: &[Settled],
    findings: &mut Findings,
) {
    for Settled { name, span, asked, undefined } in settled {
        let stays = known.defines(name);
        if stays && !undefined || *asked && !known.full {
            continue;
        }
        let message = if *asked {
            format!("a condition on `{name}` is left, which the rules settle")
        } else {
            format!("`{name}` is left in code, and nothing defines it")
        };
        let finding = point.at(Finding::error(HARDWIRED, message), *span, "named here");
        let finding = match known.settles(name) {
            Some(rule) => finding.label(rule.rule.label("settled here")),
            None => finding,
        };
        findings.push(finding.hint("settle what it depends on, or leave the macro free"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floating_constants_are_told_from_others() {
        for yes in ["1.0", ".5", "1e3", "1.f", "0x1p3"] {
            assert!(is_floating(yes.as_bytes()), "{yes}");
        }
        for no in ["1", "0x1e3", "10ULL", "0xE"] {
            assert!(!is_floating(no.as_bytes()), "{no}");
        }
    }
}
