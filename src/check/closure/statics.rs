//! Global functions and data that only their own file has a use for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::facts::{Condition, Item, ItemKind, MAX_NESTED};
use super::world::{File, Name, World};
use crate::finding::{Finding, Findings, Fix};
use crate::rules::{MacroClass, MacroState};
use crate::text::{Quick, Span};

/// Code of the findings.
pub const CODE: &str = "should-be-static";

/// Where else a name is met.
#[derive(Default)]
struct Elsewhere {
    /// Whatever is set.
    always: bool,
    /// Under a condition that asks for debugging: the directive.
    debug: Option<String>,
}

/// Looks at all that objects define for others to see.
pub(super) fn check(world: &World<'_>) -> Findings {
    let mut findings = Findings::default();
    let debug = debug_names(world);
    let mentions = mentions(world, &debug);
    for (&name, places) in &world.globals {
        let [(at, number)] = places[..] else { continue };
        let (file, item) = world.item((at, number));
        let asks = is_debug(file, item.condition, &debug);
        // A forward in the source says that it is meant, and keeps compilers quiet.
        let forward = |other: &Item| !other.defines && file.name(other.name) == name;
        let meant = file.facts.items.iter().any(forward);
        if !file.is_source() || world.made.contains(&name) || asks || meant {
            continue;
        }
        let mut elsewhere = Elsewhere::default();
        for (of, mention) in mentions.get(&name).into_iter().flatten() {
            if *of != at {
                elsewhere.always |= mention.is_none();
                elsewhere.debug = elsewhere.debug.or_else(|| mention.clone());
            }
        }
        if !elsewhere.always {
            findings.push(finding(world, file, item, name, elsewhere.debug));
        }
    }
    findings
}

fn finding(
    world: &World<'_>,
    file: &File<'_>,
    item: &Item,
    name: Name,
    debug: Option<String>,
) -> Finding {
    let text = world.text(name);
    let what = match item.kind {
        ItemKind::Function => "function",
        _ => "variable",
    };
    let uses = file.facts.uses.iter().chain(&file.facts.macro_uses);
    let used = uses.map(|used| file.name(used.name)).any(|other| other == name);
    let (message, label, hint) = match &debug {
        Some(condition) => (
            format!("the global {what} `{text}` has no declaration in a kernel build"),
            "defined whatever is set",
            format!("other files have it under `{condition}` only: so must this one"),
        ),
        None if used => (
            format!("the global {what} `{text}` is used in no other file"),
            "defined for all to see",
            "make it static, or declare it in a header".to_owned(),
        ),
        // What is static and unused is complained of as well.
        None => (
            format!("the global {what} `{text}` is used in no file and declared in no header"),
            "defined for all to see",
            "leave it out where nothing uses it, or make it static beside what does".to_owned(),
        ),
    };
    let finding = file.at(Finding::warning(CODE, message), item.span, label).hint(hint);
    let fix = match debug {
        Some(condition) => under(file, item, &condition),
        None if used => make_static(file, name),
        None => None,
    };
    match fix.filter(|_| file.output.template.is_none()) {
        Some(fix) => finding.fix(fix),
        None => finding,
    }
}

/// `static` in front of each declaration that the file has.
fn make_static(file: &File<'_>, name: Name) -> Option<Fix> {
    let items = file.facts.items.iter().filter(|item| file.name(item.name) == name);
    let edits: Vec<(Span, String)> = items
        .map(|item| {
            let at = upstream(file, item.extent).start;
            (Span { start: at, end: at }, "static ".to_owned())
        })
        .collect();
    let what = "make it static".to_owned();
    let source = file.output.source.clone();
    (!edits.is_empty()).then_some(Fix { source, edits, what })
}

/// The condition of the declaration around a definition that stands in lines of its own.
fn under(file: &File<'_>, item: &Item, condition: &str) -> Option<Fix> {
    if item.kind != ItemKind::Data {
        return None;
    }
    let at = upstream(file, item.extent);
    let bytes = &file.output.source.bytes;
    let start = memchr::memrchr(b'\n', &bytes[..at.start as usize]).map_or(0, |n| n + 1);
    let end = memchr::memchr(b'\n', &bytes[at.end as usize..])? + at.end as usize + 1;
    let own = bytes[start..at.start as usize].trim_ascii().is_empty();
    let edits =
        vec![(Span::at(start), format!("{condition}\n")), (Span::at(end), "#endif\n".to_owned())];
    let what = format!("define it under `{condition}`");
    own.then(|| Fix { source: file.output.source.clone(), edits, what })
}

fn upstream(file: &File<'_>, span: Span) -> Span {
    file.output.text.upstream_cover(span)
}

/// Macros by which a build asks for debugging.
fn debug_names<'a>(world: &World<'a>) -> BTreeSet<&'a [u8]> {
    let rules = world.scope.rules.macros.iter();
    let rules =
        rules.filter(|rule| rule.class == MacroClass::Debug && rule.state == MacroState::Free);
    rules.flat_map(|rule| rule.names.iter().map(|name| name.as_bytes())).collect()
}

fn is_debug(file: &File<'_>, condition: u32, debug: &BTreeSet<&[u8]>) -> bool {
    let outside = |condition: &&'_ Condition| condition_of(file, condition.outside);
    let around = std::iter::successors(condition_of(file, condition), outside).take(MAX_NESTED);
    around.flat_map(|condition| &condition.names).any(|name| debug.contains(&**name))
}

/// A condition of a file; `None` for none.
fn condition_of<'f>(file: &'f File<'_>, condition: u32) -> Option<&'f Condition> {
    file.facts.conditions.get(condition as usize).filter(|_| condition > 0)
}

/// For each name the files that have it, with the directive where that asks for debugging.
type Mentions = HashMap<Name, Vec<(usize, Option<String>)>, Quick>;

fn mentions(world: &World<'_>, debug: &BTreeSet<&[u8]>) -> Mentions {
    let globals: &BTreeMap<Name, _> = &world.globals;
    let mut found = Mentions::default();
    for (at, file) in world.files.iter().enumerate() {
        let facts = &file.facts;
        let uses = facts.uses.iter().chain(&facts.macro_uses);
        let uses = uses.map(|used| (used.name, used.condition));
        // What stands where a declaration has names may be an operand behind a `*`.
        let declares = facts.declares.iter().map(|word| (*word, 0));
        let items = facts.items.iter().map(|item| (item.name, item.condition));
        let own: BTreeSet<Name> = facts.items.iter().map(|item| file.name(item.name)).collect();
        let declares = declares.filter(|(word, _)| !own.contains(&file.name(*word)));
        for (word, condition) in uses.chain(items).chain(declares) {
            let name = file.name(word);
            if !globals.contains_key(&name) {
                continue;
            }
            let asks = is_debug(file, condition, debug);
            let text = condition_of(file, condition).filter(|_| asks).map(|c| c.text.clone());
            found.entry(name).or_default().push((at, text));
        }
    }
    found
}
