//! Conditionals.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::rules::Simplify;

/// Fold conditionals by what is known of macros, to standard output
///
/// Branches that are known not to be taken go, conditions lose what is known in them, everything
/// else stays byte for byte. A condition that isn't decided is left in the words it was written in.
/// Findings go to standard error.
#[derive(Args, Debug)]
#[command(after_long_help = FOLD_HELP)]
pub(in crate::cli) struct Fold {
    /// NAME is defined: as VALUE, or with a value that is not known
    ///
    /// VALUE may be a range of integers: 5.. (5 or more), ..5 (at most 5), 2..5. Of several -D and
    /// -U for a name the last one holds.
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub(in crate::cli) define: Vec<String>,
    /// NAME is not defined
    #[arg(short = 'U', long = "undefine", value_name = "NAME")]
    pub(in crate::cli) undefine: Vec<String>,
    /// How far to shorten conditions that stay
    #[arg(long, value_name = "HOW", value_enum, default_value = "full")]
    pub(in crate::cli) simplify: SimplifyFlag,
    /// The files, one result after the other; - or none for standard input
    #[arg(value_name = "FILE")]
    pub(in crate::cli) files: Vec<PathBuf>,
}

const FOLD_HELP: &str = "\
Examples:
  kernelize fold -U _MSC_VER -U __cplusplus in.c
  kernelize fold -D __GNUC__=5.. -DNDEBUG - <in.c >out.c";

/// How far conditions are shortened.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(in crate::cli) enum SimplifyFlag {
    /// Every known operand goes
    Full,
    /// Only a known defined(NAME) at the front goes
    Leading,
}

impl From<SimplifyFlag> for Simplify {
    fn from(flag: SimplifyFlag) -> Simplify {
        match flag {
            SimplifyFlag::Full => Simplify::Full,
            SimplifyFlag::Leading => Simplify::Leading,
        }
    }
}
