use super::*;
use crate::rules::Simplify;
use proptest::prelude::*;

fn flags(args: &[&str]) -> Settings {
    let mut defines = Vec::new();
    let mut undefines = Vec::new();
    for arg in args {
        match (arg.strip_prefix("-U"), arg.strip_prefix("-D")) {
            (Some(name), _) => undefines.push(name.to_owned()),
            (_, Some(define)) => defines.push(match define.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (define.to_owned(), None),
            }),
            _ => panic!("{arg}"),
        }
    }
    Settings::from_flags(&defines, &undefines, Simplify::Full).unwrap()
}

fn run(text: &str, args: &[&str]) -> (String, Vec<String>) {
    let source = Source::new("in.c", text.as_bytes());
    let (folded, findings) = fold_text(&source, &flags(args)).unwrap();
    let out = folded.map_or(String::new(), |t| String::from_utf8(t.bytes().to_vec()).unwrap());
    let findings = findings
        .sorted()
        .iter()
        .map(|f| format!("{}:{}", f.labels[0].position().line, f.code))
        .collect();
    (out, findings)
}

fn folded(text: &str, args: &[&str]) -> String {
    let (out, findings) = run(text, args);
    assert_eq!(findings, Vec::<String>::new(), "{text}");
    out
}

#[test]
fn chains() {
    let text = "#ifdef A\na\n#elifdef B\nb\n#elifndef C\nc\n#else\nd\n#endif\n";
    assert_eq!(folded(text, &["-UA"]), "#ifdef B\nb\n#elifndef C\nc\n#else\nd\n#endif\n");
    assert_eq!(folded(text, &["-UA", "-UB"]), "#ifndef C\nc\n#else\nd\n#endif\n");
    assert_eq!(folded(text, &["-UB"]), "#ifdef A\na\n#elifndef C\nc\n#else\nd\n#endif\n");
    assert_eq!(folded(text, &["-UC"]), "#ifdef A\na\n#elifdef B\nb\n#else\nc\n#endif\n");
    assert_eq!(folded(text, &["-DB", "-UA"]), "b\n");
    assert_eq!(folded(text, &["-DC"]), "#ifdef A\na\n#elifdef B\nb\n#else\nd\n#endif\n");
    let text = "#if A\na\n# elif K > 1 \\\n || K // two\nb\n#elif C\nc\n#endif // end\n";
    assert_eq!(folded(text, &["-DK=1"]), "#if A\na\n# else // two\nb\n#endif // end\n");
}

#[test]
fn words_do_not_run_together() {
    assert_eq!(folded("#if!A||B\nx\n#endif\n", &["-DA=1"]), "#if B\nx\n#endif\n");
    assert_eq!(folded("#if(A)&&B\nx\n#endif\n", &["-DA=1"]), "#if B\nx\n#endif\n");
    assert_eq!(folded("#if!A||!B\nx\n#endif\n", &["-DA=1"]), "#if!B\nx\n#endif\n");
    assert_eq!(
        folded("#if x\n#elif!A||\\\nB\ny\n#endif\n", &["-DA=1"]),
        "#if x\n#elif \\\nB\ny\n#endif\n"
    );
}

#[test]
fn comments_of_earlier_lines_keep_their_end() {
    assert_eq!(folded("/* a\n */ #ifdef G\nx\n#endif\ny\n", &["-UG"]), "/* a\n */\ny\n");
    assert_eq!(folded("/* a\n */ #ifdef G\nx\n#endif\ny\n", &["-DG"]), "/* a\n */\nx\ny\n");
    let text = "#ifdef G\nx /* a\n */ #endif\n/* b\n */ #else\n#endif\n";
    assert_eq!(folded(text, &["-UH"]), text);
    let text = "#ifdef G\n/* a\n */ #else\ny\n#endif /* c\n */\nz\n";
    assert_eq!(folded(text, &["-UG"]), "y\nz\n");
}

#[test]
fn directives_that_lose_their_level_move_left() {
    assert_eq!(folded("#ifdef K\n#  define A 1\n#endif\n", &["-DK"]), "#define A 1\n");
    assert_eq!(folded("#ifdef K\n  #  define A 1\n#endif\n", &["-DK"]), "#define A 1\n");
    let text = "#ifdef K\n#  if A\n#   define B\n#  endif\n#endif\n";
    assert_eq!(folded(text, &["-DK"]), "#if A\n# define B\n#endif\n");
    let text = "#ifdef K\n# ifdef L\n#  define A\n#  define B\n# endif\n# define C\n#endif\n";
    assert_eq!(folded(text, &["-DK", "-DL"]), "#define A\n#define B\n#define C\n");
    let text = "#ifdef K\n# define A\n\n# define B\n#endif\n";
    assert_eq!(folded(text, &["-DK"]), "# define A\n\n# define B\n");
    let text = "#ifdef G\n#elif A\n#  define B\n#endif\n";
    assert_eq!(folded(text, &["-UG"]), "#if A\n#  define B\n#endif\n");
}

#[test]
fn definitions_against_the_settings_are_refused() {
    assert_eq!(run("#define K 2\n", &["-DK=1"]).1, ["1:hardwired-redefined"]);
    assert_eq!(run("#if 0\n#if A\n#define K 2\n#endif\n#endif\n", &["-DK=1"]).1, [""; 0]);
    assert_eq!(run("\n#undef K\n", &["-DK=1"]).1, ["2:hardwired-redefined"]);
    assert_eq!(run("#define K\n", &["-UK"]).1, ["1:hardwired-redefined"]);
    assert_eq!(run("#define K  1 /* one */\n#undef L\n", &["-DK=1", "-UL"]).1, [""; 0]);
    assert_eq!(run("#define K 6\n", &["-DK=5.."]).1, [""; 0]);
    assert_eq!(run("#define K 4\n", &["-DK=5.."]).1, ["1:hardwired-redefined"]);
    assert_eq!(run("#ifndef K\n#define K 0\n#endif\n", &["-DK=1"]).1, [""; 0]);
}

#[test]
fn a_macro_that_loses_its_definition_must_not_be_used() {
    let text = "#ifndef K\n#define K 0\n#endif\nint f(void) { return K; }\n";
    assert_eq!(run(text, &["-DK=1"]).1, ["4:default-removed"]);
    let text = "#ifndef K\n#define K 0\n#endif\n#if K\nint a;\n#endif\n/* K */\n";
    assert_eq!(run(text, &["-DK=1"]).1, [""; 0]);
    let text = "#ifndef K\n#define K 0\n#endif\n#if K + A > 1\n#endif\n";
    assert_eq!(run(text, &["-DK=1"]).1, ["4:default-removed"]);
}

#[test]
fn what_needs_an_unknown_value_is_said() {
    assert_eq!(run("\n#if K > 1\n#endif\n", &["-DK"]).1, ["2:hardwired-left"]);
    assert_eq!(run("#if defined(K) && A\n#endif\n", &["-DK"]).1, [""; 0]);
}

#[test]
fn unbalanced_groups_are_refused() {
    assert_eq!(run("#if A\n#else\n#elif B\n#endif\n", &[]).1, ["3:unbalanced-conditional"]);
    assert_eq!(run("#endif\n", &[]).1, ["1:unbalanced-conditional"]);
    assert_eq!(
        run("#if A\n/*\n#endif\n", &[]).1,
        ["1:unbalanced-conditional", "2:unterminated-comment"]
    );
}

#[test]
fn twenty_thousand_levels() {
    let depth = 20_000;
    let text = "#ifdef K\n".repeat(depth) + "x\n" + &"#endif\n".repeat(depth);
    assert_eq!(folded(&text, &["-DK"]), "x\n");
    let text = "#ifdef A\n#ifdef K\n".repeat(depth) + "x\n" + &"#endif\n#endif\n".repeat(depth);
    let want = "#ifdef A\n".repeat(depth) + "x\n" + &"#endif\n".repeat(depth);
    assert_eq!(folded(&text, &["-DK"]), want);
    let text = "#ifdef K\n".repeat(depth) + &"# endif\n".repeat(depth);
    assert_eq!(folded(&text, &["-DK"]), "");
}

fn c_texts() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("#if A"),
        Just("#ifdef K"),
        Just("#ifndef K"),
        Just("#elif K"),
        Just("#else"),
        Just("#endif"),
        Just("#if K && A || defined(G)"),
        Just("x;"),
        Just("/*"),
        Just("*/"),
        Just("#  define B"),
        Just("#elif !defined(G) && \\\n A"),
        Just(""),
        Just("\"/*\""),
        Just("#endif"),
        Just("#endif"),
        Just("# if G"),
        Just("#define K 1"),
    ];
    prop::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n") + "\n")
}

proptest! {
    #[test]
    fn folding_twice_changes_nothing_more(text in c_texts()) {
        let source = Source::new("in.c", text.as_bytes());
        let settings = flags(&["-DK=1", "-UG"]);
        if let (Some(once), _) = fold_text(&source, &settings).unwrap() {
            let again = Source::new("in.c", once.bytes().to_vec());
            let (twice, _) = fold_text(&again, &settings).unwrap();
            let twice = twice.expect("the output balances");
            prop_assert_eq!(
                String::from_utf8_lossy(twice.bytes()),
                String::from_utf8_lossy(once.bytes())
            );
        }
    }
}
