//! Macros and types that two files used together define differently.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{ItemKind, Macro};
use super::world::{File, Name, World};
use crate::finding::{Finding, Findings};
use crate::text::Span;

/// Code of findings about macros.
pub(super) const MACRO: &str = "macro-defined-twice";
/// Code of findings about types.
pub(super) const TYPE: &str = "type-defined-twice";
/// Code of findings about names that are static in two sources compiled as one.
pub(super) const BOOT: &str = "boot-clash";

/// A name, its place, what it stands for, and whether it yields to an earlier one.
type Found = (Name, Span, Vec<u8>, bool);

/// One definition.
struct Definition<'w, 'a> {
    at: usize,
    file: &'w File<'a>,
    span: Span,
    text: Vec<u8>,
    /// Whether it steps back behind an earlier one, or does away with it.
    yields: bool,
}

/// Looks at all files that are compiled together.
pub(super) fn check(world: &World<'_>) -> Findings {
    let mut findings = Findings::default();
    let mut told = BTreeSet::new();
    let macros = by_name(world, macros);
    let types = by_name(world, types);
    for (definitions, code, what) in [(macros, MACRO, "macro"), (types, TYPE, "type")] {
        for (name, list) in definitions {
            if list.iter().all(|definition| definition.text == list[0].text) {
                continue;
            }
            if let Some((first, second)) = together(world, &list)
                && told.insert((code, name))
            {
                let text = world.text(name);
                let message = format!("the {what} `{text}` is defined in more than one way");
                let finding = second.file.at(Finding::error(code, message), second.span, "here");
                let finding = first.file.at(finding, first.span, "and here");
                findings.push(finding.hint("keep one of them, or undefine it before the second"));
            }
        }
    }
    boot(world, &mut findings);
    findings
}

fn by_name<'w, 'a>(
    world: &'w World<'a>,
    of: fn(&File<'_>) -> Vec<Found>,
) -> BTreeMap<Name, Vec<Definition<'w, 'a>>> {
    let mut found: BTreeMap<Name, Vec<Definition<'w, 'a>>> = BTreeMap::new();
    for (at, file) in world.files.iter().enumerate() {
        for (name, span, text, yields) in of(file) {
            found.entry(name).or_default().push(Definition { at, file, span, text, yields });
        }
    }
    found.retain(|_, list| list.len() > 1);
    found
}

/// Macros that are defined whatever is set, and that the next one would meet.
fn macros(file: &File<'_>) -> Vec<Found> {
    let plain = |found: &&Macro| found.condition == 0 && !found.undefined;
    let of = file.facts.macros.iter().filter(plain);
    of.map(|found| (file.name(found.name), found.span, found.text.to_vec(), found.guarded))
        .collect()
}

fn types(file: &File<'_>) -> Vec<Found> {
    let of = file.facts.items.iter();
    let of = of.filter(|item| item.kind == ItemKind::Type && item.condition == 0);
    of.map(|item| {
        let bytes = file.output.text.bytes().get(item.extent.range()).unwrap_or_default();
        let words = bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let mut text = words.collect::<Vec<_>>().join(&b' ');
        // Two structures without a name are never the same type.
        if memchr::memchr(b'{', bytes).is_some() {
            text.extend_from_slice(file.path.as_str().as_bytes());
        }
        (file.name(item.name), item.span, text, false)
    })
    .collect()
}

/// The first two that differ and that one source meets in this order.
fn together<'d, 'w, 'a>(
    world: &World<'_>,
    list: &'d [Definition<'w, 'a>],
) -> Option<(&'d Definition<'w, 'a>, &'d Definition<'w, 'a>)> {
    let sources = (0..world.files.len()).filter(|&at| world.files[at].is_source());
    for source in sources {
        let seen = world.seen_by(source);
        let mut met: Vec<&Definition<'_, '_>> =
            list.iter().filter(|definition| seen.binary_search(&definition.at).is_ok()).collect();
        if met.len() < 2 {
            continue;
        }
        let parts = world.sequence(source);
        let place = |of: &&Definition<'_, '_>| {
            let holds = |(file, until): &(usize, u32)| *file == of.at && of.span.start < *until;
            parts.iter().position(holds)
        };
        met.sort_by_cached_key(|of| (place(of), of.span.start));
        let clash = |pair: &&[&Definition<'_, '_>]| matches!(pair, [first, second] if !second.yields && first.text != second.text);
        if let Some([first, second]) = met.windows(2).find(clash) {
            return Some((first, second));
        }
    }
    None
}

/// The sources that a header includes are one unit: what is static in them must have different names.
fn boot(world: &World<'_>, findings: &mut Findings) {
    for file in world.files.iter().filter(|file| !file.is_source()) {
        let sources = file.includes.iter().map(|(to, _)| *to);
        let sources: Vec<usize> = sources.filter(|&to| world.files[to].is_source()).collect();
        let mut met: BTreeMap<Name, (usize, Span)> = BTreeMap::new();
        for at in sources {
            let source = &world.files[at];
            for item in source.facts.items.iter().filter(|item| item.defines && item.condition == 0)
            {
                let name = source.name(item.name);
                let &mut (first, span) = met.entry(name).or_insert((at, item.span));
                if first == at || item.kind == ItemKind::Type || !world.is_static(source, item) {
                    continue;
                }
                let message = format!(
                    "`{}` is defined in two sources that {} makes one unit of",
                    world.text(name),
                    file.path.file_name()
                );
                let finding = source.at(Finding::error(BOOT, message), item.span, "here");
                let finding = world.files[first].at(finding, span, "and here");
                findings.push(finding.hint("rename one of them"));
            }
        }
    }
}
