//! A tree's own changes, as messages tell of them and as patches of their own.

use std::collections::BTreeMap;

use super::Step;
use crate::finding::Result;
use crate::letter::{Local, wrapped};
use crate::linux::carry::{self, Carried, Class, Fate};

/// What became of each change; hunks that go by one name are told of once.
pub(super) fn told(carried: &Carried) -> Vec<Local> {
    let mut told: Vec<Local> = Vec::new();
    for local in &carried.locals {
        let name = match &local.rule {
            Some(_) => local.id.clone(),
            None => format!("{}:{}", local.file, local.lines.0),
        };
        let what = match &local.what {
            Some(what) => first_sentence(what),
            None => local.reason.clone(),
        };
        let fate = fate(local).to_owned();
        let local = Local { fate, name, what: Some(what) };
        if !told.contains(&local) {
            told.push(local);
        }
    }
    told
}

fn fate(local: &carry::Local) -> &'static str {
    match (local.fate, local.class) {
        (Fate::Kept, _) => "kept",
        (Fate::Open, _) => "open",
        (Fate::Dropped, Class::Generated) => "generated",
        (Fate::Dropped, Class::Upstreamed) => "upstream by now",
        (Fate::Dropped, Class::Local | Class::Conflict) => "dropped",
    }
}

fn first_sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |at| at);
    text[..end].trim_end_matches('.').to_owned()
}

/// A step for each change that is kept; one for several that can't be told apart.
///
/// # Errors
/// Two of them can't stand together.
pub(super) fn steps(carried: &Carried) -> Result<Vec<Step>> {
    let kept = carried.locals.iter().filter(|local| local.fate == Fate::Kept);
    let mut by_id: BTreeMap<&str, Vec<&carry::Local>> = BTreeMap::new();
    for local in kept {
        by_id.entry(&local.id).or_default().push(local);
    }
    let (mut steps, mut done) = (Vec::new(), Vec::new());
    for ids in carried.steps() {
        let hunks = ids.iter().filter_map(|id| by_id.get(id.as_str()));
        let hunks: Vec<Vec<&carry::Local>> = hunks.cloned().collect();
        done.extend(ids.iter().cloned());
        let files = carried.with(&done)?;
        let first = hunks.first().map_or(&[][..], Vec::as_slice);
        let bodies: Vec<String> = hunks.iter().map(|hunks| body(hunks)).collect();
        let (subject, body) = (subject(&ids.join(", "), first), bodies.join("\n\n"));
        steps.push(Step { subject, body, files });
    }
    Ok(steps)
}

fn subject(id: &str, hunks: &[&carry::Local]) -> String {
    let folder = hunks.first().map_or("", |local| local.file.folder());
    format!("{folder}: carry over {id}")
}

fn body(hunks: &[&carry::Local]) -> String {
    let mut parts = Vec::new();
    if let Some(what) = hunks.iter().find_map(|local| local.what.as_ref()) {
        parts.push(wrapped(what, ""));
    }
    let commit = hunks.iter().find_map(|local| local.commit.as_ref());
    parts.push(match commit {
        Some(commit) => wrapped(&format!("This tree had it since commit {commit}."), ""),
        None => wrapped("This tree had made this change itself.", ""),
    });
    let places = hunks.iter().map(|local| {
        let (first, last) = local.lines;
        wrapped(&format!("{}:{first}-{last}: {}", local.file, local.reason), "  ")
    });
    parts.push(places.collect::<Vec<_>>().join("\n"));
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_their_stop() {
        assert_eq!(first_sentence("One v1.2 thing. Two."), "One v1.2 thing");
        assert_eq!(first_sentence("One."), "One");
    }
}
