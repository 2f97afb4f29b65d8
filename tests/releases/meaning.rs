//! The output compiles, and says to the compiler what the release says, whatever the macros that
//! stay open.

use std::sync::Arc;

use kernelize::build::{Compilers, Extent, Request, Trial, run};
use kernelize::pipeline::transform;
use kernelize::upstream::Silent;

use crate::harness::compile::Compile;
use crate::imported::Imported;

/// The output is what it is to become already.
fn changed_by_a_second_import(imported: &Imported) -> Vec<String> {
    let profile = imported.ruleset.profile(imported.profile).unwrap();
    let derived = imported.tree.files.values().filter(|file| file.template.is_none());
    derived
        .filter_map(|file| {
            let path = file.upstream.as_ref()?;
            let bytes = Arc::clone(file.text.bytes());
            let version = imported.version;
            let (again, _) = transform(path, bytes, version, &imported.ruleset, profile).unwrap();
            (again?.text.bytes() != file.text.bytes()).then(|| path.to_string())
        })
        .collect()
}

/// Says to the compiler what the release says.
fn same_tokens(imported: &Imported, what: &str) {
    let extent =
        Extent { settings: 8, compilers: Compilers::None, asserts: false, trial: Trial::None };
    let built = imported.scoped(|scope| {
        let request = Request {
            scope,
            linux: None,
            against: None,
            jobs: 0,
            seed: 1,
            extent,
            interrupted: &|| false,
        };
        run(&request, &Silent).unwrap()
    });
    let said: Vec<_> = built.findings.iter().map(|f| (&f.message, &f.labels, &f.hint)).collect();
    assert!(said.is_empty(), "{what}: {said:#?}");
    let files = imported.tree.files.values().filter(|f| f.template.is_none()).count();
    let told = format!("{files} files say the same tokens before and after: ");
    assert!(files > 40 && built.notes.iter().any(|n| n.starts_with(&told)), "{:?}", built.notes);
}

fn check(release: &str) {
    for profile in ["strict", "official"] {
        let imported = Imported::new(release, profile);
        let what = format!("{} {profile}", imported.release);
        let findings: Vec<String> =
            imported.tree.findings.iter().map(|f| f.message.clone()).collect();
        assert_eq!(findings, Vec::<String>::new(), "{what}");
        let folder = tempfile::tempdir().unwrap();
        imported.write(folder.path());
        for asserts in [false, true] {
            Compile::with_asserts(asserts)
                .tree(folder.path())
                .unwrap_or_else(|error| panic!("{what}, asserts {asserts}: {error}"));
        }
        let changed = changed_by_a_second_import(&imported);
        assert_eq!(changed, Vec::<String>::new(), "{what}");
        same_tokens(&imported, &what);
    }
}

#[test]
fn v1_4_9() {
    check("1.4.9");
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

#[test]
fn v1_5_7() {
    check("1.5.7");
}

/// The releases between only have to compile and to leave nothing unclassified.
#[test]
fn every_release_compiles_without_findings() {
    for release in ["1.5.0", "1.5.1", "1.5.4"] {
        for profile in ["strict", "official"] {
            let imported = Imported::new(release, profile);
            let findings: Vec<_> = imported.tree.findings.iter().map(|f| &f.message).collect();
            assert!(findings.is_empty(), "{release} {profile}: {findings:?}");
            let folder = tempfile::tempdir().unwrap();
            imported.write(folder.path());
            for asserts in [false, true] {
                Compile::with_asserts(asserts)
                    .tree(folder.path())
                    .unwrap_or_else(|error| panic!("{release} {profile}: {error}"));
            }
        }
    }
}
