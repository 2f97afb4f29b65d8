//! Folders as sources.

use std::fs;
use std::path::Path;

use kernelize::upstream::Origin;
use tempfile::TempDir;

use crate::support::{Repo, has, header, lay, library, paths, read, refused, snapshot};

fn release() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    lay(
        folder.path(),
        &[("lib/zstd.h", &header("1.5.6")), ("lib/common/mem.h", "int x;"), ("tests/big", "")],
    );
    folder
}

#[test]
fn a_folder_is_read_as_it_is() {
    let folder = release();
    let before = snapshot(folder.path());
    let found = read(folder.path(), None).unwrap();
    assert_eq!((found.name.as_str(), found.date), ("v1.5.6", None));
    assert_eq!(found.origin, Origin::Folder { path: folder.path().display().to_string() });
    assert_eq!(paths(&found), ["common/mem.h", "zstd.h"]);
    for same in ["1.5.6", "v1.5.6"] {
        assert!(read(folder.path(), Some(same)).is_ok(), "{same}");
    }
    has(&refused(folder.path(), Some("v1.5.7")), &["is 1.5.6, not `v1.5.7`", "RELEASE"]);
    has(&refused(folder.path(), Some("dev")), &["not `dev`"]);
    assert_eq!(snapshot(folder.path()), before);
}

#[test]
fn a_folder_without_the_library_gets_a_hint() {
    let folder = release();
    has(&refused(&folder.path().join("lib"), None), &["lib/zstd.h", "name the folder above lib"]);
    has(&refused(&folder.path().join("tests"), None), &["neither a git repository nor a folder"]);
    let outer = tempfile::tempdir().unwrap();
    fs::rename(folder.path(), outer.path().join("zstd-1.5.6")).unwrap();
    has(&refused(outer.path(), None), &["did you mean", "zstd-1.5.6"]);
    has(&refused(Path::new("/nowhere/at/all"), None), &["/nowhere/at/all can't be read"]);
}

#[test]
fn large_files_are_refused_before_they_are_read() {
    let folder = release();
    let file = fs::File::create(folder.path().join("lib/core")).unwrap();
    file.set_len(600 << 20).unwrap();
    has(&refused(folder.path(), None), &["`core`", "629145600 bytes", "16 MiB a file"]);
    fs::remove_file(folder.path().join("lib/core")).unwrap();
    for n in 0..17 {
        let file = fs::File::create(folder.path().join(format!("lib/part{n:02}"))).unwrap();
        file.set_len(16 << 20).unwrap();
    }
    has(&refused(folder.path(), None), &["256 MiB in all", "`part15`"]);
}

#[cfg(unix)]
#[test]
fn links_and_special_files_are_not_followed() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    let folder = release();
    let lib = folder.path().join("lib");
    // As a build leaves them.
    lay(&lib, &[("libzstd.so.1", "binary")]);
    symlink("libzstd.so.1", lib.join("libzstd.so")).unwrap();
    let found = read(folder.path(), None).unwrap();
    assert_eq!(paths(&found), ["common/mem.h", "libzstd.so.1", "zstd.h"]);
    has(&found.notes.join("\n"), &["left out: libzstd.so"]);

    symlink("/etc/passwd", lib.join("evil.h")).unwrap();
    has(&refused(folder.path(), None), &["`evil.h`", "symbolic link to `/etc/passwd`"]);
    fs::remove_file(lib.join("evil.h")).unwrap();
    symlink("..", lib.join("loop")).unwrap();
    has(&refused(folder.path(), None), &["`loop`", "symbolic link"]);
    fs::remove_file(lib.join("loop")).unwrap();
    let _socket = UnixListener::bind(lib.join("socket")).unwrap();
    has(&refused(folder.path(), None), &["`socket`", "pipe or socket"]);

    let other = tempfile::tempdir().unwrap();
    symlink(&lib, other.path().join("lib")).unwrap();
    has(&refused(other.path(), None), &["`lib`", "symbolic link"]);
}

#[cfg(target_os = "linux")]
#[test]
fn odd_names_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = release();
    lay(folder.path(), &[("lib/common/MEM.h", "")]);
    has(&refused(folder.path(), None), &["`common/MEM.h`", "`common/mem.h`", "differ in case"]);
    fs::remove_file(folder.path().join("lib/common/MEM.h")).unwrap();
    fs::write(folder.path().join("lib").join(OsStr::from_bytes(b"\xff.h")), "").unwrap();
    has(&refused(folder.path(), None), &["\\xff.h", "not UTF-8"]);
}

#[test]
fn binary_files_are_data_like_any_other() {
    let folder = release();
    fs::write(folder.path().join("lib/x.bin"), [0, 255, 10, 13, 0]).unwrap();
    let found = read(folder.path(), None).unwrap();
    assert!(found.files.values().any(|bytes| **bytes == [0, 255, 10, 13, 0]));
}

#[test]
fn a_work_tree_is_known_without_the_marker() {
    use kernelize::upstream::checkout;

    let (repo, library) = (Repo::with_releases(), library());
    let below = repo.path().join("lib/common");
    assert_eq!(checkout(&below, &library).unwrap(), Path::new("../.."));
    fs::remove_file(repo.path().join("lib/zstd.h")).unwrap();
    assert_eq!(checkout(&below, &library).unwrap(), Path::new("../.."));
    // Another repository is none, whatever it holds.
    let other = Repo::empty();
    lay(other.path(), &[("lib/a.c", "\n")]);
    assert_eq!(checkout(&other.path().join("lib"), &library), None);
}
