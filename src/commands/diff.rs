//! `diff`: two kernel forms side by side.

mod commits;
mod cost;
mod patched;
pub(super) mod side;
mod speed;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use super::held::{Place, Sources};
use super::{Outcome, output, review};
use crate::compare::{self, Comparison, Form, Known, Trees};
use crate::finding::{Error, Findings, Result};
use crate::linux::tree::Tree;
use crate::patch::Change;
use crate::report::console::{Console, Format};
use crate::rules;
use crate::text::{Files, Source, TreePath};
use side::Opened;

pub use speed::Bench;

pub(super) use side::{made_from, record};

/// What is to be compared, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The form to start from.
    pub old: Way,
    /// The form to go to.
    pub new: Way,
    /// The kernel tree whose callers are looked at.
    pub place: Option<Place>,
    /// Where releases are read from.
    pub sources: Sources,
    /// The kernel that releases are imported for; `None` for the newest that the rules know.
    pub kernel: Option<String>,
    /// What the report is to be.
    pub format: Format,
    /// The file that it goes to; `None` for standard output.
    pub output: Option<PathBuf>,
    /// Whether the change line by line is left out.
    pub stat: bool,
    /// Whether both are built, to say what they cost.
    pub build: bool,
    /// Compilers that run at a time; `None` for one a processor.
    pub jobs: Option<usize>,
    /// What is measured, if anything is.
    pub bench: Option<Bench>,
    /// Whether each commit between that could change the kernel form is imported.
    pub commits: bool,
}

/// One side, and what it is made with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// What it is.
    pub subject: Subject,
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
    /// The profile; `None` for the ruleset's default.
    pub profile: Option<String>,
}

/// One side as it was named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A release or revision, or else a folder that an import wrote, or a patch.
    Named(String),
    /// A kernel tree.
    Linux(PathBuf),
}

impl FromStr for Subject {
    type Err = Error;

    fn from_str(text: &str) -> Result<Subject> {
        match text.strip_prefix("linux:") {
            Some("") => Err(Error::usage("`linux:` names no kernel tree")
                .hint("write linux:PATH, with the path of a kernel tree")),
            Some(path) => Ok(Subject::Linux(path.into())),
            None if text.is_empty() => Err(Error::usage("the name of a side is empty")
                .hint("name a release, a folder that `import` wrote, a patch, or linux:PATH")),
            None => Ok(Subject::Named(text.to_owned())),
        }
    }
}

/// Compares the two sides.
///
/// # Errors
/// A ruleset can't be loaded, a side can't be read, or the report can't be written.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    plan.output.as_deref().map(output::writable).transpose()?;
    let bench = plan.bench.as_ref().map(speed::Measuring::new).transpose()?;
    let rules = rules::load(plan.new.rules.as_deref())?;
    let old_rules = match plan.old.rules == plan.new.rules {
        true => rules.clone(),
        false => rules::load(plan.old.rules.as_deref())?,
    };
    let opener = side::Opener::new(plan, [&old_rules, &rules])?;
    let old = opener.open(&plan.old, &old_rules, console)?;
    let new = opener.open(&plan.new, &rules, console)?;
    let tree = match &plan.place {
        Some(place) => Some(place.tree(&rules)?),
        None => None,
    };
    let (mut found, change) = compared([&old, &new], plan, &rules, tree.as_ref(), console)?;
    let names = names(&found);
    let sides = [(names[0].as_str(), &old.form), (names[1].as_str(), &new.form)];
    if plan.build {
        found.cost = cost::measure(sides, &rules, plan.jobs, console)?;
    }
    let mut findings = Findings::default();
    if let Some(bench) = &bench {
        let (speed, wrong) = bench.run(sides, &rules, console)?;
        found.speed = Some(speed);
        findings.extend(wrong);
    }
    if plan.stat {
        found.files.iter_mut().for_each(|file| file.hunks.clear());
    }
    let html = match plan.format {
        Format::Html => review::of_comparison(&new, &found, !plan.stat)?,
        _ => String::new(),
    };
    show(plan, found, &findings, || change.text(), html, console)
}

/// What the sides are called where only their names tell them apart.
fn names(found: &Comparison) -> [String; 2] {
    match found.old.name == found.new.name {
        true => ["old", "new"].map(|which| format!("{which} {}", found.old.name)),
        false => [found.old.name.clone(), found.new.name.clone()],
    }
}

/// Both sides, held against each other.
pub(super) fn compared(
    [old, new]: [&Opened<'_>; 2],
    plan: &Plan,
    rules: &rules::Ruleset,
    tree: Option<&Tree>,
    console: &mut Console,
) -> Result<(Comparison, Change)> {
    let trees = trees(old, new, plan, console)?;
    let commits = commits::commits(old, new, plan, rules, console)?;
    let callers = tree.map(|tree| callers(tree, rules, console)).transpose()?;
    let judge = commits.as_ref().map(|commits| |places: &[usize]| commits.changing(places));
    let made = [old, new].map(|side| side.made.as_ref().map(|made| &made.tree));
    let known = Known {
        inside: &rules.library.output,
        trees,
        made,
        commits: commits.as_ref().map(|commits| &commits.between),
        judge: judge.as_ref().map(|judge| judge as &compare::Judge<'_>),
        callers: callers.as_ref().map(|files| (files, rules.library.caller_words.as_slice())),
    };
    compare::compare((old.side.clone(), &old.form), (new.side.clone(), &new.form), &known)
}

/// Writes the file, if one is wanted, and shows the rest.
fn show(
    plan: &Plan,
    mut found: Comparison,
    findings: &Findings,
    patch: impl Fn() -> Vec<u8>,
    html: String,
    console: &mut Console,
) -> Result<Outcome> {
    // Who sets gates wants to know of these: that the sides differ is what they expect.
    let gated = plan.bench.as_ref().is_some_and(|bench| !bench.gates.is_empty());
    let outcome = match Outcome::of(findings) {
        Outcome::Clean if !found.equal && !gated => Outcome::Different,
        outcome => outcome,
    };
    match (&plan.output, plan.format) {
        (None, Format::Patch) => {
            console.page(&patch())?;
            console.findings(findings);
        }
        (None, Format::Html) => {
            console.output(html.as_bytes())?;
            console.findings(findings);
        }
        (None, _) => console.compare(&found, findings)?,
        (Some(path), format) => {
            let bytes = match format {
                Format::Patch => patch(),
                Format::Html => html.into_bytes(),
                _ => console.compared(&found, findings, format).into_bytes(),
            };
            output::write_file(path, &bytes)?;
            found.files.iter_mut().for_each(|file| file.hunks.clear());
            console.compare(&found, findings)?;
        }
    }
    Ok(outcome)
}

/// The trees between the two sides; none where what one was made from isn't at hand.
fn trees(
    old: &Opened<'_>,
    new: &Opened<'_>,
    plan: &Plan,
    console: &mut Console,
) -> Result<Option<Trees>> {
    let (Some(before), Some(after)) = (&old.made, &new.made) else { return Ok(None) };
    let mut trees = Trees {
        old: Form::of(&before.tree).files,
        new: Form::of(&after.tree).files,
        old_foreign: old.foreign.clone(),
        new_foreign: new.foreign.clone(),
        ..Trees::default()
    };
    let made = [&before.tree, &after.tree];
    trees.templates =
        made.into_iter().flat_map(|tree| compare::templates(tree).into_keys()).collect();
    let same_rules = before.rules.digest == after.rules.digest
        && before.profile.name == after.profile.name
        && before.target == after.target;
    if !same_rules {
        trees.old_rules = Some(before.again(&after.release)?);
        trees.new_rules = Some(after.again(&before.release)?);
    }
    if plan.old.rules.is_some() && plan.old.rules != plan.new.rules {
        let [before, after] = [before, after].map(|made| side::digits(&made.rules.digest));
        console.note(&format!("rules {before} are held against rules {after}"));
    }
    Ok(Some(trees))
}

/// The files of a kernel tree that may call the library.
fn callers(
    tree: &Tree,
    rules: &rules::Ruleset,
    console: &mut Console,
) -> Result<BTreeMap<TreePath, Arc<Source>>> {
    let found = tree.callers(&rules.library)?;
    if let Some(finding) = found.passed_over.finding() {
        console.note(&finding.message);
    }
    let files = found.files.iter();
    let files =
        files.map(|(path, bytes)| (path.clone(), Source::new(path.as_str(), bytes.clone())));
    Ok(files.collect())
}

/// The files that differ from what an import made.
fn differing(files: &Files, made: &Files) -> BTreeSet<TreePath> {
    let here = files.iter().filter(|(path, bytes)| made.get(*path) != Some(bytes));
    let lost = made.keys().filter(|path| !files.contains_key(*path));
    here.map(|(path, _)| path).chain(lost).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_told_apart() {
        let parse = |text: &str| text.parse::<Subject>();
        assert_eq!(parse("v1.2.3").unwrap(), Subject::Named("v1.2.3".into()));
        assert_eq!(parse("linux:a/b").unwrap(), Subject::Linux("a/b".into()));
        for bad in ["", "linux:"] {
            assert_eq!(parse(bad).unwrap_err().kind, crate::finding::ErrorKind::Usage, "{bad}");
        }
    }
}
