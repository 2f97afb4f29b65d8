//! One short file a command: it chains the stages and hands over what comes out.
//!
//! The only writer to disk; knows nothing of how flags are spelt.

pub mod completions;
pub mod fold;
pub mod man;
pub mod output;
mod read;
pub mod record;
mod staging;

use crate::finding::Findings;

/// How a command ended that did its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing to complain about but perhaps warnings.
    Clean,
    /// Error-level findings.
    Findings,
}

impl Outcome {
    /// The outcome that findings stand for.
    fn of(findings: &Findings) -> Outcome {
        if findings.errors() > 0 { Outcome::Findings } else { Outcome::Clean }
    }
}
