//! Which of upstream's commits are behind the change: by the lines that they brought and took, and for
//! those that left no line by what they do to the kernel form.

use std::collections::BTreeSet;

use super::causes::Map;
use super::result::{Cause, CommitSummary, FileReport, HunkReport, NamedCommit};
use super::{Form, Known};
use crate::edit::LineOrigin;
use crate::finding::Result;
use crate::patch::{Change, FileChange, Version};
use crate::pipeline::{KernelTree, OutputFile};
use crate::text::{Source, TreePath};
use crate::upstream::{Between, TouchedBy};

/// Says of commits, by their place, which of them change the kernel form; none where these are more
/// than it is to look at.
pub type Judge<'a> = dyn Fn(&[usize]) -> Result<Option<BTreeSet<usize>>> + 'a;

/// Says of each file and hunk which commits are behind it.
pub(super) fn named(
    between: &Between,
    (change, files): (&Change, &mut [FileReport]),
    forms: [&Form; 2],
    known: &Known<'_>,
) -> Result<CommitSummary> {
    let commits = &between.commits;
    let mut changing: BTreeSet<usize> = BTreeSet::new();
    for (file, report) in change.files().iter().zip(files.iter_mut()) {
        let places = [&file.old, &file.new];
        let mut sides = Vec::with_capacity(2);
        for (at, version) in places.into_iter().enumerate() {
            sides.push(Origins::of(version, forms[at], known.made[at])?);
        }
        let found = hunks(between, &sides, report);
        changing.extend(found);
        report.commits = touching(commits, file, forms);
    }
    let taken: BTreeSet<&str> =
        forms.iter().flat_map(|form| form.upstream.values()).map(TreePath::as_str).collect();
    let touches = |commit: &TouchedBy| commit.files.iter().any(|f| taken.contains(f.as_str()));
    let single = || commits.iter().enumerate().filter(|(_, commit)| !commit.is_merge);
    let touching: Vec<usize> = single().filter(|(_, one)| touches(one)).map(|one| one.0).collect();
    changing.retain(|at| !commits[*at].is_merge);
    let mut undecided: Vec<usize> =
        touching.iter().copied().filter(|at| !changing.contains(at)).collect();
    let judged = known.judge.map(|judge| judge(&undecided)).transpose()?.flatten();
    if let Some(found) = judged {
        changing.extend(found);
        undecided.clear();
    }
    let in_library = single().filter(|(_, commit)| !commit.files.is_empty());
    let alone = in_library.clone().filter(|(at, _)| !changing.contains(at));
    let alone = alone.filter(|(at, _)| !undecided.contains(at)).map(|(_, one)| one);
    let total = single().count();
    Ok(CommitSummary {
        total,
        in_library: in_library.count(),
        touching: touching.len(),
        changing: changing.len(),
        undecided: undecided.len(),
        alone: total - changing.len() - undecided.len(),
        alone_in_library: alone.map(NamedCommit::of).collect(),
    })
}

impl NamedCommit {
    pub(super) fn of(commit: &TouchedBy) -> NamedCommit {
        let TouchedBy { id, title, pull, .. } = commit;
        NamedCommit { id: id.clone(), title: title.clone(), pull: *pull }
    }
}

/// The commits that changed the upstream file that a file comes from, under either of its names.
fn touching(commits: &[TouchedBy], file: &FileChange, forms: [&Form; 2]) -> Vec<NamedCommit> {
    let versions = [&file.old, &file.new].into_iter().zip(forms);
    let paths = versions
        .filter_map(|(version, form)| form.upstream.get(&version.as_ref()?.path))
        .map(TreePath::as_str);
    let paths: BTreeSet<&str> = paths.collect();
    let touch = commits.iter().filter(|one| one.files.iter().any(|f| paths.contains(f.as_str())));
    touch.map(NamedCommit::of).collect()
}

/// Names the commits behind each hunk; gives all of them.
fn hunks(
    between: &Between,
    sides: &[Option<Origins<'_>>],
    report: &mut FileReport,
) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    for hunk in &mut report.hunks {
        let found = behind(between, sides, hunk);
        let of_merge = |at: &usize| between.commits[*at].is_merge;
        // A merge that brings a line of its own is named only where nothing else is.
        let shown = found.iter().filter(|at| !of_merge(at) || found.iter().all(of_merge));
        hunk.commits = shown.map(|at| NamedCommit::of(&between.commits[*at])).collect();
        all.extend(found);
    }
    all
}

fn behind(between: &Between, sides: &[Option<Origins<'_>>], hunk: &HunkReport) -> BTreeSet<usize> {
    let start = |(first, count): (usize, usize)| if count == 0 { first } else { first - 1 };
    let (mut old, mut new) = (start(hunk.old), start(hunk.new));
    let mut found = BTreeSet::new();
    for line in &hunk.lines {
        let upstream = matches!(line.cause, Some(Cause::Upstream | Cause::Both));
        let (side, at) = if line.mark == '-' { (0, old) } else { (1, new) };
        if let (true, Some(Some(origins))) = (upstream, sides.get(side)) {
            let lineage = between.lines.get(origins.upstream);
            let lines = origins.lines(at, &line.text);
            let commits =
                lineage.map(|lineage| if side == 0 { &lineage.went } else { &lineage.came });
            let commit = |line: usize| commits?.get(line).copied().flatten();
            found.extend(lines.into_iter().filter_map(commit));
        }
        old += usize::from(line.mark != '+');
        new += usize::from(line.mark != '-');
    }
    found
}

/// Where the lines of one file of a form come from.
struct Origins<'a> {
    /// The upstream file, below the library root.
    upstream: &'a str,
    source: &'a Source,
    origins: Vec<LineOrigin>,
    /// From what was made to the form.
    map: Map,
}

impl<'a> Origins<'a> {
    /// None where that is not known.
    fn of(
        version: &Option<Version>,
        form: &'a Form,
        made: Option<&'a KernelTree>,
    ) -> Result<Option<Origins<'a>>> {
        let (Some(version), Some(made)) = (version, made) else { return Ok(None) };
        let (upstream, file) = (form.upstream.get(&version.path), made.files.get(&version.path));
        let (Some(upstream), Some(file)) = (upstream, file) else { return Ok(None) };
        let OutputFile { source, text, .. } = file;
        let map = Map::of(text.bytes(), &version.bytes)?;
        let (upstream, origins) = (upstream.as_str(), text.line_origins());
        Ok(Some(Origins { upstream, source, origins, map }))
    }

    /// Upstream's lines behind a line of the form, all from 0.
    fn lines(&self, at: usize, text: &str) -> Vec<usize> {
        let origin = self.map.back(at).and_then(|at| self.origins.get(at));
        let Some(LineOrigin { from, .. }) = origin else { return Vec::new() };
        let last = from.end.saturating_sub(1).max(from.start);
        let line = |offset: u32| self.source.position(offset).line - 1;
        let (first, last) = (line(from.start), line(last));
        // Lines that went above it count as its own: where one is the same, that is meant.
        let is_it = |at: &usize| {
            let (lines, bytes) = (self.source.lines(), &self.source.bytes);
            let start = lines.line_start(at + 1).unwrap_or(bytes.len());
            let end = lines.line_start(at + 2).unwrap_or(bytes.len());
            let there = &bytes[start..end];
            String::from_utf8_lossy(there.strip_suffix(b"\n").unwrap_or(there)) == text
        };
        match (first..=last).rev().find(is_it) {
            Some(same) => vec![same],
            None => (first..=last).collect(),
        }
    }
}

/// The paths of all upstream files that two forms come from.
pub fn upstream_paths(forms: [&Form; 2]) -> BTreeSet<String> {
    forms.iter().flat_map(|form| form.upstream.values()).map(ToString::to_string).collect()
}
