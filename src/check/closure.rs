//! The kernel form is closed: what it uses it has, and what the kernel asks of it is there.
//!
//! Each file is read by itself, as a function of its text; the checks then work on what was read.

mod api;
mod facts;
mod headers;
mod heads;
mod licence;
mod makefile;
mod modules;
mod names;
mod statics;
mod twice;
mod walk;
mod world;

use super::Scope;
use crate::finding::Findings;

/// Looks for what is used and not there, or there and not as it must be. What is `known` already isn't
/// told again.
pub fn check(scope: Scope<'_>, known: &Findings) -> Findings {
    let facts = world::read(scope);
    let world = world::World::new(scope, &facts);
    let checks = [
        names::check,
        modules::check,
        api::check,
        twice::check,
        statics::check,
        headers::check,
        licence::check,
    ];
    let mut findings = Findings::default();
    checks.into_iter().for_each(|check| findings.extend(check(&world)));
    let places: std::collections::HashSet<(String, u32)> = known
        .iter()
        .filter_map(|finding| finding.labels.first())
        .map(|label| (label.source.name.clone(), label.span.start))
        .collect();
    findings.retain(|finding| {
        let first = finding.labels.first();
        !first.is_some_and(|l| places.contains(&(l.source.name.clone(), l.span.start)))
    });
    findings
}

#[cfg(test)]
mod tests;
