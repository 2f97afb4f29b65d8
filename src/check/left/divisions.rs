//! Divisions of 64-bit values. On a 32-bit processor compilers make calls of them to functions that
//! kernels don't have; the kernel's own functions are to be used.

use super::DIVISION;
use super::declared::Locals;
use super::expressions::{Expr, Reader};
use super::facts::Facts;
use super::known::Known;
use super::point::Point;
use super::types::Width;
use crate::finding::{Finding, Findings};
use crate::syntax::Outline;
use crate::text::Span;

/// A division or modulo in code.
#[derive(Clone, Debug)]
pub(super) struct Division {
    /// All of it.
    pub(super) span: Span,
    operator: String,
    left: Expr,
    right: Expr,
    /// Macros to which it is handed.
    pub(super) inside: Vec<String>,
}

pub(super) fn find(bytes: &[u8], outline: &Outline, locals: &Locals) -> Vec<Division> {
    let reader = Reader { bytes, outline, locals };
    let mut found = Vec::new();
    for at in 0..outline.nodes.len() {
        let node = outline.nodes[at];
        if !matches!(node.kind, "binary_expression" | "assignment_expression") {
            continue;
        }
        let operator = reader.operator(at);
        if !matches!(operator.as_str(), "/" | "%" | "/=" | "%=") {
            continue;
        }
        let read = |field| outline.child(at, field).map(|n| reader.read(n));
        if let (Some(left), Some(right)) = (read("left"), read("right")) {
            let inside = super::asserts::handed_to(bytes, outline, at);
            found.push(Division { span: node.span, operator, left, right, inside });
        }
    }
    found
}

pub(super) fn judge(known: &Known<'_>, point: &Point<'_>, facts: &Facts, findings: &mut Findings) {
    for division in &facts.divisions {
        if division.inside.iter().any(|name| known.drops(name)) {
            continue;
        }
        let divisor = known.value(&division.right);
        let shifts = divisor.is_some_and(u64::is_power_of_two);
        let constant = divisor.is_some() && known.value(&division.left).is_some();
        let wide = |expr| known.width(expr) == Width::Wide;
        // What a macro stands for may be a number that wasn't worked out.
        let open = divisor.is_none() && known.is_constant_name(&division.right);
        if shifts || constant || open || !(wide(&division.left) || wide(&division.right)) {
            continue;
        }
        let what = if division.operator.starts_with('/') { "division" } else { "modulo" };
        let message = format!("a 64-bit {what} needs a function that 32-bit kernels don't have");
        let finding = Finding::error(DIVISION, message);
        let finding = point.at(finding, division.span, "64 bits wide on every processor");
        findings.push(finding.hint(
            "divide by way of the kernel's div_u64 and its like, or make the operands 32 bits wide",
        ));
    }
}
