//! What `patch` and `verify` share: a new import, what it starts from, and the patches between.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::held::{self, Place, Sources};
use super::{audit, profile};
use crate::finding::{Error, ErrorKind, Findings, Result};
use crate::kernel::target::Target;
use crate::linux::base::{Base, held};
use crate::linux::callers::{self, Callers};
use crate::linux::carry::{Carried, Decisions, NewImport, carry};
use crate::linux::interface::Interface;
use crate::linux::kconfig;
use crate::linux::tree::Tree;
use crate::pipeline::KernelTree;
use crate::report::console::Console;
use crate::rules::{self, Profile, Ruleset};
use crate::series::{self, New, Old, Patch, Wish};
use crate::text::{Files, Source, TreePath};
use crate::upstream::Release;

/// From where to where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// The releases.
    pub sources: Sources,
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
    /// The profile; `None` for the ruleset's default.
    pub profile: Option<String>,
    /// What it starts from.
    pub start: Start,
    /// Local changes that are to be kept, by id.
    pub keep: BTreeSet<String>,
    /// Local changes that are to be dropped, by id.
    pub drop: BTreeSet<String>,
}

/// What a patch starts from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// A kernel of this number, or the newest known, that has not got the library.
    Nothing {
        /// The kernel.
        kernel: Option<String>,
    },
    /// Such a kernel that holds the unchanged import of a release.
    Import {
        /// The release.
        release: String,
        /// The kernel.
        kernel: Option<String>,
    },
    /// A Linux tree.
    Tree(Place),
}

/// Everything that patches are made from.
pub(super) struct Ground {
    pub(super) ruleset: Ruleset,
    pub(super) profile: Profile,
    pub(super) release: Release,
    pub(super) import: KernelTree,
    pub(super) kernel: String,
    pub(super) target: Target,
    pub(super) before: Before,
    pub(super) findings: Findings,
    /// Who calls the library; only a tree tells.
    pub(super) callers: Option<Callers>,
}

/// What is there before.
pub(super) enum Before {
    Nothing,
    Import(Box<Release>, Box<KernelTree>),
    Tree(Box<Tree>, Option<Box<(Base, Carried)>>),
}

impl Way {
    /// Reads and imports.
    ///
    /// # Errors
    /// The rules, the tree or a release can't be read, or a decision is about no local change.
    pub(super) fn ground(&self, console: &mut Console) -> Result<Ground> {
        let ruleset = rules::load(self.rules.as_deref())?;
        let profile = profile(&ruleset, self.profile.as_deref())?.clone();
        let tree = match &self.start {
            Start::Tree(place) => Some(place.tree(&ruleset)?),
            _ => None,
        };
        let (target, kernel) = self.kernel(tree.as_ref(), &ruleset)?;
        let release = self.sources.release(&ruleset, console)?;
        let import = held::import(&release, &ruleset, &profile, &target)?;
        let mut findings = import.findings.clone();
        let before = match (&self.start, tree) {
            (Start::Import { release, .. }, _) => {
                let release = self.sources.other(Some(release.clone()), &ruleset, console)?;
                let import = held::import(&release, &ruleset, &profile, &target)?;
                findings.extend(import.findings.clone());
                Before::Import(Box::new(release), Box::new(import))
            }
            (Start::Tree(place), Some(tree)) => {
                let carried =
                    self.carried(place, &tree, &release, &import, &ruleset, &profile, console)?;
                Before::Tree(Box::new(tree), carried.map(Box::new))
            }
            _ => Before::Nothing,
        };
        let callers = None;
        let mut ground =
            Ground { ruleset, profile, release, import, kernel, target, before, findings, callers };
        ground.hold_tree()?;
        Ok(ground)
    }

    /// The kernel, and its number.
    fn kernel(&self, tree: Option<&Tree>, ruleset: &Ruleset) -> Result<(Target, String)> {
        if let Some(tree) = tree {
            let number = format!("{}.{}", tree.kernel.version, tree.kernel.patchlevel);
            // The same as for a number that is given.
            Target::named(&ruleset.library, ruleset.library.kernels.map(|_| number.as_str()))
                .map_err(|error| Error {
                    kind: ErrorKind::Input,
                    message: format!("{}: {}", tree.shown, error.message),
                    ..error
                })?;
            return Ok((tree.target(&ruleset.library), number));
        }
        let named = match &self.start {
            Start::Nothing { kernel } | Start::Import { kernel, .. } => kernel.as_deref(),
            Start::Tree(_) => None,
        };
        let target = Target::named(&ruleset.library, named)?;
        let number = target.version.map(|version| version.to_string()).unwrap_or_default();
        Ok((target, number))
    }

    /// What the tree holds, with its own changes put onto the new import.
    #[expect(clippy::too_many_arguments, reason = "all that an import and a tree are made from")]
    fn carried(
        &self,
        place: &Place,
        tree: &Tree,
        release: &Release,
        import: &KernelTree,
        ruleset: &Ruleset,
        profile: &Profile,
        console: &mut Console,
    ) -> Result<Option<(Base, Carried)>> {
        let Some(version) = held(tree, ruleset)? else {
            return not_ours(tree, import).map(|()| None);
        };
        let base = self.sources.made_from(place, tree, version, ruleset, profile, console)?;
        let target = NewImport::new(release.version, import.files.clone());
        let decisions = Decisions { keep: self.keep.clone(), drop: self.drop.clone() };
        let carried = carry(tree, &base, &target, ruleset, profile, &decisions)?;
        Ok(Some((base, carried)))
    }
}

/// A tree that doesn't state the library's version must not hold files of it either: what would be
/// written over them could be anybody's.
fn not_ours(tree: &Tree, import: &KernelTree) -> Result<()> {
    match tree.files.keys().find(|path| import.files.contains_key(*path)) {
        None => Ok(()),
        Some(path) => {
            let shown = &tree.shown;
            Err(Error::input(format!("{shown} holds {path}, but nothing there states its version"))
                .hint("it was made by another importer: a patch before this one has to remove it"))
        }
    }
}

impl Ground {
    /// The patches.
    ///
    /// # Errors
    /// As for [`series::make`].
    pub(super) fn patches(&self, wish: &Wish) -> Result<Vec<Patch>> {
        let (new, old) = self.ends();
        series::make(&new, &old, wish)
    }

    /// All files before and after.
    pub(super) fn files(&self) -> (Files, Files) {
        let (new, old) = self.ends();
        series::files(&new, &old)
    }

    fn ends(&self) -> (New<'_>, Old<'_>) {
        let Ground { ruleset, profile, release, import, kernel, .. } = self;
        let new = New { release, tree: import, ruleset, profile, kernel };
        let old = match &self.before {
            Before::Nothing => Old::Nothing,
            Before::Import(release, import) => Old::Import(release, import),
            Before::Tree(tree, held) => {
                Old::Tree(tree, held.as_ref().map(|held| (&held.0, &held.1)))
            }
        };
        (new, old)
    }

    /// The files before.
    pub(super) fn before(&self) -> Files {
        match &self.before {
            Before::Nothing => Files::new(),
            Before::Import(_, import) => {
                let files = import.files.iter();
                files.map(|(path, file)| (path.clone(), Arc::clone(file.text.bytes()))).collect()
            }
            Before::Tree(tree, _) => tree.files.clone(),
        }
    }

    /// What the tree lacks, what its own changes want decided, and what its callers would miss.
    fn hold_tree(&mut self) -> Result<()> {
        if let Before::Tree(tree, _) = &self.before {
            self.findings.extend(kconfig::check(tree, &self.ruleset.library)?);
        }
        let Before::Tree(tree, Some(held)) = &self.before else { return Ok(()) };
        self.findings.extend(audit::findings(tree, &held.1));
        let library = &self.ruleset.library;
        let is_header = |path: &TreePath| {
            path.extension() == Some("h")
                && !path.as_str().starts_with(&format!("{}/", library.output))
        };
        let read = |files: &Files| {
            let headers = files.iter().filter(|(path, _)| is_header(path));
            Interface::of(&sources(headers))
        };
        let (old, new) = (read(&tree.files), read(&held.1.files));
        let found = tree.callers(library)?;
        let files = sources(found.files.iter());
        let mut callers = callers::check(&files, &old, &new, &library.caller_words);
        // Files that stay beside the library's may use it, too, and know its inside besides.
        let stay = tree.files.iter().filter(|(path, _)| held.1.local_files.contains(path));
        let stay = callers::check(&sources(stay), &old, &new, &[]);
        callers.files.extend(stay.files);
        callers.findings.extend(stay.findings);
        if let Some(finding) = found.passed_over.finding() {
            self.findings.push(finding);
        }
        self.findings.extend(callers.findings.clone());
        self.callers = Some(callers);
        Ok(())
    }
}

fn sources<'a>(
    files: impl Iterator<Item = (&'a TreePath, &'a Arc<[u8]>)>,
) -> BTreeMap<TreePath, Arc<Source>> {
    files
        .map(|(path, bytes)| (path.clone(), Source::new(path.as_str(), Arc::clone(bytes))))
        .collect()
}
