//! The stages of an import, each a function from the type before it to the next one, so that none
//! can be skipped, repeated or reordered:
//!
//! [`Upstream`] -> [`Preprocessed`] -> [`Rewritten`] -> [`KernelTree`]

mod api;
mod closed;
mod expect;
mod hits;
mod modules;
mod preprocess;
mod replaced;
mod rewrite;
mod templates;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::edit::{EditSet, Overlap, RuleRef, Traced};
use crate::finding::{Error, Finding, Findings, Result, Severity};
use crate::kernel::api::Api;
use crate::kernel::layout::{self, Layout};
use crate::kernel::modules::ModuleFiles;
use crate::kernel::target::Target;
use crate::kernel::template::Values;
use crate::memo::{Key, Memo};
use crate::preprocess::groups::UNBALANCED;
use crate::preprocess::lexer::Scanned;
use crate::proof::{self, FileProof, Prover};
use crate::rules::{Active, Library, MacroClass, Profile, Ruleset, Version};
use crate::syntax::SYNTAX_ERROR;
use crate::text::{Files, Source, Span, TreePath};
use crate::upstream::Release;
use hits::Hits;
use templates::Rendering;

/// What is imported: a release's files below the library root, and how far its number can be
/// trusted.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The release's number.
    pub version: Version,
    /// Whether it is a release itself, not a commit between two: then every rule must match.
    pub exact: bool,
    /// Path below the library root to bytes.
    pub files: &'a Files,
    /// The kernel that it is imported for.
    pub target: &'a Target,
}

impl<'a> Input<'a> {
    /// A release, for a kernel.
    pub fn of(release: &'a Release, library: &Library, target: &'a Target) -> Input<'a> {
        let exact = release.is_exact(library);
        Input { version: release.version, exact, files: &release.files, target }
    }
}

/// The release with its plan.
#[derive(Debug)]
pub struct Upstream<'a> {
    memo: &'a Memo,
    /// Key of the rules in force.
    key: Option<Key>,
    /// Keys of the files.
    keys: BTreeMap<TreePath, Option<Key>>,
    rules: Active<'a>,
    exact: bool,
    /// One file is looked at by itself: nothing can be said of the others.
    alone: bool,
    target: Target,
    files: BTreeMap<TreePath, Arc<Source>>,
    layout: Layout,
    findings: Findings,
    hits: Hits,
}

/// A file on its way.
#[derive(Clone, Debug)]
struct Text {
    text: Traced,
    /// What it was made from and by, if that is kept.
    key: Option<Key>,
    /// The directives of the text.
    scan: Scanned,
}

/// Dead branches are gone, conditions are short.
#[derive(Debug)]
pub struct Preprocessed<'a> {
    upstream: Upstream<'a>,
    texts: BTreeMap<TreePath, Text>,
    /// Groups decided and conditions shortened.
    decided: usize,
    /// Conditions upstream.
    conditions: usize,
}

/// Includes, names, calls, comments and licence lines are the kernel's.
#[derive(Debug)]
pub struct Rewritten<'a> {
    upstream: Upstream<'a>,
    texts: BTreeMap<TreePath, Text>,
    decided: usize,
    conditions: usize,
}

/// The kernel form, with all that is known of it.
#[derive(Debug)]
pub struct KernelTree {
    /// The files by their path in the Linux tree.
    pub files: BTreeMap<TreePath, OutputFile>,
    /// The wrapper API that they offer to the rest of the kernel.
    pub api: Api,
    /// What must not be, or is worth a look.
    pub findings: Findings,
    /// How often each rule in force matched, whether it changed anything or not.
    pub matched: BTreeMap<RuleRef, usize>,
    /// The kernel modules that the files become.
    pub modules: Vec<ModuleFiles>,
    /// Conditional groups that were decided, wholly or in part.
    pub decided: usize,
    /// What stays in conditions.
    pub conditions: Conditions,
    /// What was proved; `None` where nobody asked ([`proved`]).
    pub proof: Option<proof::Figures>,
}

/// One file of the kernel form.
#[derive(Clone, Debug)]
pub struct OutputFile {
    /// The upstream file that it comes from or stands for, below the library root.
    pub upstream: Option<TreePath>,
    /// The text that the trace leads to: upstream's, or the template's.
    pub source: Arc<Source>,
    /// The rule that wants this file, for a template.
    pub template: Option<RuleRef>,
    /// The kernel form.
    pub text: Traced,
    /// Key of all that the text, its trace and its source were made from.
    pub key: Option<Key>,
    /// The directives of the text.
    pub scan: Scanned,
}

/// The conditions that stay in the kernel form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    /// Conditions upstream, in the files taken.
    pub before: usize,
    /// Conditions that stay.
    pub after: usize,
    /// Class to the macros of that class that stay, with the number of conditions that name each.
    pub by_class: BTreeMap<MacroClass, BTreeMap<String, usize>>,
}

impl OutputFile {
    /// What became of a file of upstream.
    fn of(path: TreePath, source: Arc<Source>, text: Text) -> OutputFile {
        let Text { text, key, scan } = text;
        OutputFile { upstream: Some(path), source, template: None, text, key, scan }
    }

    /// How often each rule had a part in the file; a template's rule made all of it, once.
    pub fn fired(&self) -> BTreeMap<&RuleRef, usize> {
        let edits = self.text.fired().iter().map(|(rule, count)| (rule, *count));
        edits.chain(self.template.iter().map(|rule| (rule, 1))).collect()
    }
}

impl KernelTree {
    /// Kinds of rules, with how many of each had a part in the output and in how many edits.
    pub fn kinds(&self) -> BTreeMap<String, (usize, usize)> {
        let mut rules: BTreeMap<&RuleRef, usize> = BTreeMap::new();
        for (rule, count) in self.files.values().flat_map(OutputFile::fired) {
            *rules.entry(rule).or_default() += count;
        }
        let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (rule, count) in rules {
            let kind = kinds.entry(rule.kind().to_owned()).or_default();
            *kind = (kind.0 + 1, kind.1 + count);
        }
        kinds
    }
}

/// Imports a release: all stages in their order.
///
/// # Errors
/// The rules contradict each other, or a template can't be rendered.
pub fn import(input: Input<'_>, ruleset: &Ruleset, profile: &Profile) -> Result<KernelTree> {
    import_again(input, ruleset, profile, &Memo::off())
}

/// The same for one of several imports, which have files in common.
///
/// # Errors
/// As for [`import`].
pub fn import_again(
    input: Input<'_>,
    ruleset: &Ruleset,
    profile: &Profile,
    memo: &Memo,
) -> Result<KernelTree> {
    let upstream = select(input, ruleset, profile, memo)?;
    rewritten(preprocess::preprocess(upstream)?)
}

/// Imports a release and proves that its files mean what upstream's mean; where they don't is a finding.
///
/// # Errors
/// As for [`import`].
pub fn proved(input: Input<'_>, ruleset: &Ruleset, profile: &Profile) -> Result<KernelTree> {
    proved_again(input, ruleset, profile, &Memo::off())
}

/// The same for one of several imports, which have files in common.
///
/// # Errors
/// As for [`import`].
pub fn proved_again(
    input: Input<'_>,
    ruleset: &Ruleset,
    profile: &Profile,
    memo: &Memo,
) -> Result<KernelTree> {
    let mut tree = import_again(input, ruleset, profile, memo)?;
    let rules = Active::new(ruleset, input.version, profile);
    let defined = |file: &OutputFile| {
        let key = memo.key("defined", |key| _ = key.key(file.key));
        let bytes = file.text.bytes();
        memo.get(key, || proof::defined(bytes, &file.scan.of(bytes).directives))
    };
    let defined: Vec<Arc<proof::Defined>> = tree.files.values().map(defined).collect();
    let prover = Prover::knowing(&rules, defined.iter().map(|defined| &**defined))?;
    let ours: Vec<&OutputFile> =
        tree.files.values().filter(|file| file.template.is_none()).collect();
    let shared = prover.key(memo, rules_key(&rules, memo));
    let one = |file: &&OutputFile| {
        let key = memo.key("proof", |key| _ = key.key(file.key).key(shared));
        let directives = || &file.scan.of(file.text.bytes()).directives;
        memo.get(key, || prover.file_scanned(&file.source, &file.text, directives()))
    };
    let proofs: Vec<Arc<FileProof>> = ours.par_iter().map(one).collect();
    let (figures, mut findings) = proof::summed(proofs.iter().map(|proof| FileProof::clone(proof)));
    tree.proof = Some(figures);
    let place = |finding: &Finding| finding.labels.first().map(|l| l.source.name.clone());
    let broken = tree.findings.iter().filter(|finding| finding.code == UNBALANCED);
    let broken: BTreeSet<String> = broken.filter_map(place).collect();
    // That nothing can be proved of groups that don't balance follows from that they don't.
    let told = |finding: &Finding| place(finding).is_some_and(|name| broken.contains(&name));
    findings.retain(|finding| finding.code != proof::UNPROVED || !told(finding));
    tree.findings.extend(findings);
    Ok(tree)
}

/// What an import makes of upstream's files, with nothing beside them and no judgement of them.
#[derive(Debug)]
pub struct Derived {
    /// The files by their path in the Linux tree.
    pub files: BTreeMap<TreePath, OutputFile>,
    /// Upstream's path for each place in the Linux tree, those of templates that stand for an upstream
    /// file included.
    pub places: BTreeMap<TreePath, TreePath>,
}

/// Takes files through the stages that change text: for comparisons, of which several are made. What
/// would be found is left aside.
///
/// # Errors
/// As for [`import`].
pub fn derive(
    input: Input<'_>,
    ruleset: &Ruleset,
    profile: &Profile,
    memo: &Memo,
) -> Result<Derived> {
    let upstream = select(input, ruleset, profile, memo)?;
    let Rewritten { upstream, texts, .. } = rewrite::rewrite(preprocess::preprocess(upstream)?)?;
    let Upstream { mut files, layout, .. } = upstream;
    let places = layout.places.iter().map(|(path, place)| (place.clone(), path.clone())).collect();
    let mut derived = BTreeMap::new();
    for (path, text) in texts {
        if let (Some(place), Some(source)) = (layout.taken.get(&path), files.remove(&path)) {
            derived.insert(place.clone(), OutputFile::of(path, source, text));
        }
    }
    Ok(Derived { files: derived, places })
}

fn rewritten(preprocessed: Preprocessed<'_>) -> Result<KernelTree> {
    kernel_tree(rewrite::rewrite(preprocessed)?)
}

/// Plans which files are taken.
///
/// # Errors
/// A rule's output path is no path in a tree.
pub fn select<'a>(
    input: Input<'_>,
    ruleset: &'a Ruleset,
    profile: &'a Profile,
    memo: &'a Memo,
) -> Result<Upstream<'a>> {
    let rules = Active::new(ruleset, input.version, profile);
    let root = &ruleset.library.root;
    let mut files: BTreeMap<TreePath, Arc<Source>> = BTreeMap::new();
    let mut keys = BTreeMap::new();
    for (path, bytes) in input.files {
        let (source, key) = memo.source(&format!("{root}/{path}"), bytes);
        files.insert(path.clone(), source);
        keys.insert(path.clone(), key);
    }
    let key = rules_key(&rules, memo);
    let mut layout = layout::plan(&files, &ruleset.library, &rules.files)?;
    let mut findings = std::mem::take(&mut layout.findings);
    for source in layout.taken.keys().filter_map(|path| files.get(path)) {
        findings.extend(binary(source));
    }
    let mut hits = Hits::default();
    hits.add(&layout.matched);
    let (exact, target) = (input.exact, input.target.clone());
    let alone = false;
    Ok(Upstream { memo, key, keys, rules, exact, alone, target, files, layout, findings, hits })
}

/// Key of the rules in force: for most results it doesn't matter for which release these are.
pub fn rules_key(rules: &Active<'_>, memo: &Memo) -> Option<Key> {
    memo.key("rules", |key| {
        key.text(&rules.ruleset.digest).text(&rules.profile.name);
        for rule in rules.rules() {
            key.text(rule.name.as_str());
        }
    })
}

/// A NUL byte is in no C source: the file is something else, or damaged.
fn binary(source: &Arc<Source>) -> Findings {
    let mut findings = Findings::default();
    if let Some(at) = memchr::memchr(0, &source.bytes) {
        let finding = Finding::error("binary-file", "this is no text: it holds a NUL byte");
        findings.push(
            finding
                .at(source, Span::new(at, at + 1), "here")
                .hint("correct the file, or leave it out by a rule of kind files"),
        );
    }
    findings
}

/// Adds the kernel's own files and holds the whole against the closed world.
fn kernel_tree(rewritten: Rewritten<'_>) -> Result<KernelTree> {
    let Rewritten { mut upstream, texts, decided, conditions: before } = rewritten;
    let mut conditions = closed::check(&mut upstream, &texts);
    conditions.before = before;
    // One file by itself can't have what the API needs.
    let api = if upstream.alone { Arc::default() } else { api::make(&mut upstream, &texts) };
    let Upstream { memo, key, keys, rules, exact, alone, target, files, layout, .. } = upstream;
    let (mut findings, mut hits) = (upstream.findings, upstream.hits);
    let mut output = BTreeMap::new();
    for (path, text) in texts {
        hits.add(text.text.fired());
        let (Some(place), Some(source)) = (layout.taken.get(&path), files.get(&path)) else {
            continue;
        };
        output.insert(place.clone(), OutputFile::of(path, Arc::clone(source), text));
    }
    let library = &rules.ruleset.library;
    let mut values = Values::new(library, rules.version, target);
    values.api = api.value.clone();
    let rendering = Rendering { memo, key, api: api.key, rules: &rules, layout: &layout };
    rendering.add(&mut output, &values)?;
    if !alone && !library.modules.is_empty() {
        // The modules' own sources are templates that have a say in what the modules need; what
        // follows from it changes other templates only.
        values.modules = modules::of((memo, key), &rules, &output, &mut findings)?;
        rendering.add(&mut output, &values)?;
    }
    if !alone {
        replaced::check(memo, &files, &keys, &layout, &output, &mut findings);
    }
    expect::check(&rules, &hits, exact, &mut findings);
    let (matched, modules, api) = (hits.into_map(), values.modules, api.api.clone());
    let (files, proof) = (output, None);
    Ok(KernelTree { files, api, findings, matched, modules, decided, conditions, proof })
}

/// Applies edits; two that touch are a fault of the rules, and the file stays as it was.
fn apply(
    rules: &Active<'_>,
    source: &Arc<Source>,
    text: Traced,
    edits: EditSet,
    findings: &mut Findings,
) -> Traced {
    let before = text.clone();
    match text.apply(edits) {
        Ok(text) => text,
        Err(overlap) => {
            findings.push(overlap_finding(rules, source, &before, &overlap));
            before
        }
    }
}

fn overlap_finding(
    rules: &Active<'_>,
    source: &Arc<Source>,
    text: &Traced,
    overlap: &Overlap,
) -> Finding {
    let span = |at: Span| text.upstream_cover(at);
    let mut finding = Finding::error("edits-overlap", "two rules want to change the same bytes")
        .at(source, span(overlap.first.span), "one edit")
        .at(source, span(overlap.second.span), "the other");
    for rule in rules.rules() {
        let names = [&overlap.first.rules, &overlap.second.rules];
        if names.iter().any(|list| list.contains(&rule.name)) {
            finding = finding.label(rule.label("a rule at work"));
        }
    }
    finding.hint("narrow one of the rules")
}

/// Takes one file through the per-file stages, as if it stood alone in a release.
///
/// # Errors
/// As for [`import`].
pub fn transform(
    path: &TreePath,
    bytes: Arc<[u8]>,
    version: Version,
    ruleset: &Ruleset,
    profile: &Profile,
) -> Result<(Option<OutputFile>, Findings)> {
    let files = BTreeMap::from([(path.clone(), bytes)]);
    let target = Target::of_version(&ruleset.library, None);
    let input = Input { version, exact: false, files: &files, target: &target };
    let memo = Memo::off();
    let mut upstream = select(input, ruleset, profile, &memo)?;
    // Alone or not, chosen by the rules or not: it is this file that the user wants to see.
    upstream.alone = true;
    upstream.layout.templates.clear();
    upstream.layout.alone(path, &ruleset.library)?;
    let preprocessed = preprocess::preprocess(upstream)?;
    let rewritten = rewrite::rewrite(preprocessed)?;
    let tree = kernel_tree(rewritten)?;
    let (file, mut findings) = (tree.files.into_values().next(), tree.findings);
    // What the other files would have matched can't be told from one, and it may be their macros
    // that the parser stumbles over.
    findings.retain(|f| f.code != expect::CODE && f.code != layout::FILE_WITHOUT_RULE);
    let mut weighed = Findings::default();
    for mut finding in findings {
        if finding.code == SYNTAX_ERROR {
            finding.severity = Severity::Warning;
        }
        weighed.push(finding);
    }
    Ok((file, weighed))
}

/// A fault of this program, said with the file at hand.
fn internal(what: &str, source: &Source) -> Error {
    Error::internal(format!("{what} in {}", source.name))
}
