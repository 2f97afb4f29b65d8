//! What the kernel is offered is declared, documented, defined and exported.

use std::collections::BTreeSet;

use super::facts::{Item, ItemKind};
use super::modules::exports;
use super::world::{File, Name, World};
use crate::finding::{Finding, Findings};
use crate::text::Span;

/// Code of findings about functions that are offered and not there.
pub(super) const UNDEFINED: &str = "wrapper-undefined";
/// Code of findings about functions that callers can't be linked with.
pub(super) const UNEXPORTED: &str = "wrapper-unexported";
/// Code of findings about functions of the rules that no header declares.
pub(super) const UNDECLARED: &str = "wrapper-undeclared";
/// Code of findings about kernel-doc.
pub(super) const UNDOCUMENTED: &str = "wrapper-undocumented";

/// Looks at the headers of our own that lie outside the library's folder.
pub(super) fn check(world: &World<'_>) -> Findings {
    let mut findings = Findings::default();
    let inside = format!("{}/", world.scope.rules.ruleset.library.output);
    let exported: BTreeSet<Name> = world.files.iter().flat_map(exported).collect();
    let mut declared: BTreeSet<String> = BTreeSet::new();
    let offered = world.files.iter().filter(|file| {
        file.output.template.is_some()
            && !file.is_source()
            && !file.path.as_str().starts_with(&inside)
    });
    for file in offered {
        let functions = |item: &&Item| item.kind == ItemKind::Function && !item.defines;
        for item in file.facts.items.iter().filter(functions) {
            let text = file.text(item.name);
            let name = file.name(item.name);
            let mut say = |code, message: String, label: &str, hint: &str| {
                let finding = file.at(Finding::error(code, message), item.span, label);
                findings.push(finding.hint(hint));
            };
            if !world.globals.contains_key(&name) {
                let message = format!("`{text}` is offered to the kernel and defined nowhere");
                say(UNDEFINED, message, "declared here", "define it in the source of a module");
            } else if !exported.contains(&name) {
                let message = format!("`{text}` is offered to the kernel and not exported");
                say(UNEXPORTED, message, "declared here", "export it where it is defined");
            }
            if let Some(message) = undocumented(file, item, &text) {
                say(UNDOCUMENTED, message, "this function", "write a kernel-doc comment above it");
            }
            declared.insert(text);
        }
    }
    for (name, function) in &world.scope.tree.api.functions {
        if declared.contains(name) {
            continue;
        }
        let message = format!("{} makes `{name}`, which no header declares", function.rule);
        let rules = world.scope.rules.api.iter();
        let rule = rules.map(|rule| &rule.rule).find(|rule| rule.name == function.rule);
        let finding = Finding::error(UNDECLARED, message);
        let finding = match rule {
            Some(rule) => finding.label(rule.label("this rule")),
            None => finding,
        };
        findings.push(finding.hint("give its section a place in the header"));
    }
    findings
}

fn exported<'f>(file: &'f File<'_>) -> impl Iterator<Item = Name> + 'f {
    let calls = file.facts.top_calls.iter().filter(|call| exports(file, call));
    calls.filter_map(|call| Some(file.name(call.arguments.first()?.0)))
}

/// What is wrong with the kernel-doc of a function.
fn undocumented(file: &File<'_>, item: &Item, name: &str) -> Option<String> {
    let text =
        |span: Span| String::from_utf8_lossy(&file.output.text.bytes()[span.range()]).into_owned();
    let comment = item.comment.map(text).filter(|text| text.starts_with("/**\n"));
    let Some(comment) = comment else {
        return Some(format!("`{name}` has no kernel-doc"));
    };
    let line = |line: &str| line.trim_start().trim_start_matches('*').trim().to_owned();
    let lines: Vec<String> = comment.lines().map(line).collect();
    if !lines.iter().any(|line| line.starts_with(&format!("{name}() - "))) {
        return Some(format!("the kernel-doc above `{name}` is of another function"));
    }
    let documented: BTreeSet<&str> =
        lines.iter().filter_map(|line| line.strip_prefix('@')?.split(':').next()).collect();
    let parameters: Vec<String> = item.parameters.iter().map(|word| file.text(*word)).collect();
    let lacks = parameters.iter().find(|parameter| !documented.contains(parameter.as_str()));
    lacks.map(|parameter| format!("the kernel-doc of `{name}` lacks the parameter `{parameter}`"))
}
