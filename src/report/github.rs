//! Workflow commands of GitHub Actions: annotations on upstream's lines.
//!
//! The service shows few of each kind for a step, so the order is by weight, and one notice in front
//! says how many there are.

use super::visible::one_line;
use crate::check::record::{Found, Introduced, Place, Record};

/// How many annotations of one kind a step shows.
const SHOWN: usize = 10;

/// The record as workflow commands, one a line. What a baseline accepts is only counted.
pub fn github(record: &Record) -> String {
    let mut list: Vec<Introduced<'_>> =
        record.introduced().into_iter().filter(|introduced| !introduced.found.accepted).collect();
    // What stands can be mended, and its lines are those that the reader sees. Then one of each kind
    // before the second of any.
    let mut seen = std::collections::BTreeMap::new();
    list.sort_by_cached_key(|introduced| {
        let Introduced { found, fixed_by, .. } = introduced;
        let earlier = seen.entry(&found.code).or_insert(0_usize);
        *earlier += 1;
        (found.severity != "error", fixed_by.is_some(), *earlier)
    });
    let mut out = summary(record, &list);
    for introduced in &list {
        out.push_str(&annotation(record, introduced));
    }
    out
}

/// What came of the run, in one notice.
fn summary(record: &Record, list: &[Introduced<'_>]) -> String {
    let count = |severity: &str| list.iter().filter(|one| one.found.severity == severity).count();
    let (errors, warnings) = (count("error"), count("warning"));
    let of = match record.commits.as_slice() {
        [only] => only.shown(),
        commits => format!("{} commits", commits.len()),
    };
    let title = format!("{} {of}: {errors} errors, {warnings} warnings", record.library);
    let mut lines = Vec::new();
    if let Some(last) = record.commits.last() {
        let proof = last.proof;
        lines.push(format!(
            "{} of {} files are proved to mean the same.",
            proof.proved, proof.files
        ));
    }
    let gone = list.iter().filter(|one| one.fixed_by.is_some()).count();
    if gone > 0 {
        lines.push(format!("{gone} came and went within the range."));
    }
    if let Some(baseline) = &record.baseline {
        let (accepted, gone) = (baseline.accepted.len(), baseline.gone.len());
        lines.push(format!(
            "The baseline accepts {accepted}; {gone} of its entries no longer occur."
        ));
    }
    if errors.max(warnings) > SHOWN {
        lines.push(format!(
            "Only {SHOWN} of each kind are shown as annotations: the log of the step has all."
        ));
    }
    command("notice", &[("title", title)], &lines)
}

fn annotation(record: &Record, introduced: &Introduced<'_>) -> String {
    let Introduced { commit, found, fixed_by } = introduced;
    let kind = if found.severity == "error" { "error" } else { "warning" };
    // Lines of a text that has changed since would point anywhere.
    let place = found.places.iter().find(|place| place.upstream && fixed_by.is_none());
    let mut properties = place.map(location).unwrap_or_default();
    properties.push(("title", found.code.clone()));
    let mut lines = vec![found.message.clone()];
    lines.extend(said(found, place));
    if record.total > 1 {
        let title = commit.title.as_ref().map_or(String::new(), |title| format!(", {title}"));
        lines.push(format!("since {}{title}", commit.shown()));
    }
    lines.extend(fixed_by.map(|by| format!("gone since {}", by.shown())));
    command(kind, &properties, &lines)
}

/// All that is known beside the message; the service shows the line of `annotated` itself.
fn said(found: &Found, annotated: Option<&Place>) -> Vec<String> {
    let mut lines = Vec::new();
    for place in &found.places {
        if !annotated.is_some_and(|annotated| std::ptr::eq(annotated, place)) {
            let region = place.region;
            let at = format!("{}:{}:{}", place.path, region.line, region.column);
            lines.push(if place.text.is_empty() { at } else { format!("{at}: {}", place.text) });
        } else if !place.text.is_empty() {
            lines.push(place.text.clone());
        }
    }
    lines.extend(found.hint.iter().map(|hint| format!("help: {hint}")));
    lines.extend(found.fix.iter().map(|fix| format!("fix: {}", fix.what)));
    lines
}

/// Columns are wanted only where the place is one line.
fn location(place: &Place) -> Vec<(&'static str, String)> {
    let region = place.region;
    let mut properties = vec![
        ("file", place.path.clone()),
        ("line", region.line.to_string()),
        ("endLine", region.end_line.to_string()),
    ];
    if region.line == region.end_line {
        properties.push(("col", region.character.to_string()));
        properties.push(("endColumn", region.end_character.to_string()));
    }
    properties
}

/// One command. Each text is made one line first, so that only our own line ends are left.
fn command(kind: &str, properties: &[(&str, String)], lines: &[String]) -> String {
    let properties: Vec<String> = properties
        .iter()
        .map(|(name, value)| {
            let value = escaped(&one_line(value)).replace(':', "%3A").replace(',', "%2C");
            format!("{name}={value}")
        })
        .collect();
    let lines: Vec<String> = lines.iter().map(|line| escaped(&one_line(line))).collect();
    format!("::{kind} {}::{}\n", properties.join(","), lines.join("%0A"))
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
