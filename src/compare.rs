//! Two kernel forms side by side: what changed for callers, what changed in the code, and where each
//! changed line comes from. Computes, neither reads nor writes.

mod api;
mod causes;
mod code;
mod commits;
pub mod cost;
mod functions;
mod kinds;
pub mod made;
mod moved;
pub mod origin;
mod result;
pub mod speed;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::edit::RuleRef;
use crate::finding::Result;
use crate::linux::callers::Callers;
use crate::linux::interface::Interface;
use crate::patch::Change;
use crate::pipeline::KernelTree;
use crate::text::{Files, Source, TreePath};
use crate::upstream::Between;

pub use causes::Trees;
pub use commits::{Judge, upstream_paths};
pub use result::{
    ApiChange, CallerSummary, Cause, CauseCount, Class, CodeSummary, CommitSummary, Comparison,
    Counts, FileReport, FunctionChange, HunkReport, Kind, Line, NamedCommit, Side, Status, What,
};

/// One of the two forms.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Its files, as they are.
    pub files: Files,
    /// Upstream's path below the library root for each file that comes from one.
    pub upstream: BTreeMap<TreePath, TreePath>,
}

impl Form {
    /// What an import made.
    pub fn of(tree: &KernelTree) -> Form {
        let files = tree.files.iter().map(|(path, file)| (path, file.text.bytes()));
        let files = files.map(|(path, bytes)| (path.clone(), Arc::clone(bytes))).collect();
        let upstream = tree.files.iter().filter(|(_, file)| file.template.is_none());
        let upstream =
            upstream.filter_map(|(path, file)| Some((path.clone(), file.upstream.clone()?)));
        Form { files, upstream: upstream.collect() }
    }
}

/// The files that templates make, with the rule that wants each.
pub fn templates(tree: &KernelTree) -> BTreeMap<TreePath, RuleRef> {
    let files = tree.files.iter();
    files.filter_map(|(path, file)| Some((path.clone(), file.template.clone()?))).collect()
}

/// Files of a kernel by path.
pub type Sources = BTreeMap<TreePath, Arc<Source>>;

/// All that is known besides the two forms.
#[derive(Default)]
pub struct Known<'a> {
    /// Folder below which no header is for callers: the library's own.
    pub inside: &'a str,
    /// The trees between the two forms; none where what one was made from is not at hand.
    pub trees: Option<Trees>,
    /// The imports that the forms are, or were made from, where they are at hand.
    pub made: [Option<&'a KernelTree>; 2],
    /// The commits between; none without a history.
    pub commits: Option<&'a Between>,
    /// Decides of commits that have no line in the change whether they change the kernel form.
    pub judge: Option<&'a Judge<'a>>,
    /// Files of a kernel that may call the library, with the words that its names begin with.
    pub callers: Option<(&'a Sources, &'a [String])>,
}

/// Compares two forms.
///
/// # Errors
/// A file is no text.
pub fn compare(
    (old_side, old): (Side, &Form),
    (new_side, new): (Side, &Form),
    known: &Known<'_>,
) -> Result<(Comparison, Change)> {
    let change = Change::between(&old.files, &new.files)?;
    let mut files = code::files(&change, old, new)?;
    if let Some(trees) = &known.trees {
        for (file, report) in change.files().iter().zip(&mut files) {
            causes::attribute(trees, file, report)?;
        }
    }
    moved::mark(&mut files);
    for file in &mut files {
        file.count();
    }
    let commits = match known.commits {
        Some(between) => Some(commits::named(between, (&change, &mut files), [old, new], known)?),
        None => None,
    };
    let (headers, now) = (headers(old, known.inside), headers(new, known.inside));
    let (before, after) = (Interface::of(&headers), Interface::of(&now));
    let callers = known
        .callers
        .map(|(files, words)| crate::linux::callers::check(files, &before, &after, words));
    let api = api::changes(&before, &after, callers.as_ref());
    let causes = known.trees.as_ref().map(|_| causes::summed(&files));
    let comparison = Comparison {
        cost: None,
        speed: None,
        old: old_side,
        new: new_side,
        equal: change.is_empty(),
        callers: callers.as_ref().map(|callers| affected(callers, &api)),
        api,
        code: CodeSummary::of(&files),
        causes,
        commits,
        files,
    };
    Ok((comparison, change))
}

/// The headers that are for callers.
fn headers(form: &Form, inside: &str) -> BTreeMap<TreePath, Arc<Source>> {
    let is_inside = |path: &TreePath| {
        path.as_str().strip_prefix(inside).is_some_and(|rest| rest.starts_with('/'))
    };
    let headers = form.files.iter().filter(|(path, _)| path.extension() == Some("h"));
    let headers = headers.filter(|(path, _)| !is_inside(path));
    headers
        .map(|(path, bytes)| (path.clone(), Source::new(path.as_str(), Arc::clone(bytes))))
        .collect()
}

/// Who in the tree uses what changed.
fn affected(callers: &Callers, api: &[ApiChange]) -> CallerSummary {
    let affected: BTreeSet<&String> = api.iter().flat_map(|change| &change.users).collect();
    CallerSummary {
        files: callers.files.len(),
        affected: affected.into_iter().cloned().collect(),
        findings: callers
            .findings
            .clone()
            .sorted()
            .into_iter()
            .map(|found| found.message)
            .collect(),
    }
}
