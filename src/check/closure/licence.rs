//! Every file says under which licence it is, in its first line, and says nothing else further down.

use super::facts::Mentions;
use super::world::World;
use crate::finding::{Finding, Findings, Label};
use crate::pipeline::OutputFile;
use crate::text::{Span, TreePath};

/// Code of findings about the licence.
pub(super) const CODE: &str = "licence-unclear";

/// The words in front of the identifier.
const TAG: &str = "SPDX-License-Identifier:";

/// Looks at all files that the rules want a licence in.
pub(super) fn check(world: &World<'_>) -> Findings {
    let mut findings = Findings::default();
    let Some(wanted) = wanted(world) else { return findings };
    for file in &world.files {
        let bytes = file.output.text.bytes();
        let facts = &file.facts;
        let Some(&first) = facts.licences.first() else {
            let finding = without(file.path).label(file.label(Span::default(), "not in this file"));
            findings.push(finding);
            continue;
        };
        for &other in &facts.licences {
            if bytes[other.range()] != *wanted.as_bytes() {
                let finding = file.at(differs(file.path, &wanted), other, "this identifier");
                findings.push(finding);
            }
        }
        let says = Mentions::of(&bytes[first.range()]);
        let text = facts.mentions;
        if text != Mentions::default() && text != says {
            let message =
                format!("the licence that {} speaks of isn't that of its identifier", file.path);
            let finding = file.at(Finding::error(CODE, message), first, "the identifier");
            findings.push(finding.hint("make the comment and the identifier say the same"));
        }
    }
    for (path, file) in &world.scope.tree.files {
        if !matches!(path.extension(), Some("c" | "h")) {
            findings.extend(other(path, file, &wanted));
        }
    }
    findings
}

/// What stands behind the tag in the line that the rules want.
fn wanted(world: &World<'_>) -> Option<String> {
    let rules = world.scope.rules.licence.iter();
    let mut lines = rules.filter_map(|rule| rule.line.split_once(TAG));
    let (_, rest) = lines.next()?;
    Some(rest.trim_end_matches("*/").trim().to_owned())
}

fn without(path: &TreePath) -> Finding {
    Finding::error(CODE, format!("{path} doesn't say under which licence it is"))
        .hint("give it an SPDX line")
}

fn differs(path: &TreePath, wanted: &str) -> Finding {
    Finding::error(CODE, format!("{path} names another licence than the library's"))
        .hint(format!("the library is `{wanted}`"))
}

/// A file that is no C: a makefile, or assembly.
fn other(path: &TreePath, file: &OutputFile, wanted: &str) -> Findings {
    let mut findings = Findings::default();
    let bytes = file.text.bytes();
    let line = &bytes[..memchr::memchr(b'\n', bytes).unwrap_or(bytes.len())];
    let label = |span: Span, text| Label::new(&file.source, file.text.upstream_cover(span), text);
    match memchr::memmem::find(line, TAG.as_bytes()) {
        None => findings.push(without(path).label(label(Span::default(), "not in this file"))),
        Some(at) => {
            let rest = String::from_utf8_lossy(&line[at + TAG.len()..]).into_owned();
            if rest.trim().trim_end_matches("*/").trim() != wanted {
                let span = Span::new(at, line.len());
                findings.push(differs(path, wanted).label(label(span, "this identifier")));
            }
        }
    }
    findings
}
