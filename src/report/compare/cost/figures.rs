//! Figures as they stand in tables.

use crate::compare::cost::Pair;

/// A number of bytes, in groups of three digits.
pub(super) fn number(bytes: u64) -> String {
    crate::report::summary::grouped(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// The same with its sign.
pub(super) fn signed(bytes: i128) -> String {
    let sign = match bytes {
        0 => "",
        1.. => "+",
        _ => "-",
    };
    let bytes = u64::try_from(bytes.unsigned_abs()).unwrap_or(u64::MAX);
    format!("{sign}{}", number(bytes))
}

/// In KB of 1024 bytes, with one digit behind the point; `-` for none.
pub(super) fn kilobytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "-".to_owned(), crate::report::summary::kibibytes)
}

/// A change in per cent; in bytes where that is next to nothing.
pub(super) fn change(pair: Pair) -> String {
    let (Some(old), Some(new)) = (pair.old, pair.new) else {
        return match (pair.old, pair.new) {
            (None, None) => String::new(),
            (Some(_), None) => "gone".to_owned(),
            _ => "new".to_owned(),
        };
    };
    let by = i128::from(new) - i128::from(old);
    if by == 0 {
        return "0".to_owned();
    }
    // Rounded to the nearest tenth, without floating point.
    let tenths = match old {
        0 => 0,
        old => (by.unsigned_abs() * 1000 + u128::from(old) / 2) / u128::from(old),
    };
    if tenths == 0 {
        return format!("{} B", signed(by));
    }
    let sign = if by > 0 { '+' } else { '-' };
    format!("{sign}{}.{}%", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_to_the_nearest() {
        assert_eq!([-1234, 0, 7].map(signed), ["-1,234", "0", "+7"]);
        assert_eq!(kilobytes(Some(1024)), "1.0");
        assert_eq!(kilobytes(Some(943_601)), "921.5");
        assert_eq!(kilobytes(Some(1_048_576 - 1)), "1,024.0");
        assert_eq!(kilobytes(None), "-");
        let of = |old, new| change(Pair { old, new });
        assert_eq!(of(Some(1000), Some(1100)), "+10.0%");
        assert_eq!(of(Some(2000), Some(1999)), "-0.1%");
        assert_eq!(of(Some(20_001), Some(20_009)), "+8 B");
        assert_eq!(of(Some(0), Some(9)), "+9 B");
        assert_eq!(of(Some(5), Some(5)), "0");
        assert_eq!([of(Some(5), None), of(None, Some(5)), of(None, None)], ["gone", "new", ""]);
    }
}
