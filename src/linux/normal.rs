//! One form for texts that different profiles, and local hands, have made: what the wanted profile
//! would make of them.
//!
//! Kernel form taken through an import stays as it is but for conditions that its own profile left and
//! the wanted one decides. So a tree and the release that it was made from differ, in this form, by the
//! tree's own changes only, whichever profile made the tree, and a change speaks of the text that the
//! new import has too.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::finding::Result;
use crate::kernel::target::Target;
use crate::memo::Memo;
use crate::pipeline::{self, Derived, Input, OutputFile};
use crate::rules::{Profile, Ruleset, Version};
use crate::text::{Files, TreePath};

/// Files in the normal form, by their place in the Linux tree; what templates make is not among them.
pub(super) type Normal = BTreeMap<TreePath, OutputFile>;

/// Upstream's path below the library root for each place in the Linux tree.
pub(super) type Places = BTreeMap<TreePath, TreePath>;

/// An import and where its files came from.
#[derive(Debug)]
pub(super) struct Imported {
    /// What comes from upstream files.
    pub(super) derived: Normal,
    /// What comes from templates.
    pub(super) generated: Normal,
}

impl Imported {
    pub(super) fn new(files: BTreeMap<TreePath, OutputFile>) -> Imported {
        let (derived, generated) = files.into_iter().partition(|(_, file)| file.template.is_none());
        Imported { derived, generated }
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> Files {
        let files = self.derived.iter().chain(&self.generated);
        files.map(|(place, file)| (place.clone(), Arc::clone(file.text.bytes()))).collect()
    }
}

/// What texts are imported by.
#[derive(Clone, Copy)]
pub(super) struct Means<'a> {
    pub(super) version: Version,
    pub(super) ruleset: &'a Ruleset,
    pub(super) target: &'a Target,
    /// What releases and trees have in common is worked out once.
    pub(super) memo: &'a Memo,
}

impl Means<'_> {
    fn input<'f>(&'f self, files: &'f Files) -> Input<'f> {
        Input { version: self.version, exact: false, files, target: self.target }
    }

    /// Imports the files of a release, those that come from upstream alone.
    pub(super) fn derive(&self, files: &Files, profile: &Profile) -> Result<Derived> {
        pipeline::derive(self.input(files), self.ruleset, profile, self.memo)
    }

    /// Imports the files of a release, with all that belongs to an import.
    pub(super) fn whole(&self, files: &Files, profile: &Profile) -> Result<Imported> {
        Ok(Imported::new(
            pipeline::import_again(self.input(files), self.ruleset, profile, self.memo)?.files,
        ))
    }

    /// Takes files that are in kernel form already through the import of the same version once more.
    pub(super) fn again(
        &self,
        files: &Files,
        places: &Places,
        profile: &Profile,
    ) -> Result<Normal> {
        let output = format!("{}/", self.ruleset.library.output);
        let mut back = Files::new();
        for (place, bytes) in files {
            let rest = || place.as_str().strip_prefix(&output).and_then(TreePath::new);
            if let Some(path) = places.get(place).cloned().or_else(rest) {
                back.entry(path).or_insert_with(|| Arc::clone(bytes));
            }
        }
        Ok(self.derive(&back, profile)?.files)
    }

    /// The import of a release by another profile, and that taken through an import by this one.
    pub(super) fn through(
        &self,
        files: &Files,
        other: &Profile,
        profile: &Profile,
    ) -> Result<(Normal, Normal)> {
        let mut once = files.clone();
        let made = self.derive(files, other)?;
        // What one of the two leaves out, neither has.
        once.retain(|path, _| {
            made.files.values().any(|file| file.upstream.as_ref() == Some(path))
                || made.places.values().any(|replaced| replaced == path)
        });
        for file in made.files.values() {
            if let Some(path) = &file.upstream {
                once.insert(path.clone(), Arc::clone(file.text.bytes()));
            }
        }
        Ok((made.files, self.derive(&once, profile)?.files))
    }
}
