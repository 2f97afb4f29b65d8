//! Commits, held against all checks.

use std::path::PathBuf;

use clap::Args;

use super::reporting::FormatFlag;
use super::shared::{ProfileName, RulesFolder, Upstream};

/// Check whether the kernel form of a commit, or of each commit of a range, still works
///
/// Imports in memory, and holds the result against everything that must be true of it: what an import
/// refuses, what must not be left over, that all which is called is there, and that the conditionals
/// which were decided mean what they meant. A finding points at upstream's own file and line; exit
/// code 1 says that one of level error stands. Nothing is written but what -o and --suggest name, and
/// the cache.
#[derive(Args, Debug)]
#[command(after_long_help = CHECK_HELP)]
#[command(mut_arg("upstream", |flag| flag.help("Read commits from SRC").long_help(SOURCE_HELP)))]
pub(in crate::cli) struct Check {
    /// What to check: a revision, or A..B for all commits on B's first-parent line that A hasn't
    ///
    /// Each commit of a range is held against its parent: what is new there, what is fixed, which
    /// files of the kernel form change. A.. is A..HEAD. Without REVISION, HEAD of a git repository on
    /// this machine, and of any other source the newest release that it has.
    #[arg(value_name = "REVISION | A..B")]
    pub(in crate::cli) revision: Option<String>,
    /// Check the work tree's files as they are, committed or not; files that git ignores are left out
    #[arg(long, conflicts_with = "revision")]
    pub(in crate::cli) worktree: bool,
    #[command(flatten)]
    pub(in crate::cli) upstream: Upstream,
    #[command(flatten)]
    pub(in crate::cli) ruleset: RulesFolder,
    #[command(flatten)]
    pub(in crate::cli) profile: ProfileName,
    /// Check it for the kernel VERSION, such as 6.1 [default: the newest that the rules know]
    #[arg(long, value_name = "VERSION")]
    pub(in crate::cli) kernel: Option<String>,
    /// Go to the second and further parents of merges, too
    #[arg(long)]
    pub(in crate::cli) all_parents: bool,
    /// Compile, link and run the kernel form, too, with the compilers that are installed
    ///
    /// By gcc and clang, and by cross compilers for those machines that kernels are built for here:
    /// minutes for each state of the library. Of a range, each state is built. Nothing of it is kept.
    #[arg(long)]
    pub(in crate::cli) build: bool,
    /// Build inside this Linux tree, with its headers
    #[arg(long, value_name = "TREE", requires = "build")]
    pub(in crate::cli) linux: Option<PathBuf>,
    /// Exchange data with this import's folder, kernel tree or release, both ways
    #[arg(long, value_name = "IMPORT|RELEASE", requires = "build")]
    pub(in crate::cli) against: Option<String>,
    /// Report as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    #[arg(help_heading = "Reporting")]
    pub(in crate::cli) format: FormatFlag,
    /// Write the report to FILE; standard output has it as text then
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Reporting")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Show at most N findings of a commit as text
    #[arg(long, value_name = "N", help_heading = "Reporting")]
    pub(in crate::cli) max_findings: Option<usize>,
    /// Accept the findings that FILE has, an earlier report of --format json
    ///
    /// They are known by fingerprints, which stay the same when lines move. An accepted finding makes
    /// no commit red; one that no longer occurs is reported.
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    pub(in crate::cli) baseline: Option<PathBuf>,
    /// Write the mechanical remedies to FILE, as one patch against upstream
    ///
    /// Of a range, those for its last commit.
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    pub(in crate::cli) suggest: Option<PathBuf>,
    /// Check N commits, or run N compilers, at a time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(in crate::cli) jobs: Option<u16>,
    /// Check the I-th of N parts of a range; `report merge` joins the reports of all
    #[arg(long, value_name = "I/N")]
    pub(in crate::cli) shard: Option<String>,
    /// Neither use nor keep results in the cache folder
    #[arg(long)]
    pub(in crate::cli) no_cache: bool,
    /// With --build, draw settings and data from N; the same N gives the same
    #[arg(long, value_name = "N", requires = "build", default_value_t = 1)]
    pub(in crate::cli) seed: u64,
}

const SOURCE_HELP: &str = "\
Read commits from SRC

What `import` takes as its source; a range needs a git repository. Without SRC, what \
KERNELIZE_UPSTREAM says; else the checkout that the current folder lies in; else the rules' git \
URL.";

const CHECK_HELP: &str = "\
Examples:
  kernelize check                              HEAD of the checkout that one stands in
  kernelize check --worktree                   the same with what isn't committed yet
  kernelize check origin/dev.. --suggest fix.patch
  kernelize check v1.0.0..dev --upstream ~/src/library --shard 2/4 --format json -o 2.json
  kernelize check --format sarif -o check.sarif --baseline known.json";
