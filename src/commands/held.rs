//! What the commands for Linux trees share: a tree, the release that it was made from, and the new
//! import that its own changes are held against.

use std::path::PathBuf;

use crate::finding::{Error, Result};
use crate::kernel::target::Target;
use crate::linux::base::{Base, Search, held};
use crate::linux::tree::Tree;
use crate::memo::Memo;
use crate::pipeline::{self, Input, KernelTree};
use crate::report::console::Console;
use crate::rules::{Profile, Ruleset, Version};
use crate::upstream::{self, Location, Release, Request, Tools};

/// Which tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The tree.
    pub linux: PathBuf,
    /// The tree's revision; `None` for `HEAD`, or for a plain folder.
    pub base: Option<String>,
    /// Where to read the release from that the tree was made from; `None` for where the new one is
    /// read from.
    pub made_from: Option<Location>,
}

/// Which release, and where releases are read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    /// The release to go to; `None` for the newest.
    pub release: Option<String>,
    /// Where to read it from; `None` for where the ruleset says.
    pub upstream: Option<Location>,
    /// Whether only caches may be used.
    pub offline: bool,
}

impl Place {
    /// Opens the tree.
    ///
    /// # Errors
    /// As for [`Tree::open`].
    pub(super) fn tree(&self, ruleset: &Ruleset) -> Result<Tree> {
        Tree::open(&self.linux, self.base.as_deref(), &ruleset.library)
    }
}

impl Sources {
    /// Reads the release to go to.
    ///
    /// # Errors
    /// It can't be read.
    pub(super) fn release(&self, ruleset: &Ruleset, console: &mut Console) -> Result<Release> {
        self.other(self.release.clone(), ruleset, console)
    }

    /// Reads another release from the same source.
    ///
    /// # Errors
    /// It can't be read.
    pub(super) fn other(
        &self,
        release: Option<String>,
        ruleset: &Ruleset,
        console: &mut Console,
    ) -> Result<Release> {
        let progress = console.progress();
        let request = self.request(ruleset, &self.upstream, release);
        let release = upstream::open(&request, &progress)?;
        drop(progress);
        for note in &release.notes {
            console.note(note);
        }
        Ok(release)
    }

    /// Finds the release that the tree was made from.
    ///
    /// # Errors
    /// There is none, or it can't be read.
    pub(super) fn made_from(
        &self,
        place: &Place,
        tree: &Tree,
        version: Version,
        ruleset: &Ruleset,
        profile: &Profile,
        console: &mut Console,
    ) -> Result<Base> {
        let source = place.made_from.as_ref().or(self.upstream.as_ref()).cloned();
        let request = self.request(ruleset, &source, None);
        let progress = console.progress();
        let target = tree.target(&ruleset.library);
        let memo = &Memo::default();
        let (target, request) = (&target, &request);
        let search = Search { tree, version, ruleset, profile, target, request, memo };
        let base = search.nearest(&progress)?;
        drop(progress);
        for note in &base.notes {
            console.note(note);
        }
        Ok(base)
    }

    /// The request for a release of a source.
    pub(super) fn request<'a>(
        &self,
        ruleset: &'a Ruleset,
        source: &Option<Location>,
        release: Option<String>,
    ) -> Request<'a> {
        Request {
            library: &ruleset.library,
            source: source.clone(),
            release,
            offline: self.offline,
            cache: upstream::default_cache(),
            tools: Tools::default(),
        }
    }
}

/// The version that a tree holds.
///
/// # Errors
/// It hasn't got the library.
pub(super) fn version(tree: &Tree, ruleset: &Ruleset) -> Result<Version> {
    held(tree, ruleset)?.ok_or_else(|| {
        let (name, shown) = (&ruleset.library.name, &tree.shown);
        Error::input(format!("{shown} holds no {name}: nothing there states its version"))
            .hint("a tree without the library has no changes of its own to it")
    })
}

/// Imports a release.
///
/// # Errors
/// As for [`pipeline::proved`].
pub(super) fn import(
    release: &Release,
    ruleset: &Ruleset,
    profile: &Profile,
    target: &Target,
) -> Result<KernelTree> {
    pipeline::proved(Input::of(release, &ruleset.library, target), ruleset, profile)
}
