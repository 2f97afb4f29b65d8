//! The files of a ruleset, from a folder or from the binary, before anything is read into them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::finding::{Error, Finding, Findings, Result};
use crate::text::{Source, Span, hex};

/// Largest file of a ruleset, in bytes; rules and templates are a few kilobytes.
const MAX_FILE: u64 = 1 << 20;
/// Most bytes of a whole ruleset.
const MAX_TOTAL: u64 = 64 << 20;
/// Most files of a ruleset.
const MAX_FILES: usize = 10_000;
/// Deepest nesting of folders, for templates.
const MAX_DEPTH: usize = 8;

/// Folders of a ruleset with what an import is built and tried with.
pub(super) const TRIALS: [&str; 2] = ["harness/", "stubs/"];

/// All rulesets that the binary carries: path below `rules/`, contents.
static BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/rule_files.rs"));

/// A ruleset's files by path below its folder.
pub(super) struct RuleFiles {
    /// Where they come from, for messages.
    pub(super) origin: String,
    /// The files.
    pub(super) files: BTreeMap<String, Arc<Source>>,
}

impl RuleFiles {
    /// sha-256, in hex, over path and contents of every file, in path order. What an import is only
    /// tried with has no part in it.
    pub(super) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let counts = |path: &str| !TRIALS.iter().any(|folder| path.starts_with(folder));
        for (path, source) in self.files.iter().filter(|(path, _)| counts(path)) {
            // The lengths keep two different sets of files from giving the same bytes.
            hash.update((path.len() as u64).to_le_bytes());
            hash.update(path.as_bytes());
            hash.update((source.bytes.len() as u64).to_le_bytes());
            hash.update(&source.bytes);
        }
        hex(hash.finalize().as_slice())
    }
}

/// The files of the built-in ruleset.
///
/// # Errors
/// The binary was built without rules.
pub(super) fn built_in() -> Result<RuleFiles> {
    let libraries = BUILT_IN.iter().filter_map(|(path, _)| path.strip_suffix("/library.toml"));
    let Some(library) = libraries.min() else {
        return Err(Error::internal("no ruleset is compiled into this binary"));
    };
    let below = |path: &'static str| path.strip_prefix(library)?.strip_prefix('/');
    let file = |(path, bytes): &(&'static str, &'static [u8])| {
        Some((below(path)?.to_string(), Source::new(format!("rules/{path}"), *bytes)))
    };
    Ok(RuleFiles { origin: "built in".into(), files: BUILT_IN.iter().filter_map(file).collect() })
}

/// The files below `folder`; what can't be one of a ruleset becomes a finding.
///
/// # Errors
/// `folder` is no folder, or holds no `library.toml`.
pub(super) fn read(folder: &Path, findings: &mut Findings) -> Result<RuleFiles> {
    let shown = folder.display();
    if !folder.is_dir() {
        return Err(Error::usage(format!("{shown} is not a folder"))
            .hint("name the folder that holds the ruleset's library.toml"));
    }
    if !folder.join("library.toml").exists() {
        return Err(
            Error::usage(format!("{shown} holds no library.toml")).hint(where_instead(folder))
        );
    }
    let mut files = BTreeMap::new();
    let mut total = 0;
    let walk = walkdir::WalkDir::new(folder).max_depth(MAX_DEPTH).sort_by_file_name();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(folder).display().to_string();
                findings.push(mistake(&path, format!("can't be read: {error}")));
                continue;
            }
        };
        if files.len() > MAX_FILES {
            return Err(Error::usage(format!("{shown} holds more than {MAX_FILES} files"))
                .hint("name the folder of one ruleset"));
        }
        if entry.file_type().is_dir() {
            continue;
        }
        let name = entry.path().display().to_string();
        let below = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        let Some(below) = below else {
            findings.push(mistake(&name, "its name is not UTF-8".into()));
            continue;
        };
        if !entry.file_type().is_file() {
            let what = if entry.path_is_symlink() { "a symbolic link" } else { "no regular file" };
            findings.push(mistake(&name, format!("is {what}; a ruleset holds plain files only")));
            continue;
        }
        match contents(entry.path()) {
            Ok(bytes) => {
                total += bytes.len() as u64;
                if total > MAX_TOTAL {
                    return Err(Error::usage(format!(
                        "{shown} holds over {} MiB",
                        MAX_TOTAL >> 20
                    ))
                    .hint("name the folder of one ruleset"));
                }
                files.insert(below.replace('\\', "/"), Source::new(name, bytes));
            }
            Err(problem) => findings.push(mistake(&name, problem)),
        }
    }
    Ok(RuleFiles { origin: shown.to_string(), files })
}

fn contents(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| format!("can't be opened: {e}"))?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|e| format!("can't be read: {e}"))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("is larger than {} KiB; no rule file is", MAX_FILE >> 10));
    }
    Ok(bytes)
}

fn where_instead(folder: &Path) -> String {
    let below = walkdir::WalkDir::new(folder).min_depth(2).max_depth(2).sort_by_file_name();
    let found =
        below.into_iter().flatten().take(MAX_FILES).find(|e| e.file_name() == "library.toml");
    match found.as_ref().and_then(|e| e.path().parent()) {
        Some(parent) => format!("did you mean {}?", parent.display()),
        None => "name the folder of one ruleset, such as rules/NAME".into(),
    }
}

/// A finding about a file as a whole.
pub(super) fn mistake(name: &str, problem: String) -> Finding {
    let source = Source::new(name, &b""[..]);
    Finding::error("rule-file", format!("{name} {problem}")).at(&source, Span::at(0), "")
}
