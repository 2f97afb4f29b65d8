//! Faults that commits bring, planted one at a time into a release: what the check says of each, and
//! where.

use std::collections::BTreeSet;

use kernelize::check::check;
use kernelize::finding::Finding;
use kernelize::kernel::target::Target;
use kernelize::memo::Memo;
use kernelize::pipeline::Input;
use kernelize::rules::load;
use kernelize::text::{Files, TreePath};

use crate::imported::Imported;

/// A fault: what is put at the end of a file, the line of it that is at fault, from 1, and the codes
/// that are to point there.
type Fault = (&'static str, &'static str, &'static str, usize, &'static [&'static str]);

const SOURCE: &str = "compress/hist.c";

const FAULTS: &[Fault] = &[
    (
        "a plain call",
        SOURCE,
        "void ZSTD_p(char* p);\nvoid ZSTD_p(char* p) { memset(p, 0, 4); }\n",
        2,
        &["plain-call"],
    ),
    (
        "an allocation",
        SOURCE,
        "void* ZSTD_p(void);\nvoid* ZSTD_p(void) { return malloc(4); }\n",
        2,
        &["plain-call"],
    ),
    (
        "a call that has no counterpart",
        SOURCE,
        "void ZSTD_p(void);\nvoid ZSTD_p(void) { printf(\"x\"); }\n",
        2,
        &["libc-call"],
    ),
    ("a header of the C library", SOURCE, "#include <stdlib.h>\n", 1, &["include-not-allowed"]),
    ("a header that is nowhere", SOURCE, "#include \"nowhere.h\"\n", 1, &["include-not-allowed"]),
    (
        "intrinsics",
        SOURCE,
        "#include <immintrin.h>\n",
        1,
        &["include-not-allowed", "intrinsics-left"],
    ),
    (
        "a vector type",
        SOURCE,
        "static int p1(__m128i* p) { return p != NULL; }\nint ZSTD_p(void);\nint ZSTD_p(void) { return p1(NULL); }\n",
        1,
        &["intrinsics-left"],
    ),
    (
        "floating point",
        SOURCE,
        "static int p1(int a) { return (int)(a * 1.5); }\nint ZSTD_p(void);\nint ZSTD_p(void) { return p1(2); }\n",
        1,
        &["floating-point"],
    ),
    (
        "a division of 64 bits",
        SOURCE,
        "static U64 p1(U64 a, U32 b) { return a / b; }\nU64 ZSTD_p(void);\nU64 ZSTD_p(void) { return p1(2, 1); }\n",
        1,
        &["wide-division"],
    ),
    (
        "a modulo of 64 bits",
        SOURCE,
        "static U64 p1(U64 a, U32 b) { a %= b; return a; }\nU64 ZSTD_p(void);\nU64 ZSTD_p(void) { return p1(2, 1); }\n",
        1,
        &["wide-division"],
    ),
    (
        "an array of any length",
        SOURCE,
        "static int p1(int n) { int a[n]; a[0] = n; return a[0]; }\nint ZSTD_p(void);\nint ZSTD_p(void) { return p1(2); }\n",
        1,
        &["variable-length-array"],
    ),
    (
        "an array of one at the end",
        SOURCE,
        "typedef struct { int n; U32 d[1]; } P1;\nU32 ZSTD_p(P1* p, int i);\nU32 ZSTD_p(P1* p, int i) { return p->d[i]; }\n",
        1,
        &["trailing-array"],
    ),
    (
        "recursion",
        SOURCE,
        "static int p1(int n) { return n ? p1(n - 1) : 0; }\nint ZSTD_p(void);\nint ZSTD_p(void) { return p1(2); }\n",
        1,
        &["recursion"],
    ),
    (
        "a global without prefix",
        SOURCE,
        "int planted(void);\nint planted(void) { return 1; }\n",
        2,
        &["global-without-prefix"],
    ),
    ("a global that should be static", SOURCE, "int ZSTD_planted = 1;\n", 1, &["should-be-static"]),
    (
        "a function of one compiler",
        SOURCE,
        "int ZSTD_p(int a);\nint ZSTD_p(int a) { return __builtin_nosuch(a); }\n",
        2,
        &["builtin-not-allowed"],
    ),
    (
        "a pragma of clang's",
        SOURCE,
        "#pragma clang diagnostic ignored \"-Wfoo\"\n",
        1,
        &["pragma-unguarded"],
    ),
    (
        "a macro of the kernel's",
        SOURCE,
        "int ZSTD_p(int a);\nint ZSTD_p(int a) { int const current = a; return current; }\n",
        2,
        &["kernel-macro-name"],
    ),
    (
        "a variable for an assertion",
        SOURCE,
        "int ZSTD_p(int a);\nint ZSTD_p(int a) { int const b = a + 1; assert(b > 0); return a; }\n",
        2,
        &["only-in-assert"],
    ),
    (
        "a name that nobody has",
        SOURCE,
        "int ZSTD_p(int a);\nint ZSTD_p(int a) { return ZSTD_nobodyHasThis(a); }\n",
        2,
        &["undefined-symbol"],
    ),
    (
        "a name of the bundled hash",
        SOURCE,
        "int ZSTD_p(int a);\nint ZSTD_p(int a) { return (int)XXH3_64bits(&a, 4); }\n",
        2,
        &["forbidden-name"],
    ),
    (
        "a new macro",
        SOURCE,
        "#ifdef ZSTD_PLANTED_SWITCH\nint ZSTD_p(int a);\n#endif\n",
        1,
        &["unclassified-macro"],
    ),
    (
        "a setting that is contradicted",
        SOURCE,
        "#define ZSTD_COMPRESS_HEAPMODE 0\n",
        1,
        &["hardwired-redefined"],
    ),
    (
        "a group that is never closed",
        SOURCE,
        "#if DEBUGLEVEL >= 2\nint ZSTD_p(int a);\n",
        1,
        &["unbalanced-conditional"],
    ),
    ("a comment that is never closed", SOURCE, "/* and so on\n", 1, &["unterminated-comment"]),
    ("text that is no C", SOURCE, "int ZSTD_p(int a) { return ; ) }\n", 1, &["syntax-error"]),
    ("a byte that is no text", SOURCE, "/* \0 */\n", 1, &["binary-file"]),
    (
        "two definitions of a macro",
        SOURCE,
        "#define ZSTD_P1 1\n#define ZSTD_P1 2\n",
        2,
        &["macro-defined-twice"],
    ),
    (
        "a second type of the same name",
        SOURCE,
        "typedef unsigned P1;\ntypedef int P1;\n",
        2,
        &["type-defined-twice"],
    ),
];

fn place(finding: &Finding) -> (String, usize) {
    let label = &finding.labels[0];
    (label.source.name.clone(), label.position().line)
}

#[test]
fn planted_faults_are_found_where_they_are() {
    let ruleset = load(None).unwrap();
    let profile = ruleset.profile("strict").unwrap();
    let target = Target::of_version(&ruleset.library, None);
    let version = "1.5.6".parse().unwrap();
    let release = Imported::files("1.5.6");
    let memo = Memo::default();
    let codes = |files: &Files, file: &str, line: usize| -> BTreeSet<&'static str> {
        let input = Input { version, exact: true, files, target: &target };
        let found = check(input, &ruleset, profile, &memo).unwrap().findings;
        let here = (format!("lib/{file}"), line);
        found.iter().filter(|f| place(f) == here).map(|f| f.code).collect()
    };
    let mut wrong = Vec::new();
    for (what, file, text, line, wanted) in FAULTS {
        let path = TreePath::new(file).unwrap();
        let mut files = release.clone();
        let before = files[&path].to_vec();
        let lines = before.split(|byte| *byte == b'\n').count() - 1;
        assert_eq!(before.last(), Some(&b'\n'));
        files.insert(path, [before.as_slice(), text.as_bytes()].concat().into());
        let found = codes(&files, file, lines + line);
        println!(
            "{what:<34} {file}:{:<5} {}",
            lines + line,
            found.iter().copied().collect::<Vec<_>>().join(" ")
        );
        let missing: Vec<_> = wanted.iter().filter(|code| !found.contains(**code)).collect();
        if !missing.is_empty() {
            wrong.push(format!("{what}: {missing:?} not among {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
