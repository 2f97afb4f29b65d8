//! Damaged objects: every read ends, in the release or in an error that says what is damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use kernelize::finding::{ErrorKind, Result};
use kernelize::git::Repository;
use kernelize::upstream::Release;

use crate::support::{Repo, has, lay, read, refused, run, said};

/// A read that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A repository of loose objects of every kind.
fn small() -> Repo {
    let repo = Repo::with_releases();
    repo.git(&["-c", "advice.nestedTag=false", "tag", "-a", "-m", "of a tag", "outer", "v1.5.9"]);
    repo
}

fn loose_files(repo: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(repo.join(".git/objects")).sort_by_file_name();
    let files = walk.into_iter().map(|entry| entry.unwrap());
    files.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).collect()
}

/// Reads in a thread that is left behind if it hangs.
fn watched(repo: &Path, revision: &str) -> Result<Release> {
    let (sender, receiver) = channel();
    let (path, wanted) = (repo.to_owned(), revision.to_owned());
    thread::spawn(move || drop(sender.send(read(&path, Some(&wanted)))));
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("`{revision}` hangs"))
}

/// Reads in all ways that reach different objects; gives the number of refusals.
fn read_all(repo: &Path, case: &str) -> usize {
    let revisions = ["dev", "v1.5.9", "outer", "dev~2", "dev^{/1.5.10}", ":/1.5.9", "@{0}"];
    let mut refusals = 0;
    for revision in revisions {
        if let Err(error) = watched(repo, revision) {
            assert_eq!(error.kind, ErrorKind::Input, "{case}, {revision}: {error}");
            refusals += 1;
        }
    }
    refusals
}

/// `bytes` cut off and altered in several places.
fn damaged(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for length in [0, 1, 2, 10, bytes.len() / 2, bytes.len() - 5, bytes.len() - 1] {
        found.push((format!("cut to {length}"), bytes[..length.min(bytes.len())].to_vec()));
    }
    for at in [0, 1, 3, bytes.len() / 2, bytes.len() - 1] {
        let mut copy = bytes.to_vec();
        copy[at] ^= 0x55;
        found.push((format!("altered at {at}"), copy));
    }
    found
}

#[test]
fn no_damage_to_a_loose_object_hangs_or_passes() {
    let repo = small();
    let files = loose_files(repo.path());
    assert!(files.len() > 15, "{files:?}");
    assert_eq!(read_all(repo.path(), "sound"), 0);
    let mut refusals = 0;
    for (count, file) in files.iter().enumerate() {
        let bytes = fs::read(file).unwrap();
        let mut permissions = fs::metadata(file).unwrap().permissions();
        #[allow(clippy::permissions_set_readonly_false, reason = "a temporary file")]
        permissions.set_readonly(false);
        fs::set_permissions(file, permissions).unwrap();
        // One kind of damage for each file in turn, so that each meets each kind of object.
        for (what, copy) in damaged(&bytes).into_iter().skip(count % 3).step_by(3) {
            fs::write(file, &copy).unwrap();
            refusals += read_all(repo.path(), &format!("{} {what}", file.display()));
        }
        fs::write(file, &bytes).unwrap();
    }
    assert!(refusals > 200, "{refusals}");
    assert_eq!(read_all(repo.path(), "mended"), 0);
}

#[test]
fn damage_in_a_borrowed_store_is_found() {
    let repo = small();
    let others = tempfile::tempdir().unwrap();
    run(others.path(), &["clone", "-q", "--shared", repo.path().to_str().unwrap(), "shared"], b"");
    let id = repo.id("v1.5.9^{commit}");
    let file = repo.path().join(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let error = watched(&others.path().join("shared"), "v1.5.9").unwrap_err();
    has(&said(error), &["the commit of `v1.5.9`", "is damaged", &id, "fsck"]);
}

#[test]
fn no_damage_to_a_pack_hangs_or_passes() {
    let repo = small();
    repo.git(&["gc", "-q"]);
    let expected = read(repo.path(), Some("v1.5.9")).unwrap().files;
    let files = loose_files(repo.path());
    let pack = files.into_iter().find(|p| p.extension().is_some_and(|e| e == "pack")).unwrap();
    let bytes = fs::read(&pack).unwrap();
    let mut refusals = 0;
    for at in (12..bytes.len()).step_by(37) {
        let mut altered = bytes.clone();
        altered[at] ^= 0x55;
        for copy in [&altered[..], &bytes[..at]] {
            fs::remove_file(&pack).unwrap();
            fs::write(&pack, copy).unwrap();
            match watched(repo.path(), "v1.5.9") {
                Ok(release) => assert_eq!(release.files, expected, "{at}"),
                Err(error) => {
                    assert_eq!(error.kind, ErrorKind::Input, "{at}: {error}");
                    refusals += 1;
                }
            }
        }
    }
    assert!(refusals > 10, "{refusals}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_an_object_does_not_make_wait() {
    let repo = small();
    let id = repo.id("v1.5.9^{tree}");
    let file = repo.path().join(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    fs::remove_file(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    let error = watched(repo.path(), "v1.5.9").unwrap_err();
    has(&said(error), &["the top folder", "no plain file"]);
}

#[test]
fn refs_are_listed_with_their_commits_and_files_are_picked() {
    let repo = small();
    lay(repo.path(), &[("Makefile", "VERSION = 6\n"), ("lib/link.h", "x")]);
    fs::remove_file(repo.path().join("lib/link.h")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", repo.path().join("lib/link.h")).unwrap();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-q", "-m", "more"]);
    let opened = Repository::find_in(repo.path()).unwrap().unwrap();
    let refs = opened.references().unwrap();
    let names: Vec<&str> = refs.iter().map(|found| found.name.as_str()).collect();
    let tags = ["outer", "v1.5.10", "v1.5.9", "v1.6.0-rc1"].map(|tag| format!("refs/tags/{tag}"));
    assert_eq!(names, [&["refs/heads/dev".to_owned()][..], &tags].concat());
    assert_eq!(refs[1].commit.to_string(), repo.id("outer^{commit}"));

    let commit = opened.find("HEAD").unwrap().unwrap().commit;
    assert_eq!(commit.tree.to_string(), repo.id("HEAD^{tree}"));
    let wanted = |path: &str| path == "Makefile" || path.starts_with("lib/");
    let files = opened.files(&commit, Default::default(), &|path| path != "lib/common", &wanted);
    let files = files.unwrap();
    let paths: Vec<&str> = files.keys().map(|path| path.as_str()).collect();
    assert_eq!(paths, ["Makefile", "lib/zstd.h"]);
    let one = |path: &str| {
        let path = kernelize::text::TreePath::new(path).unwrap();
        opened.file(&commit, &path).unwrap()
    };
    assert_eq!(one("Makefile").unwrap(), b"VERSION = 6\n");
    assert_eq!(one("lib/common/deep/er/b.h").unwrap(), b"\r\n\0");
    for none in ["lib", "lib/link.h", "lib/none.h", "Makefile/x"] {
        assert!(one(none).is_none(), "{none}");
    }
    assert!(Repository::find_in(Path::new("/")).unwrap().is_none());
    assert!(opened.find("none").unwrap().is_none());
    has(&refused(repo.path(), Some("none")), &["no revision `none`"]);
}
