//! Plain calls of the C library's functions. An import puts the library's own names in their place,
//! which is right for the kernel; upstream wants to know all the same, since other importers, and
//! other freestanding builds, don't.

use super::Scope;
use crate::finding::{Finding, Findings, Fix};
use crate::pipeline::OutputFile;

/// Code of these findings.
pub const PLAIN_CALL: &str = "plain-call";

/// What the rules of kind `calls` changed, each a finding with its remedy.
pub fn check(scope: Scope<'_>) -> Findings {
    let mut findings = Findings::default();
    for file in scope.tree.files.values().filter(|file| file.template.is_none()) {
        for_file(scope, file, &mut findings);
    }
    findings
}

fn for_file(scope: Scope<'_>, file: &OutputFile, findings: &mut Findings) {
    for run in file.text.runs().filter(|run| !run.from.is_empty()) {
        let rules = run.rules.unwrap_or_default();
        let rule = scope.rules.calls.iter().find(|rule| rules.contains(&rule.rule.name));
        let (Some(rule), Some(to)) = (rule, rule.and_then(|rule| rule.to.as_deref())) else {
            continue;
        };
        let name = String::from_utf8_lossy(&file.source.bytes[run.from.range()]).into_owned();
        let message = format!("`{name}` is called plainly; the kernel form needs `{to}`");
        let fix = Fix::replace(&file.source, run.from, to, format!("call `{to}` instead"));
        let finding = Finding::error(PLAIN_CALL, message).at(&file.source, run.from, "called here");
        let finding = finding.label(rule.rule.label("named here"));
        findings.push(finding.hint(format!("call `{to}` instead")).fix(fix));
    }
}
