//! URLs: a bare copy in the cache, brought and kept up to date by the user's own `git`.

use std::path::Path;
use std::process::Command;

use super::cache::Slot;
use super::process::{Tools, run};
use super::release::Progress;
use crate::finding::{Error, Result};
use crate::git::Repository;
use crate::text::sha256;

/// The copy of a URL, locked while it lives.
pub(super) struct Copy {
    pub(super) repository: Repository,
    /// Whether the URL may have more by now.
    pub(super) is_stale: bool,
    /// What was done, for the user.
    pub(super) note: String,
    _slot: Slot,
}

/// What `git` must not take over from the process that started us: inside a hook they name another
/// repository.
const FOREIGN_VARIABLES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_CEILING_DIRECTORIES",
];

/// Brings `url` into the cache, or what is new there since the last time. A copy that already holds
/// `fixed` (a tag or a whole commit id) is used as it is.
pub(super) fn bring(
    url: &str,
    cache: Option<&Path>,
    fixed: &dyn Fn(&Repository) -> bool,
    offline: bool,
    tools: &Tools,
    progress: &dyn Progress,
) -> Result<Copy> {
    let slot = Slot::lock(cache, "git", &slot_name(url), progress)?;
    let shown = without_secrets(url);
    if !slot.is_filled() {
        if offline {
            return Err(Error::input(format!("there is no copy of {shown} in the cache"))
                .hint("run once without --offline"));
        }
        copy(url, &slot, tools, progress)?;
        let note = format!("{shown} was cloned to {}", slot.path.display());
        return open(&shown, slot, false, note);
    }
    let copy = format!("the copy of {shown} at {} was", slot.path.display());
    if fixed(&Repository::open(&slot.path, &shown, &slot.path)?) {
        open(&shown, slot, false, format!("{copy} used without asking for news"))
    } else if offline {
        open(&shown, slot, true, format!("{copy} used as it is (--offline)"))
    } else if let Err(why) = update(&slot.path, tools, progress) {
        let why = why.replace(url, &shown);
        open(&shown, slot, true, format!("{copy} used as it is: {why}"))
    } else {
        open(&shown, slot, false, format!("{copy} brought up to date"))
    }
}

fn open(shown: &str, slot: Slot, is_stale: bool, note: String) -> Result<Copy> {
    let repository = Repository::open(&slot.path, shown, &slot.path)?;
    Ok(Copy { repository, is_stale, note, _slot: slot })
}

/// A URL as it may be shown and recorded: what stands before the host can hold a password.
pub(super) fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match host.rsplit_once('@') {
        Some((user, host)) if user.contains(':') || scheme.starts_with("http") => {
            format!("{scheme}://{host}{path}")
        }
        _ => url.to_owned(),
    }
}

fn copy(url: &str, slot: &Slot, tools: &Tools, progress: &dyn Progress) -> Result<()> {
    let building = slot.beside()?;
    let target = building.path().join("copy.git");
    let mut command = git(tools);
    command.args(["clone", "--bare", "--no-local", "--progress", "--", url]).arg(&target);
    run(command, tools.patience, &mut |line| meter(line, progress)).map_err(|why| {
        let shown = without_secrets(url);
        Error::input(format!("{shown} can't be cloned: {}", why.replace(url, &shown)))
    })?;
    slot.fill(&target)
}

/// Brings all branches and tags to what the URL has; a moved tag moves here too.
fn update(repository: &Path, tools: &Tools, progress: &dyn Progress) -> Result<(), String> {
    let mut command = git(tools);
    command.arg("--git-dir").arg(repository).args(["fetch", "--progress", "--prune", "origin"]);
    command.args(["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
    run(command, tools.patience, &mut |line| meter(line, progress))
}

fn git(tools: &Tools) -> Command {
    let mut command = Command::new(&tools.git);
    for name in FOREIGN_VARIABLES {
        command.env_remove(name);
    }
    // Nobody may be there to answer, and the meter is read.
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    // Tidying must not go on in the background, where no lock covers it. The helper that talks
    // to the server outlives a killed git, so that it must find out by itself that nothing comes.
    for setting in [
        "gc.autoDetach=false",
        "maintenance.autoDetach=false",
        "http.lowSpeedLimit=1",
        "http.lowSpeedTime=60",
    ] {
        command.args(["-c", setting]);
    }
    command
}

/// A readable part, and a digest that keeps any two URLs apart.
fn slot_name(url: &str) -> String {
    let last = url.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_".contains(*c);
    let name: String = last.trim_end_matches(".git").chars().filter(plain).take(40).collect();
    let digest = sha256(url.as_bytes());
    let digest = digest.get(..16).unwrap_or_default();
    format!("{name}-{digest}.git")
}

/// Passes on `Receiving objects:  45% (1234/2742), 1.2 MiB`.
fn meter(line: &str, progress: &dyn Progress) {
    let line = line.strip_prefix("remote: ").unwrap_or(line);
    let numbers = || {
        let (phase, rest) = line.split_once(':')?;
        let (_, rest) = rest.split_once("% (")?;
        let (done, rest) = rest.split_once('/')?;
        let (total, _) = rest.split_once(')')?;
        Some((phase, done.parse().ok()?, total.parse().ok()?))
    };
    if let Some((phase, done, total)) = numbers() {
        progress.step(phase, done, Some(total));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    struct Seen(RefCell<Vec<String>>);

    impl Progress for Seen {
        fn step(&self, phase: &str, done: u64, total: Option<u64>) {
            self.0.borrow_mut().push(format!("{phase} {done} {total:?}"));
        }
    }

    #[test]
    fn meters_are_passed_on() {
        let seen = Seen(RefCell::default());
        meter("Receiving objects:  45% (1234/2742), 1.2 MiB | 3 MiB/s", &seen);
        meter("remote: Counting objects: 100% (3/3), done.", &seen);
        meter("Cloning into bare repository 'x'...", &seen);
        let expected = ["Receiving objects 1234 Some(2742)", "Counting objects 3 Some(3)"];
        assert_eq!(*seen.0.borrow(), expected);
    }

    #[test]
    fn passwords_are_not_shown() {
        for (url, shown) in [
            ("https://me:secret@h/x", "https://h/x"),
            ("https://token@h/x@y", "https://h/x@y"),
            ("ssh://git@h/x", "ssh://git@h/x"),
            ("git@h:x", "git@h:x"),
        ] {
            assert_eq!(without_secrets(url), shown);
        }
    }

    #[test]
    fn slots_are_readable_and_distinct() {
        let one = slot_name("https://example.org/a/b.git");
        assert!(one.starts_with("b-") && one.ends_with(".git"), "{one}");
        assert_ne!(one, slot_name("https://example.org/A/b.git"));
        assert!(slot_name("ssh://h/../..").starts_with('-'));
    }
}
