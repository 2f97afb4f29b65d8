//! Revisions and layouts of sound git repositories.

use std::fs;
use std::path::Path;

use kernelize::upstream::{Origin, Release};

use crate::support::{Ask, Repo, has, lay, paths, read, refused, run, snapshot};

fn commit_of(release: &Release) -> &str {
    match &release.origin {
        Origin::Git { commit, .. } => commit,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_newest_release_tag_is_the_default() {
    let repo = Repo::with_releases();
    let release = read(repo.path(), None).unwrap();
    assert_eq!(release.name, "v1.5.10");
    assert_eq!(release.version.to_string(), "1.5.10");
    assert_eq!(release.date, Some(1_700_000_000));
    assert_eq!(paths(&release), ["common/a.c", "common/deep/er/b.h", "zstd.h"]);
    assert_eq!(&*release.files.values().nth(1).unwrap().clone(), b"\r\n\0");
    let expected = Origin::Git {
        source: repo.path().display().to_string(),
        commit: repo.id("v1.5.10^{commit}"),
        tree: repo.id("v1.5.10^{tree}"),
        tag: Some("v1.5.10".into()),
    };
    assert_eq!(release.origin, expected);
    has(&release.notes.join("\n"), &["v1.5.10 is the newest release in"]);
}

#[test]
fn any_revision_that_git_knows_is_found() {
    let repo = Repo::with_releases();
    let short = &repo.id("v1.5.9^{commit}")[..9];
    for (given, name, same_as) in [
        ("v1.5.9", "v1.5.9", "v1.5.9"),
        ("1.5.9", "v1.5.9", "v1.5.9"),
        ("v1.5.9^{commit}", "v1.5.9", "v1.5.9"),
        ("v1.5.10~1", "v1.5.9", "v1.5.9"),
        ("HEAD~3", "v1.5.9", "v1.5.9"),
        (short, "v1.5.9", "v1.5.9"),
        ("v1.6.0-rc1", "v1.6.0-rc1", "HEAD~1"),
        ("refs/tags/v1.5.10", "v1.5.10", "v1.5.10"),
    ] {
        let release = read(repo.path(), Some(given)).unwrap();
        assert_eq!(release.name, name, "{given}");
        assert_eq!(commit_of(&release), repo.id(&format!("{same_as}^{{commit}}")), "{given}");
    }
    for given in ["dev", "HEAD", "@"] {
        let release = read(repo.path(), Some(given)).unwrap();
        assert_eq!(release.name, format!("v1.7.0-g{}", &repo.id("HEAD")[..12]), "{given}");
    }
}

#[test]
fn an_unknown_revision_is_answered_with_the_nearest() {
    let repo = Repo::with_releases();
    has(&refused(repo.path(), Some("v1.5.8")), &["no revision `v1.5.8`", "`v1.5.9`"]);
    has(&refused(repo.path(), Some("1.5.11")), &["`v1.5.10`"]);
    has(&refused(repo.path(), Some("deb")), &["`dev`"]);
    has(&refused(repo.path(), Some("nothing-like-it")), &["newest release is `v1.5.10`"]);
    has(&refused(repo.path(), Some("HEAD:lib")), &["names a file or folder, not a commit"]);
    has(&refused(repo.path(), Some("")), &["no revision ``"]);
    has(&refused(repo.path(), Some("v1.5.9..dev")), &["no revision"]);
}

#[test]
fn work_tree_index_and_refs_are_neither_read_nor_touched() {
    let repo = Repo::with_releases();
    lay(repo.path(), &[("lib/zstd.h", "garbage"), ("lib/new.c", "x")]);
    repo.git(&["add", "lib/new.c"]);
    let before = snapshot(repo.path());
    let release = read(repo.path(), Some("dev")).unwrap();
    assert_eq!(paths(&release), ["common/a.c", "common/deep/er/b.h", "zstd.h"]);
    assert_eq!(snapshot(repo.path()), before);
}

#[test]
fn every_layout_of_a_repository_gives_the_same() {
    let repo = Repo::with_releases();
    let expected = read(repo.path(), Some("v1.5.9")).unwrap().files;
    let others = tempfile::tempdir().unwrap();
    let at = |name: &str| others.path().join(name);
    let path = repo.path().to_str().unwrap();
    let target = |name: &str| at(name).to_str().unwrap().to_owned();
    run(others.path(), &["clone", "-q", "--bare", path, &target("bare.git")], b"");
    run(others.path(), &["clone", "-q", "--shared", path, &target("shared")], b"");
    run(others.path(), &["clone", "-q", "--mirror", path, &target("mirror")], b"");
    repo.git(&["worktree", "add", "-q", &target("linked"), "v1.5.10"]);
    repo.git(&["gc", "-q"]);
    fs::remove_file(at("mirror/config")).unwrap();
    for name in ["bare.git", "shared", "shared/.git", "mirror", "linked"] {
        let release = read(&at(name), Some("v1.5.9")).unwrap();
        assert_eq!(release.files, expected, "{name}");
    }
    // Each work tree has its own HEAD, and a clone its own names for branches.
    assert_eq!(read(&at("linked"), Some("HEAD")).unwrap().name, "v1.5.10");
    let dev = read(&at("shared"), Some("origin/dev")).unwrap();
    assert_eq!(commit_of(&dev), repo.id("dev"));
    assert_eq!(read(repo.path(), Some("v1.5.9")).unwrap().files, expected, "after gc");
}

#[cfg(unix)]
#[test]
fn the_owner_of_a_repository_does_not_matter() {
    use std::os::unix::fs::chown;
    let repo = Repo::with_releases();
    // Only root may give files away; elsewhere there is nothing to test.
    if chown(repo.path().join(".git"), Some(12_345), None).is_err() {
        return;
    }
    chown(repo.path(), Some(12_345), None).unwrap();
    assert_eq!(read(repo.path(), None).unwrap().name, "v1.5.10");
}

#[test]
fn a_repository_without_releases_says_so() {
    let repo = Repo::empty();
    has(&refused(repo.path(), None), &["no commit yet"]);
    has(&refused(repo.path(), Some("dev")), &["no revision `dev`", "neither tags nor branches"]);
    repo.commit("1.5.9");
    has(&refused(repo.path(), None), &["no release tag `vN.N.N`", "`dev`"]);
    assert_eq!(read(repo.path(), Some("dev")).unwrap().version.to_string(), "1.5.9");
}

#[test]
fn shallow_and_partial_clones_name_the_command_that_completes_them() {
    let repo = Repo::with_releases();
    let others = tempfile::tempdir().unwrap();
    let url = format!("file://{}", repo.path().display());
    let at = |name: &str| others.path().join(name);
    run(others.path(), &["clone", "-q", "--depth=1", &url, "shallow"], b"");
    assert_eq!(read(&at("shallow"), Some("dev")).unwrap().version.to_string(), "1.7.0");
    for wanted in [Some("v1.5.9"), Some("HEAD~1"), None] {
        let said = refused(&at("shallow"), wanted);
        let command = format!("`git -C {} fetch --unshallow --tags`", at("shallow").display());
        has(&said, &[&command]);
    }
    run(others.path(), &["clone", "-q", "--filter=blob:none", &url, "partial"], b"");
    // What was checked out is there.
    assert_eq!(read(&at("partial"), Some("dev")).unwrap().version.to_string(), "1.7.0");
    let said = refused(&at("partial"), Some("v1.5.9"));
    has(&said, &["lacks the file `", "fetch --refetch --no-filter`"]);
    run(&at("partial"), &["fetch", "-q", "--refetch", "--no-filter"], b"");
    run(&at("shallow"), &["fetch", "-q", "--unshallow", "--tags"], b"");
    for name in ["partial", "shallow"] {
        assert_eq!(read(&at(name), Some("v1.5.9")).unwrap().name, "v1.5.9", "{name}");
    }
}

#[test]
fn an_old_release_is_pointed_out() {
    let repo = Repo::empty();
    repo.commit("1.3.8");
    let release = read(repo.path(), Some("dev")).unwrap();
    has(&release.notes.join("\n"), &["older than 1.4.9"]);
}

#[test]
fn a_local_source_needs_no_cache() {
    let repo = Repo::with_releases();
    let mut ask = Ask::new();
    ask.offline = true;
    ask.tools.git = "/nowhere/git".into();
    assert!(ask.open(repo.path().to_str(), None).is_ok());
    assert_eq!(fs::read_dir(ask.cache.path()).unwrap().count(), 0);
    assert!(Path::new(&ask.cache.path()).exists());
}
