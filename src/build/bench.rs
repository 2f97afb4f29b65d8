//! Builds two kernel forms as kernels are built, puts both into one program and lets it measure them in
//! turn.
//!
//! The ruleset says how its library is called: `harness/bench/form.c` is compiled with each form's own
//! headers and defines one name, `BENCH_FORM`, that a form keeps; all others become its own, so that
//! two forms fit into one program. `harness/bench/program.c` is that program.

pub mod corpus;
mod link;
mod mix;
mod said;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::toolchain;
use super::workspace::Workspace;
use crate::finding::{Error, Findings, Result};
use crate::rules::Ruleset;
use crate::text::Files;
use crate::upstream::Progress;
use corpus::Part;

/// What is called of a form, and by whom.
const FORM: &str = "harness/bench/form.c";
const PROGRAM: &str = "harness/bench/program.c";

/// Pairs of measurements that each row gets if time allows: from these on, the smallest and the largest
/// ratio enclose the median in 999 of 1000 cases.
pub const LEAST_PAIRS: usize = 11;
/// Pairs that no row gets more of.
const MOST_PAIRS: usize = 61;
/// Processor time of one measurement, in microseconds, or more.
const PIECE: u64 = 2_500;
/// When the program has to have ended: so many times the processor time that it may take, and seconds
/// for preparations.
const MORE_TIME: u64 = 5;
const MORE_SECONDS: u64 = 300;

/// What is to be measured.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The two forms, the old one first.
    pub forms: [Side<'a>; 2],
    /// What they are built with.
    pub ruleset: &'a Ruleset,
    /// What is compressed.
    pub corpus: &'a [Part],
    /// The levels.
    pub levels: &'a [i32],
    /// Sizes of blocks; 0 for each part as a whole.
    pub blocks: &'a [u64],
    /// How long it measures, in processor time; on a busy machine it takes up to four times as long.
    pub seconds: u64,
    /// Whether it is no longer wanted; asked often. Programs that run end then.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
}

/// One of the forms.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Its files, by their path in a Linux tree.
    pub files: &'a Files,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Measured {
    /// The compiler, with its version, and the flags that matter.
    pub build: String,
    /// One for each part, block and level.
    pub rows: Vec<Row>,
    /// What forms do wrong.
    pub findings: Findings,
}

/// What was measured of one part at one size of blocks and level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Which part.
    pub part: usize,
    /// Bytes of a block; none for the part as a whole.
    pub block: Option<u64>,
    /// The level.
    pub level: i32,
    /// Compressed bytes by each form.
    pub compressed: [u64; 2],
    /// Whether these are the same bytes.
    pub same: bool,
    /// Bytes of memory that each form wants to compress.
    pub memory: [u64; 2],
    /// The pairs of measurements, in their order.
    pub compress: Vec<Taken>,
    /// The same of decompression.
    pub decompress: Vec<Taken>,
}

/// A pair of measurements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Bytes of plain text.
    pub bytes: u64,
    /// Processor time of each form, in nanoseconds, the old one's first; never 0.
    pub nanoseconds: [u64; 2],
}

/// Builds and measures.
///
/// # Errors
/// The ruleset has nothing to measure with, there is no compiler for this machine, a form can't be
/// built, the temporary folder can't be written, or it is no longer wanted.
pub fn run(request: &Request<'_>, progress: &dyn Progress) -> Result<Measured> {
    let ruleset = request.ruleset;
    for needed in [super::FIRST, FORM, PROGRAM] {
        if !ruleset.trials.contains_key(needed) {
            let origin = &ruleset.origin;
            let message = format!("the ruleset ({origin}) can't be measured with: no {needed}");
            return Err(Error::usage(message).hint("leave --bench out"));
        }
    }
    // Its own output is empty: the forms lie beside it.
    let workspace = Workspace::of_files(Files::new(), ruleset, request.interrupted)?;
    let measured = measured(request, &workspace, progress);
    // Whatever else went wrong did so because programs were ended.
    workspace.wanted()?;
    measured
}

fn measured(
    request: &Request<'_>,
    workspace: &Workspace<'_>,
    progress: &dyn Progress,
) -> Result<Measured> {
    workspace.folder("tree")?;
    progress.step("looking for compilers", 0, None);
    let found = toolchain::find(workspace, false);
    let Some(toolchain) = found.toolchains.iter().find(|toolchain| toolchain.native) else {
        let why = found.notes.first().map(|note| format!(": {note}")).unwrap_or_default();
        return Err(Error::input(format!("no C compiler for this machine can be used{why}"))
            .hint("install gcc or clang, or leave --bench out"));
    };
    progress.step("building both forms", 0, None);
    let linker = link::Linker::new(workspace, toolchain);
    let program = linker.program(request)?;
    let mut paths = Vec::new();
    for (number, part) in request.corpus.iter().enumerate() {
        paths.push(workspace.write(&format!("corpus/{number}"), &part.bytes)?);
    }
    progress.step("measuring", 0, None);
    let limit = Duration::from_secs(request.seconds * MORE_TIME + MORE_SECONDS);
    let outcome = workspace.run(command(request, &program, &paths), limit);
    let outcome = outcome.map_err(|said| broken(&said))?;
    let said = said::Said::read(&outcome.out, request);
    if !said.ended {
        return Err(broken(&outcome.ending(limit)));
    }
    let said::Said { rows, findings, .. } = said;
    Ok(Measured { build: linker.build(), rows, findings })
}

fn command(request: &Request<'_>, program: &Path, paths: &[std::path::PathBuf]) -> Command {
    let list = |numbers: Vec<String>| numbers.join(",");
    let mut command = Command::new(program);
    command
        .args([request.seconds, PIECE].map(|n| n.to_string()))
        .args([LEAST_PAIRS, MOST_PAIRS].map(|n| n.to_string()))
        .arg(list(request.levels.iter().map(i32::to_string).collect()))
        .arg(list(request.blocks.iter().map(u64::to_string).collect()))
        .args(paths);
    command
}

fn broken(said: &str) -> Error {
    Error::input(format!("the program that measures both forms broke off: {said}"))
}
