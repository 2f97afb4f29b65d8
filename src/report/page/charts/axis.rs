//! Axes: from figures to places, with marks at round numbers.

use super::svg::room;
use crate::report::page::figures::{count, decimal};

/// Two ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::report::page) struct Span {
    /// The lower one.
    pub low: f64,
    /// The upper one.
    pub high: f64,
}

/// From figures to shares of an axis.
pub(super) struct Axis {
    /// What the axis shows.
    pub(super) span: Span,
    /// The marks with their words, upwards.
    pub(super) ticks: Vec<(f64, String)>,
    logarithmic: bool,
}

/// Most that the largest figure may be of the smallest on an axis that starts at zero.
const LINEAR: f64 = 24.0;

impl Axis {
    /// From zero to the largest of `figures`, or from near the smallest by equal factors where that
    /// would be lost. None where there is nothing to show.
    pub(super) fn of(figures: &[f64], marks: u32) -> Option<Axis> {
        let above = figures.iter().copied().filter(|figure| *figure > 0.0);
        let high = above.clone().fold(0.0, f64::max);
        let low = above.fold(f64::INFINITY, f64::min);
        if !high.is_finite() || figures.is_empty() {
            return None;
        }
        if high > low * LINEAR {
            return Some(Axis::by_factors(low, high, marks));
        }
        let high = if high > 0.0 { high } else { 1.0 };
        Some(Axis::even(Span { low: 0.0, high }, marks))
    }

    /// From zero to the largest of `figures`, whatever the smallest is.
    pub(super) fn from_zero(figures: &[f64], marks: u32) -> Option<Axis> {
        let high = figures.iter().copied().fold(0.0, f64::max);
        (high.is_finite() && high > 0.0).then(|| Axis::even(Span { low: 0.0, high }, marks))
    }

    /// An even axis that holds `span`, and ends at marks.
    pub(super) fn even(span: Span, marks: u32) -> Axis {
        let step = round_step((span.high - span.low) / f64::from(marks.max(1)));
        let (first, last) = ((span.low / step).floor(), (span.high / step).ceil());
        let places = decimals(step);
        let mut ticks = Vec::new();
        let mut at = first;
        while at <= last && ticks.len() < 100 {
            ticks.push((at * step, words(at * step, places)));
            at += 1.0;
        }
        Axis { span: Span { low: first * step, high: last * step }, ticks, logarithmic: false }
    }

    /// Powers of two, since all that is measured so is one or near one.
    fn by_factors(low: f64, high: f64, marks: u32) -> Axis {
        let (first, last) = (low.log2().floor(), high.log2().ceil());
        let step = ((last - first) / f64::from(marks.max(1))).ceil().max(1.0);
        let mut ticks = Vec::new();
        let mut at = first;
        while at < last + step && ticks.len() < 100 {
            let value = at.exp2();
            let places = if value < 1.0 { 3 } else { 0 };
            ticks.push((value, words(value, places)));
            at += step;
        }
        let high = ticks.last().map_or(high, |tick| tick.0);
        Axis { span: Span { low: first.exp2(), high }, ticks, logarithmic: true }
    }

    /// Where `figure` is: 0 at the lower end, 1 at the upper.
    pub(super) fn share(&self, figure: f64) -> f64 {
        let Span { low, high } = self.span;
        let share = if self.logarithmic {
            (figure.max(low) / low).ln() / (high / low).ln()
        } else {
            (figure - low) / (high - low)
        };
        share.clamp(0.0, 1.0)
    }

    /// Whether equal ways are equal factors.
    pub(super) fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// Room that the longest word takes.
    pub(super) fn room(&self) -> f64 {
        room(self.ticks.iter().map(|tick| tick.1.chars().count()).max().unwrap_or(0))
    }
}

/// What stands at a mark.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number")]
fn words(value: f64, places: usize) -> String {
    // Rounding leaves a bit less than the number that is meant.
    if places == 0 && value >= 1000.0 {
        count(Some(value.round() as u64))
    } else {
        decimal(value, places)
    }
}

/// The next of 1, 2, 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    // A bit less than what is asked for is as good, and rounding doesn't decide.
    let wanted = step / power - 1e-9;
    power * [1.0, 2.0, 5.0].into_iter().find(|round| *round >= wanted).unwrap_or(10.0)
}

/// Places that a multiple of `step` needs.
fn decimals(step: f64) -> usize {
    (0..6)
        .find(|places| step * 10f64.powi(*places) > 0.999)
        .map_or(6, |places| usize::try_from(places).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.1.as_str()).collect()
    }

    #[test]
    fn marks_are_round() {
        let axis = Axis::of(&[780.0, 2547.0], 4).unwrap();
        assert_eq!(shown(&axis), ["0", "1,000", "2,000", "3,000"]);
        assert!((axis.share(1500.0) - 0.5).abs() < 1e-9);
        assert!(!axis.is_logarithmic());
        let axis = Axis::even(Span { low: 0.93, high: 1.08 }, 4);
        assert_eq!(shown(&axis), ["0.90", "0.95", "1.00", "1.05", "1.10"]);
        assert_eq!(shown(&Axis::from_zero(&[0.3], 3).unwrap()), ["0.0", "0.1", "0.2", "0.3"]);
    }

    #[test]
    fn wide_spans_go_by_factors() {
        let axis = Axis::of(&[1.23, 60.15], 6).unwrap();
        assert_eq!(shown(&axis), ["1", "2", "4", "8", "16", "32", "64"]);
        assert!((axis.share(8.0) - 0.5).abs() < 1e-9);
        // Zero has no place there; it stands at the lower end.
        assert!(axis.share(0.0).abs() < 1e-9);
        let axis = Axis::of(&[1.0, 1e15], 6).unwrap();
        assert_eq!(axis.ticks.len(), 7);
    }

    #[test]
    fn nothing_has_no_axis() {
        assert!(Axis::of(&[], 4).is_none());
        assert!(Axis::of(&[f64::INFINITY], 4).is_none());
        assert!(Axis::from_zero(&[0.0], 4).is_none());
        assert!(Axis::of(&[0.0, 0.0], 4).is_some());
    }
}
