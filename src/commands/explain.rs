//! `explain`: where a line comes from, or what became of it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::diff::{made_from, record};
use super::held::Sources;
use super::record::RECORD;
use super::{Outcome, profile};
use crate::compare::NamedCommit;
use crate::compare::origin::{Answer, Explainer};
use crate::finding::{Error, Result};
use crate::kernel::target::Target;
use crate::pipeline::{self, Input};
use crate::report::console::Console;
use crate::rules::{self, Active, Ruleset};
use crate::text::{TreePath, sha256};
use crate::upstream::{self, Origin, Release};

/// What is to be explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The line.
    pub place: PlaceName,
    /// A folder that an import wrote, or a release; `None` for the newest release.
    pub import: Option<String>,
    /// Where releases are read from.
    pub sources: Sources,
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
    /// The profile; `None` for what the folder says, or the ruleset's default.
    pub profile: Option<String>,
    /// The kernel; `None` for what the folder says, or the newest that the rules know.
    pub kernel: Option<String>,
}

/// A line as it is typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceName {
    /// The file.
    pub path: TreePath,
    /// The line, from 1.
    pub line: usize,
}

impl FromStr for PlaceName {
    type Err = Error;

    fn from_str(text: &str) -> Result<PlaceName> {
        let parsed = text.rsplit_once(':').and_then(|(path, line)| {
            let path = TreePath::new(path.strip_prefix("./").unwrap_or(path))?;
            let line = line.parse().ok().filter(|line| *line > 0)?;
            Some(PlaceName { path, line })
        });
        parsed.ok_or_else(|| {
            Error::usage(format!("`{text}` names no line of a file"))
                .hint("write PATH:LINE, with the path below the top folder and a number from 1")
        })
    }
}

/// Explains the line.
///
/// # Errors
/// The ruleset can't be loaded, the release can't be read, or there is no such line.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let ruleset = rules::load(plan.rules.as_deref())?;
    let folder = plan.import.as_deref().map(Path::new).filter(|path| path.join(RECORD).is_file());
    let held = folder.map(|folder| record(folder, &folder.display().to_string())).transpose()?;
    let wanted = plan.profile.as_deref().or(held.as_ref().map(|held| held.profile.as_str()));
    let profile = profile(&ruleset, wanted)?;
    let kernel = plan.kernel.as_deref().or(held.as_ref().and_then(|held| held.kernel.as_deref()));
    let target = Target::named(&ruleset.library, kernel)?;
    let release = match &held {
        Some(held) => made_from(&plan.sources, held, &ruleset, console)?,
        None => plan.sources.other(plan.import.clone(), &ruleset, console)?,
    };
    let input = Input::of(&release, &ruleset.library, &target);
    let tree = pipeline::import(input, &ruleset, profile)?;
    let explainer = Explainer {
        rules: Active::new(&ruleset, release.version, profile),
        release: &release.name,
        files: &release.files,
        tree: &tree,
    };
    let mut place = plan.place.clone();
    let mut local = None;
    if let (Some(folder), Some(file)) = (folder, tree.files.get(&place.path)) {
        local = in_folder(folder, &mut place, file.text.bytes(), console)?;
    }
    let answer = match local {
        Some(text) => explainer.local(&place.path, place.line, text),
        None => asked(&explainer, &ruleset, &place)?,
    };
    let answer = with_commit(plan, answer, &ruleset, &release, console)?;
    console.origin(&answer)?;
    Ok(Outcome::Clean)
}

/// Leads a line of a folder to the line of the import that it is; the line's text where the folder was
/// changed there.
fn in_folder(
    folder: &Path,
    place: &mut PlaceName,
    made: &[u8],
    console: &mut Console,
) -> Result<Option<String>> {
    let path = folder.join(place.path.as_str());
    let shown = path.display().to_string();
    let input = super::read::Input::File(path);
    let here = super::read::source(&input)?;
    if sha256(&here.bytes) == sha256(made) {
        return Ok(None);
    }
    console.note(&format!("{shown} is not as these rules make it"));
    let line = crate::compare::origin::line_in(made, &here.bytes, place.line)?;
    match line {
        Some(line) => {
            place.line = line;
            Ok(None)
        }
        None => {
            let text = here.bytes.split(|byte| *byte == b'\n').nth(place.line - 1);
            let text = text.ok_or_else(|| no_line(place, &shown))?;
            Ok(Some(String::from_utf8_lossy(text).into_owned()))
        }
    }
}

fn asked(explainer: &Explainer<'_>, ruleset: &Ruleset, place: &PlaceName) -> Result<Answer> {
    let PlaceName { path, line } = place;
    if explainer.tree.files.contains_key(path) {
        let answer = explainer.kernel(path, *line);
        return answer.ok_or_else(|| no_line(place, explainer.release));
    }
    let below = path.as_str().strip_prefix(&format!("{}/", ruleset.library.root));
    let below = below.and_then(TreePath::new).unwrap_or_else(|| path.clone());
    if explainer.files.contains_key(&below) {
        let answer = explainer.upstream(&below, *line);
        return answer.ok_or_else(|| no_line(place, explainer.release));
    }
    let release = explainer.release;
    let message = format!("neither {release} nor its kernel form has a file {path}");
    let named = |other: &&TreePath| other.file_name() == path.file_name();
    let near = explainer.tree.files.keys().find(named);
    Err(match near {
        Some(near) => Error::input(message).hint(format!("did you mean {near}?")),
        None => Error::input(message).hint("write the path as it is below the top folder"),
    })
}

fn no_line(place: &PlaceName, within: &str) -> Error {
    let PlaceName { path, line } = place;
    Error::input(format!("{path} of {within} has no line {line}"))
}

/// Adds the commit that wrote upstream's line.
fn with_commit(
    plan: &Plan,
    mut answer: Answer,
    ruleset: &Ruleset,
    release: &Release,
    console: &mut Console,
) -> Result<Answer> {
    let Origin::Git { commit, .. } = &release.origin else { return Ok(answer) };
    let place = match answer.direction {
        "kernel" if answer.fate != "made" => {
            let same = answer.lines.iter().rev().find(|line| line.text == answer.asked.text);
            same.or(answer.lines.last())
        }
        "kernel" => None,
        _ => Some(&answer.asked),
    };
    let root = format!("{}/", ruleset.library.root);
    let place = place.and_then(|place| {
        let below = place.path.strip_prefix(&root).unwrap_or(&place.path);
        Some((TreePath::new(below)?, place.line))
    });
    let Some((path, line)) = place else { return Ok(answer) };
    let request = plan.sources.request(ruleset, &plan.sources.upstream, None);
    let progress = console.progress();
    let found = upstream::line_commit(&request, commit, (&path, line), &progress);
    drop(progress);
    match found {
        Ok(found) => {
            let named = |one: upstream::LineCommit| NamedCommit {
                id: one.id,
                title: one.title,
                pull: one.pull,
            };
            answer.commit = found.map(named);
        }
        // All else is known: a shallow clone has no history.
        Err(error) => {
            console.note(&format!("which commit wrote the line is not known: {}", error.message));
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_by_path_and_number() {
        let place = "./lib/a.c:12".parse::<PlaceName>().unwrap();
        assert_eq!((place.path.as_str(), place.line), ("lib/a.c", 12));
        for bad in ["", "a.c", "a.c:0", "a.c:x", "../a.c:1", ":1", "a.c:-1"] {
            assert!(bad.parse::<PlaceName>().is_err(), "{bad}");
        }
    }
}
