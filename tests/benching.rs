//! `diff --bench` on a small library that the program of the real ruleset measures.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use walkdir::WalkDir;

const HEADER: &str = "#ifndef TINY_H\n#define TINY_H\n#include <stddef.h>\n#define TINY_MAJOR 1\n\
    #define TINY_MINOR 2\n#define TINY_PATCH 3\n#ifdef _MSC_VER\nint msvc;\n#endif\n\
    size_t TINY_sum(const unsigned char* p, size_t n);\n#endif\n";
/// What both forms do, with a place for more.
const SUM: &str = "#include \"../tiny.h\"\n\nsize_t TINY_sum(const unsigned char* p, size_t n)\n{\n\
    \x20   volatile size_t s = 0;\n    size_t i;\n    MORE\n    for (i = 0; i < n; i++) s += p[i];\n\
    \x20   return s;\n}\n";
/// The same work four times more.
const SLOW: &str = "for (i = 0; i < 4 * n; i++) s += p[i % n];\n    s = 0;";
/// How the library is called: what is compressed is summed up and copied.
const FORM: &str = r#"
#include <linux/tiny.h>
#include "bench.h"
static unsigned long room(unsigned long size) { return size + 8; }
static unsigned long memory(int level, unsigned long size) { return 64; }
static unsigned long other(void) { return 64; }
static void *start(int level, unsigned long size, void *at, unsigned long bytes) { return at; }
static void *open(void *at, unsigned long bytes) { return at; }
static unsigned long pack(void *c, void *to, unsigned long room, const void *from, unsigned long size)
{
	*(unsigned long *)to = TINY_sum(from, size);
	__builtin_memcpy((char *)to + 8, from, size);
	return size + 8;
}
static unsigned long unpack(void *c, void *to, unsigned long room, const void *from, unsigned long size)
{
	__builtin_memcpy(to, (const char *)from + 8, size - 8);
	return size - 8;
}
extern const struct bench_form BENCH_FORM;
const struct bench_form BENCH_FORM = { room, memory, other, start, open, pack, unpack };
"#;

/// Two imports, `old` and `new`, rules and something to compress.
struct Place {
    folder: TempDir,
}

impl Place {
    /// `more` is what the new form does beyond the old one.
    fn new(more: &str) -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        place.copy(&root.join("tests/cmd/check.in/rules"), "rules");
        place.copy(&root.join("rules/zstd/harness/bench"), "rules/harness/bench");
        place.write("rules/harness/bench/form.c", FORM);
        place.write("rules/stubs/linux/compiler_types.h", "");
        place.write("rules/stubs/linux/types.h", "typedef __SIZE_TYPE__ size_t;\n");
        place.write("page", &"what is compressed, again and again; ".repeat(100));
        fs::create_dir(place.at("tmp")).unwrap();
        for (side, more) in [("old", ""), ("new", more)] {
            place.write("tiny/src/tiny.h", HEADER);
            place.write("tiny/src/core/sum.c", &SUM.replace("MORE", more));
            let done = place.run(&["import", "--upstream", "tiny", "--out", side]);
            assert!(done.status.success(), "{done:?}");
        }
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

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kernelize"));
        command.env_clear().env("XDG_CACHE_HOME", self.at("cache")).env("TMPDIR", self.at("tmp"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::null()).args(args).args(["--rules", "rules"]);
        let done = command.current_dir(self.folder.path()).output().unwrap();
        assert_eq!(fs::read_dir(self.at("tmp")).unwrap().count(), 0, "nothing is left behind");
        done
    }

    fn bench(&self, sides: [&str; 2], args: &[&str]) -> Output {
        let all = ["diff", sides[0], sides[1], "--upstream", "tiny", "--bench", "page"];
        self.run(&[&all[..], &["--bench-time", "4"], args].concat())
    }
}

/// Exit code and document.
fn json(done: &Output) -> (i32, Value) {
    let value = serde_json::from_slice(&done.stdout);
    assert!(value.is_ok(), "{done:?}");
    (done.status.code().unwrap(), value.unwrap())
}

fn err(done: &Output) -> String {
    String::from_utf8(done.stderr.clone()).unwrap()
}

#[test]
fn what_became_slow_is_found() {
    let place = Place::new(SLOW);
    let gates = ["--fail-if", "compress<0.6", "--fail-if", "decompress<0.3"];
    let (code, found) =
        json(&place.bench(["old", "new"], &[&gates[..], &["--format", "json"]].concat()));
    let speed = &found["comparison"]["speed"];
    assert_eq!(code, 1, "{speed:#}");
    assert!(speed["pairs"].as_u64().unwrap() >= 11, "{speed:#}");
    assert!(speed["other_bytes"].as_array().unwrap().is_empty());
    assert_eq!(
        (speed["corpus"][0]["name"].as_str(), speed["rows"].as_array().unwrap().len()),
        (Some("page"), 7)
    );
    for group in speed["groups"].as_array().unwrap() {
        let ratio = &group["compress"]["ratio"].as_f64().unwrap();
        assert!((0.01..0.5).contains(ratio) && group["compress"]["notable"] == true, "{group:#}");
        assert!(group["decompress"]["ratio"].as_f64().unwrap() > 0.5, "{group:#}");
        assert_eq!(
            (group["same_bytes"].as_bool(), group["memory"]["new"].as_u64()),
            (Some(true), Some(64))
        );
    }
    let findings = found["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 7, "{findings:#?}");
    assert!(findings.iter().all(|one| one["code"] == "speed-gate"), "{findings:#?}");
    let text = place.bench(["old", "new"], &["--stat", "--fail-if", "decompress<0.3"]);
    // That they differ is what who sets gates expects.
    assert_eq!(text.status.code(), Some(0), "{text:?}");
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("\nHow fast\n") && text.contains("beyond the noise"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn the_same_is_as_fast() {
    let place = Place::new("");
    let gates = ["--fail-if", "speed<0.5", "--fail-if", "speed>2", "--fail-if", "memory>1"];
    let done = place.bench(["old", "new"], &[&gates[..], &["--format", "json"]].concat());
    let (code, found) = json(&done);
    assert_eq!((code, &found["comparison"]["equal"]), (0, &true.into()), "{found:#}");
    assert_eq!(found["comparison"]["speed"]["groups"].as_array().unwrap().len(), 7);
}

#[test]
fn who_breaks_is_named() {
    let place = Place::new("if (n > 100) *(volatile int*)8 = 1;");
    let done = place.bench(["old", "new"], &["--fail-if", "speed<0.5"]);
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    let said = "new compresses and looks outside of memory: page, whole, level -5";
    assert!(err(&done).contains(said), "{}", err(&done));
    let done = place.bench(["new", "old"], &[]);
    assert!(err(&done).contains(said), "{}", err(&done));
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let place = Place::new("s = nonsense;");
    let done = place.bench(["old", "new"], &[]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    let said = err(&done);
    assert!(said.contains("new can't be built to be measured: lib/tiny/core/sum.c:"), "{said}");
    assert!(said.contains("nonsense"), "{said}");
    let sides = ["diff", "old", "old", "--upstream", "tiny"];
    let fails = |more: &[&str], code: i32, said: &str| {
        let done = place.run(&[&sides[..], more].concat());
        assert_eq!(done.status.code(), Some(code), "{done:?}");
        assert!(err(&done).contains(said), "{}", err(&done));
    };
    fails(&["--fail-if", "speed<1"], 2, "--bench");
    fails(&["--bench", "page", "--fail-if", "sped<1"], 2, "at `sped` (character 1)");
    fails(&["--bench", "page", "--fail-if", "speed@2<1"], 2, "level 2, which isn't measured");
    fails(&["--bench", "lost"], 3, "lost can't be read");
    fs::remove_file(place.at("rules/harness/bench/form.c")).unwrap();
    fails(&["--bench", "page"], 2, "can't be measured with: no harness/bench/form.c");
}
