//! From bytes to a checked record: it may come from another machine, and be anything.

use serde::Deserialize;

use super::{Commit, FoundFix, Record, Region, SCHEMA};
use crate::finding::{Error, Result};

/// Largest document that is read, in bytes.
pub(super) const MAX_BYTES: usize = 512 << 20;
/// Largest line or column: no file that was read has more bytes.
const MAX_POSITION: usize = crate::text::MAX_FILE_BYTES + 1;
/// Most commits of a range: no history comes near.
const MAX_TOTAL: usize = u32::MAX as usize;

/// What is looked at first: of another schema nothing else can be relied on.
#[derive(Deserialize)]
struct Head {
    schema: u32,
    tool: String,
    command: String,
}

/// Reads a document that `check --format json` wrote. `name` is what messages call it.
///
/// # Errors
/// An input error for bytes that are none, or one of another schema.
pub fn read(bytes: &[u8], name: &str) -> Result<Record> {
    if bytes.len() > MAX_BYTES {
        return Err(unfit(name, &format!("it has more than {} MiB", MAX_BYTES >> 20)));
    }
    let head: Head = parse(bytes, name)?;
    if head.schema != SCHEMA || head.command != "check" {
        let Head { schema, tool, command } = head;
        let tool = if tool.is_empty() { "an unknown program" } else { &tool };
        return Err(Error::input(format!(
            "{name} is a document of `{command}` with schema {schema}, written by {tool}"
        ))
        .hint(format!("only documents of `check` with schema {SCHEMA} can be read here")));
    }
    let mut record: Record = parse(bytes, name)?;
    if let Some(problem) = problem(&record) {
        return Err(unfit(name, &problem));
    }
    record.commits.sort_by_key(|commit| commit.number);
    if let Some(pair) = record.commits.windows(2).find(|pair| pair[0].number == pair[1].number) {
        return Err(unfit(name, &format!("it has two commits with number {}", pair[0].number)));
    }
    Ok(record)
}

fn parse<'b, T: Deserialize<'b>>(bytes: &'b [u8], name: &str) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| unfit(name, &error.to_string()))
}

fn unfit(name: &str, problem: &str) -> Error {
    Error::input(format!("{name} is no document of `check`: {problem}"))
        .hint("name a file that `kernelize check --format json -o FILE` wrote")
}

/// What no record that this program wrote has.
fn problem(record: &Record) -> Option<String> {
    let hex = |text: &str, lengths: &[usize]| {
        lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
    };
    if !hex(&record.ruleset, &[64]) {
        return Some("`ruleset` is no SHA-256".into());
    }
    if record.total > MAX_TOTAL {
        return Some("`total` is too large".into());
    }
    for commit in &record.commits {
        if commit.id.as_ref().is_some_and(|id| !hex(id, &[40, 64])) {
            return Some("the `id` of a commit is no commit id".into());
        }
        if commit.number >= record.total {
            return Some("the `number` of a commit lies beyond the range".into());
        }
        if let Some(problem) = finding_problem(commit) {
            return Some(problem);
        }
    }
    None
}

fn finding_problem(commit: &Commit) -> Option<String> {
    let is_code = |text: &str| {
        !text.is_empty()
            && text.len() <= 64
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    for found in &commit.findings {
        if !is_code(&found.code) {
            return Some("the `code` of a finding is none".into());
        }
        if !matches!(found.severity.as_str(), "error" | "warning") {
            return Some("a `severity` is neither `error` nor `warning`".into());
        }
        let places = found.places.iter().map(|place| place.region);
        let edits = |fix: &FoundFix| fix.edits.iter().map(|edit| edit.region).collect::<Vec<_>>();
        let edits = found.fix.as_ref().map(edits).unwrap_or_default();
        if places.chain(edits).any(|region| !is_region(region)) {
            return Some("a place has an end before its start, or counts from 0".into());
        }
    }
    None
}

fn is_region(region: Region) -> bool {
    let Region { line, column, character, end_line, end_column, end_character } = region;
    [line, column, character, end_line, end_column, end_character]
        .iter()
        .all(|number| (1..=MAX_POSITION).contains(number))
        && (line, column) <= (end_line, end_column)
        && (line, character) <= (end_line, end_character)
}
