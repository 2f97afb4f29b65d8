//! From a ruleset's files to the checked [`Ruleset`], all mistakes reported together.

use std::path::Path;
use std::sync::Arc;

use super::convert::{Kind, Reader};
use super::fields::{instead, read, utf8};
use super::folder::{self, RuleFiles, TRIALS, mistake};
use super::shape::{
    ApiShape, BaseShape, CallShape, CommentShape, FileShape, IncludeShape, LibraryShape,
    LicenceShape, ListShape, LocalShape, MacroShape, MaskShape, NameShape, SectionShape,
};
use super::{Ruleset, conflict, library};
use crate::finding::{Error, Finding, Findings, Result};
use crate::text::{Source, Span};

/// The kinds of rules, each a folder of a ruleset.
pub(super) const KINDS: [&str; 14] = [
    "allowed",
    "api",
    "bases",
    "calls",
    "comments",
    "files",
    "forbidden",
    "includes",
    "licence",
    "local",
    "macros",
    "masks",
    "names",
    "sections",
];

/// A ruleset and all that is wrong with it.
pub(super) struct Examined {
    /// Complete only if there is no finding.
    pub(super) ruleset: Ruleset,
    pub(super) findings: Findings,
    pub(super) files: RuleFiles,
}

/// Reads the ruleset in `folder` (the one that holds `library.toml`), or the built-in one.
///
/// # Errors
/// Anything wrong with any file of it, as a usage error that points at every place.
pub fn load(folder: Option<&Path>) -> Result<Ruleset> {
    let Examined { ruleset, findings, .. } = examine(folder)?;
    if findings.is_empty() { Ok(ruleset) } else { Err(as_error(&ruleset.origin, findings)) }
}

/// Reads all that can be read.
///
/// # Errors
/// There is no ruleset at that place at all.
pub(super) fn examine(folder: Option<&Path>) -> Result<Examined> {
    let mut findings = Findings::default();
    let files = match folder {
        Some(folder) => folder::read(folder, &mut findings)?,
        None => folder::built_in()?,
    };
    let mut ruleset =
        Ruleset { digest: files.digest(), origin: files.origin.clone(), ..Ruleset::default() };
    if let Some(source) = files.files.get("library.toml")
        && let Some(shape) = read::<LibraryShape>(source, &mut findings)
        && let Some(library) = library::library(source, shape, &mut findings)
    {
        ruleset.library = library;
    }
    templates(&files, &mut ruleset, &mut findings);
    let trials = files.files.iter().filter(|(path, _)| TRIALS.iter().any(|f| path.starts_with(f)));
    ruleset.trials = trials.map(|(path, source)| (path.clone(), Arc::clone(source))).collect();
    for (path, source) in &files.files {
        if let Some((kind, id)) = place(path, source, &mut findings) {
            rule(kind, id, source, &mut ruleset, &mut findings);
        }
    }
    conflict::check(&ruleset, &mut findings);
    Ok(Examined { ruleset, findings, files })
}

/// Kind and id of the rule at `path`; a finding for a file that has no business there.
fn place<'p>(
    path: &'p str,
    source: &Arc<Source>,
    findings: &mut Findings,
) -> Option<(&'static str, &'p str)> {
    let whole = path == "library.toml" || path == "README.md" || path.starts_with("templates/");
    if whole || TRIALS.iter().any(|folder| path.starts_with(folder)) {
        return None;
    }
    let Some((folder, file)) = path.split_once('/') else {
        findings.push(
            mistake(&source.name, "belongs to no kind of rule".into()).hint(format!(
                "rules lie in folders: {}; templates in templates/",
                KINDS.join(", ")
            )),
        );
        return None;
    };
    let Some(kind) = KINDS.iter().find(|kind| **kind == folder) else {
        let hint = instead(folder, &[&KINDS[..], &["harness", "stubs", "templates"]].concat());
        findings
            .push(mistake(&source.name, format!("lies in no known folder: `{folder}`")).hint(hint));
        return None;
    };
    match file.strip_suffix(".toml") {
        Some(id) if !id.contains('/') => Some((kind, id)),
        _ => {
            findings.push(
                mistake(&source.name, "is no rule".into())
                    .hint(format!("{folder}/ holds files named ID.toml only")),
            );
            None
        }
    }
}

fn rule(
    kind: &'static str,
    id: &str,
    source: &Arc<Source>,
    into: &mut Ruleset,
    findings: &mut Findings,
) {
    let done = match kind {
        "allowed" | "forbidden" => convert::<ListShape>(kind, id, source, into, findings),
        "api" => convert::<ApiShape>(kind, id, source, into, findings),
        "bases" => convert::<BaseShape>(kind, id, source, into, findings),
        "calls" => convert::<CallShape>(kind, id, source, into, findings),
        "comments" => convert::<CommentShape>(kind, id, source, into, findings),
        "files" => convert::<FileShape>(kind, id, source, into, findings),
        "includes" => convert::<IncludeShape>(kind, id, source, into, findings),
        "licence" => convert::<LicenceShape>(kind, id, source, into, findings),
        "local" => convert::<LocalShape>(kind, id, source, into, findings),
        "macros" => convert::<MacroShape>(kind, id, source, into, findings),
        "masks" => convert::<MaskShape>(kind, id, source, into, findings),
        "names" => convert::<NameShape>(kind, id, source, into, findings),
        "sections" => convert::<SectionShape>(kind, id, source, into, findings),
        _ => None,
    };
    debug_assert!(done.is_some() || !findings.is_empty(), "{kind}/{id} was dropped in silence");
}

fn convert<S: Kind>(
    kind: &'static str,
    id: &str,
    source: &Arc<Source>,
    into: &mut Ruleset,
    findings: &mut Findings,
) -> Option<()> {
    let shape = read::<S>(source, findings)?;
    shape.convert(&mut Reader { kind, id, source, findings }, into)
}

/// Takes in the templates whose syntax is right.
fn templates(files: &RuleFiles, ruleset: &mut Ruleset, findings: &mut Findings) {
    for (path, source) in &files.files {
        let Some(name) = path.strip_prefix("templates/") else { continue };
        ruleset.templates.insert(name.to_string(), Arc::clone(source));
        let Some(text) = utf8(source, findings) else { continue };
        let mut environment = minijinja::Environment::empty();
        let Err(error) = environment.add_template(name, text) else { continue };
        let line = error.line().and_then(|line| source.lines().line_start(line)).unwrap_or(0);
        let at = error.range().map_or(Span::at(line), |r| Span::new(r.start, r.end));
        let detail = error.detail().map_or_else(|| error.to_string(), str::to_string);
        let message = format!("template syntax error: {detail}");
        findings.push(Finding::error("rule-template", message).at(source, at, ""));
    }
}

/// One error for everything that is wrong.
pub(super) fn as_error(origin: &str, findings: Findings) -> Error {
    let mut list = findings.sorted();
    if list.len() == 1 {
        let only = list.remove(0);
        let mut error = Error::usage(only.message);
        error.labels = only.labels;
        error.hint = only.hint;
        return error;
    }
    let mut error = Error::usage(format!("the ruleset {origin} has {} mistakes", list.len()))
        .hint("`rules check` shows each with its place");
    for finding in list {
        let advice = finding.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        for (i, mut label) in finding.labels.into_iter().enumerate() {
            if i == 0 {
                label.text = format!("{}{advice}", finding.message);
            }
            error.labels.push(label);
        }
    }
    error
}
