//! Findings that several builds make, told once.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Finding, Findings, Severity};

/// Most findings of one kind that are told one by one.
const MOST: usize = 100;

/// Findings by what they are about.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    found: BTreeMap<Key, (Finding, BTreeSet<String>)>,
}

/// Code, place and what tells complaints about one place apart.
type Key = (&'static str, Option<(String, u32)>, String);

impl Gathered {
    /// Adds a finding that a build makes. `what` is the same for the same complaint, whoever makes it
    /// and in whatever words.
    pub(super) fn add(&mut self, finding: Finding, what: &str, build: &str) {
        let at = finding.labels.first();
        let at = at.map(|label| {
            // Compilers differ in the column.
            let position = label.source.position(label.span.start);
            (label.source.name.clone(), position.line as u32)
        });
        let key = (finding.code, at, what.to_owned());
        let entry = self.found.entry(key).or_insert_with(|| (finding, BTreeSet::new()));
        if !build.is_empty() {
            entry.1.insert(build.to_owned());
        }
    }

    /// All of them, each with the builds that make it.
    pub(super) fn into_findings(self) -> Findings {
        let mut findings = Findings::default();
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        for ((code, ..), (mut finding, builds)) in self.found {
            let count = counts.entry(code).or_default();
            *count += 1;
            if *count > MOST {
                continue;
            }
            let seen: Vec<String> = builds.into_iter().collect();
            if !seen.is_empty() {
                let seen = format!("seen by {}", seen.join("; "));
                finding.hint = Some(match finding.hint {
                    Some(hint) => format!("{hint} ({seen})"),
                    None => seen,
                });
            }
            findings.push(finding);
        }
        for (code, count) in counts.into_iter().filter(|(_, count)| *count > MOST) {
            let more = count - MOST;
            let message = format!("{more} more findings of this kind are left out");
            findings.push(Finding { severity: Severity::Warning, ..Finding::error(code, message) });
        }
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Source, Span};

    #[test]
    fn one_complaint_of_two_builds_is_told_once() {
        let source = Source::new("a.c", &b"one\ntwo\n"[..]);
        let finding = |at: usize, message: &str| {
            Finding::error("build-warning", message).at(&source, Span::at(at), "")
        };
        let mut gathered = Gathered::default();
        gathered.add(finding(4, "unused"), "-Wunused", "gcc");
        gathered.add(finding(5, "never used"), "-Wunused", "clang");
        gathered.add(finding(5, "other"), "-Wother", "clang");
        let found: Vec<Finding> = gathered.into_findings().into_iter().collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].message, "unused");
        assert_eq!(found[1].hint.as_deref(), Some("seen by clang; gcc"));
    }

    #[test]
    fn there_is_an_end_to_it() {
        let mut gathered = Gathered::default();
        for n in 0..MOST + 7 {
            gathered.add(Finding::error("x", format!("{n:04}")), &n.to_string(), "");
        }
        let found: Vec<Finding> = gathered.into_findings().into_iter().collect();
        assert_eq!(found.len(), MOST + 1);
        assert!(found[MOST].message.starts_with("7 more"));
    }
}
