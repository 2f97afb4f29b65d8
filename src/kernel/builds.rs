//! The output as builds see it: the kernel's own, and those that ask for more debugging.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::edit::Traced;
use crate::finding::Result;
use crate::memo::{Held, Key, Memo};
use crate::preprocess::fold::fold_scanned;
use crate::preprocess::lexer::{
    Directive, Keyword, Scan, Scanned, TokenKind, directive_tokens, splices_a_word,
};
use crate::preprocess::settings::Settings;
use crate::rules::{Active, MacroClass, MacroRule, MacroState, Simplify};
use crate::text::{Source, TreePath};

/// Most builds that are looked at.
const MAX_BUILDS: usize = 6;

/// Most rounds in which names that a build never defines are looked for.
const MAX_ROUNDS: usize = 4;

/// What one build compiles.
#[derive(Clone, Debug)]
pub struct Build {
    /// The condition that holds in it and not in the builds before; none for the kernel's own.
    pub condition: Option<String>,
    /// The files without the branches that this build drops. The traces lead to the output.
    pub texts: BTreeMap<TreePath, Traced>,
    /// The texts' keys and directives.
    pub known: BTreeMap<TreePath, (Option<Key>, Scanned)>,
}

/// A file of the tree.
#[derive(Clone, Debug)]
pub struct Given {
    /// The text.
    pub source: Arc<Source>,
    /// Its key.
    pub key: Option<Key>,
    /// Its directives.
    pub scan: Scanned,
}

/// The builds of a tree, the kernel's own first. `facts` are the rules of a profile that says of every
/// macro what a kernel build knows; `folded` tells that the tree was folded by them.
///
/// # Errors
/// The rules' alternatives combine to too many cases.
pub fn of(
    files: &BTreeMap<TreePath, Arc<Source>>,
    facts: &Active<'_>,
    folded: bool,
) -> Result<Vec<Build>> {
    let given = |(path, source): (&TreePath, &Arc<Source>)| {
        (path.clone(), Given { source: Arc::clone(source), key: None, scan: Scanned::default() })
    };
    of_known((&Memo::off(), None), &files.iter().map(given).collect(), facts, folded)
}

/// The same where some of the files have been seen before; beside the memo stands the key of `facts`.
///
/// # Errors
/// As for [`of`].
pub fn of_known(
    (memo, rules): (&Memo, Option<Key>),
    files: &BTreeMap<TreePath, Given>,
    facts: &Active<'_>,
    folded: bool,
) -> Result<Vec<Build>> {
    let level = Level::find(memo, files, facts);
    let derived = Derived::new(facts);
    let mut start = Start { memo, rules, steps: BTreeMap::new(), facts, folded, derived };
    start.steps = start.of(files, level.as_ref().map(|level| level.rule))?;
    let Some(level) = level else {
        return Ok(vec![start.build(None)?]);
    };
    let mut builds = vec![start.build(Some((level.rule, level.default)))?];
    for &value in level.others.iter().take(MAX_BUILDS - 1) {
        let mut other = start.build(Some((level.rule, value)))?;
        other.condition = Some(format!("{} >= {value}", level.name));
        let same =
            |last: &Build| last.texts.iter().all(|(p, t)| t.bytes() == other.texts[p].bytes());
        if !builds.last().is_some_and(same) {
            builds.push(other);
        }
    }
    Ok(builds)
}

/// The macro that says how much debugging is wanted.
struct Level<'a> {
    rule: &'a MacroRule,
    name: &'a str,
    default: i64,
    /// Higher values that make a difference.
    others: BTreeSet<i64>,
}

impl<'a> Level<'a> {
    /// The first macro of class debug that the tree gives a number by default.
    fn find(
        memo: &Memo,
        files: &BTreeMap<TreePath, Given>,
        facts: &Active<'a>,
    ) -> Option<Level<'a>> {
        let free =
            |rule: &&&MacroRule| rule.class == MacroClass::Debug && rule.state == MacroState::Free;
        for rule in facts.macros.iter().filter(free) {
            for name in &rule.names {
                let mut seen = Vec::new();
                let mut default = None;
                for file in files.values() {
                    let key = memo.key("level", |key| _ = key.key(file.key).text(name));
                    let numbers = memo.get(key, || Numbers::of(file, name));
                    default = default.or(numbers.default);
                    seen.extend(&numbers.seen);
                }
                if let Some(default) = default {
                    let near = |number: i64| [number, number.saturating_add(1)];
                    let others = seen.into_iter().flat_map(near).filter(|n| *n > default);
                    return Some(Level { rule, name, default, others: others.collect() });
                }
            }
        }
        None
    }
}

/// The numbers that a file has beside the name of a macro.
#[derive(Default)]
struct Numbers {
    default: Option<i64>,
    seen: Vec<i64>,
}

impl Held for Numbers {
    fn weight(&self) -> usize {
        8 * self.seen.len() + 40
    }
}

impl Numbers {
    fn of(file: &Given, name: &str) -> Numbers {
        let bytes = &*file.source.bytes;
        let mut of = Numbers::default();
        if memchr::memmem::find(bytes, name.as_bytes()).is_none() {
            return of;
        }
        for directive in &file.scan.of(bytes).directives {
            let numbers = numbers_beside(bytes, directive, name);
            match directive.keyword {
                Keyword::Define => of.default = of.default.or(numbers.first().copied()),
                Keyword::If | Keyword::Elif => of.seen.extend(numbers),
                _ => {}
            }
        }
        of
    }
}

/// The whole numbers in a directive that names a macro; in a definition, of that macro.
fn numbers_beside(bytes: &[u8], directive: &Directive, name: &str) -> Vec<i64> {
    let tokens: Vec<_> =
        directive_tokens(bytes, directive.body).filter(|token| !token.is_trivia()).collect();
    let is_name = |token: &crate::preprocess::lexer::Token| &*token.text(bytes) == name.as_bytes();
    let named = match directive.keyword {
        Keyword::Define => tokens.len() == 2 && is_name(&tokens[0]),
        _ => tokens.iter().any(is_name),
    };
    let number = |token: &crate::preprocess::lexer::Token| {
        let text = token.text(bytes);
        let number = std::str::from_utf8(&text).ok()?.parse().ok();
        number.filter(|_| token.kind == TokenKind::Number)
    };
    if named { tokens.iter().filter_map(number).collect() } else { Vec::new() }
}

/// What all builds start from.
struct Start<'a> {
    memo: &'a Memo,
    /// Key of the facts.
    rules: Option<Key>,
    steps: BTreeMap<TreePath, Step>,
    facts: &'a Active<'a>,
    folded: bool,
    derived: Derived<'a>,
}

/// A file on its way to a build.
#[derive(Clone)]
struct Step {
    text: Traced,
    key: Option<Key>,
    /// Its directives.
    scan: Scanned,
    /// What it says of names of class derived. Few files change from round to round and from build to
    /// build.
    said: Arc<OnceLock<Said>>,
}

impl Held for Step {
    fn weight(&self) -> usize {
        const DIRECTIVE: usize = 48;
        self.text.weight() + DIRECTIVE * (self.text.bytes().len() / 300)
    }
}

/// A file after folding, if that changes it.
struct Folded(Option<Step>);

impl Held for Folded {
    fn weight(&self) -> usize {
        self.0.as_ref().map_or(0, Held::weight)
    }
}

impl Step {
    fn new(text: Traced, key: Option<Key>) -> Step {
        Step { text, key, scan: Scanned::default(), said: Arc::default() }
    }

    fn scan(&self) -> &Scan {
        self.scan.of(self.text.bytes())
    }

    /// The file folded; `None` where nothing comes of that.
    fn folded(&self, path: &TreePath, settings: &Settings, key: Option<Key>) -> Option<Step> {
        let source = Source::new(path.as_str(), Arc::clone(self.text.bytes()));
        let folded = fold_scanned(&source, self.scan(), settings);
        if !folded.balanced || folded.edits.is_empty() {
            return None;
        }
        Some(Step::new(self.text.clone().apply(folded.edits).ok()?, key))
    }
}

impl Start<'_> {
    /// The files, folded by what every build knows, but for those that name the rule on which builds
    /// differ.
    fn of(
        &self,
        files: &BTreeMap<TreePath, Given>,
        level: Option<&MacroRule>,
    ) -> Result<BTreeMap<TreePath, Step>> {
        let settings = self.settings(Vec::new(), true)?;
        let level: Vec<&MacroRule> = level.into_iter().collect();
        let step = |(path, Given { source, key, scan }): (&TreePath, &Given)| {
            let key = self.memo.key("step", |maker| {
                maker.key(*key).key(self.rules).number(self.folded.into());
                maker.text(level.first().map_or("", |rule| rule.rule.name.as_str()));
            });
            let step = self.memo.get(key, || {
                let mut step = Step::new(Traced::new(Arc::clone(&source.bytes)), key);
                step.scan = scan.clone();
                let later = self.folded || names(&source.bytes, level.iter().copied());
                let folded = if later { None } else { step.folded(path, &settings, key) };
                folded.unwrap_or(step)
            });
            (path.clone(), Step::clone(&step))
        };
        Ok(files.into_par_iter().map(step).collect())
    }

    /// Settings of these rules and, at first, of what every build knows.
    fn settings<'r>(&'r self, mut rules: Vec<&'r MacroRule>, first: bool) -> Result<Settings> {
        let mut one_of = &self.facts.one_of[..0];
        if first && !self.folded {
            rules.extend(&self.facts.macros);
            one_of = &self.facts.one_of;
        }
        Settings::from_rules(&rules, one_of, Simplify::Full, |_| false)
    }

    /// Folds the files for one build.
    fn build(&self, level: Option<(&MacroRule, i64)>) -> Result<Build> {
        let mut own: Vec<MacroRule> = Vec::new();
        if let Some((rule, value)) = level {
            own.push(MacroRule { state: MacroState::Value(value.to_string()), ..rule.clone() });
        }
        let mut steps = self.steps.clone();
        let mut lacking: BTreeSet<String> = BTreeSet::new();
        for round in 0..MAX_ROUNDS {
            let settings = self.settings(own.iter().collect(), round == 0)?;
            let all = self.memo.key("settings", |key| {
                key.key(self.rules).number((round == 0 && !self.folded).into());
                for rule in &own {
                    key.text(&format!("{:?} {:?}", rule.names, rule.state));
                }
            });
            let fold = |(path, step): (TreePath, Step)| {
                let key = self.memo.key("build", |key| _ = key.key(step.key).key(all));
                let folded = self.memo.get(key, || {
                    let named = names(step.text.bytes(), &own);
                    Folded(named.then(|| step.folded(&path, &settings, key)).flatten())
                });
                (path, folded.0.clone().unwrap_or(step))
            };
            steps = steps.into_par_iter().map(fold).collect();
            let new = self.derived.never_defined(&steps, &lacking);
            if new.is_empty() {
                break;
            }
            own.clear();
            own.extend(new.iter().map(|(name, rule)| MacroRule {
                names: vec![name.clone()],
                state: MacroState::Undefined,
                ..(*rule).clone()
            }));
            lacking.extend(new.into_keys());
        }
        let known = steps.iter().map(|(path, step)| (path.clone(), (step.key, step.scan.clone())));
        let known = known.collect();
        let texts = steps.into_iter().map(|(path, step)| (path, step.text)).collect();
        Ok(Build { condition: None, texts, known })
    }
}

/// Whether a text may hold a name of one of the rules.
fn names<'r>(bytes: &[u8], rules: impl IntoIterator<Item = &'r MacroRule>) -> bool {
    let mut names = rules.into_iter().flat_map(|rule| &rule.names).peekable();
    let some = names.peek().is_some();
    names.any(|name| memchr::memmem::find(bytes, name.as_bytes()).is_some())
        || some && splices_a_word(bytes)
}

/// The rules about names of class derived that nothing settles: the sources themselves say when they
/// hold.
struct Derived<'a>(Vec<&'a MacroRule>);

/// What a file says of such names.
#[derive(Default)]
struct Said {
    /// Those in its conditions.
    asked: BTreeSet<String>,
    /// Those that it defines.
    defined: BTreeSet<String>,
}

impl<'a> Derived<'a> {
    fn new(facts: &Active<'a>) -> Derived<'a> {
        let derived =
            |r: &&MacroRule| r.class == MacroClass::Derived && r.state == MacroState::Free;
        Derived(facts.macros.iter().copied().filter(derived).collect())
    }

    fn rule_of(&self, name: &str) -> Option<&'a MacroRule> {
        let is = |pattern: &String| match pattern.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => pattern == name,
        };
        self.0.iter().copied().find(|rule| rule.names.iter().any(is))
    }

    /// Those in conditions that no file defines: here they never hold.
    fn never_defined(
        &self,
        steps: &BTreeMap<TreePath, Step>,
        known: &BTreeSet<String>,
    ) -> BTreeMap<String, &'a MacroRule> {
        let said: Vec<&Said> =
            steps.values().map(|s| s.said.get_or_init(|| self.said(s))).collect();
        let mut never = BTreeMap::new();
        for name in said.iter().flat_map(|said| &said.asked) {
            let defined = || said.iter().any(|said| said.defined.contains(name));
            if let Some(rule) = self.rule_of(name).filter(|_| !known.contains(name) && !defined()) {
                never.insert(name.clone(), rule);
            }
        }
        never
    }

    fn said(&self, step: &Step) -> Said {
        let bytes = step.text.bytes();
        let mut said = Said::default();
        for directive in &step.scan().directives {
            let condition = directive.keyword.opens() || directive.keyword == Keyword::Elif;
            let define = directive.keyword == Keyword::Define;
            if !condition && !define {
                continue;
            }
            for token in directive_tokens(bytes, directive.body) {
                if token.kind != TokenKind::Identifier {
                    continue;
                }
                let text = token.text(bytes);
                let name = String::from_utf8_lossy(&text);
                let list = if define { &mut said.defined } else { &mut said.asked };
                if self.rule_of(&name).is_some() {
                    list.insert(name.into_owned());
                }
                if define {
                    break;
                }
            }
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::load;

    fn builds(files: &[(&str, &str)]) -> Vec<Build> {
        let source = |(path, text): &(&str, &str)| {
            (TreePath::new(path).unwrap(), Source::new(*path, text.as_bytes()))
        };
        let ruleset = load(None).unwrap();
        let version = "1.5.7".parse().unwrap();
        let facts = Active::new(&ruleset, version, &ruleset.library.profiles[0]);
        of(&files.iter().map(source).collect(), &facts, true).unwrap()
    }

    fn text(build: &Build, path: &str) -> String {
        let bytes = build.texts[&TreePath::new(path).unwrap()].bytes().to_vec();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn each_debug_level_that_makes_a_difference_is_a_build() {
        let debug = "#ifndef DEBUGLEVEL\n#define DEBUGLEVEL 0\n#endif\n\
            #if (DEBUGLEVEL>=2)\nint traced;\n#define ZSTD_DEPS_NEED_IO\n#endif\n";
        let no = "#ifndef assert\n#define assert(condition) ((void)0)\n#endif\n";
        let deps = "#ifdef ZSTD_DEPS_NEED_IO\nint io;\n#endif\n#ifdef OTHER\nint other;\n#endif\n";
        let builds = builds(&[("a/assert.h", no), ("a/debug.h", debug), ("a/deps.h", deps)]);
        let conditions: Vec<_> = builds.iter().map(|b| b.condition.as_deref()).collect();
        assert_eq!(conditions, [None, Some("DEBUGLEVEL >= 2")]);
        assert_eq!(text(&builds[0], "a/debug.h"), "");
        assert_eq!(text(&builds[0], "a/deps.h"), "#ifdef OTHER\nint other;\n#endif\n");
        assert!(text(&builds[1], "a/debug.h").starts_with("int traced;\n"));
        assert_eq!(text(&builds[1], "a/deps.h"), deps);
    }

    #[test]
    fn a_tree_without_debug_levels_has_one_build() {
        let builds = builds(&[("a/a.c", "int a;\n")]);
        assert_eq!(builds.len(), 1);
        assert_eq!(text(&builds[0], "a/a.c"), "int a;\n");
    }
}
