//! The headers that stand in for the library's own, rendered and run.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kernelize::edit::RuleRef;
use kernelize::kernel::target::Target;
use kernelize::kernel::template::{self, Values};
use kernelize::rules::{Version, load};

const HEADERS: &[&str] = &["mem.h", "zstd_deps.h"];

/// What the library's debug.h does with these headers, in short.
const DEBUG_H: &str = "#ifndef DEBUG_H\n#define DEBUG_H\n\
    #define DEBUG_STATIC_ASSERT(c) (void)sizeof(char[(c) ? 1 : -1])\n\
    #if DEBUGLEVEL >= 1\n#define ZSTD_DEPS_NEED_ASSERT\n#include \"zstd_deps.h\"\n\
    #else\n#define assert(condition) ((void)0)\n#endif\n#endif\n";

/// The kernel that the headers are rendered for.
#[derive(Clone, Copy)]
enum Kernel {
    /// The newest that the rules know.
    Newest,
    /// Before 6.12, and before it had `intptr_t`.
    Old,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn render(header: &str, kernel: Kernel) -> String {
    let ruleset = load(None).unwrap();
    let version = match kernel {
        Kernel::Newest => None,
        Kernel::Old => Some("6.1"),
    };
    let target = Target::named(&ruleset.library, version).unwrap();
    let values = Values::new(&ruleset.library, Version::default(), target);
    let (name, rule) = (format!("common/{header}"), RuleRef::new("files", "test"));
    let rendered = template::render(&ruleset, &name, &rule, &values).unwrap();
    String::from_utf8(rendered.bytes.to_vec()).unwrap()
}

/// A folder with the rendered headers and those of the library that they include.
fn library(kernel: Kernel, compiler_h: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let common = folder.path().join("common");
    fs::create_dir(&common).unwrap();
    for header in HEADERS {
        fs::write(common.join(header), render(header, kernel)).unwrap();
    }
    fs::write(common.join("compiler.h"), compiler_h).unwrap();
    fs::write(common.join("debug.h"), DEBUG_H).unwrap();
    folder
}

/// Compiles the program against a rendered library. `None`: the compiler refused.
fn compile(library: &Path, kernel: Kernel, arguments: &[&str]) -> Option<PathBuf> {
    let program = library.join("program");
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Wundef", "-Werror", "-O1"])
        .args(["-ffreestanding", "-nostdinc", "-include", "linux/compiler_types.h", "-I"])
        .arg(library)
        .arg("-I")
        .arg(root().join("tests/stubs"))
        .args(arguments);
    if let Kernel::Old = kernel {
        command.arg("-DSTUB_WITHOUT_INTPTR_T");
    }
    let source = root().join("tests/templates/behaviour.c");
    let status = command.arg(source).arg("-o").arg(&program).status().unwrap();
    status.success().then_some(program)
}

#[test]
fn every_function_does_what_the_library_expects_of_it() {
    for kernel in [Kernel::Newest, Kernel::Old] {
        for level in ["-DDEBUGLEVEL=0", "-DDEBUGLEVEL=1"] {
            let library = library(kernel, "");
            let program = compile(library.path(), kernel, &[level]).expect(level);
            let status = Command::new(program).status().unwrap();
            assert_eq!(status.code(), Some(0), "the first check that failed, with {level}");
        }
    }
}

#[test]
fn a_release_may_define_the_inline_keyword_itself() {
    let compiler_h = "#define MEM_STATIC static __inline __attribute__((unused))\n";
    let library = library(Kernel::Newest, compiler_h);
    assert!(compile(library.path(), Kernel::Newest, &["-DDEBUGLEVEL=0"]).is_some());
}

#[test]
fn each_header_stands_alone_and_begins_with_its_licence() {
    let library = library(Kernel::Newest, "");
    for header in HEADERS {
        let text = render(header, Kernel::Newest);
        assert!(text.starts_with("/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */\n"));
        assert!(text.ends_with("*/\n") && !text.contains("{{") && !text.contains("{%"));
        let alone = library.path().join("alone.c");
        fs::write(&alone, format!("#include \"common/{header}\"\nint unused;\n")).unwrap();
        let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        command.args(["-std=gnu11", "-Wall", "-Wundef", "-Werror", "-ffreestanding", "-nostdinc"]);
        command.args(["-DDEBUGLEVEL=0", "-fsyntax-only", "-I"]).arg(root().join("tests/stubs"));
        assert!(command.arg(alone).status().unwrap().success(), "{header}");
    }
}

#[test]
fn only_an_old_kernel_gets_what_newer_ones_have() {
    assert!(!render("zstd_deps.h", Kernel::Newest).contains("typedef"));
    assert!(render("zstd_deps.h", Kernel::Old).contains("typedef long intptr_t;"));
    assert!(render("mem.h", Kernel::Newest).contains("#include <linux/unaligned.h>"));
    assert!(render("mem.h", Kernel::Old).contains("#include <asm/unaligned.h>"));
}
