//! The SPDX line of each file.

use super::{File, Proposal};
use crate::finding::Finding;
use crate::rules::LicenceRule;
use crate::text::Span;

const TAG: &[u8] = b"SPDX-License-Identifier";

/// Puts the line of the file's suffix first; keeps a right one, finds fault with any other.
pub fn propose(file: &File<'_>, rules: &[&LicenceRule], out: &mut Proposal) {
    let suffix = file.path.extension().unwrap_or_default();
    let Some(rule) = rules.iter().find(|rule| rule.suffixes.iter().any(|s| s == suffix)) else {
        return;
    };
    let bytes = file.bytes();
    let wanted = rule.line.as_bytes();
    let Some(at) = tag(file) else {
        let newline: &[u8] = if starts_with_crlf(bytes) { b"\r\n" } else { b"\n" };
        out.edits.replace(Span::at(0), [wanted, newline].concat(), &rule.rule.name);
        return;
    };
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |len| at + len);
    if bytes[start..end].trim_ascii() == wanted {
        out.count(&rule.rule.name);
        return;
    }
    let finding = Finding::error("licence-mismatch", "the SPDX line is not the one wanted here");
    let finding = file.point(finding, Span::new(start, end), "this line");
    out.findings.push(
        finding.label(rule.rule.label("the line wanted")).hint("find out which licence is meant"),
    );
}

/// Where the tag stands in a comment in front of the first code.
fn tag(file: &File<'_>) -> Option<usize> {
    let mut leading = file.tokens.iter().take_while(|token| token.is_trivia());
    leading.find_map(|token| {
        let at = memchr::memmem::find(token.raw(file.bytes()), TAG)?;
        Some(token.span.start as usize + at)
    })
}

fn starts_with_crlf(bytes: &[u8]) -> bool {
    memchr::memchr(b'\n', bytes).is_some_and(|at| at > 0 && bytes[at - 1] == b'\r')
}
