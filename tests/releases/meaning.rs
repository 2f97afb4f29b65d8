//! The output compiles, and says to the compiler what the release says, whatever the macros that
//! stay open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kernelize::pipeline::transform;
use kernelize::preprocess::lexer::{TokenKind, directive_tokens, scan};
use kernelize::rules::{Active, IncludeTarget, MacroState};
use kernelize::text::TreePath;

use crate::harness::compile::Compile;
use crate::harness::settings::{Free, Setting};
use crate::harness::stream::Comparison;
use crate::imported::Imported;

/// Everything about the rules that a comparison has to know.
struct Expectation<'a> {
    imported: &'a Imported,
    active: Active<'a>,
    fixed: Vec<Setting>,
    alternatives: Vec<Vec<Setting>>,
    free: Vec<Free>,
    renames: BTreeMap<String, String>,
}

impl<'a> Expectation<'a> {
    fn new(imported: &'a Imported) -> Expectation<'a> {
        let profile = imported.ruleset.profile(imported.profile).unwrap();
        let active = Active::new(&imported.ruleset, imported.version, profile);
        let standing = standing(imported);
        let mut expectation = Expectation {
            imported,
            fixed: Vec::new(),
            alternatives: Vec::new(),
            free: Vec::new(),
            renames: renames(&active),
            active,
        };
        expectation.set(&standing);
        expectation
    }

    fn set(&mut self, standing: &BTreeSet<String>) {
        for rule in &self.active.macros {
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
        for rule in &self.active.one_of {
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
        let inner = &spelling[1..spelling.len() - 1];
        let file = path
            .resolve(inner)
            .filter(|_| spelling.starts_with('"'))
            .filter(|file| self.imported.files.contains_key(file));
        let target = match file {
            Some(file) => IncludeTarget::File(file.as_str().to_owned()),
            None => IncludeTarget::System(inner.to_owned()),
        };
        let rule = self.active.includes.iter().find(|rule| rule.from == target);
        Some(rule.and_then(|rule| rule.to.clone()).unwrap_or_else(|| spelling.to_owned()))
    }

    fn compare(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut compared = 0;
        for (place, file) in &self.imported.tree.files {
            let Some(path) = file.upstream.as_ref().filter(|_| file.template.is_none()) else {
                continue;
            };
            let result = Comparison {
                fixed: &self.fixed,
                alternatives: &self.alternatives,
                free: &self.free,
                rename: &|word| self.renames.get(word).cloned(),
                include: &|spelling| self.include(path, spelling),
                ..Comparison::new(place.as_str(), &file.source.bytes, file.text.bytes())
            }
            .run();
            compared += 1;
            wrong.extend(result.err().map(|error| format!("{path}: {error}")));
        }
        assert!(compared > 40, "{compared} files");
        wrong
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
fn standing(imported: &Imported) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in imported.tree.files.values() {
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

/// The output is what it is to become already.
fn changed_by_a_second_import(imported: &Imported) -> Vec<String> {
    let profile = imported.ruleset.profile(imported.profile).unwrap();
    let derived = imported.tree.files.values().filter(|file| file.template.is_none());
    derived
        .filter_map(|file| {
            let path = file.upstream.as_ref()?;
            let bytes = Arc::clone(file.text.bytes());
            let version = imported.version;
            let (again, _) = transform(path, bytes, version, &imported.ruleset, profile).unwrap();
            (again?.text.bytes() != file.text.bytes()).then(|| path.to_string())
        })
        .collect()
}

fn check(release: &str) {
    for profile in ["strict", "official"] {
        let imported = Imported::new(release, profile);
        let what = format!("{} {profile}", imported.release);
        let findings: Vec<String> =
            imported.tree.findings.iter().map(|f| f.message.clone()).collect();
        assert_eq!(findings, Vec::<String>::new(), "{what}");
        let folder = tempfile::tempdir().unwrap();
        imported.write(folder.path());
        for asserts in [false, true] {
            Compile::with_asserts(asserts)
                .tree(folder.path())
                .unwrap_or_else(|error| panic!("{what}, asserts {asserts}: {error}"));
        }
        let changed = changed_by_a_second_import(&imported);
        assert_eq!(changed, Vec::<String>::new(), "{what}");
        let wrong = Expectation::new(&imported).compare();
        assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn v1_4_9() {
    check("1.4.9");
}

#[test]
fn v1_5_2() {
    check("1.5.2");
}

#[test]
fn v1_5_5() {
    check("1.5.5");
}

#[test]
fn v1_5_6() {
    check("1.5.6");
}

#[test]
fn v1_5_7() {
    check("1.5.7");
}

/// The releases between only have to compile and to leave nothing unclassified.
#[test]
fn every_release_compiles_without_findings() {
    for release in ["1.5.0", "1.5.1", "1.5.4"] {
        for profile in ["strict", "official"] {
            let imported = Imported::new(release, profile);
            let findings: Vec<_> = imported.tree.findings.iter().map(|f| &f.message).collect();
            assert!(findings.is_empty(), "{release} {profile}: {findings:?}");
            let folder = tempfile::tempdir().unwrap();
            imported.write(folder.path());
            for asserts in [false, true] {
                Compile::with_asserts(asserts)
                    .tree(folder.path())
                    .unwrap_or_else(|error| panic!("{release} {profile}: {error}"));
            }
        }
    }
}
