//! `report merge`: the reports of a range's shards, joined.

use std::path::PathBuf;

use super::Outcome;
use super::check::{self, View};
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

/// Joins the reports.
///
/// # Errors
/// One can't be read, or they are not of one range.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let records = plan.reports.iter().map(|path| check::read(path)).collect::<Result<Vec<_>>>()?;
    let whole = record::merge(records)?;
    for note in &whole.notes {
        console.note(note);
    }
    check::show(&whole, &plan.view, None, console)
}
