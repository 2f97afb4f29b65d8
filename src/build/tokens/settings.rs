//! Which macros are set how, when a file is compared before and after.

use std::collections::{BTreeMap, BTreeSet};

use super::directives::{Directive, directives};

/// Whom a setting is given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// True of the world that the output lives in, and so given to both sides.
    World,
    /// Given to the release's file only: the output must be the same without.
    HardWired,
    /// One file of the output now defines it so, and others may use that: given to both sides, and
    /// a definition in the output must say the same.
    Replaced,
}

/// One macro with a value, or undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The macro's name.
    pub(super) name: String,
    /// What it stands for (empty text is a value); `None`: undefined.
    pub(super) value: Option<String>,
    /// Whom it is given to.
    pub(super) kind: Kind,
}

impl Setting {
    /// A setting of [`Kind::World`].
    pub(super) fn world(name: &str, value: Option<&str>) -> Self {
        Setting { name: name.to_owned(), value: value.map(str::to_owned), kind: Kind::World }
    }

    /// A setting of [`Kind::HardWired`].
    pub(super) fn hard_wired(name: &str, value: Option<&str>) -> Self {
        Setting { kind: Kind::HardWired, ..Setting::world(name, value) }
    }

    /// A setting of [`Kind::Replaced`].
    pub(super) fn replaced(name: &str, value: &str) -> Self {
        Setting { kind: Kind::Replaced, ..Setting::world(name, Some(value)) }
    }

    /// As arguments. Undefined first, since the compiler may have a definition of its own.
    pub(super) fn arguments(&self) -> Vec<String> {
        let name = self.name.trim_end_matches(CALLED);
        let mut arguments = vec![format!("-U{name}")];
        if let Some(value) = &self.value {
            arguments.push(format!("-D{}={value}", self.name));
        }
        arguments
    }

    /// For people: one word, marked if the output isn't given it.
    pub(super) fn short(&self) -> String {
        let mark = if self.kind == Kind::HardWired { "(release only)" } else { "" };
        match &self.value {
            Some(value) => format!("-D{}={value}{mark}", self.name),
            None => format!("-U{}{mark}", self.name),
        }
    }
}

/// Behind the name of a macro that is called, also in [`Setting::name`].
const CALLED: &str = "(...)";

/// A macro that may be anything, and what is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Free {
    /// The macro's name, with `(...)` behind it if it is called like a function.
    pub(super) name: String,
    /// What it may be; `None`: undefined. Never empty.
    pub(super) choices: Vec<Option<String>>,
}

/// The macros that conditions of these texts name, without those of `taken` and without include
/// guards. Each may be undefined, 0, 1, or about any number that stands in a condition with it;
/// what is called, the compiler's own operators too, is 0 or 1.
pub(super) fn free(texts: &[&[u8]], taken: &BTreeSet<&str>) -> Vec<Free> {
    let mut found: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    let mut called = BTreeSet::new();
    for text in texts {
        let directives = directives(text);
        let guard = guard(&directives);
        for directive in &directives {
            let numbers = numbers(&directive.body);
            for (name, is_called) in condition_names(directive) {
                if taken.contains(name.as_str()) || guard == Some(&name) {
                    continue;
                }
                if is_called {
                    called.insert(name);
                } else {
                    found.entry(name).or_default().extend(&numbers);
                }
            }
        }
    }
    found.retain(|name, _| !called.contains(name));
    let objects = found.into_iter().map(|(name, numbers)| (name, choices(&numbers)));
    let functions = called.into_iter().map(|name| (name + CALLED, choices_of_called()));
    objects.chain(functions).map(|(name, choices)| Free { name, choices }).collect()
}

fn choices_of_called() -> Vec<Option<String>> {
    ["0", "1"].map(|value| Some(value.to_owned())).to_vec()
}

fn choices(numbers: &BTreeSet<i64>) -> Vec<Option<String>> {
    let mut values = BTreeSet::from([0, 1]);
    for number in numbers {
        values.extend([number - 1, *number, number + 1].iter().filter(|value| **value >= 0));
    }
    // Undefined more often than any one value: that is what a build mostly has.
    let undefined = std::iter::repeat_n(None, values.len().div_ceil(2));
    undefined.chain(values.iter().map(|value| Some(value.to_string()))).collect()
}

/// The name that keeps a header from being read twice: as a setting it would empty the file.
fn guard(directives: &[Directive]) -> Option<&String> {
    let [first, second, ..] = directives else { return None };
    let guarded = first.name == "ifndef" && second.name == "define" && first.body == second.body;
    guarded.then_some(&first.body)
}

/// Names and whether each is called.
fn condition_names(directive: &Directive) -> Vec<(String, bool)> {
    const CONDITIONAL: &[&str] = &["if", "elif", "ifdef", "ifndef", "elifdef", "elifndef"];
    if !CONDITIONAL.contains(&directive.name.as_str()) {
        return Vec::new();
    }
    let tokens: Vec<&str> = super::printed::split(&directive.body).collect();
    let mut names = Vec::new();
    let mut asked = false;
    for (at, token) in tokens.iter().enumerate() {
        let called = tokens.get(at + 1) == Some(&"(");
        // What is asked of one of the compiler's operators is no macro.
        let operator = token.starts_with("__has_");
        asked = (asked || operator && called) && *token != ")";
        let name = token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if name && *token != "defined" && (called || !asked && !operator) {
            names.push(((*token).to_owned(), called));
        }
    }
    names
}

fn numbers(body: &str) -> BTreeSet<i64> {
    super::printed::split(body)
        .filter_map(|token| token.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok())
        .collect()
}

/// Numbers that look random and are the same for the same seed (the SplitMix64 sequence).
pub(super) struct Sequence(u64);

impl Sequence {
    pub(super) fn new(seed: u64) -> Self {
        Sequence(seed)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed % bound as u64) as usize
    }
}

/// Ways to set the free macros: first as the compiler has them, then all undefined, then by chance,
/// but so that each choice of a macro has its turn before one of them comes again.
pub(super) struct Draw<'a> {
    free: &'a [Free],
    /// Choices of each macro that had no turn yet.
    decks: Vec<Vec<Option<String>>>,
    sequence: Sequence,
    drawn: usize,
}

impl<'a> Draw<'a> {
    pub(super) fn new(free: &'a [Free], seed: u64) -> Self {
        Draw { free, decks: vec![Vec::new(); free.len()], sequence: Sequence::new(seed), drawn: 0 }
    }

    /// The next way.
    pub(super) fn next(&mut self) -> Vec<Setting> {
        self.drawn += 1;
        let free = self.free.iter().zip(&mut self.decks);
        let mut settings = Vec::new();
        for (free, deck) in free {
            let value = match self.drawn {
                1 => break,
                2 if free.choices.contains(&None) => None,
                _ => {
                    if deck.is_empty() {
                        deck.clone_from(&free.choices);
                    }
                    deck.swap_remove(self.sequence.below(deck.len()))
                }
            };
            settings.push(Setting::world(&free.name, value.as_deref()));
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, taken: &[&str]) -> Vec<String> {
        let taken = taken.iter().copied().collect();
        free(&[text.as_bytes()], &taken).into_iter().map(|free| free.name).collect()
    }

    #[test]
    fn names_in_conditions_are_free_but_for_guard_and_taken() {
        let text = "#ifndef H\n#define H\n#if defined(A) && B > 3 || !defined C\n\
                    #elif __has_attribute(cold) && F(x)\n#ifdef TAKEN\n#define NOT_THIS\n";
        // `x` can't be told from a macro: it costs a setting without effect, no more.
        let expected = ["A", "B", "C", "x", "F(...)", "__has_attribute(...)"];
        assert_eq!(found(text, &["TAKEN"]), expected);
    }

    #[test]
    fn values_lie_about_the_numbers_compared_with() {
        let free = free(&[b"#if A >= 5L\n#endif\n"], &BTreeSet::new());
        let values: Vec<_> = free[0].choices.iter().flatten().map(String::as_str).collect();
        assert_eq!(values, ["0", "1", "4", "5", "6"]);
        assert!(free[0].choices.contains(&None));
    }

    #[test]
    fn the_same_seed_picks_the_same() {
        let free = free(&[b"#if A >= 5 && B\n#endif\n"], &BTreeSet::new());
        let draws = |seed| {
            let mut draw = Draw::new(&free, seed);
            (0..8).map(|_| draw.next()).collect::<Vec<_>>()
        };
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
        assert!(draws(7)[0].is_empty());
        assert!(draws(7)[1].iter().all(|setting| setting.value.is_none()));
    }

    #[test]
    fn every_choice_has_its_turn() {
        let free = free(&[b"#if A >= 5\n#endif\n"], &BTreeSet::new());
        let mut draw = Draw::new(&free, 3);
        let drawn: BTreeSet<_> =
            (0..2 + free[0].choices.len()).flat_map(|_| draw.next()).map(|a| a.value).collect();
        assert_eq!(drawn, free[0].choices.iter().cloned().collect());
    }

    #[test]
    fn a_macro_is_undefined_before_it_is_defined() {
        assert_eq!(Setting::world("A", Some("")).arguments(), ["-UA", "-DA="]);
        assert_eq!(Setting::hard_wired("A", None).arguments(), ["-UA"]);
        assert_eq!(Setting::world("F(...)", Some("0")).arguments(), ["-UF", "-DF(...)=0"]);
    }
}
