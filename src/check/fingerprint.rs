//! What names a finding whatever commit it is found at.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::finding::{Finding, Label};

/// Bytes of a digest that are kept.
const LENGTH: usize = 16;

/// A fingerprint for each finding, in their order: no two of one list are the same.
///
/// Made from the kind of finding, the file, the message without its numbers, and the line pointed at
/// without its blanks at both ends and with one for several between words. So it stays when lines move,
/// and goes when the line changes. Equal ones are told apart by counting them.
pub fn fingerprints(findings: &[Finding]) -> Vec<String> {
    let mut seen: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let mut make = |finding: &Finding| {
        let digest = digest(finding);
        let ordinal = seen.entry(digest.clone()).or_default();
        let with_ordinal = Sha256::new().chain_update(&digest).chain_update(ordinal.to_le_bytes());
        *ordinal += 1;
        hex(&with_ordinal.finalize()[..LENGTH])
    };
    findings.iter().map(&mut make).collect()
}

fn digest(finding: &Finding) -> Vec<u8> {
    let first = finding.labels.first();
    let path = first.map_or(String::new(), |label| path(&label.source.name));
    let message = without_numbers(&finding.message);
    let line = first.map_or(Vec::new(), line);
    let mut hash = Sha256::new();
    for part in [finding.code.as_bytes(), path.as_bytes(), message.as_bytes(), &line] {
        // Lengths keep the parts apart.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().to_vec()
}

/// Rules may lie anywhere: what counts is kind and id.
fn path(name: &str) -> String {
    match name.strip_suffix(".toml") {
        Some(rule) => rule.rsplit('/').take(2).collect::<Vec<_>>().join("/"),
        None => name.to_owned(),
    }
}

/// The message with `#` for each number that is no part of a name.
fn without_numbers(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let (mut in_word, mut in_number) = (false, false);
    for c in message.chars() {
        let is_number = c.is_ascii_digit() && !in_word;
        if is_number && !in_number {
            out.push('#');
        }
        if !is_number {
            out.push(c);
        }
        in_word = !is_number && (c.is_alphanumeric() || c == '_');
        in_number = is_number;
    }
    out
}

/// The line that a label starts in, its blanks evened out.
fn line(label: &Label) -> Vec<u8> {
    let source = &label.source;
    let number = label.position().line;
    let start = source.lines().line_start(number).unwrap_or_default();
    let end = source.lines().line_start(number + 1).unwrap_or(source.bytes.len());
    let words = source.bytes[start..end].split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(&b' ')
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Source, Span};

    fn prints(name: &str, text: &str, message: &str) -> Vec<String> {
        let source = Source::new(name, text.as_bytes());
        let at: Vec<usize> = text.match_indices("memset").map(|(at, _)| at).collect();
        let finding =
            |at: &usize| Finding::error("call", message).at(&source, Span::new(*at, at + 6), "");
        fingerprints(&at.iter().map(finding).collect::<Vec<_>>())
    }

    #[test]
    fn lines_may_move_and_be_indented() {
        let before = prints("lib/a.c", "int a;\nmemset(p, 0, 1);\n", "called at 2 in XXH32");
        let after = prints(
            "lib/a.c",
            "/* new */\nint a;\n\n    memset(p,  0, 1);\r\n",
            "called at 4 in XXH32",
        );
        assert_eq!(before, after);
        assert_eq!(before[0].len(), 2 * LENGTH);
    }

    #[test]
    fn what_makes_another_finding_shows() {
        let text = "memset(p, 0, 1);\n";
        let one = prints("lib/a.c", text, "called in XXH32");
        assert_ne!(one, prints("lib/b.c", text, "called in XXH32"));
        assert_ne!(one, prints("lib/a.c", text, "called in XXH64"));
        assert_ne!(one, prints("lib/a.c", "memset(p, 0, 2);\n", "called in XXH32"));
    }

    #[test]
    fn equal_lines_are_counted() {
        let one = prints("lib/a.c", "memset(p, 0, 1);\n", "m");
        let three =
            prints("lib/a.c", "memset(p, 0, 1);\nmemset(p, 0, 1);\nx;\nmemset(p, 0, 1);\n", "m");
        assert_eq!(three[0], one[0]);
        assert!(three[1] != three[0] && three[2] != three[0] && three[1] != three[2]);
    }

    #[test]
    fn a_rule_is_known_by_kind_and_id() {
        assert_eq!(path("rules/zstd/names/x.toml"), path("/home/me/mine/names/x.toml"));
        assert_ne!(path("rules/zstd/names/x.toml"), path("rules/zstd/calls/x.toml"));
        assert_eq!(without_numbers("12 of 345 in a1 at 7."), "# of # in a1 at #.");
    }
}
