//! From two kernel forms to one program.

use std::path::PathBuf;

use rayon::prelude::*;

use super::{FORM, PROGRAM, Request, Side};
use crate::build::compile::KERNEL;
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::finding::{Error, Result};

/// What kernels tell compilers that no program on a usual system can be made of: where kernels lie in
/// memory, and how they hand over arguments.
const NOT_HERE: &[&str] = &["-mcmodel=kernel", "-mregparm=3", "-mfloat-abi=soft"];
/// A function that is the same in both forms lies the same way in the processor's caches: else where
/// it happens to lie were measured, too.
const ALIGNED: &str = "-falign-functions=64";
/// The forms, as the program calls them.
const NAMES: [&str; 2] = ["bench_old", "bench_new"];

/// Builds with one compiler.
pub(super) struct Linker<'a> {
    workspace: &'a Workspace<'a>,
    toolchain: &'a Toolchain,
    flags: Vec<String>,
}

impl<'a> Linker<'a> {
    pub(super) fn new(workspace: &'a Workspace<'a>, toolchain: &'a Toolchain) -> Linker<'a> {
        let kept = toolchain.flags.iter().filter(|flag| !NOT_HERE.contains(&flag.as_str()));
        let mut flags: Vec<String> = kept.cloned().collect();
        let aligned = ALIGNED.to_owned();
        if toolchain.knows(workspace, std::slice::from_ref(&aligned)).is_ok() {
            flags.push(aligned);
        }
        flags.push("-w".to_owned());
        Linker { workspace, toolchain, flags }
    }

    /// How it builds, in words.
    pub(super) fn build(&self) -> String {
        format!("{}, -O2 and kernel flags", self.toolchain)
    }

    /// The program with both forms in it.
    ///
    /// # Errors
    /// One of them can't be built.
    pub(super) fn program(&self, request: &Request<'_>) -> Result<PathBuf> {
        let output = format!("{}/", request.ruleset.library.output);
        let mut sources = Vec::new();
        for (side, name) in request.forms.iter().zip(NAMES) {
            for (path, bytes) in side.files {
                self.workspace.write(&format!("{name}/{path}"), bytes)?;
            }
            let units = side.files.keys().map(|path| path.as_str());
            let units = units.filter(|path| path.starts_with(&output) && path.ends_with(".c"));
            let units: Vec<String> = units.map(str::to_owned).collect();
            if units.is_empty() {
                let (library, side) = (&request.ruleset.library.name, side.name);
                let message = format!("{side} holds no {library}: nothing lies in {output}");
                return Err(Error::input(message));
            }
            let own = self.workspace.trials(KERNEL, ".c");
            let own = own.iter().map(String::as_str).chain([FORM]).map(Workspace::trial);
            sources.extend(units.into_iter().chain(own).map(|source| (name, source)));
        }
        let compiled: Vec<Result<PathBuf, String>> =
            sources.par_iter().map(|(name, source)| self.object(name, source)).collect();
        // A program that was ended has nothing to complain of.
        self.workspace.wanted()?;
        let mut objects = Vec::new();
        for (side, name) in request.forms.iter().zip(NAMES) {
            let own = sources.iter().zip(&compiled).filter(|((of, _), _)| *of == name);
            let made: Result<Vec<&PathBuf>, &String> =
                own.map(|(_, object)| object.as_ref()).collect();
            let made = made.map_err(|said| self.cannot(side, said))?;
            objects.push(self.form(name, &made).map_err(|said| self.cannot(side, &said))?);
        }
        self.linked(&objects).map_err(|said| {
            let said = self.workspace.without_name(&said);
            Error::input(format!("the two forms don't fit into one program: {said}"))
        })
    }

    fn cannot(&self, side: &Side<'_>, said: &str) -> Error {
        let (name, said) = (side.name, self.workspace.without_name(said));
        let said = NAMES.iter().fold(said, |said, name| said.replace(&format!("{name}/"), ""));
        Error::input(format!("{name} can't be built to be measured: {said}"))
            .hint("leave --bench out, or compare what compiles")
    }

    fn object(&self, name: &str, source: &str) -> Result<PathBuf, String> {
        let folder = self.folder(name)?;
        let object = folder.join(format!("{}.o", source.replace('/', "__")));
        let mut command = self.toolchain.bare(self.workspace);
        command
            .current_dir(self.folder(name)?)
            .args(&self.flags)
            .args(self.workspace.includes())
            .arg(format!("-DBENCH_FORM={name}"))
            .args(["-c", "-o"])
            .arg(&object)
            .arg(source);
        self.workspace.finished(command).map(|()| object)
    }

    fn folder(&self, name: &str) -> Result<PathBuf, String> {
        self.workspace.folder(name).map_err(|error| error.message)
    }

    /// All of a form as one object that shows one name.
    fn form(&self, name: &str, objects: &[&PathBuf]) -> Result<PathBuf, String> {
        let folder = self.folder("forms")?;
        let (whole, shown) = (folder.join(format!("{name}.all")), folder.join(name));
        let mut command = self.toolchain.tool(self.workspace, "ld");
        command.arg("-r").arg("-o").arg(&whole).args(objects);
        self.workspace.finished(command)?;
        let mut command = self.toolchain.tool(self.workspace, "objcopy");
        command.arg(format!("--keep-global-symbol={name}")).args([&whole, &shown]);
        self.workspace.finished(command).map(|()| shown)
    }

    fn linked(&self, forms: &[PathBuf]) -> Result<PathBuf, String> {
        let program = self.folder("forms")?.join("program");
        let mut command = self.toolchain.bare(self.workspace);
        // The program is none of a kernel's: it is compiled as usual.
        command.args(["-O2", "-w", "-no-pie", "-Wl,-z,now", "-o"]).arg(&program);
        command.arg(Workspace::trial(PROGRAM)).args(forms);
        self.workspace.finished(command).map(|()| program)
    }
}
