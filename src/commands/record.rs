//! `.kernelize/import.json`: what an output folder was made from, and its files as they were made.
//!
//! The same import gives the same bytes on any machine: no time, no host, no local path.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::finding::{Error, Result};

/// Where the record lies in an output folder.
pub const RECORD: &str = ".kernelize/import.json";

/// Raised when a member changes its meaning.
const FORMAT: u32 = 1;

/// What an import was made from and what it made. Members stand in the order of their names, as
/// they are to be written.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// The output files by path.
    pub files: BTreeMap<String, FileRecord>,
    /// Version of this format.
    pub format: u32,
    /// The kernel that it was made for, where the rules make a difference between kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Name of the library.
    pub library: String,
    /// Name of the profile.
    pub profile: String,
    /// What was proved: `files`, those of them that are `proved`, upstream's `conditions` in them, and
    /// the `facts` that these depend on, of which every setting is covered.
    #[serde(default)]
    pub proof: BTreeMap<String, usize>,
    /// The release: its `name` (tag or revision) and `version` (its own number).
    pub release: BTreeMap<String, String>,
    /// How many edits each rule had a part in, over all files.
    pub rules: BTreeMap<String, usize>,
    /// sha-256 over the files of the ruleset.
    pub ruleset: String,
    /// What was read: its `kind` with commit and tree id or the package's checksum, and the
    /// `reason` for this source.
    pub source: BTreeMap<String, String>,
    /// Name and version of this program.
    pub tool: String,
}

/// One output file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FileRecord {
    /// How many edits each rule had a part in.
    pub rules: BTreeMap<String, usize>,
    /// sha-256 of the content, in hex.
    pub sha256: String,
    /// The upstream file, if one stands behind it.
    pub upstream: Option<String>,
}

impl Record {
    /// An empty record of this program.
    pub fn new() -> Record {
        let tool = concat!("kernelize ", env!("CARGO_PKG_VERSION")).to_owned();
        Record { format: FORMAT, tool, ..Record::default() }
    }

    /// The record as it is written.
    ///
    /// # Errors
    /// None that can happen: strings and numbers always have a JSON form.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|e| Error::internal(format!("{RECORD} can't be made: {e}")))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads a record back; says why where it is none of ours.
    pub(super) fn parse(bytes: &[u8]) -> Result<Record, String> {
        let record: Record = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        if record.format != FORMAT {
            return Err(format!("its format is {}, this program knows {FORMAT}", record.format));
        }
        match record.tool.split_whitespace().next() {
            Some("kernelize") => Ok(record),
            _ => Err("another program made it".to_owned()),
        }
    }
}

/// sha-256 in hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).as_slice())
}

/// Bytes as lower-case hex digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut out, byte| {
        // Writing to a string can't fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_back_and_its_keys_are_sorted() {
        let mut record = Record::new();
        let file = FileRecord { sha256: sha256(b"x"), ..FileRecord::default() };
        record.files.insert("lib/a.c".into(), file);
        let bytes = record.to_bytes().unwrap();
        assert_eq!(Record::parse(&bytes).unwrap(), record);
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let mut sorted = serde_json::to_vec_pretty(&value).unwrap();
        sorted.push(b'\n');
        assert_eq!(String::from_utf8(bytes).unwrap(), String::from_utf8(sorted).unwrap());
    }

    #[test]
    fn records_of_others_are_refused() {
        assert!(Record::parse(b"{}").is_err());
        let mut record = Record::new();
        record.tool = "other 1".into();
        assert!(Record::parse(&record.to_bytes().unwrap()).unwrap_err().contains("another"));
    }
}
