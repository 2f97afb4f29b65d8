//! The mechanical remedies, as a patch against upstream.

use std::path::Path;

use super::setting::Setting;
use crate::check::suggest::suggest;
use crate::commands::output;
use crate::finding::Result;
use crate::patch::Change;
use crate::report::console::Console;
use crate::upstream::Release;

/// Writes the patch; an empty one where nothing has a remedy.
pub(super) fn write(
    path: &Path,
    setting: &Setting<'_>,
    release: &Release,
    console: &mut Console,
) -> Result<()> {
    let findings = setting.check(release)?.findings.sorted();
    let suggestion = suggest(&findings);
    let change = Change::between(&suggestion.before, &suggestion.after)?;
    output::write_file(path, &change.text())?;
    let (taken, files) = (suggestion.taken.len(), change.files().len());
    let shown = path.display();
    let counted = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    let (taken, files) = (counted(taken, "finding"), counted(files, "file"));
    console.note(&format!("{shown}: remedies for {taken}, in {files}"));
    for left in &suggestion.left_out {
        let message = findings.get(left.finding).map_or("", |finding| &finding.message);
        console.note(&format!("{shown} leaves one out, for `{message}`: {}", left.reason));
    }
    Ok(())
}
