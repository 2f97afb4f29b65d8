//! A tree's changes in code that the wanted profile folds away: the normal form doesn't show them, and
//! they are told of all the same.

use super::{Carrier, Class, Local, by_rule};
use crate::finding::{Error, Result};
use crate::linux::classify::{Against, Texts, has_lines, judge_change};
use crate::linux::hunks::{Change, hunks, lines, shown};
use crate::linux::merge::Places;
use crate::linux::named::{Names, is_silent};
use crate::linux::normal::{Means, Normal};
use crate::memo::Memo;
use crate::pipeline::OutputFile;
use crate::rules::{Decision, LocalRule};
use crate::text::{Files, Span, TreePath};

/// Why such a change is carried nowhere.
const REASON: &str = "it stands in code that the profile folds away, so it has no effect there";

impl Carrier<'_> {
    /// Finds them in all files of which the text is known that they were made with.
    pub(super) fn hidden(&mut self, against: &Against<'_>) -> Result<()> {
        let base = self.base;
        let Some(raw) = &base.raw else { return Ok(()) };
        let mut all = Vec::new();
        for (path, from) in &raw.files {
            let written = self.target.imported.generated.contains_key(path);
            if let Some(here) = base.tree.get(path).filter(|_| !written) {
                let release = base.release.as_ref().zip(from.upstream.as_ref());
                let upstream = release.and_then(|(release, path)| release.files.get(path));
                let found = without_effect(from, here, upstream.map_or(b"", |bytes| bytes));
                self.count(&found)?;
                all.extend(found.into_iter().map(|hunk| (path, from, here, hunk)));
            }
        }
        if all.is_empty() {
            return Ok(());
        }
        let new = self.raw_new(&raw.profile)?;
        for (path, from, here, hunk) in all {
            let local = self.hidden_hunk(against, path, (from, here, new.get(path)), &hunk);
            if local.fate == super::Fate::Kept {
                return Err(cant_keep(&local));
            }
            self.locals.push(local);
        }
        Ok(())
    }

    /// The new release, imported as the tree's own files were.
    fn raw_new(&self, profile: &str) -> Result<Normal> {
        let mut profiles = self.ruleset.library.profiles.iter();
        let Some(profile) = profiles.find(|one| one.name == profile) else {
            return Ok(Normal::new());
        };
        let target = self.tree.target(&self.ruleset.library);
        let (version, ruleset) = (self.target.version, self.ruleset);
        let derived = self.target.imported.derived.values();
        let upstream =
            |file: &OutputFile| Some((file.upstream.clone()?, file.source.bytes.clone()));
        let files: Files = derived.filter_map(upstream).collect();
        let means = Means { version, ruleset, target: &target, memo: &Memo::off() };
        Ok(means.derive(&files, profile)?.files)
    }

    fn hidden_hunk(
        &self,
        against: &Against<'_>,
        path: &TreePath,
        (from, here, new): (&OutputFile, &OutputFile, Option<&OutputFile>),
        hunk: &[Change],
    ) -> Local {
        let (old, tree) = (lines(&from.source.bytes), lines(&here.source.bytes));
        let new = new.map(|file| lines(file.text.bytes()));
        let places = new.as_deref().map(|new| Places::new(&old, new));
        let new_lines = new.as_deref().unwrap_or_default();
        let texts = Texts { base: &old, tree: &tree, new: places.as_ref(), new_lines };
        let gone: Vec<&[u8]> = hunk.iter().flat_map(|one| &old[one.old.clone()]).copied().collect();
        let come: Vec<&[u8]> =
            hunk.iter().flat_map(|one| &tree[one.new.clone()]).copied().collect();
        let names =
            Names { ruleset: self.ruleset, version: against.base, profile: against.profile };
        let rule = names.rule(path, &gone, &come).filter(|rule| explains(rule, against));
        let judged = hunk.iter().map(|change| judge_change(&texts, change));
        let (class, reason) = rule
            .and_then(|rule| by_rule(rule, against.new))
            .or_else(|| judged.max_by_key(|(class, _)| *class))
            .filter(|(class, _)| *class < Class::Local)
            .unwrap_or((Class::Conflict, REASON.to_owned()));
        let text = shown(&old, &tree, hunk);
        let at = tree_lines(hunk);
        self.local(path, at, rule, class, reason, (&gone.concat(), &come.concat()), text)
    }
}

/// Whether a rule says that its change goes. One that wants it carried speaks of what has an effect.
fn explains(rule: &LocalRule, against: &Against<'_>) -> bool {
    let drops = matches!(rule.decision, Some((Decision::Drop, _)));
    let keeps = matches!(rule.decision, Some((Decision::Keep, _)));
    drops || !keeps && by_rule(rule, against.new).is_some()
}

/// The changes of a tree's own text that leave the normal form as it is, in hunks.
fn without_effect(from: &OutputFile, here: &OutputFile, upstream: &[u8]) -> Vec<Vec<Change>> {
    if from.source.bytes == here.source.bytes {
        return Vec::new();
    }
    let (old, tree) = (Left::new(from), Left::new(here));
    let (old_lines, tree_lines) = (lines(&from.source.bytes), lines(&here.source.bytes));
    let upstream = lines(upstream);
    let hunks = hunks(&old_lines, &tree_lines);
    let all: Vec<Change> = hunks.iter().flatten().cloned().collect();
    let ends = (old.lines(), tree.lines());
    let hidden = |at: usize, change: &Change| {
        let before = at.checked_sub(1).map_or((0, 0), |at| (all[at].old.end, all[at].new.end));
        let after = all.get(at + 1).map_or(ends, |one| (one.old.start, one.new.start));
        // A condition that changed shows in the lines beside it, which come or go with it.
        let above = (before.0..change.old.start).zip(before.1..change.new.start);
        let below = (change.old.end..after.0).zip(change.new.end..after.1);
        let same = |(a, b): (usize, usize)| {
            old.of(a..a + 1).trim_ascii() == tree.of(b..b + 1).trim_ascii()
        };
        // Importers differ in the words of upstream's that they leave.
        let (gone, come) = (&old_lines[change.old.clone()], &tree_lines[change.new.clone()]);
        let is_upstreams = || is_silent(gone, come) && has_lines(&upstream, come);
        // What an importer folded away more is away in the new import too.
        let around = change.new.start.saturating_sub(1)..ends.1.min(change.new.end + 1);
        let is_folded = || tree.of(around.clone()) == tree_lines[around.clone()].concat();
        old.of(change.old.clone()) == tree.of(change.new.clone())
            && above.chain(below).all(same)
            && !is_upstreams()
            && !is_folded()
    };
    let mut at = 0..;
    let mut of_hunk = |hunk: &Vec<Change>| -> Vec<Change> {
        let numbered = hunk.iter().zip(at.by_ref()).filter(|(one, at)| hidden(*at, one));
        numbered.map(|(one, _)| one.clone()).collect()
    };
    hunks.iter().map(&mut of_hunk).filter(|hunk| !hunk.is_empty()).collect()
}

/// What the normal form leaves of a text's lines.
struct Left<'f> {
    file: &'f OutputFile,
    starts: Vec<usize>,
}

impl Left<'_> {
    fn new(file: &OutputFile) -> Left<'_> {
        let mut starts = vec![0];
        for line in lines(&file.source.bytes) {
            starts.push(starts.last().copied().unwrap_or_default() + line.len());
        }
        Left { file, starts }
    }

    fn lines(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, lines: std::ops::Range<usize>) -> Vec<u8> {
        self.file.text.left_of(Span::new(self.starts[lines.start], self.starts[lines.end]))
    }
}

/// The lines that a hunk changes in the tree, from 1; the line above where lines only go.
fn tree_lines(hunk: &[Change]) -> (usize, usize) {
    let start = hunk.first().map_or(0, |change| change.new.start);
    let end = hunk.last().map_or(0, |change| change.new.end);
    if start == end { (start, start) } else { (start + 1, end) }
}

fn cant_keep(local: &Local) -> Error {
    let (id, file, (first, last)) = (&local.id, &local.file, local.lines);
    Error::usage(format!(
        "`{id}` can't be kept: {file}, lines {first}-{last} of the tree's: {REASON}"
    ))
    .hint("drop it, or import with a profile that leaves that code in")
}
