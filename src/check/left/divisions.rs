//! Divisions of 64-bit values. On a 32-bit processor compilers make calls of them to functions that
//! kernels don't have; the kernel's own functions are to be used.

mod bodies;

pub(super) use bodies::find as in_body;

use super::DIVISION;
use super::declared::Locals;
use super::expressions::{Expr, Reader};
use super::facts::{Facts, Macro};
use super::known::Known;
use super::point::Point;
use super::types::Width;
use crate::finding::{Finding, Findings};
use crate::syntax::{Definitions, Outline};
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

/// A use of a macro with a division in its body, which what is handed over may make a wide one.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) span: Span,
    name: String,
    given: Vec<Expr>,
    /// Macros to which it is handed.
    inside: Vec<String>,
}

/// The uses of macros whose bodies divide.
pub(super) fn uses(
    bytes: &[u8],
    outline: &Outline,
    locals: &Locals,
    definitions: &Definitions,
) -> Vec<Use> {
    let reader = Reader { bytes, outline, locals };
    let mut found = Vec::new();
    for at in outline.all("call_expression") {
        let Some(function) = outline.child(at, "function") else { continue };
        let name = &bytes[outline.nodes[function].span.range()];
        if !definitions.divides(name) {
            continue;
        }
        let name = String::from_utf8_lossy(name).into_owned();
        let inside = super::asserts::handed_to(bytes, outline, at);
        found.push(Use { span: outline.nodes[at].span, name, given: reader.given(at), inside });
    }
    found
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
    let own = facts.macros.values().flatten().flat_map(|definition| &definition.divisions);
    for division in facts.divisions.iter().chain(own).filter(|d| is_wide(known, d)) {
        let message = format!("a 64-bit {} {LACKING}", division.what());
        let finding = Finding::error(DIVISION, message);
        let finding = point.at(finding, division.span, "64 bits wide on every processor");
        findings.push(finding.hint(REMEDY));
    }
    for used in facts.uses.iter().filter(|used| !dropped(known, &used.inside)) {
        let handed = |definition: &&Macro| definition.parameters.len() == used.given.len();
        let definitions = known.definitions(&used.name).iter().copied().filter(handed);
        let all = definitions.flat_map(|of| of.divisions.iter().map(move |d| (of, d)));
        // What is wide whatever is handed over is told of at the definition.
        let wide = all.filter(|(_, division)| !is_wide(known, division));
        let wide = wide.map(|(of, division)| division.bound(&of.parameters, &used.given));
        let Some(division) = wide.into_iter().find(|division| is_wide(known, division)) else {
            continue;
        };
        let (name, what) = (&used.name, division.what());
        let message = format!("`{name}` makes a 64-bit {what} of this, which {LACKING}");
        let finding = Finding::error(DIVISION, message);
        let finding = point.at(finding, used.span, "what is handed over is 64 bits wide");
        findings.push(finding.hint(REMEDY));
    }
}

const LACKING: &str = "needs a function that 32-bit kernels don't have";
const REMEDY: &str =
    "divide by way of the kernel's div_u64 and its like, or make the operands 32 bits wide";

/// Whether what stands in the arguments of these makes no code.
fn dropped(known: &Known<'_>, inside: &[String]) -> bool {
    inside.iter().any(|name| known.drops(name))
}

fn is_wide(known: &Known<'_>, division: &Division) -> bool {
    let divisor = known.value(&division.right);
    let shifts = divisor.is_some_and(u64::is_power_of_two);
    let constant = divisor.is_some() && known.value(&division.left).is_some();
    let wide = |expr| known.width(expr) == Width::Wide;
    // What a macro stands for may be a number that wasn't worked out.
    let open = divisor.is_none() && known.is_constant_name(&division.right);
    !(dropped(known, &division.inside) || shifts || constant || open)
        && (wide(&division.left) || wide(&division.right))
}

impl Division {
    fn what(&self) -> &'static str {
        if self.operator.starts_with('/') { "division" } else { "modulo" }
    }

    /// The same with what a use hands over for each parameter.
    fn bound(&self, parameters: &[String], given: &[Expr]) -> Division {
        let of = |name: &str| {
            let at = parameters.iter().position(|parameter| parameter == name)?;
            given.get(at).cloned()
        };
        let (left, right) = (self.left.bound(&of), self.right.bound(&of));
        Division { left, right, ..self.clone() }
    }
}
