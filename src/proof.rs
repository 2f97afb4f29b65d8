//! The proof that a kernel form means what upstream's text means, for every setting of the macros
//! that stay.
//!
//! Both texts are read anew, with a grammar of conditions that is not the folder's. Each token gets
//! the condition under which a compiler sees it, as a boolean function of what the conditions depend
//! on; under the rules' settings the function has to be the same before and after. Tokens are paired
//! by where the trace says that they come from, and have to be the same, but for what the rules say
//! becomes of them, which is read from the rules and not from what a stage did.
//!
//! Taken for granted: the tokeniser, that macros which conditions compare are integers or undefined,
//! and what the rules say of the kernel. Line numbers (`__LINE__`) and white space outside macro
//! definitions are not compared.

#[cfg(test)]
mod agreement;
mod algebra;
mod align;
mod explain;
mod expression;
mod facts;
mod reading;
#[cfg(test)]
mod tests;
mod witness;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::edit::{RuleRef, Traced};
use crate::finding::{Finding, Findings, Result};
use crate::memo::{Held, Key, Memo};
use crate::preprocess::lexer::{Directive, Keyword, TokenKind, directive_tokens, scan};
use crate::preprocess::settings::{Known, Settings};
use crate::rules::{Active, MacroClass};
use crate::text::{Source, Span, first_bytes};
use align::{Comparison, Difference, Side};
use explain::Rewrites;
use facts::Facts;
use reading::{Reading, Step, View, presences, read};

/// Code of the findings about text that means something else than upstream's.
pub const CHANGED: &str = "meaning-changed";

/// Code of the findings about files of which nothing can be said.
pub const UNPROVED: &str = "meaning-not-proved";

/// What was proved of an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Files from upstream.
    pub files: usize,
    /// Files that were proved.
    pub proved: usize,
    /// Conditions upstream in those.
    pub conditions: usize,
    /// Independent facts that the conditions depend on: every setting of them is covered.
    pub facts: usize,
}

impl Figures {
    /// The figures in words: `proved for 5 of 5 files, under every setting of 9 facts`.
    pub fn words(&self) -> String {
        let Figures { files, proved, facts, .. } = self;
        format!("proved for {proved} of {files} files, under every setting of {facts} facts")
    }
}

/// What the proof of one file came to.
#[derive(Clone, Debug, Default)]
pub struct FileProof {
    /// Why the file isn't proved; empty where it is.
    pub findings: Findings,
    /// Conditions upstream.
    pub conditions: usize,
    /// What they depend on, in words.
    pub facts: BTreeSet<String>,
    /// Rules that made tokens which a compiler sees others, or left them out.
    pub rewritten: BTreeSet<RuleRef>,
}

impl Held for FileProof {
    fn weight(&self) -> usize {
        self.findings.weight() + 60 * (self.facts.len() + self.rewritten.len())
    }
}

/// The macros that a text defines.
#[derive(Debug)]
pub struct Defined(BTreeSet<Vec<u8>>);

impl Held for Defined {
    fn weight(&self) -> usize {
        50 * self.0.len()
    }
}

/// Reads the names of the definitions among the directives of a text.
pub fn defined(text: &[u8], directives: &[Directive]) -> Defined {
    let name = |directive: &Directive| {
        let mut tokens = directive_tokens(text, directive.body).filter(|t| !t.is_trivia());
        tokens.next().map(|token| token.text(text).into_owned())
    };
    let defines = directives.iter().filter(|directive| directive.keyword == Keyword::Define);
    Defined(defines.filter_map(name).collect())
}

/// What a proof goes by: the same for all files of a release.
pub struct Prover<'a> {
    rules: &'a Active<'a>,
    settings: Settings,
    rewrites: Rewrites<'a>,
    /// Hard-wired macros that nothing in the kernel form defines.
    lost: BTreeSet<&'a [u8]>,
    /// The first bytes of the names that the settings speak of: most words are ruled out by theirs.
    first: [bool; 256],
}

/// Upstream's text and the kernel form of it.
struct File<'a> {
    source: &'a Arc<Source>,
    text: &'a Traced,
}

impl<'a> Prover<'a> {
    /// Prepares for a tree of which `texts` are the final ones, templates included.
    ///
    /// # Errors
    /// The rules' alternatives combine to too many cases.
    pub fn new<'t>(
        rules: &'a Active<'a>,
        texts: impl Iterator<Item = &'t [u8]>,
    ) -> Result<Prover<'a>> {
        let defined: Vec<Defined> =
            texts.map(|text| defined(text, &scan(text).directives)).collect();
        Prover::knowing(rules, defined.iter())
    }

    /// The same where it is known what each text defines.
    ///
    /// # Errors
    /// As for [`Prover::new`].
    pub fn knowing<'t>(
        rules: &'a Active<'a>,
        defined: impl Iterator<Item = &'t Defined>,
    ) -> Result<Prover<'a>> {
        let settings =
            Settings::from_rules(&rules.macros, &rules.one_of, rules.profile.simplify, |_| false)?;
        let mut lost = ours(rules);
        for name in defined.flat_map(|defined| &defined.0) {
            lost.remove(name.as_slice());
        }
        let names = settings.entries().iter().map(|entry| entry.name.as_bytes());
        let first = first_bytes(names);
        Ok(Prover { rules, settings, rewrites: Rewrites::new(rules), lost, first })
    }

    /// Key of all that it goes by; beside the memo stands that of the rules.
    pub fn key(&self, memo: &Memo, rules: Option<Key>) -> Option<Key> {
        memo.key("prover", |key| {
            key.key(rules);
            self.lost.iter().for_each(|name| _ = key.bytes(name));
        })
    }

    /// Proves one file, or says where it means something else.
    pub fn file(&self, source: &Arc<Source>, text: &Traced) -> FileProof {
        self.file_scanned(source, text, &scan(text.bytes()).directives)
    }

    /// The same for a text whose directives have been found.
    pub fn file_scanned(
        &self,
        source: &Arc<Source>,
        text: &Traced,
        directives: &[Directive],
    ) -> FileProof {
        let file = File { source, text };
        let kept = align::kept(file.text);
        if !align::holds(&kept, &source.bytes, text.bytes()) {
            let mut proof = FileProof::default();
            let message = "the trace of this file doesn't lead to its bytes";
            let finding = Finding::error(UNPROVED, message).at(source, Span::at(0), "");
            proof.findings.push(finding.hint("this is a fault of the program"));
            return proof;
        }
        let shared_before =
            |hash: u32| align::image(&kept, Span { start: hash, end: hash + 1 }).is_some();
        let shared_after = |hash: u32| align::is_kept(&kept, Span { start: hash, end: hash + 1 });
        let settings = &self.settings;
        let before = View { settings, lost: &|_| false, shared: &shared_before };
        let after =
            View { settings, lost: &|name| self.lost.contains(name), shared: &shared_after };
        let before = read(&source.bytes, &scan(&source.bytes).directives, &before);
        let after = read(text.bytes(), directives, &after);
        let mut proof = FileProof { conditions: before.conditions.len(), ..FileProof::default() };
        match self.compare(&file, &kept, &before, &after) {
            Ok(found) => (proof.findings, proof.facts, proof.rewritten) = found,
            Err(why) => proof.findings.push(
                Finding::error(UNPROVED, format!("this file can't be proved: {why}"))
                    .at(file.source, Span::at(0), "")
                    .hint("compare the file with upstream's by eye, or leave it out"),
            ),
        }
        proof
    }

    fn compare(
        &self,
        file: &File<'_>,
        kept: &[align::Kept],
        before: &Reading,
        after: &Reading,
    ) -> Result<(Findings, BTreeSet<String>, BTreeSet<RuleRef>), &'static str> {
        const TOO_MUCH: &str = "its conditions are too many or too entangled";
        let conditions: Vec<_> = before.conditions.iter().chain(&after.conditions).collect();
        let facts = Facts::of(&self.settings, &conditions).ok_or(TOO_MUCH)?;
        let truths = |reading: &Reading| -> Vec<_> {
            reading.conditions.iter().map(|condition| facts.truth(condition)).collect()
        };
        let runs = |reading: &Reading| presences(reading, &truths(reading), &facts.algebra);
        let first = runs(before).ok_or("upstream's conditionals don't balance")?;
        let second = runs(after).ok_or("its conditionals don't balance")?;
        let mut comparison = Comparison {
            before: Side { bytes: &file.source.bytes, reading: before, presence: &first },
            after: Side { bytes: file.text.bytes(), reading: after, presence: &second },
            kept,
            made: file.text.runs().filter(|run| run.rules.is_some()).collect(),
            rewrites: &self.rewrites,
            sections: self.rewrites.sections(&file.source.bytes),
            algebra: &facts.algebra,
            differences: Vec::new(),
            rewritten: BTreeSet::new(),
            same: None,
        };
        comparison.run();
        let mut findings = Findings::default();
        for difference in &comparison.differences {
            findings.push(self.told(file, difference, &facts));
        }
        self.assumptions(file, &comparison.after, &mut findings);
        if self.rules.profile.closed {
            self.settled(file, after, &mut findings);
        }
        if facts.algebra.overflowed() {
            return Err(TOO_MUCH);
        }
        let words = facts.list.iter().filter_map(|fact| witness::said(fact, true));
        Ok((findings, words.collect(), comparison.rewritten))
    }

    fn told(&self, file: &File<'_>, difference: &Difference, facts: &Facts<'_>) -> Finding {
        let source = file.source;
        let when = |function| witness::when(function, facts, self.rules, &self.settings);
        let upstream = |after: Span| file.text.upstream_cover(after);
        let (span, finding) = match difference {
            Difference::Gone(span, presence) => {
                let message = format!(
                    "`{}` is left out of the kernel form, though upstream has it {}",
                    shown(source, *span),
                    when(presence)
                );
                (*span, Finding::error(CHANGED, message).at(source, *span, "left out"))
            }
            Difference::New(span) => {
                let at = upstream(*span);
                let text = String::from_utf8_lossy(&file.text.bytes()[span.range()]);
                let message = format!("the kernel form has `{text}` here, which no rule puts in");
                (at, Finding::error(CHANGED, message).at(source, at, "made of this"))
            }
            Difference::Presence(span, function) => {
                let message = format!(
                    "`{}` is compiled in only one of upstream and the kernel form {}",
                    shown(source, *span),
                    when(function)
                );
                (*span, Finding::error(CHANGED, message).at(source, *span, "under other settings"))
            }
            Difference::Changed(span, after) => {
                let text = String::from_utf8_lossy(&file.text.bytes()[after.range()]);
                let message =
                    format!("`{}` became `{text}`, which no rule says", shown(source, *span));
                (*span, Finding::error(CHANGED, message).at(source, *span, "changed"))
            }
        };
        self.with_rules(file, span, finding)
            .hint("correct the rule at work; if there is none, this is a fault of the program")
    }

    /// Shows the rules that touched the place.
    fn with_rules(&self, file: &File<'_>, span: Span, mut finding: Finding) -> Finding {
        let touches = |from: Span| from.start <= span.end && span.start <= from.end;
        let names: BTreeSet<_> = file
            .text
            .runs()
            .filter(|run| touches(run.from))
            .flat_map(|run| run.rules.unwrap_or_default())
            .collect();
        for rule in self.rules.rules() {
            if names.contains(&rule.name) {
                finding = finding.label(rule.label("a rule at work"));
            }
        }
        finding
    }

    /// A condition that stays asks for nothing that the rules settle.
    fn settled(&self, file: &File<'_>, after: &Reading, findings: &mut Findings) {
        for (step, directive) in &after.steps {
            let (Step::If(condition) | Step::Elif(condition)) = step else { continue };
            for name in &after.conditions[*condition].written {
                let Some(id) = self.settings.find(name) else { continue };
                let entry = self.settings.entry(id);
                if entry.varies || entry.settled().is_none_or(|known| known == Known::Free) {
                    continue;
                }
                let name = &entry.name;
                let message =
                    format!("`{name}` is settled by the rules, and yet this condition asks for it");
                let at = Span { start: directive.hash, end: directive.body.end };
                let at = file.text.upstream_cover(at);
                let finding = Finding::error(CHANGED, message).at(file.source, at, "stays");
                findings.push(self.with_rules(file, at, finding));
            }
        }
    }

    /// What the rules take for granted has to be so in the kernel form, too: what they say is defined
    /// is defined where code uses it, what they say is not is defined nowhere.
    fn assumptions(&self, file: &File<'_>, after: &Side<'_>, findings: &mut Findings) {
        let items = &after.reading.items;
        for (at, item) in items.iter().enumerate() {
            if item.kind != TokenKind::Identifier || after.is_dead(item) {
                continue;
            }
            let text = after.text(item);
            let first = text.first().map_or(0, |byte| usize::from(*byte));
            if !self.first[first] {
                continue;
            }
            let Some(id) = self.settings.find(&text) else { continue };
            let before = at.checked_sub(1).map(|at| after.text(&items[at])).unwrap_or_default();
            let naming = item.place.0 && matches!(&*before, b"define" | b"undef");
            let undefined = self.settings.entry(id).settled() == Some(Known::Undefined);
            let (what, label) = if naming && &*before == b"define" && undefined {
                ("is defined here, which the rules rule out", "defined")
            } else if !naming && self.lost.contains(&*text) {
                ("is used, but nothing defines it any more", "used")
            } else {
                continue;
            };
            let message = format!("`{}` {what}", String::from_utf8_lossy(&text));
            let at = file.text.upstream_cover(item.span);
            findings.push(Finding::error(CHANGED, message).at(file.source, at, label));
        }
    }
}

/// The macros that an import hard-wires as defined. What compilers and the kernel's build define is
/// defined all the same.
fn ours<'a>(rules: &Active<'a>) -> BTreeSet<&'a [u8]> {
    use crate::rules::MacroState::{Defined, Range, Value};
    let by_us = |class: MacroClass, name: &str| {
        !matches!(class, MacroClass::Arch | MacroClass::Compiler | MacroClass::Kernel)
            && !name.starts_with("__")
    };
    let mut names = BTreeSet::new();
    for rule in &rules.macros {
        if matches!(rule.state, Defined | Range(..) | Value(_)) {
            let list = rule.names.iter().filter(|name| by_us(rule.class, name));
            names.extend(list.map(|name| name.as_bytes()));
        }
    }
    names
}

fn shown(source: &Arc<Source>, span: Span) -> String {
    String::from_utf8_lossy(&source.bytes[span.range()]).into_owned()
}

/// The figures of all files, and their findings.
pub fn summed(proofs: impl IntoIterator<Item = FileProof>) -> (Figures, Findings) {
    let (mut figures, mut findings) = (Figures::default(), Findings::default());
    let mut facts = BTreeSet::new();
    for proof in proofs {
        figures.files += 1;
        figures.proved += usize::from(proof.findings.is_empty());
        figures.conditions += proof.conditions;
        facts.extend(proof.facts);
        findings.extend(proof.findings);
    }
    figures.facts = facts.len();
    (figures, findings)
}
