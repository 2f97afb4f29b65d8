//! Small trees: what is found in them, and what is near to it and fine.

use std::collections::BTreeMap;

use super::*;
use crate::edit::{RuleRef, Traced};
use crate::kernel::api::Api;
use crate::kernel::modules::{Export, ModuleFiles};
use crate::kernel::target::Target;
use crate::pipeline::{Conditions, Input, KernelTree, OutputFile};
use crate::rules::{Active, Ruleset, load};
use crate::text::{Files, Source, TreePath};

const SPDX: &str = "/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */\n";

fn file(path: &str, text: &str) -> (TreePath, OutputFile) {
    let tagged = text.contains("SPDX");
    let text = if tagged { text.to_owned() } else { format!("{SPDX}{text}") };
    let source = Source::new(path, text.into_bytes());
    let traced = Traced::new(source.bytes.clone());
    let template = path.starts_with("include/linux/ours").then(|| RuleRef::new("files", "ours"));
    let file = OutputFile { upstream: None, source, template, text: traced };
    (TreePath::new(path).unwrap(), file)
}

fn tree(files: &[(&str, &str)]) -> KernelTree {
    KernelTree {
        files: files.iter().map(|(path, text)| file(path, text)).collect(),
        api: Api::default(),
        findings: Findings::default(),
        matched: BTreeMap::new(),
        modules: Vec::new(),
        decided: 0,
        conditions: Conditions::default(),
        proof: None,
    }
}

fn judged(ruleset: &Ruleset, tree: &KernelTree) -> Vec<String> {
    let target = Target::of_version(&ruleset.library, None);
    let version = "1.5.7".parse().unwrap();
    let rules = Active::new(ruleset, version, ruleset.profile("strict").unwrap());
    let files = Files::new();
    let input = Input { version, exact: true, files: &files, target: &target };
    let found = check(Scope { rules: &rules, tree, input }, &Findings::default()).sorted();
    let said = found.iter().map(|finding| {
        let place = finding.labels.first().map_or_else(String::new, |label| {
            format!("{}:{}", label.source.name.rsplit('/').next().unwrap(), label.position().line)
        });
        format!("{} {place} {}", finding.code, finding.message)
    });
    said.collect()
}

/// What is said of a tree without modules: code, place, and the name in backquotes.
fn said(files: &[(&str, &str)]) -> Vec<String> {
    let short = |line: String| {
        let (start, rest) = line.split_at(line.find(' ').unwrap() + 1);
        let place = rest.split(' ').next().unwrap().to_owned();
        let name = rest.split('`').nth(1).unwrap_or_default();
        format!("{start}{place} {name}").trim_end().to_owned()
    };
    judged(&load(None).unwrap(), &tree(files)).into_iter().map(short).collect()
}

const A: &str = "lib/zstd/common/a.c";
const B: &str = "lib/zstd/common/b.c";
const H: &str = "lib/zstd/common/h.h";

fn header(text: &str) -> String {
    format!("#ifndef H_H\n#define H_H\n{text}\n#endif\n")
}

#[test]
fn a_name_that_nothing_has_is_found() {
    let text = "int used(int count);\nint used(int count)\n{\n    int x = helpr(count);\n    \
                return x + HIGHEST;\n}\nstatic int helper(int x) { return x; }\n";
    let text = &format!("{text}int (*use)(int) = helper;\n");
    let found = said(&[(A, text), (H, &header("int used(int); extern int (*use)(int);"))]);
    assert_eq!(found, ["undeclared-name a.c:5 helpr", "undeclared-name a.c:6 HIGHEST"]);
}

#[test]
fn what_is_near_to_a_missing_name_is_fine() {
    let text = "#include \"h.h\"\n\
        #define CALL(f, x) f(x)\n#define MAKE(n) static int do_##n(int v) { return v; }\n\
        #define STR(x) #x\nMAKE(it)\ntypedef int (*fn)(int);\nenum { ONE, TWO = 2 };\n\
        struct s { int member, *other; fn call; };\n\
        static int local(struct s* s, fn f, int a[TWO])\n{\n    struct s const t = { .member = ONE };\n\
        int b, *c = &a[0];\n    if (f(b)) goto out;\n    for (int i = 0, j = 1; i < j; ++i) b += i;\n\
        b = s->call(*c) + do_it(t.member) + CALL(f, 2) + (int)sizeof(STR(nothing));\n\
        out:\n    __attribute__((aligned(8))) int d = b;\n    return d;\n}\n\
        int used(int x) { return local(0, 0, 0) + x; }\n";
    let found = said(&[(A, text), (H, &header("int used(int x);"))]);
    assert_eq!(found, [] as [&str; 0]);
}

#[test]
fn a_name_must_be_declared_where_it_is_used_and_defined_somewhere() {
    let user = "int used(void);\nint used(void) { return other(); }\n";
    let other = "#include \"h.h\"\nint other(void) { return used(); }\n";
    let offer = header("int other(void);\nint used(void);");
    let files = [(A, user), (B, other), (H, offer.as_str())];
    assert_eq!(said(&files), ["undeclared-name a.c:3 other"]);
    let user = "#include \"h.h\"\nint used(void) { return other(); }\n";
    assert_eq!(said(&[(A, user), (B, other), (H, &offer)]), [] as [&str; 0]);
    let gone = "#include \"h.h\"\nint another(void) { return used(); }\n";
    let offer = header("int other(void);\nint used(void);\nint another(void);");
    assert_eq!(said(&[(A, user), (B, gone), (H, &offer)]), ["undefined-name a.c:3 other"]);
}

#[test]
fn calls_in_macros_count() {
    let offer = header("#define TWICE(x) (absent(x) + (x))\n#define FINE(f, x) f(x)\n");
    assert_eq!(said(&[(H, &offer)]), ["undeclared-name h.h:4 absent"]);
}

#[test]
fn a_static_function_is_declared_above_its_use() {
    let late = "static int f(void) { return g(); }\nstatic int g(void) { return f(); }\n";
    assert_eq!(said(&[(A, late)]), ["undeclared-name a.c:2 g"]);
    assert_eq!(said(&[(A, &format!("static int g(void);\n{late}"))]), [] as [&str; 0]);
}

#[test]
fn what_only_one_file_uses_should_be_static() {
    let text = "int alone(int x) { return x; }\nint table[2] = { 1, 2 };\n\
        int shared(int x) { return alone(x) + table[0]; }\n";
    let offer = header("int shared(int x);");
    let found = said(&[(A, text), (H, &offer)]);
    assert_eq!(found, ["should-be-static a.c:2 alone", "should-be-static a.c:3 table"]);
    let user = "extern int table[2];\nint alone(int x);\n\
        static int g(void) { return alone(table[0]); }\n";
    assert_eq!(said(&[(A, text), (B, user), (H, &offer)]), [] as [&str; 0]);
}

#[test]
fn a_variable_for_debugging_belongs_under_its_condition() {
    let offer = header("#if (DEBUGLEVEL>=2)\nextern int g_level;\n#endif");
    let plain = "#include \"h.h\"\nint g_level = 1;\n";
    assert_eq!(said(&[(A, plain), (H, &offer)]), ["should-be-static a.c:3 g_level"]);
    let right = "#include \"h.h\"\n#if (DEBUGLEVEL>=2)\nint g_level = 1;\n#endif\n";
    assert_eq!(said(&[(A, right), (H, &offer)]), [] as [&str; 0]);
    let always = header("extern int g_level;");
    assert_eq!(said(&[(A, plain), (H, &always)]), [] as [&str; 0]);
}

#[test]
fn macros_and_types_have_one_meaning_where_files_meet() {
    let offer = header("#define LIMIT 1\ntypedef int number;");
    let with = |text: &str| said(&[(A, &format!("#include \"h.h\"\n{text}\n")), (H, &offer)]);
    assert_eq!(with("#define LIMIT 2"), ["macro-defined-twice a.c:3 LIMIT"]);
    let soft = header("#ifndef LIMIT\n#define LIMIT 1\n#endif");
    let user = "#include \"h.h\"\n#define LIMIT 2\n";
    assert_eq!(said(&[(A, user), (H, &soft)]), ["macro-defined-twice a.c:3 LIMIT"]);
    let user = "#define LIMIT 2\n#include \"h.h\"\n";
    assert_eq!(said(&[(A, user), (H, &soft)]), [] as [&str; 0]);
    assert_eq!(with("typedef long number;"), ["type-defined-twice a.c:3 number"]);
    let text = "typedef struct { int x; } same;";
    let twice = said(&[(A, &format!("#include \"h.h\"\n{text}\n")), (H, &header(text))]);
    assert_eq!(twice, ["type-defined-twice a.c:3 same"]);
    for fine in [
        "#define LIMIT 1",
        "#undef LIMIT\n#define LIMIT 2",
        "#ifndef LIMIT\n#define LIMIT 2\n#endif",
        "#ifdef OTHER\n#define LIMIT 2\n#endif",
        "typedef int number;",
        "typedef struct { int x; } another;",
    ] {
        assert_eq!(with(fine), [] as [&str; 0], "{fine}");
    }
    let apart = said(&[(A, "#define LIMIT 2\n"), (H, &offer)]);
    assert_eq!(apart, [] as [&str; 0]);
}

#[test]
fn headers_have_guards() {
    assert_eq!(said(&[(H, "static int x = 1;\n")]), ["header-unguarded h.h:2"]);
    for fine in ["#include <linux/types.h>\n", "#pragma once\nstatic int x = 1;\n"] {
        assert_eq!(said(&[(H, fine)]), [] as [&str; 0], "{fine}");
    }
    let round = said(&[(H, "#include \"i.h\"\n"), ("lib/zstd/common/i.h", "#include \"h.h\"\n")]);
    assert_eq!(round, ["include-cycle h.h:2", "include-cycle i.h:2"]);
}

#[test]
fn licences_agree() {
    let only = "/* SPDX-License-Identifier: GPL-2.0-only */\n";
    assert_eq!(said(&[(H, only)]), ["licence-unclear h.h:1"]);
    let text = format!("{SPDX}/* Under the GPL version 2. */\n");
    assert_eq!(said(&[(H, &text)]), ["licence-unclear h.h:1"]);
    let text = format!("{SPDX}/* BSD and GPL, as you like. */\n");
    assert_eq!(said(&[(H, &text)]), [] as [&str; 0]);
    let makefile = said(&[("lib/zstd/Makefile", "# SPDX-License-Identifier: GPL-2.0\n")]);
    assert_eq!(makefile, ["licence-unclear Makefile:1"]);
}

const MAKEFILE: &str = "# SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause\n\
    obj-$(CONFIG_ZSTD_COMPRESS) += zstd_compress.o\nobj-$(CONFIG_ZSTD_COMMON) += zstd_common.o\n\
    zstd_compress-y := zstd_compress_module.o compress/a.o\n\
    zstd_common-y := zstd_common_module.o common/b.o\n";
const COMPRESS: &str = "#include \"common/h.h\"\n#include <linux/ours.h>\n\
    int zstd_a(int level) { return inner(level); }\nEXPORT_SYMBOL(zstd_a);\n\
    MODULE_LICENSE(\"Dual BSD/GPL\");\nMODULE_DESCRIPTION(\"a\");\n";
const COMMON: &str = "#include \"common/h.h\"\nEXPORT_SYMBOL_GPL(shared);\n\
    MODULE_LICENSE(\"Dual BSD/GPL\");\nMODULE_DESCRIPTION(\"b\");\n";
const OURS: &str = "#ifndef O\n#define O\n/**\n * zstd_a() - Do it\n * @level: How much\n */\n\
    int zstd_a(int level);\n#endif\n";

/// Two modules; `from` becomes `to` in one file.
fn modules(path: &str, from: &str, to: &str) -> Vec<String> {
    let ruleset = load(None).unwrap();
    let inner = "#include \"../common/h.h\"\nint inner(int x) { return shared(x); }\n";
    let shared = "#include \"h.h\"\nint shared(int x) { return x; }\n";
    let files = [
        ("lib/zstd/Makefile", MAKEFILE),
        ("lib/zstd/zstd_compress_module.c", COMPRESS),
        ("lib/zstd/zstd_common_module.c", COMMON),
        ("lib/zstd/compress/a.c", inner),
        (B, shared),
        (H, &header("int inner(int x);\nint shared(int x);")),
        ("include/linux/ours.h", OURS),
    ];
    let files = files.map(|(name, text)| match name.ends_with(path) {
        true => {
            assert!(text.contains(from), "{from}");
            (name, text.replacen(from, to, 1))
        }
        false => (name, text.to_owned()),
    });
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    let mut tree = tree(&files);
    let export = |name: &str| Export {
        name: name.to_owned(),
        header: None,
        is_macro: false,
        condition: None,
    };
    let of = |name: &str, sources: &[&str], exports| {
        let module = ruleset.library.modules.iter().find(|module| module.name == name).unwrap();
        ModuleFiles::new(module, sources.iter().map(|s| (*s).to_owned()).collect(), exports)
    };
    tree.modules = vec![
        of("zstd_compress", &["compress/a.c"], Vec::new()),
        of("zstd_common", &["common/b.c"], vec![export("shared")]),
    ];
    judged(&ruleset, &tree)
}

fn one(path: &str, from: &str, to: &str, wanted: &str) {
    let found = modules(path, from, to);
    assert!(found.iter().any(|line| line.starts_with(wanted)), "{wanted}: {found:#?}");
}

#[test]
fn modules_in_order_are_fine() {
    assert_eq!(modules("Makefile", "obj", "obj"), [] as [&str; 0]);
}

#[test]
fn objects_are_listed_once() {
    one("Makefile", " compress/a.o", "", "object-unlisted a.c:1");
    one("Makefile", "common/b.o", "common/b.o common/c.o", "object-missing Makefile:5");
    one("Makefile", "common/b.o", "common/b.o compress/a.o", "object-twice Makefile:5");
    one(
        "Makefile",
        "obj-$(CONFIG_ZSTD_COMMON) += zstd_common.o\n",
        "",
        "object-unlisted Makefile:4",
    );
}

#[test]
fn exports_are_there_and_right() {
    one("common_module.c", "EXPORT_SYMBOL_GPL(shared);", "", "export-missing a.c:3");
    one("common_module.c", "(shared);", "(shraed);", "export-undefined zstd_common_module.c:3");
    one("common_module.c", "(shared);", "(inner);", "export-undefined zstd_common_module.c:3");
    let twice = "(shared);\nEXPORT_SYMBOL(shared);";
    one("common_module.c", "(shared);", twice, "export-twice zstd_common_module.c:4");
    one("b.c", "int shared", "static int shared", "export-undefined");
    one("b.c", "return x;", "return inner(x);", "module-needs-module b.c:3");
    one("b.c", "int shared", "int inner(int x) { return x; }\nint shared", "symbol-defined-twice");
}

#[test]
fn modules_say_what_they_are() {
    let said = "module-undescribed zstd_common_module.c";
    one("common_module.c", "MODULE_DESCRIPTION(\"b\");", "", said);
    one("common_module.c", "MODULE_LICENSE(\"Dual BSD/GPL\");", "", said);
    one("common_module.c", "Dual BSD/GPL", "GPL", said);
}

#[test]
fn wrappers_are_defined_exported_and_documented() {
    one("ours.h", "int zstd_a(int", "int zstd_b(int", "wrapper-undefined ours.h:8");
    one("compress_module.c", "EXPORT_SYMBOL(zstd_a);", "", "wrapper-unexported ours.h:8");
    one("ours.h", "/**", "/*", "wrapper-undocumented ours.h:8");
    one("ours.h", "zstd_a() - ", "zstd_c() - ", "wrapper-undocumented ours.h:8");
    one("ours.h", "@level", "@depth", "wrapper-undocumented ours.h:8");
}

#[test]
fn sources_that_are_one_unit_share_no_static_name() {
    let one = "static int same(int x) { return x; }\nint (*a)(int) = same;\n";
    let two = "static int same(int x) { return x + 1; }\nint (*b)(int) = same;\n";
    let unit = "#include \"a.c\"\n#include \"b.c\"\nextern int (*a)(int), (*b)(int);\n";
    let found = said(&[(A, one), (B, two), ("lib/zstd/common/unit.h", unit)]);
    assert!(found.contains(&"boot-clash b.c:2 same".to_owned()), "{found:?}");
}
