//! The output as builds see it: the kernel's own, and those that ask for more debugging.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::edit::Traced;
use crate::finding::Result;
use crate::preprocess::fold::fold_scanned;
use crate::preprocess::lexer::{
    Directive, Keyword, Scan, TokenKind, directive_tokens, scan, splices_a_word,
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
    let level = Level::find(files, facts);
    let mut start = Start { steps: BTreeMap::new(), facts, folded, derived: Derived::new(facts) };
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
    fn find(files: &BTreeMap<TreePath, Arc<Source>>, facts: &Active<'a>) -> Option<Level<'a>> {
        let free =
            |rule: &&&MacroRule| rule.class == MacroClass::Debug && rule.state == MacroState::Free;
        for rule in facts.macros.iter().filter(free) {
            for name in &rule.names {
                let mut seen = Vec::new();
                let mut default = None;
                for source in files.values() {
                    if memchr::memmem::find(&source.bytes, name.as_bytes()).is_none() {
                        continue;
                    }
                    for directive in scan(&source.bytes).directives {
                        let numbers = numbers_beside(&source.bytes, &directive, name);
                        match directive.keyword {
                            Keyword::Define => default = default.or(numbers.first().copied()),
                            Keyword::If | Keyword::Elif => seen.extend(numbers),
                            _ => {}
                        }
                    }
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
    steps: BTreeMap<TreePath, Step>,
    facts: &'a Active<'a>,
    folded: bool,
    derived: Derived<'a>,
}

/// A file on its way to a build.
#[derive(Clone)]
struct Step {
    text: Traced,
    /// Its directives.
    scan: Arc<OnceLock<Scan>>,
    /// What it says of names of class derived. Few files change from round to round and from build to
    /// build.
    said: Arc<OnceLock<Said>>,
}

impl Step {
    fn new(text: Traced) -> Step {
        Step { text, scan: Arc::default(), said: Arc::default() }
    }

    fn scan(&self) -> &Scan {
        self.scan.get_or_init(|| scan(self.text.bytes()))
    }

    /// The file folded; itself, with all that is known of it, where nothing comes of that.
    fn folded(self, path: &TreePath, settings: &Settings) -> Step {
        let source = Source::new(path.as_str(), Arc::clone(self.text.bytes()));
        let folded = fold_scanned(&source, self.scan(), settings);
        if !folded.balanced || folded.edits.is_empty() {
            return self;
        }
        match self.text.clone().apply(folded.edits) {
            Ok(text) => Step::new(text),
            Err(_) => self,
        }
    }
}

impl Start<'_> {
    /// The files, folded by what every build knows, but for those that name the rule on which builds
    /// differ.
    fn of(
        &self,
        files: &BTreeMap<TreePath, Arc<Source>>,
        level: Option<&MacroRule>,
    ) -> Result<BTreeMap<TreePath, Step>> {
        let settings = self.settings(Vec::new(), true)?;
        let level: Vec<&MacroRule> = level.into_iter().collect();
        let step = |(path, source): (&TreePath, &Arc<Source>)| {
            let text = Traced::new(Arc::clone(&source.bytes));
            let later = self.folded || names(&source.bytes, level.iter().copied());
            let step = Step::new(text);
            (path.clone(), if later { step } else { step.folded(path, &settings) })
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
            let fold = |(path, step): (TreePath, Step)| {
                if !names(step.text.bytes(), &own) {
                    return (path, step);
                }
                let step = step.folded(&path, &settings);
                (path, step)
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
        let texts = steps.into_iter().map(|(path, step)| (path, step.text)).collect();
        Ok(Build { condition: None, texts })
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
