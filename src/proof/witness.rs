//! Facts and settings in words.

use biodivine_lib_bdd::Bdd;

use super::facts::{Fact, Facts, Holder};
use crate::preprocess::settings::Settings;
use crate::rules::Active;

/// Most facts that are listed; there may be more.
const MAX_LISTED: usize = 6;

/// A setting for which `function` is true: `when X is not defined and Y is at least 3`.
pub(super) fn when(
    function: &Bdd,
    facts: &Facts<'_>,
    rules: &Active<'_>,
    settings: &Settings,
) -> String {
    if function.is_true() {
        return "always".into();
    }
    let example = facts.algebra.example(function);
    let mut said_all: Vec<String> = Vec::new();
    let worlds = worlds(&example, facts, settings);
    if worlds.len() < settings.worlds()
        && let [world, ..] = worlds.as_slice()
    {
        said_all.push(format!("the build is by {}", alternative(*world, rules)));
    }
    said_all.extend(telling(&example, facts));
    let more = said_all.len().saturating_sub(MAX_LISTED);
    said_all.truncate(MAX_LISTED);
    if more > 0 {
        said_all.push(format!("{more} more"));
    }
    format!("when {}", said_all.join(" and "))
}

/// The facts of an example, but for those that others of it imply.
fn telling(example: &[(usize, bool)], facts: &Facts<'_>) -> Vec<String> {
    let pairs: Vec<(&Fact, bool)> = example.iter().map(|(at, t)| (&facts.list[*at], *t)).collect();
    let implied = |fact: &Fact, truth: bool| {
        pairs.iter().any(|(other, known)| match (fact, other) {
            (Fact::Defined(a), Fact::AtLeast(b, _)) => truth && a == b,
            (Fact::AtLeast(a, low), Fact::AtLeast(b, high)) if a == b => match truth {
                true => *known && high > low,
                false => !*known && high < low,
            },
            _ => false,
        })
    };
    let telling = pairs.iter().filter(|(fact, truth)| !implied(fact, *truth));
    telling.filter_map(|(fact, truth)| said(fact, *truth)).collect()
}

/// The alternatives that an example leaves open.
fn worlds(example: &[(usize, bool)], facts: &Facts<'_>, settings: &Settings) -> Vec<usize> {
    let bits = example.iter().filter_map(|(at, truth)| match facts.list[*at] {
        Fact::World(bit) => Some((bit, *truth)),
        _ => None,
    });
    let bits: Vec<(u32, bool)> = bits.collect();
    let fits = |world: &usize| bits.iter().all(|(bit, truth)| (world >> bit & 1 == 1) == *truth);
    let fitting: Vec<usize> = (0..settings.worlds()).filter(fits).collect();
    // Numbers that no alternative has stand for the first.
    if fitting.is_empty() { vec![0] } else { fitting }
}

/// The names of the alternatives that make a world.
fn alternative(world: usize, rules: &Active<'_>) -> String {
    let (mut stride, mut names) = (1, Vec::new());
    for rule in &rules.one_of {
        let count = rule.alternatives.len();
        names.push(rule.alternatives[world / stride % count].name.as_str());
        stride *= count;
    }
    names.join(" and ")
}

/// A fact, or its opposite, in words; `None` for what only tells alternatives apart.
pub(super) fn said(fact: &Fact, truth: bool) -> Option<String> {
    let not = |yes: &'static str, no: &'static str| if truth { yes } else { no };
    Some(match fact {
        Fact::World(_) => return None,
        Fact::Defined(holder) => format!("`{}` is {}", name(holder), not("defined", "not defined")),
        Fact::AtLeast(holder, bound) => {
            format!("`{}` is {} {bound}", name(holder), not("at least", "below"))
        }
        Fact::Words(words, _) => {
            let words = String::from_utf8_lossy(words);
            format!("`{}` is {}", words.trim_end(), not("true", "false"))
        }
    })
}

fn name((subject, _): &Holder) -> String {
    let text = [subject.name.as_slice(), &subject.call].concat();
    String::from_utf8_lossy(&text).into_owned()
}
