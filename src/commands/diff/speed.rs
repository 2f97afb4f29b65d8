//! How fast both sides are, where that is wanted.

use std::path::PathBuf;

use crate::build::bench::corpus::{self, Part};
use crate::build::bench::{self, Request};
use crate::commands::signals::Signals;
use crate::compare::Form;
use crate::compare::speed::Speed;
use crate::compare::speed::gate::{self, Gate};
use crate::finding::{Findings, Result};
use crate::report::console::Console;
use crate::rules::Ruleset;

/// Levels that are measured: those that kernels are used with, and the ends.
const LEVELS: &[i32] = &[-5, 1, 3, 5, 9, 15, 19];
/// Sizes of blocks: a page, as swap is compressed, what file systems compress at once, and the whole.
const BLOCKS: &[u64] = &[4 << 10, 128 << 10, 0];

/// What is to be measured, and what it has to keep.
#[derive(Clone, PartialEq, Debug)]
pub struct Bench {
    /// Files and folders to compress; the built-in mix where there are none.
    pub corpus: Vec<PathBuf>,
    /// How long it measures, in seconds.
    pub seconds: u64,
    /// What must not be.
    pub gates: Vec<Gate>,
}

/// What is to be done, with all that is read beforehand.
pub(super) struct Measuring<'p> {
    bench: &'p Bench,
    corpus: Vec<Part>,
}

impl<'p> Measuring<'p> {
    /// Reads the corpus: what can't be read or is no gate ends the run before the work.
    pub(super) fn new(bench: &'p Bench) -> Result<Measuring<'p>> {
        for gate in &bench.gates {
            gate.check(LEVELS, BLOCKS)?;
        }
        let corpus = match bench.corpus.as_slice() {
            [] => corpus::mix(),
            places => corpus::read(places, bench.seconds)?,
        };
        Ok(Measuring { bench, corpus })
    }

    /// Measures, and holds the result against the gates.
    pub(super) fn run(
        &self,
        forms: [(&str, &Form); 2],
        ruleset: &Ruleset,
        console: &mut Console,
    ) -> Result<(Speed, Findings)> {
        let signals = Signals::hold();
        let request = Request {
            forms: forms.map(|(name, form)| bench::Side { name, files: &form.files }),
            ruleset,
            corpus: &self.corpus,
            levels: LEVELS,
            blocks: BLOCKS,
            seconds: self.bench.seconds,
            interrupted: &|| signals.caught(),
        };
        let measured = bench::run(&request, &console.progress())?;
        let mut speed = Speed::of(&measured, &self.corpus);
        let (findings, notes) = gate::judge(&self.bench.gates, &speed);
        speed.notes.extend(notes);
        let mut all = measured.findings;
        all.extend(findings);
        Ok((speed, all))
    }
}
