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
use crate::pipeline::{self, Input, OutputFile};
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

    /// Where upstream's files went, those that a template stands for included.
    pub(super) fn places(&self) -> Places {
        let files = self.derived.iter().chain(&self.generated);
        files.filter_map(|(place, file)| Some((place.clone(), file.upstream.clone()?))).collect()
    }
}

/// Imports the files of a release.
pub(super) fn import(
    version: Version,
    files: &Files,
    ruleset: &Ruleset,
    profile: &Profile,
    target: &Target,
) -> Result<Imported> {
    let input = Input { version, exact: false, files, target };
    Ok(Imported::new(pipeline::import(input, ruleset, profile)?.files))
}

/// Takes files that are in kernel form already through the import of the same version once more.
pub(super) fn again(
    files: &Files,
    places: &Places,
    version: Version,
    ruleset: &Ruleset,
    profile: &Profile,
    target: &Target,
) -> Result<Normal> {
    let output = format!("{}/", ruleset.library.output);
    let mut back = Files::new();
    for (place, bytes) in files {
        let rest = || place.as_str().strip_prefix(&output).and_then(TreePath::new);
        if let Some(path) = places.get(place).cloned().or_else(rest) {
            back.entry(path).or_insert_with(|| Arc::clone(bytes));
        }
    }
    Ok(import(version, &back, ruleset, profile, target)?.derived)
}

/// The bytes of an import.
pub(super) fn bytes(imported: &Imported) -> Files {
    let files = imported.derived.iter().chain(&imported.generated);
    files.map(|(place, file)| (place.clone(), Arc::clone(file.text.bytes()))).collect()
}
