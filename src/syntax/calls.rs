//! Calls of functions by name: in code by its tree, in macro bodies by tokens.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::definitions::Head;
use super::outline::Outline;
use super::{Parsed, View, tree};
use crate::preprocess::lexer::{Directive, Keyword, Token, TokenKind, directive_tokens};
use crate::text::Span;

/// A call of a function by its plain name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The name.
    pub name: Span,
    /// The name as compilers see it.
    pub text: String,
}

impl Parsed {
    /// The calls of functions that `wanted` names, outside directives, in order of place. A local
    /// variable or parameter of such a name hides the function.
    pub fn calls(&self, wanted: &dyn Fn(&[u8]) -> bool) -> Vec<Call> {
        let mut found = BTreeMap::new();
        for view in &self.views {
            Walk::new(view, wanted).run(&mut found);
        }
        let spliced: HashMap<u32, Span> = self.spliced.iter().map(|s| (s.start, *s)).collect();
        let call = |(name, text): (Span, String)| Call {
            name: spliced.get(&name.start).copied().unwrap_or(name),
            text,
        };
        found.into_iter().map(call).collect()
    }
}

/// Kinds of nodes and the fields in which they stand.
struct Kinds {
    identifier: u16,
    call: u16,
    parenthesised: u16,
    function: u16,
    parameters: u16,
    parameter: u16,
    declaration: u16,
    initialised: u16,
    function_declarator: u16,
    declarators: Vec<u16>,
    blocks: Vec<u16>,
    directives: [u16; 2],
    callee: Option<u16>,
    condition: Option<u16>,
    declarator: Option<u16>,
}

impl Kinds {
    fn new() -> Kinds {
        let grammar = tree::grammar();
        let kind = |name: &str| grammar.id_for_node_kind(name, true);
        let field = |name: &str| grammar.field_id_for_name(name).map(u16::from);
        let declarators = ["function", "pointer", "array", "parenthesized", "attributed", "init"];
        Kinds {
            identifier: kind("identifier"),
            call: kind("call_expression"),
            parenthesised: kind("parenthesized_expression"),
            function: kind("function_definition"),
            parameters: kind("parameter_list"),
            parameter: kind("parameter_declaration"),
            declaration: kind("declaration"),
            initialised: kind("init_declarator"),
            function_declarator: kind("function_declarator"),
            declarators: declarators.iter().map(|n| kind(&format!("{n}_declarator"))).collect(),
            blocks: vec![kind("compound_statement"), kind("for_statement")],
            directives: [kind("preproc_if"), kind("preproc_elif")],
            callee: field("function"),
            condition: field("condition"),
            declarator: field("declarator"),
        }
    }
}

/// What the declarators on the way down to a node declare.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declares {
    Nothing,
    Variable,
    Parameter,
    /// The function that is defined; its parameters hold in its body.
    Definition,
}

struct Frame {
    kind: u16,
    field: Option<u16>,
    declares: Declares,
    /// Whether names declared below end with the node.
    scope: bool,
    /// Behind the last node below it.
    end: usize,
}

struct Walk<'a> {
    text: &'a [u8],
    outline: &'a Outline,
    /// The node that is looked at.
    at: usize,
    wanted: &'a dyn Fn(&[u8]) -> bool,
    kinds: Kinds,
    above: Vec<Frame>,
    /// For each open scope the wanted names that it declares.
    scopes: Vec<Vec<&'a [u8]>>,
    /// How many open scopes declare a name.
    hidden: HashMap<&'a [u8], usize>,
}

impl<'a> Walk<'a> {
    fn new(view: &'a View, wanted: &'a dyn Fn(&[u8]) -> bool) -> Walk<'a> {
        Walk {
            text: &view.text,
            outline: &view.outline,
            at: 0,
            wanted,
            kinds: Kinds::new(),
            above: Vec::new(),
            scopes: vec![Vec::new()],
            hidden: HashMap::new(),
        }
    }

    fn run(mut self, found: &mut BTreeMap<Span, String>) {
        while self.at < self.outline.nodes.len() {
            while self.above.last().is_some_and(|frame| frame.end <= self.at) {
                if self.above.pop().is_some_and(|frame| frame.scope) {
                    self.leave_scope();
                }
            }
            let frame = self.frame();
            if frame.kind == self.kinds.identifier {
                self.identifier(&frame, found);
            }
            if self.is_condition(&frame) {
                self.at = frame.end;
                continue;
            }
            self.at += 1;
            if frame.end > self.at {
                if frame.scope {
                    self.scopes.push(Vec::new());
                }
                self.above.push(frame);
            }
        }
    }

    /// Whether the node is what a directive tests.
    fn is_condition(&self, frame: &Frame) -> bool {
        let directive = self.above.last().is_some_and(|f| self.kinds.directives.contains(&f.kind));
        directive && frame.field.is_some() && frame.field == self.kinds.condition
    }

    fn frame(&self) -> Frame {
        let kinds = &self.kinds;
        let node = &self.outline.nodes[self.at];
        let (kind, end) = (node.id, node.end);
        let field = Some(node.field_id).filter(|field| *field > 0);
        let parent = self.above.last();
        let declares =
            parent.map_or(Declares::Nothing, |parent| self.declares(parent, kind, field));
        let own_parameters = kind == kinds.parameters && declares != Declares::Definition;
        let scope = own_parameters || kind == kinds.function || kinds.blocks.contains(&kind);
        Frame { kind, field, declares, scope, end }
    }

    fn declares(&self, parent: &Frame, kind: u16, field: Option<u16>) -> Declares {
        let kinds = &self.kinds;
        let declarator = field.is_some() && field == kinds.declarator;
        if parent.kind == kinds.declaration && declarator {
            Declares::Variable
        } else if parent.kind == kinds.parameter && declarator {
            Declares::Parameter
        } else if parent.kind == kinds.function && declarator {
            Declares::Definition
        } else if parent.kind == kinds.parameters {
            // Below it each parameter starts anew.
            Declares::Nothing
        } else if kinds.declarators.contains(&parent.kind) {
            let inside =
                declarator || kinds.declarators.contains(&kind) || kind == kinds.identifier;
            let list = kind == kinds.parameters;
            let value = parent.kind == kinds.initialised && !declarator;
            if (inside && !value) || (list && parent.declares == Declares::Definition) {
                parent.declares
            } else {
                Declares::Nothing
            }
        } else {
            Declares::Nothing
        }
    }

    fn identifier(&mut self, frame: &Frame, found: &mut BTreeMap<Span, String>) {
        let span = self.outline.nodes[self.at].span;
        let Some(name) = self.text.get(span.range()).filter(|n| (self.wanted)(n)) else {
            return;
        };
        match frame.declares {
            Declares::Variable if self.is_prototype() => {}
            Declares::Variable | Declares::Parameter => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.push(name);
                    *self.hidden.entry(name).or_default() += 1;
                }
            }
            Declares::Definition => {}
            Declares::Nothing => {
                let hidden = self.hidden.get(name).is_some_and(|&count| count > 0);
                if !hidden && self.is_callee(frame) {
                    let text = String::from_utf8_lossy(name).into_owned();
                    found.insert(span, text);
                }
            }
        }
    }

    /// Whether the declared name here is that of a function, which is still the same function.
    fn is_prototype(&self) -> bool {
        self.above.last().is_some_and(|parent| parent.kind == self.kinds.function_declarator)
    }

    /// Whether the name here is what a call calls; parentheses around it keep macros away only.
    fn is_callee(&self, frame: &Frame) -> bool {
        let mut field = frame.field;
        for parent in self.above.iter().rev() {
            if parent.kind == self.kinds.call {
                return field.is_some() && field == self.kinds.callee;
            }
            if parent.kind != self.kinds.parenthesised {
                return false;
            }
            field = parent.field;
        }
        false
    }

    fn leave_scope(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            if let Some(count) = self.hidden.get_mut(name) {
                *count -= 1;
            }
        }
    }
}

/// The calls in the body of a macro definition of functions that `wanted` names.
///
/// No grammar fits a macro body, so a call is a name with a parenthesis behind it that nothing says
/// to be something else, or a name that is all the macro stands for. `own` tells whether the tree
/// defines the name itself; the macro's own name in its own body is the function's.
pub fn calls_in_definition(
    bytes: &[u8],
    directive: &Directive,
    wanted: &dyn Fn(&[u8]) -> bool,
    own: &dyn Fn(&[u8]) -> bool,
) -> Vec<Call> {
    let Some(head) = Some(directive).filter(|d| d.keyword == Keyword::Define) else {
        return Vec::new();
    };
    let Some(head) = Head::read(bytes, head.body) else { return Vec::new() };
    let body = Span { start: head.end, end: directive.body.end };
    let body: Vec<Token> = directive_tokens(bytes, body).filter(|t| !t.is_trivia()).collect();
    let parameters: HashSet<Vec<u8>> =
        head.parameters.iter().flatten().map(|p| p.text(bytes).into_owned()).collect();
    let macro_name = head.name.text(bytes);
    let is_alias = head.parameters.is_none()
        && body
            .iter()
            .all(|t| t.kind == TokenKind::Identifier || matches!(t.raw(bytes), b"(" | b")"))
        && body.iter().filter(|t| t.kind == TokenKind::Identifier).count() == 1;
    let mut calls = Vec::new();
    for (at, token) in body.iter().enumerate() {
        let name = token.text(bytes);
        let is_call = token.kind == TokenKind::Identifier
            && wanted(&name)
            && !parameters.contains(&*name)
            && (is_alias || is_called(bytes, &body, at))
            && (name == macro_name || !own(&name));
        if is_call {
            let text = String::from_utf8_lossy(&name).into_owned();
            calls.push(Call { name: token.span, text });
        }
    }
    calls
}

/// Whether the name at `at` of a macro body is called there.
fn is_called(bytes: &[u8], body: &[Token], at: usize) -> bool {
    let text = |at: usize| body.get(at).map(|t| t.text(bytes));
    let is = |at: usize, what: &[u8]| text(at).is_some_and(|t| *t == *what);
    // `(free)(p)`: the parentheses keep macros away only.
    let (first, open) = match at.checked_sub(1) {
        Some(before) if is(before, b"(") && is(at + 1, b")") => (before, at + 2),
        _ => (at, at + 1),
    };
    if !is(open, b"(") {
        return false;
    }
    let Some(before) = first.checked_sub(1) else { return true };
    let behind_word = body[before].kind == TokenKind::Identifier && first == at;
    match &*body[before].text(bytes) {
        // A member, or part of another name or of a string.
        b"." | b"->" | b"#" | b"##" | b"%:" | b"%:%:" => false,
        b"return" | b"else" | b"do" | b"case" | b"sizeof" => true,
        // Behind a type it is declared.
        _ if behind_word => false,
        b"*" => !is_defined(bytes, body, open),
        _ => true,
    }
}

/// Whether a function body stands behind the parenthesis that opens at `open`.
fn is_defined(bytes: &[u8], body: &[Token], open: usize) -> bool {
    let mut depth = 0usize;
    let mut tokens = body[open..].iter();
    for token in tokens.by_ref() {
        match token.raw(bytes) {
            b"(" => depth += 1,
            b")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    tokens.next().is_some_and(|t| t.raw(bytes) == b"{")
}
