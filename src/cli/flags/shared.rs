//! Flags that several commands take.

use std::path::PathBuf;

use clap::Args;

/// Stands behind the command's own flags.
const LAST: usize = 100;

#[derive(Args, Debug)]
pub(in crate::cli) struct Upstream {
    /// Read releases from SRC, as `import` does
    #[arg(long, value_name = "SRC", env = "KERNELIZE_UPSTREAM", hide_env = true)]
    pub(in crate::cli) upstream: Option<String>,
    /// Reach no network: use what the caches hold
    #[arg(long, display_order = LAST)]
    pub(in crate::cli) offline: bool,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct LinuxTree {
    /// The Linux tree: a git repository, or a plain folder, which is read as it is
    #[arg(long, value_name = "TREE")]
    pub(in crate::cli) linux: Option<PathBuf>,
    /// The revision of a git repository that is read; its work tree is not [default: HEAD]
    #[arg(long, value_name = "REV", requires = "linux")]
    pub(in crate::cli) base: Option<String>,
    /// Look in SRC for the release that the tree was made from
    ///
    /// Without it, what --upstream says; and where that has nothing of the version, the default sources.
    #[arg(long, value_name = "SRC", requires = "linux")]
    pub(in crate::cli) made_from: Option<String>,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct RulesFolder {
    /// Use the rules in DIR instead of those built in
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) rules: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ProfileName {
    /// The choice of rules: strict or official [default: the ruleset's first, strict]
    ///
    /// strict leaves no condition on a compiler, system or setting that a kernel build never has.
    /// official gives what the importer that comes with the releases gives.
    #[arg(long, value_name = "PROFILE")]
    pub(in crate::cli) profile: Option<String>,
}
