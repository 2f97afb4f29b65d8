//! The second stage that changes text: all rewriting rules, file by file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{Preprocessed, Rewritten, Text, Upstream, apply};
use crate::edit::{RuleRef, Traced};
use crate::finding::{Finding, Findings, Result};
use crate::memo::{Held, Key};
use crate::preprocess::groups;
use crate::preprocess::lexer::{Scanned, Token, scan};
use crate::rewrite::{
    File, Proposal, calls, comments, includes, licence, names, sections, tokenise,
};
use crate::rules::Active;
use crate::syntax::{Definitions, Facts, Words};
use crate::text::{Source, Span, TreePath};

/// Rewrites every file.
pub(super) fn rewrite(preprocessed: Preprocessed<'_>) -> Result<Rewritten<'_>> {
    let Preprocessed { mut upstream, texts, decided, conditions } = preprocessed;
    let wanted = calls::Wanted::new(&upstream.rules.calls);
    let work: Vec<Ready> = texts
        .into_par_iter()
        .filter_map(|(path, text)| ready(&upstream, &wanted, path, text))
        .collect();
    for (at, rule) in upstream.rules.masks.iter().enumerate() {
        let count = work.iter().filter(|file| file.cut.masks.get(at) == Some(&true)).count();
        upstream.hits.count(&rule.rule.name, count);
    }
    let names = Names {
        upstream: &upstream,
        wanted: &wanted,
        files: &work,
        definitions: OnceLock::new(),
        owners: OnceLock::new(),
    };
    let places = upstream.memo.key("places", |key| {
        key.number(usize::from(upstream.alone));
        for path in upstream.files.keys() {
            key.text(path.as_str());
            key.text(upstream.layout.places.get(path).map_or("", TreePath::as_str));
        }
    });
    let one = |file: &Ready| {
        let key = names.key(file, places);
        (upstream.memo.get(key, || one_file(&upstream, &names, file)), key)
    };
    let done: Vec<(Arc<Done>, Option<Key>)> = work.par_iter().map(one).collect();
    let mut texts = BTreeMap::new();
    for (file, (done, key)) in work.into_iter().zip(done) {
        upstream.findings.extend(file.cut.findings.clone());
        upstream.findings.extend(done.findings.clone());
        upstream.hits.add(&done.matched);
        texts.insert(file.path, Text { text: done.text.clone(), key, scan: done.scan.clone() });
    }
    Ok(Rewritten { upstream, texts, decided, conditions })
}

/// A file without the sections that are left out: its own rules want it, and those of other files want
/// to know what it defines.
struct Ready {
    path: TreePath,
    source: Arc<Source>,
    cut: Arc<Cut>,
    key: Option<Key>,
    /// Made when first asked for, like the directives.
    tokens: OnceLock<Vec<Token>>,
    scan: Scanned,
}

impl Ready {
    fn text(&self) -> &Traced {
        &self.cut.text
    }

    fn tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| tokenise(self.text()))
    }
}

/// What cutting sections out of one file came to, and what is known of it without its tokens.
struct Cut {
    text: Traced,
    findings: Findings,
    /// For each rule of kind masks whether the file has one of its names. A mask matches where its name
    /// occurs, whether the file had to be parsed or not.
    masks: Vec<bool>,
    /// Names of functions in it that can't be called as they are; not known where nothing is kept.
    wanted: Option<BTreeSet<String>>,
}

impl Held for Cut {
    fn weight(&self) -> usize {
        self.text.weight() + self.findings.weight() + 200
    }
}

fn ready(
    upstream: &Upstream<'_>,
    wanted: &calls::Wanted<'_>,
    path: TreePath,
    text: Text,
) -> Option<Ready> {
    let source = Arc::clone(upstream.files.get(&path)?);
    let (memo, rules) = (upstream.memo, &upstream.rules);
    let key = memo.key("cut", |key| _ = key.key(upstream.key).key(text.key));
    let tokens = OnceLock::new();
    let cut = memo.get(key, || {
        let names = |names: &[String]| {
            let bytes = text.text.bytes();
            names.iter().any(|name| memchr::memmem::find(bytes, name.as_bytes()).is_some())
        };
        let masks = rules.masks.iter().map(|rule| names(&rule.names)).collect();
        let mut findings = Findings::default();
        let text = cut_sections(rules, &path, &source, text.text, &mut findings);
        let tokens = tokens.get_or_init(|| tokenise(&text));
        let wanted = memo.is_on().then(|| wanted.names(text.bytes(), tokens));
        Cut { text, findings, masks, wanted }
    });
    Some(Ready { path, source, cut, key, tokens, scan: Scanned::default() })
}

struct Done {
    text: Traced,
    scan: Scanned,
    findings: Findings,
    matched: BTreeMap<RuleRef, usize>,
}

impl Held for Done {
    fn weight(&self) -> usize {
        self.text.weight() + self.findings.weight() + 60 * self.matched.len()
    }
}

/// What the files define, worked out when the first of them asks: most have nothing to parse.
struct Names<'a> {
    upstream: &'a Upstream<'a>,
    wanted: &'a calls::Wanted<'a>,
    files: &'a [Ready],
    definitions: OnceLock<Arc<Definitions>>,
    owners: OnceLock<Arc<Definitions>>,
}

impl Names<'_> {
    /// Key of what the rules make of a file: it leans on others where it names functions that can't be
    /// called as they are.
    fn key(&self, file: &Ready, places: Option<Key>) -> Option<Key> {
        let memo = self.upstream.memo;
        memo.key("rewrite", |key| {
            key.key(self.upstream.key).key(file.key).key(places);
            let Some(wanted) = file.cut.wanted.as_ref().filter(|wanted| !wanted.is_empty()) else {
                return;
            };
            for name in wanted {
                key.number(self.owners().defines(name, &file.path).into());
                let instead = self.wanted.instead_of(name);
                key.number(instead.map_or(2, |name| self.offers(name).into()));
            }
            let words = memo.key("words", |key| _ = key.key(file.key));
            let bytes = file.text().bytes();
            let words = memo.get(words, || Words::of(bytes, file.tokens().iter().copied()));
            key.key(self.definitions().key_for(memo, &words));
        })
    }

    /// All macros and functions of the files as they are now, and of the files that templates stand
    /// for, since the others lean on these.
    fn definitions(&self) -> &Definitions {
        self.definitions.get_or_init(|| self.derive(self.files.iter().collect()))
    }

    /// The same of those files that name what rules of kind calls are about.
    fn owners(&self) -> &Definitions {
        self.owners.get_or_init(|| {
            let names = |file: &&Ready| match &file.cut.wanted {
                Some(wanted) => !wanted.is_empty(),
                None => self.wanted.stand_in(file.text().bytes(), file.tokens()),
            };
            self.derive(self.files.iter().filter(names).collect())
        })
    }

    fn derive(&self, files: Vec<&Ready>) -> Arc<Definitions> {
        let files: BTreeMap<&TreePath, &Ready> =
            files.into_iter().map(|file| (&file.path, file)).collect();
        let key = |path| self.upstream.keys.get(path).copied().flatten();
        let taken = files.iter().map(|(path, file)| (*path, file.key));
        let replaced = self.replaced().map(|(path, _)| (path, key(path)));
        let masks = self.upstream.rules.masks.iter().flat_map(|rule| &rule.names);
        let masks = masks.map(String::as_str);
        Definitions::of_known(self.upstream.memo, taken.chain(replaced), masks, |path| {
            match (files.get(path), self.upstream.files.get(path)) {
                (Some(file), _) => {
                    Facts::of(path, file.text().bytes(), &file.scan, Some(file.tokens()))
                }
                (None, Some(source)) => Facts::of(path, &source.bytes, &Scanned::default(), None),
                (None, None) => Facts::default(),
            }
        })
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
    let file = File { path, source, text: &text, tokens: &tokens, scan: &Scanned::default() };
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
    let Ready { path, source, .. } = ready;
    let (text, tokens) = (ready.text(), ready.tokens());
    let rules = &upstream.rules;
    let file = File { path, source, text, tokens, scan: &ready.scan };
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
    Done { text, scan: Scanned::default(), findings, matched }
}
