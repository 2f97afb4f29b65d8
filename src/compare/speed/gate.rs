//! Gates: bounds on speed, size and memory that a comparison has to keep.
//!
//! A gate is `METRIC[@LEVEL][/BLOCK]<NUMBER` or the same with `>`. It is about what all parts come to,
//! not about single ones, and it counts only what is certain: of a speed that end of the spread that is
//! nearer to the bound's good side.

use std::fmt;
use std::str::FromStr;

use super::{Rate, Speed, SpeedGroup};
use crate::compare::cost::Pair;
use crate::finding::{Error, Finding, Findings, Result};

/// What a gate is about; each is a ratio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Metric {
    /// Both directions, new to old.
    Speed,
    /// Speed of compression, new to old.
    Compress,
    /// Speed of decompression, new to old.
    Decompress,
    /// Compressed size, old to new: what is above 1 compresses better.
    Ratio,
    /// Workspace to compress, new to old.
    Memory,
}

const METRICS: [(&str, Metric); 5] = [
    ("speed", Metric::Speed),
    ("compress", Metric::Compress),
    ("decompress", Metric::Decompress),
    ("ratio", Metric::Ratio),
    ("memory", Metric::Memory),
];

/// A bound.
#[derive(Clone, PartialEq, Debug)]
pub struct Gate {
    text: String,
    metric: Metric,
    level: Option<i32>,
    /// Bytes of blocks, 0 for parts as a whole.
    block: Option<u64>,
    /// Whether what is below the number is refused; else what is above.
    below: bool,
    number: f64,
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Spells a size of blocks; 0 and none are the whole.
pub fn block_name(block: Option<u64>) -> String {
    match block {
        None | Some(0) => "whole".to_owned(),
        Some(bytes) if bytes % 1024 == 0 => format!("{}K", bytes / 1024),
        Some(bytes) => bytes.to_string(),
    }
}

/// What a gate can't be read for, and where.
fn wrong(text: &str, at: &str, why: &str, hint: &str) -> Error {
    let place = match at.is_empty() {
        true => "at its end".to_owned(),
        // The part is a piece of the text.
        false => {
            let column = at.as_ptr() as usize - text.as_ptr() as usize;
            format!("at `{at}` (character {})", text[..column].chars().count() + 1)
        }
    };
    Error::usage(format!("the gate `{text}` can't be read {place}: {why}")).hint(hint)
}

impl FromStr for Gate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Gate> {
        const SHAPE: &str =
            "write METRIC[@LEVEL][/BLOCK]<NUMBER, such as speed<0.97 or compress@3/4K<0.95";
        let Some(at) = text.find(['<', '>']) else {
            return Err(wrong(text, "", "it has neither `<` nor `>`", SHAPE));
        };
        let (what, rest) = text.split_at(at);
        let below = rest.starts_with('<');
        let number = rest[1..].trim();
        let parsed = number.parse::<f64>().ok();
        let Some(parsed) = parsed.filter(|number| number.is_finite() && *number > 0.0) else {
            return Err(wrong(text, number, "it wants a number above 0", SHAPE));
        };
        let (what, block) = match what.split_once('/') {
            Some((what, block)) => (what, Some(block.trim())),
            None => (what, None),
        };
        let (name, level) = match what.split_once('@') {
            Some((name, level)) => (name, Some(level.trim())),
            None => (what, None),
        };
        let name = name.trim();
        let metric = METRICS.iter().find(|(known, _)| *known == name);
        let Some((_, metric)) = metric else {
            let names = METRICS.map(|(name, _)| name).join(", ");
            return Err(wrong(text, name, "there is no such metric", &format!("they are {names}")));
        };
        let level = level.map(|level| {
            level.parse::<i32>().map_err(|_| wrong(text, level, "it wants a level", SHAPE))
        });
        let block = block.map(|block| {
            size(block).ok_or_else(|| wrong(text, block, "it wants a size of blocks", SHAPE))
        });
        Ok(Gate {
            text: text.to_owned(),
            metric: *metric,
            level: level.transpose()?,
            block: block.transpose()?,
            below,
            number: parsed,
        })
    }
}

fn size(text: &str) -> Option<u64> {
    match text.strip_suffix(['K', 'k']) {
        Some(number) => number.parse::<u64>().ok()?.checked_mul(1024),
        None if text == "whole" => Some(0),
        None => text.parse().ok().filter(|bytes| *bytes > 0),
    }
}

impl Gate {
    /// Refuses a gate on what isn't measured: nothing would ever hit it.
    ///
    /// # Errors
    /// So it is.
    pub fn check(&self, levels: &[i32], blocks: &[u64]) -> Result<()> {
        if let Some(level) = self.level.filter(|level| !levels.contains(level)) {
            let all: Vec<String> = levels.iter().map(i32::to_string).collect();
            let message = format!("the gate `{self}` is about level {level}, which isn't measured");
            return Err(Error::usage(message).hint(format!("these are: {}", all.join(", "))));
        }
        if let Some(block) = self.block.filter(|block| !blocks.contains(block)) {
            let all: Vec<String> = blocks.iter().map(|block| block_name(Some(*block))).collect();
            let name = block_name(Some(block));
            let message =
                format!("the gate `{self}` is about blocks of {name}, which aren't measured");
            return Err(Error::usage(message).hint(format!("these are: {}", all.join(", "))));
        }
        Ok(())
    }

    fn is_about(&self, group: &SpeedGroup) -> bool {
        self.level.is_none_or(|level| level == group.level)
            && self.block.is_none_or(|block| block == group.block.unwrap_or(0))
    }

    /// What a group has that this is about: in words, with that end of the ratio's spread that counts,
    /// and whether it is sure.
    fn values(&self, group: &SpeedGroup) -> Vec<(String, f64, bool)> {
        let rate = |name: &str, rate: &Rate| {
            let end = if self.below { rate.high } else { rate.low };
            let Rate { ratio, low, high, .. } = rate;
            (format!("{name} is {ratio:.3} [{low:.3}..{high:.3}]"), end, rate.sure)
        };
        let exact = |name: &str, ratio: Option<f64>| {
            ratio.map(|ratio| (format!("{name} is {ratio:.4}"), ratio, true)).into_iter().collect()
        };
        let compress = || rate("speed of compression", &group.compress);
        let decompress = || rate("speed of decompression", &group.decompress);
        match self.metric {
            Metric::Speed => vec![compress(), decompress()],
            Metric::Compress => vec![compress()],
            Metric::Decompress => vec![decompress()],
            Metric::Ratio => {
                exact("compression", divided(group.compressed).map(|ratio| 1.0 / ratio))
            }
            Metric::Memory => exact("memory", divided(group.memory)),
        }
    }
}

/// New to old.
fn divided(pair: Pair) -> Option<f64> {
    let (old, new) = (pair.old.filter(|old| *old > 0)?, pair.new.filter(|new| *new > 0)?);
    Some(new as f64 / old as f64)
}

/// The gates that were hit, a finding for each place, and in sentences what could not be decided.
pub fn judge(gates: &[Gate], speed: &Speed) -> (Findings, Vec<String>) {
    let (mut findings, mut notes) = (Findings::default(), Vec::new());
    for gate in gates {
        let mut unsure = 0;
        let groups: Vec<&SpeedGroup> =
            speed.groups.iter().filter(|group| gate.is_about(group)).collect();
        for group in &groups {
            for (what, value, sure) in gate.values(group) {
                let hit = if gate.below { value < gate.number } else { value > gate.number };
                unsure += usize::from(!sure);
                if hit && sure {
                    let (level, block) = (group.level, block_name(group.block));
                    let message = format!("gate `{gate}`: level {level}, {block}: {what}");
                    findings.push(Finding::error("speed-gate", message));
                }
            }
        }
        if unsure > 0 || groups.is_empty() {
            let count = if groups.is_empty() { "all".to_owned() } else { unsure.to_string() };
            let why = "too little was measured";
            notes.push(format!("gate `{gate}`: {count} of its figures are not decided, {why}"));
        }
    }
    (findings, notes)
}
