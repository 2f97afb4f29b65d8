//! Where a line comes from, or what became of it, for people.

use std::fmt::Write as _;

use super::paint::Paint;
use super::visible::{one_line, source_line};
use crate::compare::origin::{Answer, Place};
use crate::git::short;

/// Most lines of the other side that are shown: a template's can be many.
const MAX_LINES: usize = 40;

/// Draws an answer.
pub(super) fn origin(answer: &Answer, paint: Paint) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let mut line = |text: &str| _ = writeln!(out, "{text}");
    let place = |place: &Place| format!("{}:{}", one_line(&place.path), place.line);
    line(&format!("{} {}", paint.bold(&place(&answer.asked)), said(answer)));
    line(&format!("    {}", source_line(&answer.asked.text)));
    if !answer.lines.is_empty() {
        let heading = match (answer.direction, answer.fate) {
            (_, "made") => "in the template",
            ("kernel", _) => "upstream",
            _ => "in the kernel form",
        };
        line(&format!("  {heading}"));
        for other in answer.lines.iter().take(MAX_LINES) {
            line(&format!("    {}: {}", place(other), source_line(&other.text)));
        }
        if answer.lines.len() > MAX_LINES {
            line(&format!("    and {} lines more", answer.lines.len() - MAX_LINES));
        }
    }
    for rule in &answer.rules {
        line(&format!("  {} {}", paint.hint(&one_line(&rule.rule)), one_line(&rule.file)));
        for text in rule.why.lines() {
            line(&format!("    {}", one_line(text.trim())));
        }
    }
    if let Some(commit) = &answer.commit {
        let pull = commit.pull.map(|pull| format!(" (#{pull})"));
        // Some titles say it themselves.
        let pull = pull.filter(|pull| !commit.title.ends_with(pull)).unwrap_or_default();
        let id = short(&commit.id);
        line(&format!("  last touched by {id} {}{pull}", one_line(&commit.title)));
    }
    out
}

/// The answer in a sentence.
fn said(answer: &Answer) -> String {
    let Answer { release, profile, .. } = answer;
    let what = match (answer.direction, answer.fate) {
        ("kernel", "kept") => "is a line of upstream's as it was",
        ("kernel", "made") => "comes from a template",
        ("kernel", "local") => "is a local change: no import has it",
        ("kernel", _) => "was rewritten by rules",
        (_, "kept") => "stands in the kernel form as it was",
        (_, "gone") => "is not in the kernel form: rules take it away",
        (_, "left out") => "is not in the kernel form: its file isn't taken",
        _ => "was rewritten by rules",
    };
    format!("{what} ({}, profile {})", one_line(release), one_line(profile))
}
