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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::Change;
    use crate::text::Source;

    const TEXT: &[u8] = b"one\ntwo three\nfour\nlast";

    fn finding(source: &Arc<Source>, edits: &[(usize, usize, &str)]) -> Finding {
        let edits =
            edits.iter().map(|(start, end, text)| (Span::new(*start, *end), (*text).to_owned()));
        let fix = Fix { source: source.clone(), edits: edits.collect(), what: "do".into() };
        Finding::error("libc-call", "message").fix(fix)
    }

    fn text(done: &Suggestion, path: &str) -> String {
        String::from_utf8(done.after[&TreePath::new(path).unwrap()].to_vec()).unwrap()
    }

    #[test]
    fn remedies_become_one_patch() {
        let a = Source::new("lib/a.c", TEXT);
        let b = Source::new("lib/b.c", &b"x\n"[..]);
        let findings = [
            finding(&b, &[(0, 1, "y")]),
            finding(&a, &[(4, 7, "2"), (19, 23, "end")]),
            Finding::error("libc-call", "without a remedy"),
            finding(&a, &[(0, 0, "zero\n")]),
        ];
        let done = suggest(&findings);
        assert_eq!((&done.taken[..], done.left_out.len()), (&[0, 1, 3][..], 0));
        assert_eq!(text(&done, "lib/a.c"), "zero\none\n2 three\nfour\nend");
        let patch = Change::between(&done.before, &done.after).unwrap().text();
        let expected = "--- a/lib/a.c\n+++ b/lib/a.c\n@@ -1,4 +1,5 @@\n+zero\n one\n-two three\n\
            +2 three\n four\n-last\n\\ No newline at end of file\n+end\n\\ No newline at end of file\n";
        let patch = String::from_utf8(patch).unwrap();
        assert!(patch.contains(expected), "{patch}");
        assert!(patch.contains("--- a/lib/b.c\n+++ b/lib/b.c\n@@ -1 +1 @@\n-x\n+y\n"), "{patch}");
    }

    #[test]
    fn the_first_of_two_that_meet_is_taken() {
        let a = Source::new("lib/a.c", TEXT);
        let first = [(4, 7, "2")];
        for (second, meets) in [
            (&[(4, 7, "zwei")][..], true),
            (&[(0, 3, "1"), (5, 6, "w")], true),
            (&[(0, 23, "")], true),
            (&[(3, 5, "")], true),
            (&[(6, 9, "")], true),
            (&[(7, 7, "+")], true),
            (&[(4, 4, "+")], true),
            (&[(7, 9, "")], false),
            (&[(0, 4, "")], false),
            (&[(8, 8, "+")], false),
        ] {
            let done = suggest(&[finding(&a, &first), finding(&a, second)]);
            assert_eq!(done.left_out.len(), usize::from(meets), "{second:?}");
            if meets {
                let reason = &done.left_out[0].reason;
                assert!(reason.starts_with("the remedy of finding 1 changes line"), "{reason}");
                assert_eq!(text(&done, "lib/a.c"), "one\n2 three\nfour\nlast", "{second:?}");
            }
        }
    }

    #[test]
    fn the_same_remedy_twice_is_one() {
        let a = Source::new("lib/a.c", TEXT);
        let shared = finding(&a, &[(0, 0, "#include \"x\"\n"), (4, 7, "2")]);
        let more = finding(&a, &[(0, 0, "#include \"x\"\n"), (8, 13, "3")]);
        let done = suggest(&[shared.clone(), shared, more]);
        assert_eq!(done.taken, [0, 1, 2]);
        assert_eq!(text(&done, "lib/a.c"), "#include \"x\"\none\n2 3\nfour\nlast");
    }

    #[test]
    fn remedies_that_fit_nothing_are_left_out() {
        let a = Source::new("lib/a.c", TEXT);
        let other = Source::new("lib/a.c", &b"other"[..]);
        let outside = Source::new("../a.c", TEXT);
        let binary = Source::new("lib/b.c", &b"a\0b"[..]);
        let findings = [
            finding(&a, &[(0, 3, "1")]),
            finding(&a, &[(20, 24, "beyond")]),
            finding(&a, &[(8, 9, ""), (4, 5, "")]),
            finding(&a, &[]),
            finding(&other, &[(0, 1, "")]),
            finding(&outside, &[(0, 1, "")]),
            finding(&binary, &[(0, 1, "")]),
        ];
        let done = suggest(&findings);
        assert_eq!(done.taken, [0]);
        assert_eq!(done.after.len(), 1);
        let reasons: Vec<&str> = done.left_out.iter().map(|left| left.reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                "the remedy doesn't fit lib/a.c",
                "the remedy doesn't fit lib/a.c",
                "the remedy doesn't fit lib/a.c",
                "another remedy knows other bytes of lib/a.c",
                "`../a.c` is no path in a repository",
                "lib/b.c is no text, which a patch can't change",
            ]
        );
        // What changes nothing is no change.
        let done = suggest(&[finding(&a, &[(0, 3, "one")])]);
        assert!(done.after.is_empty() && done.taken == [0]);
    }
}
