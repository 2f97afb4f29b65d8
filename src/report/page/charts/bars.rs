//! Old and new side by side for each of many names: bars to the right, the old one above the new.

use std::cmp::Reverse;

use super::axis::Axis;
use super::svg::{Anchor, Svg, room, tail};
use crate::compare::cost::{FrameCost, MachineCost, ObjectCost, Pair};
use crate::report::page::figures::{change, count};

const WIDTH: f64 = 580.0;
/// Where bars begin, and where they end at most; to the right of that stand figures.
const LEFT: f64 = 216.0;
const END: f64 = 466.0;
const TOP: f64 = 44.0;
const ROW: f64 = 24.0;
const BAR: f64 = 8.0;
/// Most rows; the table has the others.
const MAX_ROWS: usize = 60;

struct Row<'a> {
    name: &'a str,
    pair: Pair,
}

/// Code and data of each object, those that changed most first. None where there is no figure.
pub(in crate::report::page) fn sizes(machine: &MachineCost) -> Option<String> {
    let mut rows: Vec<Row<'_>> = machine
        .objects
        .iter()
        .map(|object| Row { name: &object.object, pair: size(object) })
        .collect();
    rows.sort_by_key(|row| Reverse(changed(row.pair)));
    let title = format!("Size of each object, {}", machine.machine);
    draw(&title, &rows, None)
}

/// Stack frames, largest first as they come, with the limit. None where there is no figure.
pub(in crate::report::page) fn frames(machine: &MachineCost) -> Option<String> {
    let rows: Vec<Row<'_>> = machine
        .frames
        .iter()
        .map(|FrameCost { function, bytes }| Row { name: function, pair: *bytes })
        .collect();
    draw(&format!("Stack frames, {}", machine.machine), &rows, Some(machine.frame_limit))
}

/// All bytes of an object.
pub(in crate::report::page) fn size(object: &ObjectCost) -> Pair {
    Pair { old: sum(object.text.old, object.data.old), new: sum(object.text.new, object.data.new) }
}

fn sum(text: Option<u64>, data: Option<u64>) -> Option<u64> {
    match (text, data) {
        (None, None) => None,
        (text, data) => Some(text.unwrap_or(0).saturating_add(data.unwrap_or(0))),
    }
}

fn changed(pair: Pair) -> u64 {
    pair.old.unwrap_or(0).abs_diff(pair.new.unwrap_or(0))
}

fn draw(title: &str, rows: &[Row<'_>], limit: Option<u64>) -> Option<String> {
    let shown = || rows.iter().filter(|row| row.pair != Pair::default()).take(MAX_ROWS);
    let mut figures: Vec<f64> =
        shown().flat_map(|row| [row.pair.old, row.pair.new]).flatten().map(figure).collect();
    let largest = figures.iter().copied().fold(0.0, f64::max);
    // A limit far above all bars would leave no room for them.
    let limit = limit.filter(|limit| *limit > 0 && largest * 4.0 > figure(*limit));
    figures.extend(limit.map(figure));
    let axis = Axis::from_zero(&figures, 4)?;
    let end = TOP + ROW * f64::from(u32::try_from(shown().count()).unwrap_or(u32::MAX));
    let mut svg = Svg::new(WIDTH, end + 24.0, title, &description(rows));
    legend(&mut svg);
    grid(&mut svg, &axis, end);
    if let Some(limit) = limit {
        let x = place(&axis, figure(limit));
        svg.line("limit", (x, TOP - 8.0), (x, end));
        let words = format!("limit {}", count(Some(limit)));
        svg.text(x, TOP - 12.0, Anchor::Middle, "label", &words);
    }
    for (at, row) in shown().enumerate() {
        let y = TOP + ROW * f64::from(u32::try_from(at).unwrap_or(u32::MAX));
        bars(&mut svg, row, &axis, y);
    }
    Some(svg.finish())
}

fn bars(svg: &mut Svg, row: &Row<'_>, axis: &Axis, y: f64) {
    let Pair { old, new } = row.pair;
    let told =
        format!("{}: old {}, new {}, {}", row.name, count(old), count(new), change(row.pair));
    svg.begin("mark", &told);
    svg.text(LEFT - 8.0, y + 14.0, Anchor::End, "label", &tail(row.name, LEFT - 10.0));
    for (bytes, class, top) in [(old, "rod old", y + 2.0), (new, "rod new", y + 3.0 + BAR)] {
        if let Some(bytes) = bytes {
            svg.rect(class, (LEFT, top), place(axis, figure(bytes)) - LEFT, BAR);
        }
    }
    // The figure of the form that is under review, and what became of it.
    let words = format!("{}  {}", count(new.or(old)), change(row.pair));
    svg.text(WIDTH - 2.0, y + 14.0, Anchor::End, "label", &words);
    svg.end();
}

fn grid(svg: &mut Svg, axis: &Axis, end: f64) {
    let mut free = f64::NEG_INFINITY;
    for (value, words) in &axis.ticks {
        let x = place(axis, *value);
        svg.line("grid", (x, TOP - 4.0), (x, end));
        let half = room(words.chars().count()) / 2.0;
        if x - half > free {
            svg.text(x, end + 16.0, Anchor::Middle, "label", words);
            free = x + half + 4.0;
        }
    }
}

fn legend(svg: &mut Svg) {
    svg.rect("rod old", (LEFT, 4.0), 20.0, BAR);
    svg.text(LEFT + 26.0, 12.0, Anchor::Start, "label", "old");
    svg.rect("rod new", (LEFT + 70.0, 4.0), 20.0, BAR);
    svg.text(LEFT + 96.0, 12.0, Anchor::Start, "label", "new");
    svg.text(WIDTH - 2.0, 12.0, Anchor::End, "label", "bytes");
}

fn description(rows: &[Row<'_>]) -> String {
    let differ = rows.iter().filter(|row| row.pair.old != row.pair.new).count();
    let most = rows.iter().max_by_key(|row| (changed(row.pair), Reverse(row.name)));
    let most = most.filter(|row| changed(row.pair) > 0).map_or_else(String::new, |row| {
        let Pair { old, new } = row.pair;
        format!(", most of all {}: old {}, new {} bytes", row.name, count(old), count(new))
    });
    format!("{differ} of {} changed{most}. The table has each figure.", rows.len())
}

fn place(axis: &Axis, figure: f64) -> f64 {
    LEFT + axis.share(figure) * (END - LEFT)
}

#[allow(clippy::cast_precision_loss, reason = "a place on an axis")]
fn figure(bytes: u64) -> f64 {
    bytes as f64
}
