//! How fast two kernel forms are: plain data, as JSON has it.

pub mod gate;
mod statistics;
mod summed;
#[cfg(test)]
mod tests;

use serde::Serialize;

use super::cost::Pair;

/// How fast both forms are, measured in turn in one process.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Speed {
    /// The compiler, with its version, and the flags that matter.
    pub build: String,
    /// Pairs of measurements that each figure is the median of; of quick rows more.
    pub pairs: usize,
    /// What was compressed.
    pub corpus: Vec<CorpusPart>,
    /// What all parts come to, by block size and level.
    pub groups: Vec<SpeedGroup>,
    /// One row for each part, block size and level.
    pub rows: Vec<SpeedRow>,
    /// Levels at which compressed bytes differ anywhere.
    pub other_bytes: Vec<i32>,
    /// Sentences: what could not be measured, and why.
    pub notes: Vec<String>,
}

/// A part of what is compressed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CorpusPart {
    /// Its name.
    pub name: String,
    /// How many bytes of it were compressed.
    pub bytes: u64,
}

/// What all parts come to at one block size and level.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SpeedGroup {
    /// Bytes of each block; none for the parts as a whole.
    pub block: Option<u64>,
    /// The level.
    pub level: i32,
    /// Compressed bytes of all parts.
    pub compressed: Pair,
    /// Whether both forms write the same bytes of each part.
    pub same_bytes: bool,
    /// Compression: the geometric mean over all parts.
    pub compress: Rate,
    /// The same of decompression.
    pub decompress: Rate,
    /// Most bytes of workspace to compress.
    pub memory: Pair,
}

/// What was measured of one part at one block size and level.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SpeedRow {
    /// The part.
    pub part: String,
    /// Bytes of each block; none for the part as a whole.
    pub block: Option<u64>,
    /// The level.
    pub level: i32,
    /// Compressed bytes of all blocks.
    pub compressed: Pair,
    /// Whether both forms write the same bytes.
    pub same_bytes: bool,
    /// Pairs of measurements.
    pub pairs: usize,
    /// Compression.
    pub compress: Rate,
    /// Decompression, by both forms of what the old one wrote.
    pub decompress: Rate,
    /// Bytes of workspace to compress.
    pub memory: Pair,
}

/// Speed of one direction.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Rate {
    /// Median of the old form, in MB (10^6 bytes of plain text) a second.
    pub old: f64,
    /// The same of the new form.
    pub new: f64,
    /// Median of the pairs' ratios, new to old.
    pub ratio: f64,
    /// Lower end of the ratio's spread: in 999 of 1000 cases the interval encloses the true median.
    pub low: f64,
    /// Upper end of the ratio's spread.
    pub high: f64,
    /// Whether there were pairs enough for that; else the spread goes from the smallest to the largest.
    pub sure: bool,
    /// Whether the change is beyond the noise: the interval has no 1 in it, and the change is larger
    /// than what the place of code in memory makes.
    pub notable: bool,
}
