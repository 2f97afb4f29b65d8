//! What declarations declare, read from the tree.

use std::collections::HashMap;
use std::ops::Range;

use super::types::{Ty, base, text};
use crate::syntax::Outline;
use crate::text::Span;

/// Most declarations of one name, no longer in scope, that are passed over.
const MAX_HIDDEN: usize = 1000;

/// A name that is declared.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    /// Place of the name among the nodes.
    pub(super) at: usize,
    pub(super) span: Span,
    /// The type; of a function its result's.
    pub(super) ty: Ty,
    pub(super) is_function: bool,
}

/// What one declaration, parameter, field or function definition declares.
pub(super) fn declared(bytes: &[u8], outline: &Outline, at: usize) -> Vec<Declared> {
    let base = outline.child(at, "type").map(|ty| base(bytes, outline, ty)).unwrap_or_default();
    let declarators =
        outline.children(at).filter(|&n| outline.nodes[n].field == Some("declarator"));
    declarators.filter_map(|n| declarator(bytes, outline, n, &base)).collect()
}

/// The type that a cast or a `sizeof` names.
pub(super) fn named_type(bytes: &[u8], outline: &Outline, at: usize) -> Ty {
    let base = outline.child(at, "type").map(|ty| base(bytes, outline, ty)).unwrap_or_default();
    let depth = outline
        .below(at)
        .filter(|&n| outline.nodes[n].kind.starts_with("abstract_pointer"))
        .count();
    Ty::new(base, depth)
}

fn declarator(bytes: &[u8], outline: &Outline, at: usize, base: &str) -> Option<Declared> {
    let (mut here, mut depth, mut inner) = (at, 0, 0);
    let mut is_function = false;
    loop {
        let node = outline.nodes[here];
        let named = || outline.child(here, "declarator");
        here = match node.kind {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" => {
                let calls = is_function && inner > 0;
                let base = if calls { "" } else { base };
                return Some(Declared {
                    name: text(bytes, node.span),
                    at: here,
                    span: node.span,
                    ty: Ty::new(base, if calls { inner } else { depth }),
                    is_function: is_function && inner == 0,
                });
            }
            "init_declarator" => named()?,
            "pointer_declarator" | "array_declarator" => {
                *(if is_function { &mut inner } else { &mut depth }) += 1;
                named()?
            }
            "function_declarator" => {
                is_function = true;
                named()?
            }
            "parenthesized_declarator" | "attributed_declarator" => {
                outline.children(here).find(|&n| {
                    let kind = outline.nodes[n].kind;
                    kind.ends_with("declarator") || kind.ends_with("identifier")
                })?
            }
            _ => return None,
        };
    }
}

/// A variable or parameter, and the nodes in which its name stands for it.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) declared: Declared,
    pub(super) scope: Range<usize>,
    /// The declaration.
    pub(super) declaration: usize,
    pub(super) is_parameter: bool,
}

/// The variables and parameters of the functions of a file.
#[derive(Default)]
pub(super) struct Locals {
    pub(super) list: Vec<Local>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Locals {
    pub(super) fn new(bytes: &[u8], outline: &Outline) -> Locals {
        let mut locals = Locals::default();
        let mut function = 0..0;
        for at in 0..outline.nodes.len() {
            let node = outline.nodes[at];
            let is_parameter = node.kind == "parameter_declaration";
            if node.kind == "function_definition" && at >= function.end {
                function = at..node.end;
            }
            if !function.contains(&at) || !(is_parameter || node.kind == "declaration") {
                continue;
            }
            let scope = if is_parameter {
                if !is_own_parameter(outline, at) {
                    continue;
                }
                function.clone()
            } else {
                let block = outline.above(at).find(|&n| {
                    matches!(outline.nodes[n].kind, "compound_statement" | "for_statement")
                });
                let Some(block) = block else { continue };
                block..outline.nodes[block].end
            };
            for declared in declared(bytes, outline, at).into_iter().filter(|d| !d.is_function) {
                locals.by_name.entry(declared.name.clone()).or_default().push(locals.list.len());
                let scope = scope.clone();
                locals.list.push(Local { declared, scope, declaration: at, is_parameter });
            }
        }
        locals
    }

    /// What a name stands for at a node.
    pub(super) fn find(&self, name: &str, at: usize) -> Option<usize> {
        let named = self.by_name.get(name)?;
        let before = named.partition_point(|&n| self.list[n].declared.at <= at);
        let mut nearest = named[..before].iter().rev().copied().take(MAX_HIDDEN);
        nearest.find(|&n| self.list[n].scope.contains(&at))
    }
}

/// Whether a parameter is one of the function that is defined, not of a pointer among its parameters
/// or of a declaration in its body.
fn is_own_parameter(outline: &Outline, at: usize) -> bool {
    let mut lists = 0;
    for above in outline.above(at) {
        match outline.nodes[above].kind {
            "parameter_list" => lists += 1,
            "function_definition" => return lists == 1,
            "compound_statement" => return false,
            _ => {}
        }
    }
    false
}
