//! The grammar takes every file of every release and of every output, and still sees what isn't C.

use kernelize::edit::Traced;
use kernelize::preprocess::lexer::{TokenKind, scan, tokens};
use kernelize::syntax::{Definitions, parse};
use kernelize::text::{Source, Span, TreePath};
use rayon::prelude::*;

use crate::harness::packages;
use crate::imported::Imported;

/// How many mutants, and how many of them may go unseen: some deletions leave other C.
const MUTANTS: usize = 405;
const UNSEEN: usize = 1;

/// The C files of an output with what they define together.
struct Tree<'a> {
    files: Vec<(&'a TreePath, &'a [u8])>,
    definitions: Definitions,
}

impl<'a> Tree<'a> {
    fn new(files: impl Iterator<Item = (&'a TreePath, &'a [u8])>) -> Tree<'a> {
        let is_c = |path: &TreePath| matches!(path.extension(), Some("c" | "h"));
        let files: Vec<(&TreePath, &[u8])> = files.filter(|(path, _)| is_c(path)).collect();
        assert!(files.len() > 40);
        // No name from the rules: all are derived.
        let definitions = Definitions::derive(files.iter().copied(), []);
        Tree { files, definitions }
    }

    fn output(imported: &'a Imported) -> Tree<'a> {
        Tree::new(imported.tree.files.iter().map(|(path, file)| (path, &**file.text.bytes())))
    }

    fn upstream(imported: &'a Imported) -> Tree<'a> {
        Tree::new(imported.files.iter().map(|(path, bytes)| (path, &**bytes)))
    }

    fn errors(&self, path: &TreePath, bytes: &[u8]) -> Vec<String> {
        let source = Source::new(path.as_str(), bytes);
        let parsed = parse(&source, &Traced::new(bytes), &self.definitions);
        let shown = |finding: &kernelize::finding::Finding| {
            let line = finding.labels.first().map(|label| label.position().line);
            format!("{path}:{}: {}", line.unwrap_or_default(), finding.message)
        };
        parsed.errors.iter().map(shown).collect()
    }
}

#[test]
fn every_file_of_every_release_is_c() {
    for release in packages::versions() {
        let (strict, official) =
            (Imported::new(&release, "strict"), Imported::new(&release, "official"));
        for (what, tree) in [
            ("upstream", Tree::upstream(&strict)),
            ("strict", Tree::output(&strict)),
            ("official", Tree::output(&official)),
        ] {
            let errors: Vec<String> =
                tree.files.par_iter().flat_map(|(path, bytes)| tree.errors(path, bytes)).collect();
            assert_eq!(errors, Vec::<String>::new(), "{release} {what}");
        }
    }
}

/// The `;`, `)` and `}` of a file's code; what stands in a directive is opaque to the grammar.
fn closers(bytes: &[u8]) -> Vec<Span> {
    let directives = scan(bytes).directives;
    let in_directive = |at: u32| {
        let after = directives.partition_point(|d| d.hash <= at);
        directives[..after].last().is_some_and(|d| at < d.end)
    };
    tokens(bytes)
        .filter(|token| token.kind == TokenKind::Punct && !in_directive(token.span.start))
        .filter(|token| matches!(token.raw(bytes), b";" | b")" | b"}"))
        .map(|token| token.span)
        .collect()
}

#[test]
fn a_missing_closer_is_seen() {
    let imported = Imported::new("1.5.6", "strict");
    for tree in [Tree::output(&imported), Tree::upstream(&imported)] {
        plant(&tree);
    }
}

fn plant(tree: &Tree<'_>) {
    let places: Vec<(&TreePath, &[u8], Span)> = tree
        .files
        .iter()
        .flat_map(|(path, bytes)| closers(bytes).into_iter().map(move |span| (*path, *bytes, span)))
        .collect();
    let chosen: Vec<_> = (0..MUTANTS).map(|n| places[n * places.len() / MUTANTS]).collect();
    let unseen: Vec<String> = chosen
        .par_iter()
        .filter_map(|(path, bytes, span)| {
            let mutant = [&bytes[..span.start as usize], &bytes[span.end as usize..]].concat();
            let line = kernelize::text::LineIndex::new(bytes).position(span.start as usize).line;
            tree.errors(path, &mutant).is_empty().then(|| format!("{path}:{line}"))
        })
        .collect();
    println!("{} of {MUTANTS} unseen: {unseen:?}", unseen.len());
    assert!(unseen.len() <= UNSEEN, "{} of {MUTANTS} unseen: {unseen:#?}", unseen.len());
}
