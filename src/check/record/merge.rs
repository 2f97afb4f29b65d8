//! Records of the shards of one range become the record of the range.

use std::collections::BTreeMap;

use super::{Baseline, Commit, Record};
use crate::finding::{Error, Result};

/// Most places of a range that are named as missing.
const MAX_GAPS: usize = 8;

/// Merges the records of shards. The result doesn't depend on their order, and is what one run over
/// the whole range writes; commits that no record has are noted.
///
/// # Errors
/// A usage error where there is no record, where two were made by different programs, rules or
/// settings, or where two disagree on a commit.
pub fn merge(mut records: Vec<Record>) -> Result<Record> {
    let first = |record: &Record| record.commits.iter().map(|commit| commit.number).min();
    records.sort_by_key(|record| (first(record).unwrap_or(usize::MAX), record.commits.len()));
    let mut shards = records.into_iter();
    let Some(mut whole) = shards.next() else {
        return Err(Error::usage("there is no document to merge"));
    };
    let mut commits = BTreeMap::new();
    take_commits(&mut commits, std::mem::take(&mut whole.commits))?;
    for shard in shards {
        same_run(&whole, &shard)?;
        take_commits(&mut commits, shard.commits)?;
        // Sentences that only some have keep their order behind the common ones.
        for note in shard.notes {
            if !whole.notes.contains(&note) {
                whole.notes.push(note);
            }
        }
        whole.baseline = merged(whole.baseline, shard.baseline)?;
    }
    ids_once(&commits)?;
    whole.notes.extend(gaps(&commits, whole.total));
    whole.commits = commits.into_values().collect();
    Ok(whole)
}

/// All that has to be the same for two records to be of one run.
fn same_run(one: &Record, other: &Record) -> Result<()> {
    let sides = [
        ("programs", &one.tool, &other.tool),
        ("libraries", &one.library, &other.library),
        ("repositories", &one.repository, &other.repository),
        ("profiles", &one.profile, &other.profile),
        ("rulesets", &one.ruleset, &other.ruleset),
    ];
    if let Some((what, one, other)) = sides.into_iter().find(|(_, one, other)| one != other) {
        return Err(Error::usage(format!("the documents are of different {what}: {one}, {other}"))
            .hint("merge the shards of one range, checked by one program with one set of rules"));
    }
    if one.schema != other.schema || one.command != other.command {
        return Err(Error::usage("the documents are of different kinds"));
    }
    if one.total != other.total {
        return Err(Error::usage(format!(
            "the documents are of different ranges: one of {} commits, one of {}",
            one.total, other.total
        ))
        .hint("merge the shards of one range"));
    }
    if one.build != other.build {
        return Err(Error::usage("one document was made with `--build`, another without")
            .hint("check all shards alike"));
    }
    Ok(())
}

fn take_commits(into: &mut BTreeMap<usize, Commit>, commits: Vec<Commit>) -> Result<()> {
    for commit in commits {
        let number = commit.number;
        match into.get(&number) {
            None => _ = into.insert(number, commit),
            Some(known) if *known == commit => {}
            Some(known) => return Err(disagreement(known, &commit)),
        }
    }
    Ok(())
}

fn disagreement(one: &Commit, other: &Commit) -> Error {
    let shown = |commit: &Commit| match &commit.id {
        Some(id) => format!("{} ({})", commit.name, &id[..id.len().min(12)]),
        None => commit.name.clone(),
    };
    let number = one.number + 1;
    if one.id != other.id || one.name != other.name {
        return Error::usage(format!(
            "commit {number} of the range is {} in one document, {} in another",
            shown(one),
            shown(other)
        ))
        .hint("merge the shards of one range");
    }
    Error::usage(format!("two documents disagree on commit {number}, {}", shown(one)))
        .hint("check it again: the same commit, rules and program always give the same findings")
}

/// Whether each commit has one place in the range.
fn ids_once(commits: &BTreeMap<usize, Commit>) -> Result<()> {
    let mut seen = BTreeMap::new();
    for commit in commits.values() {
        let Some(id) = &commit.id else { continue };
        if let Some(before) = seen.insert(id, commit.number) {
            let (first, second) = (before + 1, commit.number + 1);
            return Err(Error::usage(format!(
                "{id} is commit {first} of the range in one document, commit {second} in another"
            ))
            .hint("merge the shards of one range"));
        }
    }
    Ok(())
}

/// An entry is gone where no shard has a finding for it.
fn merged(one: Option<Baseline>, other: Option<Baseline>) -> Result<Option<Baseline>> {
    let (mut one, other) = match (one, other) {
        (None, None) => return Ok(None),
        (Some(one), Some(other)) => (one, other),
        _ => {
            return Err(Error::usage("one document was made with a baseline, another without")
                .hint("check all shards alike"));
        }
    };
    let entries = |baseline: &Baseline| {
        let both = baseline.accepted.iter().chain(&baseline.gone);
        both.map(|(name, what)| (name.clone(), what.clone())).collect::<BTreeMap<_, _>>()
    };
    if entries(&one) != entries(&other) {
        return Err(Error::usage("the documents were made with different baselines")
            .hint("check all shards alike"));
    }
    one.accepted.extend(other.accepted);
    one.gone.retain(|name, _| !one.accepted.contains_key(name));
    Ok(Some(one))
}

/// What is missing, if anything.
fn gaps(commits: &BTreeMap<usize, Commit>, total: usize) -> Option<String> {
    let mut next = 0;
    let (mut missing, mut places) = (0, Vec::new());
    for number in commits.keys().copied().chain([total]) {
        if number > next {
            missing += number - next;
            places.push(match number - next {
                1 => number.to_string(),
                _ => format!("{} to {number}", next + 1),
            });
        }
        next = number + 1;
    }
    if missing == 0 {
        return None;
    }
    let more = if places.len() > MAX_GAPS { " and others" } else { "" };
    places.truncate(MAX_GAPS);
    let verb = if missing == 1 { "commit of the range is" } else { "commits of the range are" };
    Some(format!("{missing} {verb} in no document: {}{more}", places.join(", ")))
}
