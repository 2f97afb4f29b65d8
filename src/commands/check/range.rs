//! All commits of a range, each held against those it stands on.

use std::collections::HashMap;
use std::sync::Arc;

use super::Plan;
use super::listing::{Listing, Shown};
use super::setting::Setting;
use super::work::{self, Results};
use crate::check::baseline::Known;
use crate::check::compare::{self, Before, State};
use crate::check::record::{Commit, Record};
use crate::commands::held::Sources;
use crate::finding::{Error, ErrorKind, Result};
use crate::git::short;
use crate::report::console::Console;
use crate::rules::{Library, Version};
use crate::upstream::{History, Point, Range, Release, Request};

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
        let read = |number: usize, history: &mut History| read(&points[number], history, &request);
        let mut listing = Listing::new(&points, outside, self.plan.shard);
        listing.look_behind(|number| readable(read(number, &mut history)))?;
        record.total = listing.total();
        let tasks = listing.tasks(self.setting);
        let progress = console.progress();
        let jobs = self.plan.jobs;
        let mut comparison = Comparison::of(&listing, library);
        let states = work::run(self.setting, jobs, &tasks, &mut history, &read, |results| {
            for (done, shown) in listing.shown.iter().enumerate() {
                progress.count("checking commits", done as u64, listing.shown.len() as u64);
                let commit = comparison.commit(shown, results, known.as_deref_mut())?;
                record.commits.extend(Some(commit).filter(|_| !shown.is_behind));
            }
            Ok(())
        });
        states?;
        drop(progress);
        for note in comparison.said {
            console.note(&note);
            record.notes.push(note);
        }
        let last = listing.shown.last().filter(|_| self.plan.suggest.is_some());
        let Some(last) = last else { return Ok(None) };
        match read(last.point, &mut history) {
            Err(error) if error.kind == ErrorKind::Input => {
                console.note("the last commit can't be read, so that there is nothing to suggest");
                Ok(None)
            }
            release => release.map(Some),
        }
    }
}

/// Reads a commit. Errors speak of it as *the commit*: many have the same library, in clones anywhere.
fn read(point: &Point, history: &mut History, request: &Request<'_>) -> Result<Release> {
    let named = format!("commit {} in {}", short(&point.commit.id.to_string()), history.source());
    history.read(point, request).map_err(|error| {
        let message = error.message.replace(&named, "the commit");
        Error { message, ..error }
    })
}

/// Whether a commit could be read; an error is one of the run's own.
fn readable(release: Result<Release>) -> Result<bool> {
    match release {
        Ok(_) => Ok(true),
        Err(error) if error.kind == ErrorKind::Input => Ok(false),
        Err(error) => Err(error),
    }
}

/// Holds each commit against those before it.
struct Comparison<'a> {
    listing: &'a Listing<'a>,
    library: &'a Library,
    /// For each commit that can't be read the points that stand in for it: the nearest before that can.
    stand_ins: HashMap<usize, Vec<usize>>,
    /// The states of these.
    kept: HashMap<usize, Arc<State>>,
    /// What is to be said of the commits.
    said: Vec<String>,
}

impl<'a> Comparison<'a> {
    fn of(listing: &'a Listing<'a>, library: &'a Library) -> Comparison<'a> {
        let (stand_ins, kept, said) = (HashMap::new(), HashMap::new(), Vec::new());
        Comparison { listing, library, stand_ins, kept, said }
    }

    /// What the record gets of a point.
    fn commit(
        &mut self,
        shown: &Shown,
        results: &mut Results<'_>,
        known: Option<&mut Known>,
    ) -> Result<Commit> {
        let mut states = HashMap::new();
        for point in self.listing.needs(shown) {
            states.insert(point, results.take(point)?);
        }
        let known = known.map(|known| {
            states.values().for_each(|state| known.meet(state));
            &*known
        });
        let lost = || Error::internal("a commit was checked and is not there");
        let state = states.remove(&shown.point).ok_or_else(lost)?;
        let parents = self.listing.parents(shown);
        let mut nearest: Vec<usize> = Vec::new();
        let mut unreadable: Vec<&State> = Vec::new();
        for (parent, state) in parents.iter().filter_map(|parent| states.get_key_value(parent)) {
            let instead = match state.unreadable {
                true => self.stand_ins.get(parent).map_or(&[][..], Vec::as_slice),
                false => std::slice::from_ref(parent),
            };
            unreadable.extend(Some(&**state).filter(|state| state.unreadable));
            for point in instead {
                if !nearest.contains(point) {
                    nearest.push(*point);
                }
            }
        }
        let read: Vec<Arc<State>> = nearest
            .iter()
            .filter_map(|point| states.get(point).or_else(|| self.kept.get(point)).cloned())
            .collect();
        let before = Before { read: read.iter().map(|state| &**state).collect(), unreadable };
        let commit = compare::commit(&state, &before, known);
        if state.unreadable {
            self.kept.extend(nearest.iter().copied().zip(read));
            self.stand_ins.insert(shown.point, nearest);
        }
        Ok(self.named(shown, &state, commit))
    }

    fn named(&mut self, shown: &Shown, state: &State, commit: Commit) -> Commit {
        let Point { commit: at, tag, .. } = self.listing.point(shown);
        let (id, prefix) = (at.id.to_string(), &self.library.tag_prefix);
        let name = match state.version.as_str() {
            "" => String::new(),
            version => format!("{prefix}{version}-g{}", short(&id)),
        };
        let version: Option<Version> = state.version.parse().ok();
        let oldest = self.library.oldest;
        if let Some(version) = version.filter(|version| *version < oldest) {
            let note =
                format!("{prefix}{version} is older than {oldest}, for which the rules start");
            if !shown.is_behind && !self.said.contains(&note) {
                self.said.push(note);
            }
        }
        Commit {
            name: tag.clone().unwrap_or(name),
            title: Some(at.title.clone()),
            number: shown.number,
            start: shown.is_start,
            id: Some(id),
            ..commit
        }
    }
}
