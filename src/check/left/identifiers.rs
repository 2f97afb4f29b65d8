//! Names that are macros in the kernel: what they stand for takes their place.

use super::KERNEL_MACRO;
use super::declared::{Declared, Locals, declared};
use super::fields::Field;
use super::guards::Guards;
use super::lists::Lists;
use super::point::Point;
use super::types::text;
use crate::finding::{Finding, Findings, Fix};
use crate::preprocess::lexer::{Directive, Keyword, TokenKind, directive_tokens, tokens};
use crate::rules::ListRule;
use crate::syntax::{Lexed, Outline};
use crate::text::Span;

/// Looks at the names that a view of a file declares. What becomes of fields hangs on other files.
pub(super) fn check(
    lists: &Lists<'_>,
    lexed: &Lexed<'_>,
    outline: &Outline,
    locals: &Locals,
    point: &Point<'_>,
    findings: &mut Findings,
) -> Vec<Field> {
    let mut fields = Vec::new();
    for at in 0..outline.nodes.len() {
        let node = outline.nodes[at];
        let what = match node.kind {
            "declaration" => "variable",
            "parameter_declaration" => "parameter",
            "field_declaration" => "field",
            "function_definition" => "function",
            "type_definition" => "type",
            "labeled_statement" => {
                name(lists, lexed, outline, (at, "label", "label"), point, findings);
                continue;
            }
            "enumerator" => {
                name(lists, lexed, outline, (at, "name", "constant"), point, findings);
                continue;
            }
            _ => continue,
        };
        for declared in declared(lexed.bytes, outline, at) {
            let Some(rule) = collides(lists, lexed, &declared.name, declared.is_function) else {
                continue;
            };
            let what = if declared.is_function { "function" } else { what };
            let finding = finding(rule, &declared.name, what);
            let finding = point.at(finding, declared.span, "declared here");
            let finding = finding.label(rule.rule.label("named here"));
            if node.kind == "field_declaration" {
                let Declared { name, span, .. } = declared;
                fields.push(Field { new: renamed(rule, &name), name, span, finding });
                continue;
            }
            let is_local = locals.list.iter().any(|l| l.declared.at == declared.at);
            let function = is_local
                .then(|| {
                    outline
                        .above(declared.at)
                        .filter(|&n| outline.nodes[n].kind == "function_definition")
                        .last()
                })
                .flatten();
            findings.push(match function {
                Some(function) => {
                    rename(rule, point, finding, outline.nodes[function].span, &declared.name)
                }
                None => finding,
            });
        }
    }
    fields
}

/// The name that a rule wants in the place of another.
fn renamed(rule: &ListRule, name: &str) -> String {
    rule.instead.as_deref().unwrap_or("*_").replace('*', name)
}

/// A name in a field of a node.
fn name(
    lists: &Lists<'_>,
    lexed: &Lexed<'_>,
    outline: &Outline,
    (at, field, what): (usize, &str, &str),
    point: &Point<'_>,
    findings: &mut Findings,
) {
    let Some(found) = outline.child(at, field) else { return };
    let span = outline.nodes[found].span;
    let name = text(lexed.bytes, span);
    if let Some(rule) = collides(lists, lexed, &name, false) {
        let finding = point.at(finding(rule, &name, what), span, "declared here");
        findings.push(finding.label(rule.rule.label("named here")));
    }
}

/// The rule with a macro of that name. One that takes arguments is used only where a parenthesis
/// stands behind its name.
fn collides<'a>(
    lists: &Lists<'a>,
    lexed: &Lexed<'_>,
    name: &str,
    is_function: bool,
) -> Option<&'a ListRule> {
    let plain = lists.no_identifiers.rule(name);
    plain.or_else(|| {
        let rule = lists.no_macros.rule(name)?;
        let called = |at: usize| {
            lexed.is_word(&lexed.code[at], name.as_bytes())
                && lexed.code.get(at + 1).is_some_and(|next| next.punct == b'(')
        };
        (is_function || (0..lexed.code.len()).any(called)).then_some(rule)
    })
}

fn finding(rule: &ListRule, name: &str, what: &str) -> Finding {
    let message = format!("the {what} `{name}` has the name of a macro of the kernel's");
    let hint = match &rule.instead {
        Some(instead) => format!("call it `{}`", instead.replace('*', name)),
        None => "give it another name".to_owned(),
    };
    // It breaks only where the header with the macro comes in, and may stand for years before it does.
    Finding::warning(KERNEL_MACRO, message).hint(hint)
}

/// Offers another name for a variable in all of its function, as upstream has it.
fn rename(
    rule: &ListRule,
    point: &Point<'_>,
    finding: Finding,
    function: Span,
    name: &str,
) -> Finding {
    if point.file.template.is_some() {
        return finding;
    }
    let new = renamed(rule, name);
    let whole = point.file.text.upstream_cover(function);
    let source = &point.file.source;
    let (mut edits, mut taken, mut member) = (Vec::new(), false, false);
    for token in tokens(&source.bytes).filter(|token| !token.is_trivia()) {
        let inside = whole.start <= token.span.start && token.span.end <= whole.end;
        let word = token.text(&source.bytes);
        if inside && token.kind == TokenKind::Identifier {
            taken |= &*word == new.as_bytes();
            if &*word == name.as_bytes() && !member {
                edits.push((token.span, new.clone()));
            }
        }
        member = matches!(&*word, b"." | b"->");
    }
    if taken || edits.is_empty() {
        return finding;
    }
    let what = format!("call it `{new}` throughout the function");
    finding.fix(Fix { source: std::sync::Arc::clone(source), edits, what })
}

/// Macros of a file's own that have the name of one of the kernel's: fine where the file asks first,
/// or takes the kernel's away.
pub(super) fn macros(
    lists: &Lists<'_>,
    lexed: &Lexed<'_>,
    guards: &Guards,
    point: &Point<'_>,
    findings: &mut Findings,
) {
    let mut undefined: Vec<Vec<u8>> = Vec::new();
    for directive in &lexed.directives {
        let Some((span, name)) = defined_name(lexed, directive) else { continue };
        match directive.keyword {
            Keyword::Undef => undefined.push(name.into_bytes()),
            Keyword::Define => {
                let rule = lists.no_identifiers.rule(&name).or_else(|| lists.no_macros.rule(&name));
                let Some(rule) = rule else { continue };
                let asks = guards.tests(span, |tested| tested == name);
                if asks || undefined.iter().any(|u| *u == name.as_bytes()) {
                    continue;
                }
                let finding = point.at(finding(rule, &name, "macro"), span, "defined here");
                findings.push(finding.label(rule.rule.label("named here")));
            }
            _ => {}
        }
    }
}

/// The macro that a directive defines or takes away.
pub(super) fn defined_name(lexed: &Lexed<'_>, directive: &Directive) -> Option<(Span, String)> {
    let mut tokens = directive_tokens(lexed.bytes, directive.body);
    let token = tokens.find(|token| !token.is_trivia())?;
    let name = token.text(lexed.bytes);
    (token.kind == TokenKind::Identifier)
        .then(|| (token.span, String::from_utf8_lossy(&name).into_owned()))
}
