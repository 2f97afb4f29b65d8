//! `report`: the page on which people review an import or a patch.

use std::path::{Path, PathBuf};

use super::diff::side::{self, Made, Opened, Opener};
use super::diff::{self, Subject};
use super::held::{self, Place, Sources};
use super::patching::{Before, Ground};
use super::verify::{self, Remade};
use super::{Outcome, audit, import, output};
use crate::compare::{Comparison, Form, made};
use crate::finding::{Error, Finding, Findings, Result};
use crate::pipeline::KernelTree;
use crate::report::audit::AuditSummary;
use crate::report::console::{Console, Format};
use crate::report::page::{self, PageSummary, Review};
use crate::report::patch::Verdict;
use crate::report::summary::plural;
use crate::rules::{self, Active, Ruleset};

/// The code of what is not as it was made.
const CHANGED: &str = "not-as-made";

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
    if let Some(path) = &plan.output {
        output::writable(path)?;
        apart(path, &plan.subject)?;
    }
    let (html, mut done, findings) = match &plan.subject {
        Subject::Named(name) if name == "-" || Path::new(name).is_file() => {
            of_patch(plan, Path::new(name), console)?
        }
        _ => of_import(plan, console)?,
    };
    match &plan.output {
        None => console.output(html.as_bytes())?,
        Some(path) => {
            output::write_file(path, html.as_bytes())?;
            done.file = Some(path.display().to_string());
            console.review(&done, &findings)?;
        }
    }
    Ok(Outcome::of(&findings))
}

/// Refuses to write the page over what it is about.
fn apart(page: &Path, subject: &Subject) -> Result<()> {
    let Subject::Named(name) = subject else { return Ok(()) };
    let (page, subject) = (page.canonicalize(), Path::new(name).canonicalize());
    match (page, subject) {
        (Ok(page), Ok(subject)) if page == subject => {
            Err(Error::usage(format!("the page would take the place of {name}, which it is about"))
                .hint("name another file by -o"))
        }
        _ => Ok(()),
    }
}

/// All that goes onto a page besides the import.
#[derive(Default)]
struct Beside<'a> {
    /// The heading; none for one that names the import.
    title: Option<String>,
    facts: Vec<(String, String)>,
    comparison: Option<&'a Comparison>,
    audit: Option<AuditSummary>,
    verdict: Option<Verdict>,
    /// All findings; none for those of the import.
    findings: Option<Findings>,
    /// What is not as it was made, which no proof speaks of.
    otherwise: Option<Finding>,
}

/// What a page is drawn as: its text, what it holds, and what was found.
type Drawn = (String, PageSummary, Findings);

/// The page of an import, a folder or a tree, with what these have otherwise than their import.
fn of_import(plan: &Plan, console: &mut Console) -> Result<Drawn> {
    let rules = rules::load(plan.rules.as_deref())?;
    let diff = sides(plan);
    let opened = Opener::new(&diff, [&rules, &rules])?.open(&diff.new, &rules, console)?;
    if opened.made.is_none() {
        let name = &opened.side.name;
        return Err(Error::input(format!("what {name} was made from is not at hand")).hint(
            "name a source that has it by --upstream; without it there is nothing to review",
        ));
    }
    let changed = own_changes(&opened, &diff, &rules, console)?;
    let mut beside = Beside { comparison: changed.as_ref(), ..Beside::default() };
    beside.otherwise = changed.as_ref().map(|changed| {
        let (name, count) = (&opened.side.name, plural(changed.files.len(), "file"));
        let message = format!("in {name} {count} differ from what an import makes");
        Finding::warning(CHANGED, message).hint(
            "the proof and the findings are about the import; read the changes, which are shown beside it",
        )
    });
    if opened.side.kind != "release" {
        beside.facts.push(("Read from".to_owned(), opened.side.source.clone()));
        beside.title = Some(opened.side.name.clone());
    }
    drawn(&opened, beside, true)
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
        build: false,
        jobs: None,
        bench: None,
        commits: false,
    }
}

/// What a folder or tree has otherwise than what it was made from; none where all is as it was made.
fn own_changes(
    opened: &Opened<'_>,
    plan: &diff::Plan,
    rules: &Ruleset,
    console: &mut Console,
) -> Result<Option<Comparison>> {
    let Some(made) = &opened.made else { return Ok(None) };
    if Form::of(&made.tree).files == opened.form.files {
        return Ok(None);
    }
    let again = side::made(&made.release, made.rules, made.profile, &made.target)?;
    let again =
        Made { release: made.release.clone(), target: made.target.clone(), tree: again, ..*made };
    let old = Opened::imported(again, "the import".to_owned());
    let (found, _) = diff::compared([&old, opened], plan, rules, None, console)?;
    Ok(Some(found))
}

/// The page of a patch, which is made again.
fn of_patch(plan: &Plan, path: &Path, console: &mut Console) -> Result<Drawn> {
    let verify = verify::Plan {
        patches: vec![path.to_owned()],
        place: plan.place.clone(),
        sources: plan.sources.clone(),
        rules: plan.rules.clone(),
    };
    let Remade { verdict, ground } = verify::remade(&verify, path, console)?;
    let Some(ground) = ground else {
        let reason = verdict.reasons.join("; ");
        return Err(Error::input(format!("{} can't be made again: {reason}", verdict.patch))
            .hint("name the tree that it is for with --linux, at the same --base"));
    };
    let (_, after) = ground.files();
    let Ground { ruleset, profile, release, import, kernel, target, before, findings, .. } = ground;
    let mut facts = vec![("Patch".to_owned(), verdict.patch.clone())];
    // A tree is no kernel of the rules' but itself.
    if target.version.is_none() && !kernel.is_empty() {
        facts.push(("Kernel".to_owned(), kernel));
    }
    let name = release.name.clone();
    let made =
        Made { release, rules: &ruleset, profile: &profile, target: target.clone(), tree: import };
    let mut new = Opened::imported(made, format!("{name}, patched"));
    new.form.files = after;
    let otherwise = (!verdict.verified).then(|| {
        let message = format!(
            "{} is not what it says of itself: {}",
            verdict.patch,
            verdict.reasons.join("; ")
        );
        Finding::error(CHANGED, message).hint(
            "the page is about the patch as it is made again; `kernelize diff` takes an edited one",
        )
    });
    let (verdict, findings) = (Some(verdict), Some(findings));
    let mut beside = Beside { facts, verdict, findings, otherwise, ..Beside::default() };
    let diff = sides(plan);
    let (old, tree) = match before {
        Before::Import(release, tree) => {
            let (release, rules, profile) = (*release, &ruleset, &profile);
            let name = release.name.clone();
            (
                Some(Opened::imported(Made { release, rules, profile, target, tree: *tree }, name)),
                None,
            )
        }
        Before::Tree(tree, Some(held)) => {
            let (base, carried) = *held;
            let release = new.made.as_ref().map(|made| &made.release);
            beside.audit = release.map(|release| {
                let version = base.version;
                audit::summary(&ruleset, &profile, &tree, version, &base, release, &carried)
            });
            (Some(Opened::held(&tree, base, (&ruleset, &profile), target)?), Some(tree))
        }
        Before::Nothing | Before::Tree(..) => (None, None),
    };
    let Some(old) = old else { return drawn(&new, beside, true) };
    let tree = tree.as_deref();
    let (found, _) = diff::compared([&old, &new], &diff, &ruleset, tree, console)?;
    beside.comparison = Some(&found);
    beside.title = Some(format!("{} to {name}", old.side.name));
    drawn(&new, beside, true)
}

/// The page of a comparison; `lines` says whether upstream stands beside the kernel form.
pub(super) fn of_comparison(new: &Opened<'_>, found: &Comparison, lines: bool) -> Result<String> {
    let title = format!("{} to {}", found.old.name, found.new.name);
    let beside = Beside { title: Some(title), comparison: Some(found), ..Beside::default() };
    drawn(new, beside, lines).map(|(html, ..)| html)
}

fn drawn(opened: &Opened<'_>, beside: Beside<'_>, lines: bool) -> Result<Drawn> {
    let again = match &opened.made {
        Some(made) if made.tree.proof.is_none() => Some(proved(made)?),
        _ => None,
    };
    let pair = opened.made.as_ref().map(|made| (made, again.as_ref().unwrap_or(&made.tree)));
    let made = pair.filter(|_| lines).map(|(made, tree)| {
        let rules = Active::new(made.rules, made.release.version, made.profile);
        made::Made::of(tree, &rules, &made.release.files)
    });
    let summary =
        pair.map(|(made, tree)| import::summary(made.rules, made.profile, &made.release, tree));
    let of_import = || pair.map(|(_, tree)| tree.findings.clone()).unwrap_or_default();
    let mut findings = beside.findings.unwrap_or_else(of_import);
    if let Some(finding) = beside.otherwise {
        findings.push(finding);
    }
    let title = beside.title.unwrap_or_else(|| match &summary {
        Some(import) => format!("{} {} in kernel form", import.library, import.release),
        None => opened.side.name.clone(),
    });
    let mut facts = beside.facts;
    if let Some(made) = &opened.made {
        facts.extend(made.target.version.map(|kernel| ("Kernel".to_owned(), kernel.to_string())));
        facts.push(("Ruleset".to_owned(), side::digits(&made.rules.digest)));
    }
    let review = Review {
        title: &title,
        facts: &facts,
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
