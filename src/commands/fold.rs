//! `fold`: the partial preprocessor alone, from files to standard output.

use super::Outcome;
use super::read::{self, Input};
use crate::finding::{Findings, Result};
use crate::preprocess::fold_text;
use crate::preprocess::settings::Settings;
use crate::report::console::Console;
use crate::rules::Simplify;

/// What is to be folded, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Macros that are defined, with their value where it is known.
    pub defines: Vec<(String, Option<String>)>,
    /// Macros that are not defined.
    pub undefines: Vec<String>,
    /// How far conditions are shortened.
    pub simplify: Simplify,
    /// The texts; their results follow each other.
    pub inputs: Vec<Input>,
}

/// Folds each input in turn. Where conditionals don't balance, nothing is written for that input.
///
/// # Errors
/// A setting is wrong, or an input can't be read.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let settings = Settings::from_flags(&plan.defines, &plan.undefines, plan.simplify)?;
    let mut findings = Findings::default();
    for input in &plan.inputs {
        let source = read::source(input)?;
        let (text, found) = fold_text(&source, &settings)?;
        findings.extend(found);
        if let Some(text) = text {
            console.output(text.bytes())?;
        }
    }
    console.findings(&findings);
    Ok(Outcome::of(&findings))
}
