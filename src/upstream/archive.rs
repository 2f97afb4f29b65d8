//! Release archives: tar, packed with gzip, zstd or xz, told apart by their first bytes.
//!
//! The archive is read as a stream, each step with a bound, so that one that unpacks to far more than
//! a release ends in an error and not in all memory used.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use tar::{Entry, EntryType};

use super::collect::{Collector, MAX_FILE};
use super::version::below_root;
use crate::finding::{Error, Result};
use crate::rules::Library;
use crate::text::TreePath;

/// Largest archive read, in bytes.
const MAX_ARCHIVE: u64 = 256 << 20;
/// Most bytes that an archive may unpack to, everything in it counted.
const MAX_UNPACKED: u64 = 512 << 20;
/// Largest window or dictionary of a decoder, in bytes; releases are packed with 8 MiB at most.
const MAX_WINDOW: u64 = 64 << 20;
/// Unit of a tar file, in bytes; it ends in one that is all zeros.
const TAR_BLOCK: usize = 512;
/// Folders of the name of the library root that are looked into.
const MAX_ROOTS: usize = 64;

/// Reads the library of an archive; gives the archive's sha-256 in hex too.
pub(super) fn read(path: &Path, library: &Library) -> Result<(Collector, String)> {
    let shown = path.display();
    let fail = |error: &io::Error| Error::input(format!("{shown} can't be read: {error}"));
    let file = File::open(path).map_err(|error| fail(&error))?;
    let size = file.metadata().map_err(|error| fail(&error))?.len();
    if size > MAX_ARCHIVE {
        let limit = MAX_ARCHIVE >> 20;
        return Err(Error::input(format!("{shown} has {size} bytes; the limit is {limit} MiB")));
    }
    let mut input = Hashing { inner: file.take(MAX_ARCHIVE), hash: Sha256::new() };
    let roots = {
        let unpacked = unpack(BufReader::new(&mut input), &shown.to_string())?;
        Roots::gather(unpacked, library, &shown.to_string())?
    };
    // Whatever the decoder left behind belongs to the digest.
    io::copy(&mut input, &mut io::sink()).map_err(|error| fail(&error))?;
    let digest = input.hash.finalize();
    let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((roots.choose(library, &shown.to_string())?, digest))
}

/// Picks the decoder by the first bytes.
fn unpack<'r>(mut input: impl BufRead + 'r, shown: &str) -> Result<Box<dyn Read + 'r>> {
    let unknown = |what: &str| {
        Error::input(format!("{shown} is {what}")).hint(
            "a release archive is .tar, .tar.gz, .tar.zst or .tar.xz; unpack others to a folder",
        )
    };
    let start = input
        .fill_buf()
        .map_err(|error| Error::input(format!("{shown} can't be read: {error}")))?;
    Ok(match start {
        [] => return Err(unknown("an empty file")),
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(input)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            Box::new(ZstdFrames::new(input))
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            Box::new(lzma_rust2::XzReader::new_mem_limit(input, true, (MAX_WINDOW >> 10) as u32))
        }
        [b'P', b'K', ..] => return Err(unknown("a zip archive")),
        [b'B', b'Z', b'h', ..] => return Err(unknown("packed with bzip2")),
        _ if start.get(257..262) == Some(b"ustar") => Box::new(input),
        _ => return Err(unknown("no tar archive")),
    })
}

/// All frames of a zstd file, one after the other, each with its checksum held against the data.
struct ZstdFrames<R> {
    input: R,
    decoder: ruzstd::decoding::FrameDecoder,
    inside: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    fn new(input: R) -> ZstdFrames<R> {
        let mut decoder = ruzstd::decoding::FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        ZstdFrames { input, decoder, inside: false }
    }

    /// Starts the next frame; `false` at the end of the file.
    fn enter_frame(&mut self) -> io::Result<bool> {
        use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.input) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = &mut Read::by_ref(&mut self.input).take(length.into());
                    io::copy(skipped, &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }

    fn leave_frame(&mut self) -> io::Result<()> {
        self.inside = false;
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "checksum mismatch"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use ruzstd::decoding::BlockDecodingStrategy::UptoBlocks;
        loop {
            if !self.inside {
                self.inside = self.enter_frame()?;
                if !self.inside {
                    return Ok(0);
                }
            }
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.decoder.is_finished() {
                self.leave_frame()?;
                continue;
            }
            self.decoder.decode_blocks(&mut self.input, UptoBlocks(1)).map_err(io::Error::other)?;
        }
    }
}

/// Passes bytes through and takes their digest.
struct Hashing<R> {
    inner: R,
    hash: Sha256,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.hash.update(&buffer[..length]);
        Ok(length)
    }
}

/// Ends with an error past a bound, and knows whether the stream ended in zeros, as tar must.
struct Bounded<R> {
    inner: R,
    left: u64,
    zeros: usize,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(length as u64).ok_or_else(|| {
            io::Error::other(format!("it unpacks to over {} MiB", MAX_UNPACKED >> 20))
        })?;
        // The last bytes say enough, and a bomb has hundreds of MiB of zeros to count.
        let tail = &buffer[length.saturating_sub(TAR_BLOCK)..length];
        match tail.iter().rev().position(|&byte| byte != 0) {
            Some(zeros) => self.zeros = zeros,
            None => self.zeros = self.zeros.saturating_add(tail.len()),
        }
        Ok(length)
    }
}

/// The folders of an archive that could be the library root, by the path of what holds them.
struct Roots {
    by_top: BTreeMap<String, Root>,
}

struct Root {
    collector: Collector,
    /// The first thing wrong in it; it only matters where this root is the one.
    error: Option<Error>,
}

impl Roots {
    fn gather(unpacked: impl Read, library: &Library, shown: &str) -> Result<Roots> {
        let mut stream = Bounded { inner: unpacked, left: MAX_UNPACKED, zeros: 0 };
        let mut roots = Roots { by_top: BTreeMap::new() };
        let mut last = String::from("its start");
        let damaged = |error: &io::Error, last: &str| {
            let error = match error.kind() {
                io::ErrorKind::UnexpectedEof => "the file ends too early".to_owned(),
                _ => error.to_string(),
            };
            Error::input(format!("{shown} is truncated or damaged after {last}: {error}"))
                .hint("get the archive again")
        };
        {
            let mut archive = tar::Archive::new(&mut stream);
            let entries = archive.entries().map_err(|error| damaged(&error, &last))?;
            for entry in entries {
                let mut entry = entry.map_err(|error| damaged(&error, &last))?;
                let path = entry.path_bytes().into_owned();
                last = format!("`{}`", path.escape_ascii());
                roots
                    .take(&mut entry, &path, library, shown)?
                    .map_err(|error| damaged(&error, &last))?;
            }
        }
        io::copy(&mut stream, &mut io::sink()).map_err(|error| damaged(&error, &last))?;
        if stream.zeros < TAR_BLOCK {
            return Err(damaged(&io::ErrorKind::UnexpectedEof.into(), &last));
        }
        Ok(roots)
    }

    /// Takes in one entry; the inner result is about the stream.
    fn take<R: Read>(
        &mut self,
        entry: &mut Entry<'_, R>,
        path: &[u8],
        library: &Library,
        shown: &str,
    ) -> Result<io::Result<()>> {
        let kind = entry.header().entry_type();
        if kind == EntryType::XGlobalHeader {
            return Ok(Ok(()));
        }
        let path = tree_path(path).ok_or_else(|| {
            let path = path.escape_ascii();
            Error::input(format!("the name `{path}` in {shown} could lead out of the tree"))
                .hint("no release has such a name: get the archive from another place")
        })?;
        let Some((top, below)) = path.as_deref().and_then(|path| split(path, &library.root)) else {
            return Ok(Ok(()));
        };
        if kind.is_dir() {
            return Ok(Ok(()));
        }
        if !self.by_top.contains_key(top) && self.by_top.len() == MAX_ROOTS {
            let root = &library.root;
            return Err(Error::input(format!("{shown} has over {MAX_ROOTS} folders `{root}`"))
                .hint("unpack it and name the folder that is meant"));
        }
        let root = self.by_top.entry(top.to_owned()).or_insert_with(|| Root {
            collector: Collector::new(format!("{} of {shown}", library.root)),
            error: None,
        });
        if root.error.is_some() {
            return Ok(Ok(()));
        }
        match fill(&mut root.collector, entry, below) {
            Ok(stream) => return Ok(stream),
            Err(error) => root.error = Some(error),
        }
        Ok(Ok(()))
    }

    /// The root that holds the library's marker; the one nearest to the top.
    fn choose(self, library: &Library, shown: &str) -> Result<Collector> {
        let marker = below_root(library, &library.marker)?;
        let depth = |top: &str| if top.is_empty() { 0 } else { 1 + top.matches('/').count() };
        let mut found: Vec<_> = self.by_top.into_iter().collect();
        found.sort_by_key(|(top, root)| (!root.collector.has(&marker), depth(top)));
        let mut found = found.into_iter();
        let (top, root) = found.next().ok_or_else(|| no_marker(library, shown))?;
        if let Some(error) = root.error {
            return Err(error);
        }
        if !root.collector.has(&marker) {
            return Err(no_marker(library, shown));
        }
        let rival =
            found.find(|(other, root)| root.collector.has(&marker) && depth(other) == depth(&top));
        match rival {
            Some((other, _)) => Err(Error::input(format!(
                "{shown} holds {} twice: in `{top}` and in `{other}`",
                library.marker
            ))
            .hint("unpack it and name the folder that is meant")),
            None => Ok(root.collector),
        }
    }
}

fn no_marker(library: &Library, shown: &str) -> Error {
    Error::input(format!("{shown} holds no {}", library.marker))
        .hint(format!("is it an archive of a {} release?", library.name))
}

/// The inner result is about the stream: the whole archive is damaged then, not this root alone.
fn fill<R: Read>(
    collector: &mut Collector,
    entry: &mut Entry<'_, R>,
    below: &str,
) -> Result<io::Result<()>> {
    let kind = entry.header().entry_type();
    let name = below.as_bytes();
    if name.is_empty() {
        return Err(collector.refuse(b".", "a link or file where a folder belongs"));
    }
    if kind.is_symlink() {
        let target = entry.link_name_bytes().map_or(Vec::new(), |target| target.into_owned());
        return collector.link(name, &target).map(Ok);
    }
    if !kind.is_file() && !kind.is_contiguous() {
        return Err(collector.refuse(
            name,
            match kind {
                EntryType::Link => "a hard link",
                _ => "a device, pipe or other special entry",
            },
        ));
    }
    let path = collector.admit(name, entry.size())?;
    let mut bytes = Vec::new();
    if let Err(error) = entry.take(MAX_FILE + 1).read_to_end(&mut bytes) {
        return Ok(Err(error));
    }
    collector.add(path, bytes).map(Ok)
}

/// An entry's path without `./` in front and `/` behind; `Some(None)` for the top folder itself, and
/// `None` for what leads out.
fn tree_path(path: &[u8]) -> Option<Option<String>> {
    let text = std::str::from_utf8(path).ok()?;
    let mut text = text;
    while let Some(rest) = text.strip_prefix("./") {
        text = rest;
    }
    let text = text.strip_suffix('/').unwrap_or(text);
    if text.is_empty() || text == "." {
        return Some(None);
    }
    TreePath::new(text).map(|path| Some(path.to_string()))
}

/// What holds the first folder called `root`, and the path below that folder.
fn split<'p>(path: &'p str, root: &str) -> Option<(&'p str, &'p str)> {
    let at = path.match_indices(root).map(|(at, _)| at).find(|&at| {
        let end = at + root.len();
        (at == 0 || path.as_bytes()[at - 1] == b'/')
            && (end == path.len() || path.as_bytes()[end] == b'/')
    })?;
    let below = path[at + root.len()..].trim_start_matches('/');
    Some((path[..at].trim_end_matches('/'), below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_at_any_depth() {
        assert_eq!(split("x-1.0/lib/a/b.h", "lib"), Some(("x-1.0", "a/b.h")));
        assert_eq!(split("lib/b.h", "lib"), Some(("", "b.h")));
        assert_eq!(split("x/mylib/lib/lib/b.h", "lib"), Some(("x/mylib", "lib/b.h")));
        assert_eq!(split("x/lib", "lib"), Some(("x", "")));
        assert_eq!(split("x/library/b.h", "lib"), None);
        assert_eq!(split("x/src/lib/b.h", "src/lib"), Some(("x", "b.h")));
    }

    #[test]
    fn entry_paths_are_judged() {
        assert_eq!(tree_path(b"./x/y/"), Some(Some("x/y".into())));
        assert_eq!(tree_path(b"./"), Some(None));
        for bad in [&b"../x"[..], b"/x", b"x/../../y", b"x//y", b"\xff"] {
            assert_eq!(tree_path(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_stream_is_bounded() {
        let mut stream = Bounded { inner: io::repeat(0), left: 10_000, zeros: 0 };
        let error = io::copy(&mut stream, &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("MiB"));
    }
}
