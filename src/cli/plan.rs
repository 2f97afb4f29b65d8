//! Plans in which nothing is left open, and the command that each one is for.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory};

use super::flags::{self, Cli, Command};
use crate::commands::{Outcome, completions, fold, man};
use crate::finding::{Error, Result};
use crate::report::console::Console;

/// What is to be done.
#[derive(Debug)]
pub(super) enum Plan {
    Fold(fold::Plan),
    Completions(Vec<u8>),
    Man(man::Plan),
}

impl Plan {
    /// Does it.
    pub(super) fn run(&self, console: &mut Console) -> Result<Outcome> {
        match self {
            Plan::Fold(plan) => fold::run(plan, console),
            Plan::Completions(script) => completions::run(script, console),
            Plan::Man(plan) => man::run(plan, console),
        }
    }
}

/// Makes the plan for a command line. `matches` is what `command` was made from: it alone knows the
/// order of flags.
pub(super) fn resolve(command: Command, matches: &ArgMatches) -> Result<Plan> {
    Ok(match command {
        Command::Fold(flags) => Plan::Fold(fold(flags, matches)),
        Command::Completions(flags) => Plan::Completions(script(&flags)),
        Command::Man(flags) => Plan::Man(manual(flags.folder)?),
        _ => return Err(Error::internal("not connected")),
    })
}

/// `-` is standard input.
fn input(path: &Path) -> fold::Input {
    match path == Path::new("-") {
        true => fold::Input::Stdin,
        false => fold::Input::File(path.to_owned()),
    }
}

fn fold(flags: flags::Fold, matches: &ArgMatches) -> fold::Plan {
    let indices = |id| {
        let matches = matches.subcommand().and_then(|(_, matches)| matches.indices_of(id));
        matches.into_iter().flatten().collect::<Vec<usize>>()
    };
    let defines = flags.define.into_iter().map(|define| match define.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (define, None),
    });
    let defines: Vec<_> = indices("define").into_iter().zip(defines).collect();
    let undefines: Vec<_> = indices("undefine").into_iter().zip(flags.undefine).collect();
    // The last flag for a name holds, as with a compiler.
    let defined_last = |at: usize, name: &str| {
        !undefines.iter().any(|(other, undefined)| *other > at && undefined == name)
    };
    let undefined_last = |at: usize, name: &str| {
        !defines.iter().any(|(other, (defined, _))| *other > at && defined == name)
    };
    let inputs: Vec<_> = match flags.files.as_slice() {
        [] => vec![fold::Input::Stdin],
        files => files.iter().map(|file| input(file)).collect(),
    };
    fold::Plan {
        defines: defines
            .iter()
            .filter(|(at, (name, _))| defined_last(*at, name))
            .map(|(_, define)| define.clone())
            .collect(),
        undefines: undefines
            .iter()
            .filter(|(at, name)| undefined_last(*at, name))
            .map(|(_, name)| name.clone())
            .collect(),
        simplify: flags.simplify.into(),
        inputs,
    }
}

fn script(flags: &flags::Completions) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut Cli::command(), "kernelize", &mut script);
    script
}

/// One page for the program and one for each command, commands below commands included.
fn manual(folder: PathBuf) -> Result<man::Plan> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    let mut waiting = vec![root];
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands().cloned());
        let source = concat!("kernelize ", env!("CARGO_PKG_VERSION"));
        let page = clap_mangen::Man::new(command).source(source);
        let mut text = Vec::new();
        page.render(&mut text)
            .map_err(|e| Error::internal(format!("a manual page can't be made: {e}")))?;
        pages.push((page.get_filename(), text));
    }
    pages.sort();
    Ok(man::Plan { folder, pages })
}
