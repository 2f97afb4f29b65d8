//! What an import did, file by file: upstream's lines beside those of the kernel form.
//!
//! An end of line that the rules left alone is one in both texts, so that both can be cut there. What
//! lies between two such cuts is either the same on both sides or was made by rules, which the trace
//! names.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::origin::{SaidRule, said};
use crate::edit::{RuleRef, Traced};
use crate::pipeline::{KernelTree, OutputFile};
use crate::rules::{Active, FileAction, glob_matches};
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
    let others = others.map(|path| {
        let skips = rules.files.iter().filter(|rule| match &rule.action {
            FileAction::Skip(globs) => globs.iter().any(|glob| glob_matches(glob, path.as_str())),
            _ => false,
        });
        let rules = skips.map(|rule| rule.rule.name.clone()).collect();
        LeftOut { path: format!("{root}/{path}"), rules }
    });
    others.collect()
}
