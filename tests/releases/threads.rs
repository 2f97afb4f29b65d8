//! The same import with any number of threads.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use walkdir::WalkDir;

use crate::harness::packages;

/// What an import with so many threads writes, by path in the output folder.
fn written(upstream: &Path, threads: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let done = Command::new(env!("CARGO_BIN_EXE_kernelize"))
        .args(["import", "--quiet", "--upstream"])
        .arg(upstream)
        .arg("--out")
        .arg(&out)
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let files = WalkDir::new(&out).into_iter().map(|entry| entry.unwrap());
    let files = files.filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| {
            let path = entry.path().strip_prefix(&out).unwrap().to_str().unwrap().to_owned();
            (path, fs::read(entry.path()).unwrap())
        })
        .collect()
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let upstream = packages::release("1.5.6").unwrap();
    let one = written(&upstream, "1");
    assert!(one.len() > 50, "{} files", one.len());
    assert!(one == written(&upstream, "7"));
}
