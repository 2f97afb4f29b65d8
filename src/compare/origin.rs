//! Where a line of the kernel form comes from, and what became of a line of upstream's.

use serde::Serialize;

use super::causes::Map;
use super::result::NamedCommit;
use crate::edit::{LineOrigin, RuleRef, Run};
use crate::finding::Result;
use crate::pipeline::{KernelTree, OutputFile};
use crate::rules::{Active, FileAction, Library, Rule, glob_matches};
use crate::text::{Files, LineIndex, Source, Span, TreePath};

/// Why folding does what no rule asks for.
const BUILT_IN: &str =
    "Where conditionals around it went, a directive is indented as deep as those left say.";

/// What is known of one line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Answer {
    /// The line that was asked for.
    pub asked: Place,
    /// `kernel`: a line of the kernel form, with what it comes from; `upstream`: a line of upstream's,
    /// with what became of it.
    pub direction: &'static str,
    /// In one word: `kept`, `rewritten`, `made`, `gone`, `left out` or `local`.
    pub fate: &'static str,
    /// The release.
    pub release: String,
    /// The profile.
    pub profile: String,
    /// The lines on the other side: upstream's, or the kernel form's. For what a template makes, those
    /// of the template.
    pub lines: Vec<Place>,
    /// The rules that had a hand in it, with their reasons.
    pub rules: Vec<SaidRule>,
    /// Upstream's commit that wrote the line; only with a git repository.
    pub commit: Option<NamedCommit>,
}

/// A line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Place {
    /// Its file.
    pub path: String,
    /// Its number, from 1.
    pub line: usize,
    /// Its text, without its end.
    pub text: String,
}

/// A rule and its reason.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct SaidRule {
    /// `kind/id`.
    pub rule: String,
    /// Its file, or `built in` for what folding does by itself.
    pub file: String,
    /// Why there is such a rule.
    pub why: String,
}

/// A rule by its name, with its reason; one that is not among the known ones is built in.
pub(super) fn said(known: &[&Rule], name: &RuleRef) -> SaidRule {
    let rule = known.iter().find(|rule| rule.name == *name);
    SaidRule {
        rule: name.as_str().to_owned(),
        file: rule.map_or("built in", |rule| rule.source.name.as_str()).to_owned(),
        why: rule.map_or(BUILT_IN, |rule| rule.why.trim()).to_owned(),
    }
}

/// An import, to be asked about its lines.
#[derive(Debug)]
pub struct Explainer<'a> {
    /// The rules in force.
    pub rules: Active<'a>,
    /// The release's name.
    pub release: &'a str,
    /// Its files, below the library root.
    pub files: &'a Files,
    /// Its import.
    pub tree: &'a KernelTree,
}

impl Explainer<'_> {
    /// Explains a line of the kernel form; `None` where the import has no such line.
    pub fn kernel(&self, path: &TreePath, line: usize) -> Option<Answer> {
        let file = self.tree.files.get(path)?;
        let bytes = file.text.bytes();
        let asked = place(path.as_str(), bytes, &LineIndex::new(bytes), line)?;
        let origin = file.text.line_origins().into_iter().nth(line - 1)?;
        Some(self.line(file, asked, origin))
    }

    /// Explains all lines of a file of the kernel form; none where the import has no such file.
    pub fn kernel_file(&self, path: &TreePath) -> Vec<Answer> {
        let Some(file) = self.tree.files.get(path) else { return Vec::new() };
        let index = LineIndex::new(file.text.bytes());
        let origins = file.text.line_origins().into_iter().enumerate();
        let answers = origins.filter_map(|(number, origin)| {
            let asked = place(path.as_str(), file.text.bytes(), &index, number + 1)?;
            Some(self.line(file, asked, origin))
        });
        answers.collect()
    }

    fn line(&self, file: &OutputFile, asked: Place, origin: LineOrigin) -> Answer {
        let mut rules = origin.rules;
        rules.extend(file.template.clone());
        let lines = covered(&file.source, origin.from);
        // Lines that went above it count as its own.
        let same = lines.last().is_some_and(|line| line.text == asked.text);
        let fate = match (&file.template, same) {
            (Some(_), _) => "made",
            (None, true) => "kept",
            (None, false) => "rewritten",
        };
        self.answer(asked, "kernel", fate, lines, &rules)
    }

    /// Says of a line that no import has it.
    pub fn local(&self, path: &TreePath, line: usize, text: String) -> Answer {
        let asked = Place { path: path.as_str().to_owned(), line, text };
        self.answer(asked, "kernel", "local", Vec::new(), &[])
    }

    /// Says what became of a line of upstream's; `path` is below the library root. `None` where the
    /// release has no such line.
    pub fn upstream(&self, path: &TreePath, line: usize) -> Option<Answer> {
        Upstream::of(self, path)?.line(line)
    }

    /// The same of all lines of a file of upstream's; none where the release has no such file.
    pub fn upstream_file(&self, path: &TreePath) -> Vec<Answer> {
        let Some(file) = Upstream::of(self, path) else { return Vec::new() };
        (1..).map_while(|line| file.line(line)).collect()
    }

    fn answer(
        &self,
        asked: Place,
        direction: &'static str,
        fate: &'static str,
        lines: Vec<Place>,
        rules: &[RuleRef],
    ) -> Answer {
        let known = self.rules.rules();
        let mut rules: Vec<SaidRule> = rules.iter().map(|name| said(&known, name)).collect();
        rules.sort();
        rules.dedup();
        let (release, profile) = (self.release.to_owned(), self.rules.profile.name.clone());
        Answer { asked, direction, fate, release, profile, lines, rules, commit: None }
    }

    fn library(&self) -> &Library {
        &self.rules.ruleset.library
    }
}

/// The rules that say that a file is not taken; none where no rule selects it.
pub(super) fn left_out(rules: &Active<'_>, path: &TreePath) -> Vec<RuleRef> {
    let skips = rules.files.iter().filter(|rule| match &rule.action {
        FileAction::Skip(globs) => globs.iter().any(|glob| glob_matches(glob, path.as_str())),
        _ => false,
    });
    skips.map(|rule| rule.rule.name.clone()).collect()
}

/// A file of upstream's, to be asked about its lines.
struct Upstream<'e> {
    explainer: &'e Explainer<'e>,
    /// Its path, the library root in front.
    named: String,
    bytes: &'e [u8],
    index: LineIndex,
    stands: Stands<'e>,
}

/// What became of a file of upstream's.
enum Stands<'e> {
    /// It isn't taken, for which these rules are the reason.
    Nowhere(Vec<RuleRef>),
    /// It stands there.
    At { path: &'e TreePath, file: &'e OutputFile, index: LineIndex },
}

impl<'e> Upstream<'e> {
    fn of(explainer: &'e Explainer<'e>, path: &TreePath) -> Option<Upstream<'e>> {
        let bytes = explainer.files.get(path)?;
        let mut stands = explainer.tree.files.iter();
        let stands = match stands.find(|(_, file)| file.upstream.as_ref() == Some(path)) {
            None => Stands::Nowhere(left_out(&explainer.rules, path)),
            Some((path, file)) => match &file.template {
                Some(rule) => Stands::Nowhere(vec![rule.clone()]),
                None => Stands::At { path, file, index: LineIndex::new(file.text.bytes()) },
            },
        };
        let named = format!("{}/{path}", explainer.library().root);
        Some(Upstream { explainer, named, bytes, index: LineIndex::new(bytes), stands })
    }

    fn line(&self, line: usize) -> Option<Answer> {
        let asked = place(&self.named, self.bytes, &self.index, line)?;
        let span = line_span(self.bytes, &self.index, line)?;
        let (path, file, index) = match &self.stands {
            Stands::At { path, file, index } => (path, file, index),
            Stands::Nowhere(rules) => {
                return Some(self.explainer.answer(
                    asked,
                    "upstream",
                    "left out",
                    Vec::new(),
                    rules,
                ));
            }
        };
        let (lines, rules) = became((path, index), file, span);
        let same = lines.len() == 1 && lines[0].text == asked.text;
        let fate = match lines.is_empty() {
            true => "gone",
            false if same => "kept",
            false => "rewritten",
        };
        Some(self.explainer.answer(asked, "upstream", fate, lines, &rules))
    }
}

/// The lines of the kernel form that upstream's bytes became, and the rules on the way.
fn became(
    (path, index): (&TreePath, &LineIndex),
    file: &OutputFile,
    span: Span,
) -> (Vec<Place>, Vec<RuleRef>) {
    let bytes = file.text.bytes();
    let (mut numbers, mut rules) = (std::collections::BTreeSet::new(), Vec::new());
    let meets = |from: Span| match from.is_empty() {
        true => span.start <= from.start && from.start < span.end,
        false => from.start < span.end && span.start < from.end,
    };
    for Run { to, from, rules: made } in file.text.runs().filter(|run| meets(run.from)) {
        rules.extend(made.into_iter().flatten().cloned());
        let to = match made {
            Some(_) => to,
            None => {
                let start = to.start + span.start.saturating_sub(from.start);
                let end = to.end - from.end.saturating_sub(span.end);
                Span { start, end }
            }
        };
        // An end of line alone is nothing of the line: that it stays says where a deletion ended.
        let left = &bytes[to.range()];
        if left.iter().any(|byte| !byte.is_ascii_whitespace()) {
            let last = to.end as usize
                - 1
                - left.iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
            let first =
                to.start as usize + left.iter().take_while(|b| b.is_ascii_whitespace()).count();
            numbers.extend(index.position(first).line..=index.position(last.max(first)).line);
        } else if made.is_none() && to.len() == span.len() {
            // An empty line that stayed.
            numbers.insert(index.position(to.start as usize).line);
        }
    }
    let lines = numbers.into_iter().filter_map(|line| place(path.as_str(), bytes, index, line));
    (lines.collect(), rules)
}

/// The line of `made` that a line of `here` is, both from 1; `None` where only `here` has it.
///
/// # Errors
/// The texts can't be compared.
pub fn line_in(made: &[u8], here: &[u8], line: usize) -> Result<Option<usize>> {
    let map = Map::of(made, here)?;
    Ok(line.checked_sub(1).and_then(|line| map.back(line)).map(|line| line + 1))
}

/// A line, counted from 1, with its end.
fn line_span(bytes: &[u8], index: &LineIndex, line: usize) -> Option<Span> {
    let start = index.line_start(line).filter(|start| *start < bytes.len())?;
    let end = index.line_start(line + 1).unwrap_or(bytes.len());
    Some(Span::new(start, end))
}

fn place(path: &str, bytes: &[u8], index: &LineIndex, line: usize) -> Option<Place> {
    let text = &bytes[line_span(bytes, index, line)?.range()];
    let text = String::from_utf8_lossy(text).trim_end_matches(['\n', '\r']).to_owned();
    Some(Place { path: path.to_owned(), line, text })
}

/// The lines that some bytes lie in.
fn covered(source: &Source, span: Span) -> Vec<Place> {
    let last = span.end.saturating_sub(1).max(span.start);
    let (first, last) = (source.position(span.start).line, source.position(last).line);
    let line = |line| place(&source.name, &source.bytes, source.lines(), line);
    (first..=last).filter_map(line).collect()
}
