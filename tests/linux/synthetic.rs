//! Small trees of our own.

use std::fs;
use std::path::Path;
use std::process::Command;

use kernelize::finding::ErrorKind;
use kernelize::linux::base::held;
use kernelize::linux::carry::{Decisions, Fate};
use kernelize::linux::tree::Tree;
use kernelize::rules::load;
use kernelize::text::TreePath;
use tempfile::TempDir;

use crate::support::{Case, classes, copy_into, decide, text, tiny};

const MAKEFILE: &str = "Makefile-7628d8c9";
const PLACE: &str = "scale.c-d1cc2222";
const LOCAL: &str = "scale.c-e74750ad";

fn case() -> Case {
    let from = tiny().join("tiny-1.2.3");
    Case::new(Some(&tiny().join("rules")), &tiny().join("linux"), from.to_str().unwrap())
}

fn upstream(version: &str) -> String {
    tiny().join(format!("tiny-{version}")).to_str().unwrap().to_owned()
}

#[test]
fn changes_are_told_apart_and_carried() {
    let case = case();
    let base = case.base();
    assert_eq!((base.name.as_str(), base.distance.hunks), ("v1.2.3", 3));
    assert_eq!(base.importer.unwrap().hunks, 1);
    let carried = case.onto(&base, &upstream("1.3.0"), None, &Decisions::default()).unwrap();
    let expected = [
        format!("{MAKEFILE} conflict"),
        format!("{PLACE} conflict"),
        format!("{LOCAL} local"),
        "zero-length upstreamed".into(),
    ];
    assert_eq!(classes(&carried.locals), expected);
    assert_eq!(carried.open().count(), 2);
    assert_eq!(carried.local_files, [TreePath::new("lib/tiny/core/extra.c").unwrap()]);
    let scale = text(&carried.files, "lib/tiny/core/scale.c");
    assert!(scale.contains("return !shift;") && !scale.contains("TINY_FAST > 1"), "{scale}");
    // Both have this change: it is there once.
    assert_eq!(scale.matches("(shift & 1) == 0").count(), 1);
    let sum = text(&carried.files, "lib/tiny/core/sum.c");
    assert!(sum.contains("if (p == NULL) return 0;") && !sum.contains("if (!p)"), "{sum}");
    assert!(text(&carried.files, "lib/tiny/core/extra.c").contains("tiny_extra"));
    let before = text(&carried.import, "lib/tiny/core/scale.c");
    assert!(!before.contains("!shift"));
    assert_eq!(carried.order, [LOCAL]);
    assert_eq!(carried.with(&[]).unwrap(), carried.import);
    assert_eq!(carried.with(&carried.order).unwrap(), carried.files);
}

#[test]
fn a_reimport_changes_the_profile_alone() {
    let case = case();
    let carried = case.onto(&case.base(), &upstream("1.3.0"), None, &Decisions::default()).unwrap();
    let scale = text(&carried.reimport, "lib/tiny/core/scale.c");
    let tree = text(&case.tree.files, "lib/tiny/core/scale.c");
    assert_eq!(scale, tree.replace("defined(__GNUC__) && ", ""));
    for path in ["lib/tiny/Makefile", "lib/tiny/core/extra.c", "lib/tiny/core/sum.c"] {
        assert_eq!(text(&carried.reimport, path), text(&case.tree.files, path));
    }
}

#[test]
fn the_same_release_keeps_all_changes() {
    let case = case();
    let decisions = decide(&[MAKEFILE], &[]);
    let carried = case.onto(&case.base(), &upstream("1.2.3"), None, &decisions).unwrap();
    assert_eq!(carried.open().count(), 0);
    assert_eq!(carried.files, carried.reimport);
    assert_eq!(carried.order, [MAKEFILE, PLACE, LOCAL, "zero-length"]);
    let one = carried.with(&["zero-length".to_owned()]).unwrap();
    let differs = |path: &&TreePath| one[*path] != carried.import[*path];
    let changed: Vec<&str> = one.keys().filter(differs).map(TreePath::as_str).collect();
    assert_eq!(changed, ["lib/tiny/core/sum.c"]);
}

#[test]
fn decisions_rule() {
    let case = case();
    let base = case.base();
    let decisions = decide(&[PLACE, "zero-length"], &[LOCAL, MAKEFILE]);
    let carried = case.onto(&base, &upstream("1.3.0"), None, &decisions).unwrap();
    assert_eq!(carried.open().count(), 0);
    let scale = text(&carried.files, "lib/tiny/core/scale.c");
    for wanted in ["#if TINY_FAST > 1", "shift > 63 ? 63", "return shift == 0;"] {
        assert!(scale.contains(wanted), "{wanted}: {scale}");
    }
    let kept = |id: &str| carried.locals.iter().any(|l| l.id == id && l.fate == Fate::Kept);
    assert!(kept(PLACE) && kept("zero-length") && !kept(LOCAL));
    assert!(text(&carried.files, "lib/tiny/core/sum.c").contains("if (!p)"));
    assert!(!text(&carried.files, "lib/tiny/Makefile").contains("extra"));
}

#[test]
fn rules_decide() {
    let rules = TempDir::new().unwrap();
    copy_into(&tiny().join("rules"), rules.path());
    for (id, adds, decision) in [("place", "63 ? 63", "keep"), ("even", "!shift", "drop")] {
        let rule = format!(
            "id = \"{id}\"\nwhy = \"Known for this test.\"\nfiles = [\"lib/**/*.c\"]\n\
             adds = [\"{adds}\"]\ndecision = \"{decision}\"\n\
             decision-why = \"It was decided so.\"\n"
        );
        fs::write(rules.path().join(format!("local/{id}.toml")), rule).unwrap();
    }
    let from = tiny().join("tiny-1.2.3");
    let case = Case::new(Some(rules.path()), &tiny().join("linux"), from.to_str().unwrap());
    let decisions = Decisions::default();
    let carried = case.onto(&case.base(), &upstream("1.3.0"), None, &decisions).unwrap();
    // A rule speaks of its change alone, not of others in the same hunk.
    assert_eq!(carried.order.len(), 2);
    assert_eq!(carried.order[1], "place");
    let scale = text(&carried.files, "lib/tiny/core/scale.c");
    assert!(
        scale.contains("63 ? 63")
            && scale.contains("TINY_FAST > 1")
            && scale.contains("return shift == 0;"),
        "{scale}"
    );
    let decided = carried.locals.iter().filter_map(|local| local.decided.as_deref());
    assert!(decided.clone().count() == 2 && decided.clone().all(|d| d.contains("It was decided")));
}

/// What the tree has changed in a file that the import writes goes onto what it writes now.
#[test]
fn a_kept_change_of_a_generated_file_keeps_its_lists() {
    let mut case = case();
    let path = TreePath::new("lib/tiny/Makefile").unwrap();
    let listed = |more: &str| {
        format!("{more}obj-$(CONFIG_TINY) += tiny.o\ntiny-y := core/sum.o core/scale.o\n")
    };
    case.tree.files.insert(path.clone(), listed("ccflags-y += -O3\n").into_bytes().into());
    let base = case.base();
    let onto = |decisions: Decisions| case.onto(&base, &upstream("1.3.0"), None, &decisions);
    let carried = onto(Decisions::default()).unwrap();
    let local = carried.locals.iter().find(|local| local.file == path).unwrap();
    assert!(local.fate == Fate::Open && local.reason.contains("ccflags-y -O3"), "{}", local.reason);
    let kept = onto(decide(&[&local.id, PLACE], &[])).unwrap();
    let (before, after) = (text(&kept.import, path.as_str()), text(&kept.files, path.as_str()));
    assert_eq!(after, before.replacen("obj-", "ccflags-y += -O3\nobj-", 1));
}

/// A rule's decision goes before what the change is.
#[test]
fn a_rule_keeps_what_upstream_has_by_now() {
    let mut case = case();
    let why = "It was decided so.".to_owned();
    case.ruleset.local[0].decision = Some((kernelize::rules::Decision::Keep, why));
    let carried = case.onto(&case.base(), &upstream("1.3.0"), None, &Decisions::default()).unwrap();
    let local = carried.locals.iter().find(|local| local.id == "zero-length").unwrap();
    assert_eq!((local.class, local.fate), (kernelize::linux::carry::Class::Upstreamed, Fate::Kept));
    assert!(text(&carried.files, "lib/tiny/core/sum.c").contains("if (!p)"));
}

/// Changes that need the same lines are one step of a series, under both names.
#[test]
fn changes_that_need_each_other_are_one_step() {
    let case = case();
    let decisions = decide(&[PLACE, "zero-length"], &[MAKEFILE]);
    let carried = case.onto(&case.base(), &upstream("1.3.0"), None, &decisions).unwrap();
    let steps = carried.steps();
    assert_eq!(steps.concat(), carried.order);
    let mut done = Vec::new();
    let mut before = carried.with(&done).unwrap();
    for step in steps {
        done.extend(step);
        let after = carried.with(&done).unwrap();
        assert_ne!(before, after, "a step without a change: {done:?}");
        before = after;
    }
    assert_eq!(before, carried.files);
}

#[test]
fn the_nearest_commit_is_found() {
    let dir = TempDir::new().unwrap();
    let sum = dir.path().join("src/core/sum.c");
    copy_into(&tiny().join("tiny-1.2.3"), dir.path());
    let first = fs::read_to_string(&sum).unwrap();
    git(dir.path(), &["init", "-q"]);
    let commit = |text: &str| {
        fs::write(&sum, text).unwrap();
        git(dir.path(), &["add", "-A"]);
        git(dir.path(), &["commit", "-qm", "one more"]);
    };
    commit(&first.replace("size_t s = 0;", "size_t s;\n    s = 0;"));
    git(dir.path(), &["tag", "v1.2.3"]);
    commit(&first);
    for n in 0..5 {
        commit(&first.replace("s += *p++", &format!("s += {n} + *p++")));
    }
    let case =
        Case::new(Some(&tiny().join("rules")), &tiny().join("linux"), dir.path().to_str().unwrap());
    let base = case.base();
    assert_eq!((base.distance.hunks, base.distance.lines), (3, 10));
    assert!(base.name.starts_with("v1.2.3-g"), "{}", base.name);
    let found = &base.release.as_ref().unwrap().files[&TreePath::new("core/sum.c").unwrap()];
    assert_eq!(**found, *first.as_bytes());
    let tried: Vec<&str> = base.tried.iter().map(|tried| tried.name.as_str()).collect();
    assert!(tried.contains(&"v1.2.3") && tried.contains(&"main"), "{tried:?}");
}

#[test]
fn an_import_of_our_own_is_no_change() {
    let mut case = case();
    let base = case.base();
    let carried = case.onto(&base, &upstream("1.2.3"), None, &Decisions::default()).unwrap();
    case.tree.files = carried.import;
    let base = case.base();
    assert_eq!(base.distance.hunks + base.importer.unwrap().hunks, 0);
    let carried = case.onto(&base, &upstream("1.3.0"), None, &Decisions::default()).unwrap();
    assert_eq!(classes(&carried.locals), Vec::<String>::new());
}

#[test]
fn decisions_about_nothing_are_refused() {
    let case = case();
    let base = case.base();
    for decisions in [decide(&["nothing"], &[]), decide(&[LOCAL], &[LOCAL])] {
        let error = case.onto(&base, &upstream("1.3.0"), None, &decisions).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage);
    }
}

/// A copy of the small tree.
fn copy() -> TempDir {
    let dir = TempDir::new().unwrap();
    copy_into(&tiny().join("linux"), dir.path());
    dir
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
    assert!(command.arg("-C").arg(folder).args(args).output().unwrap().status.success());
}

fn refused(tree: &Path) -> String {
    let ruleset = load(Some(&tiny().join("rules"))).unwrap();
    let error = Tree::open(tree, None, &ruleset.library).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Input);
    error.message
}

#[test]
fn what_is_no_kernel_tree_is_refused() {
    let dir = copy();
    fs::write(dir.path().join("Makefile"), "VERSION = x\n").unwrap();
    assert!(refused(dir.path()).contains("states no VERSION"));
    fs::remove_file(dir.path().join("Kconfig")).unwrap();
    assert!(refused(dir.path()).contains("no file Kconfig"));
    assert!(refused(&dir.path().join("nowhere")).contains("can't be read"));
}

#[cfg(unix)]
#[test]
fn what_no_kernel_tree_holds_is_refused() {
    let dir = copy();
    let core = dir.path().join("lib/tiny/core");
    std::os::unix::fs::symlink("/etc/passwd", core.join("link.c")).unwrap();
    assert!(refused(dir.path()).contains("symbolic link"));
    fs::remove_file(core.join("link.c")).unwrap();
    fs::write(core.join("sum.c"), "int a;\0").unwrap();
    assert!(refused(dir.path()).contains("NUL"));
    fs::write(core.join("sum.c"), "int a;\n").unwrap();
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xff.c");
    if fs::write(core.join(name), "").is_ok() {
        assert!(refused(dir.path()).contains("UTF-8"));
        fs::remove_file(core.join(name)).unwrap();
    }
    fs::File::create(core.join("big.c")).unwrap().set_len(64 << 20).unwrap();
    assert!(refused(dir.path()).contains("MiB"));
}

#[cfg(unix)]
#[test]
fn no_path_leaves_the_tree() {
    for folder in ["lib/tiny", "lib", "include/linux"] {
        let (dir, elsewhere) = (copy(), TempDir::new().unwrap());
        let moved = elsewhere.path().join("moved");
        copy_into(&dir.path().join(folder), &moved);
        fs::remove_dir_all(dir.path().join(folder)).unwrap();
        std::os::unix::fs::symlink(&moved, dir.path().join(folder)).unwrap();
        let message = refused(dir.path());
        assert!(message.contains(&format!("{folder} of ")), "{message}");
        assert!(message.contains("is a symbolic link"), "{message}");
    }
}

#[test]
fn a_tree_without_the_library_holds_none() {
    let dir = copy();
    fs::remove_dir_all(dir.path().join("lib")).unwrap();
    fs::remove_file(dir.path().join("include/linux/tiny.h")).unwrap();
    let ruleset = load(Some(&tiny().join("rules"))).unwrap();
    let tree = Tree::open(dir.path(), None, &ruleset.library).unwrap();
    assert!(tree.files.is_empty());
    assert_eq!(held(&tree, &ruleset).unwrap(), None);
    fs::write(dir.path().join("include/linux/tiny.h"), "int a;\n").unwrap();
    let tree = Tree::open(dir.path(), None, &ruleset.library).unwrap();
    assert!(held(&tree, &ruleset).unwrap_err().message.contains("TINY_MAJOR"));
}

#[test]
fn a_git_repository_is_read_at_a_revision() {
    let dir = copy();
    let git = |args: &[&str]| git(dir.path(), args);
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    let extra = dir.path().join("lib/tiny/core/extra.c");
    fs::write(&extra, "int two;\n").unwrap();
    git(&["commit", "-qam", "two"]);
    // What isn't committed isn't read.
    fs::write(&extra, "int three;\n").unwrap();
    let ruleset = load(Some(&tiny().join("rules"))).unwrap();
    let extra = |revision| {
        let tree = Tree::open(dir.path(), revision, &ruleset.library).unwrap();
        assert_eq!(tree.kernel.to_string(), "6.12.7");
        assert_eq!(tree.files.len(), 5);
        assert!(tree.commit.is_some());
        text(&tree.files, "lib/tiny/core/extra.c")
    };
    assert_eq!(extra(None), "int two;\n");
    assert!(extra(Some("HEAD~1")).contains("tiny_extra"));
    let error = Tree::open(dir.path(), Some("nothing"), &ruleset.library).unwrap_err();
    assert!(error.message.contains("no revision `nothing`"), "{}", error.message);
}
