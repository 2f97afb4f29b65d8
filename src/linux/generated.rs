//! Changes in files that the import writes from its own templates: their text doesn't matter, what they
//! offer does.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::base::Base;
use super::carry::Class;
use super::classify::by_rule;
use super::cover::{EXPORT, Offers, offers};
use super::hunks::{Change, hunks, lines, shown};
use super::items::{Item, Items, items};
use super::meaning::{Ours, Unexplained};
use super::named::{Names, explains};
use super::normal::Imported;
use super::verdict::tokens_of;
use crate::rules::{LocalRule, Version};
use crate::text::{Files, TreePath};

/// Folder of the headers that callers include.
const PUBLIC: &str = "include/";

/// Most names that a reason lists.
const MAX_NAMED: usize = 12;

/// A hunk, or a whole file where it is not known what it was at first.
#[derive(Clone)]
pub(super) struct Found<'a> {
    pub(super) rule: Option<&'a LocalRule>,
    pub(super) class: Class,
    pub(super) reason: String,
    /// First and last line in the tree, from 1.
    pub(super) lines: (usize, usize),
    pub(super) gone: Vec<u8>,
    pub(super) come: Vec<u8>,
    pub(super) text: String,
    /// What changes, from the text that the file had at first; nothing where that isn't known.
    pub(super) changes: Vec<Change>,
}

/// What the new import offers, in all its files.
pub(super) struct Cover<'a> {
    base: &'a Base,
    new: &'a Imported,
    files: Files,
    offered: BTreeMap<TreePath, Offers>,
    /// What the files that come from upstream name.
    words: OnceCell<BTreeSet<Vec<u8>>>,
}

impl<'a> Cover<'a> {
    pub(super) fn new(base: &'a Base, new: &'a Imported) -> Cover<'a> {
        let all = new.derived.iter().chain(&new.generated);
        let files: Files =
            all.map(|(place, file)| (place.clone(), Arc::clone(file.text.bytes()))).collect();
        let offered =
            files.iter().map(|(path, bytes)| (path.clone(), offers(path, bytes))).collect();
        Cover { base, new, files, offered, words: OnceCell::new() }
    }

    /// Whether some file of the import exports `symbol`.
    pub(super) fn exports(&self, symbol: &str) -> bool {
        self.offers(&format!("{EXPORT}{symbol}"))
    }

    fn offers(&self, name: &str) -> bool {
        self.offered.values().any(|offers| offers.contains_key(name))
    }

    /// Where such a file is not what it was at first, if that is known.
    pub(super) fn hunks(&self, path: &TreePath, bytes: &[u8]) -> Vec<Vec<Change>> {
        let at_first = self.base.added.get(path);
        at_first.map_or_else(Vec::new, |at_first| hunks(&lines(at_first), &lines(bytes)))
    }

    /// The changes in one file of the tree that the import writes from a template.
    pub(super) fn file(
        &self,
        names: Names<'a, '_>,
        target: Version,
        path: &TreePath,
        bytes: &[u8],
        hunks: Vec<Vec<Change>>,
    ) -> Vec<Found<'a>> {
        if self.files.get(path).is_some_and(|new| **new == *bytes) {
            return Vec::new();
        }
        let mut lacks =
            Lacks { names: self.missing(path, bytes), others: self.unexplained(path, bytes) };
        let tree = lines(bytes);
        let whole = Change { old: 0..0, new: 0..tree.len() };
        let Some(added) = self.base.added.get(path) else {
            return vec![found(None, &[whole], &mut lacks, bytes, String::new())];
        };
        let base = lines(added);
        let ours = self.files.get(path).map(|bytes| tokens_of(bytes)).unwrap_or_default();
        let mut all = Vec::new();
        for hunk in hunks {
            let gone: Vec<&[u8]> =
                hunk.iter().flat_map(|change| &base[change.old.clone()]).copied().collect();
            let come: Vec<&[u8]> =
                hunk.iter().flat_map(|change| &tree[change.new.clone()]).copied().collect();
            let rule = names.rule(path, &gone, &come);
            let accounts = rule.filter(|rule| by_rule(rule, target).is_some());
            lacks.others.retain(|one| {
                let mut changes = hunk.iter().filter(|change| is_in(one, change));
                let by_name = |change: &Change| {
                    let (gone, come) = (&base[change.old.clone()], &tree[change.new.clone()]);
                    accounts.is_some_and(|rule| explains(rule, gone, come, &ours, &[]))
                };
                !changes.any(by_name)
            });
            let text = shown(&base, &tree, &hunk);
            let mut one = found(rule, &hunk, &mut lacks, &come.concat(), text);
            one.gone = gone.concat();
            one.changes = hunk;
            all.push(one);
        }
        if !lacks.names.is_empty() || !lacks.others.is_empty() {
            all.push(found(None, &[whole], &mut lacks, bytes, String::new()));
        }
        all
    }

    /// What was changed in a file of which it is known what it was, and the import hasn't got.
    fn unexplained(&self, path: &TreePath, bytes: &[u8]) -> Vec<Unexplained> {
        let Some(added) = self.base.added.get(path) else { return Vec::new() };
        let here = self.files.get(path).map(|bytes| items(path, bytes)).unwrap_or_default();
        let named = |name: &str| self.named(name);
        let offers = |name: &str| self.offers(name);
        let is_gone = |name: &str| self.is_gone(path, name);
        let ours = Ours { here: &here, offers: &offers, named: &named, is_gone: &is_gone };
        let tree = items(path, bytes);
        let mut all = ours.unexplained(&items(path, added), &tree);
        // Names that nobody offers are told of as such.
        let lacking = self.missing(path, bytes);
        all.retain(|one| one.base.is_some() || !lacking.values().any(|at| one.tree == Some(*at)));
        all
    }

    /// The pieces of this name in all files.
    fn named(&self, name: &str) -> Vec<Item> {
        let has = |(path, _): &(&TreePath, &Offers)| {
            self.offered.get(*path).is_some_and(|offers| offers.contains_key(name))
        };
        let paths = self.offered.iter().filter(has).map(|(path, _)| path);
        let items = |path: &TreePath| -> Items {
            self.files.get(path).map(|bytes| items(path, bytes)).unwrap_or_default()
        };
        paths.flat_map(|path| items(path).remove(name).unwrap_or_default()).collect()
    }

    /// What a file of the tree offers and the import doesn't, with the lines.
    fn missing(&self, path: &TreePath, bytes: &[u8]) -> Offers {
        let public = path.as_str().starts_with(PUBLIC);
        let at_first = self.base.added.get(path).map(|bytes| offers(path, bytes));
        let is_missing = |name: &str| {
            if self.offers(name) || self.is_gone(path, name) {
                return false;
            }
            match &at_first {
                _ if public => true,
                // What the release's importer put there for itself is the import's own business.
                Some(at_first) => !at_first.contains_key(name),
                None if source(path, name).is_some_and(|source| self.is_own(&source)) => true,
                None => self.words.get_or_init(|| words(self.new)).contains(name.as_bytes()),
            }
        };
        offers(path, bytes).into_iter().filter(|(name, _)| is_missing(name)).collect()
    }

    /// Whether an object or source is listed that came from upstream and that upstream has no longer.
    fn is_gone(&self, path: &TreePath, name: &str) -> bool {
        let source = source(path, name);
        source.is_some_and(|source| self.base.has(&source) && !self.files.contains_key(&source))
    }

    /// Whether a source is the tree's own: neither release has it.
    fn is_own(&self, source: &TreePath) -> bool {
        let base = self.base;
        base.tree.contains_key(source) && !base.has(source) && !self.files.contains_key(source)
    }
}

/// The source that an object listed in the file at `path` is made from, or that is included there.
fn source(path: &TreePath, name: &str) -> Option<TreePath> {
    let of_object = name.strip_suffix(".o").map(|stem| format!("{stem}.c"));
    let source = of_object.as_deref().or_else(|| name.strip_suffix(".c").map(|_| name));
    path.resolve(source?)
}

/// The words of the files that come from upstream.
fn words(new: &Imported) -> BTreeSet<Vec<u8>> {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let texts = new.derived.values().map(|file| file.text.bytes());
    texts
        .flat_map(|bytes| bytes.split(move |byte| !word(byte)))
        .filter(|word| !word.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

/// What a file of the tree has and the import lacks.
struct Lacks {
    /// Names, with their lines.
    names: Offers,
    /// What is not told by a name alone.
    others: Vec<Unexplained>,
}

/// Whether a change is the one that something was changed by.
fn is_in(one: &Unexplained, change: &Change) -> bool {
    let within = |range: &std::ops::Range<usize>, line: Option<usize>| {
        line.is_some_and(|line| range.contains(&(line - 1)))
    };
    within(&change.new, one.tree) || within(&change.old, one.base)
}

/// One entry; takes what stands on its lines out of what is lacking.
fn found<'a>(
    rule: Option<&'a LocalRule>,
    changes: &[Change],
    lacks: &mut Lacks,
    come: &[u8],
    text: String,
) -> Found<'a> {
    let first = changes.first().map_or(0, |change| change.new.start);
    let last = changes.last().map_or(0, |change| change.new.end);
    let at = first + 1..last + 1;
    let (here, rest) =
        std::mem::take(&mut lacks.names).into_iter().partition(|(_, line)| at.contains(line));
    lacks.names = rest;
    let here: Offers = here;
    // One entry for the whole file takes all.
    let whole = text.is_empty();
    let others = std::mem::take(&mut lacks.others);
    let (others, rest) = others
        .into_iter()
        .partition(|one| whole || changes.iter().any(|change| is_in(one, change)));
    lacks.others = rest;
    let others: Vec<Unexplained> = others;
    let mut reasons = Vec::new();
    if !here.is_empty() {
        reasons.push(format!("the import offers no {}", listed(here.into_keys().collect())));
    }
    if !others.is_empty() {
        let others = listed(others.into_iter().map(|one| one.what).collect());
        reasons.push(format!("the import writes the file, and not this: {others}"));
    }
    let (class, reason) = match reasons.is_empty() {
        true => (Class::Generated, "the import writes the file and offers all of it".to_owned()),
        false => (Class::Conflict, reasons.join("; ")),
    };
    let lines = (at.start, at.end.saturating_sub(1));
    let (gone, come, changes) = (Vec::new(), come.to_vec(), Vec::new());
    Found { rule, class, reason, lines, gone, come, text, changes }
}

/// The first of some names.
fn listed(names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let list = names[..names.len() - more].join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}
