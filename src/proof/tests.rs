//! Faults that importers have had, planted: each is what the shape in question must not become.

mod rewritten;

use super::*;
use crate::edit::{EditSet, RuleRef, Traced};
use crate::preprocess::fold_text;
use crate::rules::{Profile, Ruleset, Simplify, Version};

/// Settings as flags say them.
fn settings(defines: &[&str], undefines: &[&str]) -> Settings {
    let defines: Vec<_> = defines
        .iter()
        .map(|text| match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => ((*text).to_owned(), None),
        })
        .collect();
    let undefines: Vec<_> = undefines.iter().map(|name| (*name).to_owned()).collect();
    Settings::from_flags(&defines, &undefines, Simplify::Full).unwrap()
}

/// The messages of the proof that `text`, made from `before`, means the same. Hard-wired macros are
/// `lost` where the text afterwards doesn't define them.
pub(super) fn held(before: &str, text: Traced, settings: Settings, lost: &[&str]) -> Vec<String> {
    let ruleset = Ruleset::default();
    let profile =
        Profile { name: "p".into(), why: String::new(), simplify: Simplify::Full, closed: true };
    let active = Active::new(&ruleset, Version::default(), &profile);
    let rewrites = Rewrites::new(&active);
    let lost = lost.iter().map(|name| name.as_bytes()).collect();
    let first = first_bytes(settings.entries().iter().map(|entry| entry.name.as_bytes()));
    let prover = Prover { rules: &active, settings, rewrites, lost, first };
    let source = Source::new("a.c", before.as_bytes());
    let findings = prover.file(&source, &text).findings.sorted();
    let line = |f: &Finding| f.labels.first().map_or(0, |label| label.position().line);
    findings.iter().map(|f| format!("{}: {}", line(f), f.message)).collect()
}

/// `before` with each of `cuts`, which stand in it once, replaced, as an importer might have done it.
fn edited(before: &str, cuts: &[(&str, &str)]) -> Traced {
    let mut edits = EditSet::default();
    for (from, to) in cuts {
        assert_eq!(before.matches(from).count(), 1, "{from}");
        // Bytes that are the same at both ends are no part of the change.
        let same = |a: &mut dyn Iterator<Item = (u8, u8)>| a.take_while(|(a, b)| a == b).count();
        let head = same(&mut from.bytes().zip(to.bytes()));
        let (old, new) = (&from[head..], &to[head..]);
        let tail = same(&mut old.bytes().rev().zip(new.bytes().rev()));
        let at = before.find(from).unwrap() + head;
        let text = &new[..new.len() - tail];
        let span = Span::new(at, at + old.len() - tail);
        edits.replace(span, text, &RuleRef::new("macros", "planted"));
    }
    Traced::new(before.as_bytes()).apply(edits).unwrap()
}

/// That what the folder makes is proved, and what the old importer made is not.
fn planted(
    before: &str,
    (defines, undefines): (&[&str], &[&str]),
    cuts: &[(&str, &str)],
) -> Vec<String> {
    let right = fold_text(&Source::new("a.c", before.as_bytes()), &settings(defines, undefines));
    let right = right.unwrap().0.unwrap();
    assert_eq!(held(before, right, settings(defines, undefines), &[]), Vec::<String>::new());
    let lost: Vec<&str> = defines.iter().map(|d| d.split('=').next().unwrap()).collect();
    held(before, edited(before, cuts), settings(defines, undefines), &lost)
}

#[test]
fn a_true_elif_that_loses_its_group() {
    let before = "#if FREE\na\n#elif defined(K)\nb\n#endif\n";
    let found = planted(before, (&["K"], &[]), &[("#elif defined(K)\n", ""), ("#endif\n", "")]);
    assert_eq!(found, ["1: this file can't be proved: its conditionals don't balance"]);
    let before = "#if FREE\na\n#elif defined(K)\nb\n#else\nc\n#endif\n";
    let found = planted(before, (&["K"], &[]), &[("#elif defined(K)\n", ""), ("c\n", "")]);
    assert_eq!(found, ["4: `b` is compiled in only one of upstream and the kernel form always"]);
}

#[test]
fn a_known_operand_that_stays() {
    let before = "#if A || K\na\n#endif\n#if !K\nb\n#endif\n";
    let found = planted(before, (&["K=0"], &[]), &[("#if !K\n", ""), ("b\n#endif\n", "b\n")]);
    // An undefined name is 0, too, but compilers warn of it.
    assert_eq!(found, ["1: `K` is settled by the rules, and yet this condition asks for it"]);
    let before = "#if A && K\na\n#endif\n";
    let found = planted(before, (&["K=1"], &[]), &[("A ", "A  ")]);
    assert_eq!(
        found,
        [
            "1: `K` is settled by the rules, and yet this condition asks for it",
            "2: `a` is compiled in only one of upstream and the kernel form when `A` is below 0"
        ]
    );
}

#[test]
fn a_value_that_is_not_looked_at() {
    let before = "#if K == 0\na\n#endif\n#if K > 1\nb\n#endif\n";
    let found = planted(
        before,
        (&["K=0"], &[]),
        &[("#if K == 0\na\n#endif\n", ""), ("#if K > 1\nb\n#endif\n", "")],
    );
    assert_eq!(found, ["2: `a` is left out of the kernel form, though upstream has it always"]);
    let found = planted(
        before,
        (&["K=1"], &[]),
        &[("#if K == 0\na\n#endif\n", ""), ("#if K > 1\n", ""), ("b\n#endif\n", "b\n")],
    );
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("5: `b` is compiled in only one of"), "{found:?}");
}

#[test]
fn precedence_that_is_not_c_s() {
    let before = "#if defined(K) && FOO || BAR\na\n#endif\n";
    let found =
        planted(before, (&[], &["K"]), &[("#if defined(K) && FOO || BAR\na\n#endif\n", "")]);
    assert_eq!(
        found,
        ["2: `a` is left out of the kernel form, though upstream has it when `BAR` is below 0"]
    );
}

#[test]
fn an_endif_that_is_not_the_group_s() {
    let before = "#ifdef K\na\n#else\n#if FOO\nb\n#endif\ntail\n#endif\n";
    let found =
        planted(before, (&[], &["K"]), &[("#ifdef K\na\n#else\n", ""), ("#endif\ntail", "tail")]);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("7: `tail` is compiled in only one of"), "{found:?}");
}

#[test]
fn a_continued_condition() {
    let before = "#if defined(K) \\\n && FOO\na\n#endif\n";
    let found = planted(before, (&["K"], &[]), &[("#if defined(K) \\\n", ""), ("#endif\n", "")]);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("2: the kernel form has `&&` here"), "{found:?}");
    let before = "#if defined(K) \\\n || FOO\na\n#endif\n";
    let found = planted(before, (&[], &["K"]), &[("#if defined(K) \\\n || FOO\na\n#endif\n", "")]);
    assert!(found[0].starts_with("3: `a` is left out"), "{found:?}");
}

#[test]
fn shapes_that_are_not_recognised() {
    for condition in ["#if FOO && defined(K)", "#ifdef  K", "#if !(K)", "#if X", "#if FOO || !K"] {
        let before = format!("{condition}\na\n#else\nb\n#endif\n");
        let same = Traced::new(before.as_bytes());
        let found = held(&before, same, settings(&[], &["K", "X"]), &[]);
        assert_eq!(found.len(), 1, "{condition} {found:?}");
        assert!(found[0].ends_with("is settled by the rules, and yet this condition asks for it"));
    }
}

#[test]
fn a_default_that_goes_while_code_uses_it() {
    let before = "#ifndef K\n#define K 0\n#endif\nint f(void) { return K; }\n";
    let settings = settings(&["K=0"], &[]);
    let cut = edited(before, &[("#ifndef K\n#define K 0\n#endif\n", "")]);
    assert_eq!(
        held(before, cut, settings, &["K"]),
        ["4: `K` is used, but nothing defines it any more"]
    );
}

#[test]
fn a_directive_in_a_comment() {
    let before = "/*\n#ifdef K\nexample\n#endif\n*/ a\n";
    let found = planted(before, (&[], &["K"]), &[("/*\n#ifdef K\nexample\n#endif\n*/ a", "")]);
    assert_eq!(found, ["5: `a` is left out of the kernel form, though upstream has it always"]);
    // Comments aren't compared; an opener that is gone makes code of one.
    let found = planted(before, (&[], &["K"]), &[("/*\n", "")]);
    assert!(found[1].contains("has `example` here, which no rule puts in"), "{found:?}");
}

#[test]
fn a_definition_in_the_wrong_place() {
    let before = "#ifdef OUT\n#ifndef K\n#define K 1\n#endif\n#endif\nint k = K;\n";
    let settings = settings(&["K=2"], &[]);
    let cut = edited(before, &[("#ifndef K\n#define K 1\n#endif\n", "#define K 2\n")]);
    let found = held(before, cut, settings, &[]);
    assert!(found[0].contains("which no rule puts in"), "{found:?}");
}

#[test]
fn tokens_that_a_rule_does_not_account_for() {
    let none = || settings(&[], &[]);
    for (before, cuts) in [
        ("int a;\n", [("int a", "int b")]),
        ("int a, b;\n", [(", b", "")]),
        ("#define A 1\nint b;\n", [("1\n", "1 ")]),
        ("#define A (1)\n", [("A (", "A(")]),
        ("int ab;\n", [("ab", "a b")]),
        ("int a = 1;\n", [("a =", "a /* = */ =")]),
    ] {
        let found = held(before, edited(before, &cuts), none(), &[]);
        assert_eq!(found.is_empty(), cuts[0].1.contains("/*"), "{before} {found:?}");
    }
}

#[test]
fn what_a_definition_between_changes_is_not_taken_for_the_same() {
    // `K` is defined between the two conditions: the second does not follow from the first.
    let before = "#ifndef X\n#define X 1\n#if X\na\n#endif\n#endif\n";
    let cut = edited(before, &[("#if X\na\n#endif\n", "")]);
    let found = held(before, cut, settings(&[], &[]), &[]);
    assert!(found[0].starts_with("4: `a` is left out"), "{found:?}");
    let before = "#ifndef X\n#include \"x.h\"\n#ifdef X\na\n#endif\n#endif\n";
    let cut = edited(before, &[("#ifdef X\na\n#endif\n", "")]);
    let found = held(before, cut, settings(&[], &[]), &[]);
    assert!(found[0].starts_with("4: `a` is left out"), "{found:?}");
}

#[test]
fn bounds_imply_each_other() {
    // Below `V >= 8` the condition `V >= 4` holds: it can go. Below `V >= 4` the other can't.
    let before = "#if V >= 8\n#if V >= 4\na\n#endif\n#endif\n";
    let cut = edited(before, &[("#if V >= 4\n", ""), ("a\n#endif\n", "a\n")]);
    assert_eq!(held(before, cut, settings(&[], &[]), &[]), Vec::<String>::new());
    let cut = edited(before, &[("#if V >= 8\n", ""), ("#endif\n#endif\n", "#endif\n")]);
    let found = held(before, cut, settings(&[], &[]), &[]);
    assert_eq!(
        found,
        [
            "3: `a` is compiled in only one of upstream and the kernel form when `V` is at least 4 and \
          `V` is below 8"
        ]
    );
}

#[test]
fn ranges_decide() {
    let before = "#if V >= 5\na\n#endif\n#if V < 5 || W\nb\n#endif\n";
    let found =
        planted(before, (&["V=6.."], &[]), &[("#if V >= 5\na\n#endif\n", ""), ("V < 5 || W", "W")]);
    assert_eq!(found, ["2: `a` is left out of the kernel form, though upstream has it always"]);
}

#[test]
fn conditions_nested_without_end_are_refused() {
    let deep = format!("#if {}1{}\na\n#endif\n", "(".repeat(10_000), ")".repeat(10_000));
    let same = Traced::new(deep.as_bytes());
    assert_eq!(held(&deep, same, settings(&[], &[]), &[]), Vec::<String>::new());
    // Every condition is a function of all around it: together they are too large to write down.
    let nested =
        (0..3000).map(|n| format!("#if X{n}\n")).chain((0..3000).map(|_| "#endif\n".into()));
    let nested: String = nested.collect();
    let found = held(&nested, Traced::new(nested.as_bytes()), settings(&[], &[]), &[]);
    assert!(found[0].contains("too many or too entangled"), "{found:?}");
    let many: String = (0..17_000).map(|n| format!("#if X{n}\na\n#endif\n")).collect();
    let found = held(&many, Traced::new(many.as_bytes()), settings(&[], &[]), &[]);
    assert!(found[0].contains("too many or too entangled"), "{found:?}");
}

#[test]
fn branches_and_conditions_stay_as_they_were() {
    let before = "#if A\na\n#else\nb\n#endif\nc\n";
    let none = || settings(&[], &[]);
    for cuts in [
        vec![("a\n#else\nb", "b\n#else\na")],
        vec![("#else\n", "")],
        vec![("#if A", "#if !A")],
        vec![("#if A", "#ifdef A")],
        vec![("#if A", "#ifndef A")],
        vec![("#if A", "#if A > 1")],
        vec![("#else", "#elif B")],
        vec![("#else", "#elif A")],
        vec![("#endif\nc", "c\n#endif")],
        vec![("b\n#endif", "#endif\nb")],
        vec![("a\n#else", "/* a\n#else */")],
        vec![("a\n#else\nb\n#endif", "a /*\n#else\nb*/\n#endif")],
        vec![("#endif\nc", "#endif c")],
        vec![("c\n", "c c\n")],
        vec![("a\n", "// a\n")],
        vec![("a\n", "a \\\n")],
    ] {
        let found = held(before, edited(before, &cuts), none(), &[]);
        assert!(!found.is_empty(), "{cuts:?}");
    }
    for cuts in [
        vec![("#if A", "#if !!A")],
        vec![("#if A", "#if A != 0")],
        vec![("#if A", "#if (A > 0) || 0 > A")],
        vec![("#else", "#elif !A")],
    ] {
        let found = held(before, edited(before, &cuts), none(), &[]);
        assert_eq!(found, Vec::<String>::new(), "{cuts:?}");
    }
}

#[test]
fn operators_do_not_run_together() {
    for (before, cut) in [
        ("a = b + +c;\n", ("+ +", "++")),
        ("a = b & &c;\n", ("& &", "&&")),
        ("a = b - >c;\n", ("- >", "->")),
        ("a = L 'c';\n", ("L 'c'", "L'c'")),
        ("a = b / *c; /**/\n", ("/ *", "/*")),
        ("a = 1 .b;\n", ("1 .", "1.")),
        ("int a; #\n", ("; #", ";\n#")),
        ("#define A(x) # x\n#define B a ## b\n", ("a ## b", "a # # b")),
    ] {
        let found = held(before, edited(before, &[cut]), settings(&[], &[]), &[]);
        assert!(!found.is_empty(), "{before}");
    }
}

#[test]
fn what_a_macro_stands_for_may_change_with_another() {
    // `Y` may stand for `X`, which changes between the two conditions.
    let before =
        "#if Y\n#define X 1\n#if Y\na\n#endif\n#else\n#define X 1\n#if Y\nb\n#endif\n#endif\n";
    let cut = edited(before, &[("#if Y\nb\n#endif\n", "")]);
    let found = held(before, cut, settings(&[], &[]), &[]);
    assert!(!found.is_empty());
    assert!(found[0].starts_with("9: `b` is left out"), "{found:?}");
}

#[test]
fn bounds_are_not_off_by_one() {
    let before = "#if V >= 4\na\n#endif\n";
    for (to, same) in [
        ("V > 3", true),
        ("!(V < 4)", true),
        ("4 <= V", true),
        ("V >= 5", false),
        ("V > 4", false),
        ("V >= 3", false),
        ("V >= 4u", false),
        ("V >= 4 || V == 3", false),
        ("V >= 4 && V != 4", false),
        ("V == 4 || V > 4", true),
    ] {
        let cut = edited(before, &[("V >= 4", to)]);
        assert_eq!(held(before, cut, settings(&[], &[]), &[]).is_empty(), same, "{to}");
    }
}
