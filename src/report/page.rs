//! The review page: one HTML file that needs nothing beside it and reaches no network.
//!
//! It is drawn from plain data. All text in it goes through `text`, so that nothing of upstream's is
//! markup; its policy lets run only the script and the style that stand here, by their digest.

mod changes;
mod charts;
mod cost;
mod figures;
mod made;
mod rows;
mod speed;
#[cfg(test)]
mod tests;
mod text;
mod top;
mod tree;
mod words;

use std::collections::BTreeSet;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::Serialize;

use super::audit::AuditSummary;
use super::paint::Paint;
use super::patch::Verdict;
use super::summary::{ImportSummary, grouped, line, plural, row};
use super::visible::one_line;
use crate::compare::Comparison;
use crate::compare::made::Made;
use crate::finding::{Error, Findings, Result};

/// What a page is about.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a> {
    /// Its heading.
    pub title: &'a str,
    /// What more there is to say at the top, as pairs of a name and a text.
    pub facts: &'a [(String, String)],
    /// The import: of a comparison that of the new side.
    pub import: Option<&'a ImportSummary>,
    /// What was found in it.
    pub findings: &'a Findings,
    /// Of a patch: whether the same bytes came out again.
    pub verdict: Option<&'a Verdict>,
    /// What a Linux tree has changed itself, and what became of it.
    pub audit: Option<&'a AuditSummary>,
    /// The old form beside the new one.
    pub comparison: Option<&'a Comparison>,
    /// Upstream beside the kernel form.
    pub made: Option<&'a Made>,
}

/// What a page holds, for the one who had it made.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct PageSummary {
    /// Its heading.
    pub title: String,
    /// The file that it was written to; none for standard output.
    pub file: Option<String>,
    /// Its size in bytes.
    pub bytes: usize,
    /// Files in which rules did something.
    pub made_files: usize,
    /// Groups of lines that rules made.
    pub made_groups: usize,
    /// Rules that had a hand in them.
    pub rules: usize,
    /// Files of which the old and the new form differ.
    pub changed_files: usize,
    /// Lines that came and that went there.
    pub changed_lines: [usize; 2],
    /// Changes of the tree's own that are listed.
    pub local_changes: usize,
    /// Error-level findings.
    pub errors: usize,
    /// Warning-level findings.
    pub warnings: usize,
}

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = concat!(include_str!("page/style.css"), include_str!("page/charts.css"));
const SCRIPT: &str = include_str!("page/page.js");

/// Parts of the page that are files of their own.
const PARTS: [(&str, &str); 7] = [
    ("page.html", PAGE),
    ("summary.html", include_str!("page/summary.html")),
    ("callers.html", include_str!("page/callers.html")),
    ("code.html", include_str!("page/code.html")),
    ("files.html", include_str!("page/files.html")),
    ("cost.html", include_str!("page/cost.html")),
    ("speed.html", include_str!("page/speed.html")),
];

/// Draws the page.
///
/// # Errors
/// A template of ours is at fault.
pub fn page(review: &Review<'_>) -> Result<(String, PageSummary)> {
    let made = review.made.map(made::files).unwrap_or_default();
    let changed = review.comparison.map(|found| &found.files);
    let changed = changed.filter(|files| files.iter().any(|file| !file.hunks.is_empty()));
    let changes = changed.map(|files| changes::files(files)).unwrap_or_default();
    let rules = review.made.map(made::rules).unwrap_or_default();
    let used = review.made.map(|made| made.rules.as_slice()).unwrap_or_default();
    let kinds: BTreeSet<&str> = used.iter().map(kind).collect();
    let cost = review.comparison.and_then(|found| found.cost.as_ref()).map(cost::value);
    let speed = review.comparison.and_then(|found| found.speed.as_ref()).map(speed::value);
    let values = context! {
        title => review.title,
        tool => concat!("kernelize ", env!("CARGO_PKG_VERSION")),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        style_digest => text::digest(STYLE),
        script_digest => text::digest(SCRIPT),
        tree => tree::folders(review),
        summary => top::top(review),
        findings => top::findings(review.findings),
        local => review.audit.map(top::local),
        callers => review.comparison.map(top::callers),
        code => review.comparison.map(top::code),
        causes => review.comparison.map(top::causes),
        left_out => review.made.map(made::left_out),
        kinds => kinds.into_iter().map(str::to_owned).collect::<Vec<_>>(),
        has_causes => review.comparison.is_some_and(|found| found.causes.is_some()),
        equal => review.comparison.is_some_and(|found| found.equal),
        moved => changed.is_some_and(|files| changes::any_moved(files)),
        cost, speed, made, changes, rules,
    };
    let html = environment().and_then(|all| all.get_template("page.html")?.render(values));
    let html = html.map_err(|error| fault(&error))?;
    let held = summed(review, html.len());
    Ok((html, held))
}

/// Says what a page holds.
pub(super) fn summary(done: &PageSummary, paint: Paint) -> String {
    let mut out = String::new();
    line(&mut out, format_args!("{}", paint.bold(&one_line(&done.title))));
    if done.made_files > 0 {
        let (groups, rules) = (plural(done.made_groups, "change"), plural(done.rules, "rule"));
        let files = plural(done.made_files, "file");
        row(&mut out, "upstream", &format!("{groups} by {rules} in {files}"));
    }
    if done.changed_files > 0 {
        let [came, went] = done.changed_lines.map(grouped);
        row(
            &mut out,
            "old and new",
            &format!("{}, +{came} -{went}", plural(done.changed_files, "file")),
        );
    }
    if done.local_changes > 0 {
        row(&mut out, "tree's own", &plural(done.local_changes, "change"));
    }
    row(&mut out, "findings", &format!("{} errors, {} warnings", done.errors, done.warnings));
    if let Some(file) = &done.file {
        row(&mut out, "page", &format!("{file}, {} kB", grouped(done.bytes.div_ceil(1000))));
    }
    out
}

fn kind(used: &crate::compare::made::RuleUse) -> &str {
    used.rule.rule.split('/').next().unwrap_or_default()
}

fn summed(review: &Review<'_>, bytes: usize) -> PageSummary {
    let made = review.made.map(|made| made.files.as_slice()).unwrap_or_default();
    let changed = review.comparison.map(|found| found.files.as_slice()).unwrap_or_default();
    let lines = review.comparison.map(|found| found.code.lines.all);
    let errors = review.findings.errors();
    PageSummary {
        title: review.title.to_owned(),
        file: None,
        bytes,
        made_files: made.iter().filter(|file| !file.groups.is_empty()).count(),
        made_groups: made.iter().map(|file| file.groups.len()).sum(),
        rules: review.made.map_or(0, |made| made.rules.len()),
        changed_files: changed.len(),
        changed_lines: lines.unwrap_or_default(),
        local_changes: review.audit.map_or(0, |audit| audit.changes.len()),
        errors,
        warnings: review.findings.len() - errors,
    }
}

fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    environment.set_syntax(syntax.build()?);
    // Whatever isn't markup of ours is text, numbers aside.
    environment.set_formatter(|out, _, value| {
        if value.is_none() {
            return Ok(());
        }
        let shown = match (value.is_safe(), value.kind()) {
            (true, _) | (_, ValueKind::Number) => value.to_string(),
            _ => text::escaped(
                value.as_str().map_or_else(|| value.to_string(), str::to_owned).as_str(),
            ),
        };
        out.write_str(&shown).map_err(minijinja::Error::from)
    });
    for (name, text) in PARTS {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

fn fault(error: &minijinja::Error) -> Error {
    let mut message = format!("the page can't be drawn: {error}");
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        message = format!("{message}: {next}");
        cause = next.source();
    }
    Error::internal(message)
}
