//! Which rules made the changed lines of a file.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::paint::Paint;
use super::visible::one_line;

/// One line of a result that rules made, changed, or deleted something at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedLine {
    /// Number of the line in the result, from 1.
    pub line: usize,
    /// The text it now has, without line end.
    pub text: String,
    /// Name of the upstream file.
    pub upstream: String,
    /// The upstream lines that it stands for.
    pub upstream_lines: RangeInclusive<usize>,
    /// The rules at work, in order.
    pub rules: Vec<ChangedBy>,
}

/// One rule at work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedBy {
    /// `kind/id`.
    pub rule: String,
    /// The rule's file, where one is known.
    pub file: String,
}

/// One line of text for each changed line.
pub(super) fn text(lines: &[ChangedLine], paint: Paint) -> String {
    let mut out = String::new();
    for line in lines {
        let (first, last) = (line.upstream_lines.start(), line.upstream_lines.end());
        let range = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let place = format!("{}:{range}:", one_line(&line.upstream));
        let rules: Vec<&str> = line.rules.iter().map(|by| by.file.as_str()).collect();
        // Writing to a string can't fail.
        let _ = writeln!(
            out,
            "{} line {}: {}: {}",
            paint.bold(&place),
            line.line,
            paint.hint(&one_line(&rules.join(", "))),
            one_line(&line.text),
        );
    }
    out
}
