//! Local changes that the ruleset knows by name.

use super::hunks::{hunks, lines};
use super::verdict::{has, tokens_of};
use crate::edit::RuleRef;
use crate::rules::{LocalRule, Ruleset, Version, glob_matches};
use crate::text::TreePath;

/// The rule that speaks of a change in a file from `gone` to `come`.
pub(super) fn recognise<'r>(
    ruleset: &'r Ruleset,
    version: Version,
    profile: &str,
    file: &TreePath,
    gone: &[u8],
    come: &[u8],
) -> Option<&'r LocalRule> {
    let (gone, come) = (tokens_of(gone), tokens_of(come));
    let one_of = |pieces: &[String], tokens: &[Vec<u8>]| {
        pieces.is_empty() || pieces.iter().any(|piece| has(tokens, &tokens_of(piece.as_bytes())))
    };
    ruleset.local.iter().find(|rule| {
        rule.rule.applies(version, profile)
            && rule.files.iter().any(|glob| glob_matches(glob, file.as_str()))
            && one_of(&rule.adds, &come)
            && one_of(&rule.removes, &gone)
    })
}

/// The hunks between two forms of a file: the first line in the second form, from 1, and the rule that
/// knows the hunk.
pub fn names(
    ruleset: &Ruleset,
    version: Version,
    profile: &str,
    file: &TreePath,
    base: &[u8],
    tree: &[u8],
) -> Vec<(usize, Option<RuleRef>)> {
    let (base, tree) = (lines(base), lines(tree));
    let named = |hunk: Vec<super::hunks::Change>| {
        let gone: Vec<u8> =
            hunk.iter().flat_map(|change| base[change.old.clone()].concat()).collect();
        let come: Vec<u8> =
            hunk.iter().flat_map(|change| tree[change.new.clone()].concat()).collect();
        let line = hunk.first().map_or(0, |change| change.new.start + 1);
        let rule = recognise(ruleset, version, profile, file, &gone, &come);
        (line, rule.map(|rule| rule.rule.name.clone()))
    };
    hunks(&base, &tree).into_iter().map(named).collect()
}
