//! What the library's headers offer to the rest of a kernel.

mod shape;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::edit::Traced;
use crate::finding::Label;
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::syntax::{Declarations, Definitions, Enumeration, normalised, parse};
use crate::text::{Source, Span, TreePath};
use shape::{Comparison, Shapes};

pub use shape::Shape;

/// What kind of thing a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A function.
    Function,
    /// A type.
    Type,
    /// A macro without arguments, or a constant of an enumeration.
    Constant,
    /// A macro with arguments.
    Macro,
}

impl Kind {
    /// The kind as findings name it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Function => "function",
            Kind::Type => "type",
            Kind::Constant => "constant",
            Kind::Macro => "macro",
        }
    }
}

/// A name that a header offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What it is.
    pub kind: Kind,
    /// What callers depend on: the signature of a function, the value of a constant. Empty for a
    /// type, which has a shape.
    meaning: String,
    /// The same with each name of a type followed to what it stands for.
    resolved: String,
    /// The declaration as a reader would write it.
    pub shown: String,
    /// What a type shows of itself.
    pub shape: Shape,
    /// Whether it is a type that is named behind `struct`, `union` or `enum`.
    pub is_tag: bool,
    source: Arc<Source>,
    span: Span,
}

impl Offer {
    /// Whether callers of the one can as well be given the other: it is spelt with the same names of
    /// types, whatever they stand for by now, or stands for the same.
    pub fn serves_as(&self, other: &Offer) -> bool {
        let same = self.meaning == other.meaning || self.resolved == other.resolved;
        // A call is a call; who names a macro alone is not seen here.
        let calls = |offer: &Offer| matches!(offer.kind, Kind::Macro | Kind::Function);
        let of_macro = self.kind == Kind::Macro || other.kind == Kind::Macro;
        if of_macro { calls(self) && calls(other) } else { self.kind == other.kind && same }
    }

    /// The last of the names that a type stands for.
    pub fn last_name(&self) -> &str {
        &self.resolved
    }

    /// The names of types that it is made of, each followed to the last that it stands for.
    pub fn made_of(&self) -> impl Iterator<Item = &str> {
        let members = match &self.shape {
            Shape::Members(members) => members.as_slice(),
            _ => &[],
        };
        let texts = members.iter().map(|(_, ty)| ty.as_str()).chain([self.resolved.as_str()]);
        texts.flat_map(|text| text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()))
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
    /// Structs, unions and enumerations, whose names are apart from all others.
    tags: BTreeMap<String, Offer>,
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
        let shapes = Shapes::of(read.iter().map(|(_, declarations)| declarations), &aliases);
        let mut interface = Interface::default();
        for (source, declarations) in &read {
            interface.typedefs(source, declarations, &shapes, &aliases);
            interface.tags(source, &shapes);
            interface.constants(source, declarations);
            interface.functions(source, declarations, &aliases);
        }
        interface.renamed();
        interface
    }

    /// What a name stands for.
    pub fn get(&self, name: &str) -> Option<&Offer> {
        self.offers.get(name)
    }

    /// Whether callers who know the type `old` of these headers find in `then`, of the headers `new`,
    /// what they know.
    pub fn keeps(&self, old: &Offer, new: &Interface, then: &Offer) -> bool {
        Comparison { old: self, new }.serves(&old.shape, &then.shape)
    }

    /// What the tag of a struct, union or enumeration stands for.
    pub fn tag(&self, name: &str) -> Option<&Offer> {
        self.tags.get(name)
    }

    /// All types, by the names of both kinds.
    pub fn types(&self) -> impl Iterator<Item = (&str, &Offer)> {
        let all = self.offers.iter().chain(&self.tags);
        all.filter(|(_, offer)| offer.kind == Kind::Type).map(|(name, offer)| (&**name, offer))
    }

    /// All names but tags, with what they stand for, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Offer)> {
        self.offers.iter().map(|(name, offer)| (name.as_str(), offer))
    }

    /// Old names that a macro keeps for types and functions are as good as the new.
    fn renamed(&mut self) {
        let constants = self.offers.iter().filter(|(_, offer)| offer.kind == Kind::Constant);
        let renamed = constants.filter_map(|(name, old)| {
            let new = self.offers.get(&old.meaning)?;
            let (source, span) = (Arc::clone(&old.source), old.span);
            let offer = Offer { source, span, ..new.clone() };
            matches!(new.kind, Kind::Type | Kind::Function).then(|| (name.clone(), offer))
        });
        let renamed: Vec<_> = renamed.collect();
        self.offers.extend(renamed);
    }

    fn add(&mut self, name: &str, offer: Offer) {
        self.offers.entry(name.to_owned()).or_insert(offer);
    }

    fn typedefs(
        &mut self,
        source: &Arc<Source>,
        declarations: &Declarations,
        shapes: &Shapes<'_>,
        aliases: &Aliases<'_>,
    ) {
        for typedef in &declarations.typedefs {
            let shown = format!("typedef {}", typedef.target.declare(&typedef.name));
            let offer = Offer {
                kind: Kind::Type,
                meaning: String::new(),
                resolved: aliases.follow(&typedef.name).to_owned(),
                shown,
                shape: shapes.of_name(&typedef.name),
                is_tag: false,
                source: Arc::clone(source),
                span: typedef.name_span,
            };
            self.add(&typedef.name, offer);
        }
    }

    /// Tags are declared wherever they stand.
    fn tags(&mut self, source: &Arc<Source>, shapes: &Shapes<'_>) {
        let bytes = &source.bytes;
        let mut word = None;
        for token in tokens(bytes).filter(|token| !token.is_trivia()) {
            let text = String::from_utf8_lossy(token.raw(bytes)).into_owned();
            if let Some(word) = word.take().filter(|_| token.kind == TokenKind::Identifier) {
                let offer = Offer {
                    kind: Kind::Type,
                    meaning: String::new(),
                    resolved: text.clone(),
                    shown: format!("{word} {text}"),
                    shape: shapes.of_tag(word, &text),
                    is_tag: true,
                    source: Arc::clone(source),
                    span: token.span,
                };
                self.tags.entry(text).or_insert(offer);
                continue;
            }
            word = ["struct", "union", "enum"].into_iter().find(|word| text == **word);
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
                shape: Shape::Hidden,
                is_tag: false,
                source: Arc::clone(source),
                span: function.name_span,
            };
            self.add(&function.name, offer);
        }
    }

    fn constants(&mut self, source: &Arc<Source>, declarations: &Declarations) {
        for (name, value, span) in declarations.enumerations.iter().flat_map(values) {
            self.constant(source, &name, &value, span);
        }
        for found in &declarations.macros {
            let value = normalised(&found.replacement);
            if found.takes_arguments {
                let offer = Offer {
                    kind: Kind::Macro,
                    ..constant(source, &found.name, "", found.name_span)
                };
                self.add(&found.name, Offer { shown: format!("{}()", found.name), ..offer });
            } else {
                self.constant(source, &found.name, &value, found.name_span);
            }
        }
    }

    fn constant(&mut self, source: &Arc<Source>, name: &str, value: &str, span: Span) {
        self.add(name, constant(source, name, value, span));
    }
}

fn constant(source: &Arc<Source>, name: &str, value: &str, span: Span) -> Offer {
    Offer {
        kind: Kind::Constant,
        meaning: value.to_owned(),
        resolved: value.to_owned(),
        shown: format!("{name} = {value}"),
        shape: Shape::Hidden,
        is_tag: false,
        source: Arc::clone(source),
        span,
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

    /// The last of the names that a name stands for.
    fn follow<'n>(&'n self, name: &'n str) -> &'n str {
        let mut word = name;
        for _ in 0..LONGEST_CHAIN {
            let Some(target) = self.targets.get(word) else { break };
            word = target;
        }
        word
    }

    /// A signature with every name of a type followed to its last.
    fn resolve(&self, signature: &str) -> String {
        let bytes = signature.as_bytes();
        let mut out = String::new();
        for token in tokens(bytes) {
            let text = token.text(bytes);
            let word: &str = &String::from_utf8_lossy(&text);
            let is_name = token.kind == TokenKind::Identifier;
            out.push_str(if is_name { self.follow(word) } else { word });
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
        assert_eq!(interface(text).get("F").map(|offer| offer.kind), Some(Kind::Macro));
    }

    #[test]
    fn types_have_shapes() {
        let shape = |text: &str, name: &str| interface(text).get(name).unwrap().shape.clone();
        let text = "typedef struct { int a; ctx *b; } P; typedef P k;\n\
                    struct S_s { int x; }; typedef struct S_s S; typedef struct O_s O;\n\
                    typedef enum { one = 1, two } E; typedef size_t (*F)(P p); typedef int I;\n";
        let members = |list: &[(&str, &str)]| {
            Shape::Members(list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect())
        };
        assert_eq!(shape(text, "k"), members(&[("a", "int"), ("b", "ctx *")]));
        assert_eq!(shape(text, "S"), members(&[("x", "int")]));
        assert_eq!(shape(text, "O"), Shape::Hidden);
        assert_eq!(shape(text, "I"), Shape::Plain("int".into()));
        assert!(matches!(shape(text, "F"), Shape::Plain(_)));
        assert_eq!(interface(text).tag("S_s").unwrap().shape, members(&[("x", "int")]));
        assert_eq!(interface(text).tag("O_s").unwrap().shape, Shape::Hidden);
        assert!(interface(text).get("O_s").is_none() && interface(text).tag("O").is_none());
        let fewer = shape("typedef struct { long c, a; } P;", "P");
        assert_eq!(shape(text, "k").lost(&fewer), ["b"]);
        assert_eq!(fewer.shown(), "{ c: long, a: long }");
    }

    #[test]
    fn types_keep_what_callers_know() {
        let keeps = |old: &str, new: &str| {
            let (old, new) = (interface(old), interface(new));
            old.keeps(old.get("T").unwrap(), &new, new.get("T").unwrap())
        };
        let old = "typedef enum { one = 1, two } T;";
        assert!(keeps(old, "typedef enum { zero, one, two, three } T;"));
        assert!(!keeps(old, "typedef enum { one = 1, two = 3 } T;"));
        let old = "typedef struct { int a, b; } T;";
        assert!(keeps(old, "typedef struct { int a; int b; int c; } other; typedef other T;"));
        for new in ["int b, a;", "int a; long b;", "int a;", "int c, a, b;"] {
            assert!(!keeps(old, &format!("typedef struct {{ {new} }} T;")), "{new}");
        }
        // Types of members may get other names.
        let old = "typedef enum { x } e_t; typedef struct { const e_t *e; } T;";
        assert!(keeps(old, "typedef enum { x } n_t; typedef struct { const n_t *e; } T;"));
        assert!(!keeps(old, "typedef enum { y } n_t; typedef struct { const n_t *e; } T;"));
        assert!(keeps("typedef struct s T;", "typedef struct other T;"));
        let renamed = "typedef struct { int a, b; } N;\n#define T N\n";
        assert!(keeps("typedef struct { int a, b; } T;", renamed));
        assert!(!keeps("typedef struct { int b; } T;", renamed));
        assert_eq!(interface(renamed).get("T").unwrap().kind, Kind::Type);
        assert!(!keeps("typedef int T;", "typedef long T;"));
    }
}
