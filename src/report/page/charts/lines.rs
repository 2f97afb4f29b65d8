//! Workspaces by level: two lines, the old one dashed with rings, the new one with squares.

use super::Direction;
use super::axis::Axis;
use super::svg::{Anchor, Svg, room};
use crate::compare::cost::{Pair, WorkspaceUse};
use crate::report::page::figures::{change, kib, level};

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 230.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 40.0;
const RIGHT: f64 = 8.0;

/// Workspaces of one kind of caller in one direction. None where there is no figure.
pub(in crate::report::page) fn workspaces(
    used: &WorkspaceUse,
    direction: Direction,
) -> Option<String> {
    let points: Vec<(i32, Pair)> =
        used.rows.iter().map(|row| (row.level, direction.workspace(row))).collect();
    let bytes: Vec<u64> =
        points.iter().flat_map(|(_, pair)| [pair.old, pair.new]).flatten().collect();
    let unit = Unit::of(bytes.iter().copied().max()?);
    let figures: Vec<f64> = bytes.iter().map(|bytes| unit.figure(*bytes)).collect();
    let axis = Axis::of(&figures, 5)?;
    let title = format!("{}: workspace by level, {}", direction.name(), used.user);
    let mut svg = Svg::new(WIDTH, HEIGHT, &title, &description(&points));
    let frame = Frame::new(&axis, points.len());
    frame.draw(&mut svg, &axis, unit, &points);
    legend(&mut svg);
    for new in [false, true] {
        let place = |pair: &Pair| if new { pair.new } else { pair.old };
        let line: Vec<Option<(f64, f64)>> = points
            .iter()
            .enumerate()
            .map(|(at, (_, pair))| {
                place(pair).map(|bytes| (frame.x(at), frame.y(&axis, unit.figure(bytes))))
            })
            .collect();
        let class = if new { "line new" } else { "line old" };
        for part in line.split(Option::is_none).filter(|part| part.len() > 1) {
            svg.path(class, &part.iter().copied().flatten().collect::<Vec<_>>(), false);
        }
    }
    for (at, (number, pair)) in points.iter().enumerate() {
        marks(&mut svg, *number, *pair, |bytes| (frame.x(at), frame.y(&axis, unit.figure(bytes))));
    }
    Some(svg.finish())
}

/// The marks of one level; the ring stands around the square where both are the same.
fn marks(svg: &mut Svg, number: i32, pair: Pair, place: impl Fn(u64) -> (f64, f64)) {
    if pair.old.is_none() && pair.new.is_none() {
        return;
    }
    let told = format!(
        "Level {}: old {} KiB, new {} KiB, {}",
        level(number),
        kib(pair.old),
        kib(pair.new),
        change(pair)
    );
    svg.begin("mark", &told);
    if let Some(bytes) = pair.new {
        square(svg, place(bytes));
    }
    if let Some(bytes) = pair.old {
        svg.circle("ring old", place(bytes), 5.0);
    }
    svg.end();
}

fn square(svg: &mut Svg, (x, y): (f64, f64)) {
    svg.rect("spot new", (x - 3.0, y - 3.0), 6.0, 6.0);
}

fn legend(svg: &mut Svg) {
    let y = 12.0;
    let x = WIDTH - RIGHT - room(12) - 52.0;
    svg.line("line old", (x, y), (x + 20.0, y));
    svg.circle("ring old", (x + 10.0, y), 5.0);
    svg.text(x + 26.0, y + 4.0, Anchor::Start, "label", "old");
    let x = x + 26.0 + room(5);
    svg.line("line new", (x, y), (x + 20.0, y));
    square(svg, (x + 10.0, y));
    svg.text(x + 26.0, y + 4.0, Anchor::Start, "label", "new");
}

fn description(points: &[(i32, Pair)]) -> String {
    let differ = points.iter().filter(|(_, pair)| pair.old != pair.new).count();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let told = |(number, pair): &(i32, Pair)| {
        format!("level {}: old {} KiB, new {} KiB", level(*number), kib(pair.old), kib(pair.new))
    };
    format!(
        "{}; {}. Old and new differ at {differ} of {} levels. The table has each figure.",
        told(first),
        told(last),
        points.len()
    )
}

/// Where the lines are.
struct Frame {
    left: f64,
    slot: f64,
}

impl Frame {
    fn new(axis: &Axis, levels: usize) -> Frame {
        let left = axis.room() + 10.0;
        let slots = f64::from(u32::try_from(levels.max(1)).unwrap_or(u32::MAX));
        Frame { left, slot: (WIDTH - RIGHT - left) / slots }
    }

    fn x(&self, at: usize) -> f64 {
        self.left + self.slot * (f64::from(u32::try_from(at).unwrap_or(u32::MAX)) + 0.5)
    }

    #[allow(clippy::unused_self, reason = "beside x")]
    fn y(&self, axis: &Axis, figure: f64) -> f64 {
        HEIGHT - BOTTOM - axis.share(figure) * (HEIGHT - BOTTOM - TOP)
    }

    fn draw(&self, svg: &mut Svg, axis: &Axis, unit: Unit, points: &[(i32, Pair)]) {
        let scale = if axis.is_logarithmic() { ", by factors of two" } else { "" };
        svg.text(0.0, 16.0, Anchor::Start, "label", &format!("{}{scale}", unit.name()));
        for (value, words) in &axis.ticks {
            let y = self.y(axis, *value);
            svg.line("grid", (self.left, y), (WIDTH - RIGHT, y));
            svg.text(self.left - 6.0, y + 4.0, Anchor::End, "label", words);
        }
        let names: Vec<String> = points.iter().map(|(number, _)| level(*number)).collect();
        level_names(svg, &names, HEIGHT - BOTTOM + 16.0, self.slot, |at| self.x(at));
        let middle = (self.left + WIDTH - RIGHT) / 2.0;
        svg.text(middle, HEIGHT - 6.0, Anchor::Middle, "label", "level");
    }
}

/// Names of levels below their slots, as many as there is room for.
pub(super) fn level_names(
    svg: &mut Svg,
    names: &[String],
    y: f64,
    slot: f64,
    x: impl Fn(usize) -> f64,
) {
    let widest = room(names.iter().map(|name| name.chars().count()).max().unwrap_or(0)) + 3.0;
    let mut free = f64::NEG_INFINITY;
    for (at, name) in names.iter().enumerate() {
        // Where every one fits they all stand; else one that would touch the last is left out.
        if slot < widest && x(at) < free {
            continue;
        }
        svg.text(x(at), y, Anchor::Middle, "label", name);
        free = x(at) + widest;
    }
}

/// What an axis of bytes counts.
#[derive(Clone, Copy)]
struct Unit(u64);

impl Unit {
    fn of(largest: u64) -> Unit {
        match largest {
            0..4096 => Unit(1),
            4096..4_194_304 => Unit(1024),
            _ => Unit(1024 * 1024),
        }
    }

    fn name(self) -> &'static str {
        match self.0 {
            1 => "bytes",
            1024 => "KiB",
            _ => "MiB",
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "a place on an axis")]
    fn figure(self, bytes: u64) -> f64 {
        bytes as f64 / self.0 as f64
    }
}
