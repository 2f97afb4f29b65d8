//! Figures in words, the same for the same figures everywhere.

use crate::compare::cost::Pair;
use crate::report::summary::{grouped, kibibytes};

/// Stands where there is no figure.
pub(super) const NONE: &str = "–";

/// `1,234`, or a dash.
pub(super) fn count(number: Option<u64>) -> String {
    number.map_or_else(|| NONE.to_owned(), |number| grouped(as_usize(number)))
}

/// Bytes in KiB, with one decimal: `1,234.5`, or a dash.
pub(super) fn kib(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| NONE.to_owned(), kibibytes)
}

/// How a figure changed: `+5.2 %`, `−12`, `=`, `new`, `gone`, or a dash where neither has it.
pub(super) fn change(pair: Pair) -> String {
    match (pair.old, pair.new) {
        (None, None) => NONE.to_owned(),
        (None, Some(_)) => "new".to_owned(),
        (Some(_), None) => "gone".to_owned(),
        (Some(old), Some(new)) if old == new => "=".to_owned(),
        // No share of nothing.
        (Some(0), Some(new)) => format!("+{}", count(Some(new))),
        (Some(old), Some(new)) => percent(old, new),
    }
}

#[allow(clippy::cast_precision_loss, reason = "a share is shown with one decimal")]
fn percent(old: u64, new: u64) -> String {
    let share = (new.abs_diff(old) as f64) * 100.0 / (old as f64);
    let sign = if new > old { '+' } else { '−' };
    // A change that is no zero doesn't look like one.
    if share < 0.05 { format!("{sign}<0.1 %") } else { format!("{sign}{share:.1} %") }
}

/// Whether a figure grew, shrank, or neither; as a class of the page.
pub(super) fn sense(pair: Pair) -> &'static str {
    match (pair.old, pair.new) {
        (Some(old), Some(new)) if new > old => "grew",
        (Some(old), Some(new)) if new < old => "shrank",
        _ => "",
    }
}

/// A number with `decimals` places, and a minus that is one; a dash for what is no number.
pub(super) fn decimal(number: f64, decimals: usize) -> String {
    if !number.is_finite() {
        return NONE.to_owned();
    }
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().any(|digit| matches!(digit, b'1'..=b'9')) => {
            format!("−{digits}")
        }
        Some(digits) => digits.to_owned(),
        None => text,
    }
}

/// A level, with a minus that is one.
pub(super) fn level(level: i32) -> String {
    let sign = if level < 0 { "−" } else { "" };
    format!("{sign}{}", level.unsigned_abs())
}

fn as_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(old: impl Into<Option<u64>>, new: impl Into<Option<u64>>) -> Pair {
        Pair { old: old.into(), new: new.into() }
    }

    #[test]
    fn bytes_are_rounded_half_up() {
        assert_eq!(kib(Some(0)), "0.0");
        assert_eq!(kib(Some(51)), "0.0");
        assert_eq!(kib(Some(52)), "0.1");
        assert_eq!(kib(Some(1_264_128)), "1,234.5");
        assert_eq!(kib(Some(u64::MAX)), "18,014,398,509,481,984.0");
        assert_eq!(kib(None), "–");
        assert_eq!(count(Some(12_345)), "12,345");
    }

    #[test]
    fn changes_are_shares_of_the_old_figure() {
        assert_eq!(change(pair(1000, 1052)), "+5.2 %");
        assert_eq!(change(pair(1000, 0)), "−100.0 %");
        assert_eq!(change(pair(1_000_000, 1_000_001)), "+<0.1 %");
        assert_eq!(change(pair(7, 7)), "=");
        assert_eq!(change(pair(0, 1200)), "+1,200");
        assert_eq!(change(pair(None, 0)), "new");
        assert_eq!(change(pair(5, None)), "gone");
        assert_eq!(change(pair(None, None)), "–");
        assert_eq!(sense(pair(1, 2)), "grew");
        assert_eq!(sense(pair(2, 1)), "shrank");
        assert_eq!(sense(pair(None, 1)), "");
    }

    #[test]
    fn numbers_that_are_none_are_dashes() {
        assert_eq!(decimal(f64::NAN, 2), "–");
        assert_eq!(decimal(f64::NEG_INFINITY, 2), "–");
        assert_eq!(decimal(1.005_1, 2), "1.01");
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(-1.5, 1), "−1.5");
        assert_eq!(level(-5), "−5");
        assert_eq!(level(i32::MIN), "−2147483648");
    }
}
