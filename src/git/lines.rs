//! Which lines two texts differ in, by the algorithm of git itself.

use git2::{DiffOptions, ObjectType, Oid, Patch};

use crate::finding::{Error, Result};

/// Lines of context around a change.
const CONTEXT: u32 = 3;

/// Where a line of a hunk stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// In both texts.
    Both,
    /// In the old text only.
    Old,
    /// In the new text only.
    New,
}

/// Some lines that change, with those around them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk {
    /// First line and number of lines in the old text; for none, the line before.
    pub old: (usize, usize),
    /// The same in the new text.
    pub new: (usize, usize),
    /// Where each line stands.
    pub sides: Vec<Side>,
}

/// The hunks that make `new` from `old`.
///
/// # Errors
/// A text is larger than libgit2 compares.
pub fn changed_lines(old: &[u8], new: &[u8]) -> Result<Vec<Hunk>> {
    let fault = |error: git2::Error| Error::internal(format!("lines can't be compared: {error}"));
    let mut options = DiffOptions::new();
    options.context_lines(CONTEXT).interhunk_lines(0).indent_heuristic(true).force_text(true);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut options)).map_err(fault)?;
    let mut hunks = Vec::with_capacity(patch.num_hunks());
    for at in 0..patch.num_hunks() {
        let (header, lines) = patch.hunk(at).map_err(fault)?;
        let mut hunk = Hunk {
            old: (header.old_start() as usize, header.old_lines() as usize),
            new: (header.new_start() as usize, header.new_lines() as usize),
            sides: Vec::with_capacity(lines),
        };
        for line in 0..lines {
            match patch.line_in_hunk(at, line).map_err(fault)?.origin() {
                ' ' => hunk.sides.push(Side::Both),
                '-' => hunk.sides.push(Side::Old),
                '+' => hunk.sides.push(Side::New),
                // Remarks about a missing end of line.
                _ => {}
            }
        }
        hunks.push(hunk);
    }
    Ok(hunks)
}

/// The id that git gives a file.
///
/// # Errors
/// None that is known of: hashing bytes in memory doesn't fail.
pub fn file_id(content: &[u8]) -> Result<Oid> {
    Oid::hash_object(ObjectType::Blob, content)
        .map_err(|error| Error::internal(format!("a file can't be hashed: {error}")))
}
