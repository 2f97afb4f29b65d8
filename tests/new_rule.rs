//! `ci/new-rule`: its stubs are refused until they are filled in, and nothing is overwritten.
#![cfg(unix)]
// A test fails by panicking, its helpers too.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kernelize::rules::check;
use tempfile::TempDir;

const KINDS: [&str; 14] = [
    "allowed",
    "api",
    "bases",
    "calls",
    "comments",
    "files",
    "forbidden",
    "includes",
    "licence",
    "local",
    "macros",
    "masks",
    "names",
    "sections",
];

/// A project with an empty ruleset.
fn project() -> TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = TempDir::new().unwrap();
    let rules = dir.path().join("rules/demo");
    fs::create_dir_all(&rules).unwrap();
    fs::create_dir(dir.path().join("ci")).unwrap();
    fs::copy(root.join("ci/new-rule"), dir.path().join("ci/new-rule")).unwrap();
    let library = "name = \"demo\"\nurl = \"u\"\nroot = \"lib\"\npackage-root = \"demo\"\n\
        marker = \"lib/a.h\"\ntag-prefix = \"v\"\nversion-file = \"lib/a.h\"\n\
        version-macros = [\"A\", \"B\", \"C\"]\noldest = \"1.0.0\"\noutput = \"lib/demo\"\n\n\
        [[profile]]\nname = \"strict\"\nwhy = \"all\"\n";
    fs::write(rules.join("library.toml"), library).unwrap();
    dir
}

fn new_rule(dir: &Path, args: &[&str]) -> Output {
    Command::new("bash").arg(dir.join("ci/new-rule")).args(args).output().unwrap()
}

/// What `rules check` says.
fn said(dir: &Path) -> Vec<String> {
    let (_, findings) = check(Some(&dir.join("rules/demo"))).unwrap();
    findings.sorted().into_iter().map(|finding| finding.message).collect()
}

#[test]
fn stubs_of_every_kind_are_refused() {
    let dir = project();
    assert_eq!(said(dir.path()), Vec::<String>::new());
    for kind in KINDS {
        let made = new_rule(dir.path(), &[kind, "some-rule"]);
        assert!(made.status.success(), "{kind}: {}", String::from_utf8_lossy(&made.stderr));
        let text = fs::read_to_string(dir.path().join(format!("rules/demo/{kind}/some-rule.toml")));
        assert!(text.unwrap().starts_with("id = \"some-rule\"\nwhy = \"\"\n"));
        let messages = said(dir.path());
        assert!(!messages.is_empty(), "a stub of {kind} passed");
        fs::remove_dir_all(dir.path().join("rules/demo").join(kind)).unwrap();
        fs::remove_dir_all(dir.path().join("fixtures")).unwrap();
    }
}

#[test]
fn a_stub_filled_in_passes() {
    let dir = project();
    new_rule(dir.path(), &["macros", "gone"]);
    let messages = said(dir.path());
    assert!(messages.iter().any(|m| m.contains("why")), "{messages:?}");
    let rule = "id = \"gone\"\nwhy = \"nobody defines it any more\"\nnames = [\"GONE\"]\n\
        class = \"feature\"\nstate = \"undefined\"\n";
    fs::write(dir.path().join("rules/demo/macros/gone.toml"), rule).unwrap();
    let messages = said(dir.path());
    assert!(matches!(messages.as_slice(), [one] if one.contains("fixture")), "{messages:?}");
    for name in ["in.c", "out.c"] {
        fs::write(dir.path().join("fixtures/demo/macros/gone").join(name), "int a;\n").unwrap();
    }
    assert_eq!(said(dir.path()), Vec::<String>::new());
}

#[test]
fn wrong_calls_are_refused() {
    let dir = project();
    assert!(new_rule(dir.path(), &["macros", "one"]).status.success());
    for args in [
        &["macros", "one"][..],
        &["macros", "Upper"],
        &["macros", "a/b"],
        &["wishes", "one"],
        &["macros"],
        &["macros", "two", "nobody"],
    ] {
        let refused = new_rule(dir.path(), args);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        assert!(!refused.stderr.is_empty());
    }
}
