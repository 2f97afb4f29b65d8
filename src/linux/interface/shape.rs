//! What callers see of a type besides its name.

use std::collections::BTreeMap;

use super::{Aliases, values};
use crate::syntax::Declarations;

/// What a type shows of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Shape {
    /// Nothing: its members stand elsewhere, or it isn't a type at all.
    #[default]
    Hidden,
    /// Members with their types, in order.
    Members(Vec<(String, String)>),
    /// Constants with their values.
    Constants(Vec<(String, String)>),
    /// Another type.
    Plain(String),
}

impl Shape {
    /// Whether callers who know this one find in `new` what they know.
    pub fn serves_in(&self, new: &Shape) -> bool {
        match (self, new) {
            (Shape::Hidden, _) => true,
            // Nobody minds a constant more.
            (Shape::Constants(old), Shape::Constants(new)) => {
                old.iter().all(|constant| new.contains(constant))
            }
            _ => self == new,
        }
    }

    /// The names of members that `new` has not.
    pub fn lost<'s>(&'s self, new: &Shape) -> Vec<&'s str> {
        let Shape::Members(old) = self else { return Vec::new() };
        let has = |name: &str| match new {
            Shape::Members(new) => new.iter().any(|(other, _)| other == name),
            _ => false,
        };
        let names = old.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !name.is_empty() && !has(name)).collect()
    }

    /// As a reader would write it.
    pub fn shown(&self) -> String {
        let list = |items: &[(String, String)], gap: &str| {
            let items = items.iter().map(|(name, rest)| format!("{name}{gap}{rest}"));
            format!("{{ {} }}", items.collect::<Vec<_>>().join(", "))
        };
        match self {
            Shape::Hidden => "a type whose members are not shown".to_owned(),
            Shape::Members(members) => list(members, ": "),
            Shape::Constants(constants) => list(constants, " = "),
            Shape::Plain(text) => format!("`{text}`"),
        }
    }
}

/// The shapes of all types of some headers.
pub(super) struct Shapes<'a> {
    aliases: &'a Aliases<'a>,
    /// By `struct TAG` and the like, and by the name that a typedef gives.
    known: BTreeMap<String, Shape>,
    /// What typedefs name that are no other name.
    targets: BTreeMap<&'a str, String>,
}

impl<'a> Shapes<'a> {
    pub(super) fn of(
        all: impl Iterator<Item = &'a Declarations>,
        aliases: &'a Aliases<'a>,
    ) -> Shapes<'a> {
        let mut shapes = Shapes { aliases, known: BTreeMap::new(), targets: BTreeMap::new() };
        for declarations in all {
            for record in &declarations.records {
                let fields = record.fields.iter();
                let fields = fields.map(|f| (f.name.clone(), aliases.resolve(&f.ty.to_string())));
                let word = if record.is_union { "union" } else { "struct" };
                let shape = Shape::Members(fields.collect());
                shapes.add(word, record.tag.as_ref(), record.alias.as_ref(), &shape);
            }
            for found in &declarations.enumerations {
                let constants = values(found).into_iter().map(|(name, value, _)| (name, value));
                let shape = Shape::Constants(constants.collect());
                shapes.add("enum", found.tag.as_ref(), found.alias.as_ref(), &shape);
            }
            for typedef in &declarations.typedefs {
                let target = aliases.resolve(&typedef.target.to_string());
                shapes.targets.entry(&typedef.name).or_insert(target);
            }
        }
        shapes
    }

    fn add(&mut self, word: &str, tag: Option<&String>, alias: Option<&String>, shape: &Shape) {
        let names = tag.map(|tag| format!("{word} {tag}")).into_iter().chain(alias.cloned());
        for name in names {
            self.known.entry(name).or_insert_with(|| shape.clone());
        }
    }

    /// The shape of a typedef.
    pub(super) fn of_name(&self, name: &str) -> Shape {
        let last = self.aliases.follow(name);
        if let Some(shape) = self.known.get(last) {
            return shape.clone();
        }
        let target = self.targets.get(last).map_or(last, String::as_str);
        let is_tag = ["struct ", "union ", "enum "].iter().any(|word| target.starts_with(word));
        match self.known.get(target) {
            Some(shape) => shape.clone(),
            None if is_tag && !target.contains(['*', '(', '[']) => Shape::Hidden,
            None => Shape::Plain(target.to_owned()),
        }
    }

    /// The shape of a tag, with the word before it.
    pub(super) fn of_tag(&self, word: &str, tag: &str) -> Shape {
        self.known.get(&format!("{word} {tag}")).cloned().unwrap_or_default()
    }
}
