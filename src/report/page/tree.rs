//! The tree of files beside the page.

use std::collections::BTreeMap;

use minijinja::{Value, context};

use super::Review;
use super::changes::status;
use super::text::anchor;
use crate::compare::FileReport;

/// What is known of one file.
#[derive(Default)]
struct Entry<'a> {
    groups: Option<usize>,
    changed: Option<&'a FileReport>,
}

/// The folders, each with its files.
pub(super) fn folders(review: &Review<'_>) -> Vec<Value> {
    let mut files: BTreeMap<(&str, &str), Entry<'_>> = BTreeMap::new();
    let made = review.made.iter().flat_map(|made| &made.files);
    for file in made.filter(|file| !file.groups.is_empty()) {
        files.entry(split(&file.path)).or_default().groups = Some(file.groups.len());
    }
    let changed = review.comparison.iter().flat_map(|found| &found.files);
    for file in changed.filter(|file| !file.hunks.is_empty()) {
        files.entry(split(&file.path)).or_default().changed = Some(file);
    }
    let mut folders: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for ((folder, name), entry) in files {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let changed = entry.changed.map(|file| {
            let [came, went] = file.lines.all;
            context! { came, went, status => status(file.status) }
        });
        let groups = entry.groups;
        let file = context! { name, id => anchor(&path), path, groups, changed };
        folders.entry(folder).or_default().push(file);
    }
    folders.into_iter().map(|(name, files)| context! { name, files }).collect()
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}
