//! Medians, and how sure they are.

/// How sure an interval is: in 999 of 1000 cases it encloses the median of what was drawn from. A
/// comparison has hundreds of figures, none of which is to be marked by chance.
const SURE: f64 = 0.999;

/// The middle value, or the mean of the two in the middle; 0 of nothing.
pub(super) fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    match (sorted.get(sorted.len().wrapping_sub(1) / 2), sorted.get(sorted.len() / 2)) {
        (Some(below), Some(above)) => (below + above) / 2.0,
        _ => 0.0,
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// An interval of the median by order statistics, which takes nothing for granted of how the values
/// are distributed: each lies above the median as often as below, so the k-th smallest and the k-th
/// largest enclose it unless fewer than k of all n lie on one side, by the binomial distribution. None
/// where even the smallest and the largest are too unsure: with fewer than 11 values.
pub(super) fn interval(values: &[f64]) -> Option<(f64, f64)> {
    let sorted = sorted(values);
    let rank = rank(sorted.len())?;
    Some((*sorted.get(rank)?, *sorted.get(sorted.len() - 1 - rank)?))
}

/// How many values may be left out at both ends.
fn rank(count: usize) -> Option<usize> {
    // Beyond, the probability of the first one is no number any more.
    let count = count.min(1000);
    // Of n tosses of a coin, exactly k are heads with this probability, k from 0 on.
    let mut exactly = 0.5_f64.powi(i32::try_from(count).ok()?);
    let (mut missed, mut rank) = (0.0, None);
    for k in 0..count / 2 {
        missed += 2.0 * exactly;
        if missed > 1.0 - SURE {
            break;
        }
        rank = Some(k);
        exactly *= (count - k) as f64 / (k + 1) as f64;
    }
    rank
}

/// The geometric mean; 0 of nothing.
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value.ln();
        count += 1;
    }
    if count == 0 { 0.0 } else { (sum / f64::from(count)).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[3.0, 1.0]), 2.0);
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Tables of the sign test at 0.1 %, two-sided, count from 1.
        let expected = [(10, None), (11, Some(0)), (14, Some(0)), (15, Some(1)), (20, Some(2))];
        let more = [(25, Some(4)), (30, Some(5)), (50, Some(13))];
        for (count, expected) in expected.into_iter().chain(more) {
            assert_eq!(rank(count), expected, "{count}");
        }
        assert_eq!(rank(0), None);
    }

    #[test]
    fn an_outlier_does_not_move_it() {
        let mut values: Vec<f64> = (0..15).map(|n| 1.0 + f64::from(n) / 100.0).collect();
        assert_eq!(interval(&values), Some((1.01, 1.13)));
        values[14] = 50.0;
        assert_eq!(interval(&values), Some((1.01, 1.13)));
        assert_eq!(interval(&values[..10]), None);
    }

    #[test]
    fn means_are_of_factors() {
        assert!((mean([0.5, 2.0]) - 1.0).abs() < 1e-12);
        assert_eq!(mean([]), 0.0);
    }
}
