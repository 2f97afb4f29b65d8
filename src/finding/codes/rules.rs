//! Mistakes in rules.

use super::Entries;

pub(super) const CODES: Entries = &[
    (
        "rule-conflict",
        "Two rules claim the same thing",
        "Which of them holds would depend on chance. Set them apart by `since` and `until`, or drop \
         one.",
    ),
    (
        "rule-file",
        "A file of the ruleset can't be read as one",
        "A ruleset holds plain text files in UTF-8, one rule a file, in a folder named after the \
         rule's kind.",
    ),
    (
        "rule-fixture",
        "A rule has no fixture, or an empty one",
        "The fixture shows what the rule changes and what it must leave alone. `ci/new-rule` makes \
         its stubs.",
    ),
    (
        "rule-key",
        "A rule has a key that its kind doesn't know",
        "A misspelt key would be ignored in silence. Correct or remove it.",
    ),
    (
        "rule-order",
        "The keys of a rule stand in another order than those of all rules",
        "One order makes rules quick to read. Move the key.",
    ),
    (
        "rule-place",
        "A rule for a tree's own changes names files that the library can't have",
        "It could never apply. Correct its globs, or the library's `paths`.",
    ),
    ("rule-toml", "A rule is no TOML", "Nothing of the rule can be used. Correct its syntax."),
    (
        "rule-value",
        "A value in a rule can't be meant",
        "The rule would do something else than it says. Correct the value at the place shown.",
    ),
];
