//! Reports, worked over.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::reporting::FormatFlag;

/// Work with reports that `check` has written
#[derive(Args, Debug)]
pub(in crate::cli) struct Report {
    #[command(subcommand)]
    pub(in crate::cli) command: ReportCommand,
}

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
    pub(in crate::cli) fn writes_to_file(&self) -> bool {
        let ReportCommand::Merge(merge) = &self.command;
        merge.output.is_some()
    }
}
