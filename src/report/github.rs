//! Workflow commands of GitHub Actions: annotations on upstream's lines.
//!
//! The service shows few of each kind for a step, so the order is by weight, and one notice in front
//! says how many there are.

use super::visible::one_line;
use crate::check::record::{Found, Introduced, Place, Record};

/// How many annotations of one kind a step shows.
const SHOWN: usize = 10;

/// The record as workflow commands, one a line. What a baseline accepts, and what stood before a
/// range, is only counted.
pub fn github(record: &Record) -> String {
    let all = record.introduced().into_iter().filter(|introduced| !introduced.found.accepted);
    let (before, mut list): (Vec<Introduced<'_>>, Vec<_>) =
        all.partition(|introduced| introduced.commit.start);
    // What stands can be mended, and its lines are those that the reader sees. Then one of each kind
    // before the second of any.
    let mut seen = std::collections::BTreeMap::new();
    list.sort_by_cached_key(|introduced| {
        let Introduced { found, fixed_by, .. } = introduced;
        let earlier = seen.entry(&found.code).or_insert(0_usize);
        *earlier += 1;
        (found.severity != "error", fixed_by.is_some(), *earlier)
    });
    let before = before.iter().filter(|introduced| introduced.stands()).count();
    let mut out = summary(record, &list, before);
    for introduced in &list {
        out.push_str(&annotation(record, introduced));
    }
    out
}

/// What came of the run, in one notice. `before` findings are older than the range, and stand.
fn summary(record: &Record, list: &[Introduced<'_>], before: usize) -> String {
    let count = |severity: &str| list.iter().filter(|one| one.found.severity == severity).count();
    let (errors, warnings) = (count("error"), count("warning"));
    let of = match record.commits.as_slice() {
        [only] => only.shown(),
        commits => {
            let checked = commits.iter().filter(|commit| !commit.start).count();
            format!("{checked} commits")
        }
    };
    let title = format!("{} {of}: {errors} errors, {warnings} warnings", record.library);
    let mut lines = Vec::new();
    if let Some(last) = record.commits.last().filter(|last| last.proof.files > 0) {
        let proof = last.proof;
        lines.push(format!(
            "{} of {} files are proved to mean the same.",
            proof.proved, proof.files
        ));
    }
    let gone = list.iter().filter(|one| one.fixed_by.is_some()).count();
    if gone > 0 {
        lines.push(format!("Findings that came and went within the range: {gone}."));
    }
    if before > 0 {
        lines.push(format!("Findings that are older, and stand: {before}."));
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::check::record::tests::{HOSTILE, found, hostile, range, sample};

    /// Kind, properties and message of a command, as the runner reads it.
    fn parse(line: &str) -> (String, BTreeMap<String, String>, String) {
        let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (kind, properties) = head.split_once(' ').unwrap();
        let data = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
        let value = |text: &str| data(&text.replace("%3A", ":").replace("%2C", ","));
        let properties = properties.split(',').map(|property| {
            let (name, text) = property.split_once('=').unwrap();
            (name.to_owned(), value(text))
        });
        (kind.to_owned(), properties.collect(), data(message))
    }

    fn parsed(record: &Record) -> Vec<(String, BTreeMap<String, String>, String)> {
        github(record).lines().map(parse).collect()
    }

    #[test]
    fn findings_become_annotations() {
        let text = github(&sample());
        let first = "::error file=lib/a.c,line=3,endLine=3,col=5,endColumn=11,title=libc-call::\
            `libc-call` is wrong%0Acalled here%0Alib/b.h:7:5: declared here%0A\
            rules/zstd/calls/libc.toml:1:5%0Ahelp: do otherwise%0Afix: call `X_memset` instead";
        assert_eq!(text.lines().nth(1).unwrap(), first);
        let all = parsed(&sample());
        let kinds: Vec<&str> = all.iter().map(|(kind, ..)| kind.as_str()).collect();
        assert_eq!(kinds, ["notice", "error", "error", "warning"]);
        assert_eq!(all[0].1["title"], "zstd v1.5.6-0 (000000000000): 2 errors, 1 warnings");
        let said = "54 of 54 files are proved to mean the same.\n\
            The baseline accepts 1; 1 of its entries no longer occur.";
        assert_eq!(all[0].2, said);
        // A rule's place is in no file of upstream.
        assert!(!all[2].1.contains_key("file"));
        assert!(all[2].2.contains("rules/zstd/names/x.toml:1:5"));
    }

    #[test]
    fn what_stands_comes_first() {
        let all = parsed(&range());
        assert_eq!(all[1].1["title"], "unfit-name");
        assert!(all[1].2.ends_with("since v1.5.6-2 (000000000000), change 2"));
        assert_eq!(all[2].1["title"], "libc-call");
        assert!(!all[2].1.contains_key("line"));
        assert!(all[2].2.ends_with("gone since v1.5.6-2 (000000000000)"), "{}", all[2].2);
        assert!(all[0].2.contains("Findings that came and went within the range: 1."));
    }

    #[test]
    fn what_stood_before_is_only_counted() {
        let mut record = range();
        let older = found("syntax-error", "error", "ff66");
        record.commits[0].findings.push(older);
        record.commits[0].start = true;
        let all = parsed(&record);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].1["title"], "zstd 3 commits: 1 errors, 0 warnings");
        assert!(all[0].2.ends_with("\nFindings that are older, and stand: 1."), "{}", all[0].2);
        assert_eq!(all[1].1["title"], "unfit-name");
    }

    #[test]
    fn each_kind_is_shown_before_the_second_of_any() {
        let mut record = sample();
        let findings = &mut record.commits[0].findings;
        let call = findings[0].clone();
        findings.splice(0..0, std::iter::repeat_n(call, 12));
        let all = parsed(&record);
        assert_eq!(all[1].1["title"], "libc-call");
        assert_eq!(all[2].1["title"], "rule-unmatched");
        assert_eq!(all[3].1["title"], "libc-call");
        assert!(all[0].2.contains("Only 10 of each kind are shown as annotations"));
    }

    #[test]
    fn places_over_several_lines_have_no_columns() {
        let mut record = sample();
        record.commits[0].findings[0].places[0].region.end_line = 4;
        let (_, properties, _) = &parsed(&record)[1];
        assert_eq!((&*properties["line"], &*properties["endLine"]), ("3", "4"));
        assert!(!properties.contains_key("col") && !properties.contains_key("endColumn"));
    }

    #[test]
    fn hostile_text_gives_no_command() {
        let text = github(&hostile());
        assert_eq!(text.lines().count(), 4);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'));
        for line in text.lines() {
            let (kind, properties, message) = parse(line);
            assert!(["notice", "error", "warning"].contains(&kind.as_str()));
            let known = ["file", "line", "endLine", "col", "endColumn", "title"];
            assert!(properties.keys().all(|name| known.contains(&name.as_str())));
            assert!(kind == "notice" || message.starts_with(&*one_line(HOSTILE)));
        }
        assert!(parse(text.lines().nth(1).unwrap()).1["file"].starts_with("../lib/ü:%/]]>"));
    }
}
