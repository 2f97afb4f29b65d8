//! Two kernel forms side by side.

use std::path::PathBuf;

use clap::Args;

use super::bench::Bench;
use super::reporting::{FormatFlag, of_comparison};
use super::shared::{LinuxTree, ProfileName, RulesFolder, Upstream};

/// Compare two kernel forms: what changes for callers, in the code, and where it comes from
///
/// A and B are releases or any other revisions, which are imported in memory; folders that `import`
/// wrote; patches that `patch` wrote, each for what a tree holds behind it (one made against a Linux
/// tree needs that tree: --linux); or kernel trees, written linux:PATH. Each changed line has one cause: upstream, the rules or
/// profile, a template, release and rules together, or a local change. Functions are told apart by
/// syntax tree, so that moved code and changes in comments alone don't look like others. Exit code 0
/// says that both are equal, 1 that they differ; with --fail-if it only says whether a bound is broken.
/// Nothing is written but what -o names.
#[derive(Args, Debug)]
#[command(after_long_help = DIFF_HELP)]
#[command(mut_arg("linux", |flag| flag.help("Say who in this Linux tree calls what changes")))]
pub(in crate::cli) struct Diff {
    /// The form to start from
    #[arg(value_name = "A")]
    pub(in crate::cli) old: String,
    /// The form to go to
    #[arg(value_name = "B")]
    pub(in crate::cli) new: String,
    #[command(flatten)]
    pub(in crate::cli) upstream: Upstream,
    #[command(flatten)]
    pub(in crate::cli) tree: LinuxTree,
    #[command(flatten)]
    pub(in crate::cli) ruleset: RulesFolder,
    /// Use the rules in DIR for A [default: as for B]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) rules_old: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) profile: ProfileName,
    /// The choice of rules for A [default: as for B]
    #[arg(long, value_name = "PROFILE")]
    pub(in crate::cli) profile_old: Option<String>,
    /// Import for the kernel VERSION, such as 6.1 [default: the newest that the rules know]
    #[arg(long, value_name = "VERSION")]
    pub(in crate::cli) kernel: Option<String>,
    /// Leave out the change line by line
    #[arg(long)]
    pub(in crate::cli) stat: bool,
    /// Import each commit between that is in doubt, to say which leave the kernel form alone
    ///
    /// A commit that has a line in the change changes the kernel form. Whether another one does that
    /// touches the same files is found out by importing it and the one before, which takes some hundredths
    /// of a second each; without this flag only where they are few.
    #[arg(long)]
    pub(in crate::cli) commits: bool,
    /// Compile both, to say what they cost: workspaces, stack frames, sizes, exports
    ///
    /// As kernels are compiled, by the first compiler at hand for each machine that kernels are built
    /// for here, cross compilers included: minutes. Workspaces are what callers ask for, at each level.
    #[arg(long)]
    pub(in crate::cli) build: bool,
    /// With --build, run N compilers at a time [default: as many as there are processors]
    #[arg(long, value_name = "N", requires = "build", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(in crate::cli) jobs: Option<u16>,
    #[command(flatten)]
    pub(in crate::cli) bench: Bench,
    /// Report as text, as JSON, as a page for a browser, or as the plain patch from A to B
    #[arg(long, value_name = "FORMAT", value_parser = of_comparison(), default_value = "text")]
    #[arg(help_heading = "Reporting")]
    pub(in crate::cli) format: FormatFlag,
    /// Write the report to FILE; standard output has it in short then
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Reporting")]
    pub(in crate::cli) output: Option<PathBuf>,
}

const DIFF_HELP: &str = "\
Examples:
  kernelize diff v1.5.6 v1.5.7 | less
  kernelize diff v1.5.6 v1.5.7 --linux ~/src/linux --stat
  kernelize diff v1.5.6 v1.5.7 --build --stat                what the update costs, too
  kernelize diff linux:linux-source-6.12 v1.5.7 --upstream ~/src/zstd --format json -o diff.json
  kernelize diff v1.5.6 v1.5.7 --format html -o review.html
  kernelize diff v1.5.7 v1.5.7 --profile-old official --format patch
  kernelize diff v1.5.5 v1.5.7 --stat --bench
  kernelize diff linux:linux v1.5.7 --bench vmlinux /usr/share/doc --bench-time 300
  kernelize diff v1.5.6 dev --bench --fail-if 'speed<0.97' --fail-if 'compress@3/4K<0.98'
  kernelize diff v1.5.7 zstd-1.5.7.patch --linux ~/src/linux
  kernelize diff linux-zstd-1.5.6 linux-zstd-1.5.7 --rules-old old-rules";
