//! Trees whose release is not at hand as text: known by the digests of their files.

use std::fs;

use kernelize::finding::ErrorKind;
use kernelize::linux::base::Base;
use kernelize::linux::carry::{Carried, Class, Decisions, Fate};
use kernelize::text::TreePath;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::support::{Case, classes, copy_into, decide, text, tiny};

const HEADER: &str = "include/linux/tiny.h";
const MAKEFILE: &str = "lib/tiny/Makefile";
const SCALE: &str = "lib/tiny/core/scale.c";
const SUM: &str = "lib/tiny/core/sum.c";
/// Digest of no file.
const NONE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The small tree, and rules that know its release by these digests alone.
fn case(files: &[(&str, &str)], changed: &[(&str, &str)]) -> (TempDir, Case) {
    let dir = TempDir::new().unwrap();
    copy_into(&tiny().join("rules"), dir.path());
    // Nothing is there to be cloned.
    let library = fs::read_to_string(dir.path().join("library.toml")).unwrap();
    let nowhere = format!("url = \"{}\"", dir.path().join("nowhere").display());
    let library = library.replace("url = \"https://git.example/tiny\"", &nowhere);
    fs::write(dir.path().join("library.toml"), library).unwrap();
    let mut rule = "id = \"known\"\nwhy = \"Known for this test.\"\nrelease = \"v1.2.3\"\n\
        version = \"1.2.3\"\n\n[files]\n"
        .to_owned();
    for (path, sha256) in files {
        rule += &format!("\"{path}\" = \"{sha256}\"\n");
    }
    for (path, sha256) in changed {
        rule += &format!(
            "\n[[changed]]\nfile = \"{path}\"\nkernel = \"6.12\"\nsha256 = \"{sha256}\"\n\
             local = [\"zero-length\"]\n"
        );
    }
    fs::remove_file(dir.path().join("bases/v1-2-3.toml")).unwrap();
    fs::write(dir.path().join("bases/known.toml"), rule).unwrap();
    let case = Case::new(Some(dir.path()), &tiny().join("linux"), &upstream("1.3.0"));
    (dir, case)
}

fn upstream(version: &str) -> String {
    tiny().join(format!("tiny-{version}")).to_str().unwrap().to_owned()
}

/// The digest of a file of the tree.
fn here(path: &str) -> String {
    let bytes = fs::read(tiny().join("linux").join(path)).unwrap();
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// All there is: files unchanged, changed in a known way, and changed in a way that nobody knows.
fn known() -> (TempDir, Case) {
    let (header, sum, makefile) = (here(HEADER), here(SUM), here(MAKEFILE));
    let files = [(HEADER, header.as_str()), (MAKEFILE, &makefile), (SCALE, NONE), (SUM, NONE)];
    case(&files, &[(SUM, &sum)])
}

fn onto(case: &Case, base: &Base, decisions: &Decisions) -> Carried {
    case.onto(base, &upstream("1.3.0"), None, decisions).unwrap()
}

#[test]
fn files_are_told_apart_by_their_digests() {
    let (_dir, case) = known();
    let base = case.base();
    assert_eq!((base.name.as_str(), base.version.to_string().as_str()), ("v1.2.3", "1.2.3"));
    assert!(base.release.is_none() && base.profile.is_none() && base.importer.is_none());
    let digests = base.digests.as_ref().unwrap();
    assert_eq!(digests.rule.as_str(), "bases/known");
    assert_eq!((digests.unchanged.len(), digests.changed.len(), digests.unknown.len()), (2, 1, 1));
    assert!(base.notes.iter().any(|note| note.contains("only digests")), "{:?}", base.notes);
    let carried = onto(&case, &base, &Decisions::default());
    let id = carried.locals[0].id.clone();
    assert!(id.starts_with("scale.c-"), "{id}");
    assert_eq!(
        classes(&carried.locals),
        [format!("{id} conflict"), "zero-length upstreamed".into()]
    );
    assert_eq!(carried.locals[1].reason, "upstream has it since 1.3.0");
    let open: Vec<_> = carried.open().map(|local| (local.file.as_str(), local.lines)).collect();
    assert_eq!(open, [(SCALE, (1, text(&case.tree.files, SCALE).lines().count()))]);
    for part in ["digest", "bases/known", "the text of v1.2.3 is not at hand", "--made-from"] {
        assert!(carried.locals[0].reason.contains(part), "{}", carried.locals[0].reason);
    }
    assert_eq!(carried.local_files, [TreePath::new("lib/tiny/core/extra.c").unwrap()]);
    assert_eq!(carried.files, carried.import);
    // The Makefile is as it was imported, so what it lists and the import doesn't was upstream's.
    assert!(!text(&carried.files, MAKEFILE).contains("extra.o"));
}

#[test]
fn what_nobody_knows_is_kept_or_dropped_as_a_whole() {
    let (_dir, case) = known();
    let base = case.base();
    let id = onto(&case, &base, &Decisions::default()).locals[0].id.clone();
    let kept = onto(&case, &base, &decide(&[&id], &[]));
    assert_eq!((kept.open().count(), &kept.order), (0, &vec![id.clone()]));
    assert_eq!(text(&kept.files, SCALE), text(&case.tree.files, SCALE));
    let dropped = onto(&case, &base, &decide(&[], &[&id]));
    assert_eq!((dropped.open().count(), dropped.files), (0, dropped.import));
}

/// No text of the release is needed to write a tree's own in another form.
#[test]
fn a_reimport_is_the_same_as_with_the_text() {
    let (_dir, case) = known();
    let by_digests = onto(&case, &case.base(), &Decisions::default());
    let from = upstream("1.2.3");
    let with_text = Case::new(Some(&tiny().join("rules")), &tiny().join("linux"), &from);
    let with_text = onto(&with_text, &with_text.base(), &Decisions::default());
    assert_eq!(by_digests.reimport, with_text.reimport);
    assert_eq!(by_digests.import, with_text.import);
    assert_ne!(text(&by_digests.reimport, SCALE), text(&case.tree.files, SCALE));
}

/// A change that the new release hasn't got can't be carried over without the text.
#[test]
fn a_known_change_that_is_still_wanted_is_in_conflict() {
    let (_dir, mut case) = known();
    case.ruleset.local[0].upstreamed = None;
    let base = case.base();
    let carried = onto(&case, &base, &Decisions::default());
    let local = carried.locals.iter().find(|local| local.id == "zero-length").unwrap();
    assert_eq!((local.class, local.fate), (Class::Conflict, Fate::Open));
    assert!(local.reason.contains("--made-from"), "{}", local.reason);
    let carried = onto(&case, &base, &decide(&["zero-length"], &[]));
    assert_eq!(text(&carried.files, SUM), text(&case.tree.files, SUM));
}

#[test]
fn deleted_and_generated_files_are_seen() {
    let (header, makefile) = (here(HEADER), here(MAKEFILE));
    let files = [(HEADER, header.as_str()), (MAKEFILE, NONE), (SCALE, NONE), (SUM, NONE)];
    let (_dir, mut case) = case(&files, &[(SCALE, &here(SCALE))]);
    assert_ne!(makefile, NONE);
    // Another kernel's change of one file makes nothing known of another.
    case.ruleset.bases[0].changed[0].file = TreePath::new(SUM).unwrap();
    case.tree.files.remove(&TreePath::new(SUM).unwrap());
    let base = case.base();
    let carried = onto(&case, &base, &Decisions::default());
    let open: Vec<&str> = carried.open().map(|local| local.file.as_str()).collect();
    assert_eq!(open, [MAKEFILE, SCALE, SUM]);
    let reasons: Vec<&str> = carried.open().map(|local| local.reason.as_str()).collect();
    assert!(reasons[0].contains("core/extra.o"), "{reasons:?}");
    assert!(reasons[2].contains("the tree has deleted"), "{reasons:?}");
    // What the import writes is never put back as a whole: its lists are those of the new release.
    let id = carried.open().next().unwrap().id.clone();
    let kept = case.onto(&base, &upstream("1.3.0"), None, &decide(&[&id], &[]));
    let message = kept.unwrap_err().message;
    assert!(message.contains(&format!("`{id}` can't be kept")), "{message}");
}

/// Text goes before digests, and digests that fit nothing before nothing.
#[test]
fn digests_are_for_where_nothing_else_is() {
    let (_dir, mut case) = known();
    case.made_from = upstream("1.2.3").parse().unwrap();
    let base = case.base();
    assert!(base.digests.is_none() && base.release.is_some());
    let (_dir, case) = self::case(&[(SCALE, NONE), (SUM, NONE)], &[]);
    let error = case.try_base().err().unwrap();
    assert_eq!(error.kind, ErrorKind::Input);
    assert!(error.message.contains("1.2.3"), "{}", error.message);
}
