//! `rules list`, `rules check` and `rules show`.

use std::path::PathBuf;

use super::Outcome;
use crate::finding::Result;
use crate::kernel::template;
use crate::report::console::Console;
use crate::report::summary::{RuleRow, RuleTable};
use crate::rules::{self, RuleText, Ruleset};

/// What is wanted of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
    /// What to do with it.
    pub task: Task,
}

/// What to do with a ruleset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Task {
    /// List all rules.
    List,
    /// Say what is wrong with it.
    Check,
    /// Show the rules of this name.
    Show(String),
}

/// Does it.
///
/// # Errors
/// The ruleset can't be loaded, or has no such rule.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let folder = plan.rules.as_deref();
    match &plan.task {
        Task::List => console.rules(&table(&rules::load(folder)?))?,
        Task::Check => {
            let (ruleset, mut findings) = rules::check(folder)?;
            findings.extend(template::check(&ruleset));
            console.checked(&table(&ruleset), &findings)?;
            return Ok(Outcome::of(&findings));
        }
        Task::Show(id) => {
            let ruleset = rules::load(folder)?;
            let found = rules::show(&ruleset, id)?;
            let rows = found.iter().map(|found| row(&ruleset, &found.row)).collect();
            let sources: Vec<_> = found.iter().map(shown).collect();
            console.rule_files(&RuleTable { rules: rows, ..head(&ruleset) }, &sources)?;
        }
    }
    Ok(Outcome::Clean)
}

fn head(ruleset: &Ruleset) -> RuleTable {
    let (origin, digest) = (ruleset.origin.clone(), ruleset.digest.clone());
    RuleTable { origin, digest, rules: Vec::new() }
}

fn table(ruleset: &Ruleset) -> RuleTable {
    let rules = rules::list(ruleset).iter().map(|rule| row(ruleset, rule)).collect();
    RuleTable { rules, ..head(ruleset) }
}

fn row(ruleset: &Ruleset, rule: &rules::RuleRow) -> RuleRow {
    let name = format!("{}/{}", rule.kind, rule.id);
    let file = ruleset.rules().into_iter().find(|known| known.name.as_str() == name);
    RuleRow {
        file: file.map_or(String::new(), |known| known.source.name.clone()),
        rule: name,
        about: rule.about.clone(),
        when: rule.when.clone(),
        why: rule.why.clone(),
    }
}

/// A rule's file, with its fixture's place where a TOML reader doesn't mind.
fn shown(found: &RuleText) -> Vec<u8> {
    let mut text = format!("# {}\n", found.source.name).into_bytes();
    text.extend(format!("# shown by {}\n", found.fixture.display()).into_bytes());
    text.extend_from_slice(&found.source.bytes);
    text
}
