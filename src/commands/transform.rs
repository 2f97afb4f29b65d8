//! `transform`: one file through the stages of an import, to standard output.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::read::{self, Input};
use super::{Outcome, profile};
use crate::edit::LineOrigin;
use crate::finding::{Error, Result};
use crate::pipeline::{self, OutputFile};
use crate::report::console::Console;
use crate::report::explain::{ChangedBy, ChangedLine};
use crate::rules::{self, Library, Ruleset, Version};
use crate::text::TreePath;

/// What is to be transformed, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The file.
    pub input: Input,
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
    /// The release whose rules hold; `None` for the newest that the ruleset knows.
    pub release: Option<String>,
    /// The profile; `None` for the ruleset's default.
    pub profile: Option<String>,
    /// Whether to say which rules made each changed line.
    pub explain: bool,
}

/// Transforms the file. Where its conditionals don't balance, nothing is written.
///
/// # Errors
/// The ruleset can't be loaded, or the file can't be read.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let ruleset = rules::load(plan.rules.as_deref())?;
    let profile = profile(&ruleset, plan.profile.as_deref())?;
    let version = version(&ruleset.library, plan.release.as_deref())?;
    let oldest = ruleset.library.oldest;
    if version < oldest {
        console.note(&format!("{version} is older than {oldest}, for which the rules start"));
    }
    let source = read::source(&plan.input)?;
    let path = place(&plan.input, &ruleset.library)?;
    let bytes = Arc::clone(&source.bytes);
    let (file, findings) = pipeline::transform(&path, bytes, version, &ruleset, profile)?;
    let mut lines = Vec::new();
    if let Some(file) = &file {
        console.output(file.text.bytes())?;
        if plan.explain {
            lines = changed_lines(file, &ruleset);
        }
    }
    match plan.explain {
        true => console.explain(&lines, &findings),
        false => console.findings(&findings),
    }
    Ok(Outcome::of(&findings))
}

fn version(library: &Library, wanted: Option<&str>) -> Result<Version> {
    let Some(wanted) = wanted else {
        let newest = library.packages.iter().map(|package| package.release).max();
        return Ok(newest.unwrap_or(library.oldest));
    };
    let number = wanted.strip_prefix(&library.tag_prefix).unwrap_or(wanted);
    number.parse().map_err(|_| {
        Error::usage(format!("`{wanted}` is no release number"))
            .hint(format!("write three numbers, such as {}", library.oldest))
    })
}

/// The path of the file below the library root. A folder of the root's name tells where that is;
/// else the file is taken as lying at the root.
fn place(input: &Input, library: &Library) -> Result<TreePath> {
    let Input::File(path) = input else {
        return tree_path(Path::new("stdin.c"));
    };
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    for above in whole.ancestors().skip(1) {
        if above.join(&library.marker).is_file()
            && let Ok(below) = whole.strip_prefix(above.join(&library.root))
        {
            return tree_path(below);
        }
    }
    tree_path(path.file_name().map_or(path, Path::new))
}

fn tree_path(path: &Path) -> Result<TreePath> {
    path.to_str().and_then(TreePath::new).ok_or_else(|| {
        Error::usage(format!("{} can't be the path of a source file", path.display()))
            .hint("give the file a plain name, or pipe it to standard input")
    })
}

fn changed_lines(file: &OutputFile, ruleset: &Ruleset) -> Vec<ChangedLine> {
    let files: BTreeMap<&str, &str> = ruleset
        .rules()
        .into_iter()
        .map(|rule| (rule.name.as_str(), rule.source.name.as_str()))
        .collect();
    let texts = file.text.bytes().split(|byte| *byte == b'\n');
    let lines = file.text.line_origins();
    let changed =
        lines.iter().zip(texts).enumerate().filter(|(_, (line, _))| !line.rules.is_empty());
    changed
        .map(|(number, (origin, text))| ChangedLine {
            line: number + 1,
            text: String::from_utf8_lossy(text.strip_suffix(b"\r").unwrap_or(text)).into_owned(),
            upstream: file.source.name.clone(),
            upstream_lines: upstream_lines(file, origin),
            rules: changed_by(origin, &files),
        })
        .collect()
}

fn upstream_lines(file: &OutputFile, origin: &LineOrigin) -> std::ops::RangeInclusive<usize> {
    let last = origin.from.end.saturating_sub(1).max(origin.from.start);
    file.source.position(origin.from.start).line..=file.source.position(last).line
}

fn changed_by(origin: &LineOrigin, files: &BTreeMap<&str, &str>) -> Vec<ChangedBy> {
    let named = |rule: &str| files.get(rule).map_or(rule, |file| *file).to_owned();
    origin
        .rules
        .iter()
        .map(|rule| ChangedBy { rule: rule.as_str().to_owned(), file: named(rule.as_str()) })
        .collect()
}
