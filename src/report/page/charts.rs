//! Small charts as SVG, each drawn from plain figures by a pure function.
//!
//! Colours come from the page's style, by class. A chart has a name and a description in words, and
//! stands beside a table that has each figure, so nothing is told by a chart or a colour alone: old
//! and new, faster and slower differ in form, too. What is no number isn't drawn.

mod axis;
mod bars;
mod lines;
mod ratios;
mod svg;

pub(super) use axis::Span;
pub(super) use bars::{frames, sizes};
pub(super) use lines::workspaces;
pub(super) use ratios::{ratios, span};

use crate::compare::cost::{Pair, WorkspaceRow};
use crate::compare::speed::{Rate, SpeedRow};

/// Which way data goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// Plain bytes to compressed ones.
    Compress,
    /// The way back.
    Decompress,
}

impl Direction {
    /// Both, in the order in which they are shown.
    pub(super) const BOTH: [Direction; 2] = [Direction::Compress, Direction::Decompress];

    /// What is done, as a noun.
    pub(super) fn name(self) -> &'static str {
        match self {
            Direction::Compress => "Compression",
            Direction::Decompress => "Decompression",
        }
    }

    /// The workspace that it takes.
    pub(super) fn workspace(self, row: &WorkspaceRow) -> Pair {
        match self {
            Direction::Compress => row.compress,
            Direction::Decompress => row.decompress,
        }
    }

    /// How fast it is.
    pub(super) fn rate(self, row: &SpeedRow) -> Rate {
        match self {
            Direction::Compress => row.compress,
            Direction::Decompress => row.decompress,
        }
    }
}

#[cfg(test)]
mod tests;
