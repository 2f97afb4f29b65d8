//! Speed by level, new to old: a mark for each median, with its spread, around the line of 1.
//!
//! A change beyond the noise is a triangle that points to where it went, with its figure; all
//! others are small rings.

use super::Direction;
use super::axis::{Axis, Span};
use super::lines::level_names;
use super::svg::{Anchor, Svg, room};
use crate::compare::speed::{Rate, SpeedRow};
use crate::report::page::figures::{decimal, level};

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 190.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 40.0;
const RIGHT: f64 = 8.0;
/// Noise of this size should not fill a chart.
const LEAST: f64 = 0.05;

/// What charts that stand side by side should all show: each median, and spreads as far as they
/// don't press the medians together.
pub(in crate::report::page) fn span<'a>(rows: impl IntoIterator<Item = &'a SpeedRow>) -> Span {
    let rates: Vec<Rate> = rows
        .into_iter()
        .flat_map(|row| Direction::BOTH.map(|direction| direction.rate(row)))
        .filter(is_measured)
        .collect();
    let far = rates.iter().map(|rate| (rate.ratio - 1.0).abs()).fold(LEAST, f64::max);
    let ends = || rates.iter().filter_map(spread);
    let low = ends().map(|ends| ends.0).fold(1.0 - LEAST, f64::min).max(1.0 - 2.0 * far);
    let high = ends().map(|ends| ends.1).fold(1.0 + LEAST, f64::max).min(1.0 + 2.0 * far);
    let medians = || rates.iter().map(|rate| rate.ratio);
    Span { low: medians().fold(low, f64::min).max(0.0), high: medians().fold(high, f64::max) }
}

/// The rows of one part and block size, in one direction. None where nothing was measured.
pub(in crate::report::page) fn ratios(
    rows: &[&SpeedRow],
    direction: Direction,
    title: &str,
    span: Span,
) -> Option<String> {
    let rates: Vec<Rate> = rows.iter().map(|row| direction.rate(row)).collect();
    if !rates.iter().any(is_measured) {
        return None;
    }
    let chart = Chart::new(Axis::even(span, 5), rows.len());
    let mut svg = Svg::new(WIDTH, HEIGHT, title, &description(rows, &rates));
    chart.frame(&mut svg);
    let names: Vec<String> = rows.iter().map(|row| level(row.level)).collect();
    level_names(&mut svg, &names, HEIGHT - BOTTOM + 16.0, chart.slot, |at| chart.x(at));
    for (at, (rate, name)) in rates.iter().zip(&names).enumerate() {
        if is_measured(rate) {
            chart.mark(&mut svg, at, rate, name);
        }
    }
    Some(svg.finish())
}

fn is_measured(rate: &Rate) -> bool {
    rate.ratio.is_finite() && rate.ratio > 0.0
}

/// The ends of a spread, if it has both.
fn spread(rate: &Rate) -> Option<(f64, f64)> {
    let Rate { low, high, .. } = *rate;
    (low.is_finite() && high.is_finite() && low <= high && high > 0.0).then_some((low, high))
}

fn description(rows: &[&SpeedRow], rates: &[Rate]) -> String {
    let mut text = String::from("Speed of the new form as a multiple of the old one's. ");
    let notable: Vec<String> = rows
        .iter()
        .zip(rates)
        .filter(|(_, rate)| rate.notable && is_measured(rate))
        .map(|(row, rate)| format!("level {}: {}", level(row.level), decimal(rate.ratio, 2)))
        .collect();
    if notable.is_empty() {
        text.push_str("No change is beyond the noise.");
    } else {
        text.push_str("Beyond the noise: ");
        text.push_str(&notable.join(", "));
        text.push('.');
    }
    text
}

/// Where the marks are.
struct Chart {
    axis: Axis,
    left: f64,
    slot: f64,
}

impl Chart {
    fn new(axis: Axis, levels: usize) -> Chart {
        let left = axis.room() + 10.0;
        let slots = f64::from(u32::try_from(levels.max(1)).unwrap_or(u32::MAX));
        Chart { axis, left, slot: (WIDTH - RIGHT - left) / slots }
    }

    fn x(&self, at: usize) -> f64 {
        self.left + self.slot * (f64::from(u32::try_from(at).unwrap_or(u32::MAX)) + 0.5)
    }

    fn y(&self, ratio: f64) -> f64 {
        HEIGHT - BOTTOM - self.axis.share(ratio) * (HEIGHT - BOTTOM - TOP)
    }

    fn frame(&self, svg: &mut Svg) {
        svg.text(0.0, 12.0, Anchor::Start, "label", "new / old; above 1: faster");
        for (value, words) in &self.axis.ticks {
            let y = self.y(*value);
            svg.line("grid", (self.left, y), (WIDTH - RIGHT, y));
            svg.text(self.left - 6.0, y + 4.0, Anchor::End, "label", words);
        }
        let one = self.y(1.0);
        svg.line("one", (self.left, one), (WIDTH - RIGHT, one));
        let middle = (self.left + WIDTH - RIGHT) / 2.0;
        svg.text(middle, HEIGHT - 6.0, Anchor::Middle, "label", "level");
    }

    fn mark(&self, svg: &mut Svg, at: usize, rate: &Rate, name: &str) {
        let (x, y) = (self.x(at), self.y(rate.ratio));
        let class = match (rate.notable, rate.ratio >= 1.0) {
            (false, _) => "mark noise",
            (true, true) => "mark faster",
            (true, false) => "mark slower",
        };
        let spread = spread(rate);
        let ends = spread.map_or_else(String::new, |(low, high)| {
            format!(", {} to {}", decimal(low, 3), decimal(high, 3))
        });
        svg.begin(class, &format!("Level {name}: {}{ends}", decimal(rate.ratio, 3)));
        let (low, high) = spread.unwrap_or((rate.ratio, rate.ratio));
        if spread.is_some() {
            self.error_bar(svg, x, low, high);
        }
        if rate.notable {
            let up = if rate.ratio >= 1.0 { -1.0 } else { 1.0 };
            let corners = [(x, y + up * 6.0), (x - 6.0, y - up * 5.0), (x + 6.0, y - up * 5.0)];
            svg.path("spot", &corners, true);
            self.figure(svg, x, rate.ratio, (low, high));
        } else {
            svg.circle("spot", (x, y), 3.0);
        }
        svg.end();
    }

    /// An end that lies outside of the chart has no cap.
    fn error_bar(&self, svg: &mut Svg, x: f64, low: f64, high: f64) {
        svg.line("error", (x, self.y(low)), (x, self.y(high)));
        let Span { low: bottom, high: top } = self.axis.span;
        for end in [low, high] {
            if (bottom..=top).contains(&end) {
                svg.line("error", (x - 4.0, self.y(end)), (x + 4.0, self.y(end)));
            }
        }
    }

    /// The ratio in digits, above or below its bar, if there is room.
    fn figure(&self, svg: &mut Svg, x: f64, ratio: f64, (low, high): (f64, f64)) {
        let words = decimal(ratio, 2);
        if room(words.chars().count()) + 2.0 > self.slot {
            return;
        }
        let above = self.y(high.max(ratio)) - 10.0;
        let below = self.y(low.min(ratio)) + 19.0;
        let (first, second) = if ratio >= 1.0 { (above, below) } else { (below, above) };
        let fits = |y: f64| y > TOP - 4.0 && y < HEIGHT - BOTTOM;
        if let Some(y) = [first, second].into_iter().find(|y| fits(*y)) {
            svg.text(x, y, Anchor::Middle, "label", &words);
        }
    }
}
