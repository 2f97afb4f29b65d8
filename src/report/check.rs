//! What a check came to, as text: findings, a line for each commit of a range, a summary.

mod figures;
mod found;
mod lines;

use std::time::Duration;

use super::console::{Format, Verbosity};
use super::paint::Paint;
use super::summary::{grouped, line, plural, row};
use super::visible::one_line;
use super::{github, json, junit, sarif};
use crate::check::record::{Commit, Found, Introduced, Record};
use crate::finding::Severity;

/// Most findings of a commit shown, unless it is said otherwise.
const MAX_SHOWN: usize = 500;

/// How much is shown, and how long it took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// Most findings of a commit that are shown as text.
    pub max_findings: Option<usize>,
    /// How long the check took; for people only.
    pub elapsed: Option<Duration>,
}

/// The document in any format, the same for everyone.
pub fn document(record: &Record, format: Format, shown: Shown) -> String {
    match format {
        // A check has no form as a patch.
        Format::Text | Format::Patch | Format::Html => {
            text(record, Shown { elapsed: None, ..shown }, Verbosity::Normal, Paint { on: false })
        }
        Format::Json => json::record(record),
        Format::Sarif => sarif::sarif(record),
        Format::Junit => junit::junit(record),
        Format::Github => github::github(record),
    }
}

/// Draws it all.
pub(super) fn text(record: &Record, shown: Shown, verbosity: Verbosity, paint: Paint) -> String {
    let draw = Draw { record, shown, paint };
    match record.commits.as_slice() {
        [only] if record.total <= 1 => draw.one(only, verbosity),
        _ => draw.range(verbosity),
    }
}

struct Draw<'a> {
    record: &'a Record,
    shown: Shown,
    paint: Paint,
}

impl Draw<'_> {
    fn one(&self, commit: &Commit, verbosity: Verbosity) -> String {
        let mut out = self.findings(commit.findings.iter().map(|found| (found, None)));
        out.push_str(&self.gone());
        if verbosity == Verbosity::Quiet {
            return out;
        }
        let title = format!("{} {}", self.record.library, commit.shown());
        line(&mut out, format_args!("{}", self.paint.bold(&one_line(&title))));
        if let Some(title) = commit.title.as_ref().filter(|title| !title.is_empty()) {
            row(&mut out, "commit", title);
        }
        self.rows(&mut out, commit);
        row(&mut out, "findings", &weights(commit.errors, commit.warnings));
        self.end(&mut out, verbosity);
        self.next(&mut out, commit.errors > 0, commit.findings.iter());
        out
    }

    fn range(&self, verbosity: Verbosity) -> String {
        let mut out = String::new();
        for commit in &self.record.commits {
            if verbosity > Verbosity::Quiet || is_red(commit) {
                out.push_str(&lines::commit(commit, self.paint));
            }
        }
        let introduced = self.record.introduced();
        for commit in &self.record.commits {
            let here = introduced.iter().filter(|one| std::ptr::eq(one.commit, commit));
            out.push_str(&self.findings(here.map(|one| (one.found, Some(one)))));
        }
        out.push_str(&self.gone());
        if verbosity == Verbosity::Quiet {
            return out;
        }
        self.summary(&mut out, &introduced);
        self.end(&mut out, verbosity);
        let standing = introduced.iter().filter(|one| one.fixed_by.is_none());
        let is_red = self.record.commits.iter().any(is_red);
        self.next(&mut out, is_red, standing.map(|one| one.found));
        out
    }

    fn summary(&self, out: &mut String, introduced: &[Introduced<'_>]) {
        let commits: Vec<&Commit> =
            self.record.commits.iter().filter(|commit| !commit.start).collect();
        let title = match (self.record.commits.first(), self.record.commits.last()) {
            (Some(first), Some(last)) => {
                format!("{} {} to {}", self.record.library, first.shown(), last.shown())
            }
            _ => format!("{}: no commits", self.record.library),
        };
        line(out, format_args!("{}", self.paint.bold(&one_line(&title))));
        let red = commits.iter().filter(|commit| is_red(commit)).count();
        let alone = commits.iter().filter(|c| c.changed.as_ref().is_some_and(Vec::is_empty));
        let mut text = format!("{}: {} red", grouped(commits.len()), grouped(red));
        text += &format!(", {} without kernel change", grouped(alone.count()));
        row(out, "commits", &text);
        if let Some(last) = commits.last() {
            self.rows(out, last);
            let came = introduced.iter().filter(|one| !one.commit.start).count();
            let fixed = introduced.iter().filter(|one| one.fixed_by.is_some()).count();
            row(out, "findings", &format!("{came} new, {fixed} fixed"));
            row(out, "", &format!("{} at the end", weights(last.errors, last.warnings)));
        } else {
            row(out, "source", &self.record.source);
        }
    }

    /// Where it is from, and what was proved.
    fn rows(&self, out: &mut String, commit: &Commit) {
        row(out, "source", &self.record.source);
        row(out, "profile", &self.record.profile);
        let proof = commit.proof;
        if proof.files > 0 {
            let (proved, files) = (grouped(proof.proved), plural(proof.files, "file"));
            row(out, "proved", &format!("{proved} of {files} mean what upstream's mean"));
            let conditions = plural(proof.conditions, "condition");
            let facts = plural(proof.facts, "fact");
            row(out, "", &format!("{conditions} upstream; every setting of {facts} covered"));
        }
        for (number, line) in figures::lines(&commit.figures).iter().enumerate() {
            row(out, if number == 0 { "built" } else { "" }, line);
        }
    }

    fn end(&self, out: &mut String, verbosity: Verbosity) {
        if let Some(baseline) = &self.record.baseline {
            let (accepted, gone) = (baseline.accepted.len(), baseline.gone.len());
            row(out, "baseline", &format!("{accepted} accepted, {gone} no longer occur"));
        }
        if let (Verbosity::Verbose, Some(elapsed)) = (verbosity, self.shown.elapsed) {
            let (seconds, count) = (elapsed.as_secs_f64(), self.record.commits.len());
            let rate = count as f64 / seconds.max(0.001);
            row(out, "time", &format!("{seconds:.1} s, {rate:.1} commits a second"));
        }
    }

    fn next<'f>(&self, out: &mut String, is_red: bool, findings: impl Iterator<Item = &'f Found>) {
        let remedies = findings.filter(|found| found.fix.is_some() && !found.accepted).count();
        if !is_red && remedies == 0 {
            return;
        }
        line(out, format_args!("{}", self.paint.bold("Next:")));
        if remedies > 0 {
            let text = plural(remedies, "remedy").replace("remedys", "remedies");
            line(out, format_args!("  --suggest FILE writes {text} as a patch against upstream"));
        }
        if is_red {
            line(out, format_args!("  settle the errors upstream, or by rules"));
        }
    }

    fn findings<'f>(
        &self,
        findings: impl Iterator<Item = (&'f Found, Option<&'f Introduced<'f>>)>,
    ) -> String {
        let most = self.shown.max_findings.unwrap_or(MAX_SHOWN);
        let (mut out, mut count) = (String::new(), 0);
        for (found, introduced) in findings.filter(|(found, _)| !found.accepted) {
            count += 1;
            if count > most {
                continue;
            }
            out.push_str(&found::finding(found, self.paint));
            if let Some(introduced) = introduced {
                out.push_str(&lines::history(introduced, self.paint));
            }
        }
        if let Some(more) = count.checked_sub(most).filter(|more| *more > 0) {
            line(
                &mut out,
                format_args!("... and {more} more findings; --format json has them all"),
            );
        }
        out
    }

    /// Entries of the baseline that nothing has any more.
    fn gone(&self) -> String {
        let mut out = String::new();
        for (print, what) in self.record.baseline.iter().flat_map(|baseline| &baseline.gone) {
            let severity = self.paint.severity(Severity::Warning, "warning:");
            let (what, short) = (one_line(what), print.get(..12).unwrap_or(print));
            line(
                &mut out,
                format_args!("{severity} the baseline's {short} no longer occurs: {what}"),
            );
        }
        out
    }
}

fn is_red(commit: &Commit) -> bool {
    !commit.start && commit.errors > 0
}

fn weights(errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => "none".to_owned(),
        (errors, 0) => plural(errors, "error"),
        (0, warnings) => plural(warnings, "warning"),
        _ => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}
