//! `bases/*.toml`: releases whose import is known by the digests of its files, for where their text is
//! not at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use toml::Spanned;

use super::convert::{Kind, Reader, about_this, at, kernel, line, tree_path};
use super::fields::{instead, span};
use super::shape::{BaseShape, ChangedShape, Text};
use super::version::{Expect, Version};
use super::{LocalRule, Rule, Ruleset, glob_matches};
use crate::finding::{Finding, Findings};
use crate::text::TreePath;

/// Hex digits of a sha-256.
const DIGITS: usize = 64;

/// `bases`: a release that trees were made from, known by digests.
#[derive(Clone, Debug)]
pub struct BaseRule {
    /// Common part; it is about the release.
    pub rule: Rule,
    /// The release's name (`v1.2.3`).
    pub release: String,
    /// The number that it states.
    pub version: Version,
    /// Path in the Linux tree to the sha-256 of the file as the release's own importer writes it.
    pub files: BTreeMap<TreePath, String>,
    /// Files as known kernels have changed them.
    pub changed: Vec<ChangedFile>,
}

/// One file as a kernel has changed it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedFile {
    /// Path in the Linux tree.
    pub file: TreePath,
    /// A kernel that has it so, in words (`6.12`).
    pub kernel: String,
    /// Its sha-256.
    pub sha256: String,
    /// Ids of the `local` rules that say what was changed: all of it.
    pub local: Vec<String>,
}

impl Kind for BaseShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = self.common();
        let bounds = [&common.since, &common.until, &common.expect];
        for (key, value) in ["since", "until", "expect"].into_iter().zip(bounds) {
            let place = "the rules of other kinds: this one is about a single release";
            read.only_with(key, at(value.as_ref()), place);
        }
        read.only_with("profiles", at(common.profiles.as_ref()), "the rules of other kinds");
        let rule = read.common(common);
        let (about, release) = read.string("release", self.release, line)?;
        let version = read.required("version", self.version);
        let version = read.version(version);
        let files = files(read, self.files)?;
        let mut changed: Vec<ChangedFile> = Vec::new();
        for shape in self.changed.map(Spanned::into_inner).unwrap_or_default() {
            changed.extend(change(read, shape.into_inner(), &files, &changed));
        }
        // No import has to match it: it is looked at where a tree holds that release.
        let rule = Rule { expect: Expect { least: 0, ..Expect::default() }, ..rule? };
        let rule = about_this(Some(rule), about)?;
        into.bases.push(BaseRule { rule, release, version: version?, files, changed });
        Some(())
    }
}

fn files(
    read: &mut Reader<'_>,
    table: Option<Spanned<BTreeMap<Text, Text>>>,
) -> Option<BTreeMap<TreePath, String>> {
    let table = read.required("files", table)?;
    let whole = span(table.span());
    let mut files = BTreeMap::new();
    for (path, digest) in table.into_inner() {
        let path = read.string("files", Some(path), tree_path);
        let digest = read.string("files", Some(digest), sha256);
        if let (Some((_, path)), Some((_, digest))) = (path, digest)
            && let Some(path) = TreePath::new(&path)
        {
            files.insert(path, digest);
        }
    }
    if files.is_empty() {
        read.wrong(whole, "`files` is empty: a release has files");
        return None;
    }
    Some(files)
}

fn change(
    read: &mut Reader<'_>,
    shape: ChangedShape,
    files: &BTreeMap<TreePath, String>,
    before: &[ChangedFile],
) -> Option<ChangedFile> {
    let (place, file) = read.string("file", Some(shape.file), tree_path)?;
    let (_, kernel) = read.string("kernel", Some(shape.kernel), kernel)?;
    let (digest_at, sha256) = read.string("sha256", Some(shape.sha256), sha256)?;
    let (_, local) = read.strings("local", Some(shape.local), |_| Ok(()))?;
    let file = TreePath::new(&file)?;
    let Some(unchanged) = files.get(&file) else {
        read.wrong(place, format!("`{file}` is not among the release's `files`"));
        return None;
    };
    if *unchanged == sha256 {
        read.wrong(digest_at, "this is the digest of the unchanged file");
        return None;
    }
    if before.iter().any(|other| other.file == file && other.sha256 == sha256) {
        read.wrong(digest_at, format!("`{file}` is listed twice with this digest"));
        return None;
    }
    Some(ChangedFile { file, kernel, sha256, local })
}

fn sha256(text: &str) -> Result<(), String> {
    let hex = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    match hex && text.len() == DIGITS {
        true => Ok(()),
        false => {
            Err(format!("`{text}` is no sha-256: {DIGITS} digits, 0 to 9 and a to f, are wanted"))
        }
    }
}

/// Finds what the rules can say only together: files that are not the library's, and changes that no
/// rule knows.
pub(super) fn check(ruleset: &Ruleset, findings: &mut Findings) {
    for base in &ruleset.bases {
        let mut releases = ruleset.bases.iter().filter(|other| other.release == base.release);
        if let Some(first) = releases.next().filter(|first| first.rule.name != base.rule.name) {
            let finding = wrong(base, &base.release, "two rules speak of this release".into());
            findings.push(finding.label(first.rule.label("the other")));
        }
        let paths = &ruleset.library.paths;
        let ours = |path: &TreePath| paths.iter().any(|glob| glob_matches(glob, path.as_str()));
        for path in base.files.keys().filter(|path| !ours(path)) {
            let message =
                format!("`{path}` is no file of the library: `paths` has no match for it");
            findings.push(wrong(base, path.as_str(), message));
        }
        for changed in &base.changed {
            changes(ruleset, base, changed, findings);
        }
    }
}

/// Each change needs a rule that can be about that file of that release.
fn changes(ruleset: &Ruleset, base: &BaseRule, changed: &ChangedFile, findings: &mut Findings) {
    let ids: BTreeSet<&str> = ruleset.local.iter().map(LocalRule::id).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    for id in &changed.local {
        let Some(rule) = ruleset.local(id) else {
            let finding = wrong(base, id, format!("there is no rule `local/{id}`"));
            findings.push(finding.hint(instead(id, &ids)));
            continue;
        };
        let file = changed.file.as_str();
        let first = rule.rule.since.is_none_or(|since| since <= base.version);
        let still = rule.rule.until.is_none_or(|until| base.version < until);
        if !(first && still && rule.files.iter().any(|glob| glob_matches(glob, file))) {
            let message = format!("`local/{id}` is not about `{file}` of {}", base.release);
            findings.push(wrong(base, id, message).label(rule.rule.label("what it is about")));
        }
    }
}

fn wrong(base: &BaseRule, value: &str, message: String) -> Finding {
    let rule = &base.rule;
    Finding::error("rule-value", message).at(&Arc::clone(&rule.source), rule.span_of(value), "")
}

impl LocalRule {
    /// The rule's id, by which changes are kept or dropped.
    pub fn id(&self) -> &str {
        self.rule.name.as_str().rsplit('/').next().unwrap_or_default()
    }
}

impl Ruleset {
    /// The rule for a local change of that id.
    pub fn local(&self, id: &str) -> Option<&LocalRule> {
        self.local.iter().find(|rule| rule.id() == id)
    }
}
