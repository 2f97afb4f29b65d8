//! The outcome, to where it was asked for.

use std::time::Duration;

use super::{View, outcome};
use crate::check::record::Record;
use crate::commands::{Outcome, output};
use crate::finding::Result;
use crate::report::check::{self, Shown};
use crate::report::console::{Console, Format};

/// Writes the file, if one is wanted, and shows the rest.
pub(in crate::commands) fn show(
    record: &Record,
    view: &View,
    elapsed: Option<Duration>,
    console: &mut Console,
) -> Result<Outcome> {
    let shown = Shown { max_findings: view.max_findings, elapsed };
    let format = match &view.output {
        Some(path) => {
            output::write_file(path, check::document(record, view.format, shown).as_bytes())?;
            Format::Text
        }
        None => view.format,
    };
    console.check(record, format, shown)?;
    Ok(outcome(record))
}
