//! Git repositories that no release comes in.

use std::fs;

use crate::support::{Repo, has, header, lay, paths, read, refused, run};

/// Refusal of a commit in whose `lib` the entries stand beside a sound header.
fn refused_tree(entries: impl Fn(&Repo) -> Vec<String>) -> String {
    let repo = Repo::empty();
    let commit = repo.commit_tree(&entries(&repo));
    refused(repo.path(), Some(&commit))
}

#[test]
fn names_that_climb_out_are_refused() {
    for name in ["..", ".", "a/../../b", "/etc/x", "a\\b", "../x"] {
        let said = refused_tree(|repo| vec![format!("100644 blob {}\t{name}", repo.blob("x"))]);
        assert!(said.contains("lead"), "{name}: {said}");
    }
    let said = refused_tree(|repo| {
        let inner = repo.tree(&[format!("100644 blob {}\tx", repo.blob("x"))]);
        vec![format!("040000 tree {inner}\t..")]
    });
    has(&said, &["`..`", "lib of commit"]);
}

#[test]
fn names_that_collide_are_refused() {
    let two = |one: &'static str, other: &'static str| {
        refused_tree(|repo| {
            let blob = repo.blob("x");
            vec![format!("100644 blob {blob}\t{one}"), format!("100644 blob {blob}\t{other}")]
        })
    };
    has(&two("A.h", "a.h"), &["`A.h`", "`a.h`", "differ in case"]);
    has(&two("a.h", "a.h"), &["`a.h` stands twice"]);
    let said = refused_tree(|repo| {
        let inner = repo.tree(&[format!("100644 blob {}\tx", repo.blob("x"))]);
        vec![format!("100644 blob {}\ta", repo.blob("x")), format!("040000 tree {inner}\ta")]
    });
    has(&said, &["`a` stands twice"]);
}

#[test]
fn links_and_submodules_are_refused() {
    let link = |target: &'static str| {
        move |repo: &Repo| vec![format!("120000 blob {}\tevil.h", repo.blob(target))]
    };
    for target in ["/etc/passwd", "../../x", "common/a.h"] {
        has(&refused_tree(link(target)), &["`evil.h`", "symbolic link", target]);
    }
    let said = refused_tree(|repo| vec![format!("160000 commit {}\tsub", repo.blob("x"))]);
    has(&said, &["`sub`", "a submodule"]);

    let repo = Repo::empty();
    let entry = format!("120000 blob {}\tlibzstd.so", repo.blob("libzstd.so.1"));
    let commit = repo.commit_tree(&[entry]);
    let release = read(repo.path(), Some(&commit)).unwrap();
    assert_eq!(paths(&release), ["zstd.h"]);
    has(&release.notes.join("\n"), &["symbolic links were left out: libzstd.so"]);
    // A source that is a link would be missing without a word.
    has(&refused_tree(link("zstd.h")), &["`evil.h`", "symbolic link to `zstd.h`", "no links"]);
}

#[test]
fn a_root_that_is_no_folder_is_refused() {
    let repo = Repo::empty();
    let blob = repo.blob("elsewhere");
    for (mode, kind, what) in [
        ("120000", "blob", "a symbolic link"),
        ("160000", "commit", "a submodule"),
        ("100644", "blob", "a file where a folder belongs"),
    ] {
        let commit = repo.commit_top(&[format!("{mode} {kind} {blob}\tlib")]);
        has(&refused(repo.path(), Some(&commit)), &["`lib`", what]);
    }
    let commit = repo.commit_top(&[format!("100644 blob {blob}\tREADME")]);
    has(&refused(repo.path(), Some(&commit)), &["has no folder lib"]);
    let empty = repo.tree(&[]);
    let commit = repo.commit_top(&[format!("040000 tree {empty}\tlib")]);
    has(&refused(repo.path(), Some(&commit)), &["lacks zstd.h"]);
}

#[test]
fn sizes_and_depths_are_bounded() {
    let repo = Repo::empty();
    repo.commit("1.5.9");
    fs::File::create(repo.path().join("lib/big.bin")).unwrap().set_len(300 << 20).unwrap();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-q", "-m", "big"]);
    has(&refused(repo.path(), Some("dev")), &["`big.bin`", "314572800 bytes", "16 MiB a file"]);

    let deep = refused_tree(|repo| {
        let mut tree = repo.tree(&[format!("100644 blob {}\tx", repo.blob("x"))]);
        for _ in 0..60 {
            tree = repo.tree(&[format!("040000 tree {tree}\td")]);
        }
        vec![format!("040000 tree {tree}\td")]
    });
    has(&deep, &["d/d/d", "deep"]);

    // Ten trees that each name the one before ten times: ten thousand million files.
    let wide = refused_tree(|repo| {
        let mut tree = repo.tree(&[format!("100644 blob {}\tx", repo.blob("x"))]);
        for _ in 0..10 {
            let entries: Vec<_> = (0..10).map(|n| format!("040000 tree {tree}\t{n}")).collect();
            tree = repo.tree(&entries);
        }
        vec![format!("040000 tree {tree}\td")]
    });
    has(&wide, &["20000"]);
}

#[test]
fn damage_is_named() {
    let repo = Repo::with_releases();
    let object = |revision: &str| {
        let id = repo.id(revision);
        repo.path().join(format!(".git/objects/{}/{}", &id[..2], &id[2..]))
    };
    let lost = object("v1.5.9:lib/common/a.c");
    fs::remove_file(&lost).unwrap();
    has(&refused(repo.path(), Some("v1.5.9")), &["lacks the file `common/a.c`", "fsck"]);
    assert!(read(repo.path(), Some("v1.5.10")).is_ok());
    fs::copy(object("v1.5.10:lib/common/a.c"), &lost).unwrap();
    has(
        &refused(repo.path(), Some("v1.5.9")),
        &["`common/a.c`", "doesn't have that digest", "fsck"],
    );
    let tree = object("v1.5.9:lib/common");
    fs::remove_file(&tree).unwrap();
    fs::copy(object("v1.5.10:lib/common"), &tree).unwrap();
    has(
        &refused(repo.path(), Some("v1.5.9")),
        &["the folder `common`", "doesn't have that digest"],
    );

    let others = tempfile::tempdir().unwrap();
    run(others.path(), &["clone", "-q", "--shared", repo.path().to_str().unwrap(), "shared"], b"");
    drop(repo);
    let shared = others.path().join("shared");
    has(&refused(&shared, Some("v1.5.10")), &["alternates"]);

    fs::remove_dir_all(shared.join(".git")).unwrap();
    fs::write(shared.join(".git"), "gitdir: /nowhere\n").unwrap();
    has(&refused(&shared, None), &["names no git folder", "worktree repair"]);
    fs::remove_file(shared.join(".git")).unwrap();
    fs::create_dir(shared.join(".git")).unwrap();
    has(&refused(&shared, None), &["can't be opened"]);
}

#[test]
fn repositories_that_cannot_be_read_name_the_way_round() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["init", "-q", "--object-format=sha256"], b"");
    lay(folder.path(), &[("lib/zstd.h", &header("1.5.9"))]);
    run(folder.path(), &["add", "."], b"");
    run(folder.path(), &["commit", "-q", "-m", "x"], b"");
    has(&refused(folder.path(), None), &["SHA-256", "archive --format=tar.gz"]);

    let repo = Repo::with_releases();
    repo.git(&["config", "core.repositoryFormatVersion", "1"]);
    repo.git(&["config", "extensions.partialClone", "origin"]);
    has(&refused(repo.path(), None), &["can't be opened", "extension", "file:///"]);
}

#[test]
fn a_release_without_its_number_is_refused() {
    let repo = Repo::empty();
    lay(repo.path(), &[("lib/zstd.h", "#define ZSTD_VERSION_MAJOR 1\n")]);
    repo.git(&["add", "."]);
    repo.git(&["commit", "-q", "-m", "x"]);
    has(&refused(repo.path(), Some("dev")), &["zstd.h", "#define ZSTD_VERSION_MINOR NUMBER"]);
}
