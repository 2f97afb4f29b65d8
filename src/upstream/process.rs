//! Runs the user's own `git` and `cargo`, so that their proxies, keys and mirrors are used, and ends
//! them when they hang.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The programs that reach a network, and how long they may be silent.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The `git` command.
    pub git: OsString,
    /// The `cargo` command.
    pub cargo: OsString,
    /// A command that writes nothing for so long hangs and is ended.
    pub patience: Duration,
}

impl Default for Tools {
    /// `git` from the path, and the `cargo` that runs this program if one does.
    fn default() -> Tools {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Tools { git: "git".into(), cargo, patience: Duration::from_secs(40) }
    }
}

/// Lines of a command's messages that are kept for an error.
const KEPT_LINES: usize = 40;
/// Longest line kept, in bytes.
const LONGEST_LINE: usize = 4096;

/// Runs `command` to its end; `on_line` sees each line of its messages, progress meters included.
/// An error says what went wrong in one line.
pub(super) fn run(
    mut command: Command,
    patience: Duration,
    on_line: &mut dyn FnMut(&str),
) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("the command `{program}` is not installed"),
        _ => format!("the command `{program}` can't be run: {error}"),
    })?;
    let mut messages = Messages::default();
    let status = watch(&mut child, patience, &mut |bytes| messages.take(bytes, on_line));
    messages.end(on_line);
    match status {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => {
            Err(messages.reason().unwrap_or_else(|| format!("{program}: {status}")))
        }
        Ok(None) => Err(format!("`{program}` got no answer for {} seconds", patience.as_secs())),
        Err(error) => Err(format!("`{program}` was lost: {error}")),
    }
}

/// Feeds what the child writes to `sink` until it ends, or kills it after `patience` of silence:
/// then `None`.
fn watch(
    child: &mut Child,
    patience: Duration,
    sink: &mut dyn FnMut(&[u8]),
) -> std::io::Result<Option<ExitStatus>> {
    let output = listen(child);
    let mut last_heard = Instant::now();
    loop {
        // The pipe can outlive the child, in the hands of one that it started: so look at both.
        match output.recv_timeout(Duration::from_millis(20)) {
            Ok(bytes) => {
                last_heard = Instant::now();
                sink(&bytes);
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => thread::sleep(Duration::from_millis(2)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(status) = child.try_wait()? {
            output.try_iter().for_each(|bytes| sink(&bytes));
            return Ok(Some(status));
        }
        if last_heard.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
    }
}

/// The thread isn't joined: it ends when the last holder of the pipe does.
fn listen(child: &mut Child) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    if let Some(pipe) = child.stderr.take() {
        thread::spawn(move || forward(pipe, &sender));
    }
    receiver
}

fn forward(mut pipe: impl Read, sender: &Sender<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(length) = pipe.read(&mut buffer) {
        if length == 0 || sender.send(buffer[..length].to_vec()).is_err() {
            break;
        }
    }
}

/// Splits output into lines at `\n` and `\r` and keeps the last of them.
#[derive(Default)]
struct Messages {
    line: Vec<u8>,
    kept: VecDeque<String>,
}

impl Messages {
    fn take(&mut self, bytes: &[u8], on_line: &mut dyn FnMut(&str)) {
        for &byte in bytes {
            match byte {
                b'\n' | b'\r' => self.end(on_line),
                _ if self.line.len() < LONGEST_LINE => self.line.push(byte),
                _ => {}
            }
        }
    }

    fn end(&mut self, on_line: &mut dyn FnMut(&str)) {
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.line)).trim().to_owned();
        // What a server sends can hold terminal controls, and ends up in an error message.
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        if text.is_empty() {
            return;
        }
        on_line(&text);
        if self.kept.len() == KEPT_LINES {
            self.kept.pop_front();
        }
        self.kept.push_back(text);
    }

    /// The first line of complaint, and the causes that cargo lists under it.
    fn reason(&self) -> Option<String> {
        let complains = |line: &&String| line.starts_with("fatal: ") || line.starts_with("error: ");
        let found = self.kept.iter().position(|line| complains(&line));
        let start = found.unwrap_or(self.kept.len().saturating_sub(1));
        let mut lines = self.kept.iter().skip(start).map(String::as_str);
        let first = lines.next()?;
        let first =
            first.split_once(": ").filter(|_| found.is_some()).map_or(first, |(_, text)| text);
        let causes = lines.skip_while(|line| *line != "Caused by:").filter(|l| *l != "Caused by:");
        Some([first].into_iter().chain(causes.take(3)).collect::<Vec<_>>().join(": "))
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn patient(script: &str) -> (Result<(), String>, Vec<String>) {
        let mut lines = Vec::new();
        let result = run(shell(script), Duration::from_secs(20), &mut |l| lines.push(l.to_owned()));
        (result, lines)
    }

    #[test]
    fn lines_and_meters_are_seen() {
        let (result, lines) = patient("printf 'a\\rb\\n\\nc' >&2");
        assert_eq!((result, lines.join(" ")), (Ok(()), "a b c".to_owned()));
    }

    #[test]
    fn the_complaint_becomes_the_error() {
        let script = "echo x >&2; echo 'fatal: no \x1b[1mhost' >&2; echo after >&2; exit 128";
        assert_eq!(patient(script).0.unwrap_err(), "no [1mhost");
        assert!(patient("exit 3").0.unwrap_err().contains("exit status: 3"));
        let nested = "printf 'error: a\\n\\nCaused by:\\n  b\\n\\nCaused by:\\n  c\\n' >&2; exit 1";
        assert_eq!(patient(nested).0.unwrap_err(), "a: b: c");
        let missing = run(Command::new("/nowhere/git"), Duration::ZERO, &mut |_| {});
        assert!(missing.unwrap_err().contains("not installed"));
    }

    #[test]
    fn a_hanging_command_is_ended() {
        let start = Instant::now();
        let result = run(shell("sleep 60"), Duration::from_millis(200), &mut |_| {});
        assert!(result.unwrap_err().contains("no answer"));
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_left_behind_process_does_not_delay() {
        let start = Instant::now();
        assert_eq!(patient("sleep 30 & exit 0").0, Ok(()));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
