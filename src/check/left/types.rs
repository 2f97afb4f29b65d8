//! Types as far as it matters how wide they are on a 32-bit processor.

use crate::syntax::Outline;
use crate::text::Span;

/// A type: what it is made of, and how many pointers or arrays lead to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ty {
    /// A word (`U64`), or `struct NAME`; empty where it isn't known.
    pub(super) base: String,
    /// Pointers and arrays around it.
    pub(super) depth: usize,
}

impl Ty {
    pub(super) fn new(base: impl Into<String>, depth: usize) -> Ty {
        Ty { base: base.into(), depth }
    }
}

/// How wide a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// 64 bits, whatever the processor.
    Wide,
    /// At most as wide as a register of a 32-bit processor.
    Narrow,
    /// Not known.
    Unknown,
}

/// C's own names, and the kernel's, for integers of 64 bits.
const WIDE: [&str; 14] = [
    "long long",
    "uint64_t",
    "int64_t",
    "u64",
    "s64",
    "__u64",
    "__s64",
    "__le64",
    "__be64",
    "uintmax_t",
    "intmax_t",
    "loff_t",
    "uint_least64_t",
    "uint_fast64_t",
];

/// Whether C or the kernel says that it has 64 bits.
pub(super) fn is_wide(base: &str) -> bool {
    WIDE.contains(&base)
}

/// The words of a declaration, and those that say that it is no type at all.
pub(super) fn text(bytes: &[u8], span: Span) -> String {
    String::from_utf8_lossy(bytes.get(span.range()).unwrap_or_default()).into_owned()
}

/// The type that a specifier names.
pub(super) fn base(bytes: &[u8], outline: &Outline, at: usize) -> String {
    let node = outline.nodes[at];
    match node.kind {
        "primitive_type" | "type_identifier" => text(bytes, node.span),
        "sized_type_specifier" => {
            let below = outline.below(at).filter(|&n| outline.nodes[n].kind == "long").count();
            let sized = outline.below(at).find(|&n| outline.nodes[n].kind == "type_identifier");
            match (below, sized) {
                (2.., _) => "long long".to_owned(),
                (_, Some(name)) => text(bytes, outline.nodes[name].span),
                (1, None) => "long".to_owned(),
                (_, None) => "int".to_owned(),
            }
        }
        "struct_specifier" | "union_specifier" => record_name(bytes, outline, at),
        "enum_specifier" => "int".to_owned(),
        _ => String::new(),
    }
}

/// `struct NAME`; one without a name is called after its place.
pub(super) fn record_name(bytes: &[u8], outline: &Outline, at: usize) -> String {
    match outline.child(at, "name") {
        Some(name) => format!("struct {}", text(bytes, outline.nodes[name].span)),
        None => format!("struct at {}", outline.nodes[at].span.start),
    }
}
