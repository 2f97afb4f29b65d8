//! `check` over histories, work trees and reports: what one commit's transcript can't show.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const HEADER: &str = "#ifndef TINY_H\n#define TINY_H\n#include <stddef.h>\n#define TINY_MAJOR 1\n\
    #define TINY_MINOR 2\n#define TINY_PATCH 3\n#ifdef _MSC_VER\nint msvc;\n#endif\nsize_t TINY_sum(const unsigned char* p, size_t n);\n\
    #endif\n";
const SUM: &str = "#include \"../tiny.h\"\n\nsize_t TINY_sum(const unsigned char* p, size_t n)\n{\n\
    \x20   size_t s = 0;\n    while (n--) s += *p++;\n    return s;\n}\n";

/// A repository of a small library, with a cache of its own.
struct Repo {
    folder: TempDir,
    cache: TempDir,
}

impl Repo {
    /// One release.
    fn new() -> Repo {
        let repo =
            Repo { folder: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
        repo.git(&["init", "-q", "-b", "dev"]);
        repo.write("src/tiny.h", HEADER);
        repo.write("src/core/sum.c", SUM);
        repo.commit("Start");
        repo.git(&["tag", "v1.2.3"]);
        repo
    }

    /// A release and six commits, one of them outside the library, two of them red.
    fn with_history() -> Repo {
        let repo = Repo::new();
        repo.write("README", "text");
        repo.commit("Say something");
        repo.write("src/core/sum.c", &format!("#include <stdlib.h>\n{SUM}"));
        repo.commit("Include what no kernel has");
        repo.write("src/core/sum.c", &format!("/* more */\n\n#include <stdlib.h>\n{SUM}"));
        repo.commit("Move lines");
        repo.write("src/core/sum.c", SUM);
        repo.commit("Mend it");
        repo.write("src/core/sum.c", &SUM.replace("s = 0", "s = 1"));
        repo.write("src/tiny.h", &HEADER.replace("PATCH 3", "PATCH 4"));
        repo.commit("Change two files");
        repo.git(&["revert", "--no-edit", "HEAD"]);
        repo
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn commit(&self, title: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", title]);
    }

    fn git(&self, args: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(["-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {done:?}");
    }

    fn command(&self, at: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kernelize"));
        command.env_clear().env("XDG_CACHE_HOME", self.cache.path()).stdin(Stdio::null());
        command.args(args).current_dir(self.path().join(at));
        command
    }

    /// Runs `check` in a folder of the repository.
    fn check_at(&self, at: &str, args: &[&str]) -> Output {
        let rules = rules();
        let all = [&["check", "--rules", rules.to_str().unwrap()], args].concat();
        self.command(at, &all).output().unwrap()
    }

    fn check(&self, args: &[&str]) -> Output {
        self.check_at("", args)
    }

    /// Exit code and document.
    fn json(&self, args: &[&str]) -> (i32, Value) {
        let done = self.check(&[args, &["--format", "json"]].concat());
        let value = serde_json::from_slice(&done.stdout);
        assert!(value.is_ok(), "{done:?}");
        (done.status.code().unwrap(), value.unwrap())
    }
}

fn rules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/check.in/rules")
}

fn out(done: &Output) -> String {
    String::from_utf8(done.stdout.clone()).unwrap()
}

fn err(done: &Output) -> String {
    String::from_utf8(done.stderr.clone()).unwrap()
}

/// New findings, fixed ones, changed files, errors that stand.
fn line(commit: &Value) -> (usize, usize, Option<usize>, u64) {
    let count = |name: &str| commit[name].as_array().map(Vec::len);
    let errors = commit["errors"].as_u64().unwrap();
    (count("findings").unwrap(), count("fixed").unwrap(), count("changed"), errors)
}

#[test]
fn a_range_tells_what_each_commit_did() {
    let repo = Repo::with_history();
    let (code, record) = repo.json(&["v1.2.3..dev"]);
    assert_eq!(code, 1);
    let commits = record["commits"].as_array().unwrap();
    let lines: Vec<_> = commits.iter().map(line).collect();
    let expected = [
        (0, 0, None, 0),
        (0, 0, Some(0), 0),
        (1, 0, Some(1), 1),
        (0, 0, Some(1), 1),
        (0, 1, Some(1), 0),
        (0, 0, Some(2), 0),
        (0, 0, Some(2), 0),
    ];
    assert_eq!(lines, expected);
    let numbers: Vec<u64> = commits.iter().map(|c| c["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!((&commits[0]["start"], &commits[0]["name"]), (&true.into(), &"v1.2.3".into()));
    assert!(commits[5]["name"].as_str().unwrap().starts_with("v1.2.4-g"), "{}", commits[5]);
    let found = &commits[2]["findings"][0];
    assert_eq!(
        (&found["code"], &found["places"][0]["path"]),
        (&"include-not-allowed".into(), &"src/core/sum.c".into())
    );
    assert_eq!(commits[4]["fixed"][0], found["fingerprint"]);

    let text = out(&repo.check(&["v1.2.3.."]));
    for part in [
        "ok    Say something                                      no kernel change\n",
        "red   Include what no kernel has                         +1 new, 1 file\n",
        "red   Move lines                                         1 file\n",
        "ok    Mend it                                            -1 fixed, 1 file\n",
        "src/core/sum.c:1:10: error: the kernel build has no <stdlib.h>",
        "  commits     6: 2 red, 1 without kernel change\n",
        "  findings    1 new, 1 fixed\n",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    let id = commits[2]["id"].as_str().unwrap();
    assert!(text.contains(&format!("first bad commit {} Include", &id[..12])), "{text}");
}

#[test]
fn threads_caches_and_shards_give_the_same_bytes() {
    let repo = Repo::with_history();
    let json =
        |args: &[&str]| repo.check(&[&["v1.2.3..dev", "--format", "json"], args].concat()).stdout;
    let whole = json(&["--no-cache", "--jobs", "1"]);
    assert!(whole.len() > 1000);
    assert!(!repo.cache.path().join("kernelize").exists());
    assert!(whole == json(&["--no-cache", "--jobs", "5"]));
    assert!(whole == json(&[]));
    assert!(whole == json(&[]));
    for of in 1..=9 {
        let mut names = vec!["report".to_owned(), "merge".to_owned()];
        for number in (1..=of).rev() {
            let name = format!("{number}.json");
            let done = repo.check(&[
                "v1.2.3..dev",
                "--format",
                "json",
                "--shard",
                &format!("{number}/{of}"),
                "-o",
                &name,
            ]);
            assert!(done.status.code().unwrap() <= 1, "{done:?}");
            names.push(name);
        }
        names.extend(["--format".to_owned(), "json".to_owned()]);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let merged = repo.command("", &names).output().unwrap();
        assert_eq!(merged.status.code(), Some(1));
        assert!(merged.stdout == whole, "{of} shards: {}", out(&merged));
    }
}

#[test]
fn a_part_that_is_lost_is_no_clean_part() {
    let repo = Repo::with_history();
    let range = "v1.2.3..dev~5";
    assert_eq!(repo.check(&[range]).status.code(), Some(0));
    let done = repo.check(&[range, "--shard", "2/2", "--format", "json", "-o", "2.json"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let merged = repo.command("", &["report", "merge", "2.json"]).output().unwrap();
    assert_eq!(merged.status.code(), Some(1), "{merged:?}");
    assert!(err(&merged).contains("in no document"), "{}", err(&merged));
}

#[test]
fn a_damaged_cache_is_made_anew() {
    let repo = Repo::with_history();
    let args = ["v1.2.3..dev", "--format", "json"];
    let whole = repo.check(&args).stdout;
    let entries = || {
        let walk = walkdir::WalkDir::new(repo.cache.path().join("kernelize/check"));
        let files = walk.into_iter().flatten().filter(|entry| entry.file_type().is_file());
        files.map(walkdir::DirEntry::into_path).collect::<Vec<_>>()
    };
    let kept = entries();
    // The release is held to more than a later commit with the same files.
    assert_eq!(kept.len(), 5, "the states of the library: {kept:?}");
    let sound: Vec<Vec<u8>> = kept.iter().map(|path| fs::read(path).unwrap()).collect();
    fs::write(&kept[0], "").unwrap();
    fs::write(&kept[1], &sound[0]).unwrap();
    fs::write(&kept[2], &sound[2][..sound[2].len() / 2]).unwrap();
    fs::remove_file(&kept[3]).unwrap();
    assert!(repo.check(&args).stdout == whole);
    for (path, sound) in kept.iter().zip(&sound) {
        assert!(fs::read(path).unwrap() == *sound, "{}", path.display());
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            kept.iter().for_each(|path| drop(fs::remove_file(path)));
            scope.spawn(|| assert!(repo.check(&args).stdout == whole));
        }
    });
    assert_eq!(entries().len(), 5);
}

#[test]
fn merged_commits_are_seen_where_wanted() {
    let repo = Repo::new();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("src/core/sum.c", &format!("#include <stdlib.h>\n{SUM}"));
    repo.commit("Bad on the side");
    repo.git(&["checkout", "-q", "dev"]);
    repo.write("src/core/more.c", "#include \"../tiny.h\"\nstatic int more;\n");
    repo.commit("Good on the line");
    repo.git(&["merge", "-q", "--no-ff", "-m", "Join", "side"]);
    let news = |args: &[&str]| {
        let (_, record) = repo.json(args);
        let commits = record["commits"].as_array().unwrap().clone();
        let line = |commit: &Value| (commit["title"].as_str().unwrap().to_owned(), line(commit).0);
        commits.iter().map(line).collect::<Vec<_>>()
    };
    let named = |list: &[(&str, usize)]| {
        list.iter().map(|(title, new)| ((*title).to_owned(), *new)).collect::<Vec<_>>()
    };
    let line = named(&[("Start", 0), ("Good on the line", 0), ("Join", 1)]);
    assert_eq!(news(&["v1.2.3..dev"]), line);
    let all = named(&[("Start", 0), ("Good on the line", 0), ("Bad on the side", 1), ("Join", 0)]);
    assert_eq!(news(&["v1.2.3..dev", "--all-parents"]), all);
    // From a commit that is not on the line.
    let text = repo.check(&["side..dev"]);
    assert!(err(&text).contains("where it leaves what `side` has"), "{}", err(&text));
    let rest = named(&[("Start", 0), ("Good on the line", 0), ("Join", 1)]);
    assert_eq!(news(&["side..dev"]), rest);
}

#[test]
fn commits_that_cannot_be_read_are_passed_over() {
    let repo = Repo::new();
    let bad = format!("#include <stdlib.h>\n{SUM}");
    let link = |to: &str| {
        fs::remove_file(repo.path().join("src/tiny.h")).unwrap();
        std::os::unix::fs::symlink(to, repo.path().join("src/tiny.h")).unwrap();
    };
    link("../../elsewhere/tiny.h");
    repo.commit("Link elsewhere");
    repo.write("src/core/sum.c", &bad);
    repo.commit("Change what nobody can read");
    repo.git(&["rm", "-q", "-r", "src"]);
    repo.commit("Leave nothing");
    repo.write("src/tiny.h", HEADER);
    repo.write("src/core/sum.c", &bad);
    repo.commit("Can be read again");
    repo.write("src/core/sum.c", SUM);
    repo.commit("Mend it");
    let args = ["v1.2.3..dev", "--format", "json"];
    let whole = repo.check(&args);
    assert_eq!(whole.status.code(), Some(1), "{whole:?}");
    let record: Value = serde_json::from_slice(&whole.stdout).unwrap();
    let commits = record["commits"].as_array().unwrap();
    let lines: Vec<_> = commits.iter().map(line).collect();
    let expected = [
        (0, 0, None, 0),
        (1, 0, None, 1),
        (0, 0, None, 1),
        (1, 1, None, 1),
        // Held against the release.
        (1, 1, Some(1), 1),
        (0, 1, Some(1), 0),
    ];
    assert_eq!(lines, expected, "{}", out(&whole));
    let found = &commits[1]["findings"][0];
    assert_eq!(found["code"], "commit-unreadable");
    let message = found["message"].as_str().unwrap();
    assert!(message.contains("`tiny.h` in src of the commit is a symbolic link"), "{message}");
    assert!(found["hint"].as_str().unwrap().contains("put the file itself there"));
    assert_eq!(commits[3]["fixed"][0], found["fingerprint"]);
    assert!(commits[3]["findings"][0]["message"].as_str().unwrap().contains("no folder src"));
    assert_eq!(commits[4]["findings"][0]["code"], "include-not-allowed");
    // Shards look behind such commits, too; nothing of them is kept.
    assert!(repo.check(&args).stdout == whole.stdout);
    for of in 2..=5 {
        let mut names = vec!["report".to_owned(), "merge".to_owned()];
        for number in 1..=of {
            let (name, shard) = (format!("{number}.json"), format!("{number}/{of}"));
            let done = repo.check(&[&args[..], &["--shard", &shard, "-o", &name]].concat());
            assert!(done.status.code().unwrap() <= 1, "{done:?}");
            names.push(name);
        }
        names.extend(["--format".to_owned(), "json".to_owned()]);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let merged = repo.command("", &names).output().unwrap();
        assert!(merged.stdout == whole.stdout, "{of} shards: {}", out(&merged));
    }
    // The last one can't be read: there is nothing to suggest, and that is said.
    let done = repo.check(&["v1.2.3..dev~3", "--suggest", "fixes.patch"]);
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    assert!(err(&done).contains("the last commit can't be read"), "{}", err(&done));
    // By itself such a commit is no answer.
    assert_eq!(repo.check(&["dev~4"]).status.code(), Some(3));
}

#[test]
fn ranges_may_be_empty_or_wrong() {
    let repo = Repo::with_history();
    let done = repo.check(&["dev..v1.2.3"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(err(&done).contains("has 0 first-parent commits"), "{}", err(&done));
    for (range, code, words) in [
        ("v1.2.3..no", 3, "no revision `no`"),
        ("..dev", 2, "no range of commits"),
        ("v1.2.3...dev", 2, "no range of commits"),
    ] {
        let done = repo.check(&[range]);
        assert_eq!(done.status.code(), Some(code), "{range}: {done:?}");
        assert!(err(&done).contains(words), "{range}: {}", err(&done));
    }
}

#[test]
fn a_checkout_is_found_from_below() {
    let repo = Repo::new();
    let done = repo.check_at("src/core", &[]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(out(&done).contains("tiny v1.2.3"), "{}", out(&done));
    assert!(out(&done).contains("git repository ../.."), "{}", out(&done));
}

#[test]
fn a_repository_without_a_work_tree_is_no_reason_to_look_elsewhere() {
    let repo = Repo::new();
    repo.git(&["clone", "-q", "--bare", ".", "bare"]);
    repo.git(&["init", "-q", "empty"]);
    fs::create_dir(repo.path().join("empty/below")).unwrap();
    repo.git(&["init", "-q", "other"]);
    let made = ["commit", "-q", "--allow-empty", "-m", "Other"];
    repo.git(&[&["-C", "other"], &made[..]].concat());
    for (at, words) in [
        ("other", "other is a git repository that holds no "),
        ("bare", "bare is a bare git repository, without a work tree"),
        ("bare/refs", "bare is a bare git repository"),
        ("empty/below", "empty is a git repository without a commit"),
    ] {
        let work = tempfile::tempdir().unwrap();
        // Beside the library, whose checkout would be found from below.
        let to = work.path().join(at.split('/').next().unwrap());
        fs::rename(repo.path().join(to.file_name().unwrap()), &to).unwrap();
        let done = repo.check_at(work.path().join(at).to_str().unwrap(), &[]);
        fs::rename(&to, repo.path().join(to.file_name().unwrap())).unwrap();
        assert_eq!(done.status.code(), Some(2), "{done:?}");
        assert!(err(&done).contains(words), "{}", err(&done));
        assert!(err(&done).contains("--upstream ."), "{}", err(&done));
    }
    let rest = ["--upstream", ".", "v1.2.3"];
    assert_eq!(repo.check_at("bare", &rest).status.code(), Some(0));
}

#[test]
fn a_work_tree_is_checked_as_it_is() {
    let repo = Repo::new();
    repo.write(".gitignore", "*-built.c\nbuilt/\n");
    repo.commit("Ignore");
    assert_eq!(repo.check(&["--worktree"]).status.code(), Some(0));
    // Neither what is built nor what lies elsewhere counts.
    repo.write("src/core/bad-built.c", "#include <stdlib.h>\n");
    repo.write("src/built/bad.c", "#include <stdlib.h>\n");
    repo.write("bad.c", "#include <stdlib.h>\n");
    std::os::unix::fs::symlink("/etc/passwd", repo.path().join("src/built/link.h")).unwrap();
    assert_eq!(repo.check(&["--worktree"]).status.code(), Some(0));
    repo.write("src/core/new.c", "\n#include <stdlib.h>\n");
    let done = repo.check_at("src", &["--worktree"]);
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    let text = out(&done);
    assert!(text.contains("src/core/new.c:2:10: error: "), "{text}");
    assert!(text.contains("tiny v1.2.3-worktree\n"), "{text}");
    let head = repo.check(&[]);
    assert_eq!(head.status.code(), Some(0), "HEAD hasn't got it");
    assert!(err(&head).contains("has 1 files that differ from HEAD"), "{}", err(&head));
    fs::remove_file(repo.path().join("src/core/new.c")).unwrap();
    fs::remove_file(repo.path().join("src/core/sum.c")).unwrap();
    assert_eq!(repo.check(&["--worktree"]).status.code(), Some(0));
    // What would be ignored but is tracked counts.
    repo.git(&["add", "-f", "src/core/bad-built.c"]);
    let text = out(&repo.check(&["--worktree"]));
    assert!(text.contains("src/core/bad-built.c:1:10: error"), "{text}");
}

#[test]
fn a_baseline_accepts_what_it_has() {
    let repo = Repo::new();
    repo.write("src/core/sum.c", &format!("#include <stdlib.h>\n#include <math.h>\n{SUM}"));
    repo.commit("Two at fault");
    assert_eq!(repo.check(&["--format", "json", "-o", "known.json"]).status.code(), Some(1));
    let moved = format!("\n\n#include <math.h>\n\n#include <stdlib.h>\n{SUM}");
    repo.write("src/core/sum.c", &moved);
    repo.commit("Move them");
    let baseline = ["--baseline", "known.json"];
    let (code, record) = repo.json(&baseline);
    assert_eq!((code, line(&record["commits"][0]).0), (0, 2));
    assert_eq!(record["commits"][0]["errors"], 0);
    repo.write("src/core/sum.c", &format!("#include <time.h>\n#include <math.h>\n{SUM}"));
    repo.commit("One mended, one new");
    let done = repo.check(&baseline);
    assert_eq!(done.status.code(), Some(1));
    let text = out(&done);
    assert!(
        text.contains("no <time.h>") && !text.contains("error: the kernel build has no <math.h>")
    );
    assert!(text.contains("no longer occurs: src/core/sum.c: the kernel build has no <stdlib.h>"));
    assert!(text.contains("  baseline    1 accepted, 1 no longer occur\n"), "{text}");
    let (code, record) = repo.json(&["v1.2.3..dev", "--baseline", "known.json"]);
    assert_eq!(code, 1);
    assert_eq!(record["baseline"]["gone"].as_object().unwrap().len(), 0);
    let done = repo.check(&["--baseline", "src/tiny.h"]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
}

#[test]
fn findings_may_be_limited_and_files_written() {
    let repo = Repo::new();
    repo.write("src/core/sum.c", &format!("#include <stdlib.h>\n#include <math.h>\n{SUM}"));
    repo.commit("Two at fault");
    let text = out(&repo.check(&["--max-findings", "1"]));
    assert_eq!(text.matches("error: the kernel build").count(), 1, "{text}");
    assert!(text.contains("... and 1 more findings"), "{text}");
    for format in ["text", "json", "sarif", "junit", "github"] {
        let done = repo.check(&["--format", format, "-o", "report"]);
        assert_eq!(done.status.code(), Some(1), "{done:?}");
        let file = fs::read_to_string(repo.path().join("report")).unwrap();
        assert!(file.contains("stdlib.h"), "{file}");
        assert!(out(&done).contains("  findings    2 errors\n"), "{format}: {}", out(&done));
        if format != "text" {
            assert_eq!(out(&repo.check(&["--format", format])), file);
        }
    }
    let done = repo.check(&["-o", "src"]);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
}
