//! That the re-import of what a tree holds is nothing to read: proved, or told where it isn't.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use kernelize::kernel::target::Target;
use kernelize::linux::again::{Again, proved};
use kernelize::linux::base::Base;
use kernelize::linux::carry::{Carried, Decisions};
use kernelize::pipeline::{Input, import};
use kernelize::rules::{Ruleset, load};
use kernelize::upstream::{Request, Silent, Tools, default_cache, open};
use tempfile::TempDir;

use crate::support::{Case, copy_into, tiny};

/// What is known of the re-import, by what the rules say.
fn again(case: &Case, base: &Base, carried: &Carried, ruleset: &Ruleset) -> Again {
    let profile = &ruleset.library.profiles[0];
    proved(&case.tree.files, base, carried, (ruleset, profile)).unwrap()
}

fn carried(case: &Case, upstream: &str, release: Option<&str>) -> (Base, Carried) {
    let base = case.base();
    let carried = case.onto(&base, upstream, release, &Decisions::default()).unwrap();
    (base, carried)
}

/// A kernel tree that holds the import of a release by the profile of the release's own importer.
fn official(version: &str, folder: &Path) -> Case {
    let ruleset = load(None).unwrap();
    let request = Request {
        library: &ruleset.library,
        source: Some("packages".parse().unwrap()),
        release: Some(version.to_owned()),
        offline: false,
        cache: default_cache(),
        tools: Tools::default(),
    };
    let release = open(&request, &Silent).unwrap();
    let target = Target::of_version(&ruleset.library, None);
    let (version, files) = (release.version, &release.files);
    let input = Input { version, exact: true, files, target: &target };
    let made = import(input, &ruleset, ruleset.profile("official").unwrap()).unwrap();
    let text = |text: &str| text.as_bytes().to_vec();
    let mut all: BTreeMap<String, Vec<u8>> = ["Kconfig", "MAINTAINERS"]
        .into_iter()
        .map(|name| (name.to_owned(), text("# of no matter\n")))
        .collect();
    all.insert("Makefile".into(), text("VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\n"));
    all.extend(
        made.files.iter().map(|(path, file)| (path.to_string(), file.text.bytes().to_vec())),
    );
    for (path, bytes) in all {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    Case::new(None, folder, "packages")
}

#[test]
fn real_releases_are_proved() {
    for (version, rules, wanted) in
        [("1.5.2", &["macros/visible"][..], (48, 48, 240, 113)), ("1.5.5", &[], (22, 22, 190, 104))]
    {
        let folder = TempDir::new().unwrap();
        let case = official(version, folder.path());
        let (base, carried) = carried(&case, "packages", Some("1.5.6"));
        let again = again(&case, &base, &carried, &case.ruleset);
        assert_eq!(again.unproved, []);
        let figures = again.figures;
        let all = (figures.files, figures.proved, figures.conditions, figures.facts);
        assert_eq!(all, wanted, "{version}");
        assert_eq!(again.rules.iter().map(|rule| rule.as_str()).collect::<Vec<_>>(), rules);
    }
}

#[test]
fn a_small_tree_is_proved() {
    let case = case(&tiny().join("rules"));
    let (base, carried) = carried(&case, tiny().join("tiny-1.3.0").to_str().unwrap(), None);
    let again = again(&case, &base, &carried, &case.ruleset);
    assert_eq!((again.figures.files, again.figures.proved, again.figures.conditions), (1, 1, 1));
    assert!(again.rules.is_empty() && again.unproved.is_empty());
}

fn case(rules: &Path) -> Case {
    let from = tiny().join("tiny-1.2.3");
    Case::new(Some(rules), &tiny().join("linux"), from.to_str().unwrap())
}

/// One token that the stages make another one, against what the rules say.
#[test]
fn a_token_that_no_rule_changes_is_refused() {
    let folder = TempDir::new().unwrap();
    copy_into(&tiny().join("rules"), folder.path());
    fs::create_dir_all(folder.path().join("names")).unwrap();
    let rule =
        "id = \"planted\"\nwhy = \"It is a planted fault.\"\n\n[rename]\nleast = \"limit\"\n";
    fs::write(folder.path().join("names/planted.toml"), rule).unwrap();
    let case = case(folder.path());
    let (base, carried) = carried(&case, tiny().join("tiny-1.3.0").to_str().unwrap(), None);
    let honest = load(Some(&tiny().join("rules"))).unwrap();
    let again = again(&case, &base, &carried, &honest);
    let told: Vec<(&str, &str)> =
        again.unproved.iter().map(|(path, why)| (path.as_str(), why.as_str())).collect();
    assert_eq!(
        told,
        [(
            "lib/tiny/core/scale.c",
            "line 13: a token, or the condition that it stands under, becomes another"
        )]
    );
    assert_eq!((again.figures.files, again.figures.proved), (1, 0));
}

/// Bytes that the step writes and nothing accounts for.
#[test]
fn a_byte_that_the_trace_does_not_lead_to_is_refused() {
    let case = case(&tiny().join("rules"));
    let (base, mut carried) = carried(&case, tiny().join("tiny-1.3.0").to_str().unwrap(), None);
    for (path, bytes) in &mut carried.reimport {
        if path.as_str().ends_with("sum.c") {
            *bytes = [&**bytes, b"int more;\n"].concat().into();
        }
    }
    let again = again(&case, &base, &carried, &case.ruleset);
    let files: Vec<&str> = again.unproved.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(files, ["lib/tiny/core/sum.c"]);
    assert_eq!((again.figures.files, again.figures.proved), (2, 1));
}
