//! The rules.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List, check and show the rules
#[derive(Args, Debug)]
#[command(after_long_help = RULES_HELP)]
pub(in crate::cli) struct Rules {
    #[command(subcommand)]
    pub(in crate::cli) command: RulesCommand,
    /// Use the rules in DIR instead of those built in
    #[arg(long, value_name = "DIR", global = true)]
    pub(in crate::cli) rules: Option<PathBuf>,
}

const RULES_HELP: &str = "\
Examples:
  kernelize rules list
  kernelize rules show includes/limits
  kernelize rules check --rules rules/zstd";

#[derive(Subcommand, Debug)]
pub(in crate::cli) enum RulesCommand {
    /// List all rules with their reasons
    List,
    /// Check the rules: their form, their order, their fixtures
    Check,
    /// Show the file of a rule
    Show {
        /// KIND/ID, or ID alone
        #[arg(value_name = "ID")]
        id: String,
    },
}
