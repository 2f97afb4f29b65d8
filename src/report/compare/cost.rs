//! What two kernel forms cost, as tables for people.

mod figures;

use std::collections::BTreeSet;

use super::{Paint, line, listed, one_line, row};
use crate::compare::cost::{
    Cost, Exports, FrameCost, MachineCost, Pair, WorkspaceRow, WorkspaceUse,
};
use figures::{change, kilobytes, number, signed};

/// Most frames that are told of one machine.
const MAX_FRAMES: usize = 6;
/// Machines beside each other: what a page is wide.
const MAX_COLUMNS: usize = 5;
/// Most exported names that are listed.
const MAX_NAMES: usize = 40;

/// Draws all of it.
pub(super) fn cost(out: &mut String, cost: &Cost, paint: Paint) {
    line(out, &format!("\n{}", paint.bold("What it costs")));
    if !cost.workspaces.is_empty() {
        line(out, "  Workspaces in KB, as callers ask for them");
    }
    for one in &cost.workspaces {
        workspaces(out, one, paint);
    }
    if !cost.machines.is_empty() {
        line(out, "  Stack frames in bytes, those that grew or came");
    }
    for machine in &cost.machines {
        frames(out, machine, paint);
    }
    for machines in cost.machines.chunks(MAX_COLUMNS) {
        sizes(out, "Code and constants in bytes", machines, |object| object.text);
        sizes(out, "Data in bytes", machines, |object| object.data);
    }
    if let Some(found) = &cost.exports {
        exports(out, found, paint);
    }
    for note in &cost.notes {
        row(out, "note", note);
    }
}

/// What compresses or decompresses.
#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    of: fn(&WorkspaceRow) -> Pair,
}

const COLUMNS: [Column; 2] = [
    Column { name: "compress", of: |row| row.compress },
    Column { name: "decompress", of: |row| row.decompress },
];

fn workspaces(out: &mut String, one: &WorkspaceUse, paint: Paint) {
    let how = if one.how.is_empty() { String::new() } else { format!(": {}", one.how) };
    line(out, &format!("    {}{}", paint.bold(&one_line(&one.user)), one_line(&how)));
    let mut columns = Vec::new();
    for column in COLUMNS {
        let pairs: Vec<Pair> = one.rows.iter().map(column.of).collect();
        if pairs.iter().all(|pair| *pair == Pair::default()) {
            continue;
        }
        match unchanged(&pairs) {
            Some(range) => line(out, &format!("      to {}: {range}", column.name)),
            None => columns.push(column),
        }
    }
    if columns.is_empty() {
        return;
    }
    let mut head = format!("      {:<9}", "level");
    for column in &columns {
        head += &format!("{:>15} {:>11} {:>9}", format!("{} old", column.name), "new", "change");
    }
    line(out, &paint.dim(&head));
    for rows in one.rows.chunk_by(|a, b| columns.iter().all(|of| (of.of)(a) == (of.of)(b))) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { continue };
        let mut text = format!("      {:<9}", levels(first.level, last.level));
        for column in &columns {
            let pair = (column.of)(first);
            let (old, new) = (kilobytes(pair.old), kilobytes(pair.new));
            text += &format!("{old:>15} {new:>11} {:>9}", change(pair));
        }
        line(out, &text);
    }
}

fn levels(first: i32, last: i32) -> String {
    match (first, last) {
        (0, 0) => "any".to_owned(),
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first} to {last}"),
    }
}

/// What is said of figures none of which changed.
fn unchanged(pairs: &[Pair]) -> Option<String> {
    let same = |pair: &Pair| if pair.old == pair.new { pair.new } else { None };
    let figures: Option<Vec<u64>> = pairs.iter().map(same).collect();
    let figures = figures?;
    let (least, most) = (figures.iter().min()?, figures.iter().max()?);
    let [least, most] = [least, most].map(|bytes| kilobytes(Some(*bytes)));
    Some(match (least == most, pairs.len()) {
        (true, 1) => format!("{most}, unchanged"),
        (true, _) => format!("{most}, unchanged at all levels"),
        (false, _) => format!("{least} to {most}, unchanged at all levels"),
    })
}

fn growth(frame: &FrameCost) -> i128 {
    let figure = |bytes: Option<u64>| i128::from(bytes.unwrap_or(0));
    figure(frame.bytes.new) - figure(frame.bytes.old)
}

fn frames(out: &mut String, machine: &MachineCost, paint: Paint) {
    let name = paint.bold(&one_line(&machine.compiler));
    let largest = |of: fn(&Pair) -> Option<u64>| {
        let most = machine.frames.iter().filter_map(|frame| Some((of(&frame.bytes)?, frame)));
        most.rev().max_by_key(|(bytes, _)| *bytes)
    };
    let (was, is) = (largest(|pair| pair.old), largest(|pair| pair.new));
    let told = |found: Option<(u64, &FrameCost)>| {
        found.map_or_else(
            || "not known".to_owned(),
            |(bytes, frame)| format!("{} in {}", number(bytes), one_line(&frame.function)),
        )
    };
    let limit = number(machine.frame_limit);
    line(out, &format!("    {name}, where kernels allow {limit}"));
    let (was, is) = (told(was), told(is));
    let before = if was == is { "before as well".to_owned() } else { format!("before {was}") };
    line(out, &format!("      largest {is}, {before}"));
    let mut grew: Vec<&FrameCost> = machine.frames.iter().filter(|one| growth(one) > 0).collect();
    // What is new may have been part of its caller before.
    grew.sort_by_key(|frame| (frame.bytes.old.is_none(), std::cmp::Reverse(growth(frame))));
    for frame in grew.iter().take(MAX_FRAMES) {
        let figure = |bytes: Option<u64>| bytes.map_or_else(|| "-".to_owned(), number);
        let (old, new) = (figure(frame.bytes.old), figure(frame.bytes.new));
        let by = signed(growth(frame));
        let name = one_line(&frame.function);
        line(out, &format!("      {old:>8} {new:>8} {by:>8}  {name}"));
    }
    let rest = grew.get(MAX_FRAMES..).unwrap_or_default();
    if let Some(most) = rest.iter().map(|frame| growth(frame)).max() {
        line(out, &format!("      and {} more, by {} at most", rest.len(), most));
    }
}

/// A table of what changed by object, a column each machine.
fn sizes(
    out: &mut String,
    title: &str,
    machines: &[MachineCost],
    of: fn(&crate::compare::cost::ObjectCost) -> Pair,
) {
    let all = machines.iter().flat_map(|machine| &machine.objects);
    let changed = all.filter(|one| of(one).old != of(one).new);
    let changed: BTreeSet<&str> = changed.map(|one| one.object.as_str()).collect();
    let names = changed.iter().map(|name| one_line(name).chars().count());
    let width = names.max().unwrap_or(0).max(title.len() - 2);
    let mut head = format!("  {title:<0$}", width + 2);
    for machine in machines {
        head += &format!(" {:>10}", one_line(&machine.machine));
    }
    if machines.iter().all(|machine| machine.objects.is_empty()) {
        return;
    }
    line(out, &head);
    for name in changed {
        let mut text = format!("    {:<width$}", one_line(name));
        for machine in machines {
            let found = machine.objects.iter().find(|one| one.object == name).map(of);
            text += &format!(" {:>10}", found.map_or_else(String::new, cell));
        }
        line(out, &text);
    }
    let sum = |machine: &MachineCost, side: fn(Pair) -> Option<u64>| -> u64 {
        machine.objects.iter().filter_map(|one| side(of(one))).sum()
    };
    let sums: Vec<Pair> = machines
        .iter()
        .map(|machine| Pair {
            old: Some(sum(machine, |pair| pair.old)),
            new: Some(sum(machine, |pair| pair.new)),
        })
        .collect();
    let mut total = |name: &str, of: &dyn Fn(&Pair) -> String| {
        let mut text = format!("    {name:<width$}");
        for pair in &sums {
            text += &format!(" {:>10}", of(pair));
        }
        line(out, &text);
    };
    let figure = |bytes: Option<u64>| number(bytes.unwrap_or(0));
    if sums.iter().all(|pair| pair.old == pair.new) {
        total("all objects", &|pair| figure(pair.new));
        return;
    }
    total("all objects, old", &|pair| figure(pair.old));
    total("all objects, new", &|pair| figure(pair.new));
    total("change", &|pair| change(*pair));
}

/// How an object's size changed.
fn cell(pair: Pair) -> String {
    match (pair.old, pair.new) {
        (Some(old), Some(new)) if old == new => "0".to_owned(),
        (Some(old), Some(new)) => signed(i128::from(new) - i128::from(old)),
        (None, Some(new)) => format!("new {}", number(new)),
        (Some(_), None) => "gone".to_owned(),
        (None, None) => String::new(),
    }
}

fn exports(out: &mut String, found: &Exports, paint: Paint) {
    let Exports { kept, added, removed } = found;
    if added.is_empty() && removed.is_empty() {
        row(out, "exports", &format!("the same {kept} names"));
        return;
    }
    let (came, went) = (added.len(), removed.len());
    row(out, "exports", &format!("{kept} names are kept, {came} came, {went} went"));
    for name in added.iter().take(MAX_NAMES) {
        line(out, &paint.come(&format!("    + {}", one_line(name))));
    }
    for name in removed.iter().take(MAX_NAMES) {
        line(out, &paint.gone(&format!("    - {}", one_line(name))));
    }
    for (what, names) in [("came", added), ("went", removed)] {
        if let Some(rest) = names.get(MAX_NAMES..).filter(|rest| !rest.is_empty()) {
            row(out, what, &listed(rest, 0));
        }
    }
}

#[cfg(test)]
mod tests;
