//! The first step of a series: the release that is there, in the new form.

use super::{New, Step};
use crate::finding::Result;
use crate::letter::{item, wrapped};
use crate::linux::again::{self, Again};
use crate::linux::base::Base;
use crate::linux::carry::Carried;
use crate::text::Files;

/// What is there, by the rules of today.
///
/// # Errors
/// As for [`again::proved`].
pub(super) fn step(new: &New<'_>, before: &Files, base: &Base, carried: &Carried) -> Result<Step> {
    let again = again::proved(before, base, carried, (new.ruleset, new.profile))?;
    let (library, version) = (&new.ruleset.library.name, base.version);
    let opening = format!(
        "Write {library} {version}, which this tree holds, anew by the rules of profile {}. \
         Conditionals that a kernel build decides are folded; this tree's own changes stay, and so \
         do all files that don't come from upstream's.",
        new.profile.name
    );
    let mut parts = vec![wrapped(&opening, "")];
    parts.extend(proof(&again));
    parts.extend(unproved(&again));
    parts.push(wrapped(&closing(&again, new), ""));
    let what = match (again.unproved.is_empty(), again.rules.is_empty()) {
        (true, true) => ", no functional change",
        (true, false) => ", nothing but what rules say",
        (false, _) => "",
    };
    let subject = format!("{library}: re-import {version}{what}");
    Ok(Step { subject, body: parts.join("\n\n"), files: carried.reimport.clone() })
}

/// What was proved; nothing where nothing was.
fn proof(again: &Again) -> Option<String> {
    let figures = &again.figures;
    if figures.proved == 0 {
        return None;
    }
    let tokens = match again.rules.is_empty() {
        true => "the same tokens".to_owned(),
        false => {
            let rules: Vec<&str> = again.rules.iter().map(|rule| rule.as_str()).collect();
            format!("the same tokens, but for what rules say ({}),", rules.join(", "))
        }
    };
    Some(wrapped(
        &format!(
            "That a compiler is given {tokens} under the same conditions, {} of them before, with \
             what a kernel build fixes, is {}.",
            figures.conditions,
            figures.words()
        ),
        "",
    ))
}

/// The files that somebody has to read.
fn unproved(again: &Again) -> Option<String> {
    let files = again.unproved.iter().map(|(path, why)| item(&format!("{path}: {why}")));
    let files: Vec<String> = files.collect();
    (!files.is_empty()).then(|| format!("Not proved, to be read:\n\n{}", files.join("\n")))
}

fn closing(again: &Again, new: &New<'_>) -> String {
    let start = match again.unproved.is_empty() {
        true => "There is nothing to read here",
        false => "Beside these there is nothing to read here",
    };
    format!(
        "{start}: `kernelize verify` makes it again, with the proof. It keeps the next step, the \
         import of {}, free of changes that upstream didn't make.",
        new.release.version
    )
}
