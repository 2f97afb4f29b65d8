//! What transcripts can't show: streams that fail, exit codes, files that commands write.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use kernelize::report::console::Console;

const BALANCED: &str = "#ifdef A\nint a;\n#else\nint b;\n#endif\n";

/// A stream that can be looked into afterwards.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Buffer {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// Runs in this process: exit code, standard output, standard error.
fn kernelize(args: &[&str]) -> (u8, String, String) {
    let (out, err) = (Buffer::default(), Buffer::default());
    let mut console = Console::new(Box::new(out.clone()), Box::new(err.clone()));
    let args = std::iter::once("kernelize").chain(args.iter().copied()).map(Into::into);
    let code = kernelize::cli::run(args, &mut console);
    (code, out.text(), err.text())
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kernelize"));
    command.env_clear().stdin(Stdio::null());
    command
}

/// Runs the program on a text at standard input.
fn fed(args: &[&str], input: &str) -> Output {
    let mut child = program()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.into_os_string().into_string().unwrap()
}

#[test]
fn standard_input_is_named_so() {
    for args in [&["fold", "-U", "A"][..], &["fold", "-U", "A", "-"]] {
        let done = fed(args, BALANCED);
        assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(0), &b"int b;\n"[..]));
        let done = fed(args, "#ifdef A\n");
        assert_eq!((done.status.code(), done.stdout.len()), (Some(1), 0));
        assert!(done.stderr.starts_with(b"<stdin>:1:1: error: "), "{done:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "in.c", &"int x;\n".repeat(100_000));
    let mut child = program()
        .args(["fold", "-U", "A", &path])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "in.c", BALANCED);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let done = program().args(["fold", "-U", "A", &path]).stdout(full).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    let err = String::from_utf8(done.stderr).unwrap();
    assert!(err.contains("standard output can't be written: No space left"), "{err}");
}

#[test]
fn colours_come_only_where_they_are_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "in.c", "#else\n");
    for (args, env, coloured) in [
        (&[][..], ("X", "1"), false),
        (&["--color", "always"], ("NO_COLOR", "1"), true),
        (&["--color", "auto"], ("CLICOLOR_FORCE", "1"), true),
        (&["--color", "never"], ("CLICOLOR_FORCE", "1"), false),
        (&[], ("NO_COLOR", "1"), false),
    ] {
        let mut command = program();
        let done = command.args(["fold", &path]).args(args).env(env.0, env.1).output().unwrap();
        assert_eq!(done.stderr.contains(&0x1b), coloured, "{args:?} {env:?}");
    }
}

#[test]
fn manual_pages_are_written_for_all_commands() {
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("a/b");
    let (code, out, err) = kernelize(&["man", pages.to_str().unwrap(), "-q"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""));
    for (name, has) in [
        ("kernelize", "Exit codes"),
        ("kernelize-import", "KERNELIZE_UPSTREAM"),
        ("kernelize-fold", "NAME is defined"),
        ("kernelize-rules-show", "KIND/ID"),
        ("kernelize-man", "Examples"),
    ] {
        let page = fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(has), "{name}: {page}");
    }
}

#[test]
fn completions_know_all_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (code, out, err) = kernelize(&["completions", shell]);
        assert_eq!((code, err.as_str()), (0, ""));
        for word in ["import", "transform", "fold", "upstream"] {
            assert!(out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(kernelize(&["completions", "csh"]).0, 2);
}

#[test]
fn names_of_files_that_are_no_text_are_shown() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"a\n\xff.c");
    fs::write(dir.path().join(name), "#else\n").unwrap();
    let done = program().current_dir(dir.path()).arg("fold").arg(name).output().unwrap();
    let err = String::from_utf8(done.stderr).unwrap();
    assert!(err.starts_with("a\\n\u{fffd}.c:1:1: error: "), "{err}");
}

#[test]
fn a_macro_value_may_hold_anything() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "in.c", "#if A == -1\nint x;\n#endif\n");
    for args in [["-DA=-1", "-UB"], ["-D", "A=-1"], ["-DA=(0 - 1)", "-DC="]] {
        let (code, out, err) = kernelize(&[&["fold"][..], &args, &[path.as_str()]].concat());
        assert_eq!((code, out.as_str(), err.as_str()), (0, "int x;\n", ""), "{args:?}");
    }
}

#[test]
fn the_rules_are_built_in() {
    let (code, out, _) = kernelize(&["rules", "list"]);
    assert_eq!(code, 0);
    assert!(out.lines().any(|line| line.starts_with("includes/limits ")), "{out}");
    let (code, _, err) = kernelize(&["rules", "check"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.ends_with("rules (built in): none at fault\n"), "{err}");
}
