//! The way through a declarator to the name that it declares.

use tree_sitter::Node;

use super::TypedefKind;

/// More names than this are declared at once by no library.
const MOST_DECLARATORS: usize = 64;

/// The declarators of a declaration, typedef or field.
pub(super) fn of<'t>(node: &Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name("declarator", &mut cursor).take(MOST_DECLARATORS).collect()
}

/// The name that a declarator declares.
pub(super) fn name(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut node = declarator;
    loop {
        match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" => {
                return Some(node);
            }
            _ => node = inner(node)?,
        }
    }
}

/// The part of a declarator that declares a function, and the function's name.
pub(super) fn function(declarator: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let mut node = declarator;
    loop {
        if node.kind() == "function_declarator" {
            let mut name = inner(node)?;
            // Parentheses around the name keep macros away only.
            while name.kind() == "parenthesized_declarator" {
                name = inner(name)?;
            }
            if name.kind() == "identifier" {
                return Some((node, name));
            }
        }
        node = inner(node)?;
    }
}

/// The declarator inside one.
fn inner(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(inside) = node.child_by_field_name("declarator") {
        return Some(inside);
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| {
        let kind = child.kind();
        kind.ends_with("_declarator") || kind.ends_with("identifier")
    })
}

/// What kind of type a declarator of a typedef gives a name.
pub(super) fn typedef_kind(declarator: Node<'_>, ty: &Node<'_>) -> TypedefKind {
    let of_type = match ty.kind() {
        "struct_specifier" => TypedefKind::Struct,
        "union_specifier" => TypedefKind::Union,
        "enum_specifier" => TypedefKind::Enum,
        _ => TypedefKind::Other,
    };
    match declarator.kind() {
        "type_identifier" | "primitive_type" => of_type,
        "function_declarator" => match inner(declarator).map(|n| n.kind()) {
            Some("parenthesized_declarator") => TypedefKind::FunctionPointer,
            _ => TypedefKind::Function,
        },
        _ => TypedefKind::Other,
    }
}
