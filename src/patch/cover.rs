//! The letter that goes before a series.

use super::change::Change;
use super::mail::{Mail, mark};
use crate::finding::Result;

/// Columns of the list of patches.
const WIDTH: usize = 72;
/// Indent of a subject, and of its further lines.
const INDENT: (usize, usize) = (2, 4);

impl Mail {
    /// The letter for a series of patches with these subjects; `overall` is what they change together.
    ///
    /// # Errors
    /// The message has what a mail can't hold.
    pub fn render_cover(&self, overall: &Change, subjects: &[&str]) -> Result<Vec<u8>> {
        self.check()?;
        let mut out = self.head(&mark(0, subjects.len()))?;
        let text = self.text();
        if !text.is_empty() {
            out += &format!("{text}\n");
        }
        out += &format!("{} ({}):\n", self.author.name, subjects.len());
        for subject in subjects {
            wrap(&mut out, subject);
        }
        out += &format!("\n{}\n{}", overall.stat(), self.end());
        Ok(out.into_bytes())
    }
}

fn wrap(out: &mut String, text: &str) {
    out.push_str(&" ".repeat(INDENT.0));
    let mut column = INDENT.0;
    for (at, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(INDENT.1));
            column = INDENT.1;
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
}
