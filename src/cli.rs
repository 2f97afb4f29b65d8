//! The command line: flags as they are typed, then plans that leave nothing open.

mod flags;
mod plan;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches};

use crate::commands::Outcome;
use crate::finding::{Error, ErrorKind};
use crate::report::console::Console;
use crate::report::crash;

/// Exit code for a fault of this program, a panic included.
const INTERNAL: u8 = 70;

/// The whole program: runs the process's own command line.
pub fn main() -> ExitCode {
    crash::install();
    // This thread is one of those that share the work: what is small is done before others wake up.
    // Where there is a pool already, that one does.
    rayon::ThreadPoolBuilder::new().use_current_thread().build_global().ok();
    let run = || run(std::env::args_os(), &mut Console::process());
    // The hook has reported the panic already.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(INTERNAL).into()
}

/// Runs a command line, the program's name first, and gives the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, console: &mut Console) -> u8 {
    let parsed = flags::Cli::command()
        .try_get_matches_from(args)
        .and_then(|matches| Ok((flags::Cli::from_arg_matches(&matches)?, matches)));
    let result = match parsed {
        Ok((cli, matches)) => dispatch(cli, &matches, console),
        Err(error) => answer(&error, console),
    };
    match result {
        Ok(Outcome::Clean) => 0,
        Ok(Outcome::Findings | Outcome::Different) => 1,
        Err(ErrorKind::Usage) => 2,
        Err(ErrorKind::Input) => 3,
        Err(ErrorKind::Internal) => INTERNAL,
    }
}

fn dispatch(
    cli: flags::Cli,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Outcome, ErrorKind> {
    console.configure(cli.command.name(), cli.style());
    let outcome = plan::resolve(cli.command, matches).and_then(|plan| plan.run(console));
    outcome.map_err(|error| report(&error, console))
}

/// Shows what the parser answers: the help or the version that was asked for, or what is wrong with
/// the flags, which it words better than we could.
fn answer(error: &clap::Error, console: &mut Console) -> Result<Outcome, ErrorKind> {
    let (text, asked_for) = (error.render(), !error.use_stderr());
    let shown = console.usage(&text.to_string(), &text.ansi().to_string(), asked_for);
    shown.map_err(|error| report(&error, console))?;
    if asked_for { Ok(Outcome::Clean) } else { Err(ErrorKind::Usage) }
}

fn report(error: &Error, console: &mut Console) -> ErrorKind {
    console.error(error);
    error.kind
}
