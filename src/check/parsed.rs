//! Every file of the kernel form is C by its grammar.

use std::sync::Arc;

use rayon::prelude::*;

use super::Scope;
use crate::finding::Findings;
use crate::memo::Memo;
use crate::pipeline::OutputFile;
use crate::preprocess::lexer::tokens;
use crate::syntax::{Definitions, Facts, Words, parse};

/// Parses every file; what isn't C is a finding.
pub fn check(scope: Scope<'_>) -> Findings {
    let Scope { tree, rules, memo, .. } = scope;
    let is_code = |path: &str| path.ends_with(".c") || path.ends_with(".h");
    let files = || tree.files.iter().filter(|(path, _)| is_code(path.as_str()));
    let masks = rules.masks.iter().flat_map(|rule| &rule.names).map(String::as_str);
    let keys = files().map(|(path, file)| (path, file.key));
    let definitions = Definitions::of_known(memo, keys, masks, |path| match tree.files.get(path) {
        Some(file) => Facts::of(path, file.text.bytes(), None),
        None => Facts::default(),
    });
    let work: Vec<&OutputFile> = files().map(|(_, file)| file).collect();
    let errors: Vec<Arc<Findings>> =
        work.par_iter().map(|file| one(file, &definitions, memo)).collect();
    let mut findings = Findings::default();
    errors.iter().for_each(|errors| findings.extend(Findings::clone(errors)));
    findings
}

/// What is said of one file. It is read anew only if something is said of its own words that was not
/// said before.
fn one(file: &OutputFile, definitions: &Definitions, memo: &Memo) -> Arc<Findings> {
    memo.file("parsed", file.key, definitions.key(), || {
        let errors = || parse(&file.source, &file.text, definitions).errors;
        if file.key.is_none() {
            return errors();
        }
        let bytes = file.text.bytes();
        let words = memo.key("words", |key| _ = key.key(file.key));
        let words = memo.get(words, || Words::of(bytes, tokens(bytes)));
        let said = definitions.key_for(memo, &words);
        Findings::clone(&memo.file("parsed by roles", file.key, said, errors))
    })
}
