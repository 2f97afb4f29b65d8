//! A tree's own changes, and how they go onto a new import: what is generated or upstream by now stays
//! behind, what fits is carried, and the rest needs somebody's decision.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::base::Base;
pub use super::carried::{Carried, Class, Decisions, Fate, Local};
use super::carried::{Kept, Whole};
use super::classify::{Against, Judged, Texts, by_rule};
use super::generated::{Cover, Found};
use super::hunks::{Change, lines};
use super::merge::{Patch, Places};
use super::normal::Imported;
use super::tree::Tree;
use crate::edit::RuleRef;
use crate::finding::{Error, Result};
use crate::pipeline::OutputFile;
use crate::rules::{Decision, LocalRule, Profile, Ruleset, Version};
use crate::text::{Files, Span, TreePath};

/// Most hunks of a tree's own. Real trees have a few dozen.
const MAX_CHANGES: usize = 2_000;

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
    let mut carrier =
        Carrier { tree, base, target, ruleset, profile, decisions, locals, kept, whole };
    let local_files = carrier.files();
    if carrier.locals.len() > MAX_CHANGES {
        let (shown, release) = (&tree.shown, &base.name);
        return Err(Error::input(format!(
            "{shown} differs from {release} in over {MAX_CHANGES} hunks"
        ))
        .hint("it was made from something else: name a source that has that"));
    }
    carrier.locals.sort_by(|a, b| (&a.file, a.lines).cmp(&(&b.file, b.lines)));
    carrier.known_ids()?;
    carrier.result(local_files)
}

impl Carrier<'_> {
    /// Goes through all files of the tree; gives those that nobody knows.
    fn files(&mut self) -> Vec<TreePath> {
        let (base, new) = (self.base, &self.target.imported);
        let cover = Cover::new(base, new);
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
                for found in cover.file(self.ruleset, &self.profile.name, path, bytes) {
                    self.covered(path, found);
                }
            } else if self.by_digest(path, bytes) {
            } else if let (Some(from), Some(here)) = (base.normal.get(path), base.tree.get(path)) {
                self.derived(&against, path, from, here);
            } else if let Some(file) = new.derived.get(path) {
                self.newcomer(path, bytes, file);
            } else {
                unknown.push(path.clone());
            }
        }
        for path in new.derived.keys().filter(|path| base.has(path)) {
            if !self.tree.files.contains_key(path) {
                self.deleted(path);
            }
        }
        unknown
    }

    /// A file that comes from upstream's.
    fn derived(
        &mut self,
        against: &Against<'_>,
        path: &TreePath,
        from: &OutputFile,
        here: &OutputFile,
    ) {
        let (old, tree) = (from.text.bytes(), here.text.bytes());
        if old == tree {
            return;
        }
        let (old, tree) = (lines(old), lines(tree));
        let new = self.target.imported.derived.get(path).map(|file| lines(file.text.bytes()));
        let new_lines = new.as_deref().unwrap_or_default();
        let places = new.as_deref().map(|new| Places::new(&old, new));
        let texts = Texts { base: &old, tree: &tree, new: places.as_ref(), new_lines };
        let (mut forced, mut whole) = (Vec::new(), None);
        for judged in against.file(path, &texts) {
            let at = tree_lines(here, &tree, &judged.changes);
            let (local, changes) = self.decide(path, at, judged);
            let id = local.id.clone();
            if local.fate == Fate::Kept {
                match &places {
                    None => whole = Some(id),
                    Some(places) => {
                        for (change, class) in changes {
                            let again = class == Class::Upstreamed && local.class != class;
                            match places.fits(&change) {
                                _ if again => {}
                                Some(at) => {
                                    let lines = owned(&tree[change.new.clone()]);
                                    self.kept.push((id.clone(), path.clone(), Patch { at, lines }));
                                }
                                None => forced.push((id.clone(), change)),
                            }
                        }
                    }
                }
            }
            self.locals.push(local);
        }
        if let Some(places) = &places {
            self.force(path, places, &old, &tree, &forced);
        }
        if let (Some(id), Some(bytes)) = (whole, self.tree.files.get(path)) {
            self.whole.push((id, path.clone(), Some(Arc::clone(bytes))));
        }
    }

    /// Changes that are kept although they don't fit: what stands between the nearest lines that both
    /// releases have is as in the tree.
    fn force(
        &mut self,
        path: &TreePath,
        places: &Places<'_>,
        old: &[&[u8]],
        tree: &[&[u8]],
        changes: &[(String, Change)],
    ) {
        let mut gaps: Vec<(String, std::ops::Range<usize>, Patch, usize)> = Vec::new();
        for (id, change) in changes {
            let (base, at) = places.gap(change);
            let same = gaps.last_mut().filter(|(_, gap, ..)| *gap == base);
            match same {
                // Another change in the same gap goes on where the one before ended.
                Some((_, gap, patch, done)) => {
                    patch.lines.truncate(patch.lines.len() - (gap.end - *done));
                    patch.lines.extend(owned(&old[*done..change.old.start]));
                    patch.lines.extend(owned(&tree[change.new.clone()]));
                    patch.lines.extend(owned(&old[change.old.end..gap.end]));
                    *done = change.old.end;
                }
                None => {
                    let mut lines = owned(&old[base.start..change.old.start]);
                    lines.extend(owned(&tree[change.new.clone()]));
                    lines.extend(owned(&old[change.old.end..base.end]));
                    gaps.push((id.clone(), base, Patch { at, lines }, change.old.end));
                }
            }
        }
        self.kept.extend(gaps.into_iter().map(|(id, _, patch, _)| (id, path.clone(), patch)));
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
            None => unnamed(path, gone, come),
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

    fn fate(&self, id: &str, rule: Option<&LocalRule>, class: Class) -> (Fate, Option<String>) {
        if self.decisions.drop.contains(id) {
            return (Fate::Dropped, Some("you decided to drop it".into()));
        }
        if self.decisions.keep.contains(id) {
            return (Fate::Kept, Some("you decided to keep it".into()));
        }
        let decision = rule.and_then(|rule| rule.decision.as_ref());
        match (class, decision) {
            (Class::Generated | Class::Upstreamed, _) => (Fate::Dropped, None),
            (_, Some((Decision::Drop, why))) => {
                (Fate::Dropped, Some(format!("its rule drops it: {}", why.trim())))
            }
            (_, Some((Decision::Keep, why))) => {
                (Fate::Kept, Some(format!("its rule keeps it: {}", why.trim())))
            }
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

    /// The same, once for each rule that digests tell to be at the bottom of it.
    fn covered(&mut self, path: &TreePath, found: Found<'_>) {
        let digests = self.base.digests.as_ref();
        let named = digests.and_then(|digests| digests.changed.get(path));
        let rules = named.into_iter().flatten().filter_map(|id| self.ruleset.local(id));
        let rules: Vec<&LocalRule> = rules.collect();
        if rules.is_empty() {
            return self.generated(path, found);
        }
        for rule in rules {
            self.generated(path, Found { rule: Some(rule), ..found.clone() });
        }
    }

    /// A change in a file that the import writes from a template. To keep it, the whole file is kept.
    fn generated(&mut self, path: &TreePath, found: Found<'_>) {
        let Found { rule, class, reason, lines, gone, come, text } = found;
        let local = self.local(path, lines, rule, class, reason, (&gone, &come), text);
        if local.fate == Fate::Kept
            && let Some(bytes) = self.tree.files.get(path)
        {
            self.whole.push((local.id.clone(), path.clone(), Some(Arc::clone(bytes))));
        }
        self.locals.push(local);
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

fn owned(lines: &[&[u8]]) -> Vec<Vec<u8>> {
    lines.iter().map(|line| line.to_vec()).collect()
}

/// Name of a change that no rule knows: stays the same whatever stands above it.
fn unnamed(path: &TreePath, gone: &[u8], come: &[u8]) -> String {
    let hash = Sha256::new().chain_update(path.as_str()).chain_update([0]);
    let hash = hash.chain_update(gone).chain_update([0]).chain_update(come).finalize();
    let digest: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{digest}", path.file_name())
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
