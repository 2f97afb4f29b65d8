//! The same content as JSON.
//!
//! Each command prints one document, on the stream where its text would go: an import, and the
//! `rules` commands, on standard output; what is said beside a file on standard output, and every
//! error that ends the run, on standard error. The document is an object with these members:
//!
//! | member | content |
//! | --- | --- |
//! | `schema` | number, 1: raised when a member changes its meaning or goes; new ones may come |
//! | `tool` | `kernelize VERSION` |
//! | `command` | name of the command, such as `import` |
//! | `notes` | list of sentences: what was chosen and why |
//! | `findings` | list, sorted by place |
//! | `summary` | after an import: counts, as the text has them; else left out |
//! | `audit` | of an audit: the tree, what it was made from and its changes; else left out |
//! | `comparison` | of `diff`: two forms side by side, below; else left out |
//! | `origin` | of `explain`: a line, where it comes from or what became of it, below; else left out |
//! | `page` | of `report`: what the page holds, and its file; else left out |
//! | `ruleset` | of the `rules` commands: `origin`, `digest` and the `rules`; else left out |
//! | `lines` | of `--explain`: the changed lines with their rules; else left out |
//! | `error` | what ended the run: `kind` (`usage`, `input`, `internal`), `message`, `places`, `hint`; else left out |
//!
//! A finding has `code`, `severity` (`error` or `warning`), `message`, `places` and `hint` (or
//! null). A place has `path`, `line` and `column` (from 1; columns count bytes), `end_line` and
//! `end_column` (behind the last byte), `text` (may be empty) and `source` (the line, shortened
//! around the place, with `…` where it was).
//!
//! A comparison has `old` and `new` (`name`, `kind`, `source`, `release`, `profile`, `rules`), `equal`,
//! `api` (what changed for callers: `header`, `name`, `kind`, `what`, `old`, `new`, `members`,
//! `compatible`, `users`), `callers` (`files`, `affected`, `findings`; or null), `code` (`files`,
//! `classes`, `functions` and `lines` in figures), `causes` (cause to `changes`, `added`, `deleted`; or
//! null), `commits` (`total`, `in_library`, `touching`, `changing`, `undecided`, `alone`, and
//! `alone_in_library`, a list; or null) and `files`. A pair of
//! figures is of what came and what went. The causes are `upstream`, `rules`, `template`, `both` and
//! `local`; each changed line has one. A file has `path`, `from`, `status`, `class`, `upstream`,
//! `lines`, `causes`, `functions` (`name`, `what`, `from`, `line`, `edited`), `commits` (`id`, `title`,
//! `pull`) and `hunks`, which `--stat` leaves empty: `old` and `new` (first line, number of lines),
//! `within`, `commits`, and `lines` with `mark`, `text` and, where they differ, `kind` (`code`, `comment`,
//! `licence`, `blank`), `cause`, and `moved` and `open` (no end of line) where true.
//!
//! `cost` of a comparison is null without `--build`. It has `workspaces` (`user`, `how`, `rows` with `level`,
//! `compress`, `decompress`), `machines` (`machine`, `compiler`, `frame_limit`, `frames` with `function` and
//! `bytes`, `objects` with `object`, `text`, `data`), `exports` (`kept`, `added`, `removed`; or null) and
//! `notes`. Its figures are bytes, in pairs of `old` and `new`, null where a form has none.
//!
//! `speed` of a comparison is null without `--bench`. It has `build`, `pairs` (measurements that each
//! figure is the median of, at least), `corpus` (`name`, `bytes`), `groups`, `rows`, `other_bytes` (levels
//! at which compressed bytes differ) and `notes`. A row is one `part` at one `block` (bytes; null for the
//! whole part) and `level`, with `compressed` and `memory` (`old`, `new`), `same_bytes`, `pairs`, `compress`
//! and `decompress`; a group is the same over all parts. A rate has `old` and `new` (MB/s, 10^6 bytes),
//! `ratio` (new to old), `low` and `high` (in 999 of 1000 cases they enclose the true median; without
//! `sure` there were too few pairs for that) and `notable`, which says that the change is beyond the noise.
//!
//! A page has `title`, `file`, `bytes`, `made_files`, `made_groups` and `rules` (what rules did beside
//! upstream), `changed_files` and `changed_lines` (old and new form), `local_changes`, `errors`, `warnings`.
//!
//! An origin has `asked`, `direction` (`kernel` or `upstream`), `fate` (`kept`, `rewritten`, `made` by a
//! template, `gone`, `left out`, `local`), `release`, `profile`, `lines` (those on the other side, each
//! with `path`, `line`, `text`), `rules` (`rule`, `file`, `why`) and `commit` (or null).

use serde::Serialize;

use super::audit::AuditSummary;
use super::excerpt::excerpts;
use super::explain::ChangedLine;
use super::page::PageSummary;
use super::patch::{PatchSummary, Verdict};
use super::summary::{ImportSummary, RuleTable};
use super::visible;
use crate::check::record::Record;
use crate::compare::Comparison;
use crate::compare::origin::Answer;
use crate::finding::{Error, ErrorKind, Finding, Findings, Label};

const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: &'static str,
    command: &'a str,
    notes: &'a [String],
    findings: Vec<JsonFinding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a ImportSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<&'a AuditSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<&'a PatchSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdicts: Option<&'a [Verdict]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a Answer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'a PageSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ruleset: Option<&'a RuleTable>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<JsonLine<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JsonError>,
}

#[derive(Serialize)]
struct JsonFinding {
    code: &'static str,
    severity: String,
    message: String,
    places: Vec<JsonPlace>,
    hint: Option<String>,
}

#[derive(Serialize)]
struct JsonPlace {
    path: String,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    text: String,
    source: String,
}

#[derive(Serialize)]
struct JsonError {
    kind: &'static str,
    message: String,
    places: Vec<JsonPlace>,
    hint: Option<String>,
}

#[derive(Serialize)]
struct JsonLine<'a> {
    line: usize,
    text: &'a str,
    upstream: &'a str,
    upstream_first: usize,
    upstream_last: usize,
    rules: Vec<JsonRule<'a>>,
}

#[derive(Serialize)]
struct JsonRule<'a> {
    rule: &'a str,
    file: &'a str,
}

impl<'a> Document<'a> {
    fn new(command: &'a str, notes: &'a [String]) -> Document<'a> {
        Document {
            schema: SCHEMA,
            tool: concat!("kernelize ", env!("CARGO_PKG_VERSION")),
            command,
            notes,
            findings: Vec::new(),
            summary: None,
            audit: None,
            patch: None,
            verdicts: None,
            comparison: None,
            origin: None,
            page: None,
            ruleset: None,
            lines: None,
            error: None,
        }
    }

    fn text(&self) -> String {
        // Strings, numbers and lists always have a JSON form.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        visible::json(text)
    }
}

/// The document of a command whose result goes to standard output.
pub(super) fn findings(command: &str, notes: &[String], findings: &Findings) -> String {
    let findings = findings.clone().sorted().into_iter().map(finding).collect();
    Document { findings, ..Document::new(command, notes) }.text()
}

/// The document of an import.
pub(super) fn import(
    command: &str,
    notes: &[String],
    findings: &Findings,
    summary: &ImportSummary,
) -> String {
    let findings = findings.clone().sorted().into_iter().map(finding).collect();
    Document { findings, summary: Some(summary), ..Document::new(command, notes) }.text()
}

/// The document of an audit.
pub(super) fn audit(
    command: &str,
    notes: &[String],
    findings: &Findings,
    found: &AuditSummary,
) -> String {
    let findings = findings.clone().sorted().into_iter().map(finding).collect();
    Document { findings, audit: Some(found), ..Document::new(command, notes) }.text()
}

/// The document of a patch.
pub(super) fn patch(
    command: &str,
    notes: &[String],
    findings: &Findings,
    done: &PatchSummary,
) -> String {
    let findings = findings.clone().sorted().into_iter().map(finding).collect();
    Document { findings, patch: Some(done), ..Document::new(command, notes) }.text()
}

/// The document of verdicts on patches.
pub(super) fn verdicts(command: &str, notes: &[String], found: &[Verdict]) -> String {
    Document { verdicts: Some(found), ..Document::new(command, notes) }.text()
}

/// The document of two forms side by side.
pub(super) fn compare(
    command: &str,
    notes: &[String],
    found: &Comparison,
    findings: &Findings,
) -> String {
    let findings = findings.clone().sorted().into_iter().map(finding).collect();
    Document { findings, comparison: Some(found), ..Document::new(command, notes) }.text()
}

/// The document of a line and where it comes from.
pub(super) fn origin(command: &str, notes: &[String], answer: &Answer) -> String {
    Document { origin: Some(answer), ..Document::new(command, notes) }.text()
}

/// The document of a page that was written.
pub(super) fn page(
    command: &str,
    notes: &[String],
    findings: &Findings,
    done: &PageSummary,
) -> String {
    let findings = findings.clone().sorted().into_iter().map(finding).collect();
    Document { findings, page: Some(done), ..Document::new(command, notes) }.text()
}

/// The document of the `rules` commands.
pub(super) fn rules(command: &str, rules: &RuleTable, findings: &Findings) -> String {
    let findings = findings.clone().sorted().into_iter().map(finding).collect();
    Document { findings, ruleset: Some(rules), ..Document::new(command, &[]) }.text()
}

/// The document of a file on standard output whose changed lines are explained.
pub(super) fn explanation(
    command: &str,
    notes: &[String],
    findings: &Findings,
    lines: &[ChangedLine],
) -> String {
    let findings = findings.clone().sorted().into_iter().map(finding).collect();
    let lines = Some(lines.iter().map(changed_line).collect());
    Document { findings, lines, ..Document::new(command, notes) }.text()
}

/// The document of `check`: a record as it is.
pub fn record(record: &Record) -> String {
    // Strings, numbers, lists and maps with strings as keys always have a JSON form.
    let mut text = serde_json::to_string_pretty(record).unwrap_or_default();
    text.push('\n');
    visible::json(text)
}

/// The document of an error.
pub(super) fn error(command: &str, notes: &[String], error: &Error) -> String {
    let kind = match error.kind {
        ErrorKind::Usage => "usage",
        ErrorKind::Input => "input",
        ErrorKind::Internal => "internal",
    };
    let places = error.labels.iter().map(place).collect();
    let (message, hint) = (error.message.clone(), error.hint.clone());
    let error = Some(JsonError { kind, message, places, hint });
    Document { error, ..Document::new(command, notes) }.text()
}

fn finding(finding: Finding) -> JsonFinding {
    JsonFinding {
        code: finding.code,
        severity: finding.severity.to_string(),
        places: finding.labels.iter().map(place).collect(),
        message: finding.message,
        hint: finding.hint,
    }
}

fn place(label: &Label) -> JsonPlace {
    let at = label.position();
    let end = label.source.position(label.span.end);
    let source = excerpts(std::slice::from_ref(label)).into_iter().next();
    JsonPlace {
        path: label.source.name.clone(),
        line: at.line,
        column: at.column,
        end_line: end.line,
        end_column: end.column,
        text: label.text.clone(),
        source: source.map_or(String::new(), |excerpt| excerpt.text.trim_end().to_owned()),
    }
}

fn changed_line(line: &ChangedLine) -> JsonLine<'_> {
    JsonLine {
        line: line.line,
        text: &line.text,
        upstream: &line.upstream,
        upstream_first: *line.upstream_lines.start(),
        upstream_last: *line.upstream_lines.end(),
        rules: line.rules.iter().map(|by| JsonRule { rule: &by.rule, file: &by.file }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Source, Span};

    #[test]
    fn a_finding_has_all_that_the_text_has() {
        let c = Source::new("a.c", &b"one\ntwo three\n"[..]);
        let mut list = Findings::default();
        list.push(Finding::error("code", "message").at(&c, Span::new(8, 13), "here").hint("do"));
        let text = findings("fold", &["a note".to_owned()], &list);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], 1);
        assert_eq!(value["notes"][0], "a note");
        let found = &value["findings"][0];
        assert_eq!(found["severity"], "error");
        assert_eq!(found["hint"], "do");
        let place = &found["places"][0];
        assert_eq!((&place["line"], &place["column"]), (&2.into(), &5.into()));
        assert_eq!((&place["end_line"], &place["end_column"]), (&2.into(), &10.into()));
        assert_eq!(place["source"], "two three");
        assert!(value.get("error").is_none());
    }

    #[test]
    fn an_error_names_its_kind() {
        let text = error("import", &[], &Error::input("no such tag"));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["error"]["kind"], "input");
    }
}
