//! One short file a command: it chains the stages and hands over what comes out.
//!
//! The only writer to disk; knows nothing of how flags are spelt.

pub mod audit;
pub mod check;
pub mod completions;
pub mod diff;
pub mod explain;
pub mod fold;
pub mod held;
pub mod import;
pub mod man;
pub mod output;
pub mod patch;
pub mod patching;
pub mod read;
pub mod record;
pub mod report;
pub mod review;
pub mod rules;
mod signals;
mod staging;
pub mod transform;
pub mod verify;

use crate::finding::{Error, Findings, Result};
use crate::rules::{Profile, Ruleset};

/// How a command ended that did its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing to complain about but perhaps warnings.
    Clean,
    /// Error-level findings.
    Findings,
    /// What was compared differs.
    Different,
}

impl Outcome {
    /// The outcome that findings stand for.
    fn of(findings: &Findings) -> Outcome {
        if findings.errors() > 0 { Outcome::Findings } else { Outcome::Clean }
    }
}

/// The profile that was asked for, or the ruleset's default, which is its first.
fn profile<'a>(ruleset: &'a Ruleset, wanted: Option<&str>) -> Result<&'a Profile> {
    let known = &ruleset.library.profiles;
    let found = match wanted {
        Some(name) => ruleset.profile(name),
        None => known.first(),
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|profile| profile.name.as_str()).collect();
        let wanted = wanted.unwrap_or_default();
        Error::usage(format!("the ruleset ({}) has no profile `{wanted}`", ruleset.origin))
            .hint(format!("its profiles are {}", names.join(" and ")))
    })
}

/// A variable of the environment; one that is no text counts as not set.
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
