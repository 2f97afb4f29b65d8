//! A release taken through the pipeline.

use std::fs;
use std::path::Path;

use kernelize::check::Scope;
use kernelize::kernel::target::Target;
use kernelize::memo::Memo;
use kernelize::pipeline::{Input, KernelTree, import};
use kernelize::rules::{Active, Ruleset, Version, load};
use kernelize::text::{Files, TreePath};
use kernelize::upstream::{Location, Request, Silent, Tools, open};

use crate::harness::packages;

/// What went in and what came out.
pub(crate) struct Imported {
    pub(crate) release: String,
    pub(crate) version: Version,
    pub(crate) ruleset: Ruleset,
    pub(crate) profile: &'static str,
    pub(crate) files: Files,
    pub(crate) tree: KernelTree,
}

impl Imported {
    pub(crate) fn new(release: &str, profile: &'static str) -> Imported {
        Imported::of(release, profile, Imported::files(release))
    }

    /// The files of a release.
    pub(crate) fn files(release: &str) -> Files {
        let lib = packages::release(release).unwrap().join("lib");
        let mut files = Files::new();
        for entry in walkdir::WalkDir::new(&lib) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(&lib).unwrap().to_str().unwrap();
                files.insert(TreePath::new(path).unwrap(), fs::read(entry.path()).unwrap().into());
            }
        }
        files
    }

    pub(crate) fn of(release: &str, profile: &'static str, files: Files) -> Imported {
        let numbers: Vec<u32> = release.split('.').map(|n| n.parse().unwrap()).collect();
        let version = Version { major: numbers[0], minor: numbers[1], patch: numbers[2] };
        let ruleset = load(None).unwrap();
        let target = Target::of_version(&ruleset.library, None);
        let input = Input { version, exact: true, files: &files, target: &target };
        let tree = import(input, &ruleset, ruleset.profile(profile).unwrap()).unwrap();
        Imported { release: release.to_owned(), version, ruleset, profile, files, tree }
    }

    /// The tag of a release, read from the git repository that KERNELIZE_TEST_GIT names; `None`
    /// where it names none: some releases come in no package.
    pub(crate) fn from_git(release: &str, profile: &'static str) -> Option<Imported> {
        let repository = std::env::var_os("KERNELIZE_TEST_GIT")?;
        let ruleset = load(None).unwrap();
        let request = Request {
            library: &ruleset.library,
            source: Some(Location::Local(repository.into())),
            release: Some(format!("v{release}")),
            offline: true,
            cache: None,
            tools: Tools::default(),
        };
        let files = open(&request, &Silent).unwrap().files;
        Some(Imported::of(release, profile, files))
    }

    /// Hands out what checks look at.
    pub(crate) fn scoped<T>(&self, look: impl FnOnce(Scope<'_>) -> T) -> T {
        let profile = self.ruleset.profile(self.profile).unwrap();
        let rules = Active::new(&self.ruleset, self.version, profile);
        let target = Target::of_version(&self.ruleset.library, None);
        let (version, files) = (self.version, &self.files);
        let input = Input { version, exact: true, files, target: &target };
        look(Scope { rules: &rules, tree: &self.tree, input, memo: &Memo::off(), key: None })
    }

    /// Writes the output below `folder`.
    pub(crate) fn write(&self, folder: &Path) {
        for (path, file) in &self.tree.files {
            let to = folder.join(path.as_str());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, file.text.bytes()).unwrap();
        }
    }
}
