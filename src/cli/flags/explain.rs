//! One line and where it comes from.

use clap::Args;

use super::shared::{ProfileName, RulesFolder, Upstream};

/// Say where a line of the kernel form comes from, or what became of a line of upstream's
///
/// For a line of the kernel form: the upstream file and lines behind it, with their text, and each rule
/// that had a hand in it, with its reason. For a line of upstream's: where it stands in the kernel
/// form, or which rules took it away. With a git repository as source also the commit that last touched
/// the line.
#[derive(Args, Debug)]
#[command(after_long_help = EXPLAIN_HELP)]
pub(in crate::cli) struct Explain {
    /// The line: a file of the kernel form or of upstream, and a line number
    #[arg(value_name = "PATH:LINE")]
    pub(in crate::cli) place: String,
    /// The import that is meant: a folder that `import` wrote, or a release [default: the newest release]
    #[arg(long, value_name = "DIR|RELEASE")]
    pub(in crate::cli) import: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) upstream: Upstream,
    #[command(flatten)]
    pub(in crate::cli) ruleset: RulesFolder,
    #[command(flatten)]
    pub(in crate::cli) profile: ProfileName,
    /// Import for the kernel VERSION, such as 6.1 [default: the newest that the rules know]
    #[arg(long, value_name = "VERSION")]
    pub(in crate::cli) kernel: Option<String>,
}

const EXPLAIN_HELP: &str = "\
Examples:
  kernelize explain lib/zstd/common/mem.h:20
  kernelize explain lib/common/compiler.h:123 --import v1.5.6 --upstream ~/src/zstd
  kernelize explain lib/zstd/Makefile:12 --import linux-zstd-1.5.7 --upstream packages";
