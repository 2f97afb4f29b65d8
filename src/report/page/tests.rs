use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::compare::made::{Group, MadeFile, RuleUse};
use crate::compare::origin::SaidRule;
use crate::compare::{Form, Known, Side, compare};
use crate::edit::RuleRef;
use crate::finding::Finding;
use crate::text::{Source, Span, TreePath};

/// What a source may hold that is out for mischief.
const HOSTILE: &str = "</script><script>alert(1)</script><!-- \u{202e} --> &lt; \" onload=\"x\u{0}";

fn form(path: &str, text: &[u8]) -> Form {
    let files = [(TreePath::new(path).unwrap(), Arc::<[u8]>::from(text))].into();
    Form { files, upstream: BTreeMap::new() }
}

fn compared(old: &str, new: &[u8]) -> Comparison {
    let side = |name: &str| Side { name: name.to_owned(), ..Side::default() };
    let (old, new) = (form("lib/a b.h", old.as_bytes()), form("lib/a b.h", new));
    compare((side("old"), &old), (side(HOSTILE), &new), &Known::default()).unwrap().0
}

/// A file of three lines, of which rules made the second.
fn made(old: &str, new: &[u8]) -> Made {
    let rule = RuleRef::new("macros", "it");
    let group =
        Group { old: 1..2, new: 1..2, parts: vec![(1..2, 1..2)], rules: vec![rule.clone()] };
    let text = |line: &[u8]| [b"one\n", line, b"\nthree\n"].concat();
    let file = MadeFile {
        path: "lib/a.h".into(),
        source: HOSTILE.into(),
        template: None,
        old: text(old.as_bytes()).into(),
        new: text(new).into(),
        groups: vec![group],
    };
    let said = SaidRule { rule: "macros/it".into(), file: "f".into(), why: HOSTILE.into() };
    let rules = vec![RuleUse { rule: said, groups: 1, files: 1 }];
    Made { files: vec![file], rules, left_out: Vec::new() }
}

fn drawn(comparison: Option<&Comparison>, made: Option<&Made>, findings: &Findings) -> String {
    let facts = [("Fact".to_owned(), HOSTILE.to_owned())];
    let review = Review {
        title: HOSTILE,
        facts: &facts,
        import: None,
        findings,
        verdict: None,
        audit: None,
        comparison,
        made,
    };
    page(&review).unwrap().0
}

#[test]
fn what_sources_hold_is_no_markup() {
    let mut findings = Findings::default();
    let source = Source::new(HOSTILE, HOSTILE.as_bytes());
    let finding = Finding::error("code", HOSTILE).hint(HOSTILE);
    findings.push(finding.at(&source, Span::new(0, 3), HOSTILE));
    let comparison = compared("int x;\n", HOSTILE.replace('\0', "").as_bytes());
    let made = made("a", HOSTILE.as_bytes());
    let html = drawn(Some(&comparison), Some(&made), &findings);
    assert!(!html.contains("alert(1)</script>") && !html.contains("<!--"), "{html}");
    assert!(html.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert!(!html.chars().any(|c| c == '\u{202e}' || c == '\0'));
    assert!(html.contains("<span class=\"odd\" title=\"U+202E\">\u{27e8}U+202E\u{27e9}</span>"));
    assert_eq!(html.matches("<script").count(), 1);
    assert_eq!(html.matches("</script>").count(), 1);
    assert!(!html.contains("\" onload="));
}

#[test]
fn bytes_that_are_no_text_and_long_lines_are_shown() {
    let long = [b"x = \xff\xfe".as_slice(), &[b'y'; 100_000]].concat();
    let html = drawn(None, Some(&made("a", &long)), &Findings::default());
    assert!(html.contains(">\u{27e8}FF\u{27e9}</span>"));
    assert!(html.contains("bytes more") && html.len() < 100_000, "{}", html.len());
}

#[test]
fn a_page_needs_nothing_and_runs_only_what_is_its_own() {
    let comparison = compared("int a;\nint b;\n", b"int a;\nint c;\n");
    let html = drawn(Some(&comparison), Some(&made("a", b"b")), &Findings::default());
    for outside in
        ["http:", "https:", "src=", "url(", "@import", "<link rel=\"style", "javascript:"]
    {
        assert!(!html.contains(outside), "{outside}");
    }
    let policy = html.split("Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"));
    for (open, close) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let text = html.split(open).nth(1).unwrap().split(close).next().unwrap();
        assert!(policy.contains(&format!("'{}'", text::digest(text))), "{open}");
    }
    // An inline style would be refused, an inline handler, too.
    let body = html.split("<body>").nth(1).unwrap().split("<script>").next().unwrap();
    assert!(!body.contains(" style=") && !body.contains(" onclick="));
}

#[test]
fn lines_and_rules_have_addresses() {
    let comparison = compared("int a;\nint b;\n", b"int a;\nint c;\n");
    let html =
        drawn(Some(&comparison), Some(&made("int b = 1;", b"int b = 2;")), &Findings::default());
    for part in [
        "<tbody class=\"change\" id=\"made/lib/a.h:2\" data-rules=\"macros/it\">",
        "<a href=\"#rule/macros/it\">macros/it</a>",
        "<tr id=\"rule/macros/it\">",
        "<tbody class=\"change\" id=\"changes/lib/a~20b.h:2\" data-cause=\"\">",
        "data-path=\"lib/a b.h\"",
        "<a class=\"count\" href=\"#changes/lib/a~20b.h\"",
        "<tr><th>2<td>int b = <del>1</del>;<th>2<td>int b = <ins>2</ins>;",
        "<tr><th>1<td>one<th>1<td>one",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    for section in ["summary", "findings", "callers", "code", "causes", "rules", "made", "changes"]
    {
        assert!(html.contains(&format!("<section id=\"{section}\"")), "{section}");
        assert!(html.contains(&format!("<a href=\"#{section}\">")), "{section}");
    }
    for absent in ["local", "cost", "speed", "proof"] {
        assert!(!html.contains(&format!("<section id=\"{absent}\"")), "{absent}");
    }
}
