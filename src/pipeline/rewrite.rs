//! The second stage that changes text: all rewriting rules, file by file.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::preprocess::cut_sections;
use super::{Preprocessed, Rewritten, Upstream, apply};
use crate::edit::{RuleRef, Traced};
use crate::finding::{Findings, Result};
use crate::rewrite::{File, Proposal, comments, includes, licence, names, tokenise};
use crate::text::{Source, TreePath};

/// Rewrites every file.
pub(super) fn rewrite(preprocessed: Preprocessed<'_>) -> Result<Rewritten<'_>> {
    let Preprocessed { mut upstream, texts, decided } = preprocessed;
    let work: Vec<(TreePath, Traced)> = texts.into_iter().collect();
    let done: Vec<Done> =
        work.into_par_iter().filter_map(|(path, text)| one_file(&upstream, path, text)).collect();
    let mut texts = BTreeMap::new();
    for file in done {
        upstream.findings.extend(file.findings);
        upstream.hits.add(&file.matched);
        texts.insert(file.path, file.text);
    }
    Ok(Rewritten { upstream, texts, decided })
}

struct Done {
    path: TreePath,
    text: Traced,
    findings: Findings,
    matched: BTreeMap<RuleRef, usize>,
}

fn one_file(upstream: &Upstream<'_>, path: TreePath, text: Traced) -> Option<Done> {
    let source: &Arc<Source> = upstream.files.get(&path)?;
    let rules = &upstream.rules;
    let mut findings = Findings::default();
    let text = cut_sections(rules, &path, source, text, &mut findings);
    let tokens = tokenise(&text);
    let file = File { path: &path, source, text: &text, tokens: &tokens };
    let places = includes::Places {
        release: &|path| upstream.files.contains_key(path),
        output: &upstream.layout.places,
    };
    let mut proposal = Proposal::default();
    includes::propose(&file, &places, &rules.includes, &mut proposal);
    names::propose(&file, &rules.names, &mut proposal);
    comments::propose(&file, &rules.comments, &mut proposal);
    licence::propose(&file, &rules.licence, &mut proposal);
    let Proposal { edits, findings: more, matched } = proposal;
    findings.extend(more);
    let text = apply(rules, source, text, edits, &mut findings);
    Some(Done { path, text, findings, matched })
}
