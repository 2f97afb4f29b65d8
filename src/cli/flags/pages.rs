//! Pages about the program itself.

use std::path::PathBuf;

use clap::Args;

/// Write a completion script for a shell to standard output
#[derive(Args, Debug)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(in crate::cli) struct Completions {
    /// The shell
    pub(in crate::cli) shell: clap_complete::Shell,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  kernelize completions bash >~/.local/share/bash-completion/completions/kernelize
  kernelize completions fish >~/.config/fish/completions/kernelize.fish";

/// Write the manual pages of all commands into a folder
#[derive(Args, Debug)]
#[command(after_long_help = MAN_HELP)]
pub(in crate::cli) struct Man {
    /// The folder; it is made if need be
    #[arg(value_name = "DIR")]
    pub(in crate::cli) folder: PathBuf,
}

const MAN_HELP: &str = "\
Examples:
  kernelize man ~/.local/share/man/man1";
