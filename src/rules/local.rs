//! `local/*.toml`: from its shape to its checked form.

use super::convert::{Kind, Reader, SHORTEST_WHY, about_this, at, kernel, tree_path};
use super::fields::{instead, span};
use super::shape::{LocalShape, Text, Texts};
use super::version::{Expect, Version};
use super::{Rule, Ruleset};
use crate::finding::{Finding, Findings};

/// Digits of a commit id that tell it from all others.
const FEWEST_DIGITS: usize = 12;

/// `local`: a change that Linux trees carry in the library's files, known by name.
#[derive(Clone, Debug)]
pub struct LocalRule {
    /// Common part; `why` says what the change is for.
    pub rule: Rule,
    /// Globs ([`super::glob_matches`]) of the files in the Linux tree that it may be in.
    pub files: Vec<String>,
    /// Pieces of C, of which what the change adds has one, with its tokens together; no matter where
    /// there are none.
    pub adds: Vec<String>,
    /// The same for what it takes out.
    pub removes: Vec<String>,
    /// Pieces by which the change isn't told, and which may stand on its lines, old or new, as well: a
    /// rule accounts for no line that has none of its pieces, unless the new release has the line.
    pub also: Vec<String>,
    /// First kernel that has it, in words (`6.12`).
    pub kernel: Option<String>,
    /// The kernel's commit, in hex.
    pub commit: Option<String>,
    /// First release that has it, in whatever words.
    pub upstreamed: Option<Version>,
    /// Whether what the import generates takes its place.
    pub generated: bool,
    /// What becomes of it, whether it fits or not, with the reason.
    pub decision: Option<(Decision, String)>,
}

/// What is to become of a local change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// It goes onto the new import.
    Keep,
    /// It goes.
    Drop,
}

impl Kind for LocalShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = self.common();
        for key in [&common.expect, &common.expect_since, &common.expect_until] {
            let place = "the rules of other kinds: no import has to match a local change";
            read.only_with("expect", at(key.as_ref()), place);
        }
        let common = read.common(common);
        let (about, files) = read.strings("files", self.files, tree_path)?;
        let adds = pieces(read, "adds", self.adds)?;
        let removes = pieces(read, "removes", self.removes)?;
        let also = pieces(read, "also", self.also)?;
        if adds.is_empty() && removes.is_empty() {
            return read.missing("adds` or `removes");
        }
        let kernel = match self.kernel {
            None => None,
            text => Some(read.string("kernel", text, kernel)?.1),
        };
        let commit = match self.commit {
            None => None,
            text => Some(read.string("commit", text, commit)?.1),
        };
        let upstreamed = match self.upstreamed {
            None => None,
            text => Some(read.version(text)?),
        };
        let generated = self.generated.is_some_and(|flag| flag.into_inner());
        let decision = decision(read, self.decision, self.decision_why)?;
        // No import has to match it: trees differ in what they carry.
        let rule = Rule { expect: Expect { least: 0, ..Expect::default() }, ..common? };
        let rule = about_this(Some(rule), about)?;
        into.local.push(LocalRule {
            rule,
            files,
            adds,
            removes,
            also,
            kernel,
            commit,
            upstreamed,
            generated,
            decision,
        });
        Some(())
    }
}

/// Pieces of C; none where the key is not given.
fn pieces(read: &mut Reader<'_>, key: &str, list: Option<Texts>) -> Option<Vec<String>> {
    match list {
        None => Some(Vec::new()),
        list => Some(read.strings(key, list, piece)?.1),
    }
}

fn piece(text: &str) -> Result<(), String> {
    match text.trim().is_empty() {
        true => Err("a piece of C is wanted".into()),
        false => Ok(()),
    }
}

fn commit(text: &str) -> Result<(), String> {
    let hex = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    match hex && (FEWEST_DIGITS..=40).contains(&text.len()) {
        true => Ok(()),
        false => {
            Err(format!("`{text}` is no commit id: at least {FEWEST_DIGITS} hex digits are wanted"))
        }
    }
}

/// `None` in the outer place for a mistake, in the inner one where nothing is decided.
fn decision(
    read: &mut Reader<'_>,
    decision: Option<Text>,
    why: Option<Text>,
) -> Option<Option<(Decision, String)>> {
    let Some(decision) = decision else {
        read.only_with("decision-why", at(why.as_ref()), "`decision`");
        return Some(None);
    };
    let place = span(decision.span());
    let what = match decision.get_ref().as_str() {
        "keep" => Decision::Keep,
        "drop" => Decision::Drop,
        other => {
            read.wrong(
                place,
                format!("`{other}` decides nothing; {}", instead(other, &["keep", "drop"])),
            );
            return None;
        }
    };
    let why = read.required("decision-why", why)?;
    if why.get_ref().trim().len() < SHORTEST_WHY {
        read.wrong(span(why.span()), "`decision-why` gives no reason");
    }
    Some(Some((what, why.into_inner())))
}

/// Finds what rules for local changes can say only together: files that are not the library's, and two
/// that claim the same change.
pub(super) fn check(ruleset: &Ruleset, findings: &mut Findings) {
    for rule in &ruleset.local {
        let paths = &ruleset.library.paths;
        let nowhere = |glob: &&String| !paths.iter().any(|path| overlap(glob, path));
        for glob in rule.files.iter().filter(nowhere) {
            let message =
                format!("`{glob}` can be no file of the library: `paths` has no match for it");
            let finding = Finding::error("rule-place", message);
            findings.push(finding.label(rule.rule.label("the rule")));
        }
    }
    for (number, one) in ruleset.local.iter().enumerate() {
        for other in &ruleset.local[number + 1..] {
            let Some(piece) = shared(one, other) else { continue };
            let finding = Finding::error(
                "rule-conflict",
                format!("two rules speak of a change with `{piece}`"),
            );
            findings.push(
                finding
                    .label(other.rule.label(other.rule.name.to_string()))
                    .label(one.rule.label(one.rule.name.to_string()))
                    .hint("name other pieces or files, or set the two apart by `since` or `until`"),
            );
        }
    }
}

/// A piece by which both rules tell their change in the same file of the same release.
fn shared<'r>(one: &'r LocalRule, other: &LocalRule) -> Option<&'r str> {
    let same_file = one.files.iter().any(|a| other.files.iter().any(|b| overlap(a, b)));
    if !same_file || !super::conflict::intersect(&one.rule, &other.rule) {
        return None;
    }
    let words = |piece: &str| piece.split_whitespace().collect::<Vec<_>>().join(" ");
    let both = |one: &'r [String], other: &[String]| {
        one.iter().find(|a| other.iter().any(|b| words(a) == words(b))).map(String::as_str)
    };
    both(&one.adds, &other.adds).or_else(|| both(&one.removes, &other.removes))
}

/// A part of a glob.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// One byte, or any but the one that parts folders.
    One(Option<u8>),
    /// Any number of bytes; whether of those that part folders too.
    Many(bool),
}

fn parts(glob: &str) -> Vec<Part> {
    let (mut parts, mut rest) = (Vec::new(), glob.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let deep = ["**/", "**"].iter().find(|deep| rest.starts_with(deep.as_bytes()));
        let (part, left) = match (first, deep) {
            (_, Some(deep)) => (Part::Many(true), &rest[deep.len()..]),
            (b'*', None) => (Part::Many(false), after),
            (b'?', None) => (Part::One(None), after),
            (byte, None) => (Part::One(Some(*byte)), after),
        };
        parts.push(part);
        rest = left;
    }
    parts
}

/// Whether two globs can mean the same file; rather yes than no.
fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (parts(a), parts(b));
    let width = b.len() + 1;
    let mut seen = vec![false; (a.len() + 1) * width];
    let mut waiting = vec![(0, 0)];
    while let Some((i, j)) = waiting.pop() {
        if std::mem::replace(&mut seen[i * width + j], true) {
            continue;
        }
        let takes = |deep: bool, part: Part| deep || part != Part::One(Some(b'/'));
        match (a.get(i).copied(), b.get(j).copied()) {
            (None, None) => return true,
            (Some(Part::Many(deep)), other) => {
                waiting.push((i + 1, j));
                waiting.extend(other.filter(|part| takes(deep, *part)).map(|_| (i, j + 1)));
            }
            (other, Some(Part::Many(deep))) => {
                waiting.push((i, j + 1));
                waiting.extend(other.filter(|part| takes(deep, *part)).map(|_| (i + 1, j)));
            }
            (Some(Part::One(one)), Some(Part::One(two))) => {
                let not_folder = |byte: Option<u8>| byte.is_none_or(|byte| byte != b'/');
                let same = match (one, two) {
                    (Some(one), Some(two)) => one == two,
                    (one, two) => not_folder(one) && not_folder(two),
                };
                waiting.extend(same.then_some((i + 1, j + 1)));
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_that_can_mean_the_same_overlap() {
        for (a, b, wanted) in [
            ("lib/**/*.c", "lib/x/**/*", true),
            ("lib/x/*.c", "lib/x/**/*", true),
            ("lib/x/a.c", "lib/x/?.c", true),
            ("include/*.h", "include/x_*.h", true),
            ("lib/x/*.c", "lib/x/*.h", false),
            ("lib/*.c", "lib/x/a.c", false),
            ("lib/?a.c", "lib//a.c", false),
            ("drivers/x.c", "lib/x/**/*", false),
        ] {
            assert_eq!((overlap(a, b), overlap(b, a)), (wanted, wanted), "{a} {b}");
        }
    }
}
