//! What a run of `check` came to, as one document: every format is written from it, and documents of
//! several machines merge into one.

mod merge;
mod read;
mod standing;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::str::Utf8Chunk;

use serde::{Deserialize, Serialize};

use crate::proof::Figures;
use crate::text::{Position, Source, Span};

pub use merge::merge;
pub use read::read;
pub use standing::Introduced;

/// Raised when a member changes its meaning or goes; new ones may come.
pub const SCHEMA: u32 = 1;

/// A run of `check`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`] of the program that wrote it.
    pub schema: u32,
    /// `kernelize VERSION`.
    pub tool: String,
    /// Always `check`.
    pub command: String,
    /// The library's name, as the ruleset has it.
    pub library: String,
    /// The library's own repository: its URL, as the ruleset has it.
    pub repository: String,
    /// Where upstream was read from, in words; machines may differ in it.
    pub source: String,
    /// The profile.
    pub profile: String,
    /// SHA-256 of the ruleset, in hex.
    pub ruleset: String,
    /// Whether the kernel form was compiled and run, too.
    #[serde(default)]
    pub build: bool,
    /// Sentences: what was chosen and why. What holds for one shard alone is none of them.
    pub notes: Vec<String>,
    /// Commits of the whole range, of which a shard has some; 1 for a release or a work tree.
    pub total: usize,
    /// The commits checked, oldest first; one for a release or a work tree.
    pub commits: Vec<Commit>,
    /// What a baseline accepts; left out without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
}

/// One commit, release or work tree.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Commit {
    /// Commit id in hex; none for a work tree, an archive or a package.
    pub id: Option<String>,
    /// Name of the release or commit, such as `v1.5.6` or `v1.5.6-g0123abcd`.
    pub name: String,
    /// First line of the commit's message.
    pub title: Option<String>,
    /// Position in the whole range, from 0; shards keep it.
    pub number: usize,
    /// Whether a range starts from here: it is what the next one is compared with, and never red.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub start: bool,
    /// Files of the kernel form whose bytes differ from those at the parent that was checked before.
    /// `None` where there was none.
    pub changed: Option<Vec<String>>,
    /// Findings that stand here; in a range only those that the parent hadn't.
    pub findings: Vec<Found>,
    /// Fingerprints of the findings that the parent had and that are gone.
    pub fixed: Vec<String>,
    /// How many error-level findings stand here in all, those accepted by a baseline left out.
    pub errors: usize,
    /// How many warnings stand here in all.
    pub warnings: usize,
    /// What was proved.
    pub proof: Figures,
    /// Figures of a build, by name (such as `x86_64 stack NAME`); empty without one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, u64>,
}

/// A finding as a document has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The kind of finding.
    pub code: String,
    /// `error` or `warning`.
    pub severity: String,
    /// One sentence.
    pub message: String,
    /// The places; the first is where the user has to look.
    pub places: Vec<Place>,
    /// What to do.
    pub hint: Option<String>,
    /// The mechanical remedy.
    pub fix: Option<FoundFix>,
    /// Stays the same when lines move: names the finding in a baseline.
    pub fingerprint: String,
    /// Whether the baseline accepts it.
    #[serde(default)]
    pub accepted: bool,
}

/// A place of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// Path from the top of upstream's repository; else of a rule, as a user finds it.
    pub path: String,
    /// Whether it lies in upstream's repository.
    pub upstream: bool,
    /// From where to where.
    #[serde(flatten)]
    pub region: Region,
    /// What is to be said of the place; may be empty.
    pub text: String,
    /// The line, shortened around the place.
    pub source: String,
}

/// Bytes of a file, half open, all counted from 1. Programs count columns in bytes or in
/// characters, so both are here; bytes that are not UTF-8 count as decoders replace them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Region {
    /// Line of the first byte.
    pub line: usize,
    /// Its column, in bytes.
    pub column: usize,
    /// Its column, in characters.
    pub character: usize,
    /// Line of the byte behind the last.
    pub end_line: usize,
    /// Its column, in bytes.
    pub end_column: usize,
    /// Its column, in characters.
    pub end_character: usize,
}

impl Region {
    /// Where `span` lies in `source`.
    pub fn of(source: &Source, span: Span) -> Region {
        let (start, end) = (source.position(span.start), source.position(span.end));
        let character = |position: Position, offset: u32| {
            let line = &source.bytes[offset as usize + 1 - position.column..offset as usize];
            let chunks = line.utf8_chunks();
            let count = |chunk: Utf8Chunk<'_>| {
                chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty())
            };
            chunks.map(count).sum::<usize>() + 1
        };
        Region {
            line: start.line,
            column: start.column,
            character: character(start, span.start),
            end_line: end.line,
            end_column: end.column,
            end_character: character(end, span.end),
        }
    }
}

/// A remedy in upstream's own file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FoundFix {
    /// What it does.
    pub what: String,
    /// Path from the top of upstream's repository.
    pub path: String,
    /// What is to be replaced by what, in text order.
    pub edits: Vec<FixEdit>,
}

/// One replacement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FixEdit {
    /// What goes.
    #[serde(flatten)]
    pub region: Region,
    /// What comes in its place.
    pub text: String,
}

/// What became of a baseline. Each of its entries is in one of the two, by fingerprint, with what it
/// is about.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Baseline {
    /// Entries that a finding at one of the commits has.
    pub accepted: BTreeMap<String, String>,
    /// Entries that no finding has any more.
    pub gone: BTreeMap<String, String>,
}
