//! `audit`: what a Linux tree has changed in its copy of the library, held against a release.

use std::path::PathBuf;
use std::sync::Arc;

use super::held::{self, Place, Sources};
use super::{Outcome, profile};
use crate::finding::{Finding, Findings, Result};
use crate::linux::base::{Base, Distance};
use crate::linux::carry::{Carried, Class, Decisions, Fate, Local, NewImport, carry};
use crate::linux::tree::Tree;
use crate::report::audit::{
    AuditSummary, BaseSummary, ClassCounts, DigestSummary, DistanceSummary, LocalSummary,
};
use crate::report::console::Console;
use crate::rules::{self, Profile, Ruleset, Version};
use crate::text::{Source, Span};
use crate::upstream::Release;

/// What is to be audited, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The tree.
    pub place: Place,
    /// The releases.
    pub sources: Sources,
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
    /// The profile; `None` for the ruleset's default.
    pub profile: Option<String>,
}

/// Audits the tree.
///
/// # Errors
/// The ruleset can't be loaded, or the tree or a release can't be read.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let ruleset = rules::load(plan.rules.as_deref())?;
    let profile = profile(&ruleset, plan.profile.as_deref())?;
    let tree = plan.place.tree(&ruleset)?;
    let version = held::version(&tree, &ruleset)?;
    let release = plan.sources.release(&ruleset, console)?;
    let base = plan.sources.made_from(&plan.place, &tree, version, &ruleset, profile, console)?;
    let target = tree.target(&ruleset.library);
    let import = held::import(&release, &ruleset, profile, &target)?;
    let new = NewImport::new(release.version, import.files);
    let carried = carry(&tree, &base, &new, &ruleset, profile, &Decisions::default())?;
    let findings = findings(&tree, &carried);
    let summary = summary(&ruleset, profile, &tree, version, &base, &release, &carried);
    console.audit(&summary, &findings)?;
    Ok(Outcome::of(&findings))
}

/// What needs somebody's decision.
pub(super) fn findings(tree: &Tree, carried: &Carried) -> Findings {
    let mut findings = Findings::default();
    for local in carried.open() {
        let message = format!("a local change is in the way: {}", local.reason);
        let mut finding = Finding::error("local-conflict", message);
        if let Some(bytes) = tree.files.get(&local.file) {
            let source = Source::new(local.file.as_str(), Arc::clone(bytes));
            let span = lines(&source, local.lines);
            finding = finding.at(&source, span, local.id.clone());
        }
        let id = &local.id;
        // What is no hunk is a file, or what is said of one.
        let whole = if local.text.is_empty() { ", which leaves the file as it is," } else { "" };
        findings.push(finding.hint(format!(
            "decide by `patch --keep {id}`{whole} or `--drop {id}`, or by a rule of kind local"
        )));
    }
    findings
}

/// The span of some lines, which are counted from 1, without the last line's end.
fn lines(source: &Source, (first, last): (usize, usize)) -> Span {
    let index = source.lines();
    let start = index.line_start(first.max(1)).unwrap_or(0);
    let end = index.line_start(last.max(first) + 1).map_or(source.bytes.len(), |end| end - 1);
    Span::new(start, end.max(start))
}

/// What was found, as reports have it.
pub(super) fn summary(
    ruleset: &Ruleset,
    profile: &Profile,
    tree: &Tree,
    version: Version,
    base: &Base,
    release: &Release,
    carried: &Carried,
) -> AuditSummary {
    AuditSummary {
        library: ruleset.library.name.clone(),
        tree: tree.shown.clone(),
        kernel: tree.kernel.to_string(),
        commit: tree.commit.clone(),
        holds: version.to_string(),
        base: base_summary(base),
        against: release.name.clone(),
        profile: profile.name.clone(),
        classes: classes(carried),
        changes: carried.locals.iter().map(local).collect(),
        local_files: carried.local_files.iter().map(ToString::to_string).collect(),
    }
}

fn base_summary(base: &Base) -> BaseSummary {
    let others = base.tried.iter().filter(|tried| tried.name != base.name);
    BaseSummary {
        release: base.name.clone(),
        source: base.source.clone(),
        profile: base.profile.clone(),
        library: base.release.as_ref().map(|_| distance(&base.distance)),
        importer: base.importer.as_ref().map(distance),
        digests: base.digests.as_ref().map(|digests| DigestSummary {
            rule: digests.rule.as_str().to_owned(),
            unchanged: digests.unchanged.len(),
            changed: digests.changed.len(),
            unknown: digests.unknown.len(),
        }),
        others: others.map(|tried| (tried.name.clone(), distance(&tried.distance))).collect(),
    }
}

fn distance(distance: &Distance) -> DistanceSummary {
    let Distance { hunks, lines, files } = *distance;
    DistanceSummary { hunks, lines, files }
}

fn classes(carried: &Carried) -> ClassCounts {
    let count = |class| carried.locals.iter().filter(|local| local.class == class).count();
    ClassCounts {
        generated: count(Class::Generated),
        upstreamed: count(Class::Upstreamed),
        local: count(Class::Local),
        conflict: count(Class::Conflict),
    }
}

fn local(local: &Local) -> LocalSummary {
    LocalSummary {
        id: local.id.clone(),
        rule: local.rule.as_ref().map(|rule| rule.as_str().to_owned()),
        what: local.what.clone(),
        kernel: local.kernel.clone(),
        commit: local.commit.clone(),
        file: local.file.to_string(),
        first_line: local.lines.0,
        last_line: local.lines.1,
        class: local.class.name(),
        reason: local.reason.clone(),
        fate: match local.fate {
            Fate::Kept => "kept",
            Fate::Dropped => "dropped",
            Fate::Open => "open",
        },
        decided: local.decided.clone(),
        text: local.text.clone(),
    }
}
