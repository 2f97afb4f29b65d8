//! From upstream's types to the kernel's names for them.

use std::collections::{BTreeMap, BTreeSet};

use super::headers::Headers;
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::rules::{ApiItem, ApiRule};
use crate::syntax::{TypeText, normalised};

/// Upstream's type to the kernel's name.
#[derive(Debug, Default)]
pub(super) struct TypeMap {
    names: BTreeMap<String, String>,
    /// Upstream's types that the kernel has no name for.
    unnamed: BTreeSet<String>,
}

impl TypeMap {
    pub(super) fn new(rules: &[&ApiRule], headers: &Headers<'_>) -> TypeMap {
        let mut names = BTreeMap::new();
        for rule in rules {
            if let ApiItem::Type(upstream) = &rule.item {
                // What a later release calls otherwise is the same type there.
                for name in upstream {
                    names.insert(name.clone(), rule.kernel_name.clone());
                }
            }
        }
        let unnamed = headers.typedefs().into_iter().filter(|name| !names.contains_key(*name));
        let unnamed = unnamed.map(str::to_string).collect();
        TypeMap { names, unnamed }
    }

    /// Whether the kernel calls a type so.
    pub(super) fn is_kernel_name(&self, name: &str) -> bool {
        self.names.values().any(|kernel| kernel == name)
    }

    /// The type in the kernel's names.
    pub(super) fn map(&self, ty: &TypeText) -> TypeText {
        TypeText { before: self.text(&ty.before), after: self.text(&ty.after) }
    }

    /// Any text of types in the kernel's names, spelt in one way.
    pub(super) fn text(&self, text: &str) -> String {
        let bytes = text.as_bytes();
        let code: Vec<_> = tokens(bytes).filter(|token| !token.is_trivia()).collect();
        let word = |at: usize| code.get(at).map(|token| token.text(bytes));
        let mut mapped = String::new();
        for (at, token) in code.iter().enumerate() {
            let own = String::from_utf8_lossy(&token.text(bytes)).into_owned();
            mapped.push_str(self.names.get(&own).unwrap_or(&own));
            let next = word(at + 1);
            // The kernel spells this type out.
            if own == "unsigned" && !next.is_some_and(|next| is_integer(&next)) {
                mapped.push_str(" int");
            }
            mapped.push(' ');
        }
        normalised(&mapped)
    }

    /// The first name in a mapped type that is upstream's.
    pub(super) fn unnamed(&self, ty: &TypeText) -> Option<String> {
        let text = ty.to_string();
        let bytes = text.as_bytes();
        let words = tokens(bytes).filter(|token| token.kind == TokenKind::Identifier);
        let mut words = words.map(|token| String::from_utf8_lossy(&token.text(bytes)).into_owned());
        words.find(|word| self.unnamed.contains(word))
    }
}

fn is_integer(word: &[u8]) -> bool {
    matches!(word, b"int" | b"char" | b"short" | b"long")
}

/// The type of a parameter of that type, without the qualifiers that only its own function sees.
pub(super) fn unqualified(ty: &TypeText) -> TypeText {
    let mut before = ty.before.as_str();
    if ty.after.is_empty() {
        for word in ["const", "restrict", "__restrict"] {
            let inner = before.strip_suffix(word).unwrap_or(before);
            if inner.ends_with([' ', '*']) {
                before = inner.trim_end();
            }
        }
    }
    TypeText { before: before.to_string(), after: ty.after.clone() }
}
