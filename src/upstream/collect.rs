//! Takes in the files of a source one by one and refuses what no release has: names that leave the
//! tree or collide, links, special files, sizes out of all proportion.

use std::collections::HashMap;
use std::sync::Arc;

use crate::finding::{Error, Result};
use crate::text::{Files, TreePath};

/// Largest file taken in, in bytes. The largest of any release is well under 1 MiB.
pub(super) const MAX_FILE: u64 = 16 << 20;
/// Most bytes taken in below the library root.
pub(super) const MAX_TOTAL: u64 = 256 << 20;
/// Most files, and most entries of any kind that are looked at below the library root.
pub(super) const MAX_ENTRIES: usize = 20_000;
/// Deepest nesting of folders below the library root.
pub(super) const MAX_DEPTH: usize = 32;

/// Collects the files of one library root.
pub(super) struct Collector {
    /// How errors name the root (`lib of commit 0123 in /src/it`).
    place: String,
    files: Files,
    /// Every path and every folder on the way to it, in lower case, with its true spelling.
    spellings: HashMap<String, Spelling>,
    total: u64,
    links: Vec<String>,
}

struct Spelling {
    path: String,
    is_file: bool,
}

impl Collector {
    pub(super) fn new(place: impl Into<String>) -> Collector {
        Collector {
            place: place.into(),
            files: Files::new(),
            spellings: HashMap::new(),
            total: 0,
            links: Vec::new(),
        }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// The files taken in so far.
    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    /// Whether a file was taken in.
    pub(super) fn has(&self, path: &TreePath) -> bool {
        self.files.contains_key(path)
    }

    /// Checks name and size of a file, before it is read. `path` is below the root.
    pub(super) fn admit(&mut self, path: &[u8], size: u64) -> Result<TreePath> {
        let path = self.name(path)?;
        self.fits(&path, size)?;
        self.claim(&path)?;
        Ok(path)
    }

    fn name(&self, path: &[u8]) -> Result<TreePath> {
        let shown = || format!("`{}` in {}", path.escape_ascii(), self.place);
        let text = std::str::from_utf8(path)
            .map_err(|_| Error::input(format!("the name {} is not UTF-8", shown())))?;
        let plain = TreePath::new(text).ok_or_else(|| {
            Error::input(format!("the name {} could lead out of the tree", shown()))
                .hint("no release has such a name: take the release from another source")
        })?;
        if text.split('/').count() > MAX_DEPTH {
            return Err(Error::input(format!("{} lies over {MAX_DEPTH} folders deep", shown())));
        }
        Ok(plain)
    }

    fn fits(&self, path: &TreePath, size: u64) -> Result<()> {
        let place = &self.place;
        if size > MAX_FILE {
            return Err(Error::input(format!(
                "`{path}` in {place} has {size} bytes; the limit is {} MiB a file",
                MAX_FILE >> 20
            )));
        }
        if self.total.saturating_add(size) > MAX_TOTAL {
            return Err(Error::input(format!(
                "the files of {place} exceed {} MiB in all at `{path}`",
                MAX_TOTAL >> 20
            )));
        }
        if self.files.len() >= MAX_ENTRIES {
            return Err(Error::input(format!("{place} holds over {MAX_ENTRIES} files")));
        }
        Ok(())
    }

    /// Two names that one file system folds into one would silently lose a file there.
    fn claim(&mut self, path: &TreePath) -> Result<()> {
        let text = path.as_str();
        let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
        for end in ends {
            let part = &text[..end];
            let is_file = end == text.len();
            let Some(other) = self.spellings.get(&part.to_lowercase()) else {
                let spelling = Spelling { path: part.to_owned(), is_file };
                self.spellings.insert(part.to_lowercase(), spelling);
                continue;
            };
            if other.path != part {
                return Err(Error::input(format!(
                    "`{}` and `{part}` in {} differ in case only and would be one file on some systems",
                    other.path, self.place
                )));
            }
            if is_file || other.is_file {
                return Err(Error::input(format!("`{part}` stands twice in {}", self.place)));
            }
        }
        Ok(())
    }

    /// Takes in the content of an admitted file; sources whose sizes are only claims are held to
    /// the limits here once more.
    pub(super) fn add(&mut self, path: TreePath, bytes: impl Into<Arc<[u8]>>) -> Result<()> {
        let bytes = bytes.into();
        self.fits(&path, bytes.len() as u64)?;
        self.total += bytes.len() as u64;
        self.files.insert(path, bytes);
        Ok(())
    }

    /// A symbolic link. Builds leave links to a neighbour (`libx.so -> libx.so.1`), which are left
    /// out; any other could lead anywhere and is refused. So is one that stands for a source: without
    /// it the library isn't whole.
    pub(super) fn link(&mut self, path: &[u8], target: &[u8]) -> Result<()> {
        let path = self.name(path)?;
        let neighbour = std::str::from_utf8(target)
            .ok()
            .and_then(TreePath::new)
            .is_some_and(|target| target.folder().is_empty());
        if !neighbour {
            let target = target.escape_ascii();
            return Err(Error::input(format!(
                "`{path}` in {} is a symbolic link to `{target}`, which is not followed",
                self.place
            ))
            .hint("put the file itself there, or take the release from another source"));
        }
        if path.is_source() {
            let target = target.escape_ascii();
            return Err(Error::input(format!(
                "`{path}` in {} is a symbolic link to `{target}`, and kernel trees hold no links to sources",
                self.place
            ))
            .hint(format!("put a file of its own there, or include `{target}` itself")));
        }
        self.claim(&path)?;
        if self.links.len() >= MAX_ENTRIES {
            return Err(Error::input(format!("{} holds over {MAX_ENTRIES} links", self.place)));
        }
        self.links.push(path.to_string());
        Ok(())
    }

    /// Anything that is neither file, folder nor symbolic link.
    pub(super) fn refuse(&self, path: &[u8], what: &str) -> Error {
        let path = path.escape_ascii();
        Error::input(format!("`{path}` in {} is {what}, not a file", self.place))
            .hint("no release has such a thing there: take the release from another source")
    }

    /// The files, and what was left out.
    pub(super) fn finish(self) -> (Files, Vec<String>) {
        let mut notes = Vec::new();
        if !self.links.is_empty() {
            let mut names = self.links;
            names.sort();
            let more = if names.len() > 5 { ", ..." } else { "" };
            names.truncate(5);
            notes.push(format!("symbolic links were left out: {}{more}", names.join(", ")));
        }
        (self.files, notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(collector: &mut Collector, path: &str) -> Result<()> {
        let path = collector.admit(path.as_bytes(), 1)?;
        collector.add(path, &b"x"[..])
    }

    fn said(result: Result<()>) -> String {
        result.unwrap_err().message
    }

    #[test]
    fn names_that_leave_the_tree_are_refused() {
        let mut all = Collector::new("lib");
        for bad in ["../x", "/etc/x", "a/../../x", "a\\x", "", "c:/x"] {
            assert!(said(put(&mut all, bad)).contains("lead out"), "{bad}");
        }
        assert!(all.admit(b"\xff", 1).unwrap_err().message.contains("UTF-8"));
        assert!(said(put(&mut all, &"a/".repeat(40))).contains("lead out"));
        assert!(said(put(&mut all, &format!("{}a", "a/".repeat(40)))).contains("deep"));
    }

    #[test]
    fn names_that_collide_are_refused() {
        let mut all = Collector::new("lib");
        put(&mut all, "common/Mem.h").unwrap();
        assert!(said(put(&mut all, "common/mem.h")).contains("differ in case"));
        assert!(said(put(&mut all, "Common/other.h")).contains("differ in case"));
        assert!(said(put(&mut all, "common/Mem.h")).contains("twice"));
        assert!(said(put(&mut all, "common")).contains("twice"));
        assert!(said(put(&mut all, "common/Mem.h/x")).contains("twice"));
        put(&mut all, "common/other.h").unwrap();
        assert_eq!(all.finish().0.len(), 2);
    }

    #[test]
    fn sizes_are_bounded() {
        let mut all = Collector::new("lib");
        let error = all.admit(b"big.c", MAX_FILE + 1).unwrap_err();
        assert!(error.message.contains("`big.c`") && error.message.contains("16 MiB"));
        all.total = MAX_TOTAL - 1;
        put(&mut all, "a").unwrap();
        assert!(said(put(&mut all, "b")).contains("256 MiB"));
    }

    #[test]
    fn only_links_to_neighbours_are_left_out() {
        let mut all = Collector::new("lib");
        all.link(b"x.so", b"x.so.1").unwrap();
        for bad in ["../x", "/etc/passwd", "a/b", "..", "."] {
            let error = all.link(b"y.h", bad.as_bytes()).unwrap_err();
            assert!(error.message.contains("symbolic link"), "{bad}");
        }
        for bad in ["x.h", "y.c", "a/entropy.S"] {
            let error = all.link(bad.as_bytes(), b"other.h").unwrap_err();
            let said = format!("`{bad}` in lib is a symbolic link to `other.h`, and kernel trees");
            assert!(error.message.starts_with(&said), "{}", error.message);
        }
        assert_eq!(all.finish().1, ["symbolic links were left out: x.so"]);
    }
}
