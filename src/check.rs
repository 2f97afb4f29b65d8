//! What must hold of a kernel form, beyond what an import refuses.

pub mod baseline;
pub mod closure;
pub mod compare;
pub mod fingerprint;
pub mod left;
pub mod plain;
pub mod record;
pub mod suggest;

use std::collections::{HashMap, HashSet};

use crate::finding::{Finding, Findings, Result};
use crate::memo::{Key, Memo};
use crate::pipeline::{self, Input, KernelTree};
use crate::rules::{Active, Profile, Ruleset};

/// What the checks look at.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The rules in force.
    pub rules: &'a Active<'a>,
    /// The kernel form.
    pub tree: &'a KernelTree,
    /// Upstream's files, and whether they are a release itself.
    pub input: Input<'a>,
    /// What was worked out before. A check that looks at a file by itself keeps its findings by
    /// [`Memo::file`].
    pub memo: &'a Memo,
    /// Key of the rules in force.
    pub key: Option<Key>,
}

/// A kernel form and all that was found of it.
#[derive(Debug)]
pub struct Checked {
    /// The kernel form; its findings have moved to `findings`.
    pub tree: KernelTree,
    /// What must not be, the import's findings included.
    pub findings: Findings,
}

/// Imports a release and holds it against all checks that need nothing but its text.
///
/// # Errors
/// As for [`pipeline::proved`].
pub fn check(
    input: Input<'_>,
    ruleset: &Ruleset,
    profile: &Profile,
    memo: &Memo,
) -> Result<Checked> {
    let mut tree = pipeline::proved_again(input, ruleset, profile, memo)?;
    let rules = Active::new(ruleset, input.version, profile);
    let mut findings = std::mem::take(&mut tree.findings);
    let key = pipeline::rules_key(&rules, memo);
    let scope = Scope { rules: &rules, tree: &tree, input, memo, key };
    findings.extend(plain::check(scope));
    findings.extend(left::check(scope, &findings));
    findings.extend(closure::check(scope, &findings));
    Ok(Checked { tree, findings: told_once(findings) })
}

/// Where a finding points first: file and offset.
type Place = (String, u32);

fn place(finding: &Finding) -> Option<Place> {
    let first = finding.labels.first()?;
    Some((first.source.name.clone(), first.span.start))
}

/// A global that only its own file uses, and that has a name of anybody's, is told of once: that it
/// breaks the kernel, with the remedy that is best.
fn told_once(findings: Findings) -> Findings {
    let names: HashSet<Place> =
        findings.iter().filter(|f| f.code == left::GLOBAL).filter_map(place).collect();
    let twice = |f: &Finding| {
        f.code == closure::LOCAL && place(f).is_some_and(|place| names.contains(&place))
    };
    let said = findings.iter().filter(|finding| twice(finding));
    let mut better: HashMap<Place, Finding> =
        said.filter_map(|finding| Some((place(finding)?, finding.clone()))).collect();
    if better.is_empty() {
        return findings;
    }
    let mut once = Findings::default();
    for finding in findings.iter().filter(|finding| !twice(finding)) {
        let other = place(finding).filter(|_| finding.code == left::GLOBAL);
        once.push(match other.and_then(|place| better.remove(&place)) {
            Some(Finding { message, hint, fix, .. }) => {
                let hint = hint.map_or(message.clone(), |hint| format!("{message}: {hint}"));
                Finding { hint: Some(hint), fix, ..finding.clone() }
            }
            None => finding.clone(),
        });
    }
    once
}
