//! Every file of the kernel form is C by its grammar.

use rayon::prelude::*;

use super::Scope;
use crate::finding::Findings;
use crate::syntax::{Definitions, parse};

/// Parses every file; what isn't C is a finding.
pub fn check(scope: Scope<'_>) -> Findings {
    let files: Vec<_> = scope
        .tree
        .files
        .iter()
        .filter(|(path, _)| matches!(path.extension(), Some("c" | "h")))
        .collect();
    let texts = files.iter().map(|(path, file)| (*path, &**file.text.bytes(), None));
    let masks = scope.rules.masks.iter().flat_map(|rule| &rule.names);
    let definitions = Definitions::of_tokens(texts, masks.map(String::as_str));
    let errors: Vec<Findings> = files
        .par_iter()
        .map(|(_, file)| parse(&file.source, &file.text, &definitions).errors)
        .collect();
    let mut findings = Findings::default();
    errors.into_iter().for_each(|errors| findings.extend(errors));
    findings
}
