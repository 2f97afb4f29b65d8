//! Releases as the package registry has them: one throw-away package each, since all of them claim
//! the same native library and so can't be dependencies side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

use kernelize::rules::{PackagedRelease, load};

/// The ruleset's own table of packages, from the oldest release that it is made for.
fn packages() -> &'static [PackagedRelease] {
    static PACKAGES: OnceLock<Vec<PackagedRelease>> = OnceLock::new();
    PACKAGES.get_or_init(|| {
        let library = load(None).unwrap().library;
        library.packages.into_iter().filter(|p| p.release >= library.oldest).collect()
    })
}

/// One fetch at a time: tests run in threads, and `cargo` locks its cache anyway.
static FETCHING: Mutex<()> = Mutex::new(());

/// The releases that [`release`] knows, oldest first.
pub(crate) fn versions() -> impl Iterator<Item = String> {
    packages().iter().map(|package| package.release.to_string())
}

/// The folder that holds `lib/` of a release, fetched the first time and kept below `target/`.
pub(crate) fn release(version: &str) -> Result<PathBuf, String> {
    let package = packages()
        .iter()
        .find(|package| package.release.to_string() == version)
        .ok_or_else(|| format!("no package is known for release {version}"))?;
    let store = Path::new(env!("CARGO_TARGET_TMPDIR")).join("upstream");
    let home = store.join(version);
    let _one_at_a_time = FETCHING.lock().map_err(|poisoned| poisoned.to_string())?;
    if !home.is_dir() {
        fetch(&store, package, &home).map_err(|error| format!("release {version}: {error}"))?;
    }
    Ok(home)
}

/// Brings the package to a scratch folder and renames what is wanted into place, so that a run that
/// is interrupted leaves nothing that looks complete.
fn fetch(store: &Path, package: &PackagedRelease, home: &Path) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    fs::create_dir_all(store).map_err(text)?;
    let scratch = tempfile::tempdir_in(store).map_err(text)?;
    let PackagedRelease { package: name, version, .. } = package;
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
         [dependencies]\n{name} = \"={version}\"\n\n[workspace]\n"
    );
    fs::write(scratch.path().join("Cargo.toml"), manifest).map_err(text)?;
    fs::create_dir(scratch.path().join("src")).map_err(text)?;
    fs::write(scratch.path().join("src/lib.rs"), "").map_err(text)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["vendor", "--quiet", "vendor"])
        .current_dir(scratch.path())
        .output()
        .map_err(text)?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    fs::rename(scratch.path().join("vendor").join(name).join("zstd"), home).map_err(text)
}

#[test]
fn a_release_is_fetched_once_and_is_the_release_it_says() {
    let newest = versions().last().unwrap();
    let home = release(&newest).unwrap();
    let header = fs::read_to_string(home.join("lib/zstd.h")).unwrap();
    let part = |name: &str| {
        let line = header.lines().find(|line| line.contains(&format!("#define {name}"))).unwrap();
        line.split_whitespace().last().unwrap().to_owned()
    };
    let says = ["ZSTD_VERSION_MAJOR", "ZSTD_VERSION_MINOR", "ZSTD_VERSION_RELEASE"].map(part);
    assert_eq!(says.join("."), newest);
    assert_eq!(release(&newest).unwrap(), home);
}

#[test]
fn a_release_without_a_package_is_named() {
    assert!(release("0.0.1").unwrap_err().contains("0.0.1"));
}
