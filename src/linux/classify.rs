//! What a change in a file that comes from upstream's is, held against the new import.

use std::ops::Range;

use super::carry::Class;
use super::cover::module_lines;
use super::hunks::{Change, hunks, shown};
use super::merge::Places;
use super::named::recognise;
use super::verdict::{Verdict, judge};
use crate::rules::{LocalRule, Ruleset, Version};
use crate::text::TreePath;

/// Fewest bytes of text, blanks aside, by which lines are told to be the same.
const FEWEST_BYTES: usize = 12;

/// What changes are held against.
pub(super) struct Against<'a> {
    pub(super) ruleset: &'a Ruleset,
    /// The rules for local changes are those of this release, and profile.
    pub(super) base: Version,
    pub(super) profile: &'a str,
    /// The new release.
    pub(super) new: Version,
    /// Whether the new import exports a symbol.
    pub(super) exports: &'a dyn Fn(&str) -> bool,
}

/// One hunk with its class.
pub(super) struct Judged<'a> {
    pub(super) rule: Option<&'a LocalRule>,
    pub(super) class: Class,
    pub(super) reason: String,
    pub(super) changes: Vec<(Change, Class)>,
    pub(super) gone: Vec<u8>,
    pub(super) come: Vec<u8>,
    pub(super) text: String,
}

/// One file: as the release that the tree was made from has it, as the tree has it, and as the new
/// release has it, if it does.
pub(super) struct Texts<'t> {
    pub(super) base: &'t [&'t [u8]],
    pub(super) tree: &'t [&'t [u8]],
    pub(super) new: Option<&'t Places<'t>>,
    pub(super) new_lines: &'t [&'t [u8]],
}

impl<'a> Against<'a> {
    /// All hunks of one file.
    pub(super) fn file(&self, file: &TreePath, texts: &Texts<'_>) -> Vec<Judged<'a>> {
        let hunks = hunks(texts.base, texts.tree);
        hunks.into_iter().map(|hunk| self.hunk(file, texts, hunk)).collect()
    }

    fn hunk(&self, file: &TreePath, texts: &Texts<'_>, hunk: Vec<Change>) -> Judged<'a> {
        let text = shown(texts.base, texts.tree, &hunk);
        let lines = |lines: &[&[u8]], range: fn(&Change) -> Range<usize>| {
            hunk.iter().flat_map(|change| lines[range(change)].concat()).collect::<Vec<u8>>()
        };
        let gone = lines(texts.base, |change| change.old.clone());
        let come = lines(texts.tree, |change| change.new.clone());
        let rule = recognise(self.ruleset, self.base, self.profile, file, &gone, &come);
        let judged: Vec<_> = hunk.iter().map(|change| judge_change(texts, change)).collect();
        let (class, reason) = match self.known(rule, &gone, &come) {
            Some(known) => known,
            None => judged.iter().max_by_key(|(class, _)| *class).cloned().unwrap_or_default(),
        };
        let classes = judged.into_iter().map(|(class, _)| class);
        let changes = hunk.into_iter().zip(classes).collect();
        Judged { rule, class, reason, changes, gone, come, text }
    }

    /// What is known of a hunk without looking for it in the new release.
    fn known(&self, rule: Option<&LocalRule>, gone: &[u8], come: &[u8]) -> Option<(Class, String)> {
        if let Some(known) = rule.and_then(|rule| by_rule(rule, self.new)) {
            return Some(known);
        }
        let symbols = module_lines(come)?;
        let bare = gone.iter().all(u8::is_ascii_whitespace);
        (bare && symbols.iter().all(|symbol| (self.exports)(symbol))).then(|| {
            (Class::Generated, "the import writes modules and exports to files of their own".into())
        })
    }
}

/// What a rule knows of its change, held against a release.
pub(super) fn by_rule(rule: &LocalRule, new: Version) -> Option<(Class, String)> {
    if rule.generated {
        return Some((Class::Generated, "the import makes it itself".into()));
    }
    let since = rule.upstreamed.filter(|since| *since <= new)?;
    Some((Class::Upstreamed, format!("upstream has it since {since}")))
}

/// What one change is by itself, and why.
fn judge_change(texts: &Texts<'_>, change: &Change) -> (Class, String) {
    let Some(places) = texts.new else {
        return (Class::Conflict, "the new release has no such file".into());
    };
    let (base_at, new_at) = places.around(change);
    let (around, new) = (&texts.base[base_at.clone()], &texts.new_lines[new_at]);
    let come = &texts.tree[change.new.clone()];
    if has_lines(new, come) && !has_lines(around, come) {
        return (Class::Upstreamed, "the new release has the same lines there".into());
    }
    let before = &texts.base[base_at.start..change.old.start];
    let after = &texts.base[change.old.end..base_at.end];
    let tree = [before.concat(), come.concat(), after.concat()].concat();
    match judge(&around.concat(), &tree, &new.concat()) {
        Verdict::Same => (Class::Upstreamed, "the new release has the same tokens there".into()),
        Verdict::OtherWords => (Class::Upstreamed, "the new release has it in other words".into()),
        Verdict::Silent | Verdict::Absent if places.fits(change).is_some() => {
            (Class::Local, "the new release hasn't got it, and its place is still there".into())
        }
        Verdict::Silent | Verdict::Absent => {
            (Class::Conflict, "the new release has changed the place".into())
        }
    }
}

/// Whether `lines` has `wanted` one after the other, whatever the layout within them.
fn has_lines(lines: &[&[u8]], wanted: &[&[u8]]) -> bool {
    let trimmed = |line: &&[u8]| line.trim_ascii().to_vec();
    let filled = |lines: &[&[u8]]| -> Vec<Vec<u8>> {
        lines.iter().map(trimmed).filter(|line| !line.is_empty()).collect()
    };
    let (lines, wanted) = (filled(lines), filled(wanted));
    let bytes: usize = wanted.iter().map(Vec::len).sum();
    bytes >= FEWEST_BYTES && lines.windows(wanted.len()).any(|window| window == wanted)
}
