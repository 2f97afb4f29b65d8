//! Headers can be included twice, and don't include themselves.

use super::world::{File, World};
use crate::finding::{Finding, Findings};
use crate::text::Span;

/// Code of findings about headers without a guard.
pub(super) const UNGUARDED: &str = "header-unguarded";
/// Code of findings about headers that include each other.
pub(super) const CYCLE: &str = "include-cycle";

/// Looks at all headers.
pub(super) fn check(world: &World<'_>) -> Findings {
    let mut findings = Findings::default();
    for (at, file) in world.files.iter().enumerate() {
        if file.facts.once || file.is_source() {
            continue;
        }
        if let Some(directive) = back_to(world, at).filter(|_| !guards(file)) {
            let message = format!("{} includes itself by way of others", file.path);
            let span = file.facts.includes[directive].span;
            let finding = file.at(Finding::error(CYCLE, message), span, "from here on");
            findings.push(finding.hint("put an include guard around the header"));
        } else if let Some(span) = says(file) {
            let message = format!("{} has no include guard", file.path);
            let finding = file.at(Finding::error(UNGUARDED, message), span, "said each time");
            findings.push(
                finding.hint("begin it with `#ifndef X` and `#define X`, and end it with `#endif`"),
            );
        }
    }
    findings
}

/// The include directive of a file from which includes lead back to it.
fn back_to(world: &World<'_>, start: usize) -> Option<usize> {
    let leads = |&&(to, _): &&(usize, usize)| world.seen_by(to).binary_search(&start).is_ok();
    world.files[start].includes.iter().find(leads).map(|(_, directive)| *directive)
}

/// Whether a header holds a guard: what stands outside is said again, and ends at it.
fn guards(file: &File<'_>) -> bool {
    file.facts.macros.iter().any(|found| found.guarded)
}

/// The first thing in a header that may not be said twice.
fn says(file: &File<'_>) -> Option<Span> {
    let items =
        file.facts.items.iter().filter(|item| item.defines && !item.guarded && item.condition == 0);
    items.map(|item| item.span).next()
}
