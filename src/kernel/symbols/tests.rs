use super::*;

/// Files given as path and text.
fn symbols(files: &[(&str, &str)]) -> Symbols {
    let files = files.iter().map(|(path, text)| (TreePath::new(path).unwrap(), text.as_bytes()));
    read(&files.collect(), &["lib/own", "include"])
}

fn names(map: &BTreeMap<String, Place>) -> Vec<&str> {
    map.keys().map(String::as_str).collect()
}

fn object<'s>(symbols: &'s Symbols, path: &str) -> &'s ObjectSymbols {
    &symbols.objects[&TreePath::new(path).unwrap()]
}

#[test]
fn definitions_with_external_linkage_are_found() {
    let text = "#define STATIC static\n#define ALIGNED(n) __attribute__((aligned(n)))\n\
        #define TWO(name) static int name##_a(void) { return 1; }\n\
        TWO(made) TWO(also)\nint o_first(void) { return 1; }\n\
        STATIC int hidden(void) { return made_a(); }\n\
        static int later(int);\nint later(int x) { return x; }\n\
        ALIGNED(8) const int o_table[2] = { 1, 2 };\nstatic ALIGNED(8) int local[2];\n\
        extern int o_elsewhere;\nint o_one = 1, o_two;\nstruct tag { int member; };\n\
        struct tag *o_pointer;\ntypedef int o_type;\nenum { O_A, O_B };\n\
        __attribute__((noinline)) int *o_last(int (*call)(void))\n{ return call() ? 0 : 0; }\n";
    let symbols = symbols(&[("lib/own/a.c", text)]);
    let wanted = ["o_first", "o_last", "o_one", "o_pointer", "o_table", "o_two"];
    assert_eq!(names(&object(&symbols, "lib/own/a.c").defines), wanted);
    assert!(symbols.undefined.is_empty(), "{:?}", symbols.undefined);
}

#[test]
fn needs_come_through_macros_and_inline_functions() {
    let header = "int o_used(void);\nint o_unused(void);\nint o_plain(void);\nint o_member(void);\n\
        int o_deep(void);\nint o_dropped(void);\nint o_text(void);\nextern int o_data;\n\
        #define IGNORE(what, ...) do { } while (0)\n#define PASS(what) IGNORE(what, #what)\n\
        #define NAMED(what) #what\n#define KEEP(what) ((what) + o_data)\n\
        static inline int inner(void) { return o_deep(); }\n\
        static inline int unused(void) { return o_unused(); }\n";
    let source = "#include \"sub/b.h\"\nstruct s { int o_member; };\n\
        int o_start(struct s *s) { IGNORE(1, o_dropped()); PASS(o_dropped()); /* o_text() */\n\
        return s->o_member + KEEP(o_used()) + inner() + sizeof(NAMED(o_text)) + \"o_text\"[0]; }\n";
    let defines = "int o_used(void) { return 1; }\nint o_unused(void) { return 1; }\n\
        int o_member(void) { return 1; }\nint o_deep(void) { return 1; }\nint o_data;\n\
        int o_dropped(void) { return 1; }\nint o_text(void) { return 1; }\n";
    let symbols =
        symbols(&[("lib/own/a.c", source), ("lib/own/d.c", defines), ("lib/own/sub/b.h", header)]);
    let needs = &object(&symbols, "lib/own/a.c").needs;
    assert_eq!(names(needs), ["o_data", "o_deep", "o_used"]);
    assert_eq!(needs["o_deep"].path.as_str(), "lib/own/sub/b.h");
    assert!(object(&symbols, "lib/own/d.c").needs.is_empty());
    assert_eq!(symbols.declared["o_used"].path.as_str(), "lib/own/sub/b.h");
}

#[test]
fn what_nothing_defines_is_told() {
    let header = "int o_gone(void);\nint o_never(void);\nvoid other_gone(void);\n#define O_M(x) x\n\
        typedef int o_type;\n";
    let source = "#include <b.h>\nint o_start(void) { o_type (t); other_gone(); kernel(1);\n\
        return o_gone() + o_undeclared(1) + O_M(2) + o_value; }\n";
    let symbols = symbols(&[("lib/own/a.c", source), ("include/b.h", header)]);
    assert_eq!(names(&symbols.undefined), ["o_gone", "o_undeclared"]);
    assert_eq!(symbols.undefined["o_gone"].path.as_str(), "lib/own/a.c");
}

#[test]
fn names_that_macros_put_together_are_not_missing() {
    let text = "#define MAKE(kind, n) static int o_do_##kind##_##n(void) { return 1; }\n\
        MAKE(fast, 4)\n#define END(name) static int name##_end(void) { return 1; }\nEND(o_x)\n\
        #define THE(name) static int name(void) { return 1; }\nTHE(o_the) THE(o_last);\n\
        int o_start(void) { return o_the() + o_last() + o_do_fast_4() + o_x_end() + o_dont_fast_4() + o_end_x(); }\n";
    let symbols = symbols(&[("lib/own/a.c", text)]);
    assert_eq!(names(&symbols.undefined), ["o_dont_fast_4", "o_end_x"]);
}

#[test]
fn a_macro_hides_the_function_of_its_name_where_it_is_sure_to_be_one() {
    let header = "#ifndef B_H\n#define B_H\n#define o_is E_is\n#define o_call(x) E_is(x)\n\
        static int E_is(int x) { return x; }\n#if OTHER\n#define o_perhaps E_is\n#endif\n#endif\n";
    let own = "#include \"b.h\"\n#undef o_is\nint o_is(int x) { return E_is(x); }\n\
        int (o_call)(int x) { return o_is(x); }\nint o_perhaps(int x) { return x; }\n";
    let user = "#include \"b.h\"\nint o_start(void) { return o_is(1) + o_call(2); }\n";
    let undefines = "#include \"b.h\"\n#undef o_is\nint o_other(void) { return o_is(1); }\n";
    let both = "#include \"b.h\"\nint o_both(void) { int (*f)(int) = o_call; return f(1) + \
        (o_call)(2) + o_call(3) + o_perhaps(4); }\n";
    let alone = "int o_is(int);\nint o_alone(void) { return o_is(1); }\n";
    let symbols = symbols(&[
        ("lib/own/alone.c", alone),
        ("lib/own/b.h", header),
        ("lib/own/both.c", both),
        ("lib/own/own.c", own),
        ("lib/own/undef.c", undefines),
        ("lib/own/use.c", user),
    ]);
    let needs = |path| names(&object(&symbols, path).needs);
    assert_eq!(names(&object(&symbols, "lib/own/own.c").defines), ["o_call", "o_is", "o_perhaps"]);
    assert_eq!(needs("lib/own/use.c"), [""; 0]);
    assert_eq!(needs("lib/own/undef.c"), ["o_is"]);
    assert_eq!(needs("lib/own/both.c"), ["o_call", "o_perhaps"]);
    assert_eq!(needs("lib/own/alone.c"), ["o_is"]);
    assert_eq!(symbols.macros, ["B_H", "o_call", "o_is", "o_perhaps"]);
}

#[test]
fn hostile_text_costs_no_more_than_it_is_long() {
    let deep = "M(".repeat(40_000);
    let nested = format!("#define M(x) x\nint o_f(void) {{ return {deep}; }}\n");
    let makers = format!("#define G(x) static int x {{ }}\n{}int o_g;\n", "G(a) ".repeat(20_000));
    let chain: String = (0..500).map(|n| format!("#define C{n}(x) C{}(x)\n", n + 1)).collect();
    let cycle = "#define A(x) B(x)\n#define B(x) A(x)\nint o_c(void) { return A(o_f()); }\n";
    let started = std::time::Instant::now();
    let files = [
        ("lib/own/a.c", nested.as_str()),
        ("lib/own/b.c", makers.as_str()),
        ("lib/own/c.c", chain.as_str()),
        ("lib/own/d.c", cycle),
        ("lib/own/e.c", "((((}}}};;;{{{{ \" # define"),
        ("lib/own/self.c", "#include \"self.c\"\n#include \"../../../x.h\"\n"),
    ];
    symbols(&files);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
