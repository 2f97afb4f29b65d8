//! Long text through the user's pager, as git does it: only on a terminal, and only if there is one.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag::register_conditional_default;

/// Variables that name a pager; the first that is set counts.
const NAMES: [&str; 2] = ["KERNELIZE_PAGER", "PAGER"];
/// What is taken where none is; without a word where it isn't there.
const DEFAULT: &str = "command -v less >/dev/null || exit 127; exec less";
/// What a shell says of a command that isn't there.
const NOT_FOUND: i32 = 127;

/// Shows a text; false where it is still to be shown, since there is no pager.
pub(super) fn show(text: &[u8]) -> bool {
    let Some(command) = command(&|name| std::env::var_os(name)) else { return false };
    run(&command, text, &|name| std::env::var_os(name))
}

/// The pager that the environment names; none where it wants none.
fn command(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<OsString> {
    let named = NAMES.into_iter().find_map(variable);
    let command = named.unwrap_or_else(|| DEFAULT.into());
    let is_none = command.to_str().map(str::trim).is_some_and(|text| ["", "cat"].contains(&text));
    (!is_none).then_some(command)
}

fn run(command: &OsStr, text: &[u8], variable: &dyn Fn(&str) -> Option<OsString>) -> bool {
    // An interrupt is the pager's while it runs, as with git; nothing else goes on meanwhile.
    let done = Arc::new(AtomicBool::new(false));
    // Where no handler can be set, it ends us as well.
    let _ = register_conditional_default(SIGINT, Arc::clone(&done));
    let ended = started(command, variable).and_then(|pager| fed(pager, text));
    done.store(true, Ordering::SeqCst);
    ended.is_ok_and(|status| status.code() != Some(NOT_FOUND))
}

/// Starts it by the shell: it may have arguments.
fn started(command: &OsStr, variable: &dyn Fn(&str) -> Option<OsString>) -> io::Result<Child> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::piped());
    // Quit where one screen holds it, take colours as they are, leave the text on the screen.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if variable(name).is_none() {
            shell.env(name, value);
        }
    }
    shell.spawn()
}

/// Gives it the text and waits for its end. That it doesn't read all is its right.
fn fed(mut pager: Child, text: &[u8]) -> io::Result<ExitStatus> {
    if let Some(mut input) = pager.stdin.take() {
        let _ = input.write_all(text);
    }
    pager.wait()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(set: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        command(&variable).map(|command| command.into_string().unwrap())
    }

    #[test]
    fn the_environment_chooses() {
        assert_eq!(chosen(&[]).unwrap(), DEFAULT);
        assert_eq!(chosen(&[("PAGER", "more -s")]).unwrap(), "more -s");
        assert_eq!(chosen(&[("PAGER", "more"), ("KERNELIZE_PAGER", "most")]).unwrap(), "most");
        for none in ["", " ", "cat"] {
            assert_eq!(chosen(&[("KERNELIZE_PAGER", none), ("PAGER", "more")]), None);
        }
    }

    #[test]
    fn a_pager_gets_the_text_or_the_text_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let seen = folder.path().join("seen");
        let command = format!("cat >'{}'; echo \"$LESS\" >>'{0}'", seen.display());
        let none = |_: &str| None;
        assert!(run(OsStr::new(&command), b"text\n", &none));
        assert_eq!(std::fs::read_to_string(&seen).unwrap(), "text\nFRX\n");
        let own = |name: &str| (name == "LESS").then(|| OsString::from("S"));
        assert!(run(OsStr::new(&command), b"", &own));
        assert_ne!(std::fs::read_to_string(&seen).unwrap(), "FRX\n");
        assert!(!run(OsStr::new("exit 127"), b"text", &none));
        // One that ends early has seen enough.
        assert!(run(OsStr::new("exit 0"), &vec![b'x'; 1 << 20], &none));
    }
}
