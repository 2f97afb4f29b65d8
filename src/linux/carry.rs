//! A tree's own changes, and how they go onto a new import: what is generated or upstream by now stays
//! behind, what fits is carried, and the rest needs somebody's decision.

mod hidden;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::base::Base;
use super::blocks::patches;
pub use super::carried::{Carried, Class, Decisions, Fate, Local};
use super::carried::{Kept, Whole};
use super::classify::{Against, Judged, Texts, by_rule};
use super::digests::{Known, known};
use super::generated::{Cover, Found};
use super::hunks::{Change, hunks, lines};
use super::merge::{Patch, Places};
use super::named::Names;
use super::normal::Imported;
use super::tree::Tree;
use crate::edit::RuleRef;
use crate::finding::{Error, Result};
use crate::pipeline::OutputFile;
use crate::rules::{Decision, LocalRule, Profile, Ruleset, Version};
use crate::text::{Files, Span, TreePath, hex, sha256};

/// Most changes of a tree's own, each of some lines that stand together. Real trees have a few dozen.
const MAX_CHANGES: usize = 4_000;

/// A new import that local changes are held against.
#[derive(Debug)]
pub struct NewImport {
    /// The release's number.
    pub version: Version,
    imported: Imported,
}

impl NewImport {
    /// An import by [`crate::pipeline::import`].
    pub fn new(version: Version, files: BTreeMap<TreePath, OutputFile>) -> NewImport {
        NewImport { version, imported: Imported::new(files) }
    }
}

struct Carrier<'a> {
    tree: &'a Tree,
    base: &'a Base,
    target: &'a NewImport,
    ruleset: &'a Ruleset,
    profile: &'a Profile,
    decisions: &'a Decisions,
    /// Changes so far.
    changes: usize,
    locals: Vec<Local>,
    kept: Vec<Kept>,
    whole: Vec<Whole>,
}

/// Classifies a tree's own changes against a new import and carries over what is to be kept.
///
/// # Errors
/// A decision is about no change, or two changes that are to be kept can't stand together.
pub fn carry(
    tree: &Tree,
    base: &Base,
    target: &NewImport,
    ruleset: &Ruleset,
    profile: &Profile,
    decisions: &Decisions,
) -> Result<Carried> {
    let (locals, kept, whole) = (Vec::new(), Vec::new(), Vec::new());
    let mut carrier = Carrier {
        tree,
        base,
        target,
        ruleset,
        profile,
        decisions,
        changes: 0,
        locals,
        kept,
        whole,
    };
    let local_files = carrier.files()?;
    carrier.locals.sort_by(|a, b| (&a.file, a.lines).cmp(&(&b.file, b.lines)));
    carrier.known_ids()?;
    carrier.result(local_files)
}

impl Carrier<'_> {
    /// Goes through all files of the tree; gives those that nobody knows.
    fn files(&mut self) -> Result<Vec<TreePath>> {
        let (base, new) = (self.base, &self.target.imported);
        let cover = Cover::new(base, new);
        let names =
            Names { ruleset: self.ruleset, version: base.version, profile: &self.profile.name };
        let exports = |symbol: &str| cover.exports(symbol);
        let against = Against {
            ruleset: self.ruleset,
            base: base.version,
            profile: &self.profile.name,
            new: self.target.version,
            exports: &exports,
        };
        let mut unknown = Vec::new();
        for (path, bytes) in &self.tree.files {
            if new.generated.contains_key(path) {
                let hunks = cover.hunks(path, bytes);
                self.count(&hunks)?;
                for found in cover.file(names, self.target.version, path, bytes, hunks) {
                    self.covered(path, found)?;
                }
            } else if self.by_digest(path, bytes) {
            } else if let (Some(from), Some(here)) = (base.normal.get(path), base.tree.get(path)) {
                self.derived(&against, path, from, here)?;
            } else if let Some(file) = new.derived.get(path) {
                self.newcomer(path, bytes, file);
            } else {
                unknown.push(path.clone());
            }
        }
        let all = new.derived.keys().chain(new.generated.keys());
        for path in all.filter(|path| base.has(path) || base.added.contains_key(path)) {
            if !self.tree.files.contains_key(path) {
                self.deleted(path);
            }
        }
        self.hidden(&against)?;
        Ok(unknown)
    }

    /// A file that comes from upstream's.
    fn derived(
        &mut self,
        against: &Against<'_>,
        path: &TreePath,
        from: &OutputFile,
        here: &OutputFile,
    ) -> Result<()> {
        let (old, tree) = (from.text.bytes(), here.text.bytes());
        if old == tree {
            return Ok(());
        }
        let (old, tree) = (lines(old), lines(tree));
        let new = self.target.imported.derived.get(path).map(|file| lines(file.text.bytes()));
        let new_lines = new.as_deref().unwrap_or_default();
        let places = new.as_deref().map(|new| Places::new(&old, new));
        let texts = Texts { base: &old, tree: &tree, new: places.as_ref(), new_lines };
        let (mut kept, mut upstreamed, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        let hunks = hunks(&old, &tree);
        self.count(&hunks)?;
        for judged in against.file(path, &texts, hunks) {
            let at = tree_lines(here, &tree, &judged.changes);
            let (local, changes) = self.decide(path, at, judged);
            for (change, class) in changes {
                let has_it = class == Class::Upstreamed;
                if local.fate == Fate::Kept && !(has_it && local.class != class) {
                    kept.push((local.id.clone(), change));
                } else if has_it {
                    upstreamed.push(change);
                }
            }
            if local.fate == Fate::Kept && !whole.contains(&local.id) {
                whole.push(local.id.clone());
            }
            self.locals.push(local);
        }
        match (&places, self.tree.files.get(path)) {
            (Some(places), _) => {
                let patches = patches(places, (&old, &tree), kept, &upstreamed).into_iter();
                self.kept.extend(patches.map(|(ids, patch)| (ids, path.clone(), patch)));
            }
            (None, Some(bytes)) => {
                let whole = whole.into_iter();
                self.whole.extend(whole.map(|id| (id, path.clone(), Some(Arc::clone(bytes)))));
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Stops at more changes than a person makes, before time is spent on them.
    fn count(&mut self, hunks: &[Vec<Change>]) -> Result<()> {
        self.changes += hunks.iter().map(Vec::len).sum::<usize>();
        if self.changes <= MAX_CHANGES {
            return Ok(());
        }
        let (shown, release) = (&self.tree.shown, &self.base.name);
        Err(Error::input(format!("{shown} differs from {release} in over {MAX_CHANGES} places"))
            .hint("it was made from something else: name a source that has that"))
    }

    /// What a hunk is called, and what becomes of it.
    fn decide(
        &self,
        path: &TreePath,
        lines: (usize, usize),
        judged: Judged<'_>,
    ) -> (Local, Vec<(Change, Class)>) {
        let Judged { rule, class, reason, changes, gone, come, text } = judged;
        let local = self.local(path, lines, rule, class, reason, (&gone, &come), text);
        (local, changes)
    }

    #[expect(clippy::too_many_arguments, reason = "one call for each way to find a change")]
    fn local(
        &self,
        path: &TreePath,
        lines: (usize, usize),
        rule: Option<&LocalRule>,
        class: Class,
        reason: String,
        (gone, come): (&[u8], &[u8]),
        text: String,
    ) -> Local {
        let id = match rule {
            Some(rule) => rule.rule.name.as_str().rsplit('/').next().unwrap_or_default().to_owned(),
            None => self.unused(unnamed(path, gone, come)),
        };
        let (fate, decided) = self.fate(&id, rule, class);
        Local {
            id,
            rule: rule.map(|rule| rule.rule.name.clone()),
            what: rule.map(|rule| rule.rule.why.split_whitespace().collect::<Vec<_>>().join(" ")),
            commit: rule.and_then(|rule| rule.commit.clone()),
            kernel: rule.and_then(|rule| rule.kernel.clone()),
            file: path.clone(),
            lines,
            text,
            class,
            reason,
            fate,
            decided,
        }
    }

    /// A name that no other unnamed change has: the same text may be changed in several places.
    fn unused(&self, name: String) -> String {
        let taken = |name: &str| self.locals.iter().any(|local| local.id == name);
        let more = (2..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(more).find(|name| !taken(name));
        free.unwrap_or(name)
    }

    fn fate(&self, id: &str, rule: Option<&LocalRule>, class: Class) -> (Fate, Option<String>) {
        if self.decisions.drop.contains(id) {
            return (Fate::Dropped, Some("you decided to drop it".into()));
        }
        if self.decisions.keep.contains(id) {
            return (Fate::Kept, Some("you decided to keep it".into()));
        }
        let decision = rule.and_then(|rule| rule.decision.as_ref());
        match (class, decision) {
            (_, Some((Decision::Drop, why))) => {
                (Fate::Dropped, Some(format!("its rule drops it: {}", why.trim())))
            }
            (_, Some((Decision::Keep, why))) => {
                (Fate::Kept, Some(format!("its rule keeps it: {}", why.trim())))
            }
            (Class::Generated | Class::Upstreamed, None) => (Fate::Dropped, None),
            (Class::Local, None) => (Fate::Kept, None),
            (Class::Conflict, None) => (Fate::Open, None),
        }
    }

    /// A file of which only digests tell that it was changed, and how; whether it is one.
    fn by_digest(&mut self, path: &TreePath, bytes: &Arc<[u8]>) -> bool {
        let base = self.base;
        let Some(digests) = &base.digests else { return false };
        let named = digests.changed.get(path).map_or(&[][..], Vec::as_slice);
        for rule in named.iter().filter_map(|id| self.ruleset.local(id)) {
            let (class, reason) = by_rule(rule, self.target.version).unwrap_or_else(|| {
                let why = "it is still wanted, and can't be carried over: the text of";
                (Class::Conflict, format!("{why} {} is not at hand; {}", base.name, textual(base)))
            });
            self.whole_file(path, bytes, Some(rule), class, reason);
        }
        let is_unknown = digests.unknown.contains(path);
        if is_unknown {
            let here = base.tree.get(path).map_or(bytes, |file| file.text.bytes());
            let new = self.target.imported.derived.get(path).map(|file| file.text.bytes());
            let (class, reason) = match new.is_some_and(|new| new == here) {
                true => (Class::Upstreamed, "the new release has the same file".to_owned()),
                false => (Class::Conflict, unknown(base, &digests.rule)),
            };
            self.whole_file(path, bytes, None, class, reason);
        }
        is_unknown || !named.is_empty()
    }

    /// A change of which only the file is known. To keep it, the whole file is kept.
    fn whole_file(
        &mut self,
        path: &TreePath,
        bytes: &Arc<[u8]>,
        rule: Option<&LocalRule>,
        class: Class,
        reason: String,
    ) {
        let at = (1, lines(bytes).len());
        let local = self.local(path, at, rule, class, reason, (b"", bytes), String::new());
        if local.fate == Fate::Kept {
            self.whole.push((local.id.clone(), path.clone(), Some(Arc::clone(bytes))));
        }
        self.locals.push(local);
    }

    /// A change in a file that the import writes, once for each rule that digests tell to be at the
    /// bottom of it.
    fn covered(&mut self, path: &TreePath, found: Found<'_>) -> Result<()> {
        let digests = self.base.digests.as_ref();
        let named = digests.and_then(|digests| digests.changed.get(path));
        let rules = named.into_iter().flatten().filter_map(|id| self.ruleset.local(id));
        let rules: Vec<&LocalRule> = rules.collect();
        if rules.is_empty() {
            let mut found = found;
            if let (Class::Generated, Some(rule)) = (found.class, self.strange(path)) {
                found.class = Class::Conflict;
                found.reason = unknown(self.base, rule);
            }
            return self.generated(path, found);
        }
        for rule in rules {
            self.generated(path, Found { rule: Some(rule), ..found.clone() })?;
        }
        Ok(())
    }

    /// The rule that knows a file of which there is no text, and not as it is here: names alone would
    /// say that nothing was changed.
    fn strange(&self, path: &TreePath) -> Option<&RuleRef> {
        let bytes = self.tree.files.get(path).filter(|_| !self.base.added.contains_key(path))?;
        let digest = sha256(bytes);
        let of_version = self.ruleset.bases.iter().filter(|one| one.version == self.base.version);
        let told: Vec<_> =
            of_version.filter_map(|one| Some((one, known(one, path, &digest)?))).collect();
        let strange = told.iter().all(|(_, known)| *known == Known::Unknown);
        told.first().filter(|_| strange).map(|(one, _)| &one.rule.name)
    }

    /// A change in a file that the import writes from a template. To keep it, its lines are put onto
    /// what the import writes: the tree's own file lists what the old release had.
    fn generated(&mut self, path: &TreePath, found: Found<'_>) -> Result<()> {
        let Found { rule, class, reason, lines: at, gone, come, text, changes } = found;
        let local = self.local(path, at, rule, class, reason, (&gone, &come), text);
        if local.fate == Fate::Kept {
            let old = self.base.added.get(path).map(|bytes| lines(bytes)).unwrap_or_default();
            let tree = self.tree.files.get(path).map(|bytes| lines(bytes)).unwrap_or_default();
            let new = self.target.imported.generated.get(path);
            let new = new.map(|file| lines(file.text.bytes())).unwrap_or_default();
            let places = Places::new(&old, &new);
            if changes.is_empty() {
                return Err(cant_keep(&local, "and what it was at first is not known"));
            }
            for change in changes {
                let lines = owned(&tree[change.new.clone()]);
                let at = places.fits(&change).or_else(|| places.beside(&change, &lines));
                let at =
                    at.ok_or_else(|| cant_keep(&local, "and has nothing in the place of these"))?;
                self.kept.push((vec![local.id.clone()], path.clone(), Patch { at, lines }));
            }
        }
        self.locals.push(local);
        Ok(())
    }

    /// A file that the new release has, the old one had not, and the tree has.
    fn newcomer(&mut self, path: &TreePath, bytes: &Arc<[u8]>, file: &OutputFile) {
        let here = self.base.tree.get(path).map_or(bytes, |file| file.text.bytes());
        let (class, reason) = match here == file.text.bytes() {
            true => (Class::Upstreamed, "the new release has the same file"),
            false => (Class::Conflict, "the new release has another file of this name"),
        };
        self.whole_file(path, bytes, None, class, reason.into());
    }

    /// A file that both releases have and the tree has not.
    fn deleted(&mut self, path: &TreePath) {
        let reason = "the tree has deleted the file, and the new import has it".to_owned();
        let local =
            self.local(path, (0, 0), None, Class::Conflict, reason, (b"", b""), String::new());
        if local.fate == Fate::Kept {
            self.whole.push((local.id.clone(), path.clone(), None));
        }
        self.locals.push(local);
    }

    /// Every decision has to be about a change that is there.
    fn known_ids(&self) -> Result<()> {
        let known: BTreeSet<&str> = self.locals.iter().map(|local| local.id.as_str()).collect();
        let Decisions { keep, drop } = self.decisions;
        if let Some(id) = keep.intersection(drop).next() {
            return Err(Error::usage(format!("`{id}` is to be kept and to be dropped")));
        }
        let Some(id) = keep.union(drop).find(|id| !known.contains(id.as_str())) else {
            return Ok(());
        };
        let all: Vec<&str> = known.into_iter().collect();
        let hint = match all.as_slice() {
            [] => "it has none at all".to_owned(),
            all => format!("its changes are {}", all.join(", ")),
        };
        Err(Error::usage(format!("{} has no local change `{id}`", self.tree.shown)).hint(hint))
    }

    fn result(self, local_files: Vec<TreePath>) -> Result<Carried> {
        let imported = &self.target.imported;
        let mut import: Files = imported.bytes();
        let mut reimport = self.tree.files.clone();
        for (path, file) in &self.base.tree {
            if reimport.contains_key(path) && self.base.normal.contains_key(path) {
                reimport.insert(path.clone(), Arc::clone(file.text.bytes()));
            }
        }
        for path in &local_files {
            if let Some(bytes) = self.tree.files.get(path) {
                import.insert(path.clone(), Arc::clone(bytes));
            }
        }
        let mut order: Vec<String> = Vec::new();
        for local in self.locals.iter().filter(|local| local.fate == Fate::Kept) {
            if !order.contains(&local.id) {
                order.push(local.id.clone());
            }
        }
        let (locals, kept, whole) = (self.locals, self.kept, self.whole);
        let files = Files::new();
        let mut carried =
            Carried { locals, local_files, reimport, import, files, order, kept, whole };
        carried.files = carried.with(&carried.order)?;
        Ok(carried)
    }
}

/// Why nothing is known of a file.
fn unknown(base: &Base, rule: &RuleRef) -> String {
    format!(
        "the file has a digest that {rule} doesn't know, and the text of {} is not at hand to see what \
         was changed; {}",
        base.name,
        textual(base)
    )
}

/// How to get at the text.
fn textual(base: &Base) -> String {
    format!("name a git repository that has {} with --made-from", base.name)
}

/// Why a change in a file that the import writes can't be kept.
fn cant_keep(local: &Local, why: &str) -> Error {
    let (id, file, (first, last)) = (&local.id, &local.file, local.lines);
    Error::usage(format!(
        "`{id}` can't be kept: the import writes {file} anew, {why} (lines {first}-{last} of the tree's)"
    ))
    .hint("drop it, and make the change by hand on top of the new import")
}

fn owned(lines: &[&[u8]]) -> Vec<Vec<u8>> {
    lines.iter().map(|line| line.to_vec()).collect()
}

/// Name of a change that no rule knows: stays the same whatever stands above it.
fn unnamed(path: &TreePath, gone: &[u8], come: &[u8]) -> String {
    let hash = Sha256::new().chain_update(path.as_str()).chain_update([0]);
    let hash = hash.chain_update(gone).chain_update([0]).chain_update(come).finalize();
    format!("{}-{}", path.file_name(), hex(&hash.as_slice()[..4]))
}

/// The lines that a hunk changes, in the tree's own text.
fn tree_lines(file: &OutputFile, tree: &[&[u8]], changes: &[(Change, Class)]) -> (usize, usize) {
    let offset =
        |line: usize| tree[..line.min(tree.len())].iter().map(|line| line.len()).sum::<usize>();
    let start = changes.first().map_or(0, |(change, _)| change.new.start);
    let end = changes.last().map_or(0, |(change, _)| change.new.end);
    let (from, to) = (offset(start), offset(end));
    let span = file.text.upstream_cover(Span::new(from, to.saturating_sub(1).max(from)));
    let line = |at: u32| file.source.position(at).line;
    match start == end {
        true => (line(span.start).saturating_sub(1), line(span.start).saturating_sub(1)),
        false => (line(span.start), line(span.end.saturating_sub(1).max(span.start))),
    }
}
