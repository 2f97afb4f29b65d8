//! `man`: the manual pages of all commands.

use std::fs;
use std::path::PathBuf;

use super::{Outcome, output};
use crate::finding::Result;
use crate::report::console::Console;

/// What is to be written where.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The folder; it is made if need be.
    pub folder: PathBuf,
    /// File names with their content.
    pub pages: Vec<(String, Vec<u8>)>,
}

/// Writes the pages; older ones of the same name are replaced.
///
/// # Errors
/// The folder can't be made or written.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    fs::create_dir_all(&plan.folder)
        .map_err(|e| output::error("can't be made", &plan.folder, &e))?;
    for (name, page) in &plan.pages {
        let path = plan.folder.join(name);
        fs::write(&path, page).map_err(|e| output::error("can't be written", &path, &e))?;
    }
    let folder = plan.folder.display();
    console.note(&format!("{} manual pages are in {folder}", plan.pages.len()));
    Ok(Outcome::Clean)
}
