//! The modules of an output tree: its objects by module, and findings about what would not link.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::OutputFile;
use crate::finding::{Finding, Findings, Label, Result, Severity};
use crate::kernel::builds::{self, Build};
use crate::kernel::modules::{ModuleFiles, Problem, arrange};
use crate::kernel::symbols::{self, Place, Symbols};
use crate::rules::{Active, Library};
use crate::text::{Source, Span, TreePath};

/// Arranges the output, templates included.
pub(super) fn of(
    rules: &Active<'_>,
    output: &BTreeMap<TreePath, OutputFile>,
    findings: &mut Findings,
) -> Result<Vec<ModuleFiles>> {
    let library = &rules.ruleset.library;
    let builds = of_output(rules, output)?;
    let folders = [library.output.as_str(), "include"];
    let trees: Vec<BTreeMap<TreePath, &[u8]>> = builds
        .iter()
        .map(|build| build.texts.iter().map(|(p, text)| (p.clone(), &**text.bytes())).collect())
        .collect();
    let read: Vec<Symbols> = symbols::read_each(&trees.iter().collect::<Vec<_>>(), &folders);
    let conditions = builds.iter().map(|build| build.condition.clone());
    let arranged = arrange(library, &conditions.zip(read).collect::<Vec<_>>());
    for problem in arranged.problems {
        findings.push(finding(library, output, &builds, problem));
    }
    Ok(arranged.modules)
}

fn of_output(rules: &Active<'_>, output: &BTreeMap<TreePath, OutputFile>) -> Result<Vec<Build>> {
    let files: BTreeMap<TreePath, Arc<Source>> = output
        .iter()
        .filter(|(path, _)| matches!(path.extension(), Some("c" | "h")))
        .map(|(path, file)| (path.clone(), Source::new(path.as_str(), file.text.bytes().clone())))
        .collect();
    // What a kernel build knows of macros holds for every profile; only a closed one says it all.
    let closed = rules.ruleset.library.profiles.iter().find(|profile| profile.closed);
    match closed.filter(|_| !rules.profile.closed) {
        Some(profile) => {
            let facts = Active::new(rules.ruleset, rules.version, profile);
            builds::of(&files, &facts, false)
        }
        None => builds::of(&files, rules, true),
    }
}

fn finding(
    library: &Library,
    output: &BTreeMap<TreePath, OutputFile>,
    builds: &[Build],
    problem: Problem,
) -> Finding {
    let mut finding = Finding::error(problem.code, problem.message).hint(problem.hint);
    if problem.warning {
        finding.severity = Severity::Warning;
    }
    let build = &builds[problem.build];
    for (place, text) in problem.places {
        if let Some(label) = label(output, build, &place, text) {
            finding = finding.label(label);
        }
    }
    match problem.module.and_then(|at| library.modules.get(at)) {
        Some(module) => finding.label(module.label("this module")),
        None => finding,
    }
}

/// The place upstream that a place in a build's text comes from.
fn label(
    output: &BTreeMap<TreePath, OutputFile>,
    build: &Build,
    place: &Place,
    text: String,
) -> Option<Label> {
    let file = output.get(&place.path)?;
    let in_output: Span = build.texts.get(&place.path)?.upstream_cover(place.span);
    Some(Label::new(&file.source, file.text.upstream_cover(in_output), text))
}
