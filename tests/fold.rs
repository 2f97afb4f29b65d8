//! Small inputs with the right answer: fixtures/fold/CASE holds `args`, `in.c`, and `out.c`, or
//! `exit` and a text that the findings must contain.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests fail by panicking, helpers outside test functions included"
)]

use std::fs;
use std::path::Path;

use kernelize::preprocess::fold_text;
use kernelize::preprocess::settings::Settings;
use kernelize::rules::Simplify;
use kernelize::text::Source;

fn settings(args: &str) -> Settings {
    let words: Vec<&str> = args.split_whitespace().collect();
    let mut defines = Vec::new();
    let mut undefines = Vec::new();
    for pair in words.chunks(2) {
        let [flag, name] = pair else { panic!("args: {args}") };
        match *flag {
            "-D" => defines.push(match name.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => ((*name).to_owned(), None),
            }),
            "-U" => undefines.push((*name).to_owned()),
            _ => panic!("args: {args}"),
        }
    }
    Settings::from_flags(&defines, &undefines, Simplify::Full).unwrap()
}

/// Layout within a directive that changed is free.
fn squeezed(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text)
        .split_inclusive('\n')
        .map(|line| match line.trim_start().strip_prefix('#') {
            Some(rest) => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                format!("#{}\n", words.join(" "))
            }
            None => line.to_owned(),
        })
        .collect()
}

fn check(case: &Path) {
    let read = |name: &str| fs::read(case.join(name));
    let args = String::from_utf8(read("args").unwrap()).unwrap();
    let source = Source::new("in.c", read("in.c").unwrap());
    let (text, findings) = fold_text(&source, &settings(&args)).unwrap();
    if let Ok(want) = read("out.c") {
        let text = text.unwrap_or_else(|| panic!("{}: {findings:?}", case.display()));
        assert_eq!(squeezed(text.bytes()), squeezed(&want), "{}", case.display());
        assert_eq!(findings.errors(), 0, "{}: {findings:?}", case.display());
    } else {
        let want = String::from_utf8(read("stderr-has").unwrap()).unwrap();
        let places: Vec<String> =
            findings.iter().map(|f| format!("in.c:{}", f.labels[0].position().line)).collect();
        assert!(places.iter().any(|place| place == want.trim()), "{}: {places:?}", case.display());
        assert!(findings.errors() > 0);
    }
}

#[test]
fn every_case_has_its_answer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fold");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        check(&entry.unwrap().path());
        count += 1;
    }
    assert!(count >= 25, "{count} cases");
}
