//! Builds the import in a Linux tree, by that tree's own makefiles and with its headers.

use std::path::Path;

use super::gather::Gathered;
use super::workspace::Workspace;
use crate::finding::Result;

/// Builds the library there.
///
/// # Errors
/// The tree can't be read.
pub(super) fn all(
    _workspace: &Workspace<'_>,
    linux: &Path,
    _gathered: &mut Gathered,
) -> Result<Vec<String>> {
    Ok(vec![format!("not built in {}", linux.display())])
}
