//! What the library's headers offer to the rest of a kernel.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::edit::Traced;
use crate::finding::Label;
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::syntax::{Declarations, Definitions, Enumeration, normalised, parse};
use crate::text::{Source, Span, TreePath};

/// What kind of thing a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A function.
    Function,
    /// A type.
    Type,
    /// A macro or a constant of an enumeration.
    Constant,
}

impl Kind {
    /// The kind as findings name it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Function => "function",
            Kind::Type => "type",
            Kind::Constant => "constant",
        }
    }
}

/// A name that a header offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What it is.
    pub kind: Kind,
    /// What callers depend on: the signature of a function, the value of a constant. Empty for a
    /// type.
    meaning: String,
    /// The same with each name of a type followed to what it stands for.
    resolved: String,
    /// The declaration as a reader would write it.
    pub shown: String,
    source: Arc<Source>,
    span: Span,
}

impl Offer {
    /// Whether callers of the one can as well be given the other: it is spelt with the same names of
    /// types, whatever they stand for by now, or stands for the same.
    pub fn serves_as(&self, other: &Offer) -> bool {
        let same = self.meaning == other.meaning || self.resolved == other.resolved;
        self.kind == other.kind && same
    }

    /// Points at the declaration.
    pub fn label(&self, text: impl Into<String>) -> Label {
        Label::new(&self.source, self.span, text)
    }
}

/// All names that some headers offer.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    offers: BTreeMap<String, Offer>,
}

impl Interface {
    /// Reads headers.
    pub fn of<'a>(headers: impl IntoIterator<Item = (&'a TreePath, &'a Arc<Source>)>) -> Interface {
        let headers: Vec<_> = headers.into_iter().collect();
        let texts = headers.iter().map(|(path, source)| (*path, &*source.bytes));
        let definitions = Definitions::derive(texts, []);
        let read: Vec<(&Arc<Source>, Declarations)> = headers
            .iter()
            .map(|(_, source)| {
                let text = Traced::new(Arc::clone(&source.bytes));
                (*source, parse(source, &text, &definitions).declarations())
            })
            .collect();
        let aliases = Aliases::of(read.iter().map(|(_, declarations)| declarations));
        let mut interface = Interface::default();
        for (source, declarations) in &read {
            interface.types(source, declarations);
            interface.constants(source, declarations);
            interface.functions(source, declarations, &aliases);
        }
        interface
    }

    /// What a name stands for.
    pub fn get(&self, name: &str) -> Option<&Offer> {
        self.offers.get(name)
    }

    /// All names with what they stand for, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Offer)> {
        self.offers.iter().map(|(name, offer)| (name.as_str(), offer))
    }

    fn add(&mut self, name: &str, offer: Offer) {
        self.offers.entry(name.to_owned()).or_insert(offer);
    }

    fn types(&mut self, source: &Arc<Source>, declarations: &Declarations) {
        for typedef in &declarations.typedefs {
            let shown = format!("typedef {}", typedef.target.declare(&typedef.name));
            let offer = Offer {
                kind: Kind::Type,
                meaning: String::new(),
                resolved: String::new(),
                shown,
                source: Arc::clone(source),
                span: typedef.name_span,
            };
            self.add(&typedef.name, offer);
        }
    }

    fn functions(&mut self, source: &Arc<Source>, found: &Declarations, aliases: &Aliases<'_>) {
        for function in &found.functions {
            let parameters = function.parameters.iter().map(|p| p.ty.declare(&p.name));
            let mut parameters: Vec<String> = parameters.collect();
            parameters.extend(function.variadic.then(|| "...".to_owned()));
            if parameters.is_empty() {
                parameters.push("void".to_owned());
            }
            let head = format!("{}({})", function.name, parameters.join(", "));
            let offer = Offer {
                kind: Kind::Function,
                resolved: aliases.resolve(&function.signature()),
                meaning: function.signature(),
                shown: function.result.declare(&head),
                source: Arc::clone(source),
                span: function.name_span,
            };
            self.add(&function.name, offer);
        }
    }

    fn constants(&mut self, source: &Arc<Source>, declarations: &Declarations) {
        for (name, value, span) in declarations.enumerations.iter().flat_map(values) {
            self.constant(source, &name, value, span);
        }
        for found in declarations.macros.iter().filter(|found| !found.takes_arguments) {
            let value = normalised(&found.replacement);
            self.constant(source, &found.name, value, found.name_span);
        }
    }

    fn constant(&mut self, source: &Arc<Source>, name: &str, value: String, span: Span) {
        let shown = format!("{name} = {value}");
        let source = Arc::clone(source);
        let (resolved, meaning) = (value.clone(), value);
        self.add(name, Offer { kind: Kind::Constant, meaning, resolved, shown, source, span });
    }
}

/// Name, value and place of the constants of an enumeration. A value that is no number is followed
/// by sums on it.
fn values(enumeration: &Enumeration) -> Vec<(String, String, Span)> {
    let (mut base, mut number): (Option<String>, i128) = (None, -1);
    let value = |text: &str| {
        let text = text.trim_matches(['(', ')', ' ']);
        match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        }
    };
    let mut found = Vec::new();
    for enumerator in &enumeration.enumerators {
        number += 1;
        if let Some(text) = &enumerator.value {
            (base, number) = match value(text) {
                Some(number) => (None, number),
                None => (Some(normalised(text)), 0),
            };
        }
        let value = match (&base, number) {
            (None, number) => number.to_string(),
            (Some(base), 0) => base.clone(),
            (Some(base), number) => format!("{base} + {number}"),
        };
        found.push((enumerator.name.clone(), value, enumerator.span));
    }
    found
}

/// Names of types that stand for other names of types.
struct Aliases<'a> {
    targets: BTreeMap<&'a str, &'a str>,
}

/// Longest chain of names that is followed: headers have two or three, a circle has no end.
const LONGEST_CHAIN: usize = 16;

impl<'a> Aliases<'a> {
    fn of(all: impl Iterator<Item = &'a Declarations>) -> Aliases<'a> {
        let typedefs = all.flat_map(|declarations| &declarations.typedefs);
        // A struct whose members stand in the typedef has no other name.
        let is_name = |text: &str| is_word(text) && !["struct", "union", "enum"].contains(&text);
        let simple = typedefs.filter(|t| t.target.after.is_empty() && is_name(&t.target.before));
        Aliases { targets: simple.map(|t| (t.name.as_str(), t.target.before.as_str())).collect() }
    }

    /// A signature with every name of a type followed to its last.
    fn resolve(&self, signature: &str) -> String {
        let bytes = signature.as_bytes();
        let mut out = String::new();
        for token in tokens(bytes) {
            let text = token.text(bytes);
            let mut word: &str = &String::from_utf8_lossy(&text);
            if token.kind == TokenKind::Identifier {
                for _ in 0..LONGEST_CHAIN {
                    let Some(target) = self.targets.get(word) else { break };
                    word = target;
                }
            }
            out.push_str(word);
        }
        out
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The interface of one header.
    pub(crate) fn interface(text: &str) -> Interface {
        let path = TreePath::new("include/linux/lib.h").unwrap();
        let source = Source::new("include/linux/lib.h", text.as_bytes());
        Interface::of([(&path, &source)])
    }

    fn meaning(text: &str, name: &str) -> String {
        interface(text).get(name).unwrap().resolved.clone()
    }

    #[test]
    fn signatures_are_compared_by_type() {
        let serves = |old: &str, new: &str| {
            let (old, new) = (interface(old), interface(new));
            new.get("f").unwrap().serves_as(old.get("f").unwrap())
        };
        let old = "typedef struct C_s C; typedef C ctx; size_t f(const ctx* c, int level);";
        let new = "typedef struct C_s C;\ntypedef C ctx;\nsize_t f(const C *context,\n\tint l);";
        assert!(serves(old, new));
        assert!(!serves(old, "size_t f(const ctx *c, long level);"));
        assert!(!serves(old, "size_t f(const ctx *c);"));
        assert_eq!(interface(new).get("f").unwrap().shown, "size_t f(const C *context, int l)");
        // Upstream may rename what a kernel's name stands for.
        let (old, new) = (
            "typedef struct { int a; } old; typedef old k;",
            "typedef struct { int a; } new; typedef new k;",
        );
        let of = |types: &str, of: &str| format!("{types} int f({of} *p);");
        assert!(serves(&of(old, "k"), &of(new, "k")));
        assert!(!serves(&of(old, "old"), &of(new, "new")));
    }

    #[test]
    fn circles_of_names_end() {
        assert_eq!(meaning("typedef A B; typedef B A; A f(void);", "f"), "A (void)");
    }

    #[test]
    fn constants_have_values() {
        let text = "enum e { a, b = 3, c, d = 0x10, e = (X), f };\n#define M  ( 1 << 3 )\n#define F(x) x\n";
        let values: Vec<String> =
            ["a", "b", "c", "d", "e", "f", "M"].iter().map(|n| meaning(text, n)).collect();
        assert_eq!(values, ["0", "3", "4", "16", "(X)", "(X) + 1", "(1 << 3)"]);
        assert!(interface(text).get("F").is_none());
    }
}
