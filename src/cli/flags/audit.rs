//! List what a tree has changed.

use clap::Args;

use super::shared::{LinuxTree, ProfileName, RulesFolder, Upstream};

/// List what a Linux tree has changed in its copy of the library
///
/// Finds the release that the tree's files were made from, the one that differs least, and holds each
/// hunk that is the tree's own against a release: generated (the import writes it itself), upstreamed
/// (the release has it, perhaps in other words), local (still wanted, and it fits) or conflict (somebody
/// has to decide, exit code 1). Nothing is written.
#[derive(Args, Debug)]
#[command(after_long_help = AUDIT_HELP)]
#[command(mut_arg("linux", |flag| flag.required(true)))]
pub(in crate::cli) struct Audit {
    /// The release that changes are held against: a tag, branch, commit id or any other revision
    ///
    /// Without it, the newest one that the source has.
    pub(in crate::cli) release: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) tree: LinuxTree,
    #[command(flatten)]
    pub(in crate::cli) upstream: Upstream,
    #[command(flatten)]
    pub(in crate::cli) ruleset: RulesFolder,
    #[command(flatten)]
    pub(in crate::cli) profile: ProfileName,
}

const AUDIT_HELP: &str = "\
Examples:
  kernelize audit --linux ~/src/linux
  kernelize audit v1.5.6 --linux ~/src/linux --base v6.12 --upstream ~/src/zstd
  kernelize audit 1.5.7 --linux linux-source-6.1 --upstream packages --made-from ~/src/zstd";
