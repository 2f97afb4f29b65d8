//! Reads one file that the user named.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::finding::{Error, Result};
use crate::text::{MAX_FILE_BYTES, Source};

/// Where a text is to be read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(std::path::PathBuf),
}

/// Reads a text whole and names it as the user did.
///
/// # Errors
/// It can't be read, or is larger than any C source.
pub(super) fn source(input: &Input) -> Result<Arc<Source>> {
    let (name, bytes) = match input {
        Input::Stdin => ("<stdin>".to_owned(), bounded(io::stdin().lock())),
        Input::File(path) => (path.to_string_lossy().into_owned(), read_file(path)),
    };
    let bytes = bytes.map_err(|e| Error::input(format!("{name} can't be read: {e}")))?;
    if bytes.len() > MAX_FILE_BYTES {
        let limit = MAX_FILE_BYTES >> 20;
        return Err(Error::input(format!("{name} is larger than {limit} MiB"))
            .hint("C sources are smaller; is this the file you meant?"));
    }
    Ok(Source::new(name, bytes))
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    bounded(file)
}

/// Reads to the end, or to one byte past the limit.
fn bounded(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
