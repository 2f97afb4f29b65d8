//! Where two patches start to differ: what a reader of an edited one wants to see.

use std::fmt;

/// A part of a patch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// The lines above the message.
    Head,
    /// Message and trailers.
    Message,
    /// The table of changed files.
    Table,
    /// The changes of a file.
    File {
        /// The names of the file before and after, as the patch spells them.
        names: String,
        /// The hunk, from 1; 0 above the first.
        hunk: usize,
        /// In a hunk, the line of the new file.
        line: Option<usize>,
    },
    /// What stands below the changes.
    End,
}

/// The first line in which two patches differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Its number, from 1.
    pub line: usize,
    /// What it is a part of, in the patch as it should be.
    pub part: Part,
    /// The line as it is; `None` where the patch has ended.
    pub given: Option<String>,
    /// The line as it should be; `None` where the patch should have ended.
    pub expected: Option<String>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Head => f.write_str("the head of the mail"),
            Part::Message => f.write_str("the message"),
            Part::Table => f.write_str("the table of changed files"),
            Part::File { names, hunk: 0, .. } => write!(f, "the head of the changes of {names}"),
            Part::File { names, hunk, line: None } => write!(f, "hunk {hunk} of {names}"),
            Part::File { names, hunk, line: Some(line) } => {
                write!(f, "hunk {hunk} of {names}, line {line} of the new file")
            }
            Part::End => f.write_str("the lines below the changes"),
        }
    }
}

/// Where `given` leaves `expected`, which is a patch that this program made; `None` where both are
/// equal byte for byte.
pub fn first_difference(given: &[u8], expected: &[u8]) -> Option<Difference> {
    let mut given = given.split_inclusive(|&b| b == b'\n');
    let mut expected = expected.split_inclusive(|&b| b == b'\n');
    let mut place = Place { part: Part::Head, left: (0, 0), next_line: 0 };
    for line in 1.. {
        let (one, other) = (given.next(), expected.next());
        if one.is_none() && other.is_none() {
            break;
        }
        place.enter(other.unwrap_or_default());
        if one != other {
            let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
            let part = place.part;
            return Some(Difference {
                line,
                part,
                given: one.map(text),
                expected: other.map(text),
            });
        }
    }
    None
}

struct Place {
    part: Part,
    /// Lines of the old and the new file that the hunk still has.
    left: (usize, usize),
    /// The line of the new file that comes next.
    next_line: usize,
}

impl Place {
    /// Goes to the part that `text` belongs to.
    fn enter(&mut self, text: &[u8]) {
        let names = text.strip_prefix(b"diff --git ");
        match &mut self.part {
            Part::File { line, .. } if self.left != (0, 0) => {
                let (old, new) = match text.first() {
                    Some(b'-') => (1, 0),
                    Some(b'+') => (0, 1),
                    Some(b'\\') => (0, 0),
                    _ => (1, 1),
                };
                *line = Some(self.next_line);
                self.next_line += new;
                self.left = (self.left.0.saturating_sub(old), self.left.1.saturating_sub(new));
            }
            Part::File { hunk, line, .. } if text.starts_with(b"@@ ") => {
                *hunk += 1;
                *line = None;
                if let Some(((_, old), (start, new))) =
                    super::apply::ranges_of(text.trim_ascii_end())
                {
                    (self.left, self.next_line) = ((old, new), start);
                }
            }
            Part::Table | Part::File { .. } if names.is_some() => {
                let names =
                    String::from_utf8_lossy(names.unwrap_or_default()).trim_end().to_owned();
                self.part = Part::File { names, hunk: 0, line: None };
            }
            Part::File { .. } if text == b"-- \n" => self.part = Part::End,
            Part::Message if text == b"---\n" => self.part = Part::Table,
            _ => {}
        }
        if self.part == Part::Head && text == b"\n" {
            self.part = Part::Message;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "From: a\n\nbody\n---\n f | 2 +\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n\
        @@ -8,2 +8,2 @@\n 8\n-- \n+9\n@@ -20 +20 @@\n-x\n+y\n-- \ntool\n";

    #[test]
    fn the_first_edit_is_placed() {
        assert_eq!(first_difference(PATCH.as_bytes(), PATCH.as_bytes()), None);
        for (from, to, expected) in [
            ("From: a", "From: b", "1: the head of the mail"),
            ("body", "bodies", "3: the message"),
            ("f | 2", "f | 3", "5: the table of changed files"),
            ("--- a/f", "--- a/g", "8: the head of the changes of a/f b/f"),
            ("@@ -8", "@@ -7", "10: hunk 1 of a/f b/f"),
            (" 8\n", "\n", "11: hunk 1 of a/f b/f, line 8 of the new file"),
            ("+9\n", "+9 \n", "13: hunk 1 of a/f b/f, line 9 of the new file"),
            ("+9\n", "+9\r\n", "13: hunk 1 of a/f b/f, line 9 of the new file"),
            ("+y", "+z", "16: hunk 2 of a/f b/f, line 20 of the new file"),
            ("tool\n", "tool", "18: the lines below the changes"),
        ] {
            let edited = PATCH.replacen(from, to, 1);
            let found = first_difference(edited.as_bytes(), PATCH.as_bytes()).unwrap();
            assert_eq!(format!("{}: {}", found.line, found.part), expected);
        }
        let longer = format!("{PATCH}\n");
        let found = first_difference(longer.as_bytes(), PATCH.as_bytes()).unwrap();
        assert_eq!((found.line, found.given.as_deref(), found.expected), (19, Some("\n"), None));
        for length in 0..PATCH.len() {
            let found = first_difference(&PATCH.as_bytes()[..length], PATCH.as_bytes());
            assert_eq!(found.unwrap().line, PATCH[..length].matches('\n').count() + 1);
        }
    }
}
