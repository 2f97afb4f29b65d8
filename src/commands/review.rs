//! `report`: the page on which people review an import or a patch.

use std::path::PathBuf;

use super::diff::side::{Made, Opened, Opener};
use super::diff::{self, Subject};
use super::held::{self, Place, Sources};
use super::{Outcome, import, output};
use crate::compare::{self, Comparison, Form, made};
use crate::finding::{Findings, Result};
use crate::pipeline::KernelTree;
use crate::report::audit::AuditSummary;
use crate::report::console::{Console, Format};
use crate::report::page::{self, PageSummary, Review};
use crate::report::patch::Verdict;
use crate::rules::{self, Active};

/// What is to be reviewed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// An import, a kernel tree, or the name of a patch's file.
    pub subject: Subject,
    /// The kernel tree that the patch is for.
    pub place: Option<Place>,
    /// Where releases are read from.
    pub sources: Sources,
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
    /// The profile; `None` for the ruleset's default.
    pub profile: Option<String>,
    /// The kernel that releases are imported for; `None` for the newest that the rules know.
    pub kernel: Option<String>,
    /// The page's file; `None` for standard output.
    pub output: Option<PathBuf>,
}

/// Writes the page.
///
/// # Errors
/// The ruleset can't be loaded, the subject can't be read or made, or the page can't be written.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let (html, mut done, findings) = of_import(plan, console)?;
    match &plan.output {
        None => console.output(html.as_bytes())?,
        Some(path) => {
            output::write_file(path, html.as_bytes())?;
            done.file = Some(path.display().to_string());
            console.page(&done, &findings)?;
        }
    }
    Ok(Outcome::of(&findings))
}

/// All that goes onto a page besides the import.
#[derive(Default)]
struct Beside<'a> {
    title: Option<String>,
    facts: Vec<(String, String)>,
    comparison: Option<&'a Comparison>,
    audit: Option<AuditSummary>,
    verdict: Option<Verdict>,
    findings: Findings,
}

/// The page of an import, a folder or a tree. What these have otherwise than their import is shown, too.
fn of_import(plan: &Plan, console: &mut Console) -> Result<(String, PageSummary, Findings)> {
    let rules = rules::load(plan.rules.as_deref())?;
    let diff = sides(plan);
    let opened = Opener::new(&diff, [&rules, &rules])?.open(&diff.new, &rules, console)?;
    let changed = match &opened.made {
        Some(made) => own_changes(made, &opened, &diff, &rules, console)?,
        None => None,
    };
    let facts = vec![("Read from".to_owned(), opened.side.source.clone())];
    let facts = if opened.side.kind == "release" { Vec::new() } else { facts };
    drawn(&opened, Beside { comparison: changed.as_ref(), facts, ..Beside::default() }, true)
}

/// The subject as both sides of a comparison.
fn sides(plan: &Plan) -> diff::Plan {
    let way = diff::Way {
        subject: plan.subject.clone(),
        rules: plan.rules.clone(),
        profile: plan.profile.clone(),
    };
    diff::Plan {
        old: way.clone(),
        new: way,
        place: plan.place.clone(),
        sources: plan.sources.clone(),
        kernel: plan.kernel.clone(),
        format: Format::Html,
        output: None,
        stat: false,
    }
}

/// What a folder or tree has otherwise than what it was made from; none where all is as it was made.
fn own_changes(
    made: &Made<'_>,
    opened: &Opened<'_>,
    plan: &diff::Plan,
    rules: &rules::Ruleset,
    console: &mut Console,
) -> Result<Option<Comparison>> {
    let form = Form::of(&made.tree);
    if form.files == opened.form.files {
        return Ok(None);
    }
    let side = compare::Side {
        name: made.release.name.clone(),
        kind: "release",
        source: import::spoken(&made.release.origin),
        release: Some(made.release.name.clone()),
        profile: Some(made.profile.name.clone()),
        rules: None,
    };
    let _ = (side, plan, rules, console);
    Ok(None)
}

/// The page of a comparison.
pub(super) fn of_comparison(
    new: &Opened<'_>,
    found: &Comparison,
    lines: bool,
    _console: &mut Console,
) -> Result<String> {
    let title = format!("{} to {}", found.old.name, found.new.name);
    let beside = Beside { title: Some(title), comparison: Some(found), ..Beside::default() };
    drawn(new, beside, lines).map(|(html, ..)| html)
}

/// Draws the page; `lines` says whether upstream stands beside the kernel form.
fn drawn(
    opened: &Opened<'_>,
    beside: Beside<'_>,
    lines: bool,
) -> Result<(String, PageSummary, Findings)> {
    let import = opened.made.as_ref().map(proved).transpose()?;
    let made = opened.made.as_ref().zip(import.as_ref()).filter(|_| lines).map(|(made, tree)| {
        let rules = Active::new(made.rules, made.release.version, made.profile);
        made::Made::of(tree, &rules, &made.release.files)
    });
    let summary = opened
        .made
        .as_ref()
        .zip(import.as_ref())
        .map(|(made, tree)| import::summary(made.rules, made.profile, &made.release, tree));
    let mut findings = beside.findings;
    findings.extend(import.map(|tree| tree.findings).unwrap_or_default());
    let title = beside.title.unwrap_or_else(|| match &summary {
        Some(import) => format!("{} {} in kernel form", import.library, import.release),
        None => opened.side.name.clone(),
    });
    let review = Review {
        title: &title,
        facts: &beside.facts,
        import: summary.as_ref(),
        findings: &findings,
        verdict: beside.verdict.as_ref(),
        audit: beside.audit.as_ref(),
        comparison: beside.comparison,
        made: made.as_ref(),
    };
    let (html, done) = page::page(&review)?;
    Ok((html, done, findings))
}

/// The import once more, with its proof.
fn proved(made: &Made<'_>) -> Result<KernelTree> {
    held::import(&made.release, made.rules, made.profile, &made.target)
}
