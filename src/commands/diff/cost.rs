//! What both sides cost, where they are to be built.

use crate::build::Compilers;
use crate::build::cost::{self, Costs, Request};
use crate::commands::signals::Signals;
use crate::compare::Form;
use crate::compare::cost::Cost;
use crate::finding::Result;
use crate::report::console::Console;
use crate::rules::Ruleset;

/// Builds both sides. A signal ends it, and this program, when all that it has made is gone.
///
/// # Errors
/// As for [`cost::run`].
pub(super) fn measure(
    [old, new]: [(&str, &Form); 2],
    ruleset: &Ruleset,
    jobs: Option<usize>,
    console: &Console,
) -> Result<Option<Cost>> {
    let forms = [(old.0, &old.1.files), (new.0, &new.1.files)];
    // What is the same is measured once.
    let equal = old.1.files == new.1.files;
    let signals = Signals::hold();
    let request = Request {
        forms: if equal { &forms[1..] } else { &forms },
        ruleset,
        compilers: Compilers::All,
        jobs: jobs.unwrap_or(0),
        interrupted: &|| signals.caught(),
    };
    let progress = console.progress();
    let mut costs: Costs = cost::run(&request, &progress)?;
    if equal {
        costs.forms.extend(costs.forms.clone());
    }
    Ok(Cost::of(&costs))
}
