//! What callers see of a type besides its name.

use std::collections::{BTreeMap, BTreeSet};

use super::{Aliases, Interface, values};
use crate::preprocess::lexer::tokens;
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

/// Deepest that types of members are compared by what they show, where their names differ.
const DEPTH: usize = 2;

/// Compares types of older headers with those of newer ones.
pub(super) struct Comparison<'i> {
    /// The older headers.
    pub(super) old: &'i Interface,
    /// The newer ones.
    pub(super) new: &'i Interface,
}

impl Comparison<'_> {
    /// Whether callers who know a type of one shape find what they know in one of another. They may
    /// have listed its members in order, so that others may only follow.
    pub(super) fn serves(&self, old: &Shape, new: &Shape) -> bool {
        self.down(old, new, DEPTH)
    }

    fn down(&self, old: &Shape, new: &Shape, depth: usize) -> bool {
        match (old, new) {
            (Shape::Hidden, _) => true,
            // Nobody minds a constant more.
            (Shape::Constants(old), Shape::Constants(new)) => {
                let new: BTreeSet<_> = new.iter().collect();
                old.iter().all(|constant| new.contains(constant))
            }
            (Shape::Members(old), Shape::Members(new)) => {
                let same = |((a, old), (b, new)): (&(String, String), &(String, String))| {
                    a == b && self.alike(old, new, depth)
                };
                old.len() <= new.len() && old.iter().zip(new).all(same)
            }
            (Shape::Plain(old), Shape::Plain(new)) => self.alike(old, new, depth),
            _ => false,
        }
    }

    /// Whether two texts of types mean the same: upstream renames types.
    fn alike(&self, old: &str, new: &str, depth: usize) -> bool {
        if old == new {
            return true;
        }
        let split = |text: &str| {
            let tokens = tokens(text.as_bytes()).filter(|token| !token.is_trivia());
            let texts =
                tokens.map(|token| String::from_utf8_lossy(token.raw(text.as_bytes())).into());
            texts.collect::<Vec<String>>()
        };
        let (old, new) = (split(old), split(new));
        let renamed = |old: &String, new: &String| {
            let Some(depth) = depth.checked_sub(1) else { return false };
            let both = self.old.get(old).zip(self.new.get(new));
            both.is_some_and(|(old, new)| self.down(&old.shape, &new.shape, depth))
        };
        old.len() == new.len() && old.iter().zip(&new).all(|(a, b)| a == b || renamed(a, b))
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
