//! The folder and the proof were written apart from each other: whatever the one makes of a text, the
//! other has to find right.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::tests::held;
use crate::edit::Traced;
use crate::preprocess::fold_text;
use crate::preprocess::settings::Settings;
use crate::rules::Simplify;
use crate::text::Source;

/// A name that a condition may ask for.
const NAMES: [&str; 7] = ["A", "B", "C", "K", "L", "M", "V"];

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

fn atom() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(&["<", "<=", ">", ">=", "==", "!="][..]);
    prop_oneof![
        4 => name().prop_map(str::to_owned),
        3 => name().prop_map(|name| format!("defined({name})")),
        1 => name().prop_map(|name| format!("defined {name}")),
        3 => (name(), operator, -1i32..6).prop_map(|(name, op, n)| format!("{name} {op} {n}")),
        1 => (0i32..6, name()).prop_map(|(n, name)| format!("{n} >= {name}")),
        1 => (name(), name()).prop_map(|(a, b)| format!("({a} + {b}) > 2")),
        1 => (name(), 0i32..3).prop_map(|(a, n)| format!("{a} * {n} + 1 == 3")),
        1 => (0i32..3).prop_map(|n| n.to_string()),
        1 => Just("__has_x(y)".to_owned()),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    atom().prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            3 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} && {b}")),
            3 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} || {b}")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) ? ({b}) : K")),
            2 => inner.clone().prop_map(|a| format!("({a})")),
            1 => inner.clone().prop_map(|a| format!("!({a})")),
            1 => inner.prop_map(|a| format!("!{a}")),
        ]
    })
}

/// A line, or a group with its branches.
#[derive(Clone, Debug)]
enum Part {
    Line(String),
    Group(String, Vec<Part>, Vec<(String, Vec<Part>)>, Option<Vec<Part>>),
}

fn part() -> impl Strategy<Value = Part> {
    let line = prop_oneof![
        4 => (0u32..1000).prop_map(|n| format!("code{n} (1);")),
        1 => prop::sample::select(&["A", "B", "C"][..]).prop_map(|n| format!("#define {n} 2")),
        1 => prop::sample::select(&["A", "B", "C"][..]).prop_map(|n| format!("  # undef {n}")),
        1 => Just("#include \"x.h\"".to_owned()),
        1 => Just("/* #if K */ text // #endif".to_owned()),
        1 => Just("#pragma once \\\n  more".to_owned()),
    ];
    let opening = prop_oneof![
        3 => condition().prop_map(|condition| format!("#if {condition}")),
        1 => name().prop_map(|name| format!("#ifdef {name}")),
        1 => name().prop_map(|name| format!("#  ifndef {name} /* why */")),
    ];
    line.prop_map(Part::Line).prop_recursive(4, 24, 4, move |inner| {
        let body = prop::collection::vec(inner, 0..3);
        let others = prop::collection::vec((condition(), body.clone()), 0..3);
        (opening.clone(), body.clone(), others, prop::option::of(body))
            .prop_map(|(first, body, others, last)| Part::Group(first, body, others, last))
    })
}

fn write(parts: &[Part], out: &mut String) {
    for part in parts {
        match part {
            Part::Line(line) => writeln!(out, "{line}").unwrap(),
            Part::Group(first, body, others, last) => {
                writeln!(out, "{first}").unwrap();
                write(body, out);
                for (condition, body) in others {
                    writeln!(out, "#elif {condition}").unwrap();
                    write(body, out);
                }
                if let Some(body) = last {
                    out.push_str("#else\n");
                    write(body, out);
                }
                out.push_str("#endif\n");
            }
        }
    }
}

fn settings() -> impl Strategy<Value = (Vec<(String, Option<String>)>, Vec<String>)> {
    let value = prop::sample::select(&["0", "1", "3", "(2)", "1 + 1", "2..", "..3", "1..4"][..]);
    let state = prop_oneof![
        3 => value.prop_map(|value| Some(Some(value.to_owned()))),
        1 => Just(Some(None)),
        2 => Just(None),
    ];
    // A setting that nobody has at all, for each of the names that texts don't define.
    prop::collection::vec(prop::option::of(state), 4).prop_map(|states| {
        let (mut defines, mut undefines) = (Vec::new(), Vec::new());
        for (name, state) in ["K", "L", "M", "V"].iter().zip(states) {
            match state {
                Some(Some(value)) => defines.push(((*name).to_owned(), value)),
                Some(None) => undefines.push((*name).to_owned()),
                None => {}
            }
        }
        (defines, undefines)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_the_folder_makes_is_proved(
        parts in prop::collection::vec(part(), 1..5),
        (defines, undefines) in settings(),
        simplify in prop::sample::select(&[Simplify::Full, Simplify::Leading][..]),
    ) {
        let mut text = String::new();
        write(&parts, &mut text);
        let settings = Settings::from_flags(&defines, &undefines, simplify).unwrap();
        let source = Source::new("a.c", text.as_bytes());
        let (folded, _) = fold_text(&source, &settings).unwrap();
        let folded: Traced = folded.unwrap();
        let mut found = held(&text, folded.clone(), settings, &[]);
        // What can't be decided may stay, with what is known of it.
        found.retain(|message| !message.contains("is settled by the rules"));
        prop_assert!(
            found.is_empty(),
            "{text}\n{defines:?} {undefines:?}\n{}\n{found:?}",
            String::from_utf8_lossy(folded.bytes())
        );
    }
}
