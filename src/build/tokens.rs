//! Whether the import says to the compiler what upstream says: the tokens that a preprocessor prints of
//! each file before and after, under settings drawn by chance from those that the rules leave open. The
//! program's own reading of the preprocessor has no part in it.

mod compare;
mod directives;
mod expectation;
mod printed;
mod settings;

use rayon::prelude::*;

use super::gather::Gathered;
use super::toolchain::Toolchain;
use super::workspace::Workspace;
use crate::check::Scope;
use crate::finding::{Finding, Result};
use crate::text::{LineIndex, Span};
use compare::{Difference, Equal};
use expectation::Expectation;

/// What was compared and found the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Compared {
    /// Files.
    pub(super) files: usize,
    /// Settings, over all files.
    pub(super) settings: usize,
    /// Tokens, over all settings.
    pub(super) tokens: usize,
}

/// Compares all files that come from upstream.
///
/// # Errors
/// The workspace can't be written.
pub(super) fn all(
    workspace: &Workspace<'_>,
    scope: Scope<'_>,
    toolchain: &Toolchain,
    draw: (usize, u64),
    gathered: &mut Gathered,
) -> Result<Compared> {
    let expectation = Expectation::new(scope);
    let top = workspace.folder("tokens")?;
    let compiler = || toolchain.bare(workspace);
    let files = scope.tree.files.values().enumerate().filter_map(|(number, file)| {
        let path = file.upstream.as_ref().filter(|_| file.template.is_none())?;
        Some((number, path, file))
    });
    let files: Vec<_> = files.collect();
    let results: Vec<_> = files
        .par_iter()
        .map(|(number, path, file)| {
            let folder = top.join(number.to_string());
            // A run of the preprocessor is short: it is between files that one may be stopped.
            let wanted = workspace.wanted().map_err(|error| error.message);
            let made = std::fs::create_dir(&folder).map_err(|error| error.to_string());
            let made = wanted.and(made);
            (file, made.map(|()| expectation.compare(path, file, draw, &compiler, &folder)))
        })
        .collect();
    let mut compared = Compared::default();
    for (file, result) in results {
        let result = result.map_err(crate::finding::Error::input)?;
        match result {
            Ok(Equal { settings, tokens }) => {
                compared.files += 1;
                compared.settings += settings;
                compared.tokens += tokens;
            }
            Err(difference) => {
                let finding = finding(file, &difference, toolchain, draw.1);
                gathered.add(finding, &difference.what, "");
            }
        }
    }
    Ok(compared)
}

fn finding(
    file: &crate::pipeline::OutputFile,
    difference: &Difference,
    toolchain: &Toolchain,
    seed: u64,
) -> Finding {
    let Difference { what, upstream, output, settings } = difference;
    let line = |bytes: &[u8], line: &Option<usize>| {
        let index = LineIndex::new(bytes);
        let start = index.line_start((*line)?)?;
        let end = index.line_start((*line)? + 1).map_or(bytes.len(), |next| next - 1);
        Some(Span::new(start, end.max(start)))
    };
    // The end of one file is no place where anything differs: then the other one's line is.
    let upstream = line(&file.source.bytes, upstream);
    let after = line(file.text.bytes(), output).map(|span| file.text.upstream_cover(span));
    let message = "the import says something else to the compiler than upstream does";
    let mut finding = Finding::error("token-stream", message).at(
        &file.source,
        upstream.or(after).unwrap_or_default(),
        what.clone(),
    );
    let hint = format!(
        "with {settings}, by {toolchain}, seed {seed}: a fault of a rule, or of this program"
    );
    finding.hint = Some(hint);
    finding
}
