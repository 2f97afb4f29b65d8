//! Changes in code that the wanted profile folds away.

use std::fs;
use std::path::Path;

use kernelize::finding::ErrorKind;
use kernelize::linux::carry::{Carried, Class, Decisions, Fate, Local};
use kernelize::text::TreePath;
use tempfile::TempDir;

use crate::support::{Case, copy_into, decide, text, tiny};

const SCALE: &str = "lib/tiny/core/scale.c";

/// Only where no kernel compiler is at work.
const DEAD: &str = "
#ifndef __GNUC__
int TINY_slow(int a)
{
    /* Slow, but right. */
    return a + 1;
}
#endif
";

/// A tree and two releases with such code; the tree and the new release have it changed.
struct Hidden {
    case: Case,
    new: String,
    _folder: TempDir,
}

impl Hidden {
    fn new(tree: &str, new: &str) -> Hidden {
        let folder = TempDir::new().unwrap();
        let release = |version: &str, more: &str| {
            let to = folder.path().join(version);
            copy_into(&tiny().join(version), &to);
            let scale = to.join("src/core/scale.c");
            fs::write(&scale, fs::read_to_string(&scale).unwrap() + more).unwrap();
            to.to_str().unwrap().to_owned()
        };
        let (old, new) = (release("tiny-1.2.3", DEAD), release("tiny-1.3.0", new));
        let mut case =
            Case::new(Some(&tiny().join("rules")), Path::new(&tiny().join("linux")), &old);
        let scale = text(&case.tree.files, SCALE) + tree;
        case.tree.files.insert(TreePath::new(SCALE).unwrap(), scale.into_bytes().into());
        Hidden { case, new, _folder: folder }
    }

    fn carry(&self, decisions: &Decisions) -> kernelize::finding::Result<Carried> {
        self.case.onto(&self.case.base(), &self.new, None, decisions)
    }

    /// What is told of the end of the file.
    fn told(&self) -> Vec<Local> {
        let carried = self.carry(&Decisions::default()).unwrap();
        let at_end = |local: &Local| local.file.as_str() == SCALE && local.lines.0 > 31;
        carried.locals.into_iter().filter(at_end).collect()
    }
}

#[test]
fn without_a_change_nothing_is_told() {
    assert_eq!(Hidden::new(DEAD, DEAD).told(), []);
}

#[test]
fn a_change_without_effect_is_told_and_can_only_be_dropped() {
    for (from, to, lines) in [
        ("return a + 1;", "return a + 2;", (37, 37)),
        ("#ifndef __GNUC__", "#if !defined(__GNUC__) && defined(CONFIG_TINY_FAST)", (33, 33)),
        ("Slow, but right", "Slow", (36, 36)),
        ("    /* Slow, but right. */\n", "", (35, 35)),
    ] {
        let hidden = Hidden::new(&DEAD.replace(from, to), DEAD);
        let told = hidden.told();
        let [local] = told.as_slice() else { panic!("{to}: {told:?}") };
        assert_eq!((local.class, local.fate), (Class::Conflict, Fate::Open), "{to}");
        assert!(local.reason.contains("folds away"), "{}", local.reason);
        assert_eq!(local.lines, lines, "{to}");
        assert!(local.text.contains(from.trim_end()), "{}", local.text);
        let carried = hidden.carry(&decide(&[], &[&local.id])).unwrap();
        let dropped = |one: &Local| one.id == local.id && one.fate == Fate::Dropped;
        assert!(carried.locals.iter().any(dropped), "{to}");
        let error = hidden.carry(&decide(&[&local.id], &[])).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage);
        assert!(error.message.contains("folds away"), "{}", error.message);
    }
}

#[test]
fn what_the_new_release_has_too_is_upstreamed() {
    let changed = DEAD.replace("return a + 1;", "return a + 2;");
    let told = Hidden::new(&changed, &changed).told();
    assert_eq!(told.iter().map(|local| local.class).collect::<Vec<_>>(), [Class::Upstreamed]);
}

#[test]
fn a_condition_that_brings_code_in_is_told_once() {
    let told = Hidden::new(&DEAD.replace("#ifndef", "#ifdef"), DEAD).told();
    let [local] = told.as_slice() else { panic!("{told:?}") };
    assert!(!local.reason.contains("folds away"), "{}", local.reason);
    assert!(local.text.contains("+int TINY_slow(int a)"), "{}", local.text);
}

/// The new import hasn't got it either.
#[test]
fn code_that_the_tree_has_folded_away_is_no_change() {
    assert_eq!(Hidden::new("", DEAD).told(), []);
}

#[test]
fn a_deleted_file_of_the_importers_is_a_conflict() {
    let mut case = Hidden::new(DEAD, DEAD);
    let path = TreePath::new("lib/tiny/Makefile").unwrap();
    case.case.tree.files.remove(&path);
    let carried = case.carry(&Decisions::default()).unwrap();
    let local = carried.locals.iter().find(|local| local.file == path).unwrap();
    assert_eq!((local.class, local.fate), (Class::Conflict, Fate::Open));
    assert!(local.reason.contains("the tree has deleted the file"), "{}", local.reason);
    let kept = case.carry(&decide(&[&local.id], &[])).unwrap();
    assert!(!kept.files.contains_key(&path));
}
