//! A release as a folder.

use std::path::PathBuf;

use clap::Args;

use super::shared::{ProfileName, RulesFolder, Upstream};

/// Import a release as a folder that goes into a Linux tree
///
/// The folder holds the library's files in kernel form, at the paths they have in a Linux tree, and
/// .kernelize/import.json, which says what it was made from and which rules made each file. It is
/// written whole or not at all. A folder that stands there already is replaced only if kernelize
/// made it and nothing in it was changed since.
#[derive(Args, Debug)]
#[command(after_long_help = IMPORT_HELP)]
#[command(mut_arg("upstream", |flag| flag.help("Read releases from SRC").long_help(UPSTREAM_HELP)))]
pub(in crate::cli) struct Import {
    /// Tag, branch, commit id or any other revision that git knows
    ///
    /// A tag may be given without its prefix: 1.5.6 is v1.5.6. Without a release, the newest one
    /// that the source has is taken.
    pub(in crate::cli) release: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) upstream: Upstream,
    #[command(flatten)]
    pub(in crate::cli) ruleset: RulesFolder,
    #[command(flatten)]
    pub(in crate::cli) profile: ProfileName,
    /// Make it for the kernel VERSION, such as 6.1 [default: the newest that the rules know]
    #[arg(long, value_name = "VERSION")]
    pub(in crate::cli) kernel: Option<String>,
    /// Write the folder DIR [default: ./linux-LIBRARY-VERSION]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: Option<PathBuf>,
    /// Replace the output folder even if it was changed or made by other means
    #[arg(long)]
    pub(in crate::cli) force: bool,
}

pub(super) const UPSTREAM_HELP: &str = "\
Read releases from SRC

A git repository (a path, bare or not, or a URL, which is cloned into the cache folder by \
git); a folder that holds a release; a release archive (.tar.gz, .tar.zst, .tar.xz); \
cargo:PACKAGE@VERSION, brought by cargo; or `packages`, the releases that the rules list as \
packages. Without SRC, what KERNELIZE_UPSTREAM says, or else the rules' git URL, and their \
packages where that can't be reached.";

const IMPORT_HELP: &str = "\
Examples:
  kernelize import
  kernelize import v1.5.6 --upstream ~/src/zstd
  kernelize import dev --upstream https://github.com/facebook/zstd --out /tmp/dev
  kernelize import --upstream cargo:zstd-sys@2.0.16 --profile official
  kernelize import 1.5.5 --upstream packages --format json";
