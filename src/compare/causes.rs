//! Where each changed line comes from.
//!
//! Two releases and two rulesets give four trees. What is at a place with the new release and the old
//! rules as well is upstream's doing; what is there with the old release and the new rules as well is
//! the rules'; what neither gives alone is both together. What the forms have besides is a local
//! change. Each line is led through all trees by the lines that they have in common, so that each has
//! one cause and the sums match.

use std::collections::{BTreeMap, BTreeSet};

use super::result::{Cause, CauseCount, FileReport};
use crate::finding::Result;
use crate::git::{Side, changed_lines};
use crate::patch::FileChange;
use crate::text::{Files, TreePath};

/// The trees between two forms.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    /// Old release, old rules.
    pub old: Files,
    /// New release, old rules; none where the rules are the same.
    pub old_rules: Option<Files>,
    /// Old release, new rules; none where the rules are the same.
    pub new_rules: Option<Files>,
    /// New release, new rules.
    pub new: Files,
    /// Files that a template makes.
    pub templates: BTreeSet<TreePath>,
    /// Files of the old form that are as an import of other rules made them.
    pub old_foreign: BTreeSet<TreePath>,
    /// Such files of the new form.
    pub new_foreign: BTreeSet<TreePath>,
}

/// Which lines two texts have in common.
pub(super) enum Map {
    /// All.
    Same,
    /// By line, from 0: the line of the other text.
    Lines { there: Vec<Option<usize>>, back: Vec<Option<usize>> },
}

impl Map {
    pub(super) fn of(old: &[u8], new: &[u8]) -> Result<Map> {
        if old == new {
            return Ok(Map::Same);
        }
        let count = |text: &[u8]| text.split_inclusive(|byte| *byte == b'\n').count();
        let (mut there, mut back) = (vec![None; count(old)], vec![None; count(new)]);
        let mut join = |from: usize, to: usize| {
            if let (Some(there), Some(back)) = (there.get_mut(from), back.get_mut(to)) {
                (*there, *back) = (Some(to), Some(from));
            }
        };
        let (mut from, mut to) = (0, 0);
        for hunk in changed_lines(old, new)? {
            let start = if hunk.old.1 == 0 { hunk.old.0 } else { hunk.old.0 - 1 };
            while from < start {
                join(from, to);
                (from, to) = (from + 1, to + 1);
            }
            for side in hunk.sides {
                if side == Side::Both {
                    join(from, to);
                }
                from += usize::from(side != Side::New);
                to += usize::from(side != Side::Old);
            }
        }
        let left = count(old).saturating_sub(from);
        for n in 0..left {
            join(from + n, to + n);
        }
        Ok(Map::Lines { there, back })
    }

    fn there(&self, line: usize) -> Option<usize> {
        match self {
            Map::Same => Some(line),
            Map::Lines { there, .. } => there.get(line).copied().flatten(),
        }
    }

    pub(super) fn back(&self, line: usize) -> Option<usize> {
        match self {
            Map::Same => Some(line),
            Map::Lines { back, .. } => back.get(line).copied().flatten(),
        }
    }
}

/// The ways of one file from form to form.
struct Ways {
    /// From the old form to what was made of the old release.
    old: Map,
    /// From there to the new release with the old rules, and to the old release with the new rules.
    first: [Map; 2],
    /// From these to what is made of the new release.
    second: [Map; 2],
    /// From the first to the last of these.
    whole: Map,
    /// From there to the new form.
    new: Map,
    /// What a difference between release and form is, on either side.
    aside: [Cause; 2],
    /// What the rules' part in this file is called.
    by_rules: Cause,
}

impl Ways {
    fn of(trees: &Trees, file: &FileChange) -> Result<Ways> {
        let old_path = file.old.as_ref().map_or(&file.path, |version| &version.path);
        let new_path = &file.path;
        let get = |files: &Files, first: &TreePath, second: &TreePath| {
            files.get(first).or_else(|| files.get(second)).cloned().unwrap_or_default()
        };
        let text = |version: &Option<crate::patch::Version>| {
            version.as_ref().map(|version| version.bytes.clone()).unwrap_or_default()
        };
        let old = trees.old.get(old_path).cloned().unwrap_or_default();
        let new = trees.new.get(new_path).cloned().unwrap_or_default();
        let old_rules = match &trees.old_rules {
            Some(files) => get(files, new_path, old_path),
            None => new.clone(),
        };
        let new_rules = match &trees.new_rules {
            Some(files) => get(files, old_path, new_path),
            None => old.clone(),
        };
        let is_template = trees.templates.contains(old_path) || trees.templates.contains(new_path);
        let by_rules = if is_template { Cause::Template } else { Cause::Rules };
        let aside = |foreign: bool| if foreign { by_rules } else { Cause::Local };
        Ok(Ways {
            old: Map::of(&text(&file.old), &old)?,
            first: [Map::of(&old, &old_rules)?, Map::of(&old, &new_rules)?],
            second: [Map::of(&old_rules, &new)?, Map::of(&new_rules, &new)?],
            whole: Map::of(&old, &new)?,
            new: Map::of(&new, &text(&file.new))?,
            aside: [
                aside(trees.old_foreign.contains(old_path)),
                aside(trees.new_foreign.contains(new_path)),
            ],
            by_rules,
        })
    }

    /// Why a line of the old form, from 0, went.
    fn went(&self, line: usize) -> Cause {
        let Some(at) = self.old.there(line) else { return self.aside[0] };
        if self.whole.there(at).is_some() {
            return self.aside[1];
        }
        match [self.first[0].there(at).is_some(), self.first[1].there(at).is_some()] {
            [false, _] => Cause::Upstream,
            [true, false] => self.by_rules,
            [true, true] => Cause::Both,
        }
    }

    /// Why a line of the new form, from 0, came.
    fn came(&self, line: usize) -> Cause {
        let Some(at) = self.new.back(line) else { return self.aside[1] };
        if self.whole.back(at).is_some() {
            return self.aside[0];
        }
        match [self.second[0].back(at).is_some(), self.second[1].back(at).is_some()] {
            [true, _] => Cause::Upstream,
            [false, true] => self.by_rules,
            [false, false] => Cause::Both,
        }
    }
}

/// Gives each changed line of a file its cause.
pub(super) fn attribute(trees: &Trees, file: &FileChange, report: &mut FileReport) -> Result<()> {
    let ways = Ways::of(trees, file)?;
    for hunk in &mut report.hunks {
        let start = |(first, count): (usize, usize)| if count == 0 { first } else { first - 1 };
        let (mut old, mut new) = (start(hunk.old), start(hunk.new));
        for line in &mut hunk.lines {
            line.cause = match line.mark {
                '-' => Some(ways.went(old)),
                '+' => Some(ways.came(new)),
                _ => None,
            };
            old += usize::from(line.mark != '+');
            new += usize::from(line.mark != '-');
        }
    }
    Ok(())
}

/// The figures of all files.
pub(super) fn summed(files: &[FileReport]) -> BTreeMap<Cause, CauseCount> {
    let mut sum: BTreeMap<Cause, CauseCount> = BTreeMap::new();
    for (cause, count) in files.iter().flat_map(|file| &file.causes) {
        let to = sum.entry(*cause).or_default();
        to.changes += count.changes;
        to.added += count.added;
        to.deleted += count.deleted;
    }
    sum
}
