//! Variables that nothing but assertions reads: with these compiled out, compilers warn of them.

use std::collections::{BTreeMap, HashMap};

use super::ONLY_IN_ASSERT;
use super::declared::{Local, Locals};
use super::guards::Guards;
use super::known::Known;
use super::lists::Lists;
use super::point::Point;
use super::types::text;
use crate::finding::{Finding, Findings};
use crate::syntax::{Lexed, Outline};
use crate::text::Span;

/// Most candidates of one file, and most words that are looked at in front of one: more aren't meant.
const MOST: usize = 500;
/// Most calls around a value that are looked at.
const MAX_CALLS: usize = 16;

/// A variable that is read only where it is handed to something that could be a macro.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    name: String,
    span: Span,
    /// For each place where it is read what it is handed to there.
    reads: Vec<Vec<String>>,
    first_read: Span,
    /// The `;` behind which it could be marked as used.
    semicolon: Option<Span>,
}

/// The variables of a file, gathered over its views: what is plainly read in one is none of them.
#[derive(Default)]
pub(super) struct Candidates {
    seen: BTreeMap<Span, Option<Variable>>,
    found: usize,
}

impl Candidates {
    pub(super) fn add(
        &mut self,
        lists: &Lists<'_>,
        lexed: &Lexed<'_>,
        guards: &Guards,
        outline: &Outline,
        locals: &Locals,
    ) {
        let uses = uses(lexed.bytes, outline, locals);
        for (number, local) in locals.list.iter().enumerate() {
            let span = local.declared.span;
            let debug = |name: &str| lists.debug.contains(&name);
            if local.is_parameter || guards.tests(span, debug) {
                continue;
            }
            let uses = uses.get(&number).filter(|_| self.found < MOST);
            let found = uses.and_then(|uses| variable(lexed, outline, local, uses));
            self.found += usize::from(found.is_some());
            let entry = self.seen.entry(span).or_insert_with(|| found.clone());
            if found.is_none() {
                *entry = None;
            }
        }
    }

    pub(super) fn finish(self) -> Vec<Variable> {
        self.seen.into_values().flatten().collect()
    }
}

/// For each variable the nodes in which it is named.
fn uses(bytes: &[u8], outline: &Outline, locals: &Locals) -> HashMap<usize, Vec<usize>> {
    let mut uses: HashMap<usize, Vec<usize>> = HashMap::new();
    for at in outline.all("identifier") {
        if let Some(local) = locals.find(&text(bytes, outline.nodes[at].span), at)
            && locals.list[local].declared.at != at
        {
            uses.entry(local).or_default().push(at);
        }
    }
    uses
}

fn variable(
    lexed: &Lexed<'_>,
    outline: &Outline,
    local: &Local,
    uses: &[usize],
) -> Option<Variable> {
    let mut reads = Vec::new();
    let mut first = None;
    for &at in uses.iter().filter(|&&at| !is_set(outline, at)) {
        let inside = handed_to(lexed.bytes, outline, at);
        if inside.is_empty() {
            return None;
        }
        reads.push(inside);
        first.get_or_insert(at);
    }
    let first = first?;
    let hidden = named(lexed, outline, local) > uses.len() + 1;
    if hidden || is_marked(lexed, outline, local) {
        return None;
    }
    let semicolon = semicolon(outline, first);
    let Local { declared, .. } = local;
    let first_read = outline.nodes[first].span;
    Some(Variable {
        name: declared.name.clone(),
        span: declared.span,
        reads,
        first_read,
        semicolon,
    })
}

/// Whether the name only gets a value there.
fn is_set(outline: &Outline, at: usize) -> bool {
    let node = outline.nodes[at];
    let parent = outline.nodes[node.parent];
    let sets = match parent.kind {
        "assignment_expression" => node.field == Some("left"),
        "update_expression" => true,
        _ => false,
    };
    let unused = |at: usize| {
        let above = outline.nodes[outline.nodes[at].parent];
        above.kind == "expression_statement"
            || above.kind == "for_statement" && outline.nodes[at].field == Some("update")
    };
    sets && unused(node.parent)
}

/// The names of the functions or macros to which the value at a node is handed, innermost first.
pub(super) fn handed_to(bytes: &[u8], outline: &Outline, at: usize) -> Vec<String> {
    let mut found = Vec::new();
    for above in outline.above(at) {
        let node = outline.nodes[above];
        if node.kind == "argument_list"
            && let Some(function) = outline.child(node.parent, "function")
            && outline.nodes[function].kind == "identifier"
        {
            found.push(text(bytes, outline.nodes[function].span));
        }
        if node.kind.ends_with("statement") || found.len() >= MAX_CALLS {
            break;
        }
    }
    found
}

/// How often the name stands where it could be the variable, in whatever the parser was shown.
fn named(lexed: &Lexed<'_>, outline: &Outline, local: &Local) -> usize {
    let start = outline.nodes[local.scope.start].span.start;
    let end = outline.nodes[local.scope.start].span.end;
    let first = lexed.code.partition_point(|token| token.span.start < start);
    let inside = lexed.code[first..].iter().take_while(|token| token.span.start < end);
    inside.filter(|token| lexed.is_word(token, local.declared.name.as_bytes())).count()
}

/// Whether the declaration says that the variable may go unused.
fn is_marked(lexed: &Lexed<'_>, outline: &Outline, local: &Local) -> bool {
    let end = outline.nodes[local.declaration].span.end;
    let behind = lexed.code.partition_point(|token| token.span.start < end.saturating_sub(1));
    let declaration = lexed.code[..behind].iter().rev().take(MOST);
    let mut words = declaration.take_while(|token| !matches!(token.punct, b';' | b'{' | b'}'));
    words.any(|token| {
        token.is_identifier()
            && lexed.text(token).to_ascii_lowercase().windows(6).any(|w| w == b"unused")
    })
}

/// The end of the statement around a node, where another may follow it.
fn semicolon(outline: &Outline, at: usize) -> Option<Span> {
    let statement = outline.above(at).find(|&n| outline.nodes[n].kind.ends_with("statement"))?;
    let node = outline.nodes[statement];
    let block = outline.nodes[node.parent].kind == "compound_statement";
    let whole = node.kind == "expression_statement" && block;
    whole.then(|| Span { start: node.span.end - 1, end: node.span.end })
}

pub(super) fn judge(
    known: &Known<'_>,
    point: &Point<'_>,
    variables: &[Variable],
    findings: &mut Findings,
) {
    for variable in variables {
        let dropped = |names: &Vec<String>| names.iter().any(|name| known.drops(name));
        if !variable.reads.iter().all(dropped) {
            continue;
        }
        let name = &variable.name;
        let message = format!("`{name}` is read by nothing but what is compiled out");
        let finding =
            point.at(Finding::error(ONLY_IN_ASSERT, message), variable.span, "declared here");
        let finding = point.at(finding, variable.first_read, "read here, where assertions are on");
        let finding =
            finding.hint(format!("add `(void){name};`, or declare it under the same condition"));
        findings.push(match variable.semicolon {
            Some(at) => {
                let text = format!("; (void){name};");
                point.replace(finding, at, &text, format!("mark `{name}` as used"))
            }
            None => finding,
        });
    }
}
