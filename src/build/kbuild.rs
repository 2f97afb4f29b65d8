//! Builds the import in a Linux tree, by that tree's own makefiles and with its headers.
//!
//! Nothing is written there: the tree is shown once more in the workspace, by links, with real folders
//! only on the way to the library's files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::compile;
use super::diagnostics;
use super::gather::Gathered;
use super::workspace::{LINUX, Workspace};
use crate::finding::{Error, Finding, Result};
use crate::rules::{Library, glob_matches};
use crate::text::TreePath;

/// How long one run of make may take.
const PATIENCE: Duration = Duration::from_secs(1200);
/// Settings that turn the library on, added to those of the smallest kernel: a text of the ruleset's.
const SETTINGS: &str = "harness/kernel.config";
/// What an earlier build inside the tree has left there, and what a build is not to see.
const LEFT: &[&str] = &[".config", ".git", "include/config", "include/generated"];

/// Builds the library there.
///
/// # Errors
/// The folder is no Linux tree, or can't be configured with what is installed here.
pub(super) fn all(
    workspace: &Workspace<'_>,
    library: &Library,
    linux: &Path,
    jobs: usize,
    gathered: &mut Gathered,
) -> Result<Vec<String>> {
    let shown = linux.display();
    if !linux.join("Makefile").is_file() || !linux.join("scripts/kconfig").is_dir() {
        return Err(Error::input(format!("{shown} is no Linux tree: it has no scripts/kconfig"))
            .hint("name the top of a kernel's sources"));
    }
    let Some(settings) = workspace.trial_source(SETTINGS) else {
        return Ok(vec![format!("not built in {shown}: the ruleset has no {SETTINGS}")]);
    };
    let linux = linux.canonicalize().map_err(|error| unreadable(linux, &error))?;
    let overlay = Overlay { linux: &linux, library, real: workspace.folders() };
    let top = workspace.folder(LINUX)?;
    overlay.show(&top, "")?;
    for path in workspace.paths() {
        if let Some(text) = workspace.text(path) {
            workspace.write(&format!("{LINUX}/{path}"), text)?;
        }
    }
    let out = workspace.folder("kbuild")?;
    let make = |goals: &[&str]| {
        let mut command = Command::new("make");
        command.current_dir(&top).arg("-s").arg(format!("-j{}", jobs.max(1)));
        command.arg(format!("O={}", out.display())).args(goals);
        for name in ["MAKEFLAGS", "MAKELEVEL", "KBUILD_OUTPUT", "KCFLAGS"] {
            command.env_remove(name);
        }
        workspace.run(command, PATIENCE)
    };
    let ready = |goals: &[&str]| {
        let said = match make(goals) {
            Ok(outcome) if outcome.succeeded() => return Ok(()),
            Ok(outcome) => outcome.complaint(PATIENCE),
            Err(said) => said,
        };
        Err(Error::input(format!("{shown} can't be made ready to build: {said}")).hint(
            "install what kernels need to build (flex, bison, bc, libelf), or leave --linux out",
        ))
    };
    ready(&["tinyconfig"])?;
    let config = out.join(".config");
    let mut text = fs::read(&config).map_err(|error| unreadable(&config, &error))?;
    text.extend_from_slice(&settings.bytes);
    workspace.write("kbuild/.config", &text)?;
    ready(&["olddefconfig"])?;
    ready(&["prepare"])?;
    let goal = format!("{}/", library.output);
    let outcome = make(&["W=1", &goal]).map_err(Error::input)?;
    let build = format!("the kernel's own build in {shown}");
    let said = diagnostics::compiler(&outcome.err);
    for said in &said {
        let switch = said.switch.clone().unwrap_or_else(|| said.message.clone());
        gathered.add(compile::finding(workspace, said), &switch, &build);
    }
    if !outcome.succeeded() && said.is_empty() {
        let message = format!("the kernel's own build fails: {}", outcome.complaint(PATIENCE));
        gathered.add(Finding::error("build-error", message.clone()), &message, &build);
    }
    let objects = count(&out.join(&library.output));
    Ok(vec![format!("{build}: {objects} objects, W=1")])
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::input(format!("{} can't be read: {error}", path.display()))
}

/// The objects of sources below a folder.
fn count(folder: &Path) -> usize {
    let entries = walkdir::WalkDir::new(folder).into_iter().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "o")).count()
}

/// A tree by links.
struct Overlay<'a> {
    linux: &'a Path,
    library: &'a Library,
    /// Folders that have to be real, since something in them is ours.
    real: BTreeSet<String>,
}

impl Overlay<'_> {
    /// Shows one folder of the tree in `to`.
    fn show(&self, to: &Path, below: &str) -> Result<()> {
        let from = self.linux.join(below);
        let entries = fs::read_dir(&from).map_err(|error| unreadable(&from, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&from, &error))?;
            let name = entry.file_name();
            // No file of a kernel has another name.
            let Some(name) = name.to_str() else { continue };
            let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
            if self.is_left(&path) || self.is_own(&path) {
                continue;
            }
            let place = to.join(name);
            if self.real.contains(&path) || is_arch(&path) {
                self.folder(&place, &path)?;
            } else {
                link(&entry.path(), &place)?;
            }
        }
        Ok(())
    }

    /// A real folder. There are few levels of them: the import's own, and those of architectures.
    fn folder(&self, place: &Path, path: &str) -> Result<()> {
        fs::create_dir_all(place)
            .map_err(|error| Error::input(format!("{} can't be made: {error}", place.display())))?;
        self.show(place, path)
    }

    fn is_left(&self, path: &str) -> bool {
        LEFT.contains(&path) || path.starts_with("arch/") && path.ends_with("/include/generated")
    }

    /// Whether it is a file of the library's, which the import replaces or takes away.
    fn is_own(&self, path: &str) -> bool {
        let is_file = TreePath::new(path).is_some() && !self.real.contains(path);
        is_file && self.library.paths.iter().any(|glob| glob_matches(glob, path))
    }
}

/// `arch`, `arch/NAME` and `arch/NAME/include`: what was generated there must not be seen.
fn is_arch(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.next() == Some("arch")
        && parts.next().is_none_or(|name| !name.contains('.') && name != "Kconfig")
        && parts.next().is_none_or(|name| name == "include")
        && parts.next().is_none()
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    std::os::unix::fs::symlink(from, to)
        .map_err(|error| Error::input(format!("{} can't be made: {error}", to.display())))
}

#[cfg(not(unix))]
fn link(_: &Path, to: &Path) -> Result<()> {
    Err(Error::input(format!("{} can't be made: no links here", to.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_architectures_are_shown_one_by_one() {
        for real in ["arch", "arch/x86", "arch/x86/include"] {
            assert!(is_arch(real), "{real}");
        }
        for linked in
            ["arch/Kconfig", "arch/.gitignore", "arch/x86/boot", "lib", "arch/x86/include/asm"]
        {
            assert!(!is_arch(linked), "{linked}");
        }
    }
}
