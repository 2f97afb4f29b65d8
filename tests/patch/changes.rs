//! Changes, rendered as git renders them.

use std::fs;
use std::path::Path;

use kernelize::patch::{Change, apply};
use kernelize::text::{Files, TreePath};
use proptest::prelude::*;

use crate::support::{Repo, change, files, lines, mail, same};

/// Our patch, which must be git's to the byte and lead from `old` to `new`.
#[track_caller]
fn as_git(old: &Files, new: &Files) -> String {
    let change = change(old, new);
    let ours = mail("a subject", "").render(&change, None).unwrap();
    same(&ours, &Repo::new(old).format(new, "a subject", &[]));
    assert_eq!(&apply(&ours, old).unwrap(), new);
    String::from_utf8_lossy(&ours).into_owned()
}

#[test]
fn plain_changes_are_written_as_git_writes_them() {
    let code = |body: &str, end: &str| {
        let head = "#include <x.h>\n\nstatic int f(int x)\n{\n";
        format!("{head}{body}out:\n\tfree(x);\n\n\n\n\n\n\n\n{end}\treturn x;\n}}\n").into_bytes()
    };
    let long = "\tx += 1;\n".repeat(20);
    let old = files(&[
        ("lib/a.c", &code(&long, "")),
        ("lib/b.txt", &code(&long, "")),
        ("lib/gone.h", b"1\n2\n3\n"),
        ("lib/empty-goes", b""),
        ("lib/same.c", b"x\n"),
    ]);
    let changed = long.replacen("\tx += 1;\n\tx += 1;\n", "\tx += 2;\n", 1) + "\tx++;\n";
    let new = files(&[
        ("lib/a.c", &code(&changed, "\tx--;\n")),
        ("lib/b.txt", &code(&changed, "\tx--;\n")),
        ("lib/new.h", b"one\ntwo\n"),
        ("lib/same.c", b"x\n"),
        ("lib/with blank/empty.h", b""),
        ("lib/with blank/new.h", b"x y z\n"),
    ]);
    let text = as_git(&old, &new);
    // In C a label is nothing that a hunk lies in.
    assert_eq!(text.matches("@@ static int f(int x)\n").count(), 3, "{text}");
    assert_eq!(text.matches("@@ out:\n").count(), 1, "{text}");
}

#[test]
fn ends_of_lines_and_strange_bytes_are_kept() {
    let old = files(&[
        ("a", b"1\n2"),
        ("b", b"1\n2\n"),
        ("c", b"1\r\n2\r\n3\r\n"),
        ("d", b"caf\xe9\n\xff\n"),
        ("e", b"x"),
        ("f", b"\x0c\x1b[m\n"),
    ]);
    let new = files(&[
        ("a", b"1\n2\n"),
        ("b", b"1\n2"),
        ("c", b"1\r\n2\n3\r\n"),
        ("d", b"caf\xe8\n\xff\n"),
        ("e", b"y"),
        ("f", b"\x0c\x1b[n\n"),
    ]);
    as_git(&old, &new);
    assert!(change(&old, &new).has_carriage_returns());
}

#[test]
fn strange_names_are_quoted() {
    let old = files(&[("a b/c d", b"1\n"), ("ü", b"1\n"), ("\"q\"", &lines(0..20))]);
    let new = files(&[("a b/c d", b"2\n"), ("ü", b"2\n"), ("漢 \"", &lines(0..19))]);
    as_git(&old, &new);
}

#[test]
fn renames_are_found_as_git_finds_them() {
    let text = lines;
    let old = files(&[
        ("a/one.c", &text(0..40)),
        ("a/two.c", &text(100..140)),
        ("a/b/three.c", &text(200..240)),
        ("equal1", &text(300..310)),
        ("equal2", &text(300..310)),
        ("part", &text(400..420)),
        ("top", b"short\n"),
    ]);
    let new = files(&[
        ("a/x/one.c", &text(0..38)),
        ("a/zwei.c", &[text(100..130), text(0..9)].concat()),
        ("a/c/three.c", &text(195..240)),
        ("new/equal2", &text(300..310)),
        ("new/other", &text(300..310)),
        ("part/of", &text(400..420)),
        ("top.c", b"other\n"),
    ]);
    let text = as_git(&old, &new);
    assert_eq!(text.matches("\nrename from ").count(), 6, "{text}");
}

#[test]
fn widths_of_the_table_follow_the_longest_name_and_number() {
    for (name, count) in [
        ("x", 1),
        ("x", 60),
        ("x", 70),
        ("x", 2000),
        ("a/name/of/some/length.c", 45),
        ("a/very/long/path/that/goes/on/and/on/until/it/is/far/too/long/to/be/shown.c", 5),
        ("a/very/long/path/that/goes/on/and/on/until/it/is/far/too/long/to/be/shown.c", 5000),
        ("one-name-without-any-slash-that-is-much-too-long-for-a-line-of-mail-to-be-shown.c", 77),
    ] {
        let old = files(&[(name, &lines(0..9)), ("b", &lines(0..30)), ("c", b"1\n")]);
        let new = files(&[(name, &lines(5..count + 5)), ("b", &lines(0..1)), ("c", b"2\n")]);
        as_git(&old, &new);
    }
}

#[test]
fn what_no_mail_can_carry_is_refused() {
    let old = files(&[("a", b"x\0\n"), ("b", b"1\n")]);
    let error = Change::between(&old, &files(&[("b", b"1\n")])).unwrap_err();
    assert!(error.message.contains("`a` holds a NUL"), "{error}");
    // What doesn't change doesn't matter.
    assert!(Change::between(&old, &old).unwrap().is_empty());
    let error = mail("x", "").render(&change(&old, &old), None).unwrap_err();
    assert!(error.message.contains("without changes"));
}

#[test]
fn a_patch_that_does_not_fit_names_file_and_hunk() {
    let old = files(&[("a.c", &lines(0..50)), ("b.c", b"1\n")]);
    let mut other = lines(0..50);
    other.splice(0..4, *b"LINE");
    let new = files(&[("a.c", &[other, lines(7..9)].concat())]);
    let patch = mail("x", "").render(&change(&old, &new), None).unwrap();
    assert_eq!(apply(&patch, &old).unwrap(), new);
    let refused = |patch: &[u8], base: &Files| apply(patch, base).unwrap_err().message;
    let base = files(&[("a.c", &lines(0..50))]);
    assert!(refused(&patch, &base).contains("`b.c`, which isn't there"));
    let base = files(&[("a.c", &lines(0..49)), ("b.c", b"1\n")]);
    assert!(refused(&patch, &base).contains("`a.c` before the patch is not the file"));
    let text = String::from_utf8(patch).unwrap();
    let without_ids = text.lines().filter(|line| !line.starts_with("index "));
    let without_ids: String = without_ids.map(|line| format!("{line}\n")).collect();
    assert_eq!(apply(without_ids.as_bytes(), &old).unwrap(), new);
    assert!(refused(without_ids.as_bytes(), &base).contains("hunk 2 of `a.c`"));
    for (from, to) in [
        ("\n+LINE", "\n+LIME"),
        ("\n line number 2", "\n line number 3"),
        ("\n-line number 0", "\n line number 0"),
        ("@@ -1,4 +1,4 @@", "@@ -1,4 +1,5 @@"),
        ("@@ -1,4 +1,4 @@", "@@ -2,4 +1,4 @@"),
        ("@@ -1,4 +1,4 @@", "@@ -99999999999,4 +1,4 @@"),
        ("diff --git a/a.c b/a.c", "diff --git a/../a.c b/a.c"),
        ("diff --git a/b.c b/b.c", "diff --git a/a.c b/a.c"),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        assert!(apply(text.replace(from, to).as_bytes(), &old).is_err(), "{from}");
    }
    for length in (0..text.len()).step_by(7) {
        let _ = apply(&text.as_bytes()[..length], &old);
    }
}

/// One edit of a tree; the numbers choose file, place and length.
fn edited(tree: &Files, edits: &[(u8, u8, u8, u8)]) -> Files {
    let mut tree = tree.clone();
    for &(what, file, place, length) in edits {
        let keys: Vec<_> = tree.keys().cloned().collect();
        let Some(path) = keys.get(usize::from(file) % keys.len().max(1)) else { break };
        let mut text: Vec<Vec<u8>> =
            tree[path].split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        let at = usize::from(place) % (text.len() + 1);
        let end = (at + usize::from(length % 9)).min(text.len());
        match what % 8 {
            0 | 1 => drop(text.drain(at..end)),
            2 | 3 => {
                drop(text.splice(
                    at..at,
                    (0..length % 9).map(|n| format!("new {}\n", n % 3).into_bytes()),
                ))
            }
            4 => text.splice(at..end, [b"int g(void)\n{\n".to_vec()]).for_each(drop),
            5 => {
                let bytes = tree.remove(path).unwrap();
                let name = format!("moved/{place}.c");
                tree.insert(TreePath::new(&name).unwrap(), bytes);
                continue;
            }
            6 => {
                tree.remove(path);
                continue;
            }
            _ => {
                text.last_mut().map(Vec::pop);
            }
        }
        tree.insert(path.clone(), text.concat().into());
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 25, ..ProptestConfig::default() })]

    #[test]
    fn random_changes_are_written_as_git_writes_them(
        edits in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 1..12),
    ) {
        let code: Vec<u8> = (0..12)
            .flat_map(|n| format!("int f{n}(void)\n{{\n\n\treturn {n};\nend:\n\treturn 0;\n}}\n\n").into_bytes())
            .collect();
        let old = files(&[
            ("a.c", &code), ("b.h", &lines(0..30)), ("c/d.c", &[lines(20..60), code.clone()].concat()),
            ("c/e", b""), ("f.c", b"one\n"), ("g", b"no end"),
        ]);
        let new = edited(&old, &edits);
        if new != old {
            as_git(&old, &new);
        }
    }
}

/// What the import of a release writes.
fn imported(release: &str, version: [u32; 3]) -> Files {
    let lib = crate::packages::release(release).unwrap().join("lib");
    let walk = walkdir::WalkDir::new(&lib).into_iter().map(|entry| entry.unwrap());
    let read = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(&lib).unwrap().to_str().unwrap();
        (TreePath::new(path).unwrap(), fs::read(entry.path()).unwrap().into())
    };
    let files = walk.filter(|entry| entry.file_type().is_file()).map(read).collect();
    let [major, minor, patch] = version;
    let version = kernelize::rules::Version { major, minor, patch };
    let ruleset = kernelize::rules::load(None).unwrap();
    let target = kernelize::kernel::target::Target::of_version(&ruleset.library, None);
    let input = kernelize::pipeline::Input { version, exact: true, files: &files, target: &target };
    let profile = ruleset.profile("strict").unwrap();
    let tree = kernelize::pipeline::import(input, &ruleset, profile).unwrap();
    tree.files.iter().map(|(path, file)| (path.clone(), file.text.bytes().clone())).collect()
}

#[test]
fn an_import_is_written_as_git_writes_it() {
    let none = files(&[("README", b"a tree without the library\n")]);
    let old = imported("1.5.6", [1, 5, 6]);
    let new = imported("1.5.7", [1, 5, 7]);
    let text = as_git(&old, &new);
    assert!(text.contains(" create mode 100644 lib/zstd/compress/zstd_preSplit.c\n"));
    let whole = old.into_iter().chain(none.clone()).collect();
    assert!(as_git(&none, &whole).len() > 1_000_000);
}

/// The real thing; runs where `KERNELIZE_TEST_GIT` names a repository of the library.
#[test]
fn releases_are_written_as_git_writes_them() {
    let Some(path) = std::env::var_os("KERNELIZE_TEST_GIT") else { return };
    let opened = kernelize::git::Repository::find_in(Path::new(&path)).unwrap().unwrap();
    let read = |tag: &str| {
        let commit = opened.find(tag).unwrap().unwrap().commit;
        let text = |path: &str| path.ends_with(".c") || path.ends_with(".h");
        opened.files(&commit, Default::default(), &|p| p.starts_with("lib"), &text).unwrap()
    };
    for (old, new) in [("v1.5.5", "v1.5.6"), ("v1.4.10", "v1.5.2"), ("v1.3.0", "v1.5.6")] {
        let (old, new) = (read(old), read(new));
        let start = std::time::Instant::now();
        let ours = change(&old, &new);
        let ours = mail("a subject", "").render(&ours, None).unwrap();
        eprintln!("{} bytes in {:?}", ours.len(), start.elapsed());
        same(&ours, &Repo::new(&old).format(&new, "a subject", &[]));
        assert_eq!(apply(&ours, &old).unwrap(), new);
    }
}
