//! From measurements to what they say.

use std::collections::BTreeMap;

use super::statistics::{interval, mean, median};
use super::{CorpusPart, Rate, Speed, SpeedGroup, SpeedRow};
use crate::build::bench::corpus::Part;
use crate::build::bench::{LEAST_PAIRS, Measured, Row, Taken};
use crate::compare::cost::Pair;

/// Changes below are not told from noise, however sure they are: where code happens to lie in the
/// caches makes as much. Of a row, and of the mean over all parts.
const ROW_FLOOR: f64 = 0.04;
const GROUP_FLOOR: f64 = 0.02;

impl Speed {
    /// What was measured of a corpus, in figures.
    pub fn of(measured: &Measured, corpus: &[Part]) -> Speed {
        // A row that broke between its two directions has said nothing either.
        let is_whole = |row: &&Row| !row.compress.is_empty() && !row.decompress.is_empty();
        let whole: Vec<&Row> = measured.rows.iter().filter(is_whole).collect();
        let rows: Vec<SpeedRow> = whole.iter().map(|row| speed_row(row, corpus)).collect();
        let mut other_bytes: Vec<i32> =
            rows.iter().filter(|row| !row.same_bytes).map(|row| row.level).collect();
        other_bytes.sort_unstable();
        other_bytes.dedup();
        let part =
            |part: &Part| CorpusPart { name: part.name.clone(), bytes: part.bytes.len() as u64 };
        Speed {
            build: measured.build.clone(),
            pairs: rows.iter().map(|row| row.pairs).min().unwrap_or(0),
            corpus: corpus.iter().map(part).collect(),
            groups: groups(&whole),
            notes: notes(&rows, corpus, measured.rows.len() - whole.len()),
            rows,
            other_bytes,
        }
    }
}

fn notes(rows: &[SpeedRow], corpus: &[Part], none: usize) -> Vec<String> {
    let mut notes = Vec::new();
    for part in corpus.iter().filter(|part| part.of > part.bytes.len() as u64) {
        let (name, bytes, of) = (&part.name, part.bytes.len(), part.of);
        notes.push(format!("{name}: pieces of {bytes} bytes stand for all {of}"));
    }
    if none > 0 {
        notes.push(format!("{none} rows could not be measured"));
    }
    let few = rows.iter().filter(|row| row.pairs < LEAST_PAIRS).count();
    if few > 0 {
        notes.push(format!(
            "{few} of {} rows have fewer than {LEAST_PAIRS} pairs, which says too little: give it \
             more time",
            rows.len()
        ));
    }
    notes
}

fn speed_row(row: &Row, corpus: &[Part]) -> SpeedRow {
    SpeedRow {
        part: corpus.get(row.part).map(|part| part.name.clone()).unwrap_or_default(),
        block: row.block,
        level: row.level,
        compressed: pair(row.compressed),
        same_bytes: row.same,
        pairs: row.compress.len().min(row.decompress.len()),
        compress: rate(&[&row.compress], ROW_FLOOR),
        decompress: rate(&[&row.decompress], ROW_FLOOR),
        memory: pair(row.memory),
    }
}

fn pair([old, new]: [u64; 2]) -> Pair {
    Pair { old: Some(old), new: Some(new) }
}

/// Rows of a level and size of blocks, over all parts.
fn groups(rows: &[&Row]) -> Vec<SpeedGroup> {
    // The whole comes behind all sizes.
    let mut by: BTreeMap<(u64, i32), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        by.entry((row.block.unwrap_or(u64::MAX), row.level)).or_default().push(row);
    }
    let of = |((_, level), rows): ((u64, i32), Vec<&Row>)| {
        let way = |of: fn(&Row) -> &Vec<Taken>| {
            let all: Vec<&[Taken]> = rows.iter().map(|row| of(row).as_slice()).collect();
            rate(&all, GROUP_FLOOR)
        };
        let sum = |of: fn(&Row) -> [u64; 2]| {
            let all = rows.iter().map(|row| of(row));
            all.fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
        };
        let most = |of: fn(&Row) -> [u64; 2]| {
            let all = rows.iter().map(|row| of(row));
            all.fold([0, 0], |most, one| [most[0].max(one[0]), most[1].max(one[1])])
        };
        SpeedGroup {
            block: rows.first().and_then(|row| row.block),
            level,
            compressed: pair(sum(|row| row.compressed)),
            same_bytes: rows.iter().all(|row| row.same),
            compress: way(|row| &row.compress),
            decompress: way(|row| &row.decompress),
            memory: pair(most(|row| row.memory)),
        }
    };
    by.into_iter().map(of).collect()
}

/// What pairs come to: of several rows, the geometric mean of those that were taken at about the same
/// time is one pair.
fn rate(rows: &[&[Taken]], floor: f64) -> Rate {
    let count = rows.iter().map(|row| row.len()).min().unwrap_or(0);
    let at = |of: &dyn Fn(&Taken) -> f64, number: usize| {
        mean(rows.iter().filter_map(|row| row.get(number)).map(of))
    };
    let all = |of: &dyn Fn(&Taken) -> f64| -> Vec<f64> {
        (0..count).map(|number| at(of, number)).collect()
    };
    let ratios = all(&|taken| taken.nanoseconds[0] as f64 / taken.nanoseconds[1].max(1) as f64);
    let speed = |side: usize| {
        // Bytes in a nanosecond are thousands of MB in a second.
        let one =
            |taken: &Taken| taken.bytes as f64 * 1000.0 / taken.nanoseconds[side].max(1) as f64;
        median(&all(&one))
    };
    let ratio = median(&ratios);
    let sure = interval(&ratios);
    let range = || {
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        (least, ratios.iter().copied().fold(0.0, f64::max))
    };
    let (low, high) = sure.unwrap_or_else(range);
    let beyond = (low > 1.0 || high < 1.0) && (ratio - 1.0).abs() >= floor;
    let notable = sure.is_some() && beyond;
    Rate { old: speed(0), new: speed(1), ratio, low, high, sure: sure.is_some(), notable }
}
