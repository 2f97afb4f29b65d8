//! Changes in files that the import writes from its own templates: their text doesn't matter, what they
//! offer does.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::base::Base;
use super::carry::Class;
use super::cover::{EXPORT, Offers, offers};
use super::hunks::{hunks, lines, shown};
use super::named::recognise;
use super::normal::Imported;
use crate::rules::{LocalRule, Ruleset};
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

    /// The changes in one file of the tree that the import writes from a template.
    pub(super) fn file(
        &self,
        ruleset: &'a Ruleset,
        profile: &str,
        path: &TreePath,
        bytes: &[u8],
    ) -> Vec<Found<'a>> {
        if self.files.get(path).is_some_and(|new| **new == *bytes) {
            return Vec::new();
        }
        let mut missing = self.missing(path, bytes);
        let version = self.base.version;
        let tree = lines(bytes);
        let mut all = Vec::new();
        let Some(added) = self.base.added.get(path) else {
            let whole = 1..tree.len() + 1;
            all.push(found(None, whole.clone(), &mut missing, bytes, String::new()));
            return all;
        };
        let base = lines(added);
        for hunk in hunks(&base, &tree) {
            let gone = hunk.iter().flat_map(|change| base[change.old.clone()].concat());
            let gone: Vec<u8> = gone.collect();
            let come = hunk.iter().flat_map(|change| tree[change.new.clone()].concat());
            let come: Vec<u8> = come.collect();
            let rule = recognise(ruleset, version, profile, path, &gone, &come);
            let first = hunk.first().map_or(0, |change| change.new.start);
            let last = hunk.last().map_or(0, |change| change.new.end);
            let text = shown(&base, &tree, &hunk);
            let mut one = found(rule, first + 1..last + 1, &mut missing, &come, text);
            one.gone = gone;
            all.push(one);
        }
        if !missing.is_empty() {
            all.push(found(None, 1..tree.len() + 1, &mut missing, bytes, String::new()));
        }
        all
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

/// One entry; takes the names on its lines out of those that are missing.
fn found<'a>(
    rule: Option<&'a LocalRule>,
    at: std::ops::Range<usize>,
    missing: &mut Offers,
    come: &[u8],
    text: String,
) -> Found<'a> {
    let lacks: Vec<String> = missing
        .iter()
        .filter(|(_, line)| at.contains(line))
        .map(|(name, _)| name.clone())
        .collect();
    missing.retain(|_, line| !at.contains(line));
    let (class, reason) = match lacks.as_slice() {
        [] => (Class::Generated, "the import writes the file and offers all of it".to_owned()),
        names => {
            let more = names.len().saturating_sub(MAX_NAMED);
            let mut list = names[..names.len() - more].join(", ");
            if more > 0 {
                list = format!("{list} and {more} more");
            }
            (Class::Conflict, format!("the import offers no {list}"))
        }
    };
    let lines = (at.start, at.end.saturating_sub(1));
    Found { rule, class, reason, lines, gone: Vec::new(), come: come.to_vec(), text }
}
