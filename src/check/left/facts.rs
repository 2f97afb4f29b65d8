//! What a file holds, by itself: worked out from its text and the lists, whatever stands beside it.

use std::collections::{BTreeMap, BTreeSet};

use super::arrays;
use super::asserts::{Candidates, Variable};
use super::calls::{self, PlainCall};
use super::declared::{Locals, declared};
use super::divisions::{self, Division};
use super::expressions::{Expr, number};
use super::fields::Field;
use super::globals::{self, Global};
use super::guards::Guards;
use super::headers::{self, Included};
use super::identifiers;
use super::lists::Lists;
use super::point::Point;
use super::pragmas;
use super::types::{Ty, Width, is_wide, record_name};
use super::words::{self, Floating, Settled};
use crate::finding::Findings;
use crate::memo::{Held, Memo};
use crate::pipeline::OutputFile;
use crate::preprocess::lexer::{Keyword, Token, TokenKind, directive_tokens};
use crate::syntax::{Definitions, Head, Lexed, Outline, Parsed, parse_again};
use crate::text::{Span, TreePath};

/// What one file holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// What is wrong whatever the other files say.
    pub(super) findings: Findings,
    /// What is no C.
    pub(super) errors: Findings,
    pub(super) headers: Vec<Included>,
    pub(super) hardwired: Vec<Settled>,
    pub(super) floats: Vec<Floating>,
    pub(super) plain_calls: Vec<PlainCall>,
    pub(super) divisions: Vec<Division>,
    pub(super) uses: Vec<divisions::Use>,
    pub(super) fields: Vec<Field>,
    pub(super) globals: Vec<Global>,
    pub(super) variables: Vec<Variable>,
    pub(super) functions: Vec<Function>,
    pub(super) macros: BTreeMap<String, Vec<Macro>>,
    pub(super) types: Types,
}

impl Held for Facts {
    fn weight(&self) -> usize {
        let findings = self.findings.weight() + self.errors.weight();
        let calls: usize = self.functions.iter().map(|f| 96 * f.calls.len() + 128).sum();
        let names = self.types.functions.len() + self.types.variables.len() + self.macros.len();
        let members: usize = self.types.records.values().map(BTreeMap::len).sum();
        let divisions = self.divisions.len() + self.uses.len() + 4 * self.fields.len();
        let lists = divisions + self.globals.len() + self.variables.len();
        findings + calls + 96 * (names + members + lists)
    }
}

/// A function that the file defines.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    /// The name's place.
    pub(super) span: Span,
    /// All of it.
    pub(super) whole: Span,
    pub(super) is_static: bool,
    pub(super) in_header: bool,
    pub(super) calls: Vec<Call>,
}

/// A call by name.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) name: String,
}

/// A macro definition.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// Whether it takes arguments and none of them becomes code.
    pub(super) drops: bool,
    /// The words that it stands for.
    pub(super) words: Vec<String>,
    /// What it is called on in turn.
    pub(super) calls: Vec<Call>,
    /// Its value, where it is a plain number or a shifted one.
    pub(super) value: Option<u64>,
    pub(super) width: Width,
    /// The divisions in its body, and what they may have to do with.
    pub(super) divisions: Vec<Division>,
    pub(super) parameters: Vec<String>,
}

/// What the file says of types.
#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    pub(super) typedefs: BTreeMap<String, Ty>,
    pub(super) records: BTreeMap<String, BTreeMap<String, Ty>>,
    pub(super) functions: BTreeMap<String, Ty>,
    pub(super) variables: BTreeMap<String, Ty>,
    pub(super) constants: BTreeSet<String>,
}

/// Takes a file down to what it holds.
pub(super) fn of(
    lists: &Lists<'_>,
    definitions: &Definitions,
    path: &TreePath,
    file: &OutputFile,
    memo: &Memo,
) -> Facts {
    let bytes: &[u8] = file.text.bytes();
    let point = Point::new(file);
    let lexed = Lexed::scanned(bytes, file.scan.of(bytes).directives.clone());
    let guards = Guards::new(&lexed);
    let mut parsed = parse_again(&file.source, &file.text, &lexed, definitions, (memo, "left"));
    let mut facts = Facts {
        headers: headers::find(&lexed),
        errors: std::mem::take(&mut parsed.errors),
        ..Facts::default()
    };
    (facts.hardwired, facts.floats) =
        words::check(lists, &lexed, &guards, &point, &mut facts.findings);
    pragmas::check(lists, &lexed, &guards, &point, &mut facts.findings);
    identifiers::macros(lists, &lexed, &guards, &point, &mut facts.findings);
    facts.plain_calls = calls::find(lists, &lexed, &parsed);
    facts.macros = macros(&lexed);
    let mut candidates = Candidates::default();
    let debug = |span: Span| guards.tests(span, |name| lists.debug.contains(&name));
    for outline in parsed.outlines() {
        let locals = Locals::new(bytes, outline);
        facts.divisions.extend(divisions::find(bytes, outline, &locals));
        facts.uses.extend(divisions::uses(bytes, outline, &locals, definitions));
        facts.globals.extend(globals::find(&lexed, outline));
        facts.types.read(bytes, outline);
        words::place(bytes, outline, &mut facts.floats);
        candidates.add(lists, &lexed, &guards, outline, &locals);
        let findings = &mut facts.findings;
        let fields = identifiers::check(lists, &lexed, outline, &locals, &point, findings);
        facts.fields.extend(fields);
        arrays::variable(&point, outline, &locals, &mut facts.findings);
        arrays::trailing(lists, &point, outline, &mut facts.findings);
        facts.functions.extend(functions(&lexed, path, outline));
    }
    facts.divisions.retain(|division| !debug(division.span));
    facts.uses.retain(|used| !debug(used.span));
    let macros = facts.macros.values_mut().flatten();
    macros.for_each(|definition| definition.divisions.retain(|d| !debug(d.span)));
    facts.globals.retain(|global| !debug(global.span));
    facts.variables = candidates.finish();
    once(&mut facts);
    add_calls(&mut facts.functions, &parsed);
    facts
}

/// What stands in several views is one.
fn once(facts: &mut Facts) {
    let mut seen = BTreeSet::new();
    facts.divisions.retain(|division| seen.insert(division.span));
    seen.clear();
    facts.uses.retain(|used| seen.insert(used.span));
    seen.clear();
    facts.fields.retain(|field| seen.insert(field.span));
    seen.clear();
    facts.globals.retain(|global| seen.insert(global.span));
    seen.clear();
    facts.functions.retain(|function| seen.insert(function.span));
    facts.functions.sort_by_key(|function| function.whole.start);
}

fn functions(lexed: &Lexed<'_>, path: &TreePath, outline: &Outline) -> Vec<Function> {
    let mut found = Vec::new();
    for at in outline.all("function_definition") {
        for declared in declared(lexed.bytes, outline, at).into_iter().filter(|d| d.is_function) {
            let head = globals::head(lexed, declared.span.start);
            found.push(Function {
                name: declared.name,
                span: declared.span,
                whole: outline.nodes[at].span,
                is_static: head.iter().any(|word| word == "static"),
                in_header: path.extension() == Some("h"),
                calls: Vec::new(),
            });
        }
    }
    found
}

/// Gives each function the calls in it.
fn add_calls(functions: &mut [Function], parsed: &Parsed) {
    for call in parsed.calls(&|_| true) {
        let at = functions.partition_point(|function| function.whole.start <= call.name.start);
        if let Some(function) = at.checked_sub(1).and_then(|at| functions.get_mut(at))
            && call.name.start < function.whole.end
        {
            function.calls.push(Call { name: call.text });
        }
    }
}

/// The macros that a file defines.
fn macros(lexed: &Lexed<'_>) -> BTreeMap<String, Vec<Macro>> {
    let mut macros: BTreeMap<String, Vec<Macro>> = BTreeMap::new();
    for directive in lexed.directives.iter().filter(|d| d.keyword == Keyword::Define) {
        let Some((_, name)) = identifiers::defined_name(lexed, directive) else { continue };
        let Some(head) = Head::read(lexed.bytes, directive.body) else { continue };
        let body = Span { start: head.end, end: directive.body.end };
        macros.entry(name).or_default().push(definition(lexed.bytes, &head, body));
    }
    macros
}

fn definition(bytes: &[u8], head: &Head, body: Span) -> Macro {
    let body: Vec<Token> = directive_tokens(bytes, body).filter(|t| !t.is_trivia()).collect();
    let text = |token: &Token| String::from_utf8_lossy(&token.text(bytes)).into_owned();
    let identifiers = body.iter().filter(|token| token.kind == TokenKind::Identifier);
    let words: Vec<String> = identifiers.map(text).collect();
    let parameters: Vec<String> = head.parameters.iter().flatten().map(text).collect();
    let uses = words.iter().any(|word| word == "__VA_ARGS__" || parameters.contains(word));
    let called = body
        .windows(2)
        .filter(|pair| pair[0].kind == TokenKind::Identifier && &*pair[1].text(bytes) == b"(");
    let calls = called.map(|pair| Call { name: text(&pair[0]) }).collect();
    let spelt: Vec<String> = body.iter().map(text).collect();
    Macro {
        drops: (head.variadic || !parameters.is_empty()) && !uses,
        calls,
        value: value(&spelt),
        width: width(&spelt),
        words,
        divisions: divisions::in_body(bytes, &body),
        parameters,
    }
}

/// `N`, `1 << N`, in any parentheses and casts.
fn value(words: &[String]) -> Option<u64> {
    let plain: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !matches!(*word, "(" | ")")).collect();
    let literal = |word: &str| match number(word) {
        Expr::Number(value, _) => Some(value),
        _ => None,
    };
    match plain.as_slice() {
        [one] | [_, one] => literal(one),
        [one, "<<", by] | [_, one, "<<", by] => {
            literal(one)?.checked_shl(u32::try_from(literal(by)?).ok()?)
        }
        _ => None,
    }
}

/// Whether what a macro stands for says that it has 64 bits.
fn width(words: &[String]) -> Width {
    let wide =
        |word: &String| is_wide(word) || matches!(number(word), Expr::Number(_, Width::Wide));
    if words.iter().any(wide) { Width::Wide } else { Width::Unknown }
}

impl Types {
    fn read(&mut self, bytes: &[u8], outline: &Outline) {
        let mut inside = 0;
        for at in 0..outline.nodes.len() {
            let node = outline.nodes[at];
            match node.kind {
                "type_definition" => {
                    let names = declared(bytes, outline, at).into_iter();
                    self.typedefs.extend(names.map(|name| (name.name, name.ty)));
                }
                "struct_specifier" | "union_specifier" => self.record(bytes, outline, at),
                "enumerator" => {
                    let name = outline.child(at, "name").map(|n| outline.nodes[n].span);
                    self.constants.extend(name.map(|span| super::types::text(bytes, span)));
                }
                "function_definition" | "declaration" => {
                    for declared in declared(bytes, outline, at) {
                        if declared.is_function {
                            self.functions.insert(declared.name, declared.ty);
                        } else if at >= inside {
                            self.variables.insert(declared.name, declared.ty);
                        }
                    }
                    if node.kind == "function_definition" {
                        inside = inside.max(node.end);
                    }
                }
                _ => {}
            }
        }
    }

    fn record(&mut self, bytes: &[u8], outline: &Outline, at: usize) {
        let Some(body) = outline.child(at, "body") else { return };
        let fields = self.records.entry(record_name(bytes, outline, at)).or_default();
        for field in outline.below(body).filter(|&n| outline.nodes[n].kind == "field_declaration") {
            let names = declared(bytes, outline, field).into_iter();
            fields.extend(names.map(|name| (name.name, name.ty)));
        }
    }
}
