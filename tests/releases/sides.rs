//! Sides other than two plain imports: that each changed line has its cause, and the figures are those
//! that git and plain counting give.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use kernelize::compare::{Cause, Comparison, Form, Known, Side, Trees, compare, templates};
use kernelize::kernel::target::Target;
use kernelize::patch::Change;
use kernelize::pipeline::{Input, import};
use kernelize::rules::{Ruleset, load};
use kernelize::text::{Files, TreePath};

use crate::imported::Imported;

fn compared(old: &Form, new: &Form, trees: Trees) -> (Comparison, Change) {
    let known = Known { inside: "lib/zstd", trees: Some(trees), ..Known::default() };
    compare((Side::default(), old), (Side::default(), new), &known).unwrap()
}

fn write(form: &Form, folder: &Path) {
    for (path, bytes) in &form.files {
        let to = folder.join(path.as_str());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, bytes).unwrap();
    }
}

/// Lines that came and went by path, as git counts them.
fn counted(old: &Form, new: &Form) -> BTreeMap<String, [usize; 2]> {
    let folder = tempfile::tempdir().unwrap();
    for (name, form) in [("old", old), ("new", new)] {
        write(form, &folder.path().join(name));
    }
    let git = Command::new("git")
        .args(["-c", "core.quotePath=false", "diff", "--no-index", "--no-renames", "--numstat"])
        .args(["old", "new"])
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let rows = String::from_utf8(git.stdout).unwrap();
    let row = |row: &str| {
        let mut parts = row.split('\t');
        let number = |part: Option<&str>| part.unwrap().parse::<usize>().unwrap();
        let lines = [number(parts.next()), number(parts.next())];
        // `{old => new}/PATH`, or for what came or went `/dev/null => new/PATH` and the other way.
        let path = parts.next().unwrap();
        let below = match path.split_once('}') {
            Some((_, rest)) => rest.trim_start_matches('/'),
            None => {
                let mut sides = path.split(" => ").filter(|side| *side != "/dev/null");
                sides.next().unwrap().split_once('/').unwrap().1
            }
        };
        (below.to_owned(), lines)
    };
    rows.lines().map(row).collect()
}

/// Each changed line has one cause and one kind, the sums are the totals, and git counts as many.
fn sums_match(found: &Comparison, change: &Change, old: &Form, new: &Form) {
    let (files, added, deleted) = change.totals();
    assert_eq!((found.files.len(), found.code.lines.all), (files, [added, deleted]));
    let mut all: BTreeMap<Cause, [usize; 2]> = BTreeMap::new();
    let mut by_path = BTreeMap::new();
    for file in &found.files {
        let mut own = [0, 0];
        for line in file.hunks.iter().flat_map(|hunk| &hunk.lines) {
            assert_eq!(line.mark == ' ', line.cause.is_none(), "{}: {}", file.path, line.text);
            assert_eq!(line.mark == ' ', line.kind.is_none(), "{}: {}", file.path, line.text);
            let Some(cause) = line.cause else { continue };
            let way = usize::from(line.mark == '-');
            all.entry(cause).or_default()[way] += 1;
            own[way] += 1;
        }
        let kinds = [file.lines.moved, file.lines.code, file.lines.comments, file.lines.licence];
        for way in 0..2 {
            let sum = kinds.iter().map(|kind| kind[way]).sum::<usize>() + file.lines.blank[way];
            assert_eq!(
                (sum, own[way]),
                (file.lines.all[way], file.lines.all[way]),
                "{}",
                file.path
            );
        }
        by_path.insert(file.path.clone(), own);
    }
    let summed = found.causes.as_ref().unwrap().iter();
    let summed: BTreeMap<Cause, [usize; 2]> =
        summed.map(|(cause, count)| (*cause, [count.added, count.deleted])).collect();
    assert_eq!(summed, all);
    assert_eq!(by_path, counted(old, new));
}

/// What rules make of a release.
fn made(release: &Imported, ruleset: &Ruleset, profile: &str) -> (Form, Vec<TreePath>) {
    let target = Target::of_version(&ruleset.library, None);
    let input =
        Input { version: release.version, exact: true, files: &release.files, target: &target };
    let tree = import(input, ruleset, ruleset.profile(profile).unwrap()).unwrap();
    (Form::of(&tree), templates(&tree).into_keys().collect())
}

/// The trees between two imports of one profile by the same rules.
fn between(old: &Imported, new: &Imported) -> Trees {
    Trees {
        old: Form::of(&old.tree).files,
        new: Form::of(&new.tree).files,
        templates: templates(&old.tree)
            .into_keys()
            .chain(templates(&new.tree).into_keys())
            .collect(),
        ..Trees::default()
    }
}

fn changed(files: &Files, path: &str, change: impl Fn(&str) -> String) -> Files {
    let mut files = files.clone();
    let path = TreePath::new(path).unwrap();
    let old = String::from_utf8(files[&path].to_vec()).unwrap();
    let new = change(&old);
    assert_ne!(new, old);
    files.insert(path, Arc::from(new.into_bytes()));
    files
}

#[test]
fn updates_of_three_releases_add_up() {
    let releases = ["1.5.2", "1.5.5", "1.5.6", "1.5.7"].map(|one| Imported::new(one, "strict"));
    for pair in releases.windows(2) {
        let (old, new) = (Form::of(&pair[0].tree), Form::of(&pair[1].tree));
        let (found, change) = compared(&old, &new, between(&pair[0], &pair[1]));
        sums_match(&found, &change, &old, &new);
        // One ruleset: all of it is upstream's.
        assert_eq!(found.causes.unwrap().into_keys().collect::<Vec<_>>(), [Cause::Upstream]);
    }
}

#[test]
fn other_rules_and_templates_are_told_from_the_release() {
    let [old, new] = ["1.5.5", "1.5.6"].map(|one| Imported::new(one, "strict"));
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("rules");
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/zstd");
    let done = Command::new("cp").arg("-r").arg(rules).arg(&copy).status().unwrap();
    assert!(done.success());
    let edit = |path: &str, from: &str, to: &str| {
        let path = copy.join(path);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    edit("includes/limits.toml", "to = \"<linux/limits.h>\"", "to = \"<linux/kernel.h>\"");
    let makefile = fs::read_to_string(copy.join("templates/Makefile")).unwrap();
    fs::write(copy.join("templates/Makefile"), format!("# One line more\n{makefile}")).unwrap();
    let altered = load(Some(&copy)).unwrap();
    let (before, made_by_templates) = made(&old, &altered, "strict");
    let (after, _) = made(&new, &altered, "strict");
    let includes = |form: &Form, name: &str| {
        let line = format!("#include <linux/{name}.h>");
        let texts = form.files.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        texts.map(|text| text.lines().filter(|one| one.starts_with(&line)).count()).sum::<usize>()
    };
    let (strict_old, strict_new) = (Form::of(&old.tree), Form::of(&new.tree));
    // Our own templates include it as well, which no rule touches.
    let limits = includes(&strict_old, "limits") - includes(&before, "limits");
    assert!(limits > 0);

    // The same release: only rules and templates differ, by what was edited.
    let trees = Trees {
        old: before.files.clone(),
        old_rules: Some(before.files.clone()),
        new_rules: Some(strict_old.files.clone()),
        new: strict_old.files.clone(),
        templates: made_by_templates.iter().cloned().collect(),
        ..Trees::default()
    };
    let (found, change) = compared(&before, &strict_old, trees);
    sums_match(&found, &change, &before, &strict_old);
    let causes = found.causes.unwrap();
    assert_eq!(causes.keys().collect::<Vec<_>>(), [&Cause::Rules, &Cause::Template]);
    assert_eq!((causes[&Cause::Rules].added, causes[&Cause::Rules].deleted), (limits, limits));
    assert_eq!((causes[&Cause::Template].added, causes[&Cause::Template].deleted), (0, 1));

    // Another release as well: upstream's part is that of the same rules.
    let trees = Trees {
        old: before.files.clone(),
        old_rules: Some(after.files.clone()),
        new_rules: Some(strict_old.files.clone()),
        new: strict_new.files.clone(),
        templates: made_by_templates.into_iter().collect(),
        ..Trees::default()
    };
    let (found, change) = compared(&before, &strict_new, trees);
    sums_match(&found, &change, &before, &strict_new);
    let plain = compared(&strict_old, &strict_new, between(&old, &new)).0.causes.unwrap();
    let causes = found.causes.unwrap();
    let count = |causes: &BTreeMap<Cause, _>, cause| -> [usize; 2] {
        let found: Option<&kernelize::compare::CauseCount> = causes.get(&cause);
        found.map_or([0, 0], |count| [count.added, count.deleted])
    };
    assert_eq!(count(&causes, Cause::Upstream), count(&plain, Cause::Upstream));
    assert_eq!(count(&causes, Cause::Rules), [limits, limits]);
    assert_eq!(count(&causes, Cause::Template), [0, 1]);
    assert_eq!(causes.len(), 3);
}

#[test]
fn the_profiles_differ_by_rules_alone() {
    let [old, new] = ["official", "strict"].map(|profile| Imported::new("1.5.6", profile));
    let (before, after) = (Form::of(&old.tree), Form::of(&new.tree));
    let trees = Trees {
        old: before.files.clone(),
        old_rules: Some(before.files.clone()),
        new_rules: Some(after.files.clone()),
        new: after.files.clone(),
        ..between(&old, &new)
    };
    let (found, change) = compared(&before, &after, trees);
    sums_match(&found, &change, &before, &after);
    assert_eq!(found.causes.unwrap().into_keys().collect::<Vec<_>>(), [Cause::Rules]);
}

#[test]
fn an_edit_in_a_folder_is_local() {
    let [old, new] = ["1.5.5", "1.5.6"].map(|one| Imported::new(one, "strict"));
    let plain = Form::of(&new.tree);
    // One line is another, one is new; a file that no import has.
    let files = changed(&plain.files, "lib/zstd/common/error_private.c", |text| {
        let at = text.find("#include").unwrap();
        format!("{}/* here */\n{}", &text[..at], &text[at..])
    });
    let mut files = changed(&files, "include/linux/zstd.h", |text| {
        text.replacen("#include <linux/types.h>", "#include <linux/kernel.h>", 1)
    });
    files.insert(TreePath::new("lib/zstd/own.c").unwrap(), Arc::from(&b"int own;\nint two;\n"[..]));
    let edited = Form { files, ..plain.clone() };
    let before = Form::of(&old.tree);
    let (found, change) = compared(&before, &edited, between(&old, &new));
    sums_match(&found, &change, &before, &edited);
    let causes = found.causes.unwrap();
    let local = causes[&Cause::Local];
    // What is edited in upstream's change counts where it shows: a line that came is another one.
    assert_eq!((local.added, local.deleted), (4, 1));
    assert_eq!(causes.keys().collect::<Vec<_>>(), [&Cause::Upstream, &Cause::Local]);
    // The way back takes the edits away.
    let (back, change) = compared(&edited, &before, between(&new, &old));
    sums_match(&back, &change, &edited, &before);
    let local = back.causes.unwrap()[&Cause::Local];
    assert_eq!((local.added, local.deleted), (1, 4));
}

#[test]
fn a_kernel_tree_keeps_its_own_changes_apart() {
    // The tree: the official import of an older release, with changes of its own.
    let old = Imported::new("1.5.5", "official");
    let new = Imported::new("1.5.6", "strict");
    let official = Form::of(&old.tree);
    let files = changed(&official.files, "lib/zstd/common/error_private.c", |text| {
        format!("{text}\nint tree_has_this;\n")
    });
    let tree = Form { files, ..official.clone() };
    let ruleset = &old.ruleset;
    let trees = Trees {
        old_rules: Some(made(&new, ruleset, "official").0.files),
        new_rules: Some(made(&old, ruleset, "strict").0.files),
        ..between(&old, &new)
    };
    let after = Form::of(&new.tree);
    let (found, change) = compared(&tree, &after, trees.clone());
    sums_match(&found, &change, &tree, &after);
    let causes = found.causes.unwrap();
    assert_eq!((causes[&Cause::Local].added, causes[&Cause::Local].deleted), (0, 2));
    // All else is as without the tree's own change.
    let (plain, _) = compared(&official, &after, trees);
    let plain = plain.causes.unwrap();
    assert!(!plain.contains_key(&Cause::Local));
    for (cause, count) in &plain {
        assert_eq!(causes[cause], *count, "{cause:?}");
    }
    assert!(plain[&Cause::Upstream].added > 1_500 && plain[&Cause::Rules].deleted > 300);
}
