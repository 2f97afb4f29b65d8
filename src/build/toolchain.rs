//! The compilers at hand, and the switches that each of them knows.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::machine::{
    COMMON, COMMON_CLANG, COMMON_GCC, MACHINES, Machine, REQUIRED, WARNINGS, WARNINGS_GCC,
};
use super::process::{self, Outcome};
use super::workspace::Workspace;
use crate::finding::{Error, Result};

/// How long one run of a compiler may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);

/// The two compilers that kernels are built by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Family {
    Gcc,
    Clang,
}

/// A compiler for a machine.
#[derive(Clone, Debug)]
pub(super) struct Toolchain {
    pub(super) machine: &'static Machine,
    pub(super) family: Family,
    /// Version as the compiler gives it.
    version: String,
    program: PathBuf,
    /// What makes it one for this machine.
    target: Vec<String>,
    /// How a kernel for the machine is compiled; warnings included.
    pub(super) flags: Vec<String>,
    /// Whether what it makes runs here.
    pub(super) native: bool,
}

impl fmt::Display for Toolchain {
    /// `gcc 12.2.0 for arm64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = match self.family {
            Family::Gcc => "gcc",
            Family::Clang => "clang",
        };
        write!(f, "{family} {} for {}", self.version, self.machine.name)
    }
}

/// All compilers, and notes about those that aren't there or can't be used.
pub(super) struct Found {
    pub(super) toolchains: Vec<Toolchain>,
    pub(super) notes: Vec<String>,
}

impl Found {
    /// Refuses to go on with none.
    ///
    /// # Errors
    /// So it is.
    pub(super) fn at_least_one(self) -> Result<Found> {
        if !self.toolchains.is_empty() {
            return Ok(self);
        }
        let why = self.notes.first().map(|note| format!(": {note}")).unwrap_or_default();
        Err(Error::input(format!("no C compiler can be used{why}"))
            .hint("install gcc or clang, or leave --build out"))
    }
}

/// Looks for compilers. `cross`: for other machines as well.
pub(super) fn find(workspace: &Workspace<'_>, cross: bool) -> Found {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = |name: &str| on_path(&path, name);
    let named = [("gcc", Family::Gcc), ("clang", Family::Clang)];
    let mut natives: Vec<(PathBuf, Family)> =
        named.iter().filter_map(|(name, family)| Some((on_path(name)?, *family))).collect();
    if natives.is_empty() {
        natives.extend(on_path("cc").map(|program| {
            let family = if is_clang(workspace, &program) { Family::Clang } else { Family::Gcc };
            (program, family)
        }));
    }
    let host = natives
        .iter()
        .find_map(|(program, _)| of_triple(&said(workspace, program, "-dumpmachine")));
    let mut found = Found { toolchains: Vec::new(), notes: Vec::new() };
    let mut lacking: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for machine in &MACHINES {
        let is_host = host.is_some_and(|host| host.name == machine.name);
        let before = found.toolchains.len();
        let mut add = |found: &mut Found, program: &Path, family, target: &[&str]| match toolchain(
            workspace, machine, family, program, target, is_host,
        ) {
            Ok((toolchain, unknown)) => {
                for flag in unknown {
                    lacking.entry(flag).or_default().push(toolchain.to_string());
                }
                found.toolchains.push(toolchain);
            }
            Err(note) => found.notes.push(note),
        };
        if is_host {
            for (program, family) in &natives {
                add(&mut found, program, *family, &[]);
            }
        } else if cross {
            let prefixed =
                machine.prefixes.iter().find_map(|prefix| on_path(&format!("{prefix}gcc")));
            let sibling = machine.sibling.filter(|(name, _)| host.is_some_and(|h| h.name == *name));
            let gcc = natives.iter().find(|(_, family)| *family == Family::Gcc);
            let clang = natives.iter().find(|(_, family)| *family == Family::Clang);
            if let Some(program) = prefixed {
                add(&mut found, &program, Family::Gcc, &[]);
            } else if let (Some((_, switch)), Some((program, _))) = (sibling, gcc) {
                add(&mut found, program, Family::Gcc, &[switch]);
            }
            // clang is made for all machines: where nothing else is.
            if found.toolchains.len() == before
                && let Some((program, _)) = clang
            {
                let target = format!("--target={}", machine.target);
                add(&mut found, program, Family::Clang, &[&target]);
            }
            if found.toolchains.len() == before {
                found.notes.push(format!("not built for {}: no compiler for it", machine.name));
            }
        }
    }
    let left_out = |(flag, who): (String, Vec<String>)| {
        format!("{flag} is left out where it isn't known: {}", who.join(", "))
    };
    found.notes.extend(lacking.into_iter().map(left_out));
    found
}

/// The program of that name in the folders of a search path.
fn on_path(path: &OsString, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

fn of_triple(triple: &str) -> Option<&'static Machine> {
    MACHINES.iter().find(|m| m.triples.iter().any(|prefix| triple.starts_with(prefix)))
}

fn said(workspace: &Workspace<'_>, program: &Path, argument: &str) -> String {
    let mut command = Command::new(program);
    command.arg(argument);
    let outcome = workspace.run(command, PATIENCE).ok().filter(Outcome::succeeded);
    outcome.map(|outcome| process::plain(outcome.out.trim())).unwrap_or_default()
}

fn is_clang(workspace: &Workspace<'_>, program: &Path) -> bool {
    said(workspace, program, "--version").contains("clang")
}

/// A compiler with the switches it knows, and those it doesn't. An error says why it
/// can't be used.
fn toolchain(
    workspace: &Workspace<'_>,
    machine: &'static Machine,
    family: Family,
    program: &Path,
    target: &[&str],
    native: bool,
) -> Result<(Toolchain, Vec<String>), String> {
    let full = if family == Family::Gcc {
        said(workspace, program, "-dumpfullversion")
    } else {
        String::new()
    };
    let version = if full.is_empty() { said(workspace, program, "-dumpversion") } else { full };
    let list = |flags: &[&str]| flags.iter().map(|flag| (*flag).to_owned()).collect::<Vec<_>>();
    let mut toolchain = Toolchain {
        machine,
        family,
        version,
        program: program.to_owned(),
        target: list(target),
        flags: list(REQUIRED),
        native,
    };
    let (own, common, warnings) = match family {
        Family::Gcc => (machine.gcc, COMMON_GCC, WARNINGS_GCC),
        Family::Clang => (machine.clang, COMMON_CLANG, &[][..]),
    };
    let wanted = list(&[COMMON, common, machine.flags, own, WARNINGS, warnings].concat());
    toolchain.knows(workspace, &[]).map_err(|said| format!("{toolchain} can't be used: {said}"))?;
    let lacking = toolchain.take(workspace, &wanted);
    Ok((toolchain, lacking))
}

impl Toolchain {
    /// The compiler with the switches that choose the machine, run at the top of the output.
    pub(super) fn bare(&self, workspace: &Workspace<'_>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.target).current_dir(workspace.tree());
        command
    }

    /// The compiler as a kernel runs it.
    pub(super) fn command(&self, workspace: &Workspace<'_>) -> Command {
        let mut command = self.bare(workspace);
        command.args(&self.flags).args(workspace.includes());
        command
    }

    /// The compiler as for a usual program on this machine, run at the top of an output.
    pub(super) fn hosted(&self, workspace: &Workspace<'_>, tree: &Path) -> Command {
        let mut command = self.bare(workspace);
        command
            .current_dir(tree)
            .args(["-std=gnu11", "-ffreestanding", "-nostdinc", "-funsigned-char", "-w"])
            .arg("-fno-strict-aliasing")
            .args(workspace.includes());
        command
    }

    /// Adds those switches that the compiler knows; gives the others.
    fn take(&mut self, workspace: &Workspace<'_>, wanted: &[String]) -> Vec<String> {
        if self.knows(workspace, wanted).is_ok() {
            self.flags.extend_from_slice(wanted);
            return Vec::new();
        }
        // One after the other: some can't be without those before them.
        let mut lacking = Vec::new();
        for flag in wanted {
            match self.knows(workspace, std::slice::from_ref(flag)) {
                Ok(()) => self.flags.push(flag.clone()),
                Err(_) => lacking.push(flag.clone()),
            }
        }
        lacking
    }

    /// Whether a file can be compiled with further switches; else what the compiler says.
    pub(super) fn knows(&self, workspace: &Workspace<'_>, flags: &[String]) -> Result<(), String> {
        let mut command = self.command(workspace);
        command.args(flags).args(["-Werror", "-S", "-o", "-"]).arg(workspace.nothing());
        let outcome = workspace.run(command, PATIENCE)?;
        match outcome.succeeded() {
            true => Ok(()),
            false => Err(outcome.complaint(PATIENCE)),
        }
    }

    /// A program that belongs to the compiler, such as `nm`.
    pub(super) fn tool(&self, workspace: &Workspace<'_>, name: &str) -> Command {
        let mut command = self.bare(workspace);
        command.arg(format!("-print-prog-name={name}"));
        let found = workspace.run(command, PATIENCE).ok().filter(Outcome::succeeded);
        let found = found.map(|outcome| outcome.out.trim().to_owned()).unwrap_or_default();
        let mut command = Command::new(if found.is_empty() { name } else { &found });
        command.current_dir(workspace.tree());
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_tells_its_machine() {
        let name = |triple| of_triple(triple).map(|machine| machine.name);
        assert_eq!(name("x86_64-linux-gnu"), Some("x86_64"));
        assert_eq!(name("i686-pc-linux-gnu"), Some("i386"));
        assert_eq!(name("arm-linux-gnueabihf"), Some("arm"));
        assert_eq!(name("aarch64-unknown-linux-gnu"), Some("arm64"));
        assert_eq!(name("riscv64-linux-gnu"), None);
    }
}
