//! Members of the library's types that go, and the callers that use them.
//!
//! Nobody knows here of what type an expression is. But a file that names the member, and a type or
//! function that leads to the type that has it, hardly means another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::MISSING;
use crate::finding::{Finding, Findings};
use crate::linux::interface::{Interface, Offer};
use crate::text::{Source, Span};

/// A member that goes.
pub(super) struct Gone<'i> {
    ty: &'i str,
    member: &'i str,
    old: &'i Offer,
    new: &'i Offer,
}

/// The members that `old` has and `new` hasn't, of types that both have.
pub(super) fn gone<'i>(old: &'i Interface, new: &'i Interface) -> Vec<Gone<'i>> {
    let mut found = Vec::new();
    for (name, offer) in old.types() {
        let then = if offer.is_tag { new.tag(name) } else { new.get(name) };
        // A name that goes, or stands for other things, is told of as such.
        let Some(then) = then.filter(|then| then.kind == offer.kind) else { continue };
        let lost = offer.shape.lost(&then.shape).into_iter();
        found.extend(lost.map(|member| Gone { ty: name, member, old: offer, new: then }));
    }
    found
}

/// What is to be said of a file that uses the offers `used` and the names `members` of members.
pub(super) fn held<'i>(
    gone: &[Gone<'i>],
    used: impl Iterator<Item = &'i Offer>,
    members: &BTreeMap<&str, Span>,
    old: &'i Interface,
    source: &Arc<Source>,
) -> Findings {
    let mut findings = Findings::default();
    if gone.is_empty() {
        return findings;
    }
    let led_to = led_to(used, old);
    let mut told = BTreeSet::new();
    for Gone { ty, member, old, new } in gone {
        let Some(at) = members.get(member) else { continue };
        if !led_to.contains(old.last_name()) || !told.insert((old.last_name(), *member)) {
            continue;
        }
        let message = format!("the member `{member}` of the type `{ty}` would be gone");
        let finding = Finding::error(MISSING, message)
            .at(source, *at, "used here")
            .label(old.label("declared here now"))
            .label(new.label("declared so then"))
            .hint("change the caller with the same series");
        findings.push(finding);
    }
    findings
}

/// All types that these are made of.
fn led_to<'i>(used: impl Iterator<Item = &'i Offer>, all: &'i Interface) -> BTreeSet<&'i str> {
    let mut pending: Vec<&Offer> = used.collect();
    let mut found = BTreeSet::new();
    while let Some(offer) = pending.pop() {
        for name in offer.made_of() {
            if found.insert(name) {
                pending.extend(all.get(name));
                pending.extend(all.tag(name));
            }
        }
    }
    found
}
