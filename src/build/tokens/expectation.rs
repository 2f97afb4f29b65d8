//! What the rules make of each macro, header and name, in the words of a comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::compare::{Comparison, Compiler, Difference, Equal};
use super::settings::{Free, Setting};
use crate::check::Scope;
use crate::pipeline::{KernelTree, OutputFile};
use crate::preprocess::lexer::{TokenKind, directive_tokens, scan};
use crate::rules::{Active, IncludeTarget, MacroState};
use crate::text::TreePath;

/// Everything about the rules that a comparison has to know.
pub(super) struct Expectation<'a> {
    scope: Scope<'a>,
    fixed: Vec<Setting>,
    alternatives: Vec<Vec<Setting>>,
    free: Vec<Free>,
    renames: BTreeMap<String, String>,
}

impl<'a> Expectation<'a> {
    /// Reads the rules in force, and from the output which names they leave standing.
    pub(super) fn new(scope: Scope<'a>) -> Expectation<'a> {
        let standing = standing(scope.tree);
        let mut expectation = Expectation {
            scope,
            fixed: Vec::new(),
            alternatives: Vec::new(),
            free: Vec::new(),
            renames: renames(scope.rules),
        };
        expectation.set(&standing);
        expectation
    }

    fn set(&mut self, standing: &BTreeSet<String>) {
        for rule in &self.scope.rules.macros {
            for name in &rule.names {
                // What the output still asks for has to be told to both sides.
                let setting = |value: Option<&str>| match standing.contains(name) {
                    true => Setting::world(name, value),
                    false => Setting::hard_wired(name, value),
                };
                match &rule.state {
                    MacroState::Free => {}
                    MacroState::Undefined => self.fixed.push(setting(None)),
                    MacroState::Defined if name == "__GNUC__" => {
                        self.free.push(choices(name, [4, 5, 11, 13]));
                    }
                    MacroState::Defined => self.fixed.push(setting(Some(""))),
                    MacroState::Value(value) if rule.replace_in.is_some() => {
                        self.fixed.push(Setting::replaced(name, value));
                    }
                    MacroState::Value(value) => self.fixed.push(setting(Some(value))),
                    MacroState::Range(lo, hi) => {
                        let lo = lo.or(*hi).unwrap_or(0);
                        self.free.push(choices(name, [lo, hi.unwrap_or(lo + 1)]));
                    }
                }
            }
        }
        for rule in &self.scope.rules.one_of {
            for alternative in &rule.alternatives {
                for newer in [0, 6] {
                    let of = |(name, state): (&String, &MacroState)| {
                        let value = match state {
                            MacroState::Free | MacroState::Undefined => None,
                            MacroState::Defined => Some("1".to_owned()),
                            MacroState::Value(value) => Some(value.clone()),
                            MacroState::Range(lo, hi) => {
                                let lo = lo.or(*hi).unwrap_or(0);
                                Some((lo + newer).min(hi.unwrap_or(i64::MAX)).to_string())
                            }
                        };
                        Setting::world(name, value.as_deref())
                    };
                    self.alternatives.push(alternative.macros.iter().map(of).collect());
                }
            }
        }
    }

    /// The spelling in the output of a header that `path` includes.
    fn include(&self, path: &TreePath, spelling: &str) -> Option<String> {
        let inner = spelling.get(1..spelling.len().saturating_sub(1))?;
        let file = path
            .resolve(inner)
            .filter(|_| spelling.starts_with('"'))
            .filter(|file| self.scope.input.files.contains_key(file));
        let target = match file {
            Some(file) => IncludeTarget::File(file.as_str().to_owned()),
            None => IncludeTarget::System(inner.to_owned()),
        };
        let rule = self.scope.rules.includes.iter().find(|rule| rule.from == target);
        Some(rule.and_then(|rule| rule.to.clone()).unwrap_or_else(|| spelling.to_owned()))
    }

    /// Compares an output file with the upstream file that it comes from.
    pub(super) fn compare(
        &self,
        path: &TreePath,
        file: &OutputFile,
        (settings, seed): (usize, u64),
        compiler: Compiler<'_>,
        folder: &Path,
    ) -> Result<Equal, Difference> {
        let comparison = Comparison {
            fixed: &self.fixed,
            alternatives: &self.alternatives,
            free: &self.free,
            rename: &|word| self.renames.get(word).cloned(),
            include: &|spelling| self.include(path, spelling),
            settings,
            seed,
            ..Comparison::new(path.as_str(), &file.source.bytes, file.text.bytes())
        };
        comparison.run(compiler, folder)
    }
}

fn choices<const N: usize>(name: &str, values: [i64; N]) -> Free {
    Free { name: name.to_owned(), choices: values.iter().map(|n| Some(n.to_string())).collect() }
}

fn renames(active: &Active<'_>) -> BTreeMap<String, String> {
    let mut renames = BTreeMap::new();
    for rule in active.names.iter().filter(|rule| !rule.in_comments) {
        renames.extend(rule.rename.clone());
    }
    for rule in &active.calls {
        if let (Some(to), [name]) = (&rule.to, rule.functions.as_slice()) {
            renames.insert(name.clone(), to.clone());
        }
    }
    renames
}

/// The macros that stand in a condition of the output.
fn standing(tree: &KernelTree) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in tree.files.values() {
        let bytes = file.text.bytes();
        for directive in scan(bytes).directives {
            let name = String::from_utf8_lossy(&bytes[directive.name.range()]).into_owned();
            if name.contains("if") {
                names.extend(
                    directive_tokens(bytes, directive.body)
                        .filter(|token| token.kind == TokenKind::Identifier)
                        .map(|token| String::from_utf8_lossy(&token.text(bytes)).into_owned()),
                );
            }
        }
    }
    names
}
