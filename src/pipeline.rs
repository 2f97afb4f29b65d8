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
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::edit::{EditSet, Overlap, RuleRef, Traced};
use crate::finding::{Error, Finding, Findings, Result, Severity};
use crate::kernel::api::Api;
use crate::kernel::layout::{self, Layout, Template};
use crate::kernel::modules::ModuleFiles;
use crate::kernel::target::Target;
use crate::kernel::template::{self, Values};
use crate::proof::{self, Prover};
use crate::rules::{Active, MacroClass, Profile, Ruleset, Version};
use crate::syntax::SYNTAX_ERROR;
use crate::text::{Files, Source, Span, TreePath};
use hits::Hits;

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

/// The release with its plan.
#[derive(Debug)]
pub struct Upstream<'a> {
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

/// Dead branches are gone, conditions are short.
#[derive(Debug)]
pub struct Preprocessed<'a> {
    upstream: Upstream<'a>,
    texts: BTreeMap<TreePath, Traced>,
    /// Groups decided and conditions shortened.
    decided: usize,
    /// Conditions upstream.
    conditions: usize,
}

/// Includes, names, calls, comments and licence lines are the kernel's.
#[derive(Debug)]
pub struct Rewritten<'a> {
    upstream: Upstream<'a>,
    texts: BTreeMap<TreePath, Traced>,
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
    let upstream = select(input, ruleset, profile)?;
    rewritten(preprocess::preprocess(upstream)?)
}

/// Imports a release and proves that its files mean what upstream's mean; where they don't is a finding.
///
/// # Errors
/// As for [`import`].
pub fn proved(input: Input<'_>, ruleset: &Ruleset, profile: &Profile) -> Result<KernelTree> {
    let mut tree = import(input, ruleset, profile)?;
    let rules = Active::new(ruleset, input.version, profile);
    let prover = Prover::new(&rules, tree.files.values().map(|file| &**file.text.bytes()))?;
    let ours: Vec<&OutputFile> =
        tree.files.values().filter(|file| file.template.is_none()).collect();
    let proofs: Vec<_> =
        ours.par_iter().map(|file| prover.file(&file.source, &file.text)).collect();
    let (figures, findings) = proof::summed(proofs);
    tree.proof = Some(figures);
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
pub fn derive(input: Input<'_>, ruleset: &Ruleset, profile: &Profile) -> Result<Derived> {
    let upstream = select(input, ruleset, profile)?;
    let Rewritten { upstream, texts, .. } = rewrite::rewrite(preprocess::preprocess(upstream)?)?;
    let Upstream { mut files, layout, .. } = upstream;
    let places = layout.places.iter().map(|(path, place)| (place.clone(), path.clone())).collect();
    let mut derived = BTreeMap::new();
    for (path, text) in texts {
        if let (Some(place), Some(source)) = (layout.taken.get(&path), files.remove(&path)) {
            let file = OutputFile { upstream: Some(path), source, template: None, text };
            derived.insert(place.clone(), file);
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
) -> Result<Upstream<'a>> {
    let rules = Active::new(ruleset, input.version, profile);
    let root = &ruleset.library.root;
    let files: BTreeMap<TreePath, Arc<Source>> = input
        .files
        .iter()
        .map(|(path, bytes)| {
            (path.clone(), Source::new(format!("{root}/{path}"), Arc::clone(bytes)))
        })
        .collect();
    let mut layout = layout::plan(&files, &ruleset.library, &rules.files)?;
    let mut findings = std::mem::take(&mut layout.findings);
    for source in layout.taken.keys().filter_map(|path| files.get(path)) {
        findings.extend(binary(source));
    }
    let mut hits = Hits::default();
    hits.add(&layout.matched);
    let (exact, target) = (input.exact, input.target.clone());
    Ok(Upstream { rules, exact, alone: false, target, files, layout, findings, hits })
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
    let Rewritten { upstream, texts, decided, conditions: before } = rewritten;
    let Upstream { rules, exact, alone, target, files, layout, mut findings, mut hits } = upstream;
    let mut conditions = closed::check(&rules, &files, &texts, &mut findings, &mut hits);
    conditions.before = before;
    // One file by itself can't have what the API needs.
    let api = if alone {
        Api::default()
    } else {
        api::make(&rules, &layout, &files, &texts, (&target, exact), &mut findings, &mut hits)
    };
    let mut output = BTreeMap::new();
    for (path, text) in texts {
        hits.add(text.fired());
        let (Some(place), Some(source)) = (layout.taken.get(&path), files.get(&path)) else {
            continue;
        };
        let source = Arc::clone(source);
        let file = OutputFile { upstream: Some(path), source, template: None, text };
        output.insert(place.clone(), file);
    }
    let library = &rules.ruleset.library;
    let mut values = Values::new(library, rules.version, target);
    values.api = api.value(&library.api_sections);
    add_templates(&mut output, &rules, &layout, &values)?;
    if !alone && !library.modules.is_empty() {
        // The modules' own sources are templates that have a say in what the modules need; what
        // follows from it changes other templates only.
        values.modules = modules::of(&rules, &output, &mut findings)?;
        add_templates(&mut output, &rules, &layout, &values)?;
    }
    if !alone {
        replaced::check(&files, &layout, &output, &mut findings);
    }
    expect::check(&rules, &hits, exact, &mut findings);
    let (matched, modules) = (hits.into_map(), values.modules);
    Ok(KernelTree {
        files: output,
        api,
        findings,
        matched,
        modules,
        decided,
        conditions,
        proof: None,
    })
}

/// Renders the templates into the output.
fn add_templates(
    output: &mut BTreeMap<TreePath, OutputFile>,
    rules: &Active<'_>,
    layout: &Layout,
    values: &Values,
) -> Result<()> {
    for (place, Template { name, rule, replaces }) in &layout.templates {
        let source = template::render(rules.ruleset, name, rule, values)?;
        let text = Traced::new(Arc::clone(&source.bytes));
        let (upstream, template) = (replaces.clone(), Some(rule.clone()));
        output.insert(place.clone(), OutputFile { upstream, source, template, text });
    }
    Ok(())
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
    let mut upstream = select(input, ruleset, profile)?;
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
