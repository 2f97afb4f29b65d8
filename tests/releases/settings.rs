//! Which macros are set how, when a file is compared before and after.

use std::collections::{BTreeMap, BTreeSet};

use crate::harness::directives::{Directive, directives};

/// One macro with a value, or undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The macro's name.
    pub(crate) name: String,
    /// What it stands for (empty text is a value); `None`: undefined.
    pub(crate) value: Option<String>,
    /// Whether the output is given it too. Not so what the rules have hard-wired: the output must
    /// be the same without.
    pub(crate) in_output: bool,
}

impl Setting {
    /// True of the world that the output lives in, and so given to both sides.
    pub(crate) fn world(name: &str, value: Option<&str>) -> Self {
        Setting { name: name.to_owned(), value: value.map(str::to_owned), in_output: true }
    }

    /// Given to the release's file only.
    pub(crate) fn hard_wired(name: &str, value: Option<&str>) -> Self {
        Setting { name: name.to_owned(), value: value.map(str::to_owned), in_output: false }
    }

    /// As arguments. Undefined first, since the compiler may have a definition of its own.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![format!("-U{}", self.name)];
        if let Some(value) = &self.value {
            arguments.push(format!("-D{}={value}", self.name));
        }
        arguments
    }
}

/// A macro that may be anything, and what is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Free {
    /// The macro's name.
    pub(crate) name: String,
    /// What it may be; `None`: undefined. Never empty.
    pub(crate) choices: Vec<Option<String>>,
}

/// The macros that conditions of these texts name, without those of `taken` and without include
/// guards. Each may be undefined, 0, 1, or about any number that stands in a condition with it.
pub(crate) fn free(texts: &[&[u8]], taken: &BTreeSet<&str>) -> Vec<Free> {
    let mut found: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for text in texts {
        let directives = directives(text);
        let guard = guard(&directives);
        for directive in &directives {
            let numbers = numbers(&directive.body);
            for name in condition_names(directive) {
                let out = taken.contains(name.as_str()) || guard == Some(&name);
                if !out {
                    found.entry(name).or_default().extend(&numbers);
                }
            }
        }
    }
    found.into_iter().map(|(name, numbers)| Free { name, choices: choices(&numbers) }).collect()
}

fn choices(numbers: &BTreeSet<i64>) -> Vec<Option<String>> {
    let mut values = BTreeSet::from([0, 1]);
    for number in numbers {
        values.extend([number - 1, *number, number + 1].iter().filter(|value| **value >= 0));
    }
    // Undefined as often as defined: that is what a build mostly has.
    let undefined = std::iter::repeat_n(None, values.len());
    undefined.chain(values.iter().map(|value| Some(value.to_string()))).collect()
}

/// The name that keeps a header from being read twice: as a setting it would empty the file.
fn guard(directives: &[Directive]) -> Option<&String> {
    let [first, second, ..] = directives else { return None };
    let guarded = first.name == "ifndef" && second.name == "define" && first.body == second.body;
    guarded.then_some(&first.body)
}

fn condition_names(directive: &Directive) -> Vec<String> {
    const CONDITIONAL: &[&str] = &["if", "elif", "ifdef", "ifndef", "elifdef", "elifndef"];
    if !CONDITIONAL.contains(&directive.name.as_str()) {
        return Vec::new();
    }
    let tokens: Vec<&str> = super::tokens::split(&directive.body).collect();
    let mut names = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let called = tokens.get(at + 1) == Some(&"(");
        let inside_has = at >= 2 && tokens[at - 2].starts_with("__has_");
        let name = token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        // What is called like a function has no number to be set to, and the compiler's own
        // operators can't be taken away.
        if name && !called && !inside_has && !token.starts_with("__has_") && *token != "defined" {
            names.push((*token).to_owned());
        }
    }
    names
}

fn numbers(body: &str) -> BTreeSet<i64> {
    super::tokens::split(body)
        .filter_map(|token| token.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok())
        .collect()
}

/// Numbers that look random and are the same for the same seed (the SplitMix64 sequence).
pub(crate) struct Sequence(u64);

impl Sequence {
    pub(crate) fn new(seed: u64) -> Self {
        Sequence(seed)
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed % bound as u64) as usize
    }
}

/// The `index`-th way to set the free macros: first as the compiler has them, then all undefined,
/// then by chance.
pub(crate) fn pick(free: &[Free], index: usize, sequence: &mut Sequence) -> Vec<Setting> {
    let mut choose = |macro_: &Free| match index {
        1 if macro_.choices.contains(&None) => None,
        _ => macro_.choices[sequence.below(macro_.choices.len())].clone(),
    };
    if index == 0 {
        return Vec::new();
    }
    free.iter().map(|free| Setting::world(&free.name, choose(free).as_deref())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, taken: &[&str]) -> Vec<String> {
        let taken = taken.iter().copied().collect();
        free(&[text.as_bytes()], &taken).into_iter().map(|free| free.name).collect()
    }

    #[test]
    fn names_in_conditions_are_free_but_for_guard_taken_and_called() {
        let text = "#ifndef H\n#define H\n#if defined(A) && B > 3 || !defined C\n\
                    #elif __has_attribute(cold) && F(x)\n#ifdef TAKEN\n#define NOT_THIS\n";
        // `x` can't be told from a macro: it costs a setting without effect, no more.
        assert_eq!(found(text, &["TAKEN"]), ["A", "B", "C", "x"]);
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
        let picks = |seed| {
            let mut sequence = Sequence::new(seed);
            (0..20).map(|index| pick(&free, index, &mut sequence)).collect::<Vec<_>>()
        };
        assert_eq!(picks(7), picks(7));
        assert_ne!(picks(7), picks(8));
        assert!(picks(7)[0].is_empty());
        assert!(picks(7)[1].iter().all(|setting| setting.value.is_none()));
    }

    #[test]
    fn a_macro_is_undefined_before_it_is_defined() {
        assert_eq!(Setting::world("A", Some("")).arguments(), ["-UA", "-DA="]);
        assert_eq!(Setting::hard_wired("A", None).arguments(), ["-UA"]);
    }
}
