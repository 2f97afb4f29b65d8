//! Builds a kernel form with the compilers at hand and tries it: what its text promises is held against
//! what compilers, linkers and sanitisers say of it.
//!
//! Everything happens in a temporary folder, which goes at the end, whatever the end is.

mod compile;
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
    /// Whether the result is run.
    pub run: bool,
}

impl Extent {
    /// All there is.
    pub const ALL: Extent = Extent { settings: 8, compilers: Compilers::All, run: true };
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

/// Does all that `request` wants.
///
/// # Errors
/// There is no compiler at all, the temporary folder can't be written, or what is compared with can't
/// be built.
pub fn run(request: &Request<'_>, progress: &dyn Progress) -> Result<Built> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(request.jobs).build();
    let pool = pool.map_err(|error| Error::internal(format!("no threads can be made: {error}")))?;
    let scope = request.scope;
    let workspace = Workspace::new(scope.tree, scope.rules.ruleset)?;
    let extent = request.extent;
    progress.step("looking for compilers", 0, None);
    let found = toolchain::find(&workspace, extent.compilers == Compilers::All);
    let Some(first) = found.toolchains.first() else {
        let why = found.notes.first().map(|note| format!(": {note}")).unwrap_or_default();
        return Err(Error::input(format!("no C compiler can be used{why}"))
            .hint("install gcc or clang, or leave --build out"));
    };
    let mut built = Built { notes: found.notes, ..Built::default() };
    let mut gathered = Gathered::default();
    if extent.settings > 0 {
        progress.step("comparing tokens", 0, None);
        // The preprocessor of the machine at hand, if there is one.
        let native = found.toolchains.iter().find(|toolchain| toolchain.native).unwrap_or(first);
        let draw = (extent.settings, request.seed);
        let compared =
            pool.install(|| tokens::all(&workspace, scope, native, draw, &mut gathered))?;
        built.notes.push(format!(
            "{} files say the same tokens before and after: {} under {} settings, by {native}, seed {}",
            compared.files, compared.tokens, compared.settings, request.seed
        ));
    }
    if extent.compilers != Compilers::None {
        let most = if extent.compilers == Compilers::One { 1 } else { usize::MAX };
        for (number, toolchain) in found.toolchains.iter().take(most).enumerate() {
            for asserts in [false, true] {
                let variant = Variant { toolchain, asserts };
                let step = (number * 2 + usize::from(asserts)) as u64;
                let total = Some(found.toolchains.len() as u64 * 2);
                progress.step(&format!("compiling: {}", variant.name()), step, total);
                let folder = format!("objects/{step}");
                pool.install(|| {
                    one(&workspace, scope, variant, &folder, &mut built, &mut gathered)
                })?;
            }
        }
    }
    if extent.run {
        progress.step("trying the library", 0, None);
        let natives: Vec<&Toolchain> = found.toolchains.iter().filter(|t| t.native).collect();
        let trial = trial::Trial { workspace: &workspace, natives: &natives, seed: request.seed };
        pool.install(|| trial.all(request.against, &mut built.notes, &mut gathered))?;
    }
    if let Some(linux) = request.linux {
        progress.step("building in the Linux tree", 0, None);
        let library = &scope.rules.ruleset.library;
        let jobs = pool.current_num_threads();
        let notes = kbuild::all(&workspace, library, linux, jobs, &mut gathered)?;
        built.notes.extend(notes);
    }
    built.findings = gathered.into_findings();
    Ok(built)
}

/// Compiles and links one way.
fn one(
    workspace: &Workspace<'_>,
    scope: Scope<'_>,
    variant: Variant<'_>,
    folder: &str,
    built: &mut Built,
    gathered: &mut Gathered,
) -> Result<()> {
    let objects = compile::all(workspace, variant, folder, gathered)?;
    let library = &scope.rules.ruleset.library;
    let linked =
        link::all(workspace, library, variant, &objects, &format!("{folder}/modules"), gathered)?;
    let count = objects.by_source.len();
    let name = variant.name();
    let linked = match linked {
        Ok(linked) => linked,
        Err(said) => {
            let said = workspace.without_name(&said);
            built.notes.push(format!("{name}: {count} files compiled, not linked: {said}"));
            return Ok(());
        }
    };
    let choices = linked.choices.join(", ");
    built.notes.push(format!("{name}: {count} files compiled, modules linked as {choices}"));
    if variant.asserts {
        return Ok(());
    }
    let machine = variant.toolchain.machine.name;
    let frames = objects.frames.iter().map(|(name, bytes)| (format!("stack {name}"), *bytes));
    for (name, bytes) in frames.chain(linked.sizes) {
        built.figures.entry(format!("{machine} {name}")).or_insert(bytes);
    }
    Ok(())
}
