//! A commit in one line, and where a finding came and went.

use crate::check::record::{Commit, Introduced};
use crate::finding::Severity;
use crate::report::paint::Paint;
use crate::report::summary::plural;
use crate::report::visible::one_line;

/// Characters of a title that are shown.
const TITLE: usize = 50;
/// Digits of a commit's id that are shown.
const DIGITS: usize = 12;

/// The line of a commit, line end included.
pub(super) fn commit(commit: &Commit, paint: Paint) -> String {
    let id = short(commit);
    let title = one_line(commit.title.as_deref().unwrap_or_default());
    let mut title: String = match title.chars().count() {
        count if count <= TITLE => title.into_owned(),
        _ => title.chars().take(TITLE - 1).chain(['\u{2026}']).collect(),
    };
    let blanks = TITLE.saturating_sub(title.chars().count());
    title.extend(std::iter::repeat_n(' ', blanks));
    let colour = match (commit.start, commit.errors) {
        (true, _) => paint.dim("start"),
        (false, 0) => paint.good("ok   "),
        (false, _) => paint.severity(Severity::Error, "red  "),
    };
    format!("{id} {colour} {title} {}\n", change(commit))
}

fn change(commit: &Commit) -> String {
    let mut parts = Vec::new();
    let accepted = commit.findings.iter().filter(|found| found.accepted).count();
    let new = commit.findings.len() - accepted;
    match (commit.start, new) {
        (_, 0) => {}
        (true, count) => parts.push(plural(count, "finding")),
        (false, count) => parts.push(format!("+{count} new")),
    }
    if !commit.fixed.is_empty() {
        parts.push(format!("-{} fixed", commit.fixed.len()));
    }
    match commit.changed.as_ref().map(Vec::len) {
        None => {}
        Some(0) => parts.push("no kernel change".to_owned()),
        Some(count) => parts.push(plural(count, "file")),
    }
    parts.join(", ")
}

/// The line under a finding of a range.
pub(super) fn history(introduced: &Introduced<'_>, paint: Paint) -> String {
    let named = |commit: &Commit| {
        let title = commit.title.as_deref().unwrap_or_default();
        format!("{} {}", short(commit), one_line(title))
    };
    let verb = if introduced.commit.start { "stood before, at" } else { "first bad commit" };
    let mut out = format!("  {} {}\n", paint.dim(verb), named(introduced.commit));
    if let Some(fixed) = introduced.fixed_by {
        out += &format!("  {} {}\n", paint.dim("fixed by"), named(fixed));
    }
    out
}

fn short(commit: &Commit) -> String {
    match commit.id.as_deref().and_then(|id| id.get(..DIGITS)) {
        Some(id) => one_line(id).into_owned(),
        None => one_line(&commit.name).into_owned(),
    }
}
