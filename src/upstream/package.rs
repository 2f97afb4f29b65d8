//! Packages of a registry, brought by the user's own `cargo`, so that mirrors and proxies that it is
//! set up with are used. Kept in the cache with the list of digests that cargo made of their files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::cache::{self, Slot};
use super::collect::Collector;
use super::folder;
use super::process::{Tools, run};
use super::release::Progress;
use crate::finding::{Error, Result};
use crate::rules::Library;

/// A package as read: its library, full version and checksum.
pub(super) struct Package {
    pub(super) collector: Collector,
    pub(super) version: String,
    pub(super) checksum: String,
    pub(super) notes: Vec<String>,
}

/// Brings version `version` of the package `name` unless it is in the cache, and reads it.
pub(super) fn read(
    name: &str,
    version: &str,
    library: &Library,
    cache: Option<&Path>,
    offline: bool,
    tools: &Tools,
    progress: &dyn Progress,
) -> Result<Package> {
    // What stands behind `+` doesn't tell versions apart.
    let number = version.split('+').next().unwrap_or(version);
    let slot = Slot::lock(cache, "packages", &format!("{name}-{number}"), progress)?;
    let mut notes = Vec::new();
    if !slot.is_filled() {
        progress.step(&format!("cargo brings {name} {number}"), 0, None);
        bring(name, number, &slot, offline, tools)?;
        notes.push(format!("cargo brought {name} {number} to {}", slot.path.display()));
    }
    let found = Manifest::read(&slot.path)?;
    if version.contains('+') && found != version {
        return Err(Error::input(format!("the package {name} {number} is {found}, not {version}")));
    }
    let shown = format!("the package {name} {found}");
    let top = slot.path.join(&library.package_root);
    if !top.join(&library.marker).exists() {
        let marker = &library.marker;
        return Err(Error::input(format!("{shown} holds no {}/{marker}", library.package_root)));
    }
    let collector = folder::read(&top, &library.root, &shown, &|_, _| false)?;
    let checksum = verify(&slot.path, &collector, library)?;
    Ok(Package { collector, version: found, checksum, notes })
}

/// Has cargo vendor a package that depends on nothing else, in the cache: cargo reads the
/// configuration of all folders above, and those above a shared temporary folder are anybody's.
fn bring(name: &str, version: &str, slot: &Slot, offline: bool, tools: &Tools) -> Result<()> {
    let building = slot.beside()?;
    let manifest = building.path().join("Cargo.toml");
    cache::write(
        &manifest,
        &format!(
            "[package]\nname = \"carrier\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
             [dependencies]\n{name} = {{ version = \"={version}\", default-features = false }}\n\n\
             [workspace]\n"
        ),
    )?;
    cache::write(&building.path().join("src/lib.rs"), "")?;
    let mut command = Command::new(&tools.cargo);
    command.current_dir(building.path()).args(["vendor", "--versioned-dirs"]);
    command.args(["--respect-source-config", "--color", "never"]);
    command.args(offline.then_some("--offline")).arg("vendor");
    // cargo waits for other cargos, however long they take.
    let patience = tools.patience * 6;
    run(command, patience, &mut |_| {}).map_err(|why| {
        // The folder that it is brought in is gone by the time anybody reads this.
        let folder = building.path().display().to_string();
        let parts: Vec<&str> = why.split(": ").filter(|part| !part.contains(&folder)).collect();
        not_brought(name, version, offline, &parts.join(": "))
    })?;
    let vendored = building.path().join("vendor");
    let found = fs::read_dir(&vendored).into_iter().flatten().flatten().find(|entry| {
        let folder = entry.file_name().to_string_lossy().into_owned();
        let rest = folder.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
        rest.is_some_and(|rest| rest.split('+').next() == Some(version))
    });
    match found {
        Some(entry) => slot.fill(&entry.path()),
        None => Err(not_brought(name, version, offline, "it isn't among what cargo brought")),
    }
}

fn not_brought(name: &str, version: &str, offline: bool, why: &str) -> Error {
    let error = Error::input(format!("cargo can't bring {name} {version}: {why}"));
    match offline {
        true => error.hint("run once without --offline"),
        false => error.hint(format!("does `cargo info {name}` reach the registry and know it?")),
    }
}

/// The part of a package's manifest that is read.
#[derive(Deserialize)]
struct Manifest {
    package: ManifestPackage,
}

#[derive(Deserialize)]
struct ManifestPackage {
    version: String,
}

impl Manifest {
    /// The full version that the package in `folder` states.
    fn read(folder: &Path) -> Result<String> {
        let path = folder.join("Cargo.toml");
        let text =
            fs::read_to_string(&path).map_err(|error| damaged(folder, &error.to_string()))?;
        let manifest: Manifest =
            toml::from_str(&text).map_err(|error| damaged(folder, error.message()))?;
        Ok(manifest.package.version)
    }
}

/// The digests that cargo wrote beside a package's files.
#[derive(Deserialize)]
struct Digests {
    files: BTreeMap<String, String>,
    package: Option<String>,
}

/// Holds the files read against cargo's digests; gives the package's own.
fn verify(package: &Path, collector: &Collector, library: &Library) -> Result<String> {
    let path = package.join(".cargo-checksum.json");
    let text = fs::read_to_string(&path).map_err(|error| damaged(package, &error.to_string()))?;
    let mut digests: Digests =
        serde_json::from_str(&text).map_err(|error| damaged(package, &error.to_string()))?;
    let below = format!("{}/{}/", library.package_root, library.root);
    for (path, bytes) in collector.files() {
        let path = format!("{below}{path}");
        let is: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if digests.files.remove(&path).is_none_or(|expected| expected != is) {
            return Err(damaged(package, &format!("{path} isn't as cargo brought it")));
        }
    }
    if let Some(path) = digests.files.keys().find(|path| path.starts_with(&below)) {
        return Err(damaged(package, &format!("{path} is gone")));
    }
    digests.package.ok_or_else(|| damaged(package, "its checksum isn't recorded"))
}

fn damaged(package: &Path, what: &str) -> Error {
    let package = package.display();
    Error::input(format!("the package in {package} is damaged: {what}"))
        .hint(format!("remove {package}: it is brought again"))
}
