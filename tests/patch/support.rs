//! Trees in memory and in repositories.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use kernelize::git::Identity;
use kernelize::patch::{Change, Mail};
use kernelize::text::{Files, TreePath};
use tempfile::TempDir;

/// When all that the tests write was written.
pub(crate) const DATE: i64 = 1_711_619_203;

pub(crate) fn files(given: &[(&str, &[u8])]) -> Files {
    let path = |path: &str| TreePath::new(path).unwrap();
    given.iter().map(|(name, bytes)| (path(name), (*bytes).into())).collect()
}

pub(crate) fn mail(subject: &str, body: &str) -> Mail {
    Mail {
        author: Identity::new("A U Thor", "author@example.org").unwrap(),
        date: DATE,
        subject: subject.into(),
        body: body.into(),
        trailers: Vec::new(),
        signature: "tool 1".into(),
    }
}

pub(crate) fn change(old: &Files, new: &Files) -> Change {
    Change::between(old, new).unwrap()
}

/// Numbered lines.
pub(crate) fn lines(range: std::ops::Range<usize>) -> Vec<u8> {
    range.map(|n| format!("line number {n}\n")).collect::<String>().into_bytes()
}

/// A repository that tells git of the language, as the kernel's does.
pub(crate) struct Repo {
    pub(crate) folder: TempDir,
}

impl Repo {
    /// With one commit of `base`.
    pub(crate) fn new(base: &Files) -> Repo {
        let repo = Repo { folder: tempfile::tempdir().unwrap() };
        repo.git(&["init", "-q", "-b", "main"]);
        for (key, value) in [("core.abbrev", "12"), ("core.autocrlf", "false"), ("gc.auto", "0")] {
            repo.git(&["config", key, value]);
        }
        let attributes = "*.c diff=cpp\n*.h diff=cpp\n";
        fs::write(repo.path().join(".git/info/attributes"), attributes).unwrap();
        repo.lay(base);
        repo.git(&["commit", "-q", "--allow-empty", "-m", "base"]);
        repo
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Makes work tree and index hold `files` and nothing else.
    pub(crate) fn lay(&self, files: &Files) {
        self.git(&["rm", "-rq", "--ignore-unmatch", "."]);
        for (path, bytes) in files {
            let path = self.path().join(path.as_str());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        self.git(&["add", "-A", "-f", "."]);
    }

    /// Commits `files`; gives what `git format-patch` writes of it.
    pub(crate) fn format(&self, files: &Files, message: &str, options: &[&str]) -> Vec<u8> {
        self.lay(files);
        self.git(&["commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message]);
        let base = ["format-patch", "--stdout", "--zero-commit", "--signature=tool 1", "-1"];
        self.run(&[&base, options].concat(), b"").stdout
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, b"");
        assert!(output.status.success(), "git {arguments:?}: {}", said(&output));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn run(&self, arguments: &[&str], input: &[u8]) -> Output {
        run(self.path(), "git", arguments, input)
    }

    /// What HEAD holds.
    pub(crate) fn head(&self) -> Files {
        let opened = kernelize::git::Repository::find_in(self.path()).unwrap().unwrap();
        let commit = opened.find("HEAD").unwrap().unwrap().commit;
        opened.files(&commit, Default::default(), &|_| true, &|_| true).unwrap()
    }
}

pub(crate) fn said(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// Runs a program in a closed environment.
pub(crate) fn run(folder: &Path, program: &str, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let date = format!("{DATE} +0000");
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_AUTHOR_NAME", "A U Thor"),
        ("GIT_AUTHOR_EMAIL", "author@example.org"),
        ("GIT_COMMITTER_NAME", "A U Thor"),
        ("GIT_COMMITTER_EMAIL", "author@example.org"),
        ("GIT_AUTHOR_DATE", &date),
        ("GIT_COMMITTER_DATE", &date),
    ] {
        command.env(name, value);
    }
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || pipe.write_all(&input));
    let output = child.wait_with_output().unwrap();
    // A program that refuses needn't read to the end.
    let _ = writer.join();
    output
}

/// Fails at the first line that differs.
#[track_caller]
pub(crate) fn same(ours: &[u8], theirs: &[u8]) {
    if ours == theirs {
        return;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (ours, theirs) = (text(ours), text(theirs));
    for (at, (one, other)) in ours.lines().zip(theirs.lines()).enumerate() {
        assert_eq!(one, other, "line {} (ours, git's)", at + 1);
    }
    panic!("one is longer:\n{ours}\n{theirs}");
}
