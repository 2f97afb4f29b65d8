//! Operands as far as it matters how wide they are, with what can only be told later left open.

use super::declared::{Locals, named_type};
use super::types::{Ty, Width, text};
use crate::syntax::Outline;

/// Deepest expression that is looked into.
const MAX_DEPTH: usize = 64;

/// What an operand is.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    /// A number.
    Number(u64, Width),
    /// Something of a declared type.
    Typed(Ty),
    /// A name that no local declaration explains: a variable, macro or constant.
    Name(String),
    /// What a function or macro returns.
    Call(String, Vec<Expr>),
    /// A member.
    Member(Box<Expr>, String),
    /// What a pointer leads to.
    Element(Box<Expr>),
    /// As wide as the wider of two.
    Wider(Box<Expr>, Box<Expr>),
    /// Left shifted by right, where that is a number.
    Shifted(Box<Expr>, Box<Expr>),
    /// The result of a comparison or `sizeof`.
    Narrow,
    /// Anything else.
    Unknown,
}

impl Expr {
    /// The same with what `of` knows in the place of names.
    pub(super) fn bound(&self, of: &dyn Fn(&str) -> Option<Expr>) -> Expr {
        let go = |expr: &Expr| Box::new(expr.bound(of));
        match self {
            Expr::Name(name) => of(name).unwrap_or_else(|| self.clone()),
            Expr::Wider(one, other) => Expr::Wider(go(one), go(other)),
            Expr::Shifted(left, by) => Expr::Shifted(go(left), go(by)),
            Expr::Member(whole, field) => Expr::Member(go(whole), field.clone()),
            Expr::Element(whole) => Expr::Element(go(whole)),
            Expr::Number(..) | Expr::Typed(_) | Expr::Call(..) | Expr::Narrow | Expr::Unknown => {
                self.clone()
            }
        }
    }
}

/// Reads the expressions of a file.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) outline: &'a Outline,
    pub(super) locals: &'a Locals,
}

impl Reader<'_> {
    pub(super) fn read(&self, at: usize) -> Expr {
        self.expression(at, 0)
    }

    fn expression(&self, at: usize, depth: usize) -> Expr {
        if depth >= MAX_DEPTH {
            return Expr::Unknown;
        }
        let node = self.outline.nodes[at];
        let field = |name| self.outline.child(at, name);
        let go = |child: Option<usize>| match child {
            Some(child) => self.expression(child, depth + 1),
            None => Expr::Unknown,
        };
        match node.kind {
            "number_literal" => number(&text(self.bytes, node.span)),
            "char_literal" | "sizeof_expression" | "true" | "false" => Expr::Narrow,
            "identifier" => {
                let name = text(self.bytes, node.span);
                match self.locals.find(&name, at) {
                    Some(local) => Expr::Typed(self.locals.list[local].declared.ty.clone()),
                    None => Expr::Name(name),
                }
            }
            "parenthesized_expression" | "comma_expression" => go(self.operands(at).last()),
            "cast_expression" => match field("type") {
                Some(ty) => Expr::Typed(named_type(self.bytes, self.outline, ty)),
                None => Expr::Unknown,
            },
            "field_expression" => match field("field") {
                Some(name) => {
                    let name = text(self.bytes, self.outline.nodes[name].span);
                    Expr::Member(Box::new(go(field("argument"))), name)
                }
                None => Expr::Unknown,
            },
            "subscript_expression" => Expr::Element(Box::new(go(field("argument")))),
            "pointer_expression" if self.operator(at) == "*" => {
                Expr::Element(Box::new(go(field("argument"))))
            }
            "unary_expression" if self.operator(at) != "!" => go(field("argument")),
            "unary_expression" => Expr::Narrow,
            "update_expression" => go(field("argument")),
            "assignment_expression" => go(field("left")),
            "conditional_expression" => {
                Expr::Wider(Box::new(go(field("consequence"))), Box::new(go(field("alternative"))))
            }
            "binary_expression" => {
                let (left, right) = (go(field("left")), go(field("right")));
                match self.operator(at).as_str() {
                    "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => {
                        Expr::Wider(Box::new(left), Box::new(right))
                    }
                    "<<" | ">>" => Expr::Shifted(Box::new(left), Box::new(right)),
                    _ => Expr::Narrow,
                }
            }
            "call_expression" => self.call(at, depth),
            _ => Expr::Unknown,
        }
    }

    /// What a call hands over.
    pub(super) fn given(&self, at: usize) -> Vec<Expr> {
        let list = self.outline.child(at, "arguments");
        let given = list.into_iter().flat_map(|list| self.operands(list));
        given.map(|n| self.read(n)).collect()
    }

    fn call(&self, at: usize, depth: usize) -> Expr {
        let function = self.outline.child(at, "function");
        let name = function.filter(|&f| self.outline.nodes[f].kind == "identifier");
        let Some(name) = name else { return Expr::Unknown };
        let list = self.outline.child(at, "arguments");
        let given = list.into_iter().flat_map(|list| self.operands(list));
        let given = given.take(4).map(|n| self.expression(n, depth + 1)).collect();
        Expr::Call(text(self.bytes, self.outline.nodes[name].span), given)
    }

    /// What stands between the punctuation right below a node.
    fn operands(&self, at: usize) -> impl DoubleEndedIterator<Item = usize> {
        let punct = |n: &usize| matches!(self.outline.nodes[*n].kind, "(" | ")" | ",");
        self.outline.children(at).filter(|n| !punct(n)).collect::<Vec<_>>().into_iter()
    }

    pub(super) fn operator(&self, at: usize) -> String {
        let operator = self.outline.child(at, "operator");
        operator.map_or_else(String::new, |n| text(self.bytes, self.outline.nodes[n].span))
    }
}

/// A number literal: a plain one beyond 32 bits is as wide as one that says so.
pub(super) fn number(spelt: &str) -> Expr {
    let digits = spelt.trim_end_matches(['u', 'U', 'l', 'L']);
    let long = spelt[digits.len()..].to_ascii_lowercase().contains("ll");
    let plain = digits.to_ascii_lowercase();
    let value = match plain.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => plain.parse(),
    };
    match value {
        Ok(value) if long || value > u64::from(u32::MAX) => Expr::Number(value, Width::Wide),
        Ok(value) => Expr::Number(value, Width::Narrow),
        Err(_) => Expr::Unknown,
    }
}
