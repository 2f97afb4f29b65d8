//! What a change in a file that comes from upstream's is, held against the new import.

use super::carry::Class;
use super::cover::module_lines;
use super::hunks::{Change, shown};
use super::merge::Places;
use super::named::{Names, by_rule as parts, explains, is_silent};
use super::verdict::{Verdict, has, judge, tokens_of};
use crate::rules::{Decision, LocalRule, Ruleset, Version};
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

impl<'t> Texts<'t> {
    /// The lines that go and those that come.
    fn of(&self, change: &Change) -> (&'t [&'t [u8]], &'t [&'t [u8]]) {
        (&self.base[change.old.clone()], &self.tree[change.new.clone()])
    }
}

impl<'a> Against<'a> {
    /// All hunks of one file; one that a rule knows in part is parted.
    pub(super) fn file(
        &self,
        file: &TreePath,
        texts: &Texts<'_>,
        hunks: Vec<Vec<Change>>,
    ) -> Vec<Judged<'a>> {
        let names = Names { ruleset: self.ruleset, version: self.base, profile: self.profile };
        let rule = |change: &Change, hunk: &[Change]| {
            let (gone, come) = texts.of(change);
            let rule = names.rule(file, gone, come)?;
            if !self.settles(rule) {
                return Some(rule);
            }
            let new = texts.new.map(|places| texts.new_lines[places.around(change).1].concat());
            let new = tokens_of(&new.unwrap_or_default());
            let again: Vec<u8> = hunk.iter().flat_map(|one| texts.of(one).1.concat()).collect();
            explains(rule, gone, come, &new, &tokens_of(&again)).then_some(rule)
        };
        // What is upstream by itself needs no name, and no entry of its own beside one with a name.
        let silent = |change: &Change| {
            let (gone, come) = texts.of(change);
            is_silent(gone, come) || judge_change(texts, change).0 == Class::Upstreamed
        };
        let parts = hunks.into_iter().flat_map(|hunk| parts(hunk, rule, silent));
        parts.map(|(rule, changes)| self.part(texts, rule, changes)).collect()
    }

    /// Whether a change goes because a rule says so.
    fn settles(&self, rule: &LocalRule) -> bool {
        let drops = matches!(rule.decision, Some((Decision::Drop, _)));
        drops || by_rule(rule, self.new).is_some()
    }

    fn part(
        &self,
        texts: &Texts<'_>,
        rule: Option<&'a LocalRule>,
        part: Vec<Change>,
    ) -> Judged<'a> {
        let text = shown(texts.base, texts.tree, &part);
        let gone: Vec<u8> = part.iter().flat_map(|change| texts.of(change).0.concat()).collect();
        let come: Vec<u8> = part.iter().flat_map(|change| texts.of(change).1.concat()).collect();
        let judged: Vec<_> = part.iter().map(|change| judge_change(texts, change)).collect();
        let (class, reason) = match self.known(rule, &gone, &come, texts) {
            Some(known) => known,
            None => judged.iter().max_by_key(|(class, _)| *class).cloned().unwrap_or_default(),
        };
        let classes = judged.into_iter().map(|(class, _)| class);
        let changes = part.into_iter().zip(classes).collect();
        Judged { rule, class, reason, changes, gone, come, text }
    }

    /// What is known of a hunk without looking for it in the new release.
    fn known(
        &self,
        rule: Option<&LocalRule>,
        gone: &[u8],
        come: &[u8],
        texts: &Texts<'_>,
    ) -> Option<(Class, String)> {
        let symbols = module_lines(come);
        // A name for exports doesn't speak of one that the import hasn't got, though it has the function.
        let has = |symbol: &str| {
            texts.new_lines.iter().any(|line| has(&tokens_of(line), &[symbol.as_bytes().to_vec()]))
        };
        let lacks = symbols.iter().flatten().any(|symbol| !(self.exports)(symbol) && has(symbol));
        let known = rule.and_then(|rule| by_rule(rule, self.new)).filter(|_| !lacks);
        if known.is_some() {
            return known;
        }
        symbols?;
        let bare = gone.iter().all(u8::is_ascii_whitespace);
        (bare && !lacks).then(|| {
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
    let (gone, come) = texts.of(change);
    let stays = || has(&tokens_of(&new.concat()), &tokens_of(&gone.concat()));
    if has_lines(new, come) && !has_lines(around, come) && !stays() {
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
