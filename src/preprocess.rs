//! The partial preprocessor: drops the branches that settings decide and shortens conditions.

pub mod condition;
pub mod constant;
pub mod fold;
pub mod groups;
pub mod hardwired;
mod indent;
pub mod lexer;
pub mod settings;
#[cfg(test)]
mod tests;
pub mod value;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::edit::Traced;
use crate::finding::{Error, Findings, Result};
use crate::text::Source;

use fold::fold;
use settings::Settings;

/// Folds one text on its own. `None` where its conditionals don't balance.
///
/// Findings: conditionals that don't balance, a comment that never closes, a hard-wired macro that
/// the text defines otherwise, a hard-wired macro that is used though its definition went; and as a
/// warning a hard-wired macro left in a condition that needed its value.
///
/// # Errors
/// Two edits overlap, which is a fault of this program.
pub fn fold_text(source: &Arc<Source>, settings: &Settings) -> Result<(Option<Traced>, Findings)> {
    let mut folded = fold(source, settings);
    let mut findings = std::mem::take(&mut folded.findings);
    if !folded.balanced {
        return Ok((None, findings));
    }
    findings.extend(hardwired::left_over(source, &folded, settings));
    let edits = std::mem::take(&mut folded.edits);
    let text = Traced::new(Arc::clone(&source.bytes)).apply(edits).map_err(|overlap| {
        Error::internal(format!("edits overlap in {}: {overlap:?}", source.name))
    })?;
    let name = |id: usize| settings.entry(id).name.as_bytes();
    let lost: BTreeSet<&[u8]> = folded
        .dropped
        .iter()
        .filter(|d| !folded.kept.contains(&d.entry))
        .map(|d| name(d.entry))
        .collect();
    let dropped = |word: &[u8]| {
        let definition = folded.dropped.iter().find(|d| name(d.entry) == word)?;
        Some((Arc::clone(source), definition.name))
    };
    findings.extend(hardwired::lost_definitions(source, &text, &lost, dropped));
    Ok((Some(text), findings))
}
