//! Faults of rewrites, planted: a rule was at work, and did something else than it says.

use std::fs;

use super::*;
use crate::rules::load;
use crate::rules::tests::LIBRARY;

const RULES: [(&str, &str, &str); 4] = [
    ("names", "renamed", "[rename]\nold = \"new\"\npair = \"struct s\"\n"),
    ("includes", "mapped", "from = \"<limits.h>\"\nto = \"<linux/limits.h>\"\n"),
    ("sections", "cut", "marker = \"rest\"\n"),
    (
        "macros",
        "replaced",
        "names = [\"K\"]\nclass = \"feature\"\nstate = \"value\"\nvalue = \"(2)\"\nreplace-in = \"a.c\"\n",
    ),
];

/// Of each cut the rule, and what it makes of what.
type Cut<'a> = (&'a str, &'a str, &'a str);

/// The messages of the proof of `before` with each of `cuts` made.
fn told(before: &str, cuts: &[Cut<'_>]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("library.toml"), LIBRARY).unwrap();
    for (kind, id, text) in RULES {
        fs::create_dir_all(dir.path().join(kind)).unwrap();
        let text = format!("id = \"{id}\"\nwhy = \"a reason that is long enough\"\n{text}");
        fs::write(dir.path().join(kind).join(format!("{id}.toml")), text).unwrap();
    }
    let ruleset = load(Some(dir.path())).unwrap();
    proved(&ruleset, before, cuts)
}

fn proved(ruleset: &Ruleset, before: &str, cuts: &[Cut<'_>]) -> Vec<String> {
    let profile = ruleset.profile("strict").unwrap();
    let version = Version { major: 1, minor: 5, patch: 7 };
    let active = Active::new(ruleset, version, profile);
    let mut edits = EditSet::default();
    for (rule, from, to) in cuts {
        assert_eq!(before.matches(from).count(), 1, "{from}");
        let at = before.find(from).unwrap();
        let (kind, id) = rule.split_once('/').unwrap();
        edits.replace(Span::new(at, at + from.len()), *to, &RuleRef::new(kind, id));
    }
    let text = Traced::new(before.as_bytes()).apply(edits).unwrap();
    let prover = Prover::new(&active, std::iter::once(&**text.bytes())).unwrap();
    let source = Source::new("a.c", before.as_bytes());
    let findings = prover.file(&source, &text).findings.sorted();
    findings.iter().map(|f| f.message.clone()).collect()
}

#[track_caller]
fn fine(before: &str, cuts: &[Cut<'_>]) {
    assert_eq!(told(before, cuts), Vec::<String>::new(), "{before} {cuts:?}");
}

#[track_caller]
fn wrong(before: &str, cuts: &[Cut<'_>], message: &str) {
    let found = told(before, cuts);
    assert!(found.iter().any(|text| text.contains(message)), "{before} {cuts:?} {found:#?}");
}

#[test]
fn names_become_what_their_rule_says() {
    let rule = "names/renamed";
    fine("int old;\n", &[(rule, "old", "new")]);
    fine("pair* p;\n", &[(rule, "pair", "struct s")]);
    wrong("int old;\n", &[(rule, "old", "older")], "`old` became `older`, which no rule says");
    wrong("int other;\n", &[(rule, "other", "new")], "`other` is left out");
    wrong("int old;\n", &[("includes/mapped", "old", "new")], "`old` is left out");
    wrong("pair* p;\n", &[(rule, "pair", "struct")], "`pair` is left out");
    wrong("int old, x;\n", &[(rule, "old, x", "new")], "`,` is left out");
    wrong("int old;\n", &[(rule, "old", "new[2]")], "has `[` here, which no rule puts in");
}

#[test]
fn a_name_stays_where_it_is() {
    let rule = "names/renamed";
    wrong("#define A \\\n old\nint b;\n", &[(rule, "\\\n old", "\nnew")], "`old` became `new`");
    wrong("#define A 1\nold b;\n", &[(rule, "\nold", " new")], "`old` became `new`");
    fine("#define A old\n", &[(rule, "old", "new")]);
    wrong(
        "#if B\nold a;\n#endif\nint c;\n",
        &[(rule, "old a;\n#endif\nint", "#endif\nnew a;\nint")],
        "a",
    );
}

#[test]
fn headers_become_what_their_rule_says() {
    let rule = "includes/mapped";
    fine("#include <limits.h>\n", &[(rule, "<limits.h>", "<linux/limits.h>")]);
    wrong(
        "#include <limits.h>\n",
        &[(rule, "<limits.h>", "<linux/kernel.h>")],
        "which no rule says",
    );
    wrong("#include <math.h>\n", &[(rule, "<math.h>", "<linux/limits.h>")], "is left out");
}

#[test]
fn a_section_ends_at_its_marker() {
    let rule = "sections/cut";
    let before = "int a;\n/* BEGIN rest */\nint b;\n/* END rest */\nint c;\n";
    fine(before, &[(rule, "/* BEGIN rest */\nint b;\n/* END rest */\n", "")]);
    wrong(
        before,
        &[(rule, "/* BEGIN rest */\nint b;\n/* END rest */\nint c;\n", "")],
        "`int` is left out",
    );
    wrong(before, &[(rule, "int a;\n", "")], "`int` is left out");
    let other = "/* BEGIN other */\nint b;\n/* END other */\nint c;\n";
    wrong(
        other,
        &[(rule, "/* BEGIN other */\nint b;\n/* END other */\n", "")],
        "`int` is left out",
    );
}

#[test]
fn a_definition_stands_for_a_default() {
    let rule = "macros/replaced";
    let group = "#ifndef K\n#  define K 1\n#endif\n";
    let before = format!("int a;\n{group}int k = K;\n#if FREE\nint c;\n#endif\n");
    fine(&before, &[(rule, group, "#define K (2)\n")]);
    wrong(&before, &[(rule, group, "#define K 2\n")], "which no rule puts in");
    wrong(&before, &[(rule, group, "#define K(2)\n")], "which no rule puts in");
    wrong(
        &before,
        &[(rule, "a;\n#ifndef K\n#  define K 1\n#endif\n", "#define K (2)\n")],
        "`a` is left out",
    );
    // Behind its first use, in place of nothing.
    let before = format!("{group}int k = K;\n/* here */\n");
    wrong(
        &before,
        &[(rule, group, ""), (rule, "/* here */", "#define K (2)")],
        "which no rule puts in",
    );
    let dead = format!("{group}int k = K;\n#ifndef K\nint dead;\n#endif\n");
    wrong(
        &dead,
        &[(rule, group, ""), (rule, "#ifndef K\nint dead;\n#endif\n", "#define K (2)\n")],
        "which no rule puts in",
    );
}

#[test]
fn compilers_are_not_mixed_up() {
    let ruleset = load(None).unwrap();
    let rule = "macros/planted";
    let before = "#ifdef __clang__\nint a;\n#else\nint b;\n#endif\n";
    let swapped = [(rule, "#ifdef", "#ifndef")];
    let found = proved(&ruleset, before, &swapped);
    assert!(found[1].starts_with("`a` is compiled in only one"), "{found:?}");
    let cut = [(rule, "#ifdef __clang__\nint a;\n#else\n", ""), (rule, "#endif\n", "")];
    let found = proved(&ruleset, before, &cut);
    assert!(found[0].contains("`int` is left out"), "{found:?}");
    assert!(found.iter().any(|text| text.contains("when the build is by clang")), "{found:?}");
    let both = "#if defined(__clang__) || defined(__GNUC__)\nint a;\n#endif\n";
    let cut = [(rule, "#if defined(__clang__) || defined(__GNUC__)\n", ""), (rule, "#endif\n", "")];
    assert_eq!(proved(&ruleset, both, &cut), Vec::<String>::new());
}
