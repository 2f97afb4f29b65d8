//! The text of commits, tags and trees.

use git2::Oid;

/// Longest title, in bytes.
const MAX_TITLE: usize = 400;

/// What a commit says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commit {
    /// Its id.
    pub id: Oid,
    /// Its top tree.
    pub tree: Oid,
    /// The commits it stands on.
    pub parents: Vec<Oid>,
    /// When it was committed, in seconds since 1970 UTC.
    pub date: i64,
    /// First line of its message.
    pub title: String,
}

/// One line of a tree.
pub(super) struct TreeEntry {
    pub(super) mode: u32,
    pub(super) name: Vec<u8>,
    pub(super) id: Oid,
}

pub(super) fn commit(id: Oid, content: &[u8]) -> Option<Commit> {
    let mut lines = content.split(|&b| b == b'\n').map(|line| str_of(line));
    let tree = oid(lines.next()??.strip_prefix("tree ")?)?;
    let mut parents = Vec::new();
    for line in lines.take_while(|line| *line != Some("")) {
        // A name needn't be UTF-8; the date stands behind it.
        let Some(line) = line else { continue };
        if let Some(parent) = line.strip_prefix("parent ") {
            parents.push(oid(parent)?);
        }
    }
    Some(Commit { id, tree, parents, date: date(content)?, title: title(content) })
}

/// The first line behind the head that says something; no longer than anyone reads.
fn title(content: &[u8]) -> String {
    let message = memchr::memmem::find(content, b"\n\n").map_or(&[][..], |at| &content[at..]);
    let mut lines = message.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    String::from_utf8_lossy(&line[..line.len().min(MAX_TITLE)]).into_owned()
}

/// The date of the line `committer NAME <MAIL> SECONDS ZONE`.
fn date(content: &[u8]) -> Option<i64> {
    let head = content.split(|&b| b == b'\n').take_while(|line| !line.is_empty());
    let line = head.into_iter().find(|line| line.starts_with(b"committer "))?;
    let at = memchr::memrchr(b'>', line)?;
    str_of(&line[at + 1..])?.split_ascii_whitespace().next()?.parse().ok()
}

/// The object that an annotated tag stands on.
pub(super) fn tag_target(content: &[u8]) -> Option<Oid> {
    let line = content.split(|&b| b == b'\n').next()?;
    oid(str_of(line)?.strip_prefix("object ")?)
}

pub(super) fn tree(mut content: &[u8]) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    while !content.is_empty() {
        let blank = memchr::memchr(b' ', content)?;
        let mode = u32::from_str_radix(str_of(&content[..blank])?, 8).ok()?;
        let rest = &content[blank + 1..];
        let end = memchr::memchr(0, rest)?;
        let id = rest.get(end + 1..end + 21)?;
        entries.push(TreeEntry { mode, name: rest[..end].into(), id: Oid::from_bytes(id).ok()? });
        content = &rest[end + 21..];
    }
    Some(entries)
}

fn str_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn oid(text: &str) -> Option<Oid> {
    (text.len() == 40).then(|| Oid::from_str(text).ok())?
}
