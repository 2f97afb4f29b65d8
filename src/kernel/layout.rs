//! Which files are taken, and where in the Linux tree they go.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::edit::RuleRef;
use crate::finding::{Error, Finding, Findings, Result};
use crate::rules::{FileAction, FileRule, Library, glob_matches};
use crate::text::{Source, TreePath};

/// Code of the findings about files that the rules don't speak of.
pub const FILE_WITHOUT_RULE: &str = "file-without-rule";

/// The plan: upstream files and templates with their places in the Linux tree.
#[derive(Debug, Default)]
pub struct Layout {
    /// Upstream path below the library root to path in the Linux tree.
    pub taken: BTreeMap<TreePath, TreePath>,
    /// Path in the Linux tree to the template that is written there.
    pub templates: BTreeMap<TreePath, Template>,
    /// Upstream path to path in the Linux tree, for everything that an include may lead to: files
    /// taken, and files that a template stands for.
    pub places: BTreeMap<TreePath, TreePath>,
    /// The other way round, for the files taken.
    upstream: BTreeMap<TreePath, TreePath>,
    /// How many files each rule matched.
    pub matched: BTreeMap<RuleRef, usize>,
    /// Two files that would go to one place.
    pub findings: Findings,
}

/// A template to be rendered.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its path below the ruleset's `templates/`.
    pub name: String,
    /// The rule that wants it.
    pub rule: RuleRef,
    /// The upstream file that it stands for, where the release has it.
    pub replaces: Option<TreePath>,
}

/// What the rules say of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    Taken,
    /// Skipped, or a template stands for it.
    Left,
    ByNobody,
}

/// What is new upstream must not stay out in silence.
fn without_rule(path: &TreePath, source: &Arc<Source>) -> Finding {
    Finding::error(FILE_WITHOUT_RULE, format!("no rule takes or skips {path}"))
        .at(source, crate::text::Span::default(), "this file")
        .hint("select it by a rule of kind files, or skip it with the reason")
}

/// Plans the files of a release.
///
/// # Errors
/// A rule's output path is no plain path.
pub fn plan(
    files: &BTreeMap<TreePath, Arc<Source>>,
    library: &Library,
    rules: &[&FileRule],
) -> Result<Layout> {
    let mut layout = Layout::default();
    for rule in rules {
        layout.template(rule, files)?;
    }
    for (path, source) in files {
        let chosen = layout.chosen(path, rules);
        let moved = layout.moved(path, rules)?;
        if chosen == Chosen::ByNobody && path.is_source() {
            layout.findings.push(without_rule(path, source));
        }
        if chosen != Chosen::Taken || layout.is_unfit(path, source) {
            continue;
        }
        let place = match moved {
            Some(place) => place,
            None => tree_path(&format!("{}/{path}", library.output))?,
        };
        layout.take(path, place, files);
    }
    Ok(layout)
}

fn tree_path(text: &str) -> Result<TreePath> {
    TreePath::new(text).ok_or_else(|| {
        Error::usage(format!("`{text}` is no path in a Linux tree"))
            .hint("output paths are relative, without `.` or `..`")
    })
}

impl Layout {
    /// Takes one file whatever the rules say of it.
    ///
    /// # Errors
    /// As for [`plan`].
    pub fn alone(&mut self, path: &TreePath, library: &Library) -> Result<()> {
        if !self.taken.contains_key(path) {
            let place = tree_path(&format!("{}/{path}", library.output))?;
            self.places.insert(path.clone(), place.clone());
            self.taken.insert(path.clone(), place);
        }
        Ok(())
    }

    fn count(&mut self, rule: &FileRule) {
        *self.matched.entry(rule.rule.name.clone()).or_default() += 1;
    }

    fn template(&mut self, rule: &FileRule, files: &BTreeMap<TreePath, Arc<Source>>) -> Result<()> {
        let FileAction::Template { template, to, replaces } = &rule.action else { return Ok(()) };
        let place = tree_path(to)?;
        let replaces = replaces.as_deref().and_then(TreePath::new);
        let replaces = replaces.filter(|path| files.contains_key(path));
        if let Some(path) = &replaces {
            self.places.insert(path.clone(), place.clone());
        }
        self.count(rule);
        let rule = rule.rule.name.clone();
        self.templates.insert(place, Template { name: template.clone(), rule, replaces });
        Ok(())
    }

    fn chosen(&mut self, path: &TreePath, rules: &[&FileRule]) -> Chosen {
        let mut chosen = match self.places.contains_key(path) {
            true => Chosen::Left,
            false => Chosen::ByNobody,
        };
        for rule in rules {
            let globs = match &rule.action {
                FileAction::Select(globs) | FileAction::Skip(globs) => globs,
                _ => continue,
            };
            if globs.iter().any(|glob| glob_matches(glob, path.as_str())) {
                self.count(rule);
                let skips = matches!(rule.action, FileAction::Skip(_));
                chosen = match skips || chosen == Chosen::Left {
                    true => Chosen::Left,
                    false => Chosen::Taken,
                };
            }
        }
        chosen
    }

    /// Names end up in makefiles and include directives, where some signs do more than name.
    fn is_unfit(&mut self, path: &TreePath, source: &Arc<Source>) -> bool {
        let fine = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+./".contains(&byte);
        let unfit = !path.as_str().bytes().all(fine);
        if unfit {
            let message = format!("`{path}` is no name that a makefile can hold");
            let finding = Finding::error("unfit-name", message);
            let finding = finding.at(source, crate::text::Span::default(), "this file");
            self.findings.push(finding.hint("rename it upstream, or skip it by a rule"));
        }
        unfit
    }

    fn moved(&mut self, path: &TreePath, rules: &[&FileRule]) -> Result<Option<TreePath>> {
        for rule in rules {
            if let FileAction::Map { from, to } = &rule.action
                && from == path.as_str()
            {
                self.count(rule);
                return tree_path(to).map(Some);
            }
        }
        Ok(None)
    }

    fn take(&mut self, path: &TreePath, place: TreePath, files: &BTreeMap<TreePath, Arc<Source>>) {
        let other = self.upstream.get(&place);
        if other.is_some() || self.templates.contains_key(&place) {
            let also = other.map_or("a template".to_owned(), ToString::to_string);
            let message = format!("both {path} and {also} would become {place}");
            let finding = Finding::error("place-taken", message);
            let finding = match files.get(path) {
                Some(source) => finding.at(source, crate::text::Span::default(), "this file"),
                None => finding,
            };
            self.findings.push(finding.hint("map one of them elsewhere, or skip it"));
            return;
        }
        self.places.insert(path.clone(), place.clone());
        self.upstream.insert(place.clone(), path.clone());
        self.taken.insert(path.clone(), place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::load;

    #[test]
    fn files_that_no_rule_speaks_of_and_unfit_names_are_told() {
        let ruleset = load(None).unwrap();
        let rules: Vec<&FileRule> = ruleset.files.iter().collect();
        let folder = rules
            .iter()
            .find_map(|rule| match &rule.action {
                FileAction::Select(globs) => globs.iter().find_map(|g| g.strip_suffix("*.c")),
                _ => None,
            })
            .unwrap();
        let names = ["a.c", "sub/deep.c", "b$(shell x).c", "c d.c", "notes.txt"];
        let source = |name: &&str| {
            let path = TreePath::new(&format!("{folder}{name}")).unwrap();
            (path, Source::new(*name, &b""[..]))
        };
        let files: BTreeMap<TreePath, Arc<Source>> = names.iter().map(source).collect();
        let plan = plan(&files, &ruleset.library, &rules).unwrap();
        let told: Vec<(&str, &str)> =
            plan.findings.iter().map(|f| (f.code, f.labels[0].source.name.as_str())).collect();
        assert_eq!(
            told,
            [
                ("unfit-name", "b$(shell x).c"),
                ("unfit-name", "c d.c"),
                (FILE_WITHOUT_RULE, "sub/deep.c")
            ]
        );
        assert_eq!(plan.taken.len(), 1);
    }
}
