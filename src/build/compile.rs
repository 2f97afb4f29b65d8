//! Compiles each unit by each compiler, with assertions and without.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::diagnostics::{self, Diagnostic, Weight};
use super::gather::Gathered;
use super::objects;
use super::toolchain::{PATIENCE, Toolchain};
use super::workspace::Workspace;
use crate::finding::{Finding, Result};
use crate::text::TreePath;

/// One way to compile everything.
#[derive(Clone, Copy)]
pub(super) struct Variant<'t> {
    pub(super) toolchain: &'t Toolchain,
    /// With assertions and what else debugging brings.
    pub(super) asserts: bool,
}

impl Variant<'_> {
    /// In words.
    pub(super) fn name(&self) -> String {
        let asserts = if self.asserts { ", assertions on" } else { "" };
        format!("{}{asserts}", self.toolchain)
    }
}

/// The objects of one way to compile everything.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// Source in the output to object, for those that a compiler took.
    pub(super) by_source: BTreeMap<TreePath, PathBuf>,
    /// The objects of what the kernel offers.
    pub(super) kernel: Vec<PathBuf>,
    /// What functions need of the stack, in bytes.
    pub(super) frames: BTreeMap<String, u64>,
}

/// What is included before all where assertions are on: a text of the ruleset's.
const ASSERTS: &str = "harness/asserts.h";
/// What the kernel offers to the library.
pub(super) const KERNEL: &str = "harness/kernel/";
/// What else is compiled by each compiler, for itself: other ways in which kernels include the library.
const UNITS: &str = "harness/units/";

/// What is to be compiled.
enum Unit {
    Output(TreePath),
    Kernel(String),
    Other(String),
}

/// What became of one.
struct Compiled {
    unit: Unit,
    object: Option<PathBuf>,
    said: Vec<Diagnostic>,
    /// Where nothing could be read of what was said.
    complaint: Option<String>,
    frames: Vec<objects::Frame>,
}

/// Compiles everything one way into `folder`.
///
/// # Errors
/// The folder can't be made.
pub(super) fn all(
    workspace: &Workspace<'_>,
    variant: Variant<'_>,
    folder: &str,
    gathered: &mut Gathered,
) -> Result<Objects> {
    let folder = workspace.folder(folder)?;
    let mut units: Vec<Unit> = workspace.units().into_iter().map(Unit::Output).collect();
    units.extend(workspace.trials(KERNEL, ".c").into_iter().map(Unit::Kernel));
    units.extend(workspace.trials(UNITS, ".c").into_iter().map(Unit::Other));
    let compiled: Vec<Compiled> =
        units.into_par_iter().map(|unit| one(workspace, variant, &folder, unit)).collect();
    let mut objects = Objects::default();
    for compiled in compiled {
        report(workspace, variant, &compiled, gathered);
        for frame in &compiled.frames {
            let most = objects.frames.entry(frame.function.clone()).or_default();
            *most = (*most).max(frame.bytes);
        }
        match (compiled.unit, compiled.object) {
            (Unit::Output(path), Some(object)) => _ = objects.by_source.insert(path, object),
            (Unit::Kernel(_), Some(object)) => objects.kernel.push(object),
            _ => {}
        }
    }
    Ok(objects)
}

fn one(workspace: &Workspace<'_>, variant: Variant<'_>, folder: &Path, unit: Unit) -> Compiled {
    let source = match &unit {
        Unit::Output(path) => path.as_str().to_owned(),
        Unit::Kernel(path) | Unit::Other(path) => Workspace::trial(path),
    };
    let object = folder.join(format!("{}.o", source.replace('/', "__")));
    let mut command = variant.toolchain.command(workspace);
    if variant.asserts && workspace.trial_source(ASSERTS).is_some() {
        command.args(["-include", &Workspace::trial(ASSERTS)]);
    }
    if matches!(unit, Unit::Other(_)) {
        // All of it as one: what isn't called there is called elsewhere.
        command.arg("-Wno-unused-function");
    }
    command.args(["-fstack-usage", "-c", "-o"]).arg(&object).arg(&source);
    let (said, complaint, made) = match workspace.run(command, PATIENCE) {
        Ok(outcome) => {
            let said = diagnostics::compiler(&outcome.err);
            let silent = !outcome.succeeded() && said.iter().all(|d| d.weight != Weight::Error);
            (said, silent.then(|| outcome.complaint(PATIENCE)), outcome.succeeded())
        }
        Err(complaint) => (Vec::new(), Some(complaint), false),
    };
    let frames = std::fs::read_to_string(object.with_extension("su"));
    let frames = frames.map(|text| objects::frames(&text)).unwrap_or_default();
    Compiled { unit, object: made.then_some(object), said, complaint, frames }
}

fn report(
    workspace: &Workspace<'_>,
    variant: Variant<'_>,
    compiled: &Compiled,
    gathered: &mut Gathered,
) {
    for said in &compiled.said {
        gathered.add(finding(workspace, said), &key(said), &variant.name());
    }
    if let Some(complaint) = &compiled.complaint {
        let complaint = workspace.without_name(complaint);
        let message = format!("this file can't be compiled: {complaint}");
        let mut finding = Finding::error("build-error", message.clone());
        finding.labels.extend(match &compiled.unit {
            Unit::Output(path) => workspace.label(path.as_str(), 1, 1, "this file"),
            Unit::Kernel(path) | Unit::Other(path) => {
                workspace.label(&Workspace::trial(path), 1, 1, "this file")
            }
        });
        gathered.add(finding, &message, &variant.name());
    }
    if variant.asserts {
        // Kernels are not built so: what assertions need of the stack is nobody's limit.
        return;
    }
    let machine = variant.toolchain.machine;
    for frame in compiled.frames.iter().filter(|frame| frame.bytes > machine.frame) {
        let message = format!(
            "`{}` takes {} bytes of the stack on {}, where kernels allow {}",
            frame.function, frame.bytes, machine.name, machine.frame
        );
        let mut finding = Finding::error("stack-frame", message)
            .hint("move large variables into memory that the caller hands in");
        finding.labels.extend(workspace.label(&frame.file, frame.line, frame.column, "here"));
        gathered.add(finding, &frame.function, &variant.name());
    }
}

/// What tells complaints about one line apart; compilers differ in words.
fn key(said: &Diagnostic) -> String {
    said.switch.clone().unwrap_or_else(|| said.message.clone())
}

/// A compiler's complaint at its place upstream.
pub(super) fn finding(workspace: &Workspace<'_>, said: &Diagnostic) -> Finding {
    let code = match said.weight {
        Weight::Error => "build-error",
        Weight::Warning => "build-warning",
    };
    let switch = said.switch.as_ref().map(|switch| format!(" ({switch})")).unwrap_or_default();
    let mut finding = Finding::error(code, format!("{}{switch}", said.message));
    match workspace.label(&said.file, said.line, said.column, "") {
        Some(label) => finding.labels.push(label),
        None => finding.message = format!("{}:{}: {}", said.file, said.line, finding.message),
    }
    finding
}
