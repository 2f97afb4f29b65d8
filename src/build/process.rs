//! Runs compilers and what they made, for a bounded time and with a bounded amount of output.
//!
//! Each gets a process group of its own: what it has started ends with it, and a signal that the
//! terminal sends reaches this program alone, which then ends the others.

use std::io::{ErrorKind, Read};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Most bytes kept of what a program writes to one of its two ends; the rest is read and dropped.
const MOST_OUTPUT: usize = 8 << 20;
/// How long a pipe is listened to when its program has ended: one that it started may hold it.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What became of a program.
#[derive(Debug)]
pub(super) struct Outcome {
    /// None: it took too long, or nobody wants it any more, and it was ended.
    pub(super) status: Option<ExitStatus>,
    /// What it wrote to standard output.
    pub(super) out: String,
    /// What it wrote to standard error.
    pub(super) err: String,
}

impl Outcome {
    /// Whether it ended by itself, without complaint.
    pub(super) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// How it ended, in words.
    pub(super) fn ending(&self, limit: Duration) -> String {
        match self.status {
            Some(status) => status.to_string(),
            None => format!("ended after {} seconds", limit.as_secs()),
        }
    }

    /// The first line of complaint, else how it ended.
    pub(super) fn complaint(&self, limit: Duration) -> String {
        let lines = || self.err.lines().map(str::trim).filter(|line| !line.is_empty());
        // A linker's last word, which speaks of an error, doesn't say what is missing.
        let with = |word: &str| lines().find(|line| line.contains(word));
        let found =
            with("undefined reference").or_else(|| with("error")).or_else(|| lines().next());
        found.map_or_else(|| self.ending(limit), plain)
    }
}

/// What a program says, for a message: one line of moderate length without control characters.
pub(super) fn plain(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut line: String = text.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    if text.chars().count() > LONGEST {
        line.push('…');
    }
    line
}

/// Whether all that is done is no longer wanted.
pub(super) type Interrupted<'a> = &'a (dyn Fn() -> bool + Sync);

/// Runs `command` to its end, or until it is no longer wanted.
///
/// # Errors
/// It can't be started or is lost, said in one line.
pub(super) fn run(
    mut command: Command,
    limit: Duration,
    interrupted: Interrupted<'_>,
) -> Result<Outcome, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    if interrupted() {
        return Err(format!("the command `{program}` is no longer wanted"));
    }
    #[cfg(unix)]
    command.process_group(0);
    // Messages are read by this program, so they must not be in the user's language.
    command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("the command `{program}` is not installed"),
        _ => format!("the command `{program}` can't be run: {error}"),
    })?;
    let out = child.stdout.take().map(listen);
    let err = child.stderr.take().map(listen);
    let status = wait(&mut child, limit, interrupted);
    let status = status.map_err(|error| format!("`{program}` was lost: {error}"));
    let heard = |pipe: Option<Receiver<Vec<u8>>>| {
        let bytes = pipe.and_then(|pipe| pipe.recv_timeout(LAST_WORDS).ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Outcome { status: status?, out: heard(out), err: heard(err) })
}

fn wait(
    child: &mut Child,
    limit: Duration,
    interrupted: Interrupted<'_>,
) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit || interrupted() {
            end(child)?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Ends a program and what it has started.
fn end(child: &mut Child) -> std::io::Result<()> {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // Where the group is gone, so is the program.
        _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    child.kill()
}

/// Sends all of it when it has come to its end. The thread isn't joined: it ends when the last holder
/// of the pipe does.
fn listen(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut buffer = [0; 1 << 14];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => {
                    let room = MOST_OUTPUT.saturating_sub(kept.len());
                    kept.extend_from_slice(&buffer[..length.min(room)]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // Nobody may listen any more.
        _ = sender.send(kept);
    });
    receiver
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Outcome {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, limit, &|| false).unwrap()
    }

    #[test]
    fn both_ends_are_heard_and_the_complaint_is_found() {
        let limit = Duration::from_secs(20);
        let outcome = shell("echo out; echo one >&2; echo 'x: error: \x1btwo' >&2; exit 3", limit);
        assert_eq!(outcome.out, "out\n");
        assert_eq!(outcome.complaint(limit), "x: error: two");
        let linker = shell("echo 'a.c: undefined reference to `f`' >&2; echo ld: error >&2", limit);
        assert_eq!(linker.complaint(limit), "a.c: undefined reference to `f`");
        assert!(!outcome.succeeded() && outcome.ending(limit).contains('3'));
        assert!(shell("exit 0", limit).succeeded());
        let missing = run(Command::new("/nowhere/cc"), limit, &|| false).unwrap_err();
        assert!(missing.contains("not installed"));
    }

    #[test]
    fn time_and_output_are_bounded() {
        let start = Instant::now();
        let outcome = shell("exec sleep 60", Duration::from_millis(100));
        assert!(outcome.status.is_none() && start.elapsed() < Duration::from_secs(20));
        // What it has started ends, too: else the pipe stayed open.
        let outcome = shell("sleep 60 | sleep 60; true", Duration::from_millis(100));
        assert!(outcome.status.is_none() && start.elapsed() < Duration::from_secs(20));
        let outcome = shell("yes | head -c 20000000", Duration::from_secs(60));
        assert_eq!(outcome.out.len(), MOST_OUTPUT);
    }

    #[test]
    fn what_is_no_longer_wanted_ends() {
        let start = Instant::now();
        let late = || start.elapsed() > Duration::from_millis(100);
        let mut command = Command::new("sleep");
        command.arg("60");
        let outcome = run(command, Duration::from_secs(60), &late).unwrap();
        assert!(outcome.status.is_none() && start.elapsed() < Duration::from_secs(20));
        let refused = run(Command::new("true"), Duration::from_secs(60), &late).unwrap_err();
        assert!(refused.contains("no longer wanted"), "{refused}");
    }
}
