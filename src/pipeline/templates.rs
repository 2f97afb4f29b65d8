//! The ruleset's own files in the output.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::OutputFile;
use crate::edit::Traced;
use crate::finding::Result;
use crate::kernel::layout::{Layout, Template};
use crate::kernel::template::{self, Values};
use crate::memo::{Held, Key, Memo};
use crate::preprocess::lexer::Scanned;
use crate::rules::Active;
use crate::text::TreePath;

/// Templates on their way into the output.
pub(super) struct Rendering<'a> {
    pub(super) memo: &'a Memo,
    /// Key of the rules.
    pub(super) key: Option<Key>,
    /// Key of the API.
    pub(super) api: Option<Key>,
    pub(super) rules: &'a Active<'a>,
    pub(super) layout: &'a Layout,
}

/// The templates' files.
struct Rendered(Vec<(TreePath, OutputFile)>);

impl Held for Rendered {
    fn weight(&self) -> usize {
        self.0.iter().map(|(_, file)| file.source.bytes.len() + 300).sum()
    }
}

impl Rendering<'_> {
    /// Renders the templates into the output.
    pub(super) fn add(
        &self,
        output: &mut BTreeMap<TreePath, OutputFile>,
        values: &Values,
    ) -> Result<()> {
        let key = self.memo.key("templates", |key| {
            key.key(self.key).key(self.api);
            key.text(&format!("{} {:?}", values.release, values.target));
            key.text(&format!("{:?}", values.modules));
            for (place, template) in &self.layout.templates {
                key.text(place.as_str()).text(&template.name);
                key.text(template.replaces.as_ref().map_or("", TreePath::as_str));
            }
        });
        let rendered = self.memo.try_get(key, || self.render(values))?;
        output.extend(rendered.0.iter().cloned());
        Ok(())
    }

    fn render(&self, values: &Values) -> Result<Rendered> {
        let one = |(place, template): (&TreePath, &Template)| {
            let Template { name, rule, replaces } = template;
            let source = template::render(self.rules.ruleset, name, rule, values)?;
            let text = Traced::new(Arc::clone(&source.bytes));
            let key = self.memo.key("template", |key| {
                _ = key.text(&source.name).bytes(&source.bytes);
            });
            let (upstream, template) = (replaces.clone(), Some(rule.clone()));
            let scan = Scanned::default();
            Ok((place.clone(), OutputFile { upstream, source, template, text, key, scan }))
        };
        self.layout.templates.iter().map(one).collect::<Result<_>>().map(Rendered)
    }
}
