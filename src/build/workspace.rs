//! The temporary folder in which everything happens, and the way from places in its files to places
//! upstream.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use super::process::{self, Interrupted, Outcome};
use super::toolchain::PATIENCE;
use crate::finding::{Error, Label, Result};
use crate::pipeline::KernelTree;
use crate::rules::Ruleset;
use crate::text::{Files, LineIndex, Source, Span, TreePath};

/// The folder; it goes when this does.
pub(super) struct Workspace<'a> {
    folder: TempDir,
    /// The output.
    files: Files,
    /// What leads from it to upstream; none where that is not known.
    tree: Option<&'a KernelTree>,
    ruleset: &'a Ruleset,
    interrupted: Interrupted<'a>,
}

/// The folder of the output in the workspace; compilers run there, so that they speak of its files as
/// the Linux tree does.
const TREE: &str = "tree";
/// The folder of what the ruleset has to build the output with.
const TRIALS: &str = "trials";
/// Where a Linux tree is shown with the output in it.
pub(super) const LINUX: &str = "linux";
/// From the one to the other.
const TO_TRIALS: &str = "../trials";

impl<'a> Workspace<'a> {
    /// Makes the folder and writes the output and what it is built with into it.
    ///
    /// # Errors
    /// The system's temporary folder can't be written.
    pub(super) fn new(
        tree: &'a KernelTree,
        ruleset: &'a Ruleset,
        interrupted: Interrupted<'a>,
    ) -> Result<Workspace<'a>> {
        let files = tree.files.iter().map(|(path, file)| (path.clone(), file.text.bytes().clone()));
        let workspace = Workspace::of_files(files.collect(), ruleset, interrupted)?;
        Ok(Workspace { tree: Some(tree), ..workspace })
    }

    /// The same for a kernel form of which nothing but its files is known.
    ///
    /// # Errors
    /// The system's temporary folder can't be written.
    pub(super) fn of_files(
        files: Files,
        ruleset: &'a Ruleset,
        interrupted: Interrupted<'a>,
    ) -> Result<Workspace<'a>> {
        let folder = tempfile::Builder::new().prefix("kernelize-build-").tempdir();
        let folder = folder.map_err(|error| {
            Error::input(format!("no temporary folder can be made: {error}"))
                .hint("set TMPDIR to a folder that you may write")
        })?;
        let workspace = Workspace { folder, files, tree: None, ruleset, interrupted };
        for (path, bytes) in &workspace.files {
            workspace.write(&format!("{TREE}/{path}"), bytes)?;
        }
        for (path, source) in &ruleset.trials {
            workspace.write(&format!("{TRIALS}/{path}"), &source.bytes)?;
        }
        workspace.write("nothing.c", b"extern int nothing;\n")?;
        Ok(workspace)
    }

    /// Runs a program to its end.
    ///
    /// # Errors
    /// It can't be started or is lost, said in one line.
    pub(super) fn run(&self, mut command: Command, limit: Duration) -> Result<Outcome, String> {
        // What a compiler that is ended leaves behind goes with the folder.
        command.env("TMPDIR", self.folder.path());
        process::run(command, limit, self.interrupted)
    }

    /// Runs a compiler or linker; else what it says.
    pub(super) fn finished(&self, command: Command) -> Result<(), String> {
        let outcome = self.run(command, PATIENCE)?;
        match outcome.succeeded() {
            true => Ok(()),
            false => Err(outcome.complaint(PATIENCE)),
        }
    }

    /// Refuses to go on where nobody wants it any more: programs were ended, so what was found is
    /// worth nothing.
    ///
    /// # Errors
    /// So it is.
    pub(super) fn wanted(&self) -> Result<()> {
        if (self.interrupted)() { Err(Error::usage("interrupted")) } else { Ok(()) }
    }

    /// Writes a file below the folder.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<PathBuf> {
        let whole = self.folder.path().join(path);
        let failed = |error: std::io::Error| {
            Error::input(format!("{} can't be written: {error}", whole.display()))
                .hint("make room, or set TMPDIR to a folder with more")
        };
        if let Some(parent) = whole.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        fs::write(&whole, bytes).map_err(failed)?;
        Ok(whole)
    }

    /// A folder below the folder, made if need be.
    ///
    /// # Errors
    /// It can't be made.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf> {
        let whole = self.folder.path().join(name);
        fs::create_dir_all(&whole)
            .map_err(|error| Error::input(format!("{} can't be made: {error}", whole.display())))?;
        Ok(whole)
    }

    /// The top of the output.
    pub(super) fn tree(&self) -> PathBuf {
        self.folder.path().join(TREE)
    }

    /// A file with next to nothing in it.
    pub(super) fn nothing(&self) -> PathBuf {
        self.folder.path().join("nothing.c")
    }

    /// Where headers are, seen from the top of the output. The stand-ins come last, so that they hide
    /// none of the output's own.
    pub(super) fn includes(&self) -> Vec<String> {
        let mut arguments = vec!["-Iinclude".to_owned()];
        arguments.extend(self.stub_includes());
        arguments
    }

    fn stub_includes(&self) -> Vec<String> {
        let words = ["-I", "../trials/stubs", "-I", ".", "-include", "linux/compiler_types.h"];
        words.map(str::to_owned).to_vec()
    }

    /// A file of the ruleset's, as seen from the top of the output.
    pub(super) fn trial(path: &str) -> String {
        format!("{TO_TRIALS}/{path}")
    }

    /// The files of the ruleset in a folder, by their path for [`Workspace::trial`].
    pub(super) fn trials(&self, folder: &str, extension: &str) -> Vec<String> {
        let paths = self.ruleset.trials.keys();
        let wanted = paths.filter(|path| path.starts_with(folder) && path.ends_with(extension));
        wanted.cloned().collect()
    }

    /// What a program says, without the folder's name: that differs from run to run.
    pub(super) fn without_name(&self, said: &str) -> String {
        said.replace(&format!("{}/", self.folder.path().display()), "")
    }

    /// The place upstream, or in the ruleset, of a place that a compiler names. Lines and columns count
    /// from 1; column 0 is the whole line.
    pub(super) fn label(
        &self,
        file: &str,
        line: usize,
        column: usize,
        text: &str,
    ) -> Option<Label> {
        let path = self.named(file)?;
        if let Some(trial) = path.strip_prefix(&format!("{TRIALS}/")) {
            let source = self.ruleset.trials.get(trial)?;
            let span = span(&source.bytes, line, column)?;
            return Some(Label::new(source, span, text));
        }
        let below = |top: &str| path.strip_prefix(top)?.strip_prefix('/');
        let path = TreePath::new(below(TREE).or_else(|| below(LINUX))?)?;
        self.place(&path, |bytes| span(bytes, line, column), text)
    }

    /// Whether a file that a program names comes from upstream: what is wrong is rather there than in a
    /// header of ours that it calls.
    pub(super) fn is_upstream(&self, file: &str) -> bool {
        let path = self.named(file);
        let path = path.and_then(|path| TreePath::new(path.strip_prefix(TREE)?.strip_prefix('/')?));
        let file = path.and_then(|path| self.tree?.files.get(&path));
        file.is_some_and(|file| file.template.is_none())
    }

    /// The place upstream of bytes of an output file.
    pub(super) fn place(
        &self,
        path: &TreePath,
        find: impl FnOnce(&[u8]) -> Option<Span>,
        text: &str,
    ) -> Option<Label> {
        let file = self.tree?.files.get(path)?;
        let span = find(file.text.bytes())?;
        Some(Label::new(&file.source, file.text.upstream_cover(span), text))
    }

    /// A file's path below the workspace's folder, however a program names it.
    fn named(&self, file: &str) -> Option<String> {
        let top = self.folder.path();
        let below = match Path::new(file).strip_prefix(top) {
            Ok(below) => below.to_str()?.to_owned(),
            Err(_) if file.starts_with('/') => return None,
            Err(_) => format!("{TREE}/{file}"),
        };
        let here = TreePath::new("here")?;
        here.resolve(&below).map(|path| path.as_str().to_owned())
    }

    /// The text of an output file.
    pub(super) fn text(&self, path: &TreePath) -> Option<&Arc<[u8]>> {
        self.files.get(path)
    }

    /// Files of the output that a compiler is given, which are those of the library's folder.
    pub(super) fn units(&self) -> Vec<TreePath> {
        let folder = format!("{}/", self.ruleset.library.output);
        let is_unit =
            |path: &&TreePath| path.as_str().starts_with(&folder) && path.extension() == Some("c");
        self.files.keys().filter(is_unit).cloned().collect()
    }

    /// The paths of the output.
    pub(super) fn paths(&self) -> impl Iterator<Item = &TreePath> {
        self.files.keys()
    }

    /// The folders of the output, from its top to each file.
    pub(super) fn folders(&self) -> BTreeSet<String> {
        let mut folders = BTreeSet::new();
        for path in self.paths() {
            let mut folder = path.folder();
            while !folder.is_empty() && folders.insert(folder.to_owned()) {
                folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
            }
        }
        folders
    }

    /// A source of the ruleset.
    pub(super) fn trial_source(&self, path: &str) -> Option<&'a Arc<Source>> {
        self.ruleset.trials.get(path)
    }
}

/// The word, or the one byte, at a line and column; the whole line at column 0.
fn span(bytes: &[u8], line: usize, column: usize) -> Option<Span> {
    let start = LineIndex::new(bytes).line_start(line)?;
    let length = bytes[start..].iter().position(|byte| *byte == b'\n');
    let end = length.map_or(bytes.len(), |length| start + length);
    let Some(column) = column.checked_sub(1) else {
        let indent = bytes[start..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        return Some(Span::new(start + indent, end));
    };
    let at = (start + column).min(end);
    let word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = bytes[at..end].iter().take_while(word).count();
    Some(Span::new(at, (at + length.max(1)).min(end).max(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_word_there() {
        let text = b"one\n  two(three);\n";
        let at = |line, column| span(text, line, column).map(|span| &text[span.range()]);
        assert_eq!(at(2, 3), Some(&b"two"[..]));
        assert_eq!(at(2, 6), Some(&b"("[..]));
        assert_eq!(at(2, 0), Some(&b"two(three);"[..]));
        assert_eq!(at(2, 99), Some(&b""[..]));
        assert_eq!(at(9, 1), None);
    }
}
