//! The first stage that changes text: folding all files by the macro rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::{Preprocessed, Text, Upstream, internal};
use crate::edit::Traced;
use crate::finding::{Finding, Findings, Result, Severity};
use crate::memo::{Held, Key, Memo};
use crate::preprocess::fold::{Folded, fold};
use crate::preprocess::hardwired::{self, Definition};
use crate::preprocess::lexer::Scanned;
use crate::preprocess::settings::{EntryId, Settings};
use crate::rules::{Active, MacroClass, MacroRule, glob_matches};
use crate::text::{Source, Span, TreePath};

/// Folds every file taken.
pub(super) fn preprocess(mut upstream: Upstream<'_>) -> Result<Preprocessed<'_>> {
    let (memo, rules) = (upstream.memo, &upstream.rules);
    let key = memo.key("settings", |key| _ = key.key(upstream.key));
    let plain =
        memo.try_get(key, || settings(rules, |_| false).map(|settings| Plain { settings }))?;
    let plain = &plain.settings;
    let mut work = Vec::new();
    for path in upstream.layout.taken.keys() {
        let Some(source) = upstream.files.get(path) else { continue };
        let key = upstream.keys.get(path).copied().flatten();
        // The rules' key says which files they replace something in.
        let key = memo.key("fold", |maker| _ = maker.key(upstream.key).key(key));
        work.push((path, source, key));
    }
    let folded: Result<Vec<_>> = work
        .par_iter()
        .map(|(path, source, key)| {
            let file = memo.try_get(*key, || file(rules, plain, path, source))?;
            let text = Text { text: file.text.clone(), key: *key, scan: Scanned::default() };
            Ok((*path, *source, text, file))
        })
        .collect();
    let mut stage = Stage::new(rules, plain, memo);
    for (path, source, text, file) in folded? {
        stage.take(path, source, text, &file);
    }
    stage.find_lost(&upstream.keys);
    for (rule, count) in stage.named_by_rule() {
        upstream.hits.count(rule, count);
    }
    let Stage { texts, findings, decided, conditions, .. } = stage;
    upstream.findings.extend(findings);
    Ok(Preprocessed { texts, decided, conditions, upstream })
}

fn settings(rules: &Active<'_>, replaces: impl Fn(&MacroRule) -> bool) -> Result<Settings> {
    Settings::from_rules(&rules.macros, &rules.one_of, rules.profile.simplify, replaces)
}

/// The settings for files in which nothing is replaced.
struct Plain {
    settings: Settings,
}

impl Held for Plain {
    fn weight(&self) -> usize {
        const ENTRY: usize = 300;
        self.settings.entries().len() * ENTRY
    }
}

/// What folding one file came to.
struct FoldedFile {
    text: Traced,
    findings: Findings,
    decided: usize,
    conditions: usize,
    named: Vec<usize>,
    kept: BTreeSet<EntryId>,
    dropped: Vec<Definition>,
}

impl Held for FoldedFile {
    fn weight(&self) -> usize {
        self.text.weight() + self.findings.weight() + 8 * self.named.len() + 64 * self.kept.len()
    }
}

/// Folds one file.
fn file(
    rules: &Active<'_>,
    plain: &Settings,
    path: &TreePath,
    source: &Arc<Source>,
) -> Result<FoldedFile> {
    let replaces = |rule: &MacroRule| {
        rule.replace_in.as_deref().is_some_and(|glob| glob_matches(glob, path.as_str()))
    };
    let own = match rules.macros.iter().any(|rule| replaces(rule)) {
        true => Some(settings(rules, replaces)?),
        false => None,
    };
    let mut folded = fold(source, own.as_ref().unwrap_or(plain));
    let mut findings = std::mem::take(&mut folded.findings);
    let mut text = Traced::new(Arc::clone(&source.bytes));
    if folded.balanced {
        if rules.profile.closed {
            left_over(rules, plain, source, &folded, &mut findings);
        }
        let edits = std::mem::take(&mut folded.edits);
        text =
            text.apply(edits).map_err(|_| internal("the folding's own edits overlap", source))?;
    }
    let Folded { decided, conditions, named, kept, dropped, .. } = folded;
    Ok(FoldedFile { text, findings, decided, conditions, named, kept, dropped })
}

/// In a closed profile a setting that can't decide is a fault of the ruleset.
fn left_over(
    rules: &Active<'_>,
    settings: &Settings,
    source: &Arc<Source>,
    folded: &Folded,
    findings: &mut Findings,
) {
    for mut finding in hardwired::left_over(source, folded, settings) {
        finding.severity = Severity::Error;
        findings.push(with_rule(rules, settings, finding, folded));
    }
}

fn with_rule(
    rules: &Active<'_>,
    settings: &Settings,
    finding: Finding,
    folded: &Folded,
) -> Finding {
    let at = finding.labels.first().map(|label| label.span);
    let entry = folded.left.iter().find(|(_, span)| Some(*span) == at).map(|(id, _)| *id);
    let rule = entry.and_then(|id| {
        let name = &settings.entry(id).rule;
        rules.macros.iter().find(|rule| rule.rule.name == *name)
    });
    match rule {
        Some(rule) => finding.label(rule.rule.label("set here")),
        None => finding,
    }
}

/// What is gathered over all files.
struct Stage<'a> {
    rules: &'a Active<'a>,
    settings: &'a Settings,
    memo: &'a Memo,
    texts: BTreeMap<TreePath, Text>,
    sources: BTreeMap<TreePath, Arc<Source>>,
    findings: Findings,
    decided: usize,
    conditions: usize,
    named: Vec<usize>,
    kept: BTreeSet<EntryId>,
    dropped: BTreeMap<EntryId, (TreePath, Arc<Source>, Span)>,
}

impl<'a> Stage<'a> {
    fn new(rules: &'a Active<'a>, settings: &'a Settings, memo: &'a Memo) -> Stage<'a> {
        Stage {
            rules,
            settings,
            memo,
            texts: BTreeMap::new(),
            sources: BTreeMap::new(),
            findings: Findings::default(),
            decided: 0,
            conditions: 0,
            named: vec![0; settings.entries().len()],
            kept: BTreeSet::new(),
            dropped: BTreeMap::new(),
        }
    }

    fn take(&mut self, path: &TreePath, source: &Arc<Source>, text: Text, file: &FoldedFile) {
        self.findings.extend(file.findings.clone());
        self.decided += file.decided;
        self.conditions += file.conditions;
        for (total, count) in self.named.iter_mut().zip(&file.named) {
            *total += count;
        }
        self.kept.extend(&file.kept);
        for definition in &file.dropped {
            let place = || (path.clone(), Arc::clone(source), definition.name);
            self.dropped.entry(definition.entry).or_insert_with(place);
        }
        self.texts.insert(path.clone(), text);
        self.sources.insert(path.clone(), Arc::clone(source));
    }

    /// Uses of macros whose only definition went. What the build itself defines is not lost.
    fn find_lost(&mut self, keys: &BTreeMap<TreePath, Option<Key>>) {
        let builtin = |id: EntryId| {
            let name = &self.settings.entry(id).name;
            let rule = self.rules.macros.iter().find(|rule| rule.names.contains(name));
            rule.is_some_and(|rule| {
                matches!(rule.class, MacroClass::Arch | MacroClass::Compiler | MacroClass::Kernel)
            })
        };
        let lost: BTreeMap<&[u8], EntryId> = self
            .dropped
            .keys()
            .filter(|id| !self.kept.contains(id) && !builtin(**id))
            .map(|id| (self.settings.entry(*id).name.as_bytes(), *id))
            .collect();
        let names: BTreeSet<&[u8]> = lost.keys().copied().collect();
        if names.is_empty() {
            return;
        }
        let places = self.memo.key("lost", |key| {
            for (name, id) in &lost {
                let Some((path, _, span)) = self.dropped.get(id) else { continue };
                key.bytes(name).key(keys.get(path).copied().flatten());
                key.number(span.start as usize).number(span.end as usize);
            }
        });
        let dropped = |word: &[u8]| {
            let (_, source, span) = self.dropped.get(lost.get(word)?)?;
            Some((Arc::clone(source), *span))
        };
        for (path, Text { text, key, .. }) in &self.texts {
            let Some(source) = self.sources.get(path) else { continue };
            let found = self.memo.file("lost", *key, places, || {
                hardwired::lost_definitions(source, text, &names, dropped)
            });
            self.findings.extend(Findings::clone(&found));
        }
    }

    fn named_by_rule(&self) -> impl Iterator<Item = (&'a crate::edit::RuleRef, usize)> {
        let entries = self.settings.entries().iter().map(|entry| &entry.rule);
        entries.zip(self.named.clone()).filter(|(_, count)| *count > 0)
    }
}
