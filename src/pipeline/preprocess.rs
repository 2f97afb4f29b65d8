//! The first stage that changes text: folding all files by the macro rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::{Preprocessed, Upstream, internal};
use crate::edit::Traced;
use crate::finding::{Finding, Findings, Result, Severity};
use crate::preprocess::fold::{Folded, fold};
use crate::preprocess::hardwired;
use crate::preprocess::settings::{EntryId, Settings};
use crate::rules::{Active, MacroClass, MacroRule, glob_matches};
use crate::text::{Source, Span, TreePath};

/// Folds every file taken.
pub(super) fn preprocess(mut upstream: Upstream<'_>) -> Result<Preprocessed<'_>> {
    let rules = &upstream.rules;
    let plain = settings(rules, |_| false)?;
    let mut work = Vec::new();
    for path in upstream.layout.taken.keys() {
        let Some(source) = upstream.files.get(path) else { continue };
        let replaces = |rule: &MacroRule| {
            rule.replace_in.as_deref().is_some_and(|glob| glob_matches(glob, path.as_str()))
        };
        let own = match rules.macros.iter().any(|rule| replaces(rule)) {
            true => Some(settings(rules, replaces)?),
            false => None,
        };
        work.push((path, source, own));
    }
    let folded: Vec<(&TreePath, &Arc<Source>, Folded)> = work
        .par_iter()
        .map(|(path, source, own)| (*path, *source, fold(source, own.as_ref().unwrap_or(&plain))))
        .collect();
    let mut stage = Stage::new(rules, &plain);
    for (path, source, folded) in folded {
        stage.take(path, source, folded)?;
    }
    stage.find_lost();
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

/// What is gathered over all files.
struct Stage<'a> {
    rules: &'a Active<'a>,
    settings: &'a Settings,
    texts: BTreeMap<TreePath, Traced>,
    sources: BTreeMap<TreePath, Arc<Source>>,
    findings: Findings,
    decided: usize,
    conditions: usize,
    named: Vec<usize>,
    kept: BTreeSet<EntryId>,
    dropped: BTreeMap<EntryId, (Arc<Source>, Span)>,
}

impl<'a> Stage<'a> {
    fn new(rules: &'a Active<'a>, settings: &'a Settings) -> Stage<'a> {
        Stage {
            rules,
            settings,
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

    fn take(&mut self, path: &TreePath, source: &Arc<Source>, mut folded: Folded) -> Result<()> {
        self.findings.extend(std::mem::take(&mut folded.findings));
        let text = Traced::new(Arc::clone(&source.bytes));
        let text = if folded.balanced {
            if self.rules.profile.closed {
                self.left_over(source, &folded);
            }
            let edits = std::mem::take(&mut folded.edits);
            text.apply(edits).map_err(|_| internal("the folding's own edits overlap", source))?
        } else {
            text
        };
        self.decided += folded.decided;
        self.conditions += folded.conditions;
        for (total, count) in self.named.iter_mut().zip(&folded.named) {
            *total += count;
        }
        self.kept.extend(&folded.kept);
        for definition in folded.dropped {
            self.dropped.entry(definition.entry).or_insert((Arc::clone(source), definition.name));
        }
        self.texts.insert(path.clone(), text);
        self.sources.insert(path.clone(), Arc::clone(source));
        Ok(())
    }

    /// In a closed profile a setting that can't decide is a fault of the ruleset.
    fn left_over(&mut self, source: &Arc<Source>, folded: &Folded) {
        for mut finding in hardwired::left_over(source, folded, self.settings) {
            finding.severity = Severity::Error;
            self.findings.push(self.with_rule(finding, folded));
        }
    }

    fn with_rule(&self, finding: Finding, folded: &Folded) -> Finding {
        let at = finding.labels.first().map(|label| label.span);
        let entry = folded.left.iter().find(|(_, span)| Some(*span) == at).map(|(id, _)| *id);
        let rule = entry.and_then(|id| {
            let name = &self.settings.entry(id).rule;
            self.rules.macros.iter().find(|rule| rule.rule.name == *name)
        });
        match rule {
            Some(rule) => finding.label(rule.rule.label("set here")),
            None => finding,
        }
    }

    /// Uses of macros whose only definition went. What the build itself defines is not lost.
    fn find_lost(&mut self) {
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
        let dropped = |word: &[u8]| self.dropped.get(lost.get(word)?).cloned();
        for (path, text) in &self.texts {
            let Some(source) = self.sources.get(path) else { continue };
            self.findings.extend(hardwired::lost_definitions(source, text, &names, dropped));
        }
    }

    fn named_by_rule(&self) -> impl Iterator<Item = (&'a crate::edit::RuleRef, usize)> {
        let entries = self.settings.entries().iter().map(|entry| &entry.rule);
        entries.zip(self.named.clone()).filter(|(_, count)| *count > 0)
    }
}
