//! Compiles the rulesets into the binary, so that an installed one works alone.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=rules");
    println!("cargo:rerun-if-changed=build.rs");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut paths = Vec::new();
    let mut folders = vec![root.join("rules")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path())
            } else {
                paths.push(entry.path())
            }
        }
    }
    paths.sort();
    let out = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("rule_files.rs");
    let mut out = io::BufWriter::new(fs::File::create(out)?);
    writeln!(out, "&[")?;
    for path in paths {
        let name = path.strip_prefix(root.join("rules")).unwrap_or(&path);
        let name = name.to_string_lossy().replace('\\', "/");
        writeln!(out, "    ({name:?}, include_bytes!({:?})),", path.to_string_lossy())?;
    }
    writeln!(out, "]")?;
    out.flush()?;
    sources(&root)
}

/// Digests of the program's own sources: what an earlier one kept isn't taken for what this one finds.
fn sources(root: &Path) -> io::Result<()> {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=Cargo.lock");
    let mut paths = vec![root.join("Cargo.lock"), root.join("src")];
    let mut files = Vec::new();
    while let Some(path) = paths.pop() {
        match path.is_dir() {
            true => {
                for entry in fs::read_dir(&path)? {
                    paths.push(entry?.path());
                }
            }
            false => files.push(path),
        }
    }
    files.sort();
    let mut hash = DefaultHasher::new();
    for path in files {
        path.strip_prefix(root).unwrap_or(&path).hash(&mut hash);
        fs::read(&path)?.hash(&mut hash);
    }
    println!("cargo:rustc-env=KERNELIZE_SOURCES={:016x}", hash.finish());
    Ok(())
}
