//! Reads the headers that the library offers, and makes the wrapper API from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::Value;

use super::{Text, Upstream};
use crate::edit::RuleRef;
use crate::finding::Findings;
use crate::kernel::api::{Api, Generated, Header, Headers, Release, check_template, generate};
use crate::kernel::target::Target;
use crate::kernel::template::{self, Values};
use crate::memo::{Held, Key};
use crate::rules::{Active, FileAction};
use crate::syntax::{Definitions, Lexed, parse_again};
use crate::text::{Source, TreePath};

/// The API with what was found on the way.
#[derive(Default)]
pub(super) struct Made {
    pub(super) api: Api,
    /// What templates are told of it.
    pub(super) value: Value,
    /// Key of all that it was made from.
    pub(super) key: Option<Key>,
    findings: Findings,
    matched: BTreeMap<RuleRef, usize>,
}

impl Held for Made {
    fn weight(&self) -> usize {
        // Three copies: the functions, their values, the text in the rules' words.
        let texts = self.api.functions.values().map(|f| f.doc.len() + f.definition.len() + 600);
        3 * texts.sum::<usize>() + self.findings.weight()
    }
}

/// The API; empty where no rule asks for one.
pub(super) fn make(upstream: &mut Upstream<'_>, texts: &BTreeMap<TreePath, Text>) -> Arc<Made> {
    let sections = &upstream.rules.ruleset.library.api_sections;
    if upstream.rules.api.is_empty() {
        let value = Api::default().value(sections);
        return Arc::new(Made { value, ..Made::default() });
    }
    let inside = format!("{}/", upstream.rules.ruleset.library.output);
    // Headers that go elsewhere than into the library's own folder are for others to include.
    let offered = texts.iter().filter(|(path, _)| {
        let place = upstream.layout.taken.get(*path);
        path.extension() == Some("h") && place.is_some_and(|p| !p.as_str().starts_with(&inside))
    });
    let offered: Vec<(&TreePath, &Text)> = offered.collect();
    let (target, exact) = (&upstream.target, upstream.exact);
    let key = upstream.memo.key("api", |key| {
        let release = format!("{} {exact} {target:?}", upstream.rules.version);
        key.key(upstream.key).text(&release);
        for (path, text) in &offered {
            key.text(path.as_str()).key(text.key);
        }
    });
    let made = upstream.memo.get(key, || Made { key, ..of(upstream, &offered) });
    upstream.findings.extend(made.findings.clone());
    upstream.hits.add(&made.matched);
    made
}

fn of(upstream: &Upstream<'_>, offered: &[(&TreePath, &Text)]) -> Made {
    let Upstream { memo, rules, files, target, exact, .. } = upstream;
    let library = &rules.ruleset.library;
    let mut findings = Findings::default();
    let masks = rules.masks.iter().flat_map(|rule| &rule.names).map(String::as_str);
    let texts = offered.iter().map(|(path, text)| (*path, &**text.text.bytes()));
    let definitions = Definitions::derive(texts, masks);
    let mut headers = Vec::new();
    for (path, Text { text, scan, .. }) in offered {
        let Some(source) = files.get(*path) else { continue };
        let lexed = Lexed::scanned(text.bytes(), scan.of(text.bytes()).directives.clone());
        let parsed = parse_again(source, text, &lexed, &definitions, (memo, "api"));
        let declarations = parsed.declarations();
        findings.extend(parsed.errors);
        headers.push(Header { source, text, declarations });
    }
    // The header that states the release's number is the library's main one.
    headers.sort_by_key(|header| header.source.name != library.version_file);
    let release = Release { version: rules.version, exact: *exact };
    let headers = Headers::new(headers);
    let made = generate(&rules.api, &library.api_sections, &headers, release);
    let Generated { api, findings: complaints, matched } = made;
    findings.extend(complaints);
    for source in helpers(rules, target, &api) {
        findings.extend(check_template(&rules.api, &headers, &source));
    }
    let value = api.value(&library.api_sections);
    Made { api, value, key: None, findings, matched }
}

/// The sources of the modules with nothing in them but what they bring along. One that can't be
/// rendered is told of where it is wanted.
fn helpers(rules: &Active<'_>, target: &Target, api: &Api) -> Vec<Arc<Source>> {
    let library = &rules.ruleset.library;
    let mut values = Values::new(library, rules.version, target.clone());
    values.api = api.without_definitions().value(&library.api_sections);
    let is_module = |name: &str| library.modules.iter().any(|module| module.source == name);
    let templates = rules.files.iter().filter_map(|rule| match &rule.action {
        FileAction::Template { template, .. } if is_module(template) => {
            template::render(rules.ruleset, template, &rule.rule.name, &values).ok()
        }
        _ => None,
    });
    templates.collect()
}
