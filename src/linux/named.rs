//! Local changes that the ruleset knows by name.

use std::collections::BTreeMap;
use std::ops::Range;

use super::hunks::{Change, hunks, lines};
use super::verdict::{has, tokens_of};
use crate::edit::RuleRef;
use crate::preprocess::lexer::tokens;
use crate::rules::{LocalRule, Ruleset, Version, glob_matches};
use crate::text::{LineIndex, TreePath};

/// Fewest tokens of a line that goes by which it is known to be gone.
const TELLING: usize = 3;

/// Where rules are looked for.
#[derive(Clone, Copy)]
pub(super) struct Names<'a, 'p> {
    pub(super) ruleset: &'a Ruleset,
    /// The release that the tree was made from.
    pub(super) version: Version,
    pub(super) profile: &'p str,
}

/// Lines in tokens, with the line of each.
struct Lexed {
    tokens: Vec<Vec<u8>>,
    line_of: Vec<usize>,
}

impl Lexed {
    fn new(lines: &[&[u8]]) -> Lexed {
        let text = lines.concat();
        let index = LineIndex::new(&text);
        let (tokens, line_of) = tokens(&text)
            .filter(|token| !token.is_trivia())
            .map(|token| {
                let line = index.position(token.span.start as usize).line - 1;
                (token.text(&text).into_owned(), line)
            })
            .unzip();
        Lexed { tokens, line_of }
    }

    /// The lines that pieces stand on; those with no token have none that could be missing.
    fn touched(&self, pieces: &[String]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for piece in pieces.iter().map(|piece| tokens_of(piece.as_bytes())) {
            for (at, window) in self.tokens.windows(piece.len().max(1)).enumerate() {
                if window == piece {
                    found.push(self.line_of[at]..self.line_of[at + piece.len() - 1] + 1);
                }
            }
        }
        found
    }

    /// Lines with their tokens.
    fn by_line(&self) -> BTreeMap<usize, Vec<Vec<u8>>> {
        let mut all: BTreeMap<usize, Vec<Vec<u8>>> = BTreeMap::new();
        for (token, line) in self.tokens.iter().zip(&self.line_of) {
            all.entry(*line).or_default().push(token.clone());
        }
        all
    }
}

impl<'a> Names<'a, '_> {
    /// The rule that speaks of a change in a file from `gone` to `come`.
    pub(super) fn rule(
        &self,
        file: &TreePath,
        gone: &[&[u8]],
        come: &[&[u8]],
    ) -> Option<&'a LocalRule> {
        let (gone, come) = (tokens_of(&gone.concat()), tokens_of(&come.concat()));
        let one_of = |pieces: &[String], tokens: &[Vec<u8>]| {
            pieces.is_empty()
                || pieces.iter().any(|piece| has(tokens, &tokens_of(piece.as_bytes())))
        };
        self.ruleset.local.iter().find(|rule| {
            rule.rule.applies(self.version, self.profile)
                && rule.files.iter().any(|glob| glob_matches(glob, file.as_str()))
                && one_of(&rule.adds, &come)
                && one_of(&rule.removes, &gone)
        })
    }
}

/// Whether a rule accounts for all of a change: each line that comes has one of the rule's pieces, or
/// stands in `new`, which is what the import has in that place; each line that goes has one of the
/// pieces, is gone from there, stands in `again`, which is what comes in the whole hunk, or gives way to a line with a piece.
pub(super) fn explains(
    rule: &LocalRule,
    gone: &[&[u8]],
    come: &[&[u8]],
    new: &[Vec<u8>],
    again: &[Vec<u8>],
) -> bool {
    let (old, tree) = (Lexed::new(gone), Lexed::new(come));
    let pieces = |own: &[String]| [own, &rule.also].concat();
    let (removed, added) = (old.touched(&pieces(&rule.removes)), tree.touched(&pieces(&rule.adds)));
    let on = |lines: &[Range<usize>], line: usize| lines.iter().any(|range| range.contains(&line));
    let in_pairs = gone.len() == come.len();
    let was = old.by_line();
    // A line that loses some of its tokens says nothing new.
    let less = |line: &usize, tokens: &[Vec<u8>]| {
        let mut left = was.get(line).into_iter().flatten();
        in_pairs && on(&removed, *line) && tokens.iter().all(|one| left.any(|old| old == one))
    };
    tree.by_line()
        .iter()
        .all(|(line, tokens)| on(&added, *line) || has(new, tokens) || less(line, tokens))
        && was.iter().all(|(line, tokens)| {
            on(&removed, *line)
                || (in_pairs && on(&added, *line))
                || tokens.len() < TELLING
                || !has(new, tokens)
                || has(again, tokens)
        })
}

/// Whether no token changes.
pub(super) fn is_silent(gone: &[&[u8]], come: &[&[u8]]) -> bool {
    tokens_of(&gone.concat()) == tokens_of(&come.concat())
}

/// Changes that stand in one hunk, by the rules that speak of them.
pub(super) fn by_rule<'r>(
    hunk: Vec<Change>,
    rule: impl Fn(&Change, &[Change]) -> Option<&'r LocalRule>,
    silent: impl Fn(&Change) -> bool,
) -> Vec<(Option<&'r LocalRule>, Vec<Change>)> {
    let mut parts: Vec<(Option<&LocalRule>, Vec<Change>)> = Vec::new();
    let id = |rule: Option<&LocalRule>| rule.map(|rule| rule.rule.name.clone());
    // What changes no token goes with what stands above it.
    let mut waiting = Vec::new();
    let found: Vec<_> = hunk.iter().map(|change| rule(change, &hunk)).collect();
    for (change, found) in hunk.into_iter().zip(found) {
        let quiet = silent(&change);
        match parts.last_mut() {
            Some((_, last)) if quiet && found.is_none() => last.push(change),
            None if quiet && found.is_none() => waiting.push(change),
            Some((last, changes)) if id(*last) == id(found) => changes.push(change),
            _ => {
                waiting.push(change);
                parts.push((found, std::mem::take(&mut waiting)));
            }
        }
    }
    if !waiting.is_empty() {
        parts.push((None, waiting));
    }
    parts
}

/// The changes between two forms of a file, those that stand together and that one rule knows as one:
/// the first line in the second form, from 1, and the rule.
pub fn names(
    ruleset: &Ruleset,
    version: Version,
    profile: &str,
    file: &TreePath,
    base: &[u8],
    tree: &[u8],
) -> Vec<(usize, Option<RuleRef>)> {
    let (base, tree) = (lines(base), lines(tree));
    let names = Names { ruleset, version, profile };
    let come = |change: &Change| &tree[change.new.clone()];
    let gone = |change: &Change| &base[change.old.clone()];
    let rule = |change: &Change, _: &[Change]| names.rule(file, gone(change), come(change));
    let silent = |change: &Change| is_silent(gone(change), come(change));
    let parts = hunks(&base, &tree).into_iter().flat_map(|hunk| by_rule(hunk, rule, silent));
    parts
        .map(|(rule, changes)| {
            let line = changes.first().map_or(0, |change| change.new.start + 1);
            (line, rule.map(|rule| rule.rule.name.clone()))
        })
        .collect()
}
