//! Releases side by side: that nothing is missed, each changed line has one cause, and each line of an
//! import is accounted for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use kernelize::compare::made::{Made, lines};
use kernelize::compare::origin::Explainer;
use kernelize::compare::{Cause, Comparison, Form, Known, Side, Trees, What, compare, templates};
use kernelize::kernel::target::Target;
use kernelize::patch::Change;
use kernelize::pipeline::{Input, import};
use kernelize::report::page::{Review, page};
use kernelize::rules::Active;
use kernelize::text::{Files, TreePath};

use crate::imported::Imported;

/// What the rules and profile of one import make of the release of another.
fn crossed(release: &Imported, rules: &Imported) -> Files {
    let target = Target::of_version(&rules.ruleset.library, None);
    let (version, files) = (release.version, &release.files);
    let input = Input { version, exact: true, files, target: &target };
    let profile = rules.ruleset.profile(rules.profile).unwrap();
    Form::of(&import(input, &rules.ruleset, profile).unwrap()).files
}

fn compared(old: &Imported, new: &Imported) -> (Comparison, Change) {
    let forms = [Form::of(&old.tree), Form::of(&new.tree)];
    let same = old.profile == new.profile;
    let trees = Trees {
        old: forms[0].files.clone(),
        old_rules: (!same).then(|| crossed(new, old)),
        new_rules: (!same).then(|| crossed(old, new)),
        new: forms[1].files.clone(),
        templates: templates(&old.tree)
            .into_keys()
            .chain(templates(&new.tree).into_keys())
            .collect(),
        ..Trees::default()
    };
    let inside = &new.ruleset.library.output;
    let known = Known { inside, trees: Some(trees), ..Known::default() };
    let [a, b] = &forms;
    compare((Side::default(), a), (Side::default(), b), &known).unwrap()
}

/// Every changed line is counted once by kind and once by cause, and the patch has no others.
fn sums_match(found: &Comparison, change: &Change) {
    let (files, added, deleted) = change.totals();
    let lines = found.code.lines;
    assert_eq!((found.files.len(), lines.all), (files, [added, deleted]));
    for way in 0..2 {
        let kinds = [lines.moved, lines.code, lines.comments, lines.licence, lines.blank];
        assert_eq!(kinds.iter().map(|kind| kind[way]).sum::<usize>(), lines.all[way]);
    }
    let causes = found.causes.as_ref().unwrap().values();
    let sum = causes.fold([0, 0], |sum, one| [sum[0] + one.added, sum[1] + one.deleted]);
    assert_eq!(sum, lines.all);
    let lines = found.files.iter().flat_map(|f| &f.hunks).flat_map(|h| &h.lines);
    assert!(lines.into_iter().all(|line| (line.mark == ' ') == line.cause.is_none()));
}

fn names(found: &Comparison, header: &str, what: What) -> BTreeSet<String> {
    let api = found.api.iter().filter(|change| change.header == header && change.what == what);
    api.map(|change| change.name.clone()).collect()
}

#[test]
fn updates_change_what_they_are_known_to_change() {
    let [old, middle, new] = ["1.5.5", "1.5.6", "1.5.7"].map(|one| Imported::new(one, "strict"));
    let (found, change) = compared(&old, &middle);
    sums_match(&found, &change);
    let wrapper = "include/linux/zstd.h";
    let expected = [
        "zstd_cctx_workspace_bound_with_ext_seq_prod",
        "zstd_cstream_workspace_bound_with_ext_seq_prod",
        "zstd_register_sequence_producer",
        "zstd_sequence_producer_f",
    ];
    assert_eq!(names(&found, wrapper, What::Added), expected.map(String::from).into());
    assert!(names(&found, wrapper, What::Removed).is_empty());
    assert_eq!(found.causes.as_ref().unwrap().keys().collect::<Vec<_>>(), [&Cause::Upstream]);
    let file = |found: &Comparison, path: &str| {
        found.files.iter().find(|file| file.path == path).unwrap().clone()
    };
    let added = file(&found, "lib/zstd/common/bitstream.h").functions;
    let added: Vec<_> = added.iter().filter(|one| one.what == What::Added).collect();
    assert_eq!(added.len(), 1);
    assert_eq!(added[0].name, "BIT_reloadDStream_internal");

    let (found, change) = compared(&middle, &new);
    sums_match(&found, &change);
    let added = names(&found, wrapper, What::Added);
    let expected = ["zstd_compress_sequences_and_literals", "zstd_sequence"];
    assert_eq!(added, expected.map(String::from).into());
    let back = compared(&new, &middle).0;
    assert_eq!(names(&back, wrapper, What::Removed), added);
    assert_eq!([1, 0].map(|way| back.code.lines.all[way]), found.code.lines.all);
}

#[test]
fn rules_and_release_are_held_apart() {
    let [old, new] = [("1.5.5", "official"), ("1.5.6", "strict")];
    let (old, new) = (Imported::new(old.0, old.1), Imported::new(new.0, new.1));
    let (found, change) = compared(&old, &new);
    sums_match(&found, &change);
    let causes = found.causes.unwrap();
    assert!(causes[&Cause::Upstream].added > 1_500 && causes[&Cause::Rules].deleted > 300);
    assert!(!causes.contains_key(&Cause::Local));
    // The same release: nothing is upstream's.
    let official = Imported::new("1.5.6", "official");
    let (found, change) = compared(&official, &new);
    sums_match(&found, &change);
    let causes: Vec<_> = found.causes.as_ref().unwrap().keys().copied().collect();
    assert_eq!(causes, [Cause::Rules]);
    assert!(compared(&new, &new).0.equal);
}

#[test]
fn the_plain_patch_is_what_git_takes() {
    let [old, new] = ["1.5.6", "1.5.7"].map(|one| Imported::new(one, "strict"));
    let (_, change) = compared(&old, &new);
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    old.write(&tree);
    fs::write(folder.path().join("change.patch"), change.text()).unwrap();
    let git = Command::new("git").arg("apply").arg("../change.patch").current_dir(&tree).output();
    let git = git.unwrap();
    assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
    let expected = Form::of(&new.tree).files;
    for (path, bytes) in &expected {
        assert_eq!(fs::read(tree.join(path.as_str())).unwrap(), **bytes, "{path}");
    }
    let there = walkdir::WalkDir::new(&tree).into_iter().map(Result::unwrap);
    assert_eq!(there.filter(|one| one.file_type().is_file()).count(), expected.len());
}

#[test]
fn every_line_of_an_import_has_an_answer() {
    for profile in ["strict", "official"] {
        let one = Imported::new("1.5.7", profile);
        let profile = one.ruleset.profile(profile).unwrap();
        let explainer = Explainer {
            rules: Active::new(&one.ruleset, one.version, profile),
            release: "v1.5.7",
            files: &one.files,
            tree: &one.tree,
        };
        let (mut lines, mut kept) = (0, 0);
        for (path, file) in &one.tree.files {
            let answers = explainer.kernel_file(path);
            let text = String::from_utf8_lossy(file.text.bytes());
            assert_eq!(answers.len(), text.lines().count(), "{path}");
            for (number, (answer, line)) in answers.iter().zip(text.lines()).enumerate() {
                let at = format!("{path}:{}", number + 1);
                assert_eq!((answer.asked.line, answer.asked.text.as_str()), (number + 1, line));
                assert!(!answer.lines.is_empty(), "{at}");
                assert!(answer.rules.iter().all(|rule| !rule.why.is_empty()), "{at}");
                match answer.fate {
                    "kept" => kept += 1,
                    "made" => assert!(file.template.is_some(), "{at}"),
                    "rewritten" => assert!(!answer.rules.is_empty(), "{at}"),
                    fate => panic!("{at}: {fate}"),
                }
            }
            lines += answers.len();
        }
        // Most of the kernel form is upstream's as it was.
        assert!(kept * 10 > lines * 9, "{kept} of {lines}");
    }
}

#[test]
fn what_became_of_upstream_lines_leads_back_to_them() {
    let one = Imported::new("1.5.7", "strict");
    let profile = one.ruleset.profile("strict").unwrap();
    let explainer = Explainer {
        rules: Active::new(&one.ruleset, one.version, profile),
        release: "v1.5.7",
        files: &one.files,
        tree: &one.tree,
    };
    let backwards: BTreeMap<&TreePath, Vec<_>> =
        one.tree.files.keys().map(|path| (path, explainer.kernel_file(path))).collect();
    let taken = one.tree.files.values().filter(|file| file.template.is_none());
    let (mut fates, mut lines) = (BTreeMap::new(), 0);
    for path in taken.filter_map(|file| file.upstream.as_ref()) {
        let text = String::from_utf8_lossy(&one.files[path]).into_owned();
        let answers = explainer.upstream_file(path);
        assert_eq!(answers.len(), text.lines().count(), "{path}");
        for (number, (answer, line)) in answers.iter().zip(text.lines()).enumerate() {
            let at = format!("{path}:{}: {line}", number + 1);
            assert_eq!((answer.asked.line, answer.asked.text.as_str()), (number + 1, line), "{at}");
            *fates.entry(answer.fate).or_insert(0) += 1;
            match answer.fate {
                "kept" => {
                    let there = &answer.lines[0];
                    let place = TreePath::new(&there.path).unwrap();
                    let back = &backwards[&place][there.line - 1];
                    let found = back.lines.iter().any(|one| one.line == number + 1);
                    assert!(found && there.text == line, "{at}");
                }
                "rewritten" | "gone" => {
                    // An empty line may go with the text around it.
                    assert!(!answer.rules.is_empty() || line.trim().is_empty(), "{at}");
                }
                fate => panic!("{at}: {fate}"),
            }
        }
        lines += answers.len();
    }
    let sum: usize = fates.values().sum();
    assert_eq!(sum, lines);
    assert!(fates["kept"] * 10 > lines * 8, "{fates:?} of {lines}");
    assert!(fates["gone"] > 1_000 && fates["rewritten"] > 300, "{fates:?}");
    // One line asked for by itself has the same answer.
    let path = TreePath::new("common/compiler.h").unwrap();
    let all = explainer.upstream_file(&path);
    assert_eq!(explainer.upstream(&path, 123).as_ref(), Some(&all[122]));
    assert_eq!(explainer.upstream(&path, all.len() + 1), None);
    let left_out = TreePath::new("common/threading.c").unwrap();
    let answer = explainer.upstream(&left_out, 1).unwrap();
    assert_eq!((answer.fate, answer.rules[0].rule.as_str()), ("left out", "files/threads"));
    // Each file of the release has an answer.
    for path in one.files.keys().filter(|path| !one.files[*path].is_empty()) {
        assert!(explainer.upstream(path, 1).is_some(), "{path}");
    }
}

/// Of each file both texts come out again, line by line, and what differs has a rule with its reason.
#[test]
fn what_rules_made_is_all_that_differs() {
    for (release, profile) in [("1.5.7", "strict"), ("1.5.5", "official")] {
        let import = Imported::new(release, profile);
        let profile = import.ruleset.profile(import.profile).unwrap();
        let rules = Active::new(&import.ruleset, import.version, profile);
        let made = Made::of(&import.tree, &rules, &import.files);
        assert_eq!(made.files.len(), import.tree.files.len());
        let known: BTreeSet<&str> = made.rules.iter().map(|used| used.rule.rule.as_str()).collect();
        assert!(made.rules.iter().all(|used| !used.rule.why.is_empty()));
        for file in &made.files {
            let (old, new) = (lines(&file.old), lines(&file.new));
            let (mut before, mut after) = (0, 0);
            for group in &file.groups {
                let kept = &new[after..group.new.start];
                assert_eq!(&old[before..group.old.start], kept, "{}", file.path);
                assert_ne!(old[group.old.clone()], new[group.new.clone()], "{}", file.path);
                assert!(!group.rules.is_empty(), "{}: {group:?}", file.path);
                assert!(group.rules.iter().all(|rule| known.contains(rule.as_str())));
                (before, after) = (group.old.end, group.new.end);
            }
            assert_eq!(&old[before..], &new[after..], "{}", file.path);
            let whole = file.template.is_some();
            assert_eq!(whole, file.old.is_empty() && file.groups.len() == 1, "{}", file.path);
        }
        // A file of the release is either taken or left out.
        let taken = import.tree.files.values().filter_map(|file| file.upstream.as_ref());
        let taken: BTreeSet<_> = taken.collect();
        assert_eq!(taken.len() + made.left_out.len(), import.files.len());
    }
}

/// The page of an update is of bounded size, and the same each time.
#[test]
fn an_updates_page_is_small_and_always_the_same() {
    let [old, new] = ["1.5.5", "1.5.7"].map(|one| Imported::new(one, "strict"));
    let (found, _) = compared(&old, &new);
    let profile = new.ruleset.profile(new.profile).unwrap();
    let rules = Active::new(&new.ruleset, new.version, profile);
    let made = Made::of(&new.tree, &rules, &new.files);
    let review = Review {
        title: "an update",
        facts: &[],
        import: None,
        findings: &new.tree.findings,
        verdict: None,
        audit: None,
        comparison: Some(&found),
        made: Some(&made),
    };
    let (html, held) = page(&review).unwrap();
    assert!(html.len() < 5_000_000 && held.bytes == html.len(), "{} bytes", html.len());
    assert_eq!(page(&review).unwrap().0, html);
    let changes = |kind: &str| html.matches(&format!("class=\"change\" id=\"{kind}/")).count();
    assert_eq!(changes("made"), held.made_groups);
    let runs = found.files.iter().flat_map(|file| &file.hunks).map(|hunk| {
        let mut lines = hunk.lines.split(|line| line.mark == ' ');
        lines.by_ref().filter(|run| !run.is_empty()).count()
    });
    assert_eq!(changes("changes"), runs.sum::<usize>());
    // Each address is there once.
    let ids: Vec<&str> =
        html.split(" id=\"").skip(1).filter_map(|id| id.split('"').next()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
}
