//! Functions of two forms, by syntax tree: what came, went, moved, has another name, or does
//! something else.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rayon::prelude::*;

use super::Form;
use super::result::{FileReport, FunctionChange, What};
use crate::edit::Traced;
use crate::patch::Change;
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::syntax::{Definitions, Lexed, Outline, parse};
use crate::text::{Files, Source, Span, TreePath};

/// Fewest tokens of functions that are taken for each other by what they do.
const FEWEST_TOKENS: usize = 20;
/// Most pairs of a file that are held against each other in search of edited ones.
const MAX_PAIRS: usize = 2_500;
/// How much two functions have in common at least, in percent, to be one with another name.
const ALIKE: usize = 75;
/// Most words in front of a function that the parser didn't see.
const MAX_MASKED: usize = 64;
/// Deepest declarator that a name is looked for in.
const MAX_DEPTH: usize = 64;

/// A function that a file defines.
#[derive(Clone, Debug)]
pub(super) struct Function {
    name: String,
    /// Its lines, from 1.
    lines: (usize, usize),
    /// Says its text in short.
    text: u64,
    /// Says its tokens in short.
    tokens: u64,
    /// The same, whatever its name.
    nameless: u64,
    /// Its tokens, sorted, each in short.
    words: Vec<u64>,
}

/// The functions of both forms in the files that differ in code.
pub(super) struct Forms {
    old: Definitions,
    new: Definitions,
}

impl Forms {
    pub(super) fn of(old: &Form, new: &Form) -> Forms {
        Forms { old: definitions(&old.files), new: definitions(&new.files) }
    }
}

fn is_c(path: &TreePath) -> bool {
    matches!(path.extension(), Some("c" | "h"))
}

fn definitions(files: &Files) -> Definitions {
    let texts = files.iter().filter(|(path, _)| is_c(path));
    Definitions::derive(texts.map(|(path, bytes)| (path, &**bytes)), [])
}

/// Finds the functions that differ in all files.
pub(super) fn changed(forms: &Forms, change: &Change, reports: &mut [FileReport]) {
    let read = |version: &Option<crate::patch::Version>, definitions: &Definitions| {
        let version = version.as_ref().filter(|version| is_c(&version.path));
        let read = version.map(|version| functions(&version.path, &version.bytes, definitions));
        read.unwrap_or_default()
    };
    let pairs: Vec<(Vec<Function>, Vec<Function>)> = change
        .files()
        .par_iter()
        .map(|file| (read(&file.old, &forms.old), read(&file.new, &forms.new)))
        .collect();
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for (number, ((old, new), report)) in pairs.iter().zip(reports.iter_mut()).enumerate() {
        let (went, came) = matched(old, new, report);
        let (went, came) = renamed(went, came, report);
        gone.extend(went.into_iter().map(|function| (number, function)));
        come.extend(came.into_iter().map(|function| (number, function)));
    }
    across(gone, come, reports);
    for report in reports {
        report.functions.sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
    }
}

/// Functions of the same name in one file; gives those that have no partner.
fn matched<'f>(
    old: &'f [Function],
    new: &'f [Function],
    report: &mut FileReport,
) -> (Vec<&'f Function>, Vec<&'f Function>) {
    let gone_lines = gone_lines(report);
    let mut by_name: BTreeMap<&str, Vec<&Function>> = BTreeMap::new();
    for function in old {
        by_name.entry(&function.name).or_default().push(function);
    }
    let mut came = Vec::new();
    for function in new {
        // Of several of one name, in branches of a conditional, the first stands for the first.
        let partner = by_name.get_mut(function.name.as_str()).filter(|list| !list.is_empty());
        let Some(partner) = partner.map(|list| list.remove(0)) else {
            came.push(function);
            continue;
        };
        let what = match () {
            () if partner.tokens != function.tokens => What::Changed,
            () if partner.text != function.text => What::Comments,
            () if is_gone(&gone_lines, partner.lines) => What::Moved,
            () => continue,
        };
        report.functions.push(found(function, what, None, what == What::Changed));
    }
    let mut went: Vec<&Function> = by_name.into_values().flatten().collect();
    went.sort_by_key(|function| function.lines);
    (went, came)
}

/// Whether a function went from where it stood: its first line and most others.
fn is_gone(gone: &BTreeSet<usize>, (first, last): (usize, usize)) -> bool {
    gone.contains(&first) && gone.range(first..=last).count() * 2 > last - first
}

/// The lines of the old file that went.
fn gone_lines(report: &FileReport) -> BTreeSet<usize> {
    let mut gone = BTreeSet::new();
    for hunk in &report.hunks {
        let mut at = hunk.old.0;
        for line in &hunk.lines {
            if line.mark == '-' {
                gone.insert(at);
            }
            at += usize::from(line.mark != '+');
        }
    }
    gone
}

/// Functions of one file that have another name: first those that are the same otherwise, then those
/// that are alike.
fn renamed<'f>(
    mut went: Vec<&'f Function>,
    mut came: Vec<&'f Function>,
    report: &mut FileReport,
) -> (Vec<&'f Function>, Vec<&'f Function>) {
    came.retain(|function| {
        let is_it =
            |old: &&Function| old.nameless == function.nameless && old.words.len() >= FEWEST_TOKENS;
        let Some(at) = went.iter().position(is_it) else { return true };
        let old = went.remove(at);
        report.functions.push(found(function, What::Renamed, Some(old.name.clone()), false));
        false
    });
    if went.len() * came.len() > MAX_PAIRS {
        return (went, came);
    }
    came.retain(|function| {
        let alike = went.iter().enumerate().map(|(at, old)| (common(old, function), at));
        let Some((percent, at)) = alike.max_by_key(|(percent, at)| (*percent, usize::MAX - at))
        else {
            return true;
        };
        if percent < ALIKE || function.words.len() < FEWEST_TOKENS {
            return true;
        }
        let old = went.remove(at);
        report.functions.push(found(function, What::Renamed, Some(old.name.clone()), true));
        false
    });
    (went, came)
}

/// How much two functions have in common, in percent.
fn common(old: &Function, new: &Function) -> usize {
    let (mut a, mut b) = (old.words.iter().peekable(), new.words.iter().peekable());
    let mut both = 0;
    while let (Some(one), Some(other)) = (a.peek(), b.peek()) {
        match one.cmp(other) {
            std::cmp::Ordering::Less => _ = a.next(),
            std::cmp::Ordering::Greater => _ = b.next(),
            std::cmp::Ordering::Equal => {
                both += 2;
                a.next();
                b.next();
            }
        }
    }
    both * 100 / (old.words.len() + new.words.len()).max(1)
}

/// Functions that went from one file and came in another.
fn across(
    gone: Vec<(usize, &Function)>,
    come: Vec<(usize, &Function)>,
    reports: &mut [FileReport],
) {
    let mut by_name: BTreeMap<&str, Vec<(usize, &Function)>> = BTreeMap::new();
    for (file, function) in gone {
        by_name.entry(&function.name).or_default().push((file, function));
    }
    for (file, function) in come {
        let partners = by_name.get_mut(function.name.as_str()).filter(|list| !list.is_empty());
        let change = match partners.map(|list| list.remove(0)) {
            Some((from, old)) => {
                let path = reports[from].from.as_ref().unwrap_or(&reports[from].path).clone();
                found(function, What::Moved, Some(path), old.tokens != function.tokens)
            }
            None => found(function, What::Added, None, false),
        };
        reports[file].functions.push(change);
    }
    for (file, function) in by_name.into_values().flatten() {
        reports[file].functions.push(found(function, What::Removed, None, false));
    }
}

fn found(function: &Function, what: What, from: Option<String>, edited: bool) -> FunctionChange {
    FunctionChange { name: function.name.clone(), what, from, line: function.lines.0, edited }
}

/// The functions that a file defines, in order.
fn functions(path: &TreePath, bytes: &Arc<[u8]>, definitions: &Definitions) -> Vec<Function> {
    let source = Source::new(path.as_str(), Arc::clone(bytes));
    let parsed = parse(&source, &Traced::new(Arc::clone(bytes)), definitions);
    let mut heads: BTreeMap<Span, String> = BTreeMap::new();
    for outline in parsed.outlines() {
        for at in outline.all("function_definition") {
            if let Some(name) = name(outline, at) {
                let name = String::from_utf8_lossy(&bytes[outline.nodes[name].span.range()]);
                heads.insert(outline.nodes[at].span, name.into_owned());
            }
        }
    }
    let lexed = Lexed::new(bytes);
    let function = |(span, name): (Span, String)| {
        let span = with_specifiers(&lexed, span);
        let line = |at: u32| source.position(at).line;
        let text = &bytes[span.range()];
        let (tokens, nameless, words) = digests(text, &name);
        let lines = (line(span.start), line(span.end.saturating_sub(1).max(span.start)));
        Function { name, lines, text: hash(text), tokens, nameless, words }
    };
    heads.into_iter().map(function).collect()
}

/// A definition with the macros in front of it, which are blanks for the parser.
fn with_specifiers(lexed: &Lexed<'_>, span: Span) -> Span {
    let first = lexed.code.partition_point(|token| token.span.start < span.start);
    let before = lexed.code[..first].iter().rev().take(MAX_MASKED);
    let own = before.take_while(|token| !matches!(token.punct, b';' | b'{' | b'}'));
    Span { start: own.last().map_or(span.start, |token| token.span.start), ..span }
}

/// The name of a function definition.
fn name(outline: &Outline, at: usize) -> Option<usize> {
    let mut here = at;
    for _ in 0..MAX_DEPTH {
        let next = outline.child(here, "declarator");
        let inner = |kind: &str| {
            outline.children(here).find(|child| outline.nodes[*child].kind.ends_with(kind))
        };
        // A declarator in parentheses has no field.
        here = next.or_else(|| (here != at).then(|| inner("declarator")).flatten())?;
        if outline.nodes[here].kind == "identifier" {
            return Some(here);
        }
    }
    None
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = DefaultHasher::new();
    bytes.hash(&mut hash);
    hash.finish()
}

/// The tokens of a function in short, with and without its name, and each by itself.
fn digests(text: &[u8], name: &str) -> (u64, u64, Vec<u64>) {
    let (mut all, mut nameless) = (DefaultHasher::new(), DefaultHasher::new());
    let mut words = Vec::new();
    for token in tokens(text).filter(|token| !token.is_trivia()) {
        let word = token.text(text);
        let is_name = token.kind == TokenKind::Identifier && &*word == name.as_bytes();
        word.hash(&mut all);
        (if is_name { &b""[..] } else { &word[..] }).hash(&mut nameless);
        words.push(hash(&word));
    }
    words.sort_unstable();
    (all.finish(), nameless.finish(), words)
}
