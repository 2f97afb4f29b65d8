//! `check`: whether the kernel form of commits still works, and what each changed.

mod building;
mod cache;
mod listing;
mod one;
mod range;
mod setting;
mod show;
mod suggest;
#[cfg(test)]
mod tests;
mod work;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use super::held::Sources;
use super::{Outcome, output, profile};
use crate::check::baseline::Known;
use crate::check::record::{self, Commit, Record};
use crate::finding::{Error, Result};
use crate::kernel::target::Target;
use crate::report::console::{Console, Format};
use crate::rules::{self, Ruleset};
use crate::upstream::{self, Location, Range};
use building::Builder;
use setting::Setting;

pub(super) use show::show;

/// Largest report that is read, in bytes.
const MAX_REPORT: u64 = 512 << 20;

/// What is to be checked, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What is checked.
    pub subject: Subject,
    /// Where to read it from; the release is the subject's.
    pub sources: Sources,
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
    /// The profile; `None` for the ruleset's default.
    pub profile: Option<String>,
    /// The kernel that it is for; `None` for the newest that the rules know.
    pub kernel: Option<String>,
    /// Whether it is compiled and run, too.
    pub build: Option<Build>,
    /// How the outcome is shown.
    pub view: View,
    /// How many commits are checked at a time; `None` for as many as there are processors.
    pub jobs: Option<usize>,
    /// The part of a range; `None` for all.
    pub shard: Option<Shard>,
    /// A report whose findings are accepted.
    pub baseline: Option<PathBuf>,
    /// Where the remedies are written to.
    pub suggest: Option<PathBuf>,
    /// Whether results are kept in the cache folder.
    pub cache: bool,
}

/// What is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// One state; `None` for `HEAD`, or a source's newest release.
    Revision(Option<String>),
    /// All commits of a range.
    Range(Range),
    /// The files of a work tree.
    WorkTree,
}

/// How it is built.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Build {
    /// A Linux tree to build in; `None` for headers of our own.
    pub linux: Option<PathBuf>,
    /// The import or release that data is exchanged with.
    pub against: Option<String>,
    /// What is drawn by chance is drawn from this.
    pub seed: u64,
}

/// How an outcome is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// The form.
    pub format: Format,
    /// The file that gets it; `None` for standard output.
    pub output: Option<PathBuf>,
    /// Most findings of a commit that are shown as text.
    pub max_findings: Option<usize>,
}

/// One of several equal parts of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which one, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shard> {
        let numbers = text.split_once('/');
        let numbers =
            numbers.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            _ => Err(Error::usage(format!("`{text}` names no part of a range"))
                .hint("write --shard I/N: the I-th of N parts, from 1/N to N/N")),
        }
    }
}

impl Shard {
    /// The part of `count` things that is this one's.
    fn part(self, count: usize) -> std::ops::Range<usize> {
        let cut = |at: usize| (count as u128 * at as u128 / self.of as u128) as usize;
        cut(self.number - 1)..cut(self.number)
    }
}

impl Subject {
    /// A revision, or a range where there are two dots in it.
    ///
    /// # Errors
    /// The range has no start, or three dots.
    pub fn parse(text: &str, all_parents: bool) -> Result<Subject> {
        let Some((from, to)) = text.split_once("..") else {
            return Ok(Subject::Revision(Some(text.to_owned())));
        };
        if from.is_empty() || to.starts_with('.') || to.contains("..") {
            return Err(Error::usage(format!("`{text}` is no range of commits"))
                .hint("write A..B for the commits of B that A hasn't, or A.. up to HEAD"));
        }
        let to = if to.is_empty() { "HEAD" } else { to };
        Ok(Subject::Range(Range { from: from.into(), to: to.into(), all_parents }))
    }
}

/// Checks.
///
/// # Errors
/// The ruleset can't be loaded, upstream can't be read, or an output can't be written.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let started = Instant::now();
    for path in [&plan.view.output, &plan.suggest].into_iter().flatten() {
        output::writable(path)?;
    }
    let ruleset = rules::load(plan.rules.as_deref())?;
    let profile = profile(&ruleset, plan.profile.as_deref())?;
    let target = Target::named(&ruleset.library, plan.kernel.as_deref())?;
    let mut known = plan.baseline.as_deref().map(known).transpose()?;
    let sources = located(plan, &ruleset)?;
    let builder = Builder::new(plan, &sources, (&ruleset, profile, &target), console)?;
    let setting = Setting::new(&ruleset, profile, &target, builder, plan.cache);
    let mut record = Record {
        schema: record::SCHEMA,
        tool: concat!("kernelize ", env!("CARGO_PKG_VERSION")).to_owned(),
        command: "check".to_owned(),
        library: ruleset.library.name.clone(),
        repository: ruleset.library.url.clone(),
        source: String::new(),
        profile: profile.name.clone(),
        ruleset: ruleset.digest.clone(),
        build: plan.build.is_some(),
        total: 1,
        notes: Vec::new(),
        commits: Vec::new(),
        baseline: None,
    };
    let last = match &plan.subject {
        Subject::Range(range) => {
            let job = range::Job { setting: &setting, sources: &sources, plan };
            job.run(range, &mut record, known.as_mut(), console)?
        }
        one => {
            Some(one::check(one, &setting, &sources, plan, &mut record, known.as_mut(), console)?)
        }
    };
    for note in setting.notes() {
        console.note(&note);
        record.notes.push(note);
    }
    setting.finish();
    record.baseline = known.map(Known::result);
    if let (Some(path), Some(release)) = (&plan.suggest, &last) {
        suggest::write(path, &setting, release, console)?;
    }
    show(&record, &plan.view, Some(started.elapsed()), console)
}

/// The outcome that a record stands for.
fn outcome(record: &Record) -> Outcome {
    let is_red = |commit: &Commit| !commit.start && commit.errors > 0;
    if record.commits.iter().any(is_red) { Outcome::Findings } else { Outcome::Clean }
}

/// The baseline in a report.
fn known(path: &Path) -> Result<Known> {
    Ok(Known::of(&read(path)?))
}

/// Reads a report.
pub(super) fn read(path: &Path) -> Result<Record> {
    let shown = path.display().to_string();
    let fail = |error| Error::input(format!("{shown} can't be read: {error}"));
    let mut bytes = Vec::new();
    File::open(path).map_err(fail)?.take(MAX_REPORT + 1).read_to_end(&mut bytes).map_err(fail)?;
    record::read(&bytes, &shown)
}

/// Where upstream is read from: without a word about it, the checkout that one stands in.
fn located(plan: &Plan, ruleset: &Ruleset) -> Result<Sources> {
    let mut sources = plan.sources.clone();
    if sources.upstream.is_none() {
        let here = std::env::current_dir().ok();
        let found = here.as_ref().and_then(|here| upstream::checkout(here, &ruleset.library));
        let none = found.is_none().then_some(here).flatten();
        // A revision that is named may be one of another source.
        let is_head = matches!(plan.subject, Subject::Revision(None));
        let marker = is_head.then_some(ruleset.library.marker.as_str());
        if let Some(error) = none.and_then(|here| upstream::unusable(&here, marker).transpose()) {
            return Err(error?);
        }
        sources.upstream = found.map(Location::Local);
    }
    Ok(sources)
}
