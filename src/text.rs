//! Bytes, tree paths, spans and lines: the vocabulary of every other module.

mod hash;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

pub(crate) use hash::Quick;

/// Bytes as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The sha-256 of bytes, in hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).as_slice())
}

/// Largest file that is taken in, in bytes. Offsets are 32 bits wide, and a C source of this size is
/// never meant: the limit turns a mistake (a disk image, `/dev/zero`) into an error.
pub const MAX_FILE_BYTES: usize = 256 << 20;

/// A half-open range of byte offsets into one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`; both fit because files are at most [`MAX_FILE_BYTES`] long.
    pub fn new(start: usize, end: usize) -> Span {
        debug_assert!(start <= end, "{start}..{end}");
        Span { start: start as u32, end: end as u32 }
    }

    /// The empty span at `offset`.
    pub fn at(offset: usize) -> Span {
        Span::new(offset, offset)
    }

    /// The span as a range that slices bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether no byte is covered.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The smallest span that covers both.
    pub fn cover(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A path inside a source tree: relative, `/` between the parts, no `.`, `..`, empty part or control
/// character.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(Arc<str>);

impl TreePath {
    /// Checks `path`; `None` where it could leave the tree or isn't a plain path.
    pub fn new(path: &str) -> Option<TreePath> {
        let plain = |part: &str| {
            !part.is_empty()
                && part != "."
                && part != ".."
                && !part.contains(['\\', ':'])
                && !part.contains(char::is_control)
        };
        (!path.is_empty() && path.split('/').all(plain)).then(|| TreePath(path.into()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder part, without its last `/`; empty at the top.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The last part.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// What stands behind the last dot of the file name.
    pub fn extension(&self) -> Option<&str> {
        self.file_name().rsplit_once('.').map(|(_, extension)| extension)
    }

    /// Whether a compiler would want the file.
    pub fn is_source(&self) -> bool {
        matches!(self.extension(), Some("c" | "h" | "S"))
    }

    /// The file that a relative spelling names when read from this path's folder (`"../a.h"`);
    /// `None` where it would leave the tree.
    pub fn resolve(&self, spelling: &str) -> Option<TreePath> {
        let mut parts: Vec<&str> = self.folder().split('/').filter(|p| !p.is_empty()).collect();
        for part in spelling.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                name => parts.push(name),
            }
        }
        TreePath::new(&parts.join("/"))
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Files of a tree by path.
pub type Files = BTreeMap<TreePath, Arc<[u8]>>;

/// A line and column, both counted from 1; columns count bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Byte column, from 1.
    pub column: usize,
}

/// Byte offsets at which the lines of one text start.
#[derive(Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Indexes `bytes`; a line ends behind `\n`.
    pub fn new(bytes: &[u8]) -> LineIndex {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
        LineIndex { starts }
    }

    /// Line and column of `offset`.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|&start| start as usize <= offset);
        Position { line, column: offset - self.starts[line - 1] as usize + 1 }
    }

    /// Offset at which `line` (from 1) starts, if there is such a line.
    pub fn line_start(&self, line: usize) -> Option<usize> {
        self.starts.get(line.checked_sub(1)?).map(|&start| start as usize)
    }

    /// Number of lines; what stands behind the last `\n` counts even where it is empty.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }
}

/// One named text with its line index, made on first use; shared by findings and stages.
pub struct Source {
    /// How a user finds it: a path in the release, a file on disk, a rule file, `<stdin>`.
    pub name: String,
    /// The text, in whatever encoding it has.
    pub bytes: Arc<[u8]>,
    lines: OnceLock<LineIndex>,
}

/// The name and length: the text itself would drown whatever is printed.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.bytes.len())
    }
}

impl Source {
    /// Names a text.
    pub fn new(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Arc<Source> {
        Arc::new(Source { name: name.into(), bytes: bytes.into(), lines: OnceLock::new() })
    }

    /// The line index.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.bytes))
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        self.lines().position(offset as usize)
    }
}

/// The first bytes of words: most that a text has are ruled out by theirs.
pub(crate) fn first_bytes<'a>(words: impl Iterator<Item = &'a [u8]>) -> [bool; 256] {
    let mut first = [false; 256];
    words.filter_map(|word| word.first()).for_each(|&byte| first[usize::from(byte)] = true);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_climb_out_are_refused() {
        for bad in ["", "/a", "a//b", "../a", "a/..", "a/./b", "a\\b", "c:x", "a\0", "a\x1b[m"] {
            assert!(TreePath::new(bad).is_none(), "{bad:?}");
        }
        assert!(TreePath::new("a/b.c").is_some());
    }

    #[test]
    fn a_digest_is_written_in_lower_case_hex() {
        assert_eq!(hex(&[0, 0x0f, 0xa0, 0xff]), "000fa0ff");
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), empty);
    }

    #[test]
    fn spellings_resolve_to_files() {
        let from = TreePath::new("common/a.h").unwrap();
        assert_eq!(from.resolve("../z.h").unwrap().as_str(), "z.h");
        assert_eq!(from.resolve("./b.h").unwrap().as_str(), "common/b.h");
        assert!(from.resolve("../../z.h").is_none());
    }

    #[test]
    fn positions_count_from_one() {
        let index = LineIndex::new(b"ab\n\ncd");
        assert_eq!(index.position(0), Position { line: 1, column: 1 });
        assert_eq!(index.position(2), Position { line: 1, column: 3 });
        assert_eq!(index.position(5), Position { line: 3, column: 2 });
        assert_eq!(index.line_count(), 3);
    }
}
