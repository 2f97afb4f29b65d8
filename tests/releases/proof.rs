//! The proof holds for real releases, and for none of them once a token is changed behind its back.

use std::collections::BTreeSet;

use kernelize::edit::{EditSet, RuleRef, Traced};
use kernelize::pipeline::OutputFile;
use kernelize::preprocess::lexer::{Keyword, Token, directive_tokens, scan, tokens};
use kernelize::proof::{FileProof, Prover, summed};
use kernelize::rules::Active;
use kernelize::text::Span;

use crate::harness::packages;
use crate::imported::Imported;

fn active(imported: &Imported) -> Active<'_> {
    let profile = imported.ruleset.profile(imported.profile).unwrap();
    Active::new(&imported.ruleset, imported.version, profile)
}

fn proofs(imported: &Imported) -> Vec<FileProof> {
    let rules = active(imported);
    let files = imported.tree.files.values();
    let prover = Prover::new(&rules, files.clone().map(|file| &**file.text.bytes())).unwrap();
    let ours = files.filter(|file| file.template.is_none());
    ours.map(|file| prover.file(&file.source, &file.text)).collect()
}

#[test]
fn every_file_of_every_release_is_proved() {
    for release in packages::versions() {
        for profile in ["strict", "official"] {
            let imported = Imported::new(&release, profile);
            let (figures, findings) = summed(proofs(&imported));
            let told: Vec<String> = findings.iter().map(|f| f.message.clone()).collect();
            assert_eq!(told, Vec::<String>::new(), "{release} {profile}");
            assert_eq!(figures.files, figures.proved);
            assert_eq!(figures.conditions, imported.tree.conditions.before);
            assert!(figures.facts > 90, "{release} {profile}: {figures:?}");
        }
    }
}

/// Numbers that look random and are the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }
}

/// Ways to change a text at one of its tokens.
const CHANGES: [&str; 4] = ["gone", "twice", "its line gone", "commented out"];

fn changed(file: &OutputFile, token: &Token, list: &[Token], change: &str) -> Traced {
    let bytes = file.text.bytes();
    let raw = String::from_utf8_lossy(token.raw(bytes)).into_owned();
    let mut edits = EditSet::default();
    let rule = RuleRef::new("macros", "planted");
    match change {
        "gone" => edits.replace(token.span, "", &rule),
        "twice" => edits.replace(token.span, format!("{raw} {raw}"), &rule),
        "commented out" => edits.replace(token.span, format!("/*{raw}*/"), &rule),
        _ => {
            let start = bytes[..token.span.range().start].iter().rposition(|b| *b == b'\n');
            let end = bytes[token.span.range().end..].iter().position(|b| *b == b'\n');
            let start = start.map_or(0, |at| at + 1);
            let end = end.map_or(bytes.len(), |at| at + token.span.range().end);
            // A comment that began before would go on.
            let whole = |t: &&Token| {
                (t.span.range().start < start) == (t.span.range().end <= start)
                    && (t.span.range().start < end) == (t.span.range().end <= end)
            };
            let (start, end) = match list.iter().all(|t| whole(&t)) {
                true => (start, end),
                false => (token.span.range().start, token.span.range().end),
            };
            edits.replace(Span::new(start, end), "", &rule);
        }
    }
    file.text.clone().apply(edits).unwrap()
}

/// What can be changed and still means the same: code below `#if 0`, and whatever stands behind the
/// names of `#else` and `#endif`.
fn without_meaning(bytes: &[u8]) -> Vec<Span> {
    let directives = scan(bytes).directives;
    let mut spans = Vec::new();
    for (at, directive) in directives.iter().enumerate() {
        let mut words = directive_tokens(bytes, directive.body).filter(|t| !t.is_trivia());
        match directive.keyword {
            Keyword::Else | Keyword::Endif => spans.push(directive.name.cover(directive.body)),
            Keyword::If if words.next().is_some_and(|word| word.raw(bytes) == b"0") => {
                let mut depth = 0;
                let end = directives[at + 1..].iter().find(|d| {
                    depth += i32::from(d.keyword.opens());
                    depth -= i32::from(d.keyword == Keyword::Endif);
                    depth < 0 || (depth == 0 && d.keyword == Keyword::Else)
                });
                spans.push(Span { start: directive.end, end: end.unwrap().hash });
            }
            _ => {}
        }
    }
    spans
}

#[test]
fn no_changed_token_is_taken_for_the_same() {
    let imported = Imported::new("1.5.6", "strict");
    let rules = active(&imported);
    let texts = imported.tree.files.values().map(|file| &**file.text.bytes());
    let prover = Prover::new(&rules, texts).unwrap();
    let files: Vec<&OutputFile> =
        imported.tree.files.values().filter(|file| file.template.is_none()).collect();
    let mut numbers = Numbers(1);
    let mut missed = BTreeSet::new();
    for round in 0..600 {
        let file = files[numbers.below(files.len())];
        let list: Vec<Token> = tokens(file.text.bytes()).collect();
        let quiet = without_meaning(file.text.bytes());
        let meant = |token: &&Token| {
            !token.is_trivia()
                && !quiet.iter().any(|s| s.start <= token.span.start && token.span.end <= s.end)
        };
        let code: Vec<&Token> = list.iter().filter(meant).collect();
        let token = code[numbers.below(code.len())];
        let change = CHANGES[round % CHANGES.len()];
        let text = changed(file, token, &list, change);
        if prover.file(&file.source, &text).findings.is_empty() {
            let at = file.text.bytes()[..token.span.range().start].split(|b| *b == b'\n').count();
            let raw = String::from_utf8_lossy(token.raw(file.text.bytes())).into_owned();
            missed.insert(format!("{}:{at} `{raw}` {change}", file.source.name));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
