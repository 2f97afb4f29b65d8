//! Local changes that the ruleset knows by name.

use super::verdict::{has, tokens_of};
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
