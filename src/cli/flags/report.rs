//! Review pages, and reports worked over.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::reporting::FormatFlag;
use super::shared::{LinuxTree, ProfileName, RulesFolder, Upstream};

/// Write a page for the review of an import or a patch, or join reports of `check`
///
/// SUBJECT is a release or any other revision, which is imported in memory; a folder that `import`
/// wrote; a kernel tree, written linux:PATH; or a patch that `patch` wrote, which is made again from
/// what it says of itself. The page shows what the rules did to each file beside upstream's text, each
/// change with its rule and reason; of a patch also what it changes in the tree, what became of the
/// tree's own changes, and what changes for callers. It is one file that needs no network and no script.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_long_help = REPORT_HELP)]
#[command(mut_arg("linux", |flag| flag.help("The Linux tree that the patch is for: a git repository, or a plain folder")))]
pub(in crate::cli) struct Report {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<ReportCommand>,
    /// What is reviewed: a release, an import's folder, linux:PATH, or a patch
    #[arg(value_name = "SUBJECT", required = true)]
    pub(in crate::cli) subject: Option<String>,
    /// Write the page to FILE, - for standard output
    #[arg(short = 'o', long, value_name = "FILE", required = true)]
    pub(in crate::cli) output: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) upstream: Upstream,
    #[command(flatten)]
    pub(in crate::cli) tree: LinuxTree,
    #[command(flatten)]
    pub(in crate::cli) ruleset: RulesFolder,
    #[command(flatten)]
    pub(in crate::cli) profile: ProfileName,
    /// Import for the kernel VERSION, such as 6.1 [default: the newest that the rules know]
    #[arg(long, value_name = "VERSION")]
    pub(in crate::cli) kernel: Option<String>,
}

const REPORT_HELP: &str = "\
Examples:
  kernelize report v1.5.7 -o review.html
  kernelize report linux-zstd-1.5.7 -o review.html
  kernelize report zstd-1.5.7.patch --linux ~/src/linux -o review.html
  kernelize report merge *.json --format sarif -o all.sarif";

#[derive(Subcommand, Debug)]
pub(in crate::cli) enum ReportCommand {
    Merge(Merge),
}

/// Join the reports of all shards of a range, and write them anew in any format
///
/// The same report comes out as from one run over the whole range, and the same exit code.
#[derive(Args, Debug)]
#[command(after_long_help = MERGE_HELP)]
pub(in crate::cli) struct Merge {
    /// Reports that `check --format json` wrote
    #[arg(value_name = "REPORT", required = true)]
    pub(in crate::cli) reports: Vec<PathBuf>,
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
}

const MERGE_HELP: &str = "\
Examples:
  kernelize report merge 1.json 2.json 3.json
  kernelize report merge *.json --format sarif -o all.sarif";

impl Report {
    /// Whether what `--format` is about goes to a file; a page has no other format.
    pub(in crate::cli) fn writes_to_file(&self) -> bool {
        let Some(ReportCommand::Merge(merge)) = &self.command else { return false };
        merge.output.is_some()
    }
}
