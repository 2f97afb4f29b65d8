//! A release as a patch.

use std::path::PathBuf;

use clap::Args;

use super::shared::{LinuxTree, ProfileName, RulesFolder, Upstream};

/// Make one reviewable patch from what a Linux tree holds to a release
///
/// The patch is a mail that `git am` takes. It says which rules were at work, what became of the
/// tree's own changes, what changes for callers, and how to make it again. It is applied once in
/// memory before it is written; nothing is written while findings of level error stand.
///
/// The tree is only read: a git repository at --base, its work tree and index untouched; a plain
/// folder as it is. Its own changes are carried over where they are still wanted; one that doesn't fit
/// needs a decision by --keep or --drop. Without --linux and --from the patch adds the library to a
/// tree that has none.
#[derive(Args, Debug)]
#[command(after_long_help = PATCH_HELP)]
#[command(mut_arg("linux", |flag| flag.conflicts_with_all(["from", "kernel"])))]
pub(in crate::cli) struct Patch {
    /// The release to go to: a tag, branch, commit id or any other revision
    ///
    /// Without it, the newest one that the source has.
    pub(in crate::cli) release: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) tree: LinuxTree,
    /// Patch a tree that holds the unchanged import of this release
    #[arg(long, value_name = "RELEASE")]
    pub(in crate::cli) from: Option<String>,
    /// The kernel that the patch is for, without a tree [default: the newest that the rules know]
    #[arg(long, value_name = "VERSION")]
    pub(in crate::cli) kernel: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) upstream: Upstream,
    #[command(flatten)]
    pub(in crate::cli) ruleset: RulesFolder,
    #[command(flatten)]
    pub(in crate::cli) profile: ProfileName,
    /// Write to PATH, - for standard output [default: ./LIBRARY-VERSION.patch]
    ///
    /// With --split the folder that the series goes into [default: ./LIBRARY-VERSION.patches].
    #[arg(short, long, value_name = "PATH")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// The author [default: as git finds them: GIT_AUTHOR_NAME, user.name, ...]
    #[arg(long, value_name = "'NAME <MAIL>'")]
    pub(in crate::cli) author: Option<String>,
    /// Add a Signed-off-by line of the author
    #[arg(short, long)]
    pub(in crate::cli) signoff: bool,
    /// Write a series: the tree's release in its new form, the import, each change that is carried over
    #[arg(long, requires = "linux")]
    pub(in crate::cli) split: bool,
    /// Also commit to the new branch BRANCH of the tree; nothing else of it is touched
    #[arg(long, value_name = "BRANCH", requires = "linux")]
    pub(in crate::cli) commit: Option<String>,
    /// Keep the tree's own change ID (`kernelize audit` lists them)
    #[arg(long, value_name = "ID", requires = "linux")]
    pub(in crate::cli) keep: Vec<String>,
    /// Drop the tree's own change ID
    #[arg(long, value_name = "ID", requires = "linux")]
    pub(in crate::cli) drop: Vec<String>,
}

const PATCH_HELP: &str = "\
Examples:
  kernelize patch                                       add the newest release to a kernel without it
  kernelize patch v1.5.7 --linux ~/src/linux --signoff  from what the tree holds to a release
  kernelize patch v1.5.7 --linux ~/src/linux --split -o /tmp/series
  kernelize patch v1.5.7 --linux ~/src/linux --base v6.12 --commit update
  kernelize patch v1.5.7 --from v1.5.6 -o - | less";
