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

use std::collections::HashSet;

use super::left::GLOBAL;
use super::{Scope, place};
use crate::finding::{Finding, Findings};

/// Code of the findings about what only its own file has a use for.
pub use statics::CODE as LOCAL;

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
    // That nothing else uses a name says more than that it is anybody's.
    let (names, others): (Vec<&Finding>, Vec<&Finding>) =
        known.iter().partition(|finding| finding.code == GLOBAL);
    let [names, others] = [names, others].map(|list| list.into_iter().filter_map(place));
    let (names, others): (HashSet<_>, HashSet<_>) = (names.collect(), others.collect());
    findings.retain(|finding| {
        let said = |place| {
            others.contains(&place) || finding.code != statics::CODE && names.contains(&place)
        };
        !place(finding).is_some_and(said)
    });
    findings
}

#[cfg(test)]
mod tests;
