//! The tools that apply patches take ours.

use std::fs;

use crate::support::{Repo, change, files, lines, mail, run, said};

#[test]
fn git_am_git_apply_and_patch_take_all_kinds_of_changes() {
    let old = files(&[
        ("lib/a.c", &lines(0..60)),
        ("lib/b.c", b"no end"),
        ("lib/c.h", &lines(100..140)),
        ("lib/gone/d.c", b"1\n"),
        ("lib/latin", b"caf\xe9\n-- \n--- x\n+++ y\n"),
        ("lib/with blank.c", b"1\n"),
    ]);
    let mut changed = lines(5..60);
    changed.splice(100..120, *b"diff --git a/x b/x\n@@ -1 +1 @@\n");
    let new = files(&[
        ("lib/a.c", &changed),
        ("lib/b.c", b"an end\n"),
        ("lib/moved/c.h", &lines(100..139)),
        ("lib/empty.h", b""),
        ("lib/latin", b"caf\xe8\n\n---\n\nFrom x\n"),
        ("lib/with blank.c", b"2\n"),
        ("lib/ü.c", b"quoted\n"),
    ]);
    let patch = mail("all kinds", "A body: \u{fc}.").render(&change(&old, &new), None).unwrap();

    let repo = Repo::new(&old);
    let output = repo.run(&["apply", "--check", "--whitespace=nowarn", "-"], &patch);
    assert!(output.status.success(), "{}", said(&output));
    let output = repo.run(&["am"], &patch);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(repo.head(), new);

    let folder = Repo::new(&old);
    let output = run(folder.path(), "patch", &["-p1", "--no-backup-if-mismatch"], &patch);
    assert!(output.status.success() && !said(&output).contains("fuzz"), "{}", said(&output));
    folder.git(&["add", "-A"]);
    folder.git(&["commit", "-q", "-m", "x"]);
    assert_eq!(folder.head(), new);
}

#[test]
fn carriage_returns_need_an_option_of_git_am_only() {
    let old = files(&[("dos.txt", b"1\r\n2\r\n3\r\n")]);
    let new = files(&[("dos.txt", b"1\r\n2\r\nthree\r\n")]);
    let change = change(&old, &new);
    assert!(change.has_carriage_returns());
    let patch = mail("x", "").render(&change, None).unwrap();
    let repo = Repo::new(&old);
    assert!(repo.run(&["apply", "--check", "-"], &patch).status.success());
    let output = repo.run(&["am", "--keep-cr"], &patch);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(repo.head(), new);
    fs::write(repo.path().join("dos.txt"), "1\r\n2\r\n3\r\n").unwrap();
    let output = run(repo.path(), "patch", &["-p1", "--binary"], &patch);
    assert!(output.status.success(), "{}", said(&output));
}
