//! Reads the headers that the library offers, and makes the wrapper API from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::hits::Hits;
use crate::edit::Traced;
use crate::finding::Findings;
use crate::kernel::api::{Api, Generated, Header, Headers, Release, check_template, generate};
use crate::kernel::layout::Layout;
use crate::kernel::target::Target;
use crate::kernel::template::{self, Values};
use crate::rules::{Active, FileAction};
use crate::syntax::{Definitions, parse};
use crate::text::{Source, TreePath};

/// The API; empty where no rule asks for one.
pub(super) fn make(
    rules: &Active<'_>,
    layout: &Layout,
    files: &BTreeMap<TreePath, Arc<Source>>,
    texts: &BTreeMap<TreePath, Traced>,
    (target, exact): (&Target, bool),
    findings: &mut Findings,
    hits: &mut Hits,
) -> Api {
    if rules.api.is_empty() {
        return Api::default();
    }
    let library = &rules.ruleset.library;
    let inside = format!("{}/", library.output);
    // Headers that go elsewhere than into the library's own folder are for others to include.
    let offered = texts.iter().filter(|(path, _)| {
        let place = layout.taken.get(*path);
        path.extension() == Some("h") && place.is_some_and(|p| !p.as_str().starts_with(&inside))
    });
    let offered: Vec<(&TreePath, &Traced)> = offered.collect();
    let masks = rules.masks.iter().flat_map(|rule| &rule.names).map(String::as_str);
    let texts = offered.iter().map(|(path, text)| (*path, &**text.bytes()));
    let definitions = Definitions::derive(texts, masks);
    let mut headers = Vec::new();
    for (path, text) in offered {
        let Some(source) = files.get(path) else { continue };
        let parsed = parse(source, text, &definitions);
        let declarations = parsed.declarations();
        findings.extend(parsed.errors);
        headers.push(Header { source, text, declarations });
    }
    // The header that states the release's number is the library's main one.
    headers.sort_by_key(|header| header.source.name != library.version_file);
    let release = Release { version: rules.version, exact };
    let headers = Headers::new(headers);
    let made = generate(&rules.api, &library.api_sections, &headers, release);
    let Generated { api, findings: complaints, matched } = made;
    findings.extend(complaints);
    hits.add(&matched);
    for source in helpers(rules, target, &api) {
        findings.extend(check_template(&rules.api, &headers, &source));
    }
    api
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
