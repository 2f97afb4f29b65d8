use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::finding::{Finding, Severity};
use crate::kernel::target::Target;
use crate::memo::Memo;
use crate::pipeline::Input;
use crate::rules::{Version, load};

/// What the library's rules make of files of a release, below its root; the codes of this module alone.
fn found(files: &[(&str, &str)]) -> Vec<Finding> {
    found_in("strict", files)
}

/// All that is said of these files.
fn whole(profile: &str, files: &[(&str, &str)]) -> Vec<Finding> {
    let ruleset = load(None).unwrap();
    let file =
        |(path, text): &(&str, &str)| (TreePath::new(path).unwrap(), Arc::from(text.as_bytes()));
    let files: BTreeMap<TreePath, Arc<[u8]>> = files.iter().map(file).collect();
    let target = Target::of_version(&ruleset.library, None);
    let version = Version { major: 1, minor: 5, patch: 7 };
    let input = Input { version, exact: false, files: &files, target: &target };
    let profile = ruleset.profile(profile).unwrap();
    let checked = crate::check::check(input, &ruleset, profile, &Memo::default()).unwrap();
    checked.findings.sorted()
}

fn found_in(profile: &str, files: &[(&str, &str)]) -> Vec<Finding> {
    let codes = [
        HARDWIRED,
        HEADER,
        NAME,
        LIBC,
        FLOATING,
        DIVISION,
        INTRINSICS,
        BUILTIN,
        KERNEL_MACRO,
        PRAGMA,
        GLOBAL,
        VARIABLE_ARRAY,
        TRAILING_ARRAY,
        RECURSION,
        ONLY_IN_ASSERT,
    ];
    let mut list = whole(profile, files);
    // Templates include headers that these few files don't make.
    let upstream = |finding: &Finding| finding.labels[0].source.name.starts_with("lib/");
    list.retain(|finding| codes.contains(&finding.code) && upstream(finding));
    list
}

/// `LINE:COLUMN CODE` for each finding of one file.
fn places(text: &str) -> Vec<String> {
    let place = |finding: &Finding| {
        let at = finding.labels[0].position();
        format!("{}:{} {}", at.line, at.column, finding.code)
    };
    found(&[("compress/a.c", text)]).iter().map(place).collect()
}

/// Upstream's text with the remedy of its only finding.
fn fixed(text: &str) -> String {
    let list = found(&[("compress/a.c", text)]);
    assert_eq!(list.len(), 1, "{list:#?}");
    let fix = list[0].fix.as_ref().expect("a remedy");
    let (mut out, mut at) = (String::new(), 0);
    for (span, new) in &fix.edits {
        out += &text[at..span.range().start];
        out += new;
        at = span.range().end;
    }
    out + &text[at..]
}

#[test]
fn wide_divisions_are_told_by_their_operands() {
    let text = "typedef unsigned long long U64;\ntypedef unsigned U32;\n\
        typedef struct { U64 total; U32 count; } sums;\n#define EIGHT 8\n#define TEN 10\n\
        static U64 f(U64 a, U32 b, const sums* s, unsigned long long* p, size_t n)\n{\n\
        U64 x = a / b;\n\
        x += a / 8 + a % EIGHT + a / (1 << 4);\n\
        x += a / TEN;\n\
        x %= b;\n\
        b = b / (U32)a;\n\
        x += s->total / s->count;\n\
        b += s->count / 3 + n / sizeof(a) + n % b;\n\
        x += p[1] / 3;\n\
        x += (a + b) % n;\n\
        b += (U32)(a >> 32) / b;\n\
        assert(a / b);\n\
        /* a / b */\n\
        return x;\n}\n";
    let wanted = ["8:9", "10:6", "11:1", "13:6", "15:6", "16:6"];
    let header = "#define assert(x) ((void)0)\n";
    let found = found(&[("compress/a.c", text), ("common/b.h", header)]);
    let places: Vec<String> = found
        .iter()
        .filter(|finding| finding.code == DIVISION)
        .map(|finding| finding.labels[0].position())
        .map(|at| format!("{}:{}", at.line, at.column))
        .collect();
    assert_eq!(places, wanted);
}

#[test]
fn macros_divide_what_is_handed_to_them() {
    let header = "typedef unsigned long long U64;\ntypedef unsigned U32;\n\
        #define assert(x) ((void)0)\n\
        #define RATE(x, y) (100 * (x) / (y) + 1)\n\
        #define HALF(x) ((x) / 2)\n\
        #define TENTH(x) ((U64)(x) / 10)\n\
        #define STEP(x, n) ((U64)(x) % (n))\n\
        #define CHECKED(x) assert((x) % 3 == 0)\n";
    let text = "#include \"../common/b.h\"\n\
        static U64 f(U64 a, U32 b)\n{\n\
        U64 x = RATE(a, b);\n\
        x += RATE(b, b) + RATE(a, 8) + RATE((U32)a, 3) + HALF(a);\n\
        x += TENTH(b);\n\
        x += b + STEP(b, 4) + STEP(b, b);\n\
        CHECKED(a);\n\
        assert(RATE(a, b));\n\
        return x + RATE(b, a + 1);\n}\n";
    let found = found(&[("common/b.h", header), ("compress/a.c", text)]);
    let told: Vec<String> = found
        .iter()
        .filter(|finding| finding.code == DIVISION)
        .map(|finding| (finding.labels[0].position(), &finding.message))
        .map(|(at, message)| format!("{}:{} {}", at.line, at.column, &message[..25]))
        .collect();
    assert_eq!(
        told,
        [
            "6:19 a 64-bit division needs a",
            "4:9 `RATE` makes a 64-bit div",
            "7:23 `STEP` makes a 64-bit mod",
            "10:12 `RATE` makes a 64-bit div",
        ]
    );
}

#[test]
fn floating_point_is_found_in_code_and_macros_but_not_where_debugging_asks() {
    let text = "#define HALF 0.5\n/* double */ static int f(void) { return sizeof(\"double\"); }\n\
        static long double g(float x);\n#if DEBUGLEVEL >= 2\nstatic double cost(int a);\n#endif\n\
        static int e = 0xE3;\n";
    assert_eq!(places(text), ["1:14 floating-point", "3:13 floating-point", "3:22 floating-point"]);
}

#[test]
fn plain_calls_name_their_remedy_where_the_release_has_it() {
    let deps = "#define ZSTD_memset(p, v, n) memset((p), (v), (n))\n";
    let text = "static void f(int* p) { memset(p, 0, 4); /* memset(p) */ }\n";
    let files = [("compress/a.c", text), ("common/zstd_deps.h", deps)];
    let list = found_in("official", &files);
    assert_eq!((list.len(), list[0].code, list[0].severity), (1, LIBC, Severity::Error));
    let fix = list[0].fix.as_ref().unwrap();
    assert_eq!((fix.edits[0].1.as_str(), fix.edits[0].0.range()), ("ZSTD_memset", 24..30));
    // Where the import maps it, it isn't left.
    assert!(found(&files).is_empty());
    // Without the name there is nothing to offer, and the import has said so already.
    assert!(found(&[("compress/a.c", text)]).is_empty());
}

#[test]
fn variables_are_renamed_throughout_their_function() {
    let text = "static int f(int current, const int* p)\n{\n    /* current */\n#ifdef _MSC_VER\n    \
        current++;\n#endif\n    return current + p[current];\n}\nstatic int g(int curr) { return curr; }\n";
    let wanted = text
        .replace("int current,", "int current_,")
        .replace("current++", "current_++")
        .replace("current + p[current]", "current_ + p[current_]");
    assert_eq!(fixed(text), wanted);
}

#[test]
fn macros_with_arguments_harm_only_what_is_called() {
    let text = "static int f(int min, int max) { return min < max ? min : max; }\n\
        static int swap(int* a, int* b);\ntypedef struct { int (*max)(int); } t;\n\
        static int g(const t* s) { return s->max(1); }\n";
    // In this file something called `max` is called, so that all of that name are in danger.
    assert_eq!(
        places(text),
        ["1:27 kernel-macro-name", "2:12 kernel-macro-name", "3:24 kernel-macro-name"]
    );
}

#[test]
fn pragmas_get_a_guard() {
    let text = "static int a;\n#pragma clang diagnostic push\nstatic int b;\n";
    assert_eq!(
        fixed(text),
        "static int a;\n#ifdef __clang__\n#pragma clang diagnostic push\n#endif\nstatic int b;\n"
    );
    let operators = "#define PUSH _Pragma(\"clang diagnostic push\")\n\
        static void f(int n) { _Pragma(\"GCC diagnostic pop\") PUSH n = \"_Pragma\"[n]; }\n";
    assert_eq!(places(operators), ["1:14 pragma-unguarded"]);
    assert!(places("#ifdef __clang__\n#pragma clang diagnostic push\n#endif\n").is_empty());
}

#[test]
fn arrays_are_as_long_as_they_say() {
    let text = "enum { N = 4 };\n#define M 3\n\
        static int f(int n, int m[n])\n{\n    int a[N], b[M], c[sizeof(n)], d[n + 1];\n    \
        return a[0] + b[0] + c[0] + d[n] + m[0];\n}\n\
        struct one { int n; char d[1]; };\nstruct two { int n; char d[2]; };\n\
        struct flexible { int n; char d[]; };\nstruct only { char d[1]; };\n\
        typedef struct { int n; struct { char e[0]; } inner; } outer;\n\
        typedef struct { int n; short e[0]; } none;\n";
    assert_eq!(
        places(text),
        ["5:37 variable-length-array", "8:26 trailing-array", "13:31 trailing-array"]
    );
}

#[test]
fn arrays_of_no_elements_become_flexible() {
    let none = "struct s { int n; short e[0]; };\n";
    assert_eq!(fixed(none), none.replace("[0]", "[]"));
    let one = found(&[("compress/a.c", &none.replace("[0]", "[1]"))]);
    assert!(one[0].fix.is_none());
    assert!(one[0].hint.as_deref().unwrap().contains("shorter by an element"), "{one:#?}");
}

#[test]
fn fields_are_renamed_where_all_uses_are_known() {
    let text = "struct s { int n; int current; };\n\
        static const struct s first = { .current = 1 };\n\
        static int f(const struct s* p) { return p->current + first . current; }\n";
    let wanted = "struct s { int n; int current_; };\n\
        static const struct s first = { .current_ = 1 };\n\
        static int f(const struct s* p) { return p->current_ + first . current_; }\n";
    assert_eq!(fixed(text), wanted);
    let told = |files: &[(&str, &str)]| {
        let mut list = found(files);
        list.retain(|finding| finding.message.contains("field"));
        assert!(list.iter().all(|finding| finding.fix.is_none()), "{list:#?}");
        list.remove(0).hint.unwrap()
    };
    let b = "#include \"a.h\"\nstatic int f(struct s* p) { return p->current; }\n";
    let header = "struct s { int n; int current; };\n";
    assert_eq!(
        told(&[("common/a.h", header), ("common/b.c", b)]),
        "call it `current_`; it is used in lib/zstd/common/b.c, too"
    );
    let other = format!("{text}struct t {{ char current; }};\n");
    assert!(told(&[("compress/a.c", &other)]).contains("several structs"));
    let local = format!("{text}static int g(int current) {{ return current; }}\n");
    assert!(told(&[("compress/a.c", &local)]).contains("other things are called so"));
    let taken = format!(
        "{text}struct t {{ char n; }};\nstatic int g(struct t* p) {{ return p->current_; }}\n"
    );
    assert!(told(&[("compress/a.c", &taken)]).contains("`current_` is taken"));
}

#[test]
fn a_global_is_told_of_once_with_the_better_remedy() {
    let text = "int planted = 1;\nint ZSTD_f(void);\nint ZSTD_f(void) { return planted; }\n";
    let list = whole("strict", &[("compress/a.c", text)]);
    let of_it: Vec<&Finding> = list.iter().filter(|f| f.message.contains("`planted`")).collect();
    assert_eq!(of_it.len(), 1, "{of_it:#?}");
    assert_eq!((of_it[0].code, of_it[0].severity), (GLOBAL, Severity::Error));
    assert!(
        of_it[0].hint.as_deref().unwrap().ends_with("make it static, or declare it in a header")
    );
    assert_eq!(
        of_it[0].fix.as_ref().unwrap().edits,
        [(crate::text::Span::at(0), "static ".into())]
    );
}

#[test]
fn a_group_that_does_not_balance_is_told_of_once() {
    let list = whole("strict", &[("compress/a.c", "#if A\nint ZSTD_a;\n")]);
    let about = ["unbalanced-conditional", crate::proof::UNPROVED];
    let told: Vec<_> = list.iter().map(|f| f.code).filter(|code| about.contains(code)).collect();
    assert_eq!(told, ["unbalanced-conditional"]);
}

#[test]
fn recursion_is_found_over_files_and_through_macros() {
    let a = "int ZSTD_b(int n);\nint ZSTD_a(int n) { return n ? ZSTD_b(n - 1) : 0; }\n\
        static int same(int n) { return n; }\n";
    let b = "int ZSTD_a(int n);\n#define NEXT(n) ZSTD_a(n)\nint ZSTD_b(int n) { return NEXT(n); }\n\
        static int same(int n) { return n; }\nint ZSTD_c(int n) { return same(n); }\n";
    let list = found(&[("compress/a.c", a), ("compress/b.c", b)]);
    assert_eq!(list.len(), 1, "{list:#?}");
    assert!(list[0].message.contains("`ZSTD_a`") && list[0].message.contains("`ZSTD_b`"));
    assert_eq!((list[0].code, list[0].labels.len()), (RECURSION, 2));
}

#[test]
fn variables_that_only_assertions_read_are_found() {
    let head = "#define assert(x) ((void)0)\nint ZSTD_next(void);\n";
    let flagged =
        "static void f(int n)\n{\n    int sum = 0;\n    sum += n;\n    assert(sum == n);\n}\n";
    let text = format!("{head}{flagged}");
    let fine = "static int g(int n)\n{\n    int marked = n, read = n, other = n;\n    (void)marked;\n    \
        assert(marked); assert(read); assert(other);\n    ZSTD_use(other);\n    return read;\n}\n";
    assert_eq!(places(&format!("{text}{fine}")), ["5:9 only-in-assert"]);
    assert_eq!(fixed(&text), text.replace("assert(sum == n);", "assert(sum == n); (void)sum;"));
    let under = "static void h(int n)\n{\n#if DEBUGLEVEL >= 1\n    int sum = n;\n#endif\n    assert(sum == n);\n}\n";
    assert!(places(&format!("{head}{under}")).is_empty());
}

#[test]
fn settled_macros_are_not_left() {
    let text = "static int f(void) { return ZSTD_MULTITHREAD; /* ZSTD_MULTITHREAD */ }\n";
    assert_eq!(places(text), ["1:29 hardwired-macro-left"]);
    assert!(places("#ifdef ZSTD_MULTITHREAD\nint ZSTD_x = ZSTD_MULTITHREAD;\n#endif\n").is_empty());
}

#[test]
fn hostile_text_is_survived() {
    let deep = format!(
        "static int f(long long a) {{ return a / {}a{}; }}\n",
        "(".repeat(5000),
        ")".repeat(5000)
    );
    let nested =
        format!("static void f(void) {{ {}int a; a = a / 2; }}\n", "{ int a; ".repeat(3000));
    let many = format!("static int {}b;\n", "a, ".repeat(20_000));
    let groups = "#if A\n".repeat(3000);
    found(&[
        ("compress/a.c", &deep),
        ("compress/b.c", "static int f(int a { return a / ; } } } #define"),
        ("compress/c.c", &nested),
        ("compress/d.c", &many),
        ("compress/e.c", &groups),
        ("compress/f.c", "#pragma\n#include\n#define\n#pragma clang"),
    ]);
}
