//! `report merge`: the reports of a range's shards, joined.

use std::path::PathBuf;

use super::check::{self, View};
use super::{Outcome, output};
use crate::check::record;
use crate::finding::Result;
use crate::report::console::Console;

/// What is to be joined, and how the whole is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The reports.
    pub reports: Vec<PathBuf>,
    /// How the whole is shown.
    pub view: View,
}

/// Joins the reports. Where a part of the range is in none of them, the outcome is as bad as findings.
///
/// # Errors
/// One can't be read, or they are not of one range.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    plan.view.output.as_deref().map(output::writable).transpose()?;
    let records = plan.reports.iter().map(|path| check::read(path)).collect::<Result<Vec<_>>>()?;
    let whole = record::merge(records)?;
    for note in &whole.notes {
        console.note(note);
    }
    let shown = check::show(&whole, &plan.view, None, console)?;
    // A part that got lost on its way must not look like one without findings.
    Ok(if whole.commits.len() < whole.total { Outcome::Findings } else { shown })
}
