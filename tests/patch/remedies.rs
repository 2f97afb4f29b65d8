//! The remedies of findings, as a patch against upstream.

use kernelize::check::suggest::suggest;
use kernelize::finding::{Finding, Fix};
use kernelize::text::{Source, Span, TreePath};

use crate::support::{Repo, change, files, lines, run, said};

/// A finding whose remedy puts `to` in place of the first `from`.
fn finding(name: &str, bytes: &[u8], edits: &[(&str, &str)]) -> Finding {
    let source = Source::new(name, bytes);
    let edits = edits.iter().map(|(from, to)| {
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        (Span::new(at, at + from.len()), (*to).to_owned())
    });
    let fix = Fix { edits: edits.collect(), source: source.clone(), what: "do".into() };
    Finding::error("libc-call", "message").fix(fix)
}

#[test]
fn git_apply_and_patch_take_remedies() {
    let long = lines(0..200);
    let base = files(&[
        ("lib/a.c", &long),
        ("lib/dos.c", b"int a;\r\nint b;\r\n"),
        ("lib/latin.c", b"/* caf\xe9 */\nint c;"),
        ("lib/with blank.h", b"int d;\n"),
        ("README", b"left alone\n"),
    ]);
    let findings = [
        finding("lib/a.c", &long, &[("number 3\n", "number III\n"), ("number 150", "CL")]),
        finding("lib/a.c", &long, &[("line number 151\n", "")]),
        finding("lib/a.c", &long, &[("number 150", "never")]),
        finding("lib/dos.c", b"int a;\r\nint b;\r\n", &[("a", "one")]),
        finding("lib/latin.c", b"/* caf\xe9 */\nint c;", &[("c;", "three;")]),
        finding("lib/with blank.h", b"int d;\n", &[("int", "#include \"x.h\"\nint")]),
    ];
    let done = suggest(&findings);
    assert_eq!(done.taken, [0, 1, 3, 4, 5]);
    let patch = change(&done.before, &done.after).text();

    let mut expected = base.clone();
    expected.extend(done.after.clone());
    let repo = Repo::new(&base);
    let output = repo.run(&["apply", "--index", "--whitespace=nowarn", "-"], &patch);
    assert!(output.status.success(), "{}", said(&output));
    repo.git(&["commit", "-q", "-m", "x"]);
    assert_eq!(repo.head(), expected);

    let folder = Repo::new(&base);
    let arguments = ["-p1", "--binary", "--no-backup-if-mismatch"];
    let output = run(folder.path(), "patch", &arguments, &patch);
    assert!(output.status.success() && !said(&output).contains("fuzz"), "{}", said(&output));
    folder.git(&["add", "-A"]);
    folder.git(&["commit", "-q", "-m", "x"]);
    assert_eq!(folder.head(), expected);

    let path = TreePath::new("lib/a.c").unwrap();
    let text = String::from_utf8_lossy(&expected[&path]).into_owned();
    assert!(text.contains("number III\n") && text.contains("line CL\n") && !text.contains("151"));
}
