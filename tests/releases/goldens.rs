//! The importer's profile, pinned by hash: what it gives is what the release's own importer wrote,
//! but for one line.

use std::fs;
use std::path::Path;

use kernelize::text::TreePath;
use sha2::{Digest, Sha256};

use crate::imported::Imported;

/// The importer closes the chain of prefetch macros with the comment of the outer `#endif`, having
/// stopped at the inner one; here the inner one stands. This is the line in which the two differ.
const COMPILER_H: &str = "lib/zstd/common/compiler.h";
const OURS: &str = "#endif\n";
const THEIRS: &str = "#endif  /* NO_PREFETCH */\n";

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Puts the importer's line in place of ours: the last `#endif` before the one place where it
/// matters, found as the only replacement that gives the pinned hash.
fn with_their_line(text: &str, want: &str) -> Option<String> {
    text.match_indices(OURS).find_map(|(at, _)| {
        let theirs = format!("{}{THEIRS}{}", &text[..at], &text[at + OURS.len()..]);
        (hash(theirs.as_bytes()) == want).then_some(theirs)
    })
}

fn check(release: &str) {
    check_import(release, &Imported::new(release, "official"));
}

fn check_import(release: &str, imported: &Imported) {
    let tree = &imported.tree;
    let pins = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("fixtures/golden/official/v{release}.sha256"));
    let pins = fs::read_to_string(pins).unwrap();
    let mut wrong = Vec::new();
    for line in pins.lines() {
        let (want, path) = line.split_once("  ").unwrap();
        let Some(file) = tree.files.get(&TreePath::new(path).unwrap()) else {
            wrong.push(format!("{path} is missing"));
            continue;
        };
        let bytes = file.text.bytes();
        if path == COMPILER_H {
            let text = std::str::from_utf8(bytes).unwrap();
            assert_ne!(hash(bytes), want, "{release}: the line no longer differs");
            assert!(with_their_line(text, want).is_some(), "{release}: {path} differs elsewhere");
        } else if hash(bytes) != want {
            wrong.push(format!("{path} differs"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "release {release}");
    assert!(pins.lines().count() > 40);
    let derived = tree.files.values().filter(|file| file.template.is_none()).count();
    assert_eq!(derived, pins.lines().count(), "{release}: files that the importer does not write");
}

#[test]
fn v1_5_0() {
    check("1.5.0");
}

#[test]
fn v1_5_2() {
    check("1.5.2");
}

#[test]
fn v1_5_5() {
    check("1.5.5");
}

#[test]
fn v1_5_6() {
    check("1.5.6");
}

/// No package carries this one: it is checked where a repository is given.
#[test]
fn v1_4_10_from_a_repository() {
    match Imported::from_git("1.4.10", "official") {
        Some(imported) => check_import("1.4.10", &imported),
        None => eprintln!("skipped: KERNELIZE_TEST_GIT names no git repository"),
    }
}
