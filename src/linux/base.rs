//! Which release a tree's files were made from: the one that differs least.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::digests::Digests;
use super::hunks::{hunks, lines};
use super::normal::{Imported, Means, Normal};
use super::tree::Tree;
use crate::finding::{Error, Result};
use crate::kernel::target::Target;
use crate::memo::Memo;
use crate::pipeline::OutputFile;
use crate::rules::{FileAction, Profile, Ruleset, Version};
use crate::text::{Files, TreePath};
use crate::upstream::{self, Candidates, Progress, Release, Request};

/// Commits before the nearest release that are tried in one round.
const MAX_BEFORE: usize = 6;
/// Rounds, each from what the one before found.
const MAX_ROUNDS: usize = 4;

/// How far two sets of files are apart; less is nearer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Distance {
    /// Hunks, as `diff -u` counts them.
    pub hunks: usize,
    /// Lines that go and come.
    pub lines: usize,
    /// Files that only one of the two has.
    pub files: usize,
}

impl Distance {
    fn add(&mut self, other: Distance) {
        self.hunks += other.hunks;
        self.lines += other.lines;
        self.files += other.files;
    }
}

/// A release that was held against the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tried {
    /// The release's name.
    pub name: String,
    /// How far its import is from the tree's files that come from upstream's.
    pub distance: Distance,
}

/// The release that a tree's files come from, and the tree held against it.
pub struct Base {
    /// The release's name.
    pub name: String,
    /// The number that it states.
    pub version: Version,
    /// The release; none where only digests of it are at hand.
    pub release: Option<Release>,
    /// Where it was read from, in words.
    pub source: String,
    /// The profile by whose import the tree's text is reached; none where only digests are at hand.
    pub profile: Option<String>,
    /// How far the files that come from upstream's are from the tree's; nothing is known of it where
    /// only digests are at hand.
    pub distance: Distance,
    /// How far the files that an importer adds of its own are from the tree's; none where they are not
    /// known.
    pub importer: Option<Distance>,
    /// All that was tried, nearest first.
    pub tried: Vec<Tried>,
    /// What digests say, where the release's text is not at hand.
    pub digests: Option<Digests>,
    /// What was chosen on the way, and why.
    pub notes: Vec<String>,
    /// The release's import, in the normal form.
    pub(super) normal: Normal,
    /// The same, led back to the text that the tree was most likely made with; none where only digests
    /// are at hand.
    pub(super) raw: Option<Raw>,
    /// The tree's files, in the normal form.
    pub(super) tree: Normal,
    /// What the importer added, by its place in the tree.
    pub(super) added: Files,
}

/// A release's import in the normal form, each file with its import by another profile as its source.
pub(super) struct Raw {
    /// That profile: the one whose import is nearest to the tree's text as it stands there.
    pub(super) profile: String,
    pub(super) files: Normal,
}

impl Base {
    /// Whether the release's import has a file at that place which comes from upstream's.
    pub(super) fn has(&self, place: &TreePath) -> bool {
        self.normal.contains_key(place)
            || self.digests.as_ref().is_some_and(|digests| digests.places.contains(place))
    }
}

/// The library's version in a tree; `None` where the tree hasn't got the library.
///
/// # Errors
/// The header that states it is there and doesn't.
pub fn held(tree: &Tree, ruleset: &Ruleset) -> Result<Option<Version>> {
    let library = &ruleset.library;
    let header = library.version_file.strip_prefix(&format!("{}/", library.root));
    let moved = ruleset.files.iter().find_map(|rule| match &rule.action {
        FileAction::Map { from, to } if Some(from.as_str()) == header => Some(to.clone()),
        _ => None,
    });
    let place =
        moved.unwrap_or_else(|| format!("{}/{}", library.output, header.unwrap_or_default()));
    let Some(path) = TreePath::new(&place) else { return Ok(None) };
    let Some(bytes) = tree.file(&path)? else { return Ok(None) };
    upstream::stated_version(library, &bytes, &tree.shown).map(Some)
}

/// What is looked for, and the means.
pub struct Search<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The version that it holds.
    pub version: Version,
    /// The rules.
    pub ruleset: &'a Ruleset,
    /// The profile that the new import is made with.
    pub profile: &'a Profile,
    /// The tree's kernel.
    pub target: &'a Target,
    /// Where releases are read from first; its release is not looked at.
    pub request: &'a Request<'a>,
    /// What was worked out before: releases near to each other share most files.
    pub memo: &'a Memo,
}

struct Held {
    distance: Distance,
    normal: Normal,
}

impl Held {
    fn new(normal: Normal, tree: &Normal) -> Held {
        Held { distance: apart(&normal, tree), normal }
    }

    /// The upstream files whose text in the tree is another one.
    fn differing(&self, tree: &Normal) -> Vec<TreePath> {
        let differs = |place: &TreePath, file: &OutputFile| {
            tree.get(place).is_none_or(|other| other.text.bytes() != file.text.bytes())
        };
        let files = self.normal.iter().filter(|(place, file)| differs(place, file));
        files.filter_map(|(_, file)| file.upstream.clone()).collect()
    }
}

impl Search<'_> {
    /// The nearest release.
    ///
    /// # Errors
    /// Nothing upstream states the version, or it can't be read.
    pub fn nearest(&self, progress: &dyn Progress) -> Result<Base> {
        let (candidates, request, mut notes) = self.candidates(progress)?;
        if candidates.releases.is_empty() {
            notes.extend(candidates.notes.iter().cloned());
            return self.by_digests(notes)?.ok_or_else(|| self.none(&candidates));
        }
        progress.step("comparing releases with the tree", 0, None);
        let mut imports = Vec::new();
        for release in &candidates.releases {
            imports.push(self.means().derive(&release.files, self.profile)?);
        }
        let places = imports.first().map(|first| &first.places);
        let places = places.ok_or_else(|| self.none(&candidates))?;
        let tree = self.means().again(&self.tree.files, places, self.profile)?;
        let held = imports.into_iter().map(|import| Held::new(import.files, &tree));
        let mut all: Vec<(Release, Held)> = candidates.releases.iter().cloned().zip(held).collect();
        let best = all.iter().map(|(_, held)| held.distance).min().unwrap_or_default();
        let mut rounds = if best == Distance::default() { 0 } else { MAX_ROUNDS };
        while rounds > 0 && self.neighbours(&candidates, &request, &tree, &mut all, progress)? {
            rounds -= 1;
        }
        all.sort_by_key(|(_, held)| held.distance);
        let tried = all
            .iter()
            .map(|(release, held)| Tried { name: release.name.clone(), distance: held.distance });
        let tried = tried.collect();
        let (release, held) = all.swap_remove(0);
        if !candidates.has_commits() && held.distance != Distance::default() {
            let source = &candidates.source;
            notes.push(format!(
                "{source} holds releases only; a git repository may have a commit that is nearer to the tree"
            ));
        }
        notes.extend(candidates.notes);
        self.base(release, held, tree, tried, notes, candidates.source)
    }

    /// What the request's source has, or else the default sources.
    fn candidates(
        &self,
        progress: &dyn Progress,
    ) -> Result<(Candidates, Request<'_>, Vec<String>)> {
        let request = self.request.clone();
        let found = upstream::candidates(&request, self.version, progress)?;
        if !found.releases.is_empty() || request.source.is_none() {
            return Ok((found, request, Vec::new()));
        }
        let nothing = format!("{} has nothing that states {}", found.source, self.version);
        let request = Request { source: None, ..request };
        let all = match upstream::candidates(&request, self.version, progress) {
            Ok(all) => all,
            Err(error) => {
                let why = format!("{nothing}; and of the default sources: {}", error.message);
                if self.ruleset.bases.iter().any(|rule| rule.version == self.version) {
                    return Ok((found, request, vec![why]));
                }
                return Err(Error::input(why)
                    .hint("name a source that has the release that the tree was made from"));
            }
        };
        Ok((all, request, vec![format!("{nothing}; the default sources were asked")]))
    }

    fn none(&self, candidates: &Candidates) -> Error {
        Error::input(format!(
            "{} holds {} {}, and {} has no release, branch or tag that states this number",
            self.tree.shown, self.ruleset.library.name, self.version, candidates.source
        ))
        .hint("name a git repository that has it")
    }

    pub(super) fn means(&self) -> Means<'_> {
        let Search { version, ruleset, target, memo, .. } = *self;
        Means { version, ruleset, target, memo }
    }

    /// Goes back from the nearest release; says whether that lowered the difference.
    fn neighbours(
        &self,
        candidates: &Candidates,
        request: &Request<'_>,
        tree: &Normal,
        all: &mut Vec<(Release, Held)>,
        progress: &dyn Progress,
    ) -> Result<bool> {
        let Some((nearest, held)) = all.iter().min_by_key(|(_, held)| held.distance) else {
            return Ok(false);
        };
        let best = held.distance;
        let differing = held.differing(tree);
        let mut before = candidates.before(request, nearest, MAX_BEFORE, progress)?;
        // One that has the files that differ just as they are can't be nearer.
        before.retain(|release| {
            differing.iter().any(|path| release.files.get(path) != nearest.files.get(path))
        });
        let mut nearer = false;
        for release in before {
            let import = self.means().derive(&release.files, self.profile)?;
            let held = Held::new(import.files, tree);
            if held.distance < best {
                nearer = true;
                all.push((release, held));
            }
        }
        Ok(nearer)
    }

    /// Holds the tree against the nearest release once more, as each profile would have made it.
    fn base(
        &self,
        release: Release,
        held: Held,
        tree: Normal,
        tried: Vec<Tried>,
        notes: Vec<String>,
        source: String,
    ) -> Result<Base> {
        let mut best = (held.distance, self.profile.name.clone(), None);
        let mut raw: Option<(Distance, Raw)> = None;
        for other in &self.ruleset.library.profiles {
            let (made, normal) = self.means().through(&release.files, other, self.profile)?;
            let distance = apart(&made, &self.tree.files);
            if raw.as_ref().is_none_or(|(nearest, _)| distance < *nearest) {
                let (profile, files) = (other.name.clone(), normal.clone());
                raw = Some((distance, Raw { profile, files }));
            }
            let distance = apart(&normal, &tree);
            if other.name != self.profile.name && distance < best.0 {
                best = (distance, other.name.clone(), Some(normal));
            }
        }
        let raw = raw.map(|(_, raw)| raw);
        let (distance, profile, normal) = best;
        let whole = self.means().whole(&release.files, self.profile)?;
        let added = added(&release, self.ruleset, &whole, &self.tree.files);
        let known =
            |place: &TreePath| added.contains_key(place) || !self.tree.files.contains_key(place);
        let importer = whole.generated.keys().all(known);
        let importer = importer.then(|| importer_distance(&added, &self.tree.files));
        let normal = normal.unwrap_or(held.normal);
        Ok(Base {
            name: release.name.clone(),
            version: release.version,
            release: Some(release),
            source,
            profile: Some(profile),
            distance,
            importer,
            tried,
            digests: None,
            notes,
            normal,
            raw,
            tree,
            added,
        })
    }
}

/// What has a text: files of an import, and of a tree.
trait Text {
    fn text(&self) -> &[u8];
}

impl Text for OutputFile {
    fn text(&self) -> &[u8] {
        self.text.bytes()
    }
}

impl Text for Arc<[u8]> {
    fn text(&self) -> &[u8] {
        self
    }
}

/// How far the files of an import are from those of a tree.
fn apart<F: Text>(base: &Normal, tree: &BTreeMap<TreePath, F>) -> Distance {
    let mut all = Distance::default();
    for (place, file) in base {
        match tree.get(place) {
            Some(other) => all.add(between(file.text.bytes(), other.text())),
            None => all.files += 1,
        }
    }
    all
}

fn between(old: &[u8], new: &[u8]) -> Distance {
    if old == new {
        return Distance::default();
    }
    let hunks = hunks(&lines(old), &lines(new));
    let lines = hunks.iter().flatten().map(super::hunks::Change::count).sum();
    Distance { hunks: hunks.len(), lines, files: 0 }
}

/// What the tree's files were at first that don't come from upstream's: as the release's own importer
/// has them, or as this program writes them, whichever is nearer.
fn added(release: &Release, ruleset: &Ruleset, imported: &Imported, tree: &Files) -> Files {
    let mut found = Files::new();
    for (to, from) in &ruleset.library.importer {
        let (Some(to), Some(from)) = (TreePath::new(to), TreePath::new(from)) else { continue };
        found.extend(release.importer.get(&from).map(|bytes| (to, Arc::clone(bytes))));
    }
    for (place, file) in &imported.generated {
        let (Some(here), ours) = (tree.get(place), file.text.bytes()) else { continue };
        let far = |bytes: &[u8]| between(bytes, here).lines;
        let near = match found.get(place) {
            Some(theirs) => far(ours) < far(theirs),
            // Otherwise it was made by other hands, and to hold it against ours says nothing.
            None => 2 * far(ours) < lines(here).len(),
        };
        if near {
            found.insert(place.clone(), Arc::clone(ours));
        }
    }
    found
}

fn importer_distance(added: &Files, tree: &Files) -> Distance {
    let mut all = Distance::default();
    for (place, bytes) in added {
        match tree.get(place) {
            Some(other) => all.add(between(bytes, other)),
            None => all.files += 1,
        }
    }
    all
}
