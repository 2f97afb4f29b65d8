//! Patches, made again.

use std::path::PathBuf;

use clap::Args;

use super::shared::{LinuxTree, RulesFolder, Upstream};

/// Make patches again from what they say of themselves, and compare every byte
///
/// A patch names its release, rules, profile and base in its last lines. `verified` means that the same
/// bytes came out; else the first difference is shown, with its cause where it isn't an edit: another
/// version of kernelize, other rules, another base or source.
#[derive(Args, Debug)]
#[command(after_long_help = VERIFY_HELP)]
pub(in crate::cli) struct Verify {
    /// The patches; - is standard input
    #[arg(value_name = "PATCH", required = true)]
    pub(in crate::cli) patches: Vec<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) tree: LinuxTree,
    #[command(flatten)]
    pub(in crate::cli) upstream: Upstream,
    #[command(flatten)]
    pub(in crate::cli) ruleset: RulesFolder,
}

const VERIFY_HELP: &str = "\
Examples:
  kernelize verify zstd-1.5.7.patch --linux ~/src/linux
  kernelize verify zstd-1.5.7.patches/*.patch --linux ~/src/linux --base v6.12";
