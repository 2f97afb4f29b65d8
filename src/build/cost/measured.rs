//! One kernel form, measured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::workspaces;
use crate::build::makefile;
use crate::build::objects;
use crate::build::toolchain::{PATIENCE, Toolchain};
use crate::build::workspace::Workspace;
use crate::finding::Result;
use crate::rules::Library;
use crate::text::TreePath;

/// What a kernel form costs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Measured {
    /// By machine, in the order in which compilers are looked for.
    pub machines: Vec<MeasuredMachine>,
    /// Names that the modules export; none where that is not known.
    pub exports: Option<BTreeSet<String>>,
    /// Memory that callers ask for.
    pub workspaces: Vec<MeasuredUse>,
    /// Sentences: what could not be measured, and why.
    pub notes: Vec<String>,
}

/// What a compiler for one machine makes of a kernel form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeasuredMachine {
    /// The machine, as kernels call it.
    pub machine: &'static str,
    /// The compiler, with its version and machine.
    pub compiler: String,
    /// The kernel's limit of a stack frame, in bytes.
    pub frame_limit: u64,
    /// Stack frames in bytes, by function.
    pub frames: BTreeMap<String, u64>,
    /// Sizes by the path of the source below the library's folder.
    pub objects: BTreeMap<String, Size>,
}

/// Bytes of an object file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Code and constants.
    pub text: u64,
    /// Data, with values or zero.
    pub data: u64,
}

/// Memory that one kind of caller asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MeasuredUse {
    /// Who.
    pub user: String,
    /// How it is computed, in words.
    pub how: String,
    /// Bytes to compress and to decompress, by level; level 0 is any.
    pub rows: BTreeMap<i32, [Option<u64>; 2]>,
}

/// Measures one form.
pub(super) struct Measurer<'a> {
    workspace: &'a Workspace<'a>,
    library: &'a Library,
    name: &'a str,
    units: Vec<TreePath>,
    measured: Measured,
}

/// What became of one source.
struct Compiled<'u> {
    unit: &'u TreePath,
    /// The object, or what the compiler says.
    object: Result<PathBuf, String>,
    frames: Vec<objects::Frame>,
}

impl<'a> Measurer<'a> {
    pub(super) fn new(workspace: &'a Workspace<'a>, library: &'a Library, name: &'a str) -> Self {
        let units = units(workspace, library);
        Measurer { workspace, library, name, units, measured: Measured::default() }
    }

    /// What was measured.
    pub(super) fn done(self) -> Measured {
        self.measured
    }

    /// Compiles everything by one compiler.
    ///
    /// # Errors
    /// The folder can't be made.
    pub(super) fn machine(&mut self, toolchain: &Toolchain) -> Result<()> {
        let folder = self.workspace.folder(&format!("objects/{}", toolchain.machine.name))?;
        let compiled: Vec<Compiled<'_>> =
            self.units.par_iter().map(|unit| self.compiled(toolchain, &folder, unit)).collect();
        let mut machine = MeasuredMachine {
            machine: toolchain.machine.name,
            compiler: toolchain.to_string(),
            frame_limit: toolchain.machine.frame,
            frames: BTreeMap::new(),
            objects: BTreeMap::new(),
        };
        for frame in compiled.iter().flat_map(|one| &one.frames) {
            let most = machine.frames.entry(frame.function.clone()).or_default();
            *most = (*most).max(frame.bytes);
        }
        let mut notes = Vec::new();
        notes.extend(self.failed(&compiled, toolchain));
        let made = |one: &Compiled<'_>| Some((one.object.as_ref().ok()?.clone(), one.unit.clone()));
        let objects: BTreeMap<PathBuf, TreePath> = compiled.iter().filter_map(made).collect();
        let all = objects.len() == compiled.len();
        match self.sizes(toolchain, &objects) {
            Ok(sizes) => machine.objects = sizes,
            Err(said) => notes.push(format!("sizes by {toolchain} are not known: {said}")),
        }
        if all && self.measured.exports.is_none() {
            match self.exports(toolchain, &objects) {
                Ok(exports) => self.measured.exports = Some(exports),
                Err(said) => notes.push(format!("exports are not known: {said}")),
            }
        }
        let notes = notes.into_iter().map(|note| format!("{}: {note}", self.name));
        self.measured.notes.extend(notes);
        self.measured.machines.push(machine);
        Ok(())
    }

    /// Asks for the workspaces by programs that run on this machine.
    ///
    /// # Errors
    /// The folder can't be made.
    pub(super) fn workspaces(&mut self, native: &Toolchain) -> Result<()> {
        let told = workspaces::all(self.workspace, native, &self.units)?;
        self.measured.workspaces = told.uses;
        let notes = told.notes.into_iter().map(|note| format!("{}: {note}", self.name));
        self.measured.notes.extend(notes);
        Ok(())
    }

    fn compiled<'u>(
        &self,
        toolchain: &Toolchain,
        folder: &Path,
        unit: &'u TreePath,
    ) -> Compiled<'u> {
        let object = folder.join(format!("{}.o", unit.as_str().replace('/', "__")));
        let mut command = toolchain.command(self.workspace);
        // What is wrong with it is told elsewhere.
        command.arg("-w").args(["-fstack-usage", "-c", "-o"]).arg(&object).arg(unit.as_str());
        let finished = self.workspace.finished(command);
        let frames = match &finished {
            Ok(()) => std::fs::read_to_string(object.with_extension("su")).unwrap_or_default(),
            Err(_) => String::new(),
        };
        let frames = objects::frames(&frames);
        Compiled { unit, object: finished.map(|()| object), frames }
    }

    /// A sentence about the sources that a compiler refuses.
    fn failed(&self, compiled: &[Compiled<'_>], toolchain: &Toolchain) -> Option<String> {
        let refused = |one: &Compiled<'_>| {
            let said = one.object.as_ref().err()?;
            Some((one.unit.clone(), self.workspace.without_name(said)))
        };
        let refused: Vec<_> = compiled.iter().filter_map(refused).collect();
        let (unit, said) = refused.first()?;
        let (count, all) = (refused.len(), compiled.len());
        let place = if said.starts_with(unit.as_str()) { "" } else { unit.as_str() };
        let colon = if place.is_empty() { "" } else { ": " };
        Some(format!(
            "{count} of {all} files are not compiled by {toolchain}: {place}{colon}{said}"
        ))
    }

    fn sizes(
        &self,
        toolchain: &Toolchain,
        objects: &BTreeMap<PathBuf, TreePath>,
    ) -> Result<BTreeMap<String, Size>, String> {
        let out = self.ask(toolchain.tool(self.workspace, "size"), objects)?;
        let mut sizes = BTreeMap::new();
        for (object, size) in objects::sizes(&out) {
            let Some(unit) = objects.get(Path::new(&object)) else { continue };
            let below = unit.as_str().strip_prefix(&self.library.output);
            let below = below.and_then(|below| below.strip_prefix('/')).unwrap_or(unit.as_str());
            let size = Size { text: size.text, data: size.data.saturating_add(size.bss) };
            sizes.insert(below.to_owned(), size);
        }
        Ok(sizes)
    }

    fn exports(
        &self,
        toolchain: &Toolchain,
        objects: &BTreeMap<PathBuf, TreePath>,
    ) -> Result<BTreeSet<String>, String> {
        let mut command = toolchain.tool(self.workspace, "nm");
        command.arg("-P");
        Ok(objects::symbols(&self.ask(command, objects)?).exports)
    }

    /// What a program says about objects; nothing of none.
    fn ask(
        &self,
        mut command: std::process::Command,
        objects: &BTreeMap<PathBuf, TreePath>,
    ) -> Result<String, String> {
        if objects.is_empty() {
            return Ok(String::new());
        }
        command.args(objects.keys());
        let outcome = self.workspace.run(command, PATIENCE)?;
        match outcome.succeeded() {
            true => Ok(outcome.out),
            false => Err(self.workspace.without_name(&outcome.complaint(PATIENCE))),
        }
    }
}

/// The sources that the form's makefile lists; all of the library's folder where it has none.
fn units(workspace: &Workspace<'_>, library: &Library) -> Vec<TreePath> {
    let all = workspace.units();
    let makefile = TreePath::new(&format!("{}/Makefile", library.output));
    let Some((makefile, text)) = makefile.and_then(|p| workspace.text(&p).map(|t| (p, t))) else {
        return all;
    };
    let listed = makefile::modules(&String::from_utf8_lossy(text));
    let objects = listed.iter().flat_map(|module| &module.objects);
    let sources = objects.filter_map(|object| {
        let stem = object.strip_suffix(".o")?;
        makefile.resolve(&format!("{stem}.c"))
    });
    let listed: BTreeSet<TreePath> = sources.collect();
    all.into_iter().filter(|unit| listed.contains(unit)).collect()
}
