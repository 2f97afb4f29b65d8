//! `kernelize diff` of patches: each stands for what a tree holds behind it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const AUTHOR: &str = "Author <author@example.org>";

/// A small library in two releases, with its rules and a small kernel.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
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
        Place { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, args: &[&str]) -> (i32, String) {
        let done = Command::new(env!("CARGO_BIN_EXE_kernelize"))
            .args(args)
            .args(["--rules", "rules", "--upstream", "tiny-1.3.0"])
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        let said = [done.stdout, done.stderr].concat();
        (done.status.code().unwrap(), String::from_utf8_lossy(&said).into_owned())
    }

    /// Writes a patch.
    fn patch(&self, name: &str, args: &[&str]) {
        let (code, said) = self.run(&[&["patch", "--author", AUTHOR, "-o", name], args].concat());
        assert_eq!(code, 0, "{said}");
    }

    fn edit(&self, from: &str, to: &str, edit: impl Fn(&str) -> String) {
        let text = fs::read_to_string(self.path(from)).unwrap();
        let edited = edit(&text);
        assert_ne!(edited, text);
        fs::write(self.path(to), edited).unwrap();
    }
}

#[test]
fn a_patch_is_what_it_gives() {
    let place = Place::new();
    place.patch("bare.patch", &[]);
    for sides in [["bare.patch", "1.3.0"], ["1.3.0", "bare.patch"], ["bare.patch", "bare.patch"]] {
        let (code, said) = place.run(&["diff", sides[0], sides[1]]);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("Nothing differs."), "{said}");
        assert!(
            said.contains("patch bare.patch, made from v1.3.0, profile strict, rules "),
            "{said}"
        );
    }
}

#[test]
fn an_edited_patch_is_applied_as_it_is() {
    let place = Place::new();
    place.patch("bare.patch", &[]);
    place.edit("bare.patch", "edited.patch", |text| text.replace("return s;", "return s + 1;"));
    let (code, said) = place.run(&["diff", "1.3.0", "edited.patch"]);
    assert_eq!(code, 1, "{said}");
    for part in [
        "edited.patch does not come out the same when made again: line ",
        "the patch has `+    return s + 1;`; made again it has `+    return s;`",
        "local            +1      -1  1 change\n",
        "-    return s;\n+    return s + 1;\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(!said.contains("  upstream  "), "{said}");
    // One that no longer applies.
    place.edit("bare.patch", "torn.patch", |text| text.replacen("\n+#include", "\n#include", 1));
    let (code, said) = place.run(&["diff", "1.3.0", "torn.patch"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("torn.patch doesn't apply"), "{said}");
}

#[test]
fn a_patch_for_a_tree_needs_the_tree() {
    let place = Place::new();
    let decided = ["--keep", "scale.c-d1cc2222", "--drop", "Makefile-7628d8c9"];
    let tree = ["--linux", "linux", "--made-from", "tiny-1.2.3"];
    place.patch("tree.patch", &[&tree[..], &decided].concat());
    let (code, said) = place.run(&["diff", "1.3.0", "tree.patch"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("tree.patch was made for a Linux tree"), "{said}");
    assert!(said.contains("--linux"), "{said}");
    let (code, said) = place.run(&[&["diff", "1.3.0", "tree.patch", "--stat"][..], &tree].concat());
    assert_eq!(code, 1, "{said}");
    // What was carried over is the tree's own, and there is nothing else.
    assert!(said.contains("patch tree.patch for linux, made from v1.3.0"), "{said}");
    let causes = said.split_once("Where the changes come from\n").unwrap().1;
    assert!(causes.trim_start().starts_with("local "), "{said}");
    assert!(!causes.contains("  upstream  ") && !causes.contains("  rules  "), "{said}");
    // On another tree it isn't the same patch.
    fs::write(place.path("linux/lib/tiny/core/extra.c"), "int other;\n").unwrap();
    let (_, said) = place.run(&[&["diff", "1.3.0", "tree.patch", "--stat"][..], &tree].concat());
    assert!(said.contains("another base: the tree's files were "), "{said}");
}

#[test]
fn other_files_are_refused() {
    let place = Place::new();
    fs::write(place.path("words"), "no patch\n").unwrap();
    let (code, said) = place.run(&["diff", "1.3.0", "words"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("words: this is no patch in mail format"), "{said}");
    let other = "From: A <a@b>\nSubject: [PATCH] x\n\nx\n---\n\ndiff --git a/a b/a\n";
    fs::write(place.path("other"), other).unwrap();
    let (code, said) = place.run(&["diff", "other", "1.3.0"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("other: the patch has no trailer Kernelize-"), "{said}");
}

#[test]
fn an_output_that_cannot_be_written_is_told_first() {
    let place = Place::new();
    for args in [
        &["diff", "1.3.0", "no-such-release", "-o", "missing/report"][..],
        &["check", "no-such-release", "-o", "missing/report"],
        &["check", "no-such-release", "--suggest", "missing/fix.patch"],
    ] {
        let (code, said) = place.run(args);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("there is no folder missing"), "{said}");
        assert!(said.contains("mkdir -p missing"), "{said}");
    }
}

#[test]
fn parts_of_a_series_stand_for_the_tree_behind_them() {
    let place = Place::new();
    let decided = ["--keep", "scale.c-d1cc2222", "--drop", "Makefile-7628d8c9"];
    let tree = ["--linux", "linux", "--made-from", "tiny-1.2.3"];
    place.patch("series", &[&["--split"][..], &tree, &decided].concat());
    let mut parts: Vec<String> = fs::read_dir(place.path("series"))
        .unwrap()
        .map(|entry| format!("series/{}", entry.unwrap().file_name().into_string().unwrap()))
        .collect();
    parts.sort();
    assert_eq!(parts.len(), 5, "{parts:?}");
    let against = |part: &str| place.run(&[&["diff", part, "1.3.0", "--stat"][..], &tree].concat());
    let (code, said) = against(&parts[0]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("is the letter before a series"), "{said}");
    // The first brings the release that the tree holds into its new form.
    let (code, said) = against(&parts[1]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("made from v1.2.3") && said.contains("  upstream  "), "{said}");
    let (_, said) = against(&parts[2]);
    assert!(said.contains("made from v1.3.0") && !said.contains("  upstream  "), "{said}");
    // The last carries over what is the tree's own.
    let (code, said) = against(&parts[4]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("  local  ") && !said.contains("  upstream  "), "{said}");
}
