//! What every source gives: a release in memory, and how the way there is reported.

use serde::Serialize;

use crate::rules::{Library, Version};
use crate::text::Files;

/// A release of the library, in memory.
#[derive(Clone, Debug)]
pub struct Release {
    /// Its tag where it has one (`v1.5.6`), else `v1.5.7-gID` with the number that the header states
    /// and the first 12 digits of the commit id.
    pub name: String,
    /// The number that the release's own header states.
    pub version: Version,
    /// Where it came from.
    pub origin: Origin,
    /// When it was committed, in seconds since 1970 UTC; only git knows.
    pub date: Option<i64>,
    /// First line of the commit's message; only git knows.
    pub title: Option<String>,
    /// All files below the library root, by their path below it (`common/bits.h`).
    pub files: Files,
    /// Files elsewhere in the release that the ruleset names as its importer's, by their path in the
    /// release; none where the source has only the library.
    pub importer: Files,
    /// What was used and why, one sentence each: for the user and for the record.
    pub notes: Vec<String>,
}

impl Release {
    /// Whether it is the release of its number, and no state between two.
    pub fn is_exact(&self, library: &Library) -> bool {
        self.name == format!("{}{}", library.tag_prefix, self.version)
    }
}

/// Where a release came from, with all that is needed to get the same bytes again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Origin {
    /// A commit of a git repository.
    Git {
        /// Path or URL as given.
        source: String,
        /// Commit id in hex.
        commit: String,
        /// Id of the commit's top tree in hex.
        tree: String,
        /// The tag that named it or that stands on it.
        tag: Option<String>,
    },
    /// A folder, in whatever state it was.
    Folder {
        /// Path as given.
        path: String,
    },
    /// A release archive.
    Archive {
        /// Path as given.
        path: String,
        /// sha-256 of the archive in hex.
        sha256: String,
    },
    /// A package of a registry.
    Package {
        /// Name.
        package: String,
        /// Full version.
        version: String,
        /// sha-256 of the package in hex, as the registry's index states it.
        checksum: String,
    },
}

/// Told how far a slow step is; draws nothing itself.
pub trait Progress {
    /// `phase` has done `done` of `total` steps, if their number is known.
    fn step(&self, phase: &str, done: u64, total: Option<u64>);
}

/// A [`Progress`] that nobody looks at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _: &str, _: u64, _: Option<u64>) {}
}
