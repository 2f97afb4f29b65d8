//! The modules of an output tree: its objects by module, and findings about what would not link.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::OutputFile;
use crate::finding::{Finding, Findings, Label, Result, Severity};
use crate::kernel::builds::{self, Build, Given};
use crate::kernel::modules::{ModuleFiles, Problem, arrange};
use crate::kernel::symbols::{Place, Symbols, Text, Trees};
use crate::memo::{Held, Key, Memo};
use crate::rules::{Active, Library};
use crate::text::{Source, Span, TreePath};

/// The modules and what is wrong with them.
struct Made {
    modules: Vec<ModuleFiles>,
    findings: Findings,
}

impl Held for Made {
    fn weight(&self) -> usize {
        let one = |module: &ModuleFiles| 100 * (module.sources.len() + module.exports.len());
        self.modules.iter().map(one).sum::<usize>() + self.findings.weight()
    }
}

/// Arranges the output, templates included. Beside the memo stands the key of the rules.
pub(super) fn of(
    (memo, rules_key): (&Memo, Option<Key>),
    rules: &Active<'_>,
    output: &BTreeMap<TreePath, OutputFile>,
    findings: &mut Findings,
) -> Result<Vec<ModuleFiles>> {
    let key = memo.key("modules", |key| {
        key.key(rules_key);
        for (path, file) in output.iter().filter(|(path, _)| is_code(path)) {
            key.text(path.as_str()).key(file.key);
        }
    });
    let made = memo.try_share(key, || arranged((memo, rules_key), rules, output))?;
    findings.extend(made.findings.clone());
    Ok(made.modules.clone())
}

fn is_code(path: &TreePath) -> bool {
    matches!(path.extension(), Some("c" | "h"))
}

fn arranged(
    (memo, rules_key): (&Memo, Option<Key>),
    rules: &Active<'_>,
    output: &BTreeMap<TreePath, OutputFile>,
) -> Result<Arc<Made>> {
    let library = &rules.ruleset.library;
    let builds = of_output(memo, rules, output)?;
    let folders = [library.output.as_str(), "include"];
    let trees: Vec<BTreeMap<TreePath, Text<'_>>> = builds.iter().map(texts).collect();
    let trees = Trees::new(memo, &trees);
    let key = memo.key("arranged", |key| {
        key.key(rules_key).key(trees.sense());
        for build in &builds {
            key.text(build.condition.as_deref().unwrap_or_default());
        }
    });
    if let Some(made) = memo.known::<Made>(key) {
        return Ok(made);
    }
    let read: Vec<Symbols> = trees.read(&folders);
    let conditions = builds.iter().map(|build| build.condition.clone());
    let arranged = arrange(library, &conditions.zip(read).collect::<Vec<_>>());
    let mut findings = Findings::default();
    for problem in arranged.problems {
        findings.push(finding(library, output, &builds, problem));
    }
    // Findings say where a name stands, which other texts of the same names have elsewhere.
    let key = key.filter(|_| findings.is_empty());
    Ok(memo.put(key, Made { modules: arranged.modules, findings }))
}

fn texts(build: &Build) -> BTreeMap<TreePath, Text<'_>> {
    let mut texts = BTreeMap::new();
    for ((path, text), (key, scan)) in build.texts.iter().zip(build.known.values()) {
        texts.insert(path.clone(), Text { bytes: text.bytes(), key: *key, scan });
    }
    texts
}

fn of_output(
    memo: &Memo,
    rules: &Active<'_>,
    output: &BTreeMap<TreePath, OutputFile>,
) -> Result<Vec<Build>> {
    let given = |(path, file): (&TreePath, &OutputFile)| {
        let source = Source::new(path.as_str(), Arc::clone(file.text.bytes()));
        (path.clone(), Given { source, key: file.key, scan: file.scan.clone() })
    };
    let files = output.iter().filter(|(path, _)| is_code(path)).map(given).collect();
    // What a kernel build knows of macros holds for every profile; only a closed one says it all.
    let closed = rules.ruleset.library.profiles.iter().find(|profile| profile.closed);
    let (facts, folded) = match closed.filter(|_| !rules.profile.closed) {
        Some(profile) => (&Active::new(rules.ruleset, rules.version, profile), false),
        None => (rules, true),
    };
    let key = super::rules_key(facts, memo);
    builds::of_known((memo, key), &files, facts, folded)
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
