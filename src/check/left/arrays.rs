//! Arrays whose length isn't what it is declared to be, or isn't known when they are.

use super::declared::Locals;
use super::lists::Lists;
use super::point::Point;
use super::types::text;
use super::{TRAILING_ARRAY, VARIABLE_ARRAY};
use crate::finding::{Finding, Findings};
use crate::syntax::Outline;

/// Finds arrays in functions whose length hangs on a variable.
pub(super) fn variable(
    point: &Point<'_>,
    outline: &Outline,
    locals: &Locals,
    findings: &mut Findings,
) {
    let bytes = point.bytes();
    let mut seen = 0;
    for local in locals.list.iter().filter(|local| !local.is_parameter) {
        let declaration = outline.nodes[local.declaration];
        if local.declaration == seen {
            continue;
        }
        seen = local.declaration;
        for at in local.declaration..declaration.end {
            if outline.nodes[at].kind != "array_declarator" || in_parameters(outline, at) {
                continue;
            }
            let Some(size) = outline.child(at, "size") else { continue };
            let runs = (size..outline.nodes[size].end).any(|n| {
                let node = outline.nodes[n];
                node.kind == "identifier"
                    && locals.find(&text(bytes, node.span), n).is_some()
                    && !outline
                        .above(n)
                        .take_while(|&a| a >= size)
                        .any(|a| outline.nodes[a].kind == "sizeof_expression")
            });
            if runs {
                let message = "the length of this array is worked out as the program runs";
                let span = outline.nodes[size].span;
                let finding =
                    point.at(Finding::error(VARIABLE_ARRAY, message), span, "not a constant");
                findings.push(finding.hint("the kernel's stack is small: give a constant bound"));
            }
        }
    }
}

fn in_parameters(outline: &Outline, at: usize) -> bool {
    outline
        .above(at)
        .take_while(|&n| outline.nodes[n].kind != "compound_statement")
        .any(|n| outline.nodes[n].kind == "parameter_list")
}

/// Finds arrays of one element, or none, at the end of structs.
pub(super) fn trailing(
    lists: &Lists<'_>,
    point: &Point<'_>,
    outline: &Outline,
    findings: &mut Findings,
) {
    let bytes = point.bytes();
    for record in outline.all("struct_specifier") {
        let Some(body) = outline.child(record, "body") else { continue };
        let fields: Vec<usize> = outline
            .children(body)
            .filter(|&n| outline.nodes[n].kind == "field_declaration")
            .collect();
        let [_, .., last] = fields.as_slice() else { continue };
        let declarators =
            outline.children(*last).filter(|&n| outline.nodes[n].field == Some("declarator"));
        let Some(array) = declarators.last() else { continue };
        let size = outline.child(array, "size").map(|n| text(bytes, outline.nodes[n].span));
        let name = outline.child(array, "declarator").map(|n| outline.nodes[n]);
        let (Some(size), Some(name)) = (size, name) else { continue };
        let one = matches!(size.trim_end_matches(['u', 'U']), "0" | "1");
        if outline.nodes[array].kind != "array_declarator"
            || !one
            || name.kind != "field_identifier"
        {
            continue;
        }
        let name = text(bytes, name.span);
        let listed = |of: &String| lists.members.rule(&format!("{of}.{name}")).is_some();
        if names(bytes, outline, record).iter().any(listed) {
            continue;
        }
        let message =
            format!("`{name}` ends its struct with a length of {size}, and so has no bound");
        let span = outline.nodes[array].span;
        let finding = point.at(Finding::error(TRAILING_ARRAY, message), span, "declared here");
        let Some(written) = outline.child(array, "size").map(|n| outline.nodes[n].span) else {
            continue;
        };
        findings.push(match size.as_str() {
            "0" => {
                let finding = finding.hint(FLEXIBLE);
                point.replace(finding, written, "", format!("declare `{name}[]`"))
            }
            // No edit tells the sizes from which the one element would have to be taken away.
            _ => finding.hint(format!(
                "{FLEXIBLE}; the struct gets shorter by an element, so look at what adds to its size"
            )),
        });
    }
}

const FLEXIBLE: &str = "compilers hold kernels to the length that is written: declare a flexible array member (`[]`) or \
     the true length";

/// The tag of a struct, and its name by a typedef.
fn names(bytes: &[u8], outline: &Outline, record: usize) -> Vec<String> {
    let tag = outline.child(record, "name");
    let parent = outline.nodes[record].parent;
    let typedef = outline.nodes[parent].kind == "type_definition";
    let typedef = typedef.then(|| outline.child(parent, "declarator")).flatten();
    tag.into_iter().chain(typedef).map(|n| text(bytes, outline.nodes[n].span)).collect()
}
