//! That what a tree holds, imported once more, is to a compiler what it was: the first step of a series
//! is nothing to read.
//!
//! The tree's own text takes the place of upstream's in the proof, and what the step writes that of the
//! kernel form. Nothing is asked of the release that the tree was made from.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::base::Base;
use super::carried::Carried;
use crate::edit::RuleRef;
use crate::finding::{Finding, Result};
use crate::proof::{CHANGED, Figures, FileProof, Prover, summed};
use crate::rules::{Active, Profile, Ruleset};
use crate::text::{Files, TreePath};

/// What is known of the step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Again {
    /// The files that are written anew, and what was proved of them.
    pub figures: Figures,
    /// Rules that made tokens others or left them out, beside the conditions that were decided.
    pub rules: BTreeSet<RuleRef>,
    /// Files that have to be read, each with why.
    pub unproved: Vec<(TreePath, String)>,
}

/// Proves that the re-import of what a tree holds has the same tokens under the same conditions, for
/// every setting of the macros that stay and under those that the profile's rules fix.
///
/// # Errors
/// The rules' alternatives combine to too many cases.
pub fn proved(
    before: &Files,
    base: &Base,
    carried: &Carried,
    (ruleset, profile): (&Ruleset, &Profile),
) -> Result<Again> {
    let rules = Active::new(ruleset, base.version, profile);
    let prover = Prover::new(&rules, carried.reimport.values().map(|bytes| &**bytes))?;
    let after = &carried.reimport;
    let paths: BTreeSet<&TreePath> = before.keys().chain(after.keys()).collect();
    let changed = paths.into_iter().filter(|path| before.get(*path) != after.get(*path));
    let changed: Vec<&TreePath> = changed.collect();
    let made = &base.tree;
    let one = |path: &&TreePath| {
        let (old, new) = (before.get(*path), after.get(*path));
        // The trace is believed only where it leads from these bytes to those.
        let file = made.get(*path).filter(|file| {
            let (from, to) = (old.map(Arc::as_ref), new.map(Arc::as_ref));
            from == Some(&*file.source.bytes) && to == Some(&**file.text.bytes())
        });
        file.map(|file| prover.file(&file.source, &file.text))
    };
    let proofs: Vec<Option<FileProof>> = changed.par_iter().map(one).collect();
    let mut again = Again::default();
    for (path, proof) in changed.iter().zip(&proofs) {
        let why = match proof {
            None => Some("nothing tells how it was made from what is there".to_owned()),
            Some(proof) => proof.findings.iter().next().map(why),
        };
        again.unproved.extend(why.map(|why| ((*path).clone(), why)));
        again.rules.extend(proof.iter().flat_map(|proof| &proof.rewritten).cloned());
    }
    let files = proofs.len();
    let (figures, _) = summed(proofs.into_iter().flatten());
    again.figures = Figures { files, ..figures };
    Ok(again)
}

/// What a finding of the proof says, which speaks of upstream, where the tree stands for it.
fn why(finding: &Finding) -> String {
    match finding.labels.first() {
        Some(label) if finding.code == CHANGED => {
            let line = label.position().line;
            format!("line {line}: a token, or the condition that it stands under, becomes another")
        }
        _ => finding.message.clone(),
    }
}
