//! Small inputs with the right answer: fixtures/fold/CASE holds `args`, `in.c`, and `out.c`, or
//! `exit` and a text that the findings must contain.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;

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

/// Runs the program in the folder of a case.
fn check(case: &Path) {
    let name = case.display();
    let text = |file: &str| fs::read_to_string(case.join(file));
    let done = Command::new(env!("CARGO_BIN_EXE_kernelize"))
        .env_clear()
        .arg("fold")
        .args(text("args").unwrap().split_whitespace())
        .arg("in.c")
        .current_dir(case)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    if let Ok(want) = fs::read(case.join("out.c")) {
        assert_eq!(squeezed(&done.stdout), squeezed(&want), "{name}: {said}");
        assert_eq!(done.status.code(), Some(0), "{name}: {said}");
    } else {
        let code = text("exit").unwrap().trim().parse().unwrap();
        assert_eq!(done.status.code(), Some(code), "{name}: {said}");
        let place = format!("{}:", text("stderr-has").unwrap().trim());
        assert!(said.lines().any(|line| line.starts_with(&place)), "{name}: {said}");
        assert_eq!(done.stdout, b"", "{name}");
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
