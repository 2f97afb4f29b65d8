//! Which files are taken, and where in the Linux tree they go.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::edit::RuleRef;
use crate::finding::{Error, Finding, Findings, Result};
use crate::rules::{FileAction, FileRule, Library, glob_matches};
use crate::text::{Source, TreePath};

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
    for path in files.keys() {
        let taken = layout.is_taken(path, rules);
        let moved = layout.moved(path, rules)?;
        if !taken {
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

    fn is_taken(&mut self, path: &TreePath, rules: &[&FileRule]) -> bool {
        let (mut selected, mut skipped) = (false, self.places.contains_key(path));
        for rule in rules {
            let globs = match &rule.action {
                FileAction::Select(globs) | FileAction::Skip(globs) => globs,
                _ => continue,
            };
            if globs.iter().any(|glob| glob_matches(glob, path.as_str())) {
                self.count(rule);
                match rule.action {
                    FileAction::Skip(_) => skipped = true,
                    _ => selected = true,
                }
            }
        }
        selected && !skipped
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
