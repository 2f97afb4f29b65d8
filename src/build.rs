//! Builds a kernel form with the compilers at hand and tries it: what its text promises is held against
//! what compilers, linkers and sanitisers say of it.
//!
//! Everything happens in a temporary folder, which goes at the end, whatever the end is.

pub mod bench;
mod compile;
pub mod cost;
mod diagnostics;
mod gather;
mod kbuild;
mod link;
mod machine;
mod makefile;
mod objects;
mod process;
mod tokens;
mod toolchain;
mod trial;
mod workspace;

use std::collections::BTreeMap;
use std::path::Path;

use crate::check::Scope;
use crate::finding::{Error, Findings, Result};
use crate::rules::{Library, Ruleset};
use crate::text::Files;
use crate::upstream::Progress;
use compile::Variant;
use gather::Gathered;
use toolchain::Toolchain;
use workspace::Workspace;

/// What is to be built.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The kernel form, the rules that made it, and what it was made from.
    pub scope: Scope<'a>,
    /// A Linux tree whose headers and makefiles are used as well; nothing is written there.
    pub linux: Option<&'a Path>,
    /// Another import, by paths in a Linux tree: the two have to understand each other.
    pub against: Option<Against<'a>>,
    /// Programs that run at a time; 0 for one a processor.
    pub jobs: usize,
    /// What is drawn by chance is drawn from this.
    pub seed: u64,
    /// What is done.
    pub extent: Extent,
    /// Whether it is no longer wanted; asked often. Programs that run end then.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
}

/// Another import.
#[derive(Clone, Copy, Debug)]
pub struct Against<'a> {
    /// What it is called in findings.
    pub name: &'a str,
    /// Its files, by their path in a Linux tree.
    pub files: &'a Files,
}

/// How much is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Settings under which the tokens of each file are compared; 0 leaves it out.
    pub settings: usize,
    /// By which compilers it is compiled and linked as kernels do it.
    pub compilers: Compilers,
    /// Whether it is compiled with assertions, too.
    pub asserts: bool,
    /// How the result is run.
    pub trial: Trial,
}

impl Extent {
    /// All there is.
    pub const ALL: Extent =
        Extent { settings: 8, compilers: Compilers::All, asserts: true, trial: Trial::All };
}

/// Which compilers are used, of those at hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Compilers {
    /// None.
    None,
    /// One for this machine.
    One,
    /// Those for this machine.
    Native,
    /// Those for all machines.
    All,
}

/// How the result is run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trial {
    /// Not at all.
    None,
    /// As kernels are compiled, in few cases.
    Plain,
    /// With sanitisers, in few cases.
    Sanitized,
    /// Both ways, the first in all cases.
    All,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Built {
    /// What is wrong.
    pub findings: Findings,
    /// Figures by name: `MACHINE stack FUNCTION`, `MACHINE text FILE`, `MACHINE data FILE` and
    /// `MACHINE bss FILE`, in bytes, each by the first compiler for the machine.
    pub figures: BTreeMap<String, u64>,
    /// Sentences: what was done and what could not be.
    pub notes: Vec<String>,
}

/// The header that kernels put before all others: without it nothing is compiled.
const FIRST: &str = "stubs/linux/compiler_types.h";

/// Does all that `request` wants.
///
/// # Errors
/// The ruleset has no headers to build with, there is no compiler at all, the temporary folder can't be written, what is compared with can't be
/// built, or it is no longer wanted.
pub fn run(request: &Request<'_>, progress: &dyn Progress) -> Result<Built> {
    let pool = threads(request.jobs)?;
    let Request { scope, interrupted, .. } = *request;
    let ruleset = scope.rules.ruleset;
    workable(ruleset)?;
    let workspace = Workspace::new(scope.tree, ruleset, interrupted)?;
    let work = Work { request, workspace: &workspace, pool: &pool, progress };
    let built = work.all();
    // Whatever else went wrong did so because programs were ended.
    workspace.wanted()?;
    built
}

/// Threads that run so many programs at a time.
fn threads(jobs: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    pool.map_err(|error| Error::internal(format!("no threads can be made: {error}")))
}

/// Refuses a ruleset that has nothing to build with.
fn workable(ruleset: &Ruleset) -> Result<()> {
    if ruleset.trials.contains_key(FIRST) {
        return Ok(());
    }
    let origin = &ruleset.origin;
    Err(Error::usage(format!("the ruleset ({origin}) can't be built with: it has no {FIRST}"))
        .hint("give it the kernel's headers that the library includes, or leave --build out"))
}

/// One build.
struct Work<'a> {
    request: &'a Request<'a>,
    workspace: &'a Workspace<'a>,
    pool: &'a rayon::ThreadPool,
    progress: &'a dyn Progress,
}

impl Work<'_> {
    fn all(&self) -> Result<Built> {
        let extent = self.request.extent;
        self.progress.step("looking for compilers", 0, None);
        let found = toolchain::find(self.workspace, extent.compilers == Compilers::All);
        let found = found.at_least_one()?;
        let mut built = Built { notes: found.notes, ..Built::default() };
        let mut gathered = Gathered::default();
        if extent.settings > 0 {
            // The preprocessor of the machine at hand, if there is one.
            let native = found.toolchains.iter().find(|toolchain| toolchain.native);
            if let Some(toolchain) = native.or(found.toolchains.first()) {
                self.tokens(toolchain, &mut built, &mut gathered)?;
            }
        }
        if extent.compilers != Compilers::None {
            let most = if extent.compilers == Compilers::One { 1 } else { usize::MAX };
            let toolchains: Vec<_> = found.toolchains.iter().take(most).collect();
            for (number, toolchain) in toolchains.iter().enumerate() {
                let of = (number as u64, toolchains.len() as u64);
                self.compiled(toolchain, of, &mut built, &mut gathered)?;
            }
        }
        if extent.trial != Trial::None {
            self.progress.step("trying the library", 0, None);
            let natives: Vec<&Toolchain> = found.toolchains.iter().filter(|t| t.native).collect();
            let Work { workspace, request, .. } = *self;
            let (seed, against) = (request.seed, request.against);
            let ways = request.extent.trial;
            let trier = trial::Trier { workspace, natives: &natives, seed };
            self.pool.install(|| trier.all(ways, against, &mut built.notes, &mut gathered))?;
        }
        if let Some(linux) = self.request.linux {
            self.progress.step("building in the Linux tree", 0, None);
            let library = &self.request.scope.rules.ruleset.library;
            let jobs = self.pool.current_num_threads();
            let notes = kbuild::all(self.workspace, library, linux, jobs, &mut gathered)?;
            built.notes.extend(notes);
        }
        built.findings = gathered.into_findings();
        Ok(built)
    }

    fn tokens(
        &self,
        toolchain: &Toolchain,
        built: &mut Built,
        gathered: &mut Gathered,
    ) -> Result<()> {
        self.progress.step("comparing tokens", 0, None);
        let Request { scope, seed, extent, .. } = *self.request;
        let draw = (extent.settings, seed);
        let compare = || tokens::all(self.workspace, scope, toolchain, draw, gathered);
        let compared = self.pool.install(compare)?;
        built.notes.push(format!(
            "{} files say the same tokens before and after: {} under {} settings, by {toolchain}, \
             seed {seed}",
            compared.files, compared.tokens, compared.settings
        ));
        Ok(())
    }

    /// Compiles and links by one compiler, with assertions and without; `at` says which of how many it
    /// is.
    fn compiled(
        &self,
        toolchain: &Toolchain,
        at: (u64, u64),
        built: &mut Built,
        gathered: &mut Gathered,
    ) -> Result<()> {
        let all = self.request.extent.asserts;
        let told = if all { " with assertions off and on" } else { "" };
        let mut how = Vec::new();
        let mut count = 0;
        for asserts in [false, true].into_iter().filter(|asserts| all || !asserts) {
            let variant = Variant { toolchain, asserts };
            let step = at.0 * 2 + u64::from(asserts);
            let doing = format!("compiling: {}", variant.name());
            self.progress.step(&doing, step, Some(at.1 * 2));
            let folder = format!("objects/{step}");
            let Work { workspace, request, .. } = *self;
            let library = &request.scope.rules.ruleset.library;
            let one = || one(workspace, library, variant, &folder, built, gathered);
            let (files, linked) = self.pool.install(one)?;
            self.workspace.wanted()?;
            count = files;
            if !how.contains(&linked) {
                how.push(linked);
            }
        }
        built.notes.push(format!("{toolchain}: {count} files compiled{told}, {}", how.join("; ")));
        Ok(())
    }
}

/// Compiles and links one way: how many files, and how they were linked.
fn one(
    workspace: &Workspace<'_>,
    library: &Library,
    variant: Variant<'_>,
    folder: &str,
    built: &mut Built,
    gathered: &mut Gathered,
) -> Result<(usize, String)> {
    let objects = compile::all(workspace, variant, folder, gathered)?;
    let modules = format!("{folder}/modules");
    let linked = link::all(workspace, library, variant, &objects, &modules, gathered)?;
    let count = objects.by_source.len();
    let (sizes, how) = match linked {
        Ok(linked) => (linked.sizes, format!("modules linked as {}", linked.choices.join(", "))),
        Err(said) => (BTreeMap::new(), format!("not linked: {}", workspace.without_name(&said))),
    };
    if !variant.asserts {
        let machine = variant.toolchain.machine.name;
        let frames = objects.frames.into_iter();
        let frames = frames.map(|(name, bytes)| (format!("stack {name}"), bytes));
        for (name, bytes) in frames.chain(sizes) {
            built.figures.entry(format!("{machine} {name}")).or_insert(bytes);
        }
    }
    Ok((count, how))
}
