//! One file.

use std::path::PathBuf;

use clap::Args;

use super::shared::{ProfileName, RulesFolder};

/// Transform one file as an import would, to standard output
///
/// Findings go to standard error.
#[derive(Args, Debug)]
#[command(after_long_help = TRANSFORM_HELP)]
pub(in crate::cli) struct Transform {
    /// The file, or - for standard input
    pub(in crate::cli) file: PathBuf,
    #[command(flatten)]
    pub(in crate::cli) ruleset: RulesFolder,
    /// Apply the rules for release V [default: the newest that the rules know]
    #[arg(long, value_name = "V")]
    pub(in crate::cli) release: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) profile: ProfileName,
    /// Say on standard error which rule made each changed line
    #[arg(long)]
    pub(in crate::cli) explain: bool,
}

const TRANSFORM_HELP: &str = "\
Examples:
  kernelize transform lib/compress/zstd_lazy.c | less
  kernelize transform lib/compress/zstd_opt.c --release 1.5.2 --explain >/dev/null";
