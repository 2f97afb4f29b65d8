//! `check --build` and `diff --build` on a small library whose ruleset has headers to build with.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use walkdir::WalkDir;

const HEADER: &str = "#ifndef TINY_H\n#define TINY_H\n#include <stddef.h>\n#define TINY_MAJOR 1\n\
    #define TINY_MINOR 2\n#define TINY_PATCH 3\n#ifdef _MSC_VER\nint msvc;\n#endif\n\
    size_t TINY_sum(const unsigned char* p, size_t n);\n#endif\n";
const SUM: &str = "#include \"../tiny.h\"\n\nsize_t TINY_sum(const unsigned char* p, size_t n)\n{\n\
    \x20   size_t s = 0;\n    while (n--) s += *p++;\n    return s;\n}\n";
/// What is at fault, at the end of a file.
const STRAY: &str =
    "int TINY_stray(int x);\nint TINY_stray(int x)\n{\n    int unused = x;\n    return x;\n}\n";

/// A repository, rules and a folder for what is temporary.
struct Place {
    folder: TempDir,
    path: String,
}

impl Place {
    fn new() -> Place {
        let place = Place {
            folder: tempfile::tempdir().unwrap(),
            path: std::env::var("PATH").unwrap_or_default(),
        };
        let cmd = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/check.in");
        place.copy(&cmd.join("rules"), "rules");
        place.write("tiny/src/tiny.h", HEADER);
        place.write("tiny/src/core/sum.c", SUM);
        place.write("rules/stubs/linux/compiler_types.h", "");
        place.write("rules/stubs/linux/types.h", "typedef __SIZE_TYPE__ size_t;\n");
        fs::create_dir(place.at("tmp")).unwrap();
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn copy(&self, from: &Path, to: &str) {
        for entry in WalkDir::new(from) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let below = entry.path().strip_prefix(from).unwrap().to_str().unwrap();
                self.write(&format!("{to}/{below}"), &fs::read_to_string(entry.path()).unwrap());
            }
        }
    }

    fn git(&self, args: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(["-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(self.at("tiny"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {done:?}");
    }

    fn commit(&self, title: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", title]);
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kernelize"));
        command.env_clear().env("XDG_CACHE_HOME", self.at("cache")).env("TMPDIR", self.at("tmp"));
        command
            .env("PATH", &self.path)
            .stdin(Stdio::null())
            .args(args)
            .current_dir(self.folder.path());
        command
    }

    fn check(&self, args: &[&str]) -> Output {
        let all = [&["check", "--rules", "rules", "--upstream", "tiny"], args].concat();
        let done = self.command(&all).output().unwrap();
        assert_eq!(fs::read_dir(self.at("tmp")).unwrap().count(), 0, "nothing is left behind");
        done
    }

    fn json(&self, args: &[&str]) -> (i32, Value) {
        let done = self.check(&[args, &["--build", "--format", "json"]].concat());
        let value = serde_json::from_slice(&done.stdout);
        assert!(value.is_ok(), "{done:?}");
        (done.status.code().unwrap(), value.unwrap())
    }
}

/// What `diff --build` says of the last commit.
fn cost(place: &Place) -> Value {
    let all = ["diff", "HEAD~1", "HEAD", "--rules", "rules", "--upstream", "tiny"];
    let done = place.command(&all).args(["--build", "--format", "json"]).output().unwrap();
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    assert_eq!(fs::read_dir(place.at("tmp")).unwrap().count(), 0, "nothing is left behind");
    let mut record: Value = serde_json::from_slice(&done.stdout).unwrap();
    record["comparison"]["cost"].take()
}

fn err(done: &Output) -> String {
    String::from_utf8(done.stderr.clone()).unwrap()
}

/// A search path that leads to one compiler only, as `gcc`, and to nothing that reads objects.
fn one_compiler(place: &mut Place) {
    only(place, &["gcc"]);
}

/// A search path that leads to these programs only.
fn only(place: &mut Place, names: &[&str]) {
    for name in names {
        let found = std::env::split_paths(&place.path).map(|folder| folder.join(name));
        let program = { found }.find(|path| path.is_file()).unwrap();
        let (path, program) = (&place.path, program.display());
        let text = format!("#!/bin/sh\nPATH='{path}' exec {program} \"$@\"\n");
        place.write(&format!("bin/{name}"), &text);
        executable(&place.at(&format!("bin/{name}")));
    }
    place.path = place.at("bin").display().to_string();
}

fn executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_was_not_covered_is_said() {
    let mut place = Place::new();
    one_compiler(&mut place);
    let (code, record) = place.json(&[]);
    assert_eq!((code, &record["build"]), (0, &true.into()), "{record:#}");
    let notes: Vec<&str> =
        record["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for wanted in [
        "2 files say the same tokens before and after",
        "seed 1",
        "1 files compiled with assertions off and on, not linked: the import has no makefile",
        "not run: the ruleset has no program that tries the library",
    ] {
        assert!(notes.iter().any(|note| note.contains(wanted)), "no `{wanted}` in {notes:#?}");
    }
    let figures = record["commits"][0]["figures"].as_object().unwrap();
    assert!(figures.keys().any(|name| name.ends_with(" stack TINY_sum")), "{figures:?}");
    let text = place.check(&["--build", "--seed", "7"]);
    assert!(err(&text).contains("seed 7"), "{}", err(&text));
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains(" in TINY_sum\n"), "{text}");
}

#[test]
fn what_cannot_be_built_with_is_an_error() {
    let mut place = Place::new();
    let done = place.check(&["--build", "--against", "9.9.9"]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    fs::create_dir(place.at("empty")).unwrap();
    let done = place.check(&["--build", "--against", "empty"]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(err(&done).contains("empty is no kernel tree"), "{}", err(&done));
    place.path = place.at("empty").display().to_string();
    let done = place.check(&["--build"]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(err(&done).contains("no C compiler can be used"), "{}", err(&done));
    fs::remove_file(place.at("rules/stubs/linux/compiler_types.h")).unwrap();
    let done = place.check(&["--build"]);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    let said = "can't be built with: it has no stubs/linux/compiler_types.h";
    assert!(err(&done).contains(said), "{}", err(&done));
}

#[test]
fn what_a_build_finds_is_in_all_formats_and_in_no_cache() {
    let mut place = Place::new();
    one_compiler(&mut place);
    place.git(&["init", "-q", "-b", "dev"]);
    place.commit("Start");
    place.write("tiny/src/core/sum.c", &format!("{SUM}{STRAY}"));
    place.commit("Leave something unused");
    place.write("tiny/src/core/sum.c", &format!("/* moved */\n{SUM}{STRAY}"));
    place.commit("Move it");
    let (code, mut record) = place.json(&["HEAD~2..HEAD"]);
    assert_eq!(code, 1);
    let news: Vec<usize> = record["commits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|commit| commit["findings"].as_array().unwrap().len())
        .collect();
    assert_eq!(news, [0, 1, 0], "{record:#}");
    let found = &mut record["commits"][1]["findings"][0];
    assert_eq!(found["code"], "build-warning");
    let place_of = &found["places"][0];
    assert_eq!(
        (&place_of["path"], &place_of["source"]),
        (&"src/core/sum.c".into(), &"    int unused = x;".into())
    );
    let message = found["message"].as_str().unwrap().to_owned();
    assert!(message.ends_with("(-Wunused-variable)"), "{message}");
    assert_eq!(place.check(&["HEAD"]).status.code(), Some(0), "only a build sees it");
    // The same with no place, as what only shows when it runs.
    for places in [found["places"].clone(), Value::Array(Vec::new())] {
        record["commits"][1]["findings"][0]["places"] = places;
        place.write("report.json", &record.to_string());
        for format in ["text", "json", "sarif", "junit", "github"] {
            let mut command =
                place.command(&["report", "merge", "report.json", "--format", format]);
            let done = command.output().unwrap();
            assert_eq!(done.status.code(), Some(1), "{done:?}");
            let text = String::from_utf8(done.stdout).unwrap().replace("&apos;", "'");
            let text = text.replace("&#39;", "'").replace("&quot;", "\"");
            let words = message.split(' ').next().unwrap();
            assert!(text.contains(words) && text.contains("build-warning"), "{format}: {text}");
        }
    }
}

/// A program of the ruleset that asks for workspaces.
fn asking(name: &str, body: &str) -> String {
    format!(
        "#include <linux/tiny.h>\nint printf(const char *format, ...);\n\
         int main(void)\n{{\n\tprintf(\"CALLER {name} | as it does\\n\");\n{body}\
         \tprintf(\"DONE\\n\");\n\treturn 0;\n}}\n"
    )
}

#[test]
fn what_both_sides_cost_is_measured() {
    let mut place = Place::new();
    only(&mut place, &["gcc", "nm", "size"]);
    let row = |level: i32, of: &str| {
        format!("\tprintf(\"WORKSPACE {level} %lu -\\n\", (unsigned long){of});\n")
    };
    let bytes = "TINY_sum((const unsigned char *)\"ab\", 2)";
    let first = asking("first", &format!("{}{}", row(1, bytes), row(2, "7")));
    place.write("rules/harness/workspaces/first.c", &first);
    place.write("rules/harness/workspaces/late.c", &asking("late", &row(0, "TINY_late()")));
    place.write("rules/harness/workspaces/broken.c", "int main(void) { return 1; }\n");
    place.git(&["init", "-q", "-b", "dev"]);
    place.commit("Start");
    let mark = "static const char __export_symbol_TINY_late __attribute__((used)) = 1;\n";
    let late = "size_t TINY_late(void)\n{\n    volatile char room[3000];\n    room[9] = 5;\n\
        \x20   return (size_t)room[9];\n}\n";
    place.write("tiny/src/core/sum.c", &format!("{}{late}{mark}", SUM.replace("s = 0", "s = 100")));
    let header = HEADER.replace("#endif\n", "");
    let header = header.replace("int msvc;\n", "int msvc;\n#endif\n");
    place.write("tiny/src/tiny.h", &format!("{header}size_t TINY_late(void);\n#endif\n"));
    place.commit("Add something");
    let cost = cost(&place);
    // 97 and 98 are the letters.
    let pair = |old: Option<u64>, new: Option<u64>| json!({ "old": old, "new": new });
    let row = |level: i32, compress: Value| json!({ "level": level, "compress": compress, "decompress": pair(None, None) });
    let first = [row(1, pair(Some(195), Some(295))), row(2, pair(Some(7), Some(7)))];
    let late = [row(0, pair(None, Some(5)))];
    let wanted = json!([
        { "user": "first", "how": "as it does", "rows": first },
        { "user": "late", "how": "as it does", "rows": late },
    ]);
    assert_eq!(cost["workspaces"], wanted);
    let machines = cost["machines"].as_array().unwrap();
    assert!(!machines.is_empty());
    for machine in machines {
        let object = &machine["objects"][0];
        assert_eq!(object["object"], "core/sum.c", "{machine:#}");
        assert!(object["text"]["old"].as_u64() < object["text"]["new"].as_u64(), "{machine:#}");
        assert_eq!(object["data"]["old"], 0, "{machine:#}");
        let frame = &machine["frames"][0];
        assert_eq!(
            (&frame["function"], &frame["bytes"]["old"]),
            (&"TINY_late".into(), &Value::Null)
        );
        assert!(frame["bytes"]["new"].as_u64().unwrap() >= 3000, "{machine:#}");
    }
    let exports = json!({ "kept": 0, "added": ["TINY_late"], "removed": [] });
    assert_eq!(cost["exports"], exports);
    let notes = cost["notes"].to_string();
    for said in [
        "workspaces for broken are not known: the program broke off: exit status: 1",
        "workspaces for late are not known: late.c:",
        "undefined reference to `TINY_late",
    ] {
        assert!(notes.contains(said), "no `{said}` in {notes}");
    }
}

#[test]
fn a_side_that_does_not_compile_has_no_figures() {
    let mut place = Place::new();
    only(&mut place, &["gcc", "nm", "size"]);
    place.write("rules/harness/workspaces/one.c", &asking("one", ""));
    place.write("tiny/src/core/more.c", "int TINY_more = 3;\n");
    place.git(&["init", "-q", "-b", "dev"]);
    place.commit("Start");
    place.write("tiny/src/core/sum.c", "#include \"../tiny.h\"\nsize_t TINY_sum(lost_t p) { }\n");
    place.commit("Lose it");
    let cost = cost(&place);
    let machine = &cost["machines"][0];
    let objects: Vec<_> = machine["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["object"].as_str().unwrap(), one["text"]["new"].is_null()))
        .collect();
    assert_eq!(objects, [("core/more.c", false), ("core/sum.c", true)]);
    assert_eq!(machine["objects"][0]["data"], json!({ "old": 4, "new": 4 }));
    assert!(cost["exports"].is_null(), "{cost:#}");
    fs::remove_file(place.at("bin/size")).unwrap();
    let without = self::cost(&place);
    assert_eq!(without["machines"][0]["objects"], json!([]));
    assert!(without["notes"].to_string().contains("`size` is not installed"), "{without:#}");
    let notes = cost["notes"].to_string();
    for said in
        [": 1 of 2 files are not compiled by gcc", ": workspaces are not known, it can't be"]
    {
        assert!(notes.contains(said) && notes.contains("lost_t"), "no `{said}` in {notes}");
    }
}

#[test]
fn what_cannot_be_measured_with_is_an_error() {
    let mut place = Place::new();
    let diff = |place: &Place, args: &[&str]| {
        let all = ["diff", "v1.2.3", "v1.2.3", "--rules", "rules", "--upstream", "tiny", "--build"];
        let done = place.command(&[&all, args].concat()).output().unwrap();
        (done.status.code(), err(&done))
    };
    let (code, said) = diff(&place, &["--format", "patch"]);
    assert!(code == Some(2) && said.contains("no place for what --build measures"), "{said}");
    place.path = String::new();
    let (code, said) = diff(&place, &[]);
    assert!(code == Some(3) && said.contains("no C compiler can be used"), "{said}");
    fs::remove_file(place.at("rules/stubs/linux/compiler_types.h")).unwrap();
    let (code, said) = diff(&place, &[]);
    assert!(code == Some(2) && said.contains("stubs/linux/compiler_types.h"), "{said}");
}

#[test]
fn a_signal_ends_compilers_and_leaves_nothing() {
    signalled(&["check"]);
    signalled(&["diff", "v1.2.3", "v1.2.3"]);
}

fn signalled(what: &[&str]) {
    let mut place = Place::new();
    place.write(
        "bin/gcc",
        &format!(
            "#!/bin/sh\n: >'{}'\nPATH='{}'\nsleep 600 &\nwait\n",
            place.at("started").display(),
            place.path
        ),
    );
    executable(&place.at("bin/gcc"));
    place.path = place.at("bin").display().to_string();
    let mut command =
        place.command(&[what, &["--rules", "rules", "--upstream", "tiny", "--build"]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !place.at("started").exists() {
        assert!(start.elapsed() < Duration::from_secs(120) && child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(20));
    }
    assert_eq!(fs::read_dir(place.at("tmp")).unwrap().count(), 1);
    let killed = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status();
    assert!(killed.unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(15), "{status:?}");
    assert_eq!(fs::read_dir(place.at("tmp")).unwrap().count(), 0);
}
