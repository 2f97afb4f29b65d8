use std::sync::Arc;

use super::*;
use crate::edit::Traced;
use crate::syntax::{Definitions, parse};
use crate::text::{Source, TreePath};
use proptest::prelude::*;

fn declared(text: &str) -> Declarations {
    let path = TreePath::new("lib/a.h").unwrap();
    let defs = Definitions::derive([(&path, text.as_bytes())], []);
    let source = Source::new("lib/a.h", text.as_bytes());
    let parsed = parse(&source, &Traced::new(Arc::clone(&source.bytes)), &defs);
    assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
    parsed.declarations()
}

fn signatures(text: &str) -> Vec<String> {
    let line = |f: &FunctionDeclaration| {
        let names: Vec<&str> = f.parameters.iter().map(|p| p.name.as_str()).collect();
        format!("{}: {} [{}]", f.name, f.signature(), names.join(" "))
    };
    declared(text).functions.iter().map(line).collect()
}

#[test]
fn functions_with_their_types() {
    assert_eq!(
        signatures(
            "#define API extern __attribute__((visibility(\"default\")))\n\
             API size_t  one(void*dst , const  void * src/* c */, size_t n);\n\
             API const char* two(void);\nint three();\nextern unsigned long long *const (four)(int, ...);\n\
             void (*five(int n))(char c);\nint six(int (*call)(void), char list[3], int[]);\n\
             int a, seven(int), *eight(struct s* p);\n"
        ),
        [
            "one: size_t (void *, const void *, size_t) [dst src n]",
            "two: const char *(void) []",
            "three: int (void) []",
            "four: unsigned long long *const (int, ...) []",
            "five: void (*(int))(char c) [n]",
            "six: int (int (*)(void), char[3], int[]) [call list ]",
            "seven: int (int) []",
            "eight: int *(struct s *) [p]",
        ]
    );
}

#[test]
fn what_is_no_function_at_file_scope_is_none() {
    assert_eq!(
        signatures("int (*pointer)(int);\ntypedef int type(int);\nextern int list[2];\n"),
        [""; 0]
    );
    let found = declared("static inline int f(int a) { int g(int); return g(a); }\n");
    let names: Vec<_> = found.functions.iter().map(|f| (f.name.as_str(), f.defined)).collect();
    assert_eq!(names, [("f", true)]);
    assert!(found.functions[0].is_static);
    assert_eq!(found.functions[0].signature(), "int (int)");
}

#[test]
fn groups_and_linkage_hide_nothing() {
    let text = "#ifndef A_H\n#define A_H\n#if defined(__cplusplus)\nextern \"C\" {\n#endif\n\
                int f(int a);\n#ifdef X\nint g(void);\n#else\nint g(int b);\n#endif\n\
                #if defined(__cplusplus)\n}\n#endif\n#endif\n";
    assert_eq!(signatures(text), ["f: int (int) [a]", "g: int (void) []", "g: int (int) [b]"]);
}

#[test]
fn deprecation_is_seen_through_macros() {
    let text = "#define OLD(m) API __attribute__((deprecated(m)))\n#define API\n\
                #define OLDER OLD(\"x\")\n#define FINE(m) API\n\
                int before(void);\nOLD(\"use new()\")\nAPI int old(int);\nOLDER int older(int);\n\
                int new(int);\nFINE(1) int fine(void);\n\
                int behind(void) __attribute__((__deprecated__));\nint last(void);\n";
    let found = declared(text);
    let old: Vec<_> = found.functions.iter().filter(|f| f.deprecated.is_some()).collect();
    let names: Vec<&str> = old.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["old", "older", "behind"]);
    assert_eq!(&text[old[0].deprecated.unwrap().range()], "OLD");
}

#[test]
fn typedefs_say_what_they_name() {
    use TypedefKind::{Enum, Function, FunctionPointer, Other, Struct, Union};
    let found = declared(
        "typedef struct s_s s;\ntypedef struct { int a; } t, *pt;\ntypedef enum e_e { A } e;\n\
         typedef union { int a; } u;\ntypedef unsigned int U32;\ntypedef s other;\n\
         typedef size_t (*call)(void* state, s *x);\ntypedef int function(int);\ntypedef int list[2];\n",
    );
    let typedefs: Vec<_> =
        found.typedefs.iter().map(|t| (t.name.as_str(), t.kind, t.target.to_string())).collect();
    let wanted = [
        ("s", Struct, "struct s_s"),
        ("t", Struct, "struct"),
        ("pt", Other, "struct *"),
        ("e", Enum, "enum e_e"),
        ("u", Union, "union"),
        ("U32", Other, "unsigned int"),
        ("other", Other, "s"),
        ("call", FunctionPointer, "size_t (*)(void *state, s *x)"),
        ("function", Function, "int (int)"),
        ("list", Other, "int [2]"),
    ];
    assert_eq!(typedefs, wanted.map(|(name, kind, text)| (name, kind, text.to_string())));
}

#[test]
fn records_and_enumerations_have_members() {
    let found = declared(
        "typedef struct tag_s {\n  const void* src; /* text */\n  size_t size, *more;\n\
         #ifdef X\n  int (*call)(int);\n#endif\n  unsigned bits : 3;\n  union { int a; };\n} alias;\n\
         union pair { char c[4]; };\n\
         typedef enum { A, B = 1 << 3, /* c */ C = (B) } letters;\nenum plain { D };\n",
    );
    let record = &found.records[0];
    assert_eq!((record.tag.as_deref(), record.alias.as_deref()), (Some("tag_s"), Some("alias")));
    let fields: Vec<String> = record.fields.iter().map(|f| f.ty.declare(&f.name)).collect();
    assert_eq!(
        fields,
        [
            "const void *src",
            "size_t size",
            "size_t *more",
            "int (*call)(int)",
            "unsigned bits",
            "union { int a }"
        ]
    );
    assert_eq!(found.records[1].tag.as_deref(), Some("pair"));
    assert_eq!(found.records[1].fields[0].ty.declare("c"), "char c[4]");
    let values: Vec<_> = found.enumerations[0]
        .enumerators
        .iter()
        .map(|e| (e.name.as_str(), e.value.as_deref()))
        .collect();
    assert_eq!(values, [("A", None), ("B", Some("1 << 3")), ("C", Some("(B)"))]);
    assert_eq!(found.enumerations[0].alias.as_deref(), Some("letters"));
    assert_eq!(found.enumerations[1].tag.as_deref(), Some("plain"));
}

#[test]
fn macros_are_listed_with_what_they_stand_for() {
    let found = declared("#define A\n#define B ( 1<<\\\n 3 ) /* c */\n# define F(x) (x)\n");
    let macros: Vec<_> = found
        .macros
        .iter()
        .map(|m| (m.name.as_str(), m.takes_arguments, m.replacement.as_str()))
        .collect();
    assert_eq!(macros, [("A", false, ""), ("B", false, "(1 << 3)"), ("F", true, "(x)")]);
}

#[test]
fn spans_are_those_of_the_parsed_text() {
    let text = "#define API\nint x;\nAPI int\nf(int a);\n";
    let found = declared(text);
    let f = &found.functions[0];
    assert_eq!(&text[f.name_span.range()], "f");
    assert_eq!(&text[f.span.range()], "int\nf(int a);");
    assert_eq!(&text[f.parameters[0].span.range()], "int a");
}

#[test]
fn spelling_does_not_matter() {
    for (one, other) in [
        ("size_t (void*, const void  *)", "size_t(void *,const void*)"),
        ("const char*(void)", "const char *( /* none */ void )"),
        ("int (*)(void)", "int(*)(void)"),
    ] {
        assert_eq!(normalised(one), normalised(other));
    }
    assert_eq!(normalised("unsigned  long*const*p[ 3 ]"), "unsigned long *const *p[3]");
}

proptest! {
    /// Whatever the text, it is read, and what is found lies in it.
    #[test]
    fn any_text_is_read(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "int", "f", "(", ")", "{", "}", "*", ",", ";", "typedef", "struct", "enum", "a",
                "[3]", "=", "1", "...", "\n#define X\n", "\n#if A\n", "\n#endif\n", "static",
                "__attribute__((deprecated))", ":", "extern \"C\"",
            ]),
            0..60,
        )
    ) {
        whatever_is_found_lies_in(&words.join(" "));
    }
}

fn whatever_is_found_lies_in(text: &str) {
    let source = Source::new("lib/a.h", text.as_bytes());
    let path = TreePath::new("lib/a.h").unwrap();
    let defs = Definitions::derive([(&path, text.as_bytes())], []);
    let traced = Traced::new(Arc::clone(&source.bytes));
    let found = parse(&source, &traced, &defs).declarations();
    for function in &found.functions {
        assert_eq!(text[function.name_span.range()], function.name);
        assert!(function.span.end as usize <= text.len());
    }
    for typedef in &found.typedefs {
        assert!(typedef.span.end as usize <= text.len());
    }
}

#[test]
fn conditionals_without_end_are_read() {
    whatever_is_found_lies_in("a \n#if A\n ( ) [3] \n#if A\n int");
}

#[test]
fn repetition_does_not_multiply() {
    let names: Vec<String> = (0..20_000).map(|n| format!("f{n}(int)")).collect();
    let text = format!("{} int {};\n", "const ".repeat(20_000), names.join(", "));
    let found = declared(&text);
    assert!(found.functions.len() <= 64);
    let size: usize = found.functions.iter().map(|f| f.signature().len()).sum();
    assert!(size < 10 * text.len(), "{size}");
}
