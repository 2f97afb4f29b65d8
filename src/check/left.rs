//! Nothing is left over in the kernel form that kernels don't have, don't take, or take amiss.
//!
//! Each file is first taken down to what it holds, which depends on its text and the lists alone.
//! What it means is then judged with what all files declare. The data are rules'; nothing but words of
//! C and of its compilers is named here.

mod arrays;
mod asserts;
mod calls;
mod declared;
mod divisions;
mod expressions;
mod facts;
mod fields;
mod globals;
mod guards;
mod headers;
mod identifiers;
mod known;
mod lists;
mod point;
mod pragmas;
mod recursion;
#[cfg(test)]
mod tests;
mod types;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::Scope;
use crate::finding::{Finding, Findings};
use crate::memo::{Held, Key};
use crate::pipeline::OutputFile;
use crate::preprocess::lexer::tokens;
use crate::syntax::{Definitions, Facts as Roles, Words};
use crate::text::TreePath;

use facts::Facts;
use known::Known;
use lists::Lists;
use point::Point;

/// A macro that the rules settle is still used or asked for.
pub const HARDWIRED: &str = "hardwired-macro-left";
/// A header is included that the kernel form has not.
pub const HEADER: &str = "header-left";
/// A name stands that rules give no counterpart in the kernel.
pub const NAME: &str = "name-left";
/// A function of the C library is called by its plain name.
pub const LIBC: &str = "libc-call-left";
/// Floating point.
pub const FLOATING: &str = "floating-point";
/// A division that 32-bit processors need a function for.
pub const DIVISION: &str = "wide-division";
/// Intrinsics or types of a vector unit.
pub const INTRINSICS: &str = "intrinsics-left";
/// A function of the compiler that not every kernel compiler offers.
pub const BUILTIN: &str = "builtin-not-allowed";
/// A name that is a macro of the kernel's.
pub const KERNEL_MACRO: &str = "kernel-macro-name";
/// A pragma that one of the kernel's compilers doesn't know.
pub const PRAGMA: &str = "pragma-unguarded";
/// A global name that could be anybody's.
pub const GLOBAL: &str = "global-without-prefix";
/// An array whose length is worked out as the program runs.
pub const VARIABLE_ARRAY: &str = "variable-length-array";
/// An array at the end of a struct that has more elements than it says.
pub const TRAILING_ARRAY: &str = "trailing-array";
/// A function that calls itself.
pub const RECURSION: &str = "recursion";
/// A variable that nothing but assertions reads.
pub const ONLY_IN_ASSERT: &str = "only-in-assert";

/// Looks over a kernel form. What `imported` says already isn't said again.
pub fn check(scope: Scope<'_>, imported: &Findings) -> Findings {
    let code = |path: &TreePath| matches!(path.extension(), Some("c" | "h"));
    let Scope { tree, rules, memo, .. } = scope;
    let files: Vec<(&TreePath, &OutputFile)> =
        tree.files.iter().filter(|(path, _)| code(path)).collect();
    let masks = rules.masks.iter().flat_map(|rule| &rule.names).map(String::as_str);
    let keys = files.iter().map(|(path, file)| (*path, file.key));
    let definitions = Definitions::of_known(memo, keys, masks, |path| match tree.files.get(path) {
        Some(file) => Roles::of(path, file.text.bytes(), &file.scan, None),
        None => Roles::default(),
    });
    let lists = Lists::new(rules);
    let facts: Vec<Arc<Facts>> = files
        .par_iter()
        .map(|(path, file)| facts_of(scope, &lists, &definitions, path, file))
        .collect();
    let known = Known::new(scope, &facts);
    let each: Vec<Findings> = files
        .par_iter()
        .zip(&facts)
        .map(|((path, file), facts)| judge(&lists, &known, path, file, facts))
        .collect();
    let mut findings = Findings::default();
    each.into_iter().for_each(|found| findings.extend(found));
    findings.extend(recursion::check(&lists, &files, &facts));
    without(findings, imported)
}

/// What a file holds. It is read anew only if something is said of its own words that was not said
/// before.
fn facts_of(
    scope: Scope<'_>,
    lists: &Lists<'_>,
    definitions: &Definitions,
    path: &TreePath,
    file: &OutputFile,
) -> Arc<Facts> {
    let memo = scope.memo;
    let make = || facts::of(lists, definitions, path, file, memo);
    if file.key.is_none() {
        return Arc::new(make());
    }
    let said = memo.key("said", |key| _ = key.key(file.key).key(definitions.key()));
    let said = memo.get(said, || {
        let bytes = file.text.bytes();
        let words = memo.key("words", |key| _ = key.key(file.key));
        let words = memo.get(words, || Words::of(bytes, tokens(bytes)));
        Said(definitions.key_for(memo, &words))
    });
    let key = memo.key("left", |key| _ = key.key(file.key).key(said.0).key(scope.key));
    memo.get(key, make)
}

/// Key of what all files' definitions say of a file's words.
struct Said(Option<Key>);

impl Held for Said {
    fn weight(&self) -> usize {
        size_of::<Said>()
    }
}

/// What a file holds, held against the rules and the other files.
fn judge(
    lists: &Lists<'_>,
    known: &Known<'_>,
    path: &TreePath,
    file: &OutputFile,
    facts: &Facts,
) -> Findings {
    let point = Point::new(file);
    let mut findings = facts.findings.clone();
    findings.extend(facts.errors.clone());
    headers::judge(lists, known, path, &point, &facts.headers, &mut findings);
    words::judge(known, &point, &facts.hardwired, &mut findings);
    words::judge_floats(known, &point, &facts.floats, &mut findings);
    calls::judge(lists, known, &point, &facts.plain_calls, &mut findings);
    divisions::judge(known, &point, facts, &mut findings);
    fields::judge(known, &point, &facts.fields, &mut findings);
    globals::judge(lists, known, &point, &facts.globals, &mut findings);
    asserts::judge(known, &point, &facts.variables, &mut findings);
    findings
}

/// Leaves out what points at a place of which the import has found fault.
fn without(mut findings: Findings, imported: &Findings) -> Findings {
    let place = |finding: &Finding| {
        let first = finding.labels.first()?;
        Some((first.source.name.clone(), first.span))
    };
    let said: HashSet<_> = imported.iter().filter_map(place).collect();
    // That a header has no place in kernels says more than that no rule knows it.
    let more = |finding: &Finding| finding.code == INTRINSICS;
    findings.retain(|finding| {
        more(finding) || place(finding).is_none_or(|place| !said.contains(&place))
    });
    findings
}
