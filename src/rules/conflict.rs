//! What two rules may not both say.

use std::collections::BTreeMap;

use super::{FileAction, IncludeTarget, Rule, Ruleset};
use crate::finding::{Finding, Findings};

/// Something that only one rule in force may speak of, in words for the message.
type Claim = String;

/// Finds rules that contradict each other, and profiles that don't exist.
pub(super) fn check(ruleset: &Ruleset, findings: &mut Findings) {
    profiles(ruleset, findings);
    same_file_name(ruleset, findings);
    super::api::places(ruleset, findings);
    super::bases::check(ruleset, findings);
    super::local::check(ruleset, findings);
    let mut claims: BTreeMap<Claim, Vec<&Rule>> = BTreeMap::new();
    for (claim, rule) in all_claims(ruleset) {
        claims.entry(claim).or_default().push(rule);
    }
    for (claim, rules) in claims {
        for (i, a) in rules.iter().enumerate() {
            for b in &rules[i + 1..] {
                if intersect(a, b) {
                    findings.push(both(&claim, a, b));
                }
            }
        }
    }
}

fn both(claim: &str, a: &Rule, b: &Rule) -> Finding {
    let force = |rule: &Rule| format!("{}, in force {}", rule.name, rule.when());
    Finding::error("rule-conflict", format!("two rules speak of {claim}"))
        .label(b.label(force(b)))
        .label(a.label(force(a)))
        .hint("set them apart by `since`, `until` or `profiles`, or drop one")
}

/// Whether some release and profile has both in force.
pub(super) fn intersect(a: &Rule, b: &Rule) -> bool {
    let starts_before_end = |x: &Rule, y: &Rule| match (x.since, y.until) {
        (Some(since), Some(until)) => since < until,
        _ => true,
    };
    let shared = a.profiles.is_empty()
        || b.profiles.is_empty()
        || a.profiles.iter().any(|p| b.profiles.contains(p));
    shared && starts_before_end(a, b) && starts_before_end(b, a)
}

fn all_claims(ruleset: &Ruleset) -> Vec<(Claim, &Rule)> {
    let mut claims = Vec::new();
    for rule in &ruleset.macros {
        claims.extend(rule.names.iter().map(|n| (format!("the macro `{n}`"), &rule.rule)));
    }
    for rule in &ruleset.one_of {
        let names = rule.alternatives.first().into_iter().flat_map(|a| a.macros.keys());
        claims.extend(names.map(|n| (format!("the macro `{n}`"), &rule.rule)));
    }
    for rule in &ruleset.files {
        match &rule.action {
            // Several files may go to one place as long as a release has only one of them.
            FileAction::Map { from, .. } => {
                claims.push((format!("where `{from}` goes"), &rule.rule));
            }
            FileAction::Template { to, .. } => claims.push((format!("`{to}`"), &rule.rule)),
            FileAction::Select(_) | FileAction::Skip(_) => {}
        }
    }
    for rule in &ruleset.includes {
        let header = match &rule.from {
            IncludeTarget::System(name) => format!("the header `<{name}>`"),
            IncludeTarget::File(name) => format!("the header `{name}`"),
        };
        claims.push((header, &rule.rule));
    }
    for rule in &ruleset.names {
        let place = if rule.in_comments { "word" } else { "name" };
        claims.extend(rule.rename.keys().map(|n| (format!("the {place} `{n}`"), &rule.rule)));
    }
    for rule in &ruleset.calls {
        claims.extend(rule.functions.iter().map(|n| (format!("calls of `{n}`"), &rule.rule)));
    }
    for rule in &ruleset.sections {
        claims.push((format!("the section `{}`", rule.marker), &rule.rule));
    }
    for rule in &ruleset.comments {
        claims.push((format!("comments that open with `{}`", rule.from), &rule.rule));
    }
    for rule in &ruleset.licence {
        claims.extend(
            rule.suffixes.iter().map(|s| (format!("the licence of .{s} files"), &rule.rule)),
        );
    }
    for rule in &ruleset.masks {
        claims.extend(rule.names.iter().map(|n| (format!("the mask `{n}`"), &rule.rule)));
    }
    for rule in &ruleset.api {
        claims.push((format!("the kernel's `{}`", rule.kernel_name), &rule.rule));
    }
    for rule in &ruleset.lists {
        let what = rule.what;
        let claim = |n: &String| format!("the {what} `{n}` in a list");
        claims.extend(rule.names.iter().map(|n| (claim(n), &rule.rule)));
    }
    claims
}

fn profiles(ruleset: &Ruleset, findings: &mut Findings) {
    let known: Vec<&str> = ruleset.library.profiles.iter().map(|p| p.name.as_str()).collect();
    if known.is_empty() {
        return; // library.toml is at fault, and says so
    }
    for rule in ruleset.rules() {
        for profile in rule.profiles.iter().filter(|p| !known.contains(&p.as_str())) {
            let message = format!("there is no profile `{profile}`");
            let finding = Finding::error("rule-value", message)
                .at(&rule.source, rule.span_of(profile), "")
                .hint(super::fields::instead(profile, &known));
            findings.push(finding);
        }
    }
}

/// Two ids that differ in case only are one file on some systems. Ids are lower case, so such a
/// pair has already been refused one by one; this says why.
fn same_file_name(ruleset: &Ruleset, findings: &mut Findings) {
    let mut seen: BTreeMap<String, &Rule> = BTreeMap::new();
    for rule in ruleset.rules() {
        if let Some(first) = seen.insert(rule.name.as_str().to_lowercase(), rule)
            && first.name != rule.name
        {
            let message = format!("`{}` and `{}` differ in case only", first.name, rule.name);
            findings.push(
                Finding::error("rule-conflict", message)
                    .label(rule.label(""))
                    .label(first.label(""))
                    .hint("some file systems hold only one of them; rename one"),
            );
        }
    }
}
