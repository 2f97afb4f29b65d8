use super::*;
use crate::preprocess::lexer::scan;
use crate::text::TreePath;
use proptest::prelude::*;

fn path() -> TreePath {
    TreePath::new("lib/a.c").unwrap()
}

fn definitions(text: &str) -> Definitions {
    Definitions::derive([(&path(), text.as_bytes())], [])
}

fn masked(text: &str) -> String {
    String::from_utf8(mask(text.as_bytes(), &definitions(text))).unwrap()
}

/// What is left of the last line, with runs of blanks as one.
fn last_line(text: &str) -> String {
    let masked = masked(text);
    let line = masked.lines().last().unwrap();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn parsed(text: &str) -> Parsed {
    let source = Source::new("lib/a.c", text.as_bytes());
    parse(&source, &Traced::new(Arc::clone(&source.bytes)), &definitions(text))
}

fn errors(text: &str) -> Vec<String> {
    let place = |f: &Finding| {
        let at = f.labels[0].position();
        format!("{}:{}: {}", at.line, at.column, f.message)
    };
    parsed(text).errors.iter().map(place).collect()
}

fn clean(text: &str) {
    assert_eq!(errors(text), Vec::<String>::new(), "{text}\n{}", masked(text));
}

#[test]
fn specifiers_are_derived_to_a_fixpoint() {
    let defs = "#define INNER __attribute__((unused))\n#define LINK extern \"C\"\n\
                #define OUTER(n) static INNER __attribute__((aligned(n)))\n#define ALL LINK OUTER(4)\n";
    assert_eq!(last_line(&format!("{defs}ALL OUTER(8 * (2)) int x;")), "int x;");
    // One definition that is a specifier is enough; a value is none.
    let defs = "#ifdef A\n#define W __declspec(x)\n#else\n#define W\n#endif\n#define V 3\n";
    assert_eq!(last_line(&format!("{defs}W int x = V;")), "int x = V;");
    let defs = "#define E\n#define F(x)\n#define X int\n";
    assert_eq!(last_line(&format!("{defs}E F(a, (b)) X f(void) E;")), "X f(void) ;");
}

#[test]
fn names_from_rules_are_specifiers() {
    let defs = Definitions::derive([(&path(), &b""[..])], ["API"]);
    assert_eq!(mask(b"API(x) API int f;", &defs), b"           int f;");
    assert!(!defs.defines("API", &path()));
}

#[test]
fn a_macro_that_takes_arguments_is_used_only_with_them() {
    assert_eq!(last_line("#define S(x) static\nint S;"), "int S;");
    assert_eq!(last_line("#define S static\nS (*p)(void);"), "(*p)(void);");
}

#[test]
fn operators_behind_a_value_go() {
    let defs = "#define KB *(1 << 10)\n#define NEG -1\n";
    assert_eq!(last_line(&format!("{defs}int x = 8 KB + (a) KB + b KB;")), "int x = 8 + (a) + b ;");
    assert_eq!(last_line(&format!("{defs}f(NEG, (int)NEG);")), "f(NEG, (int)NEG);");
    clean(&format!("{defs}int f(void) {{ return NEG; }}\n"));
}

#[test]
fn operators_on_types_become_sizeof() {
    let defs = "#define ALIGN_OF(T) __alignof__(T)\n#define OF(T) (sizeof(T))\n";
    assert_eq!(last_line(&format!("{defs}int x = ALIGN_OF(char*);")), "int x = sizeof (char*);");
    clean(&format!("{defs}int x = ALIGN_OF(char*);\n"));
}

#[test]
fn wrappers_leave_what_they_wrap() {
    let defs = "#define AL(n) __attribute__((aligned(n)))\n#define MEMBER(n, what) what AL(n)\n";
    assert_eq!(
        last_line(&format!("{defs}struct s {{ MEMBER(64, int a[8]); }};")),
        "struct s { int a[8] ; };"
    );
    clean(&format!("{defs}struct s {{ MEMBER(64, int a[8]); }};\n"));
    assert_eq!(last_line("#define ALL(...) __VA_ARGS__\nf(ALL(a, b(c, d)));"), "f( a, b(c, d) );");
}

#[test]
fn macros_that_end_themselves_get_a_semicolon() {
    clean("#define GEN(n) static int f##n(void) { return n; }\nGEN(1)\nGEN(2)\nint x;\nGEN(3)");
    clean(
        "#define TWO(n) GEN(n) GEN(n##n)\n#define GEN(n) int v##n;\nstruct s {\nTWO(1)\nint x;\n};\n",
    );
    clean(
        "#define M(t, n) t n;\nstruct s {\nM(int, a)\nM(char*, b); int x;\nunion { M(T, u) } v; };\n",
    );
    clean(
        "#define CASE(n) case n: f(n); break;\nvoid g(int i) { switch (i) {\nCASE(1)\nCASE(2)\n} }\n",
    );
    clean("#define DO(n) { f(n); }\nvoid g(int i) { if (i) DO(1) else DO(2)\n}\n");
    assert_eq!(masked("#define G(n) int n;\nG(a)\nint b;"), "                   \nG(a);int b;");
    // Nothing says that this one needs none.
    assert!(!errors("#define CALL(n) f(n)\nvoid g(void) { CALL(1)\n g(); }\n").is_empty());
}

#[test]
fn macros_make_enumerators() {
    clean("#define LIST(I) I(A), I(B),\n#define NAME(x) X_##x,\nenum e { LIST(NAME) LAST };\n");
}

#[test]
fn groups_that_cut_a_statement_are_decided() {
    clean(
        "int f(int a) {\n return a\n#ifdef A\n + 1\n#elif defined(B)\n + 2\n#else\n + 3\n#endif\n;\n}\n",
    );
    clean(
        "int f(int a) {\n#ifdef A\n if (a) {\n#else\n if (!a) {\n#endif\n a++; }\n return a; }\n",
    );
    clean(
        "int t[] = {\n#ifdef A\n {1}\n#else\n {2}\n#endif\n};\nint g(\n#ifdef A\nint a\n#endif\n);\n",
    );
    clean(
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n",
    );
    clean("void f(int a) {\n#ifdef A\n if (a) g();\n else\n#endif\n h();\n}\n");
    clean(
        "void f(int a) {\n#ifdef A\n if (a) g();\n#endif\n else h();\n}\n"
            .replace("else ", "")
            .as_str(),
    );
    clean("enum e { A,\n#ifdef X\n B,\n#define C 3\n#pragma x\n#endif\n D };\n");
}

#[test]
fn groups_of_whole_statements_stay() {
    let text = "#ifdef A\nint a;\n#else\nint b;\n#endif\n";
    assert_eq!(masked(text), text);
    assert_eq!(parsed(text).views.len(), 1);
}

#[test]
fn every_branch_is_parsed() {
    let text = |one: &str, two: &str| {
        format!(
            "int f(int a) {{\n return a +\n#if A\n#if B\n 1\n#else\n {one}\n#endif\n#else\n {two}\n#endif\n ;}}\n"
        )
    };
    clean(&text("2", "3"));
    assert_eq!(parsed(&text("2", "3")).views.len(), 3);
    assert!(!errors(&text("(2", "3")).is_empty());
    assert!(!errors(&text("2", "(3")).is_empty());
}

#[test]
fn the_ways_to_cut_are_bounded() {
    let mut text = String::from("int x =\n#if A0\n0\n");
    for n in 1..40 {
        text.push_str(&format!("#elif A{n}\n{n}\n"));
    }
    text.push_str("#endif\n;\n");
    let errors = errors(&text);
    assert!(errors[0].contains("40 ways"), "{errors:?}");
}

#[test]
fn lexical_oddities_are_made_plain() {
    clean(
        "#de\\\nfine A /* c\n c */ x\nin\\\nt x\\\n;\n%:ifdef A /* c */\nint a<:3:>;\n#endif junk\n",
    );
    clean(
        "#if __has_include(<a.h>) && H(<b.h>) ? 1 : 0\n#endif\n#\n#warning don't\nchar* s = \"\\qé\" L\"\\\n\";",
    );
    clean(
        "typedef __attribute__((aligned(1))) unsigned u;\n[[nodiscard]] int f(void);\n#define E(a, b...)",
    );
}

#[test]
fn mistakes_are_seen() {
    assert_eq!(errors("int a\nint b;\n").len(), 1);
    assert_eq!(errors("int f(void) { return 1 }\n"), ["1:23: `;` is missing"]);
    assert!(!errors("__attribute__((aligned(1)) int x;\n").is_empty());
    assert!(!errors("#define F(a\nint x;\n").is_empty());
    assert!(!errors("#define\nint x;\n").is_empty());
    assert!(!errors("int x; @\n").is_empty());
    assert!(!errors("#if A\nint x;\n").is_empty());
}

#[test]
fn what_the_grammar_takes_and_c_does_not_is_seen() {
    let body = |text: &str| errors(&format!("void f(int* p) {{ {text} }}\n"));
    assert!(!body("*p = 1 *p = 2;").is_empty());
    assert!(!body("int* q = p *p = 2;").is_empty());
    assert!(!body("int a __asm__(\"x\" : \"=r\"(a) : \"r\"(a));").is_empty());
    assert!(!errors("struct s { unsigned a\n unsigned b; };\n").is_empty());
    assert!(!errors("int f(void)\nint g(void) { return 1; }\n").is_empty());
    assert!(body("int a = (p[a = 1], *p = 2); a = *p = 3; unsigned __int64 b;").is_empty());
}

#[test]
fn findings_are_capped_and_point_upstream() {
    let text = "int f(void) { return 1 }\n".repeat(50);
    let found = parsed(&text).errors;
    assert_eq!(found.len(), MAX_FINDINGS + 1);
    assert!(found.iter().last().unwrap().message.starts_with("30 more"));

    let source = Source::new("lib/a.c", &b"gone\nint f(void) { return 1 }\n"[..]);
    let mut edits = crate::edit::EditSet::default();
    edits.delete(Span::new(0, 5), vec![crate::edit::RuleRef::new("sections", "x")]);
    let text = Traced::new(Arc::clone(&source.bytes)).apply(edits).unwrap();
    let found = parse(&source, &text, &Definitions::default()).errors;
    assert_eq!(found.iter().next().unwrap().labels[0].position().line, 2);
}

fn calls(text: &str) -> Vec<String> {
    let names = ["free", "malloc", "memcpy"].map(str::as_bytes);
    let wanted = |name: &[u8]| names.contains(&name);
    let defs = definitions(text);
    let own = |name: &[u8]| defs.defines(std::str::from_utf8(name).unwrap(), &path());
    let mut found = parsed(text).calls(&|name| wanted(name) && !own(name));
    for directive in &scan(text.as_bytes()).directives {
        found.extend(calls_in_definition(text.as_bytes(), directive, &wanted, &own));
    }
    found.iter().map(|c| format!("{}:{}", c.name.start, &text[c.name.range()])).collect()
}

#[test]
fn calls_are_found_by_syntax() {
    assert_eq!(calls("void f(void* p) { free(p); }"), ["18:free"]);
    assert_eq!(calls("void f(void* p) { (free)(p); }"), ["19:free"]);
    assert_eq!(calls("int x = sizeof(memcpy(a, b, c));"), ["15:memcpy"]);
    assert_eq!(calls("void f(int* p) { p = (int*)mal\\\nloc(4); }"), ["27:mal\\\nloc"]);
    assert_eq!(calls("void f(T* p) { if (p) free((void*)p); else free(*p); }").len(), 2);
}

#[test]
fn other_uses_of_a_name_are_no_calls() {
    for text in [
        "void f(S* s) { s->free(s); s->f.free(1); }",
        "void free(void* p);",
        "struct s { void (*free)(void*); };",
        "void f(void) { /* free(p) */ g(\"free(p)\"); } // free(p)",
        "void f(void (*free)(void*)) { free(p); }",
        "void f(void) { void (*free)(void*) = g; free(p); }",
        "void f(free) void (*free)(void*); { free(p); }",
        "static void (*free)(void*) = g;\nvoid f(void) { free(p); }",
        "void free(void* p) { }\nvoid f(void) { free(p); }",
        "void f(void) { g = malloc; goto free; free: ; }",
    ] {
        assert_eq!(calls(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_local_name_hides_only_in_its_scope() {
    let text =
        "void f(void (*free)(void*)) { { int malloc; } malloc(1); }\nvoid g(void) { free(0); }";
    assert_eq!(calls(text).len(), 2);
    assert_eq!(calls("int g(void (*free)(void*));\nvoid f(void) { free(p); }").len(), 1);
    assert_eq!(calls("void f(void) { void free(void*); free(p); }").len(), 1);
}

#[test]
fn every_branch_of_a_cut_group_is_searched() {
    let text = "void f(void) { g(\n#if A\n malloc(1)\n#else\n malloc(2)\n#endif\n); }";
    assert_eq!(calls(text).len(), 2);
}

#[test]
fn calls_in_macro_bodies() {
    assert_eq!(
        calls("#define COPY(d, s, n) \\\n do { memcpy((d), (s), (n)); } while (0)\n").len(),
        1
    );
    assert_eq!(
        calls("#define A(x) return malloc (x)\n#define B ((T*)malloc(4))\n#define C -free(1)")
            .len(),
        3
    );
    // The function behind a macro of the same name.
    assert_eq!(
        calls("#define malloc(n) (count++, malloc(n))\nvoid f(void) { malloc(1); }").len(),
        1
    );
    for text in [
        "#define free(x) drop(x)\n#define B free(y)",
        "#define CALL(free, x) free(x)",
        "#define M(s) (s)->free(s) + (s).free(s)",
        "#define P(x) x##free(1) #free (2)",
        "#define D void free(void*);\n#define E void* malloc(n) { return 0; }",
        "#define S \"free(x)\" /* free(x) */",
        "#if free(1)\n#endif\n#error free(x)",
    ] {
        assert_eq!(calls(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_static_function_is_its_own_file_s() {
    let other = TreePath::new("lib/b.c").unwrap();
    let header = TreePath::new("lib/c.h").unwrap();
    let defs = Definitions::derive(
        [
            (&path(), &b"static void free(void* p) { if (p) { } }\nint ext(int a) __attribute__((x(1)));\n"[..]),
            (&header, &b"extern \"C\" {\nstatic int in(void) { return f(1); }\n}\n#define M\n"[..]),
        ],
        [],
    );
    assert!(defs.defines("free", &path()) && !defs.defines("free", &other));
    assert!(defs.defines("in", &other) && defs.defines("M", &other));
    assert!(!defs.defines("f", &other) && !defs.defines("ext", &path()));
}

/// Texts that no parser must take long for, nor a stack overflow end.
#[test]
fn hostile_texts_end_in_findings() {
    let piece = [
        "(",
        "{",
        "a(",
        "[",
        "if(",
        "x?",
        "*",
        "a b ",
        "struct s{",
        "#if a\n",
        "a+",
        "<<",
        "\"",
        "'",
        "a:",
        "sizeof ",
        "(a)",
        "else ",
        "do ",
        "#define a(",
        "f(void)",
    ];
    for piece in piece {
        let text = piece.repeat((1 << 16) / piece.len());
        let found = parsed(&text);
        assert!(!found.errors.is_empty(), "{piece}");
        found.calls(&|name| name == b"a");
    }
    let text = "(".repeat(10 << 20);
    assert_eq!(errors(&text), ["1:1: the file is too long to be parsed"]);
}

fn c_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "#if A\n",
        "#else\n",
        "#endif\n",
        "#elif B\n",
        "#define ",
        "\n",
        "\\\n",
        "/*",
        "*/",
        "//",
        "\"",
        "'",
        "a",
        "M",
        "M(",
        "1",
        " ",
        "\r\n",
        "(",
        ")",
        "{",
        "}",
        ";",
        ",",
        "=",
        "static ",
        "int ",
        "#define M(x) x;\n",
        "#define N static\n",
        "N ",
        "enum {",
        "__attribute__((",
        "extern \"C\" {",
        "[[",
        "]]",
        "<%",
        "%:",
        "else ",
        "\u{e9}",
        "free(",
        "#pragma x\n",
        "return ",
        "*",
        "##",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|v| v.concat().into_bytes())
}

/// What has to hold for any bytes.
fn holds(bytes: &[u8]) {
    let defs = Definitions::derive([(&path(), bytes)], ["API"]);
    let masked = mask(bytes, &defs);
    assert_eq!(masked.len(), bytes.len());
    assert!(masked.is_ascii());
    let new_lines = masked.iter().zip(bytes).filter(|(m, b)| **m == b'\n' && **b != b'\n').count();
    assert_eq!(new_lines, 0);
    let source = Source::new("lib/a.c", bytes);
    let parsed = parse(&source, &Traced::new(Arc::clone(&source.bytes)), &defs);
    for finding in parsed.errors.iter() {
        assert!(finding.labels[0].span.end as usize <= bytes.len());
    }
    for call in parsed.calls(&|_| true) {
        assert!(call.name.end as usize <= bytes.len());
    }
    for directive in &scan(bytes).directives {
        calls_in_definition(bytes, directive, &|_| true, &|_| false);
    }
}

proptest! {
    #[test]
    fn any_bytes_keep_their_length(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        holds(&bytes);
    }

    #[test]
    fn anything_like_c_keeps_its_length(bytes in c_like()) {
        holds(&bytes);
    }
}

#[test]
fn long_gaps_are_skipped_without_a_trace() {
    let gap = format!("/*{}*/", "long ".repeat(40));
    let blanks = " ".repeat(200);
    for text in [
        format!("#ifdef A{blanks}{gap}\n{gap}\nint{gap}a;\n#endif{gap}{blanks}\n{gap}\nint b;\n"),
        format!("#include <a.h>{blanks}\n{gap}int{blanks}f(void)\n{gap}{{ return 1; }}\n"),
    ] {
        assert_eq!(errors(&text), Vec::<String>::new(), "{text}");
    }
    let missing = |gap: &str| errors(&format!("int a;\n{gap}\nint f(void) {{ return 1 }}\n"));
    assert_eq!(missing(&gap), missing(""));
    assert!(missing("")[0].starts_with("3:"));
}
