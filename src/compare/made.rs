//! What an import did, file by file: upstream's lines beside those of the kernel form.
//!
//! An end of line that the rules left alone is one in both texts, so that both can be cut there. What
//! lies between two such cuts is either the same on both sides or was made by rules, which the trace
//! names.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::origin::{self, SaidRule, said};
use crate::edit::{RuleRef, Traced};
use crate::pipeline::{KernelTree, OutputFile};
use crate::rules::Active;
use crate::text::Files;

/// All that an import did.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The files of the kernel form, by path.
    pub files: Vec<MadeFile>,
    /// The rules that had a hand in it, by name.
    pub rules: Vec<RuleUse>,
    /// Upstream's files that the kernel form has not.
    pub left_out: Vec<LeftOut>,
}

/// A file of the kernel form beside what it was made from.
#[derive(Clone, Debug)]
pub struct MadeFile {
    /// Its path.
    pub path: String,
    /// What it was made from: upstream's file below the top folder, or the template.
    pub source: String,
    /// The rule that wants it, for a template.
    pub template: Option<RuleRef>,
    /// Upstream's text; empty for a template.
    pub old: Arc<[u8]>,
    /// The kernel form.
    pub new: Arc<[u8]>,
    /// What differs, in order. All lines between are the same in both texts.
    pub groups: Vec<Group>,
}

/// Lines that rules made, came or went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Upstream's lines, counted from 0.
    pub old: Range<usize>,
    /// The kernel form's.
    pub new: Range<usize>,
    /// Both in parts that stand for each other, in order.
    pub parts: Vec<(Range<usize>, Range<usize>)>,
    /// The rules at work, sorted; never empty.
    pub rules: Vec<RuleRef>,
}

/// What a rule did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleUse {
    /// The rule, with its reason.
    pub rule: SaidRule,
    /// Groups of lines that it had a hand in.
    pub groups: usize,
    /// Files with such groups.
    pub files: usize,
}

/// A file of upstream's that no file of the kernel form comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Its path below the top folder.
    pub path: String,
    /// The rules that say so; none where no rule takes it.
    pub rules: Vec<RuleRef>,
}

impl Made {
    /// What `rules` made of the release's files, which are below the library root.
    pub fn of(tree: &KernelTree, rules: &Active<'_>, release: &Files) -> Made {
        let files = tree.files.iter().map(|(path, file)| made(path.as_str(), file));
        let files: Vec<MadeFile> = files.collect();
        let (rules_used, left_out) = (used(&files, rules), left_out(tree, rules, release));
        Made { files, rules: rules_used, left_out }
    }
}

fn made(path: &str, file: &OutputFile) -> MadeFile {
    let new = Arc::clone(file.text.bytes());
    let (old, groups) = match &file.template {
        None => (Arc::clone(&file.source.bytes), groups(&file.source.bytes, &file.text)),
        Some(rule) => {
            let all = 0..lines(&new).len();
            let parts = vec![(0..0, all.clone())];
            let group = Group { old: 0..0, new: all, parts, rules: vec![rule.clone()] };
            (
                Arc::default(),
                Some(group).filter(|group| !group.new.is_empty()).into_iter().collect(),
            )
        }
    };
    let source = file.source.name.clone();
    MadeFile { path: path.to_owned(), source, template: file.template.clone(), old, new, groups }
}

/// The lines of a text with their ends; what stands behind the last end counts unless it is empty.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// A walk through both texts from cut to cut.
struct Walk<'t> {
    old: Vec<&'t [u8]>,
    new: Vec<&'t [u8]>,
    /// Lines behind the last cut.
    at: (usize, usize),
    /// Rules since the last cut.
    rules: BTreeSet<&'t RuleRef>,
    groups: Vec<Group>,
}

/// What differs between upstream's text and a text that was made from it.
pub fn groups(old: &[u8], text: &Traced) -> Vec<Group> {
    let (old_lines, new_lines) = (lines(old), lines(text.bytes()));
    let (old_ends, new_ends) = (line_ends(old), line_ends(text.bytes()));
    let ends = (old_lines.len(), new_lines.len());
    let mut walk = Walk {
        old: old_lines,
        new: new_lines,
        at: (0, 0),
        rules: BTreeSet::new(),
        groups: Vec::new(),
    };
    for run in text.runs() {
        let Some(rules) = run.rules else {
            let first = new_ends.partition_point(|end| *end < run.to.start as usize);
            let kept = new_ends[first..].iter().take_while(|end| **end < run.to.end as usize);
            for (n, end) in kept.enumerate() {
                let there = run.from.start as usize + (end - run.to.start as usize);
                // Both are the same byte, an end of line.
                let line = old_ends.partition_point(|end| *end < there);
                walk.cut((line + 1, first + n + 1));
            }
            continue;
        };
        walk.rules.extend(rules);
    }
    walk.cut(ends);
    walk.groups
}

/// Where lines end.
fn line_ends(text: &[u8]) -> Vec<usize> {
    memchr::memchr_iter(b'\n', text).collect()
}

impl Walk<'_> {
    /// Goes on to the next cut, which is behind some lines of both texts.
    fn cut(&mut self, to: (usize, usize)) {
        let (mut old, mut new) = (self.at.0..to.0, self.at.1..to.1);
        self.at = to;
        let rules = std::mem::take(&mut self.rules);
        let same = |walk: &Self, one: usize, other: usize| walk.old[one] == walk.new[other];
        while !old.is_empty() && !new.is_empty() && same(self, old.start, new.start) {
            (old.start, new.start) = (old.start + 1, new.start + 1);
        }
        while !old.is_empty() && !new.is_empty() && same(self, old.end - 1, new.end - 1) {
            (old.end, new.end) = (old.end - 1, new.end - 1);
        }
        if old.is_empty() && new.is_empty() {
            return;
        }
        let rules: Vec<RuleRef> = rules.into_iter().cloned().collect();
        match self.groups.last_mut() {
            Some(last) if last.rules == rules && last.ends_at(&old, &new) => {
                (last.old.end, last.new.end) = (old.end, new.end);
                last.parts.push((old, new));
            }
            _ => {
                let parts = vec![(old.clone(), new.clone())];
                self.groups.push(Group { old, new, parts, rules });
            }
        }
    }
}

impl Group {
    fn ends_at(&self, old: &Range<usize>, new: &Range<usize>) -> bool {
        self.old.end == old.start && self.new.end == new.start
    }
}

/// The rules of all groups, with figures.
fn used(files: &[MadeFile], rules: &Active<'_>) -> Vec<RuleUse> {
    let mut uses: BTreeMap<&RuleRef, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for file in files {
        for rule in file.groups.iter().flat_map(|group| &group.rules) {
            let (groups, files) = uses.entry(rule).or_default();
            *groups += 1;
            files.insert(&file.path);
        }
    }
    let known = rules.rules();
    let uses = uses.into_iter().map(|(name, (groups, files))| RuleUse {
        rule: said(&known, name),
        groups,
        files: files.len(),
    });
    uses.collect()
}

fn left_out(tree: &KernelTree, rules: &Active<'_>, release: &Files) -> Vec<LeftOut> {
    let taken: BTreeSet<_> =
        tree.files.values().filter_map(|file| file.upstream.as_ref()).collect();
    let root = &rules.ruleset.library.root;
    let others = release.keys().filter(|path| !taken.contains(path));
    let others = others.map(|path| LeftOut {
        path: format!("{root}/{path}"),
        rules: origin::left_out(rules, path),
    });
    others.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::edit::EditSet;
    use crate::text::Span;

    /// A text after some edits, each a span, a text and a rule.
    fn edited(text: Traced, edits: &[(usize, usize, &str, &str)]) -> Traced {
        let mut set = EditSet::default();
        for (start, end, text, rule) in edits {
            set.replace(Span::new(*start, *end), *text, &RuleRef::new("test", rule));
        }
        text.apply(set).unwrap()
    }

    fn found(text: &str, edits: &[(usize, usize, &str, &str)]) -> Vec<String> {
        let traced = edited(Traced::new(text.as_bytes()), edits);
        let all = groups(text.as_bytes(), &traced).into_iter();
        let shown = |group: Group| {
            let rules: Vec<&str> = group.rules.iter().map(RuleRef::as_str).collect();
            format!("{:?} {:?} {} {}", group.old, group.new, group.parts.len(), rules.join(" "))
        };
        all.map(shown).collect()
    }

    #[test]
    fn lines_are_grouped_by_what_made_them() {
        let text = "one\ntwo\nthree\nfour\n";
        assert_eq!(found(text, &[]), Vec::<String>::new());
        assert_eq!(found(text, &[(4, 7, "2", "a")]), ["1..2 1..2 1 test/a"]);
        // What goes with its end of line stands before the line behind it, or after the one before it.
        assert_eq!(found(text, &[(4, 8, "", "a")]), ["1..2 1..1 1 test/a"]);
        assert_eq!(found(text, &[(3, 7, "", "a")]), ["1..2 1..1 1 test/a"]);
        assert_eq!(found(text, &[(4, 4, "new\n", "a")]), ["1..1 1..2 1 test/a"]);
        assert_eq!(found(text, &[(19, 19, "last", "a")]), ["4..4 4..5 1 test/a"]);
        // Neighbours stay apart where others made them.
        let both = [(0, 3, "1", "a"), (4, 7, "2", "a")];
        assert_eq!(found(text, &both), ["0..2 0..2 2 test/a"]);
        let both = [(0, 3, "1", "a"), (4, 7, "2", "b")];
        assert_eq!(found(text, &both), ["0..1 0..1 1 test/a", "1..2 1..2 1 test/b"]);
        assert_eq!(found(text, &[(0, 3, "1", "a"), (4, 7, "two", "b")]), ["0..1 0..1 1 test/a"]);
    }

    proptest! {
        /// Whatever two stages do: lines outside groups are the same in both texts, each group has a
        /// rule, and its parts are all of it.
        #[test]
        fn nothing_is_lost(
            text in "[ab\n]{0,40}",
            first in prop::collection::vec((0usize..40, 0usize..6, "[ab\n]{0,4}"), 0..4),
            second in prop::collection::vec((0usize..40, 0usize..6, "[ab\n]{0,4}"), 0..4),
        ) {
            let mut traced = Traced::new(text.as_bytes());
            for (name, edits) in [("one", &first), ("two", &second)] {
                let len = traced.bytes().len();
                let (mut at, mut list) = (0, Vec::new());
                for (skip, length, text) in edits {
                    let start = (at + skip % 12).min(len);
                    let end = (start + length).min(len);
                    list.push((start, end, text.as_str(), name));
                    at = end;
                }
                traced = edited(traced, &list);
            }
            let (old, new) = (lines(text.as_bytes()), lines(traced.bytes()));
            let (mut before, mut after) = (0, 0);
            for group in groups(text.as_bytes(), &traced) {
                prop_assert!(!group.rules.is_empty());
                prop_assert_eq!(&old[before..group.old.start], &new[after..group.new.start]);
                let (mut from, mut to) = (group.old.start, group.new.start);
                for (one, other) in &group.parts {
                    prop_assert_eq!((one.start, other.start), (from, to));
                    (from, to) = (one.end, other.end);
                }
                prop_assert_eq!((from, to), (group.old.end, group.new.end));
                (before, after) = (from, to);
            }
            prop_assert_eq!(&old[before..], &new[after..]);
        }
    }
}
