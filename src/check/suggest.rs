//! The remedies that findings offer, put together: upstream's files as they are, and as they should be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::finding::{Finding, Fix};
use crate::text::{Files, Span, TreePath};

/// What upstream could change, and what it would be then. The patch is the difference of both.
#[derive(Clone, Debug, Default)]
pub struct Suggestion {
    /// The files that a remedy changes, as they are, by path from the top of upstream's repository.
    pub before: Files,
    /// The same files with the remedies.
    pub after: Files,
    /// Indexes of the findings whose remedy is in it.
    pub taken: Vec<usize>,
    /// Remedies that are not.
    pub left_out: Vec<LeftOut>,
}

/// A remedy that could not be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Index of the finding.
    pub finding: usize,
    /// Why, and what to do: one sentence without a final stop.
    pub reason: String,
}

/// The remedies taken for one file.
struct Edited<'f> {
    bytes: &'f Arc<[u8]>,
    /// By span: what comes in its place, and the finding.
    edits: BTreeMap<Span, (&'f str, usize)>,
}

/// Takes the remedies in the order of their findings, each whole or not at all. One that touches what
/// an earlier one changes is left out; one that says the same is the same.
pub fn suggest(findings: &[Finding]) -> Suggestion {
    let mut files: BTreeMap<TreePath, Edited<'_>> = BTreeMap::new();
    let mut done = Suggestion::default();
    for (finding, fix) in
        findings.iter().enumerate().filter_map(|(at, f)| Some((at, f.fix.as_ref()?)))
    {
        match take(&mut files, finding, fix) {
            Ok(()) => done.taken.push(finding),
            Err(reason) => done.left_out.push(LeftOut { finding, reason }),
        }
    }
    for (path, edited) in files {
        let after = edited.text();
        // A remedy that puts in what stands there changes nothing.
        if *after != **edited.bytes {
            done.before.insert(path.clone(), Arc::clone(edited.bytes));
            done.after.insert(path, after.into());
        }
    }
    done
}

fn take<'f>(
    files: &mut BTreeMap<TreePath, Edited<'f>>,
    finding: usize,
    fix: &'f Fix,
) -> Result<(), String> {
    let name = &fix.source.name;
    let path = TreePath::new(name).ok_or_else(|| format!("`{name}` is no path in a repository"))?;
    let bytes = &fix.source.bytes;
    if memchr::memchr(0, bytes).is_some() {
        return Err(format!("{name} is no text, which a patch can't change"));
    }
    let spans = fix.edits.iter().map(|(span, _)| *span);
    let ends = spans.clone().all(|span| span.end as usize <= bytes.len());
    let apart =
        fix.edits.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start && pair[0].0 != pair[1].0);
    if !ends || !apart || fix.edits.is_empty() {
        return Err(format!("the remedy doesn't fit {name}"));
    }
    let edited = files.entry(path).or_insert_with(|| Edited { bytes, edits: BTreeMap::new() });
    if edited.bytes != bytes {
        return Err(format!("another remedy knows other bytes of {name}"));
    }
    let mut new = BTreeSet::new();
    for (span, text) in &fix.edits {
        match edited.edits.get(span) {
            Some((known, _)) if known == text => continue,
            _ => {}
        }
        if let Some(other) = edited.touching(*span) {
            let line = fix.source.position(span.start).line;
            return Err(format!(
                "the remedy of finding {} changes line {line} of {name} already; \
                 apply the patch, then check again",
                other + 1
            ));
        }
        new.insert((*span, text.as_str()));
    }
    edited.edits.extend(new.into_iter().map(|(span, text)| (span, (text, finding))));
    Ok(())
}

impl Edited<'_> {
    /// The finding of an edit that has a byte, or an edge of nothing, in common with `span`.
    fn touching(&self, span: Span) -> Option<usize> {
        let meets = |other: Span| match span.is_empty() || other.is_empty() {
            true => other.start <= span.end && span.start <= other.end,
            false => other.start < span.end && span.start < other.end,
        };
        // Taken edits lie apart, so only neighbours can meet it: two in front, since one of them may
        // be empty, and those behind that start within.
        let before = self.edits.range(..span).rev().take(2);
        let behind = self.edits.range(span..).take(2);
        before.chain(behind).find(|(other, _)| meets(**other)).map(|(_, (_, finding))| *finding)
    }

    fn text(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut at = 0;
        for (span, (text, _)) in &self.edits {
            out.extend_from_slice(&self.bytes[at..span.start as usize]);
            out.extend_from_slice(text.as_bytes());
            at = span.end as usize;
        }
        out.extend_from_slice(&self.bytes[at..]);
        out
    }
}
