//! `kernelize patch` on a git repository: what it writes is what `git am` makes of it, and nothing
//! else changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A small kernel with a small library, as the transcripts have it.
struct Kernel {
    folder: TempDir,
}

const AUTHOR: &str = "Author <author@example.org>";

impl Kernel {
    fn new() -> Kernel {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/linux.in");
        for entry in walkdir::WalkDir::new(&source) {
            let entry = entry.unwrap();
            let place = folder.path().join(entry.path().strip_prefix(&source).unwrap());
            match entry.file_type().is_dir() {
                true => fs::create_dir_all(place).unwrap(),
                false => _ = fs::copy(entry.path(), place).unwrap(),
            }
        }
        let kernel = Kernel { folder };
        kernel.git(&["init", "-q", "-b", "main"]);
        kernel.git(&["add", "-A"]);
        kernel.git(&["commit", "-q", "-m", "kernel"]);
        kernel
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn git(&self, args: &[&str]) -> String {
        let done = Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@b"])
            .args(["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"])
            .arg("-C")
            .arg(self.path("linux"))
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    /// Runs `patch` with the decisions that this kernel needs.
    fn patch(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_kernelize"))
            .args(["patch", "--linux", "linux", "--rules", "rules", "--quiet"])
            .args(["--upstream", "tiny-1.3.0", "--made-from", "tiny-1.2.3", "--author", AUTHOR])
            .args(["--keep", "scale.c-d1cc2222", "--drop", "Makefile-7628d8c9"])
            .args(args)
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    /// All that a run must leave alone.
    fn state(&self) -> (String, String, String, Vec<u8>) {
        let index = fs::read(self.path("linux/.git/index")).unwrap();
        let head = fs::read_to_string(self.path("linux/.git/HEAD")).unwrap();
        (head, self.git(&["rev-parse", "main"]), self.git(&["diff"]), index)
    }
}

fn succeeds(done: &Output) {
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_commit_is_what_git_am_makes_of_the_patch() {
    let kernel = Kernel::new();
    // What isn't committed is neither read nor touched.
    fs::write(kernel.path("linux/lib/tiny/core/sum.c"), "not committed\n").unwrap();
    let before = kernel.state();
    succeeds(&kernel.patch(&["--commit", "update", "-o", "one.patch"]));
    assert_eq!(kernel.state(), before);
    kernel.git(&["checkout", "-q", "-f", "-b", "by-am", "main"]);
    kernel.git(&["am", "-q", "../one.patch"]);
    assert_eq!(
        kernel.git(&["rev-parse", "by-am^{tree}"]),
        kernel.git(&["rev-parse", "update^{tree}"])
    );
    assert_eq!(
        kernel.git(&["log", "-1", "--format=%B%an%ae", "by-am"]),
        kernel.git(&["log", "-1", "--format=%B%an%ae", "update"])
    );
    assert_eq!(kernel.git(&["rev-parse", "update~"]), before.1);
    let again = kernel.patch(&["--commit", "update", "-o", "two.patch"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(!kernel.path("two.patch").exists());
}

#[test]
fn a_series_ends_where_the_one_patch_does() {
    let kernel = Kernel::new();
    succeeds(&kernel.patch(&["-o", "one.patch"]));
    succeeds(&kernel.patch(&["--split", "-o", "series", "--commit", "steps"]));
    let mut parts: Vec<PathBuf> =
        fs::read_dir(kernel.path("series")).unwrap().map(|e| e.unwrap().path()).collect();
    parts.sort();
    assert_eq!(parts.len(), 5);
    kernel.git(&["checkout", "-q", "-b", "by-am"]);
    for part in &parts[1..] {
        kernel.git(&["am", "-q", part.to_str().unwrap()]);
    }
    kernel.git(&["checkout", "-q", "-b", "at-once", "main"]);
    kernel.git(&["am", "-q", "../one.patch"]);
    let tree = |name: &str| kernel.git(&["rev-parse", &format!("{name}^{{tree}}")]);
    assert_eq!(tree("by-am"), tree("at-once"));
    assert_eq!(tree("by-am"), tree("steps"));
    assert_eq!(kernel.git(&["rev-list", "--count", "main..steps"]), "4");
}
