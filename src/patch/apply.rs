//! Applies a patch to files in memory. Every line must stand where the patch says: this checks what
//! was written, and shifts nothing.

use std::sync::Arc;

use super::quote;
use crate::finding::{Error, Result};
use crate::git::file_id;
use crate::text::{Files, LineIndex, TreePath};

/// Applies all changes in `patch`, a mail or bare diff, to `base`.
///
/// # Errors
/// A file isn't as the patch says; the error has its path and hunk.
pub fn apply(patch: &[u8], base: &Files) -> Result<Files> {
    applied(patch, base, true)
}

/// The same for a patch that was edited since: the ids of files that it names are passed over.
///
/// # Errors
/// As for [`apply`].
pub fn apply_edited(patch: &[u8], base: &Files) -> Result<Files> {
    applied(patch, base, false)
}

fn applied(patch: &[u8], base: &Files, checks_ids: bool) -> Result<Files> {
    let mut files = base.clone();
    let mut reader = Reader { lines: patch.split_inclusive(|&b| b == b'\n').collect(), at: 0 };
    let mut found = Vec::new();
    while reader.find(b"diff --git ") {
        let section = Section::read(&mut reader)?;
        let ids = section.ids.clone().filter(|_| checks_ids);
        found.push(Section { ids, ..section });
    }
    // First all that goes, since a renamed file may take the place of another.
    let mut results = Vec::new();
    for section in &found {
        results.push(section.result(&reader, base)?);
    }
    for path in found.iter().filter_map(|section| section.old.as_ref()) {
        files.remove(path);
    }
    for (section, result) in found.iter().zip(results) {
        let Some((path, bytes)) = section.new.as_ref().zip(result) else { continue };
        if files.insert(path.clone(), bytes).is_some() {
            return Err(Error::input(format!("the patch makes `{path}`, which is there already")));
        }
    }
    Ok(files)
}

struct Reader<'p> {
    lines: Vec<&'p [u8]>,
    at: usize,
}

impl<'p> Reader<'p> {
    fn next(&mut self) -> Option<&'p [u8]> {
        let line = self.lines.get(self.at)?;
        self.at += 1;
        Some(line)
    }

    fn peek(&self) -> &'p [u8] {
        self.lines.get(self.at).copied().unwrap_or_default()
    }

    /// Goes to the next line that starts so.
    fn find(&mut self, start: &[u8]) -> bool {
        while self.at < self.lines.len() && !self.peek().starts_with(start) {
            self.at += 1;
        }
        self.at < self.lines.len()
    }

    fn error(&self, line: usize, what: &str) -> Error {
        Error::input(format!("line {} of the patch: {what}", line + 1))
            .hint("the patch was changed after it was written, or is not of this program")
    }
}

/// The changes of one file.
struct Section {
    old: Option<TreePath>,
    new: Option<TreePath>,
    /// First digits of the ids before and after.
    ids: Option<(String, String)>,
    hunks: Vec<Range>,
}

/// A hunk: the lines it takes from the patch and where it goes.
struct Range {
    first: usize,
    end: usize,
    old_start: usize,
    old_count: usize,
}

impl Section {
    fn read(reader: &mut Reader<'_>) -> Result<Section> {
        let first = reader.at;
        let line = reader.next().unwrap_or_default();
        let names = &trimmed(line)[b"diff --git ".len()..];
        let (old, new) = names_of(names)
            .ok_or_else(|| reader.error(first, "it names no two files of a tree"))?;
        let mut section = Section { old: Some(old), new: Some(new), ids: None, hunks: Vec::new() };
        while let Some(line) = reader.lines.get(reader.at) {
            let line = trimmed(line);
            if line.starts_with(b"new file mode ") {
                section.old = None;
            } else if line.starts_with(b"deleted file mode ") {
                section.new = None;
            } else if let Some(ids) = line.strip_prefix(b"index ") {
                section.ids = ids_of(ids);
            } else if let Some(path) = line.strip_prefix(b"rename from ") {
                section.old = path_of(path, b"");
            } else if let Some(path) = line.strip_prefix(b"rename to ") {
                section.new = path_of(path, b"");
            } else if line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files ") {
                return Err(reader.error(reader.at, "binary changes can't be applied"));
            } else if line.starts_with(b"@@ ") {
                section.hunks.push(Range::read(reader)?);
                continue;
            } else if ![&b"--- "[..], b"+++ ", b"similarity index ", b"old mode ", b"new mode "]
                .iter()
                .any(|start| line.starts_with(start))
            {
                break;
            }
            reader.at += 1;
        }
        Ok(section)
    }

    /// The path in errors.
    fn path(&self) -> String {
        self.new.as_ref().or(self.old.as_ref()).map_or(String::new(), TreePath::to_string)
    }

    fn result(&self, reader: &Reader<'_>, base: &Files) -> Result<Option<Arc<[u8]>>> {
        let before: Arc<[u8]> = match &self.old {
            None => Arc::default(),
            Some(path) => base.get(path).cloned().ok_or_else(|| {
                Error::input(format!("the patch changes `{path}`, which isn't there"))
            })?,
        };
        self.check_id(&before, true)?;
        let after = self.hunked(reader, &before)?;
        match self.new {
            Some(_) => self.check_id(&after, false)?,
            None if !after.is_empty() => {
                let path = self.path();
                return Err(Error::input(format!(
                    "the patch deletes `{path}`, of which more is there"
                )));
            }
            None => return Ok(None),
        }
        Ok(Some(after.into()))
    }

    fn check_id(&self, bytes: &[u8], is_before: bool) -> Result<()> {
        let Some((before, after)) = &self.ids else { return Ok(()) };
        let (digits, when) = if is_before { (before, "before") } else { (after, "after") };
        let is_none = digits.bytes().all(|b| b == b'0') && self.old.is_none() == is_before;
        if is_none || file_id(bytes)?.to_string().starts_with(digits.as_str()) {
            return Ok(());
        }
        let path = self.path();
        Err(Error::input(format!(
            "`{path}` {when} the patch is not the file {digits} that it names"
        ))
        .hint("the patch is for other files, or was changed after it was written"))
    }

    fn hunked(&self, reader: &Reader<'_>, before: &[u8]) -> Result<Vec<u8>> {
        let index = LineIndex::new(before);
        let start_of = |line: usize| index.line_start(line).unwrap_or(before.len());
        let mut out = Vec::with_capacity(before.len());
        let mut done = 0;
        for (number, hunk) in self.hunks.iter().enumerate() {
            let misfit = |line: usize| {
                let path = self.path();
                reader.error(line, &format!("hunk {} of `{path}` doesn't fit there", number + 1))
            };
            let first = hunk.old_start + usize::from(hunk.old_count == 0);
            let start = start_of(first);
            if start < done || first > index.line_count() {
                return Err(misfit(hunk.first));
            }
            out.extend_from_slice(&before[done..start]);
            let mut at = start;
            for number in hunk.first + 1..hunk.end {
                let Some((&sign, line)) = reader.lines[number].split_first() else { continue };
                let cut = reader.lines.get(number + 1).is_some_and(|next| next.starts_with(b"\\"));
                let line = match (cut, line.strip_suffix(b"\n")) {
                    (true, Some(text)) => text,
                    (false, Some(_)) => line,
                    (_, None) => return Err(misfit(number)),
                };
                if sign == b' ' || sign == b'-' {
                    at += line.len();
                    let fits = before[..at.min(before.len())].ends_with(line);
                    if !fits || at > before.len() || (cut && at < before.len()) {
                        return Err(misfit(number));
                    }
                }
                if sign == b' ' || sign == b'+' {
                    out.extend_from_slice(line);
                }
            }
            done = at;
        }
        out.extend_from_slice(&before[done..]);
        Ok(out)
    }
}

impl Range {
    fn read(reader: &mut Reader<'_>) -> Result<Range> {
        let first = reader.at;
        let line = trimmed(reader.next().unwrap_or_default());
        let ranges = ranges_of(line).ok_or_else(|| reader.error(first, "it heads no hunk"))?;
        let ((old_start, old_count), (_, new_count)) = ranges;
        let (mut old, mut new) = (0, 0);
        while old < old_count || new < new_count {
            let number = reader.at;
            match reader.next().and_then(|line| line.first()) {
                Some(b' ') => (old, new) = (old + 1, new + 1),
                Some(b'-') => old += 1,
                Some(b'+') => new += 1,
                Some(b'\\') => {}
                Some(_) => return Err(reader.error(number, "it belongs to no hunk")),
                None => return Err(reader.error(number, "the patch ends in a hunk")),
            }
        }
        if (old, new) != (old_count, new_count) {
            return Err(reader.error(first, "the hunk has other lines than its head says"));
        }
        if reader.peek().starts_with(b"\\") {
            reader.at += 1;
        }
        Ok(Range { first, end: reader.at, old_start, old_count })
    }
}

fn trimmed(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The paths in `a/PATH b/PATH`; where both are one and hold blanks, the middle parts them.
fn names_of(text: &[u8]) -> Option<(TreePath, TreePath)> {
    let both = |at: usize| Some((path_of(&text[..at], b"a/")?, path_of(&text[at + 1..], b"b/")?));
    let blanks = || memchr::memchr_iter(b' ', text);
    let equal = blanks().find(|&at| at * 2 + 1 == text.len()).and_then(both);
    equal.or_else(|| blanks().find_map(both))
}

fn path_of(text: &[u8], prefix: &[u8]) -> Option<TreePath> {
    let name = quote::unquoted(text)?;
    TreePath::new(std::str::from_utf8(name.strip_prefix(prefix)?).ok()?)
}

/// `abc..def 100644`.
fn ids_of(text: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(text).ok()?.split(' ').next()?;
    let (before, after) = text.split_once("..")?;
    Some((before.to_owned(), after.to_owned()))
}

type Pair = (usize, usize);

/// `@@ -1,2 +3 @@ ...`.
pub(super) fn ranges_of(line: &[u8]) -> Option<(Pair, Pair)> {
    let text = String::from_utf8_lossy(line);
    let mut parts = text.strip_prefix("@@ ")?.split(' ');
    let pair = |part: &str, sign: char| {
        let part = part.strip_prefix(sign)?;
        let (start, count) = part.split_once(',').unwrap_or((part, "1"));
        let number = |text: &str| text.parse::<u32>().ok().map(|n| n as usize);
        Some((number(start)?, number(count)?))
    };
    let ranges = (pair(parts.next()?, '-')?, pair(parts.next()?, '+')?);
    (parts.next()? == "@@").then_some(ranges)
}
