//! One state of the library: a commit, a release or a work tree.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::setting::{Setting, library_digest};
use super::{Plan, Subject};
use crate::check::baseline::Known;
use crate::check::compare::{self, Before};
use crate::check::record::{Commit, Record};
use crate::commands::held::Sources;
use crate::commands::import::spoken;
use crate::finding::{Error, Result};
use crate::report::console::Console;
use crate::text::TreePath;
use crate::upstream::{self, Location, Origin, Release};

/// Checks what `subject` names, and adds it to the record.
pub(super) fn check(
    subject: &Subject,
    setting: &Setting<'_>,
    sources: &Sources,
    plan: &Plan,
    record: &mut Record,
    known: Option<&mut Known>,
    console: &mut Console,
) -> Result<Release> {
    let (release, source) = match subject {
        Subject::WorkTree => work_tree(setting, sources, console)?,
        Subject::Revision(wanted) => revision(wanted.as_deref(), setting, sources, console)?,
        Subject::Range(_) => return Err(Error::internal("a range is no single commit")),
    };
    let library = &setting.ruleset.library;
    let exact = release.is_exact(library);
    let key = setting.key(&library_digest(&release), exact.then_some(&release.name));
    let progress = console.progress();
    upstream::Progress::step(&progress, "checking", 0, None);
    let state = match plan.build {
        // It has threads of its own, and what is shown stays with this one.
        Some(_) => setting.state_shown(&key, || Ok(release.clone()), &progress)?,
        None => limited(plan.jobs, || setting.state(&key, || Ok(release.clone())))?,
    };
    drop(progress);
    let known = known.map(|known| {
        known.meet(&state);
        &*known
    });
    record.source = source;
    record.notes.clone_from(&release.notes);
    record.commits.push(Commit {
        id: match &release.origin {
            Origin::Git { commit, .. } => Some(commit.clone()),
            _ => None,
        },
        name: release.name.clone(),
        title: release.title.clone(),
        ..compare::commit(&state, &Before::default(), known)
    });
    Ok(release)
}

/// With so many threads at most.
fn limited<T: Send>(jobs: Option<usize>, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let Some(jobs) = jobs else { return work() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    pool.map_err(|error| Error::internal(format!("no threads: {error}")))?.install(work)
}

fn revision(
    wanted: Option<&str>,
    setting: &Setting<'_>,
    sources: &Sources,
    console: &mut Console,
) -> Result<(Release, String)> {
    let mut wanted = wanted.map(str::to_owned);
    if let (None, Some(Location::Local(path))) = (&wanted, &sources.upstream)
        && upstream::is_repository(path)?
    {
        wanted = Some("HEAD".to_owned());
    }
    let is_checkout = wanted.as_deref() == Some("HEAD");
    let release = sources.other(wanted, setting.ruleset, console)?;
    if let (true, Some(Location::Local(path))) = (is_checkout, &sources.upstream) {
        tell_of_changes(path, &release, setting, sources, console);
    }
    let source = match &release.origin {
        Origin::Git { source, .. } => format!("git repository {source}"),
        origin => spoken(origin),
    };
    Ok((release, source))
}

/// Who has just changed a file and checks without a further word wants to know that it isn't looked at.
fn tell_of_changes(
    path: &Path,
    head: &Release,
    setting: &Setting<'_>,
    sources: &Sources,
    console: &mut Console,
) {
    // A bare repository has no files, and what can't be read is no news.
    let request = sources.request(setting.ruleset, &None, None);
    let Ok(now) = upstream::worktree(&request, path) else { return };
    let other = |(path, bytes): &(&TreePath, &Arc<[u8]>)| {
        head.files.get(*path).is_none_or(|old| !same_lines(old, bytes))
    };
    let gone = head.files.keys().filter(|path| !now.files.contains_key(*path)).count();
    match now.files.iter().filter(other).count() + gone {
        0 => {}
        count => console.note(&format!(
            "the work tree has {count} files that differ from HEAD: --worktree checks them"
        )),
    }
}

/// Whether two texts differ in the ends of their lines at most, which git may make others of in a work
/// tree.
fn same_lines(one: &[u8], other: &[u8]) -> bool {
    let ends = |text: &[u8], at: usize| text[at] == b'\r' && text.get(at + 1) == Some(&b'\n');
    let bytes = |text: &'_ [u8]| {
        let kept = (0..text.len()).filter(|&at| !ends(text, at));
        kept.map(|at| text[at]).collect::<Vec<u8>>()
    };
    one == other || bytes(one) == bytes(other)
}

fn work_tree(
    setting: &Setting<'_>,
    sources: &Sources,
    console: &mut Console,
) -> Result<(Release, String)> {
    let path: &Path = match &sources.upstream {
        Some(Location::Local(path)) => path,
        other => return Err(no_work_tree(other.is_some(), setting)),
    };
    let release = upstream::worktree(&sources.request(setting.ruleset, &None, None), path)?;
    for note in &release.notes {
        console.note(note);
    }
    let shown: PathBuf = path.components().collect();
    Ok((release, format!("work tree {}", shown.display())))
}

fn no_work_tree(named: bool, setting: &Setting<'_>) -> Error {
    let library = &setting.ruleset.library;
    let hint = format!("stand in a checkout of {}, or name one with --upstream", library.name);
    match named {
        true => Error::usage("the source that --upstream names has no work tree").hint(hint),
        false => {
            Error::usage(format!("no folder from here upwards holds {}", library.marker)).hint(hint)
        }
    }
}
