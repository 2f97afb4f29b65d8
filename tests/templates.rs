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
    #define DEBUG_STATIC_ASSERT(c) do { _Static_assert((c), #c); } while (0)\n\
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
    build(library, kernel, arguments, &root().join("tests/templates/behaviour.c"))
}

/// Compiles any program.
fn build(library: &Path, kernel: Kernel, arguments: &[&str], source: &Path) -> Option<PathBuf> {
    let program = library.join("program");
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Wundef", "-Werror", "-O1"])
        .args(["-ffreestanding", "-nostdinc", "-include", "linux/compiler_types.h", "-I"])
        .arg(library)
        .arg("-I")
        .arg(root().join("rules/zstd/stubs"))
        .args(arguments);
    if let Kernel::Old = kernel {
        command.arg("-DSTUB_WITHOUT_INTPTR_T");
    }
    let status = command.arg(source).arg("-o").arg(&program).status().unwrap();
    status.success().then_some(program)
}

#[test]
fn every_function_does_what_the_library_expects_of_it() {
    for kernel in [Kernel::Newest, Kernel::Old] {
        let library = library(kernel, "");
        for level in 0..=9 {
            let level = format!("-DDEBUGLEVEL={level}");
            let program = compile(library.path(), kernel, &[&level]).expect(&level);
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

/// Big-endian machines are rare: the compiler is told that this is one, which turns what goes by
/// `__BYTE_ORDER__` around and must not change what names its byte order.
#[test]
fn byte_order_comes_from_the_compiler() {
    let library = library(Kernel::Newest, "");
    // The stub reads as this machine does, whatever the rest is told.
    let other = "#include <linux/unaligned.h>\n#if MEM_TEST_BIG\n#undef __BYTE_ORDER__\n\
        #define __BYTE_ORDER__ __ORDER_BIG_ENDIAN__\n#endif\n#include \"common/mem.h\"\n\
        _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || MEM_TEST_BIG, \"little\");\n\
        int main(void) { static const BYTE bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };\n\
        int named = MEM_readLE32(bytes) == 0x04030201 && MEM_readBE32(bytes) == 0x01020304 &&\n\
        MEM_readLE64(bytes) == 0x0807060504030201ULL && MEM_readLE16(bytes) == 0x0201;\n\
        return !(named && MEM_isLittleEndian() == !MEM_TEST_BIG); }\n";
    let source = library.path().join("order.c");
    fs::write(&source, other).unwrap();
    for big in ["-DMEM_TEST_BIG=0", "-DMEM_TEST_BIG=1"] {
        if big.ends_with('0') && cfg!(target_endian = "big") {
            continue;
        }
        let program =
            build(library.path(), Kernel::Newest, &[big, "-DDEBUGLEVEL=0"], &source).expect(big);
        assert_eq!(Command::new(program).status().unwrap().code(), Some(0), "{big}");
    }
}

/// What the library asks of `assert` where it is switched on, and that it goes where it is not.
#[test]
fn assertions_warn_and_go_on() {
    let library = library(Kernel::Newest, "");
    let text = "#include \"common/mem.h\"\n#include <linux/bug.h>\nstatic int warned;\n\
        void stub_warn(const char *file, int line) { (void)file; (void)line; warned++; }\n\
        int memcmp(const void *a, const void *b, size_t n);\n\
        int main(void) { assert(true_is(1)); if (warned) return 1;\n\
        assert(true_is(0)); assert(true_is(0)); return warned == WANTED ? 0 : 2; }\n";
    let text =
        text.replace("static int warned;", "static int warned;\n#define true_is(x) ((x) == 1)\n");
    let source = library.path().join("asserts.c");
    fs::write(&source, text).unwrap();
    for (level, wanted) in [(0, 0), (1, 2), (9, 2)] {
        let arguments = [format!("-DDEBUGLEVEL={level}"), format!("-DWANTED={wanted}")];
        let arguments = [arguments[0].as_str(), arguments[1].as_str()];
        let program = build(library.path(), Kernel::Newest, &arguments, &source).expect("compiles");
        assert_eq!(Command::new(program).status().unwrap().code(), Some(0), "level {level}");
    }
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
        command
            .args(["-DDEBUGLEVEL=0", "-fsyntax-only", "-I"])
            .arg(root().join("rules/zstd/stubs"));
        assert!(command.arg(alone).status().unwrap().success(), "{header}");
    }
}

/// Names that stand between two releases only are there for the commits between.
#[test]
fn a_name_of_some_commits_is_there_for_these() {
    let ruleset = load(None).unwrap();
    let of = |version: &str| {
        let target = Target::named(&ruleset.library, None).unwrap();
        let values = Values::new(&ruleset.library, version.parse().unwrap(), target);
        let rule = RuleRef::new("files", "test");
        let rendered = template::render(&ruleset, "common/mem.h", &rule, &values).unwrap();
        String::from_utf8(rendered.bytes.to_vec()).unwrap()
    };
    assert!(of("1.5.1").contains("\n#define MEM_ALIGN_COND(type) __alignof__(type)\n"));
    for version in ["1.5.0", "1.5.2", "1.5.7"] {
        assert!(!of(version).contains("MEM_ALIGN_COND"), "{version}");
    }
}

#[test]
fn only_an_old_kernel_gets_what_newer_ones_have() {
    assert!(!render("zstd_deps.h", Kernel::Newest).contains("typedef"));
    assert!(render("zstd_deps.h", Kernel::Old).contains("typedef long intptr_t;"));
    assert!(render("mem.h", Kernel::Newest).contains("#include <linux/unaligned.h>"));
    assert!(render("mem.h", Kernel::Old).contains("#include <asm/unaligned.h>"));
}
