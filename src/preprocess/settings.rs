//! What is known of the macros before a text is read.

use std::collections::{BTreeMap, HashMap};

use super::condition;
use super::value::Value;
use crate::edit::RuleRef;
use crate::finding::{Error, Result};
use crate::rules::{MacroRule, MacroState, OneOf, Simplify};

/// Most combinations of alternatives; each condition is evaluated once for each.
const MAX_WORLDS: usize = 64;

/// Longest text that the values of macros which name each other may expand to, in bytes.
const MAX_EXPANSION: usize = 64 << 10;

/// What is known of one macro in one world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Nothing.
    Free,
    /// It is not defined.
    Undefined,
    /// It is defined, with this value as far as known.
    Defined(Value),
}

/// One macro that the settings speak of.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The rule that speaks of it.
    pub rule: RuleRef,
    /// The text of its value, where that is known.
    pub text: Option<String>,
    /// What is known, by world.
    pub known: Vec<Known>,
    /// The text with the values of the macros that it names put in, however deep.
    expansion: Option<Vec<u8>>,
    /// The expansion is an expression with operators of its own: it binds with what stands around.
    pub open: bool,
    /// The value takes the place of the guarded default.
    pub replaces: bool,
    /// An alternative or a range: the name may stand in conditions that it does not decide.
    pub varies: bool,
}

impl Entry {
    /// The text to put in place of the name where it binds with what stands around it.
    pub(super) fn open_text(&self) -> Option<&[u8]> {
        self.expansion.as_deref().filter(|_| self.open)
    }

    /// What is known in every world alike; `None` where worlds differ.
    pub fn settled(&self) -> Option<Known> {
        let first = *self.known.first()?;
        self.known.iter().all(|k| *k == first).then_some(first)
    }
}

/// Index of an entry.
pub type EntryId = usize;

/// The settings for one text.
#[derive(Clone, Debug)]
pub struct Settings {
    entries: Vec<Entry>,
    index: HashMap<Vec<u8>, EntryId>,
    worlds: usize,
    /// How far conditions are shortened.
    pub simplify: Simplify,
}

impl Settings {
    /// Settings from command line flags: `-D name[=value]` and `-U name`, last one wins. A value
    /// `5..`, `..5` or `2..5` is a range.
    ///
    /// # Errors
    /// A name is no identifier, or a range is empty.
    pub fn from_flags(
        defines: &[(String, Option<String>)],
        undefines: &[String],
        simplify: Simplify,
    ) -> Result<Settings> {
        let mut settings = Settings::empty(simplify);
        for (name, value) in defines {
            let state = match value {
                None => MacroState::Defined,
                Some(value) => parse_range(name, value)?.map_or_else(
                    || MacroState::Value(value.clone()),
                    |(lo, hi)| MacroState::Range(lo, hi),
                ),
            };
            settings.flag(name, &state, "-D")?;
        }
        for name in undefines {
            settings.flag(name, &MacroState::Undefined, "-U")?;
        }
        settings.resolve();
        Ok(settings)
    }

    /// Settings from rules, already chosen by release and profile. `replaces(rule)` says whether
    /// the rule's replacement belongs into the file at hand.
    ///
    /// # Errors
    /// The alternatives combine to more than 64 worlds.
    pub fn from_rules(
        macros: &[&MacroRule],
        one_of: &[&OneOf],
        simplify: Simplify,
        replaces: impl Fn(&MacroRule) -> bool,
    ) -> Result<Settings> {
        let mut settings = Settings::empty(simplify);
        settings.worlds =
            one_of.iter().fold(1, |n, rule| n.saturating_mul(rule.alternatives.len()));
        if settings.worlds > MAX_WORLDS {
            return Err(Error::usage(format!(
                "the ruleset's alternatives combine to {} cases, more than {MAX_WORLDS}",
                settings.worlds
            ))
            .hint("put alternatives that depend on each other into one rule"));
        }
        for rule in macros.iter().filter(|rule| rule.state != MacroState::Free) {
            for name in &rule.names {
                let mut entry = Entry::new(name, &rule.rule.name, &rule.state, settings.worlds);
                entry.replaces = rule.replace_in.is_some() && replaces(rule);
                settings.insert(entry);
            }
        }
        let mut stride = 1;
        for rule in one_of {
            settings.insert_alternatives(rule, stride);
            stride *= rule.alternatives.len();
        }
        settings.resolve();
        Ok(settings)
    }

    fn empty(simplify: Simplify) -> Settings {
        Settings { simplify, ..Settings::default() }
    }

    fn flag(&mut self, name: &str, state: &MacroState, flag: &str) -> Result<()> {
        let plain = |b: u8| b == b'_' || b == b'$' || b.is_ascii_alphanumeric() || b >= 0x80;
        let starts = name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
        if !starts || !name.bytes().all(plain) {
            return Err(Error::usage(format!("`{flag} {name}`: `{name}` is not a macro name")));
        }
        let rule = RuleRef::new("flag", &format!("{flag}{name}"));
        self.insert(Entry::new(name, &rule, state, 1));
        Ok(())
    }

    fn insert(&mut self, entry: Entry) {
        match self.index.get(entry.name.as_bytes()) {
            Some(&id) => self.entries[id] = entry,
            None => {
                self.index.insert(entry.name.clone().into_bytes(), self.entries.len());
                self.entries.push(entry);
            }
        }
    }

    /// World `w` takes alternative `w / stride % alternatives` of this rule.
    fn insert_alternatives(&mut self, rule: &OneOf, stride: usize) {
        let mut names: BTreeMap<&str, ()> = BTreeMap::new();
        for alternative in &rule.alternatives {
            names.extend(alternative.macros.keys().map(|name| (name.as_str(), ())));
        }
        for name in names.into_keys() {
            let mut entry = Entry::new(name, &rule.rule.name, &MacroState::Free, self.worlds);
            entry.varies = true;
            for (world, known) in entry.known.iter_mut().enumerate() {
                let choice = world / stride % rule.alternatives.len();
                let state = rule.alternatives[choice].macros.get(name);
                *known = first_known(state.unwrap_or(&MacroState::Free));
                if let Some(MacroState::Value(text)) = state {
                    *known = Known::Defined(condition::evaluate_in(
                        text.as_bytes(),
                        &Settings::default(),
                        0,
                    ));
                }
            }
            self.insert(entry);
        }
    }

    /// Works out values that are expressions, which may name other macros of the settings.
    fn resolve(&mut self) {
        for id in 0..self.entries.len() {
            let Some(expansion) = self.expand(id) else { continue };
            for world in 0..self.worlds {
                let value = condition::evaluate_in(&expansion, self, world);
                self.entries[id].known[world] = Known::Defined(value);
            }
            self.entries[id].open = condition::is_open(&expansion);
            self.entries[id].expansion = Some(expansion);
        }
    }

    /// The text of a value with all macros in it replaced as C does it: by tokens, and never inside
    /// itself. `None` where there is no text, or it grows too long to be worth anything.
    fn expand(&self, id: EntryId) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut open = vec![(id, condition::words(self.entries[id].text.as_deref()?).into_iter())];
        while let Some((_, words)) = open.last_mut() {
            let Some((word, replaceable)) = words.next() else {
                open.pop();
                continue;
            };
            out.push(b' ');
            let inner = self.find(&word).filter(|_| replaceable);
            match inner.and_then(|inner| Some((inner, self.entries[inner].text.as_deref()?))) {
                // A name inside its own value stands for nothing that is known: no integer at all.
                Some((inner, _)) if open.iter().any(|(id, _)| *id == inner) => {
                    out.extend_from_slice(b"0.0");
                }
                Some((inner, text)) => open.push((inner, condition::words(text).into_iter())),
                None => out.extend_from_slice(&word),
            }
            if out.len() > MAX_EXPANSION {
                return None;
            }
        }
        Some(out)
    }

    /// The entry of a name, splices taken out.
    pub fn find(&self, name: &[u8]) -> Option<EntryId> {
        self.index.get(name).copied()
    }

    /// An entry.
    pub fn entry(&self, id: EntryId) -> &Entry {
        &self.entries[id]
    }

    /// All entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Number of worlds: combinations of alternatives.
    pub fn worlds(&self) -> usize {
        self.worlds
    }
}

impl Default for Settings {
    /// Nothing is known of any macro.
    fn default() -> Settings {
        Settings { entries: Vec::new(), index: HashMap::new(), worlds: 1, simplify: Simplify::Full }
    }
}

impl Entry {
    fn new(name: &str, rule: &RuleRef, state: &MacroState, worlds: usize) -> Entry {
        let text = match state {
            MacroState::Value(text) => Some(text.clone()),
            _ => None,
        };
        Entry {
            name: name.to_owned(),
            rule: rule.clone(),
            text,
            known: vec![first_known(state); worlds],
            expansion: None,
            open: false,
            replaces: false,
            varies: matches!(state, MacroState::Range(..)),
        }
    }
}

fn first_known(state: &MacroState) -> Known {
    match state {
        MacroState::Free => Known::Free,
        MacroState::Undefined => Known::Undefined,
        MacroState::Defined | MacroState::Value(_) => Known::Defined(Value::Unknown),
        MacroState::Range(lo, hi) => Known::Defined(Value::range(*lo, *hi)),
    }
}

/// `lo..`, `..hi` or `lo..hi` (both inclusive); `None` where the text is no range.
fn parse_range(name: &str, text: &str) -> Result<Option<(Option<i64>, Option<i64>)>> {
    let Some((lo, hi)) = text.split_once("..") else { return Ok(None) };
    let bound = |text: &str| -> Option<Option<i64>> {
        if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
    };
    let (Some(lo), Some(hi)) = (bound(lo), bound(hi)) else { return Ok(None) };
    match (lo, hi) {
        (None, None) => Ok(None),
        (Some(lo), Some(hi)) if lo > hi => {
            Err(Error::usage(format!("`-D {name}={text}`: the range is empty"))
                .hint("write the smaller bound first"))
        }
        _ => Ok(Some((lo, hi))),
    }
}
