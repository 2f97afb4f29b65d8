//! The second stage that changes text: all rewriting rules, file by file.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{Preprocessed, Rewritten, Upstream, apply};
use crate::edit::{RuleRef, Traced};
use crate::finding::{Finding, Findings, Result};
use crate::preprocess::groups;
use crate::preprocess::lexer::{Token, scan};
use crate::rewrite::{
    File, Proposal, calls, comments, includes, licence, names, sections, tokenise,
};
use crate::rules::Active;
use crate::syntax::Definitions;
use crate::text::{Source, Span, TreePath};

/// Rewrites every file.
pub(super) fn rewrite(preprocessed: Preprocessed<'_>) -> Result<Rewritten<'_>> {
    let Preprocessed { mut upstream, texts, decided, conditions } = preprocessed;
    count_masks(&mut upstream, &texts);
    let ready: Vec<(Ready, Findings)> =
        texts.into_par_iter().filter_map(|(path, text)| ready(&upstream, path, text)).collect();
    let (work, cut): (Vec<Ready>, Vec<Findings>) = ready.into_iter().unzip();
    let names = Names {
        upstream: &upstream,
        files: &work,
        definitions: OnceLock::new(),
        owners: OnceLock::new(),
    };
    let done: Vec<Done> = work.par_iter().map(|file| one_file(&upstream, &names, file)).collect();
    let mut texts = BTreeMap::new();
    for (file, cut) in done.into_iter().zip(cut) {
        upstream.findings.extend(cut);
        upstream.findings.extend(file.findings);
        upstream.hits.add(&file.matched);
        texts.insert(file.path, file.text);
    }
    Ok(Rewritten { upstream, texts, decided, conditions })
}

/// A file without the sections that are left out, and its tokens: its own rules want them, and those
/// of other files want to know what it defines.
struct Ready {
    path: TreePath,
    source: Arc<Source>,
    text: Traced,
    tokens: Vec<Token>,
}

fn ready(upstream: &Upstream<'_>, path: TreePath, text: Traced) -> Option<(Ready, Findings)> {
    let source = Arc::clone(upstream.files.get(&path)?);
    let mut findings = Findings::default();
    let text = cut_sections(&upstream.rules, &path, &source, text, &mut findings);
    let tokens = tokenise(&text);
    Some((Ready { path, source, text, tokens }, findings))
}

struct Done {
    path: TreePath,
    text: Traced,
    findings: Findings,
    matched: BTreeMap<RuleRef, usize>,
}

/// What the files define, worked out when the first of them asks: most have nothing to parse.
struct Names<'a> {
    upstream: &'a Upstream<'a>,
    files: &'a [Ready],
    definitions: OnceLock<Definitions>,
    owners: OnceLock<Definitions>,
}

impl Names<'_> {
    /// All macros and functions of the files as they are now, and of the files that templates stand
    /// for, since the others lean on these.
    fn definitions(&self) -> &Definitions {
        self.definitions.get_or_init(|| self.derive(self.files.iter()))
    }

    /// The same of those files that name what rules of kind calls are about.
    fn owners(&self) -> &Definitions {
        self.owners.get_or_init(|| {
            let wanted = calls::Wanted::new(&self.upstream.rules.calls);
            let names = |file: &&Ready| wanted.stand_in(file.text.bytes(), &file.tokens);
            self.derive(self.files.iter().filter(names))
        })
    }

    fn derive<'f>(&'f self, files: impl Iterator<Item = &'f Ready>) -> Definitions {
        let taken = files.map(|f| (&f.path, &**f.text.bytes(), Some(f.tokens.as_slice())));
        let replaced = self.replaced().map(|(path, bytes)| (path, bytes, None));
        let masks = self.upstream.rules.masks.iter().flat_map(|rule| &rule.names);
        Definitions::of_tokens(taken.chain(replaced), masks.map(String::as_str))
    }

    fn replaced(&self) -> impl Iterator<Item = (&TreePath, &[u8])> {
        let templates = self.upstream.layout.templates.values();
        templates.filter_map(|template| {
            let path = template.replaces.as_ref()?;
            Some((path, &*self.upstream.files.get(path)?.bytes))
        })
    }

    /// Whether the release defines what a rule puts in place of a function's name.
    fn offers(&self, name: &str) -> bool {
        self.upstream.alone
            || self.replaced().any(|(path, _)| self.definitions().defines(name, path))
            || self.files.iter().any(|file| self.definitions().defines(name, &file.path))
    }
}

/// A mask matches where its name occurs, whether the file had to be parsed or not.
fn count_masks(upstream: &mut Upstream<'_>, texts: &BTreeMap<TreePath, Traced>) {
    for rule in &upstream.rules.masks {
        let occurs = |text: &&Traced| {
            rule.names
                .iter()
                .any(|name| memchr::memmem::find(text.bytes(), name.as_bytes()).is_some())
        };
        upstream.hits.count(&rule.rule.name, texts.values().filter(occurs).count());
    }
}

/// Marked sections go first: what they hold is not looked at.
fn cut_sections(
    rules: &Active<'_>,
    path: &TreePath,
    source: &Arc<Source>,
    text: Traced,
    findings: &mut Findings,
) -> Traced {
    if rules.sections.is_empty() {
        return text;
    }
    let tokens = tokenise(&text);
    let file = File { path, source, text: &text, tokens: &tokens };
    let mut proposal = Proposal::default();
    sections::propose(&file, &rules.sections, &mut proposal);
    findings.extend(proposal.findings);
    let text = apply(rules, source, text, proposal.edits, findings);
    let left = Source::new(source.name.as_str(), Arc::clone(text.bytes()));
    if groups::pair(source, &scan(&source.bytes)).is_ok()
        && let Err(cut) = groups::pair(&left, &scan(&left.bytes))
    {
        for finding in cut {
            let at = finding.labels.first().map_or(Span::default(), |label| label.span);
            let message = format!("a section that is left out cuts a group: {}", finding.message);
            let finding = Finding::error("unbalanced-section", message);
            findings.push(finding.at(source, text.upstream_cover(at), "of what is left"));
        }
    }
    text
}

fn one_file(upstream: &Upstream<'_>, names: &Names<'_>, ready: &Ready) -> Done {
    let Ready { path, source, text, tokens } = ready;
    let rules = &upstream.rules;
    let file = File { path, source, text, tokens };
    let places = includes::Places {
        release: &|path| upstream.files.contains_key(path),
        output: &upstream.layout.places,
        alone: upstream.alone,
    };
    let mut proposal = Proposal::default();
    includes::propose(&file, &places, &rules.includes, &mut proposal);
    names::propose(&file, &rules.names, &mut proposal);
    let release = calls::Release {
        definitions: &|| names.definitions(),
        owners: &|| names.owners(),
        offers: &|name| names.offers(name),
    };
    calls::propose(&file, &release, &rules.calls, &mut proposal);
    comments::propose(&file, &rules.comments, &mut proposal);
    licence::propose(&file, &rules.licence, &mut proposal);
    let Proposal { edits, mut findings, matched } = proposal;
    let text = apply(rules, source, text.clone(), edits, &mut findings);
    Done { path: path.clone(), text, findings, matched }
}
