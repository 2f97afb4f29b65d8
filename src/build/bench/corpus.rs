//! What is compressed: files and folders of the user's, or a mix made on the fly.
//!
//! A file is a part of its own, and so is each file of a folder with few of them; a folder with many
//! is one part, its files one behind the other in the order of their paths. Links in folders are left
//! out. What is more than the time allows for is sampled: pieces of it in even distances stand for the
//! whole, the same pieces each time.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::mix;
use crate::finding::{Error, Result};

/// Most files of a folder that are parts of their own.
const FEW: usize = 16;
/// Most parts.
const MOST_PARTS: usize = 48;
/// Most files of a folder.
const MOST_FILES: usize = 200_000;
/// How much is measured in a second, so that slow levels come to their pairs.
const BYTES_A_SECOND: u64 = 32 << 10;
/// Most bytes of all parts.
const MOST_BYTES: u64 = 8 << 20;
/// What each part may have in any case: more than the largest block.
const LEAST_SHARE: u64 = 160 << 10;
/// Pieces that stand for a whole.
const PIECE: u64 = 32 << 10;

/// A part of what is compressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// What is compressed of it.
    pub bytes: Vec<u8>,
    /// How many bytes it has.
    pub of: u64,
}

/// The mix: what each part is says its name. The same bytes on each machine.
pub fn mix() -> Vec<Part> {
    let part = |(name, bytes): (&str, Vec<u8>)| {
        let of = bytes.len() as u64;
        Part { name: name.to_owned(), bytes, of }
    };
    mix::all().into_iter().map(part).collect()
}

/// Reads files and folders, as much of them as can be measured in that time.
///
/// # Errors
/// One of them can't be read, or has nothing to compress, or there are too many.
pub fn read(places: &[PathBuf], seconds: u64) -> Result<Vec<Part>> {
    let mut found: Vec<(String, Vec<Piece>)> = Vec::new();
    for place in places {
        let shown = place.display().to_string();
        let files = files(place, &shown)?;
        if files.iter().all(|file| file.size == 0) {
            return Err(Error::input(format!("{shown} has no bytes to compress"))
                .hint("--bench takes files and folders that are not empty"));
        }
        match files.len() <= FEW {
            true => found.extend(files.into_iter().filter(|file| file.size > 0).map(|file| {
                let name = file.path.display().to_string();
                (name, vec![file])
            })),
            false => found.push((shown, files)),
        }
    }
    if found.len() > MOST_PARTS {
        let message = format!("{} files are more than can be measured", found.len());
        let hint = format!("name at most {MOST_PARTS}, or a folder, which may have many");
        return Err(Error::usage(message).hint(hint));
    }
    let all = seconds.saturating_mul(BYTES_A_SECOND).min(MOST_BYTES);
    let share = (all / found.len().max(1) as u64).max(LEAST_SHARE);
    found
        .into_iter()
        .map(|(name, files)| {
            let of = files.iter().map(|file| file.size).sum();
            Ok(Part { name, bytes: sampled(&files, of, share)?, of })
        })
        .collect()
}

/// A file with its size when it was found.
struct Piece {
    path: PathBuf,
    size: u64,
}

/// What cannot be read, and why.
fn unreadable(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::input(format!("{} can't be read: {why}", path.display()))
        .hint("--bench takes files and folders")
}

fn files(place: &Path, shown: &str) -> Result<Vec<Piece>> {
    let found = place.metadata().map_err(|why| unreadable(place, why))?;
    if found.is_file() {
        return Ok(vec![Piece { path: place.to_owned(), size: found.len() }]);
    }
    if !found.is_dir() {
        return Err(unreadable(place, "it is neither a file nor a folder"));
    }
    let mut files = Vec::new();
    for entry in WalkDir::new(place).sort_by_file_name() {
        let entry = entry.map_err(|why| unreadable(place, why))?;
        if !entry.file_type().is_file() {
            continue;
        }
        if files.len() >= MOST_FILES {
            return Err(Error::usage(format!("{shown} has more than {MOST_FILES} files"))
                .hint("name a folder with fewer"));
        }
        let size = entry.metadata().map_err(|why| unreadable(entry.path(), why))?.len();
        files.push(Piece { path: entry.into_path(), size });
    }
    Ok(files)
}

/// All bytes, or pieces in even distances that come to at most `most`.
fn sampled(files: &[Piece], of: u64, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if of <= most {
        append(files, 0, of, &mut bytes)?;
        return Ok(bytes);
    }
    let pieces = (most / PIECE).max(2);
    for number in 0..pieces {
        // Sizes of files leave room for the number of a piece.
        let from = u128::from(of - PIECE) * u128::from(number) / u128::from(pieces - 1);
        append(files, from as u64, PIECE, &mut bytes)?;
    }
    Ok(bytes)
}

/// Appends `length` bytes of the files, one behind the other, from `from` on.
fn append(files: &[Piece], mut from: u64, mut length: u64, bytes: &mut Vec<u8>) -> Result<()> {
    for file in files {
        if from >= file.size {
            from -= file.size;
            continue;
        }
        if length == 0 {
            break;
        }
        let count = length.min(file.size - from);
        let before = bytes.len() as u64;
        let read = File::open(&file.path).and_then(|mut open| {
            open.seek(SeekFrom::Start(from))?;
            open.take(count).read_to_end(bytes)
        });
        read.map_err(|why| unreadable(&file.path, why))?;
        if bytes.len() as u64 - before != count {
            return Err(unreadable(&file.path, "it has become shorter"));
        }
        (from, length) = (0, length - count);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::finding::ErrorKind;

    #[test]
    fn files_are_parts_and_large_folders_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["few/b", "few/a/x", "many/n"] {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), name).unwrap();
        }
        fs::write(at("few/empty"), "").unwrap();
        for number in 0..FEW {
            fs::write(at(&format!("many/{number:02}")), format!("{number:02}")).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/dev/null", at("few/link")).unwrap();
        let parts = read(&[at("few"), at("many"), at("few/b")], 1).unwrap();
        let found: Vec<(&str, &[u8])> = parts
            .iter()
            .map(|part| (part.name.rsplit('/').next().unwrap(), &part.bytes[..]))
            .collect();
        let many = b"00010203040506070809101112131415many/n";
        let expected: [(&str, &[u8]); 4] =
            [("x", b"few/a/x"), ("b", b"few/b"), ("many", many), ("b", b"few/b")];
        assert_eq!(found, expected);
        assert_eq!(parts[2].of, many.len() as u64);
    }

    #[test]
    fn what_is_large_is_sampled_from_end_to_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        let bytes: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
        fs::write(&path, &bytes).unwrap();
        let parts = read(&[path.clone(), path], 1).unwrap();
        let part = &parts[0];
        assert_eq!((part.of, part.bytes.len()), (4_000_000, LEAST_SHARE as usize));
        assert_eq!(part.bytes[..PIECE as usize], bytes[..PIECE as usize]);
        assert!(part.bytes.ends_with(&bytes[bytes.len() - PIECE as usize..]));
        // More time, more bytes.
        let more = read(&[folder.path().to_owned()], 100).unwrap();
        assert_eq!(more[0].bytes.len() as u64, 100 * BYTES_A_SECOND / PIECE * PIECE);
    }

    #[test]
    fn what_cannot_be_compressed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty");
        let error = read(&[folder.path().join("none")], 1).unwrap_err();
        assert!(error.kind == ErrorKind::Input && error.message.contains("none can't be read"));
        let error = read(&[folder.path().to_owned()], 1).unwrap_err();
        assert!(error.message.ends_with("has no bytes to compress"), "{}", error.message);
        fs::write(&empty, "").unwrap();
        assert!(read(&[empty], 1).unwrap_err().message.contains("empty has no bytes"));
    }
}
