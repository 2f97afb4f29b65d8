//! All commits of a range, each held against those it stands on.

use std::collections::HashMap;

use super::setting::Setting;
use super::work::{self, Results, Task};
use super::{Plan, Shard};
use crate::check::baseline::Known;
use crate::check::compare::{self, State};
use crate::check::record::{Commit, Record};
use crate::commands::held::Sources;
use crate::finding::Result;
use crate::git::short;
use crate::report::console::Console;
use crate::rules::{Library, Version};
use crate::upstream::{History, Point, Range, Release};

/// A check of a range.
pub(super) struct Job<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) sources: &'a Sources,
    pub(super) plan: &'a Plan,
}

impl Job<'_> {
    /// Checks the commits and adds them to the record. Gives the last one where remedies are wanted.
    pub(super) fn run(
        &self,
        range: &Range,
        record: &mut Record,
        mut known: Option<&mut Known>,
        console: &mut Console,
    ) -> Result<Option<Release>> {
        let library = &self.setting.ruleset.library;
        let upstream = self.sources.upstream.clone();
        let request = self.sources.request(self.setting.ruleset, &upstream, None);
        let progress = console.progress();
        let mut history = History::open(&request, range, &progress)?;
        drop(progress);
        for note in &history.notes {
            console.note(note);
        }
        record.source = format!("git repository {}", history.source());
        record.notes.clone_from(&history.notes);
        let (points, outside) = (std::mem::take(&mut history.points), history.outside);
        let listing = Listing::new(&points, outside, self.plan.shard);
        record.total = listing.total();
        let tasks = listing.tasks(self.setting);
        let progress = console.progress();
        let read = |number: usize, history: &mut History| history.read(&points[number], &request);
        let jobs = self.plan.jobs;
        let mut said = Vec::new();
        let states = work::run(self.setting, jobs, &tasks, &mut history, &read, |results| {
            for (done, shown) in listing.shown.iter().enumerate() {
                progress.count("checking commits", done as u64, listing.shown.len() as u64);
                let commit = listing.commit(shown, results, library, known.as_deref_mut())?;
                said.extend(commit.1.filter(|note| !said.contains(note)));
                record.commits.push(commit.0);
            }
            Ok(())
        });
        states?;
        drop(progress);
        for note in said {
            console.note(&note);
            record.notes.push(note);
        }
        match (self.plan.suggest.is_some(), listing.shown.last()) {
            (true, Some(last)) => history.read(&points[last.point], &request).map(Some),
            _ => Ok(None),
        }
    }
}

/// Which points the record gets.
struct Listing<'a> {
    points: &'a [Point],
    shown: Vec<Shown>,
    /// Whether the range has a start that it is compared with.
    has_start: bool,
    /// Commits of the whole range.
    count: usize,
}

/// A point that the record gets.
struct Shown {
    point: usize,
    number: usize,
    is_start: bool,
}

impl<'a> Listing<'a> {
    fn new(points: &'a [Point], outside: usize, shard: Option<Shard>) -> Listing<'a> {
        let count = points.len() - outside;
        let shard = shard.unwrap_or(Shard { number: 1, of: 1 });
        // The first commit's first parent.
        let start = points.get(outside).and_then(|point| point.parents.first().copied());
        let lead = usize::from(start.is_some());
        let start = start.filter(|_| shard.number == 1);
        let start = start.map(|point| Shown { point, number: 0, is_start: true });
        let part = shard.part(count);
        let part = part.map(|at| Shown { point: outside + at, number: at + lead, is_start: false });
        Listing {
            points,
            shown: start.into_iter().chain(part).collect(),
            has_start: lead > 0,
            count,
        }
    }

    fn total(&self) -> usize {
        self.count + usize::from(self.has_start)
    }

    /// The points whose states one has to know for a point.
    fn needs(&self, shown: &Shown) -> Vec<usize> {
        let parents: &[usize] = match shown.is_start {
            true => &[],
            false => &self.points[shown.point].parents,
        };
        parents.iter().copied().chain([shown.point]).collect()
    }

    /// The states to be found out, each once, in the order in which they are needed.
    fn tasks(&self, setting: &Setting<'_>) -> Vec<Task> {
        let mut tasks: Vec<Task> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for point in self.shown.iter().flat_map(|shown| self.needs(shown)) {
            let Point { library, tag, .. } = &self.points[point];
            let key = setting.key(&format!("tree {library}"), tag.as_deref());
            let task = *known.entry(key.clone()).or_insert_with(|| {
                tasks.push(Task { key, point, uses: 0, points: Vec::new() });
                tasks.len() - 1
            });
            tasks[task].uses += 1;
            if tasks[task].points.last() != Some(&point) {
                tasks[task].points.push(point);
            }
        }
        tasks
    }

    /// What the record gets of a point, and what is to be said of it.
    fn commit(
        &self,
        shown: &Shown,
        results: &mut Results<'_>,
        library: &Library,
        known: Option<&mut Known>,
    ) -> Result<(Commit, Option<String>)> {
        let mut states = Vec::new();
        for point in self.needs(shown) {
            states.push(results.take(point)?);
        }
        let known = known.map(|known| {
            states.iter().for_each(|state| known.meet(state));
            &*known
        });
        let Some((state, parents)) = states.split_last() else {
            return Ok((Commit::default(), None));
        };
        let parents: Vec<&State> = parents.iter().map(|state| &**state).collect();
        let Point { commit, tag, .. } = &self.points[shown.point];
        let id = commit.id.to_string();
        let name = format!("{}{}-g{}", library.tag_prefix, state.version, short(&id));
        let version: Option<Version> = state.version.parse().ok();
        let oldest = library.oldest;
        let old = version.filter(|version| *version < oldest).map(|version| {
            let prefix = &library.tag_prefix;
            format!("{prefix}{version} is older than {oldest}, for which the rules start")
        });
        let commit = Commit {
            name: tag.clone().unwrap_or(name),
            title: Some(commit.title.clone()),
            number: shown.number,
            start: shown.is_start,
            id: Some(id),
            ..compare::commit(state, &parents, known)
        };
        Ok((commit, old))
    }
}
