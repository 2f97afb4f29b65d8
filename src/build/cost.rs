//! What kernel forms cost in memory and code: stack frames and sizes for each machine, what their modules
//! export, and how much memory callers ask for.
//!
//! Nothing is tried and nothing warned of: a form may be a kernel tree's, made by others and changed since.
//! What can't be built is said, and its figures are missing.

mod measured;
mod workspaces;

use super::toolchain::{self, Toolchain};
use super::workspace::Workspace;
use super::{Compilers, threads, workable};
use crate::finding::Result;
use crate::rules::Ruleset;
use crate::text::Files;
use crate::upstream::Progress;

use measured::Measurer;
pub use measured::{Measured, MeasuredMachine, MeasuredUse, Size};

/// What is to be measured.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The kernel forms, by the names that they have in sentences.
    pub forms: &'a [(&'a str, &'a Files)],
    /// The rules that say where the library lies and bring what it is built with.
    pub ruleset: &'a Ruleset,
    /// For which machines: by the first compiler for each.
    pub compilers: Compilers,
    /// Programs that run at a time; 0 for one a processor.
    pub jobs: usize,
    /// Whether it is no longer wanted; asked often. Programs that run end then.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
}

/// What all forms cost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Costs {
    /// Each form's figures, in the order of the request.
    pub forms: Vec<Measured>,
    /// Sentences: what could not be measured, and why.
    pub notes: Vec<String>,
}

/// Measures what `request` wants.
///
/// # Errors
/// The ruleset has no headers to build with, there is no compiler at all, the temporary folder can't be
/// written, or it is no longer wanted.
pub fn run(request: &Request<'_>, progress: &dyn Progress) -> Result<Costs> {
    let Request { forms, ruleset, compilers, jobs, interrupted } = *request;
    let pool = threads(jobs)?;
    workable(ruleset)?;
    let mut workspaces = Vec::new();
    for (name, files) in forms {
        workspaces.push((*name, Workspace::of_files((*files).clone(), ruleset, interrupted)?));
    }
    let Some((_, first)) = workspaces.first() else { return Ok(Costs::default()) };
    progress.step("looking for compilers", 0, None);
    let found = toolchain::find(first, compilers == Compilers::All).at_least_one()?;
    let native = found.toolchains.iter().find(|toolchain| toolchain.native);
    let chosen = chosen(&found.toolchains, compilers);
    let mut costs = Costs { notes: found.notes, ..Costs::default() };
    if native.is_none() {
        costs.notes.push("workspaces are not known: no compiler for this machine".to_owned());
    }
    let total = (chosen.len() * workspaces.len()) as u64;
    for (number, (name, workspace)) in workspaces.iter().enumerate() {
        let mut measurer = Measurer::new(workspace, &ruleset.library, name);
        for (at, toolchain) in chosen.iter().enumerate() {
            let done = (number * chosen.len() + at) as u64;
            progress.step(&format!("compiling {name}: {toolchain}"), done, Some(total));
            pool.install(|| measurer.machine(toolchain))?;
            workspace.wanted()?;
        }
        if let Some(native) = native {
            progress.step(&format!("asking {name} for its workspaces"), 0, None);
            pool.install(|| measurer.workspaces(native))?;
            workspace.wanted()?;
        }
        costs.forms.push(measurer.done());
    }
    Ok(costs)
}

/// The first compiler for each machine.
fn chosen(found: &[Toolchain], compilers: Compilers) -> Vec<&Toolchain> {
    let mut chosen: Vec<&Toolchain> = Vec::new();
    for toolchain in found {
        let there = |other: &&Toolchain| other.machine.name == toolchain.machine.name;
        if !chosen.iter().any(there) {
            chosen.push(toolchain);
        }
    }
    chosen.truncate(match compilers {
        Compilers::None => 0,
        Compilers::One => 1,
        Compilers::Native | Compilers::All => chosen.len(),
    });
    chosen
}
