//! What changed for callers: what two sets of headers offer, held against each other.

use super::result::{ApiChange, What};
use crate::linux::callers::Callers;
use crate::linux::interface::{Interface, Kind, Offer, Shape};

/// All that is other in `new` than in `old`, by header and name.
pub(super) fn changes(
    old: &Interface,
    new: &Interface,
    callers: Option<&Callers>,
) -> Vec<ApiChange> {
    let errors = Errors::of([old, new]);
    let mut found = Vec::new();
    for (name, before) in old.iter() {
        let now = new.get(name);
        let kind = errors.kind(name, before);
        match now {
            None => found.push(one(name, kind, What::Removed, Some(before), None)),
            Some(now) => found.extend(changed(name, kind, (old, before), (new, now))),
        }
    }
    let come = new.iter().filter(|(name, _)| old.get(name).is_none());
    found.extend(
        come.map(|(name, now)| one(name, errors.kind(name, now), What::Added, None, Some(now))),
    );
    found.extend(tags(old, new, &found));
    found.sort_by(|a, b| (&a.header, &a.name).cmp(&(&b.header, &b.name)));
    if let Some(callers) = callers {
        for change in &mut found {
            let uses = callers.files.iter();
            let uses = uses.filter(|(_, names)| names.values().any(|n| n.contains(&change.name)));
            change.users = uses.map(|(path, _)| path.to_string()).collect();
        }
    }
    found
}

/// The constants that stand for errors: those of enumerations that say so in their name.
struct Errors<'i> {
    names: std::collections::BTreeSet<&'i str>,
}

impl<'i> Errors<'i> {
    fn of(interfaces: [&'i Interface; 2]) -> Errors<'i> {
        let mut names = std::collections::BTreeSet::new();
        for (name, offer) in interfaces.into_iter().flat_map(Interface::types) {
            if let (true, Shape::Constants(all)) = (says_error(name), &offer.shape) {
                names.extend(all.iter().map(|(name, _)| name.as_str()));
            }
        }
        Errors { names }
    }

    fn kind(&self, name: &str, offer: &Offer) -> &'static str {
        match offer.kind {
            Kind::Constant if self.names.contains(name) => "error code",
            kind => kind.word(),
        }
    }
}

fn says_error(name: &str) -> bool {
    name.to_ascii_lowercase().contains("error")
}

fn one(
    name: &str,
    kind: &'static str,
    what: What,
    old: Option<&Offer>,
    new: Option<&Offer>,
) -> ApiChange {
    let shown = |offer: &Offer| offer.shown.clone();
    let place = new.or(old).map(|offer| offer.label("").source.name.clone());
    ApiChange {
        header: place.unwrap_or_default(),
        name: name.to_owned(),
        kind,
        what,
        old: old.map(shown),
        new: new.map(shown),
        members: Vec::new(),
        compatible: what == What::Added,
        users: Vec::new(),
    }
}

/// What is to be said of a name that both have.
fn changed(
    name: &str,
    kind: &'static str,
    (old, before): (&Interface, &Offer),
    (new, now): (&Interface, &Offer),
) -> Option<ApiChange> {
    let is_type = before.kind == Kind::Type && now.kind == Kind::Type;
    if is_type {
        return reshaped(name, (old, before), (new, now));
    }
    // A constant is its value; a macro with arguments is not looked into.
    let same = match (before.kind, now.kind) {
        (Kind::Constant, Kind::Constant) => before.shown == now.shown,
        _ => now.serves_as(before),
    };
    (!same).then(|| one(name, kind, What::Changed, Some(before), Some(now)))
}

/// A type whose members, or whose target, differ. Constants are listed by themselves.
fn reshaped(
    name: &str,
    (old, before): (&Interface, &Offer),
    (new, now): (&Interface, &Offer),
) -> Option<ApiChange> {
    if before.shape == now.shape {
        return None;
    }
    let compatible = old.keeps(before, new, now);
    let found = |kind, members| {
        let found = one(name, kind, What::Changed, Some(before), Some(now));
        ApiChange { compatible, members, ..found }
    };
    match (&before.shape, &now.shape) {
        (Shape::Constants(_), Shape::Constants(_)) => None,
        (Shape::Members(a), Shape::Members(b)) => {
            let members = members(a, b);
            (!members.is_empty()).then(|| found("layout", members))
        }
        // It shows its members, or no longer does.
        (a, b) => Some(found("type", vec![format!("{} -> {}", a.shown(), b.shown())])),
    }
}

/// The differences between two lists of members: what went, came, is of another type or stands in
/// another place.
fn members(old: &[(String, String)], new: &[(String, String)]) -> Vec<String> {
    let find = |list: &[(String, String)], name: &str| {
        list.iter().find(|(other, _)| other == name).map(|(_, ty)| ty.clone())
    };
    let mut found = Vec::new();
    for (name, before) in old {
        match find(new, name) {
            None => found.push(format!("{name}: {before} is gone")),
            Some(now) if now != *before => found.push(format!("{name}: {before} -> {now}")),
            Some(_) => {}
        }
    }
    let come = new.iter().filter(|(name, _)| find(old, name).is_none());
    found.extend(come.map(|(name, now)| format!("{name}: {now} is new")));
    if found.is_empty() && old != new {
        let names: Vec<&str> = new.iter().map(|(name, _)| name.as_str()).collect();
        found.push(format!("the order is now {}", names.join(", ")));
    }
    found
}

/// Types known by a tag alone; those that have a name of their own too were seen already.
fn tags(old: &Interface, new: &Interface, seen: &[ApiChange]) -> Vec<ApiChange> {
    let is_tag = |(_, offer): &(&str, &Offer)| offer.is_tag && offer.shape != Shape::Hidden;
    let is_seen = |members: &[String]| seen.iter().any(|change| change.members == members);
    let both = old.types().filter(is_tag).filter_map(|(name, before)| {
        let change = reshaped(name, (old, before), (new, new.tag(name)?))?;
        (!is_seen(&change.members)).then_some(change)
    });
    both.collect()
}
