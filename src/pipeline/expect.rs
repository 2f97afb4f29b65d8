//! Rules that did not match as often as they must.

use super::hits::Hits;
use crate::finding::{Finding, Findings, Severity};
use crate::rules::Active;

/// Code of the finding.
pub(super) const CODE: &str = "rule-unmatched";

/// A rule that matches nothing is out of date, or upstream has changed what it is about. Between
/// two releases it may be early or late, which is only worth a warning.
pub(super) fn check(rules: &Active<'_>, hits: &Hits, exact: bool, findings: &mut Findings) {
    for rule in rules.rules() {
        let count = hits.of(&rule.name);
        if rule.expect.holds(count, rules.version) {
            continue;
        }
        let wanted = match rule.expect.most {
            None => format!("at least {}", rule.expect.least),
            Some(most) if most == rule.expect.least => most.to_string(),
            Some(most) => format!("{} to {most}", rule.expect.least),
        };
        let message = match count {
            0 => format!("the rule {} matches nothing in this release", rule.name),
            _ => format!("the rule {} matches {count} times, not {wanted}", rule.name),
        };
        let mut finding = Finding::error(CODE, message)
            .label(rule.label(format!("must match {wanted}")))
            .hint("bound `expect` by `expect-since` and `expect-until`, or the rule itself");
        if !exact {
            finding.severity = Severity::Warning;
        }
        findings.push(finding);
    }
}
