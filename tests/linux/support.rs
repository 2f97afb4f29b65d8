//! A tree, the release that it was made from, and a new import that its changes are held against.

use std::fs;
use std::path::{Path, PathBuf};

use kernelize::finding::Result;
use kernelize::linux::base::{Base, Search, held};
use kernelize::linux::carry::{Carried, Decisions, Local, NewImport, carry};
use kernelize::linux::tree::Tree;
use kernelize::memo::Memo;
use kernelize::pipeline::{Input, import};
use kernelize::rules::{Ruleset, load};
use kernelize::text::{Files, TreePath};
use kernelize::upstream::{Location, Request, Silent, Tools, default_cache, open};

/// One tree and the rules that it is looked at by.
pub(crate) struct Case {
    pub(crate) ruleset: Ruleset,
    pub(crate) tree: Tree,
    pub(crate) made_from: Location,
}

impl Case {
    pub(crate) fn new(rules: Option<&Path>, tree: &Path, made_from: &str) -> Case {
        let ruleset = load(rules).unwrap();
        let tree = Tree::open(tree, None, &ruleset.library).unwrap();
        Case { ruleset, tree, made_from: made_from.parse().unwrap() }
    }

    fn request(&self, source: Location, release: Option<&str>) -> Request<'_> {
        Request {
            library: &self.ruleset.library,
            source: Some(source),
            release: release.map(str::to_owned),
            offline: false,
            cache: default_cache(),
            tools: Tools::default(),
        }
    }

    pub(crate) fn base(&self) -> Base {
        self.try_base().unwrap()
    }

    pub(crate) fn try_base(&self) -> Result<Base> {
        let version = held(&self.tree, &self.ruleset).unwrap().unwrap();
        let request = self.request(self.made_from.clone(), None);
        let (ruleset, profile) = (&self.ruleset, &self.ruleset.library.profiles[0]);
        let (tree, target) = (&self.tree, self.tree.target(&ruleset.library));
        let memo = &Memo::default();
        let (target, request) = (&target, &request);
        let search = Search { tree, version, ruleset, profile, target, request, memo };
        search.nearest(&Silent)
    }

    /// Carries the tree's changes onto a release.
    pub(crate) fn onto(
        &self,
        base: &Base,
        upstream: &str,
        release: Option<&str>,
        decisions: &Decisions,
    ) -> Result<Carried> {
        let profile = &self.ruleset.library.profiles[0];
        let release = open(&self.request(upstream.parse()?, release), &Silent)?;
        let (files, kernel) = (&release.files, self.tree.target(&self.ruleset.library));
        let input = Input { version: release.version, exact: true, files, target: &kernel };
        let new = NewImport::new(release.version, import(input, &self.ruleset, profile)?.files);
        carry(&self.tree, base, &new, &self.ruleset, profile, decisions)
    }
}

pub(crate) fn decide(keep: &[&str], drop: &[&str]) -> Decisions {
    let set = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    Decisions { keep: set(keep), drop: set(drop) }
}

pub(crate) fn text(files: &Files, path: &str) -> String {
    let bytes = &files[&TreePath::new(path).unwrap()];
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// `ID CLASS` for each change.
pub(crate) fn classes(locals: &[Local]) -> Vec<String> {
    locals.iter().map(|local| format!("{} {}", local.id, local.class.name())).collect()
}

pub(crate) fn copy_into(from: &Path, folder: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().flatten() {
        let to = folder.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The folder of the transcripts' own library, with its rules and a tree.
pub(crate) fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/linux.in")
}
