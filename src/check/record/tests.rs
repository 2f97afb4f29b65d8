//! A record to draw, and what becomes of records.

use std::collections::BTreeMap;

use super::*;
use crate::finding::{ErrorKind, Result};

/// What upstream may hold to break out of a document.
pub(crate) const HOSTILE: &str =
    "]]><x a=\"'\">&amp;\n::error::no\r%0A%,:\u{1b}[31m\u{202e}\u{9b}\u{ffff}`[a](http://b)$(c)\\";

pub(crate) fn region(line: usize, column: usize, end_column: usize) -> Region {
    Region {
        line,
        column,
        character: column,
        end_line: line,
        end_column,
        end_character: end_column,
    }
}

pub(crate) fn place(path: &str, line: usize, text: &str, source: &str) -> Place {
    Place {
        path: path.into(),
        upstream: !path.starts_with("rules/"),
        region: region(line, 5, 11),
        text: text.into(),
        source: source.into(),
    }
}

pub(crate) fn found(code: &str, severity: &str, fingerprint: &str) -> Found {
    Found {
        code: code.into(),
        severity: severity.into(),
        message: format!("`{code}` is wrong"),
        places: vec![place("lib/a.c", 3, "called here", "    memset(p, 0, 1);")],
        hint: Some("do otherwise".into()),
        fix: None,
        fingerprint: fingerprint.into(),
        accepted: false,
    }
}

pub(crate) fn commit(number: usize, findings: Vec<Found>, fixed: &[&str]) -> Commit {
    let errors = findings.iter().filter(|found| found.severity == "error").count();
    Commit {
        id: Some(format!("{:040x}", 0xabc_def0 + number)),
        name: format!("v1.5.6-{number}"),
        title: Some(format!("change {number}")),
        number,
        start: false,
        changed: Some(vec!["lib/zstd/a.c".into()]),
        warnings: findings.len() - errors,
        findings,
        fixed: fixed.iter().map(|print| (*print).to_owned()).collect(),
        errors,
        proof: Figures { files: 54, proved: 54, conditions: 800, facts: 20 },
        figures: BTreeMap::new(),
    }
}

pub(crate) fn record(commits: Vec<Commit>, total: usize) -> Record {
    Record {
        schema: SCHEMA,
        tool: "kernelize 0.1.0".into(),
        command: "check".into(),
        library: "zstd".into(),
        repository: "https://example.org/zstd".into(),
        source: "the git repository ~/zstd".into(),
        profile: "strict".into(),
        ruleset: "ab".repeat(32),
        build: false,
        notes: vec!["the range is v1.5.5..v1.5.6".into()],
        total,
        commits,
        baseline: None,
    }
}

/// One commit with two errors, a warning and an error that the baseline accepts.
pub(crate) fn sample() -> Record {
    let mut call = found("libc-call", "error", "aa11");
    call.fix = Some(FoundFix {
        what: "call `X_memset` instead".into(),
        path: "lib/a.c".into(),
        edits: vec![FixEdit { region: region(3, 5, 11), text: "X_memset".into() }],
    });
    call.places.push(place("lib/b.h", 7, "declared here", "int memset;"));
    call.places.push(place("rules/zstd/calls/libc.toml", 1, "", "id = \"libc\""));
    let mut known = found("unfit-name", "error", "bb22");
    known.accepted = true;
    let warning = found("hardwired-left", "warning", "cc33");
    let mut rule = found("rule-unmatched", "error", "dd44");
    rule.places = vec![place("rules/zstd/names/x.toml", 1, "", "id = \"x\"")];
    rule.hint = None;
    let mut record = record(vec![commit(0, vec![call, known, warning, rule], &[])], 1);
    record.commits[0].errors = 2;
    let accepted = [("bb22".to_owned(), "unfit-name in lib/a.c".to_owned())].into();
    let gone = [("ee55".to_owned(), "libc-call in lib/c.c".to_owned())].into();
    record.baseline = Some(Baseline { accepted, gone });
    record
}

/// All that comes from outside is hostile.
pub(crate) fn hostile() -> Record {
    let mut record = sample();
    let evil = || HOSTILE.to_owned();
    record.library = evil();
    record.source = evil();
    record.profile = evil();
    record.repository = evil();
    record.notes = vec![evil()];
    let commit = &mut record.commits[0];
    commit.name = evil();
    commit.title = Some(evil());
    for found in &mut commit.findings {
        found.message = evil();
        found.hint = Some(evil());
        found.fingerprint = evil();
        for place in &mut found.places {
            place.path = format!("../lib/ü:%/{HOSTILE}");
            place.text = evil();
            place.source = evil();
        }
        if let Some(fix) = &mut found.fix {
            fix.what = evil();
            fix.edits[0].text = evil();
        }
    }
    record
}

/// Four commits: two bring a finding, one mends the first.
pub(crate) fn range() -> Record {
    let commits = vec![
        commit(0, vec![found("libc-call", "error", "aa11")], &[]),
        commit(1, vec![], &[]),
        commit(2, vec![found("unfit-name", "error", "bb22")], &["aa11"]),
        commit(3, vec![], &[]),
    ];
    record(commits, 4)
}

fn shards(of: &Record, cuts: &[(usize, usize)]) -> Vec<Record> {
    let shard = |&(start, end): &(usize, usize)| Record {
        commits: of.commits[start..end].to_vec(),
        ..of.clone()
    };
    cuts.iter().map(shard).collect()
}

fn refusal(result: Result<Record>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    error.message
}

fn bytes(record: &Record) -> Vec<u8> {
    serde_json::to_vec(record).unwrap()
}

#[test]
fn shards_give_the_whole_in_any_order() {
    let whole = range();
    for cuts in [
        &[(0, 2), (2, 4)][..],
        &[(0, 4)],
        &[(0, 3), (1, 4)],
        &[(0, 1), (1, 2), (2, 3), (3, 4), (0, 0)],
    ] {
        let mut parts = shards(&whole, cuts);
        assert_eq!(merge(parts.clone()).unwrap(), whole);
        parts.reverse();
        assert_eq!(merge(parts).unwrap(), whole);
    }
    assert_eq!(refusal(merge(Vec::new())), "there is no document to merge");
}

#[test]
fn what_no_shard_has_is_noted() {
    let whole = range();
    let merged = merge(shards(&whole, &[(1, 2), (3, 4)])).unwrap();
    assert_eq!(merged.commits.len(), 2);
    assert_eq!(merged.notes.last().unwrap(), "2 commits of the range are in no document: 1, 3");
    let merged = merge(shards(&whole, &[(0, 1)])).unwrap();
    assert_eq!(merged.notes.last().unwrap(), "3 commits of the range are in no document: 2 to 4");
    let merged = merge(shards(&whole, &[(0, 3)])).unwrap();
    assert_eq!(merged.notes.last().unwrap(), "1 commit of the range is in no document: 4");
    let mut sparse = record((0..20).map(|n| commit(2 * n, vec![], &[])).collect(), 39);
    sparse.notes.clear();
    let merged = merge(vec![sparse]).unwrap();
    assert!(merged.notes[0].ends_with("document: 2, 4, 6, 8, 10, 12, 14, 16 and others"));
}

#[test]
fn records_that_do_not_belong_together_are_refused() {
    let parts = shards(&range(), &[(0, 2), (2, 4)]);
    let with = |change: &dyn Fn(&mut Record)| {
        let mut parts = parts.clone();
        change(&mut parts[1]);
        refusal(merge(parts))
    };
    type Change = fn(&mut Record);
    let cases: [(Change, &str); 9] = [
        (|r| r.tool = "kernelize 9".into(), "of different programs: kernelize 0.1.0, kernelize 9"),
        (|r| r.library = "lz4".into(), "of different libraries: zstd, lz4"),
        (|r| r.profile = "official".into(), "of different profiles: strict, official"),
        (|r| r.ruleset = "cd".repeat(32), "of different rulesets: abab"),
        (|r| r.repository = "x".into(), "of different repositories: https://example.org/zstd, x"),
        (|r| r.total = 5, "of different ranges: one of 4 commits, one of 5"),
        (|r| r.build = true, "one document was made with `--build`, another without"),
        (|r| r.baseline = Some(Baseline::default()), "made with a baseline, another without"),
        (|r| r.commits[0].id = Some("0".repeat(40)), ""),
    ];
    for (change, expected) in cases {
        if expected.is_empty() {
            // Commits that only one has can be any.
            let mut parts = parts.clone();
            change(&mut parts[1]);
            merge(parts).unwrap();
            continue;
        }
        let said = with(&change);
        assert!(said.contains(expected), "{said}");
    }
    // Paths on machines may differ.
    let mut elsewhere = parts;
    elsewhere[1].source = "the git repository /ci/zstd".into();
    assert_eq!(merge(elsewhere).unwrap(), range());
}

#[test]
fn shards_must_agree_on_what_they_share() {
    let parts = shards(&range(), &[(0, 3), (2, 4)]);
    let mut other = parts.clone();
    other[1].commits[0].findings.clear();
    let said = refusal(merge(other));
    assert_eq!(said, "two documents disagree on commit 3, v1.5.6-2 (000000000000)");
    let mut other = parts.clone();
    other[1].commits[0].id = Some("f".repeat(40));
    assert_eq!(
        refusal(merge(other)),
        "commit 3 of the range is v1.5.6-2 (000000000000) in one document, \
         v1.5.6-2 (ffffffffffff) in another"
    );
    let mut other = parts;
    other[1].commits[1].id = other[0].commits[0].id.clone();
    let said = refusal(merge(other));
    assert!(
        said.ends_with("is commit 1 of the range in one document, commit 4 in another"),
        "{said}"
    );
}

#[test]
fn an_entry_of_the_baseline_is_gone_where_no_shard_has_it() {
    let baseline = |accepted: &[&str], gone: &[&str]| {
        let entries = |prints: &[&str]| {
            prints.iter().map(|print| ((*print).to_owned(), format!("what {print} is"))).collect()
        };
        Some(Baseline { accepted: entries(accepted), gone: entries(gone) })
    };
    let mut parts = shards(&range(), &[(0, 2), (2, 4)]);
    parts[0].baseline = baseline(&["a"], &["b", "c"]);
    parts[1].baseline = baseline(&["b"], &["a", "c"]);
    let merged = merge(parts.clone()).unwrap();
    assert_eq!(merged.baseline, baseline(&["a", "b"], &["c"]));
    parts[1].baseline = baseline(&["b"], &["a"]);
    assert_eq!(refusal(merge(parts)), "the documents were made with different baselines");
}

#[test]
fn documents_go_there_and_back() {
    for record in [sample(), range(), hostile()] {
        let text = crate::report::json::record(&record);
        let read = read(text.as_bytes(), "x.json").unwrap();
        assert_eq!(read, record);
        assert_eq!(crate::report::json::record(&read), text);
    }
}

#[test]
fn other_documents_are_refused() {
    let said = |bytes: &[u8]| {
        let error = read(bytes, "x.json").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Input);
        error.message
    };
    assert!(said(b"").starts_with("x.json is no document of `check`: EOF"));
    assert!(said(b"[]").starts_with("x.json is no document of `check`: "));
    let deep = format!("{{\"schema\":1,\"x\":{}", "[".repeat(100_000));
    assert!(said(deep.as_bytes()).contains("EOF while parsing"));
    let text = String::from_utf8(bytes(&sample())).unwrap();
    let nested = format!("\"x\":{}{},\"upstream\":", "[".repeat(100_000), "]".repeat(100_000));
    let deep = text.replacen("\"upstream\":", &nested, 1);
    assert!(said(deep.as_bytes()).contains("recursion limit"));
    assert!(said(b"{\"schema\":1,\"tool\":\"\",\"command\":\"check\"}").contains("missing field"));
    let newer = b"{\"schema\":2,\"tool\":\"kernelize 9\",\"command\":\"check\"}";
    let expected = "x.json is a document of `check` with schema 2, written by kernelize 9";
    assert_eq!(said(newer), expected);
    let import = b"{\"schema\":1,\"tool\":\"t\",\"command\":\"import\"}";
    assert!(said(import).contains("a document of `import`"));
    for length in (0..bytes(&sample()).len()).step_by(7) {
        said(&bytes(&sample())[..length]);
    }
}

#[test]
fn values_that_no_check_writes_are_refused() {
    type Change = fn(&mut Record);
    let cases: [(Change, &str); 9] = [
        (|r| r.ruleset = "x".into(), "`ruleset` is no SHA-256"),
        (|r| r.total = usize::MAX, "`total` is too large"),
        (|r| r.commits[1].number = 0, "it has two commits with number 0"),
        (|r| r.commits[3].number = 4, "the `number` of a commit lies beyond the range"),
        (|r| r.commits[0].id = Some("é".repeat(20)), "the `id` of a commit is no commit id"),
        (|r| r.commits[0].findings[0].code = "A B".into(), "the `code` of a finding is none"),
        (|r| r.commits[0].findings[0].severity = "note".into(), "a `severity` is neither"),
        (|r| r.commits[0].findings[0].places[0].region.column = 0, "counts from 0"),
        (|r| r.commits[0].findings[0].places[0].region.end_line = 2, "an end before its start"),
    ];
    for (change, expected) in cases {
        let mut record = range();
        change(&mut record);
        let error = read(&bytes(&record), "x.json").unwrap_err();
        assert!(error.message.contains(expected), "{}", error.message);
    }
}

#[test]
fn what_came_and_went_is_known() {
    let range = range();
    let list = range.introduced();
    let shown: Vec<_> = list
        .iter()
        .map(|one| (one.commit.number, &*one.found.code, one.fixed_by.map(|by| by.number)))
        .collect();
    assert_eq!(shown, [(0, "libc-call", Some(2)), (2, "unfit-name", None)]);
    assert!(!list[0].stands() && list[1].stands());
    let again = record(
        vec![
            commit(0, vec![found("libc-call", "error", "a")], &[]),
            commit(1, vec![], &["a"]),
            commit(2, vec![found("libc-call", "error", "a")], &["never-seen"]),
        ],
        3,
    );
    let again: Vec<_> = again.introduced().iter().map(|one| one.fixed_by.is_some()).collect();
    assert_eq!(again, [true, false]);
}

#[test]
fn commits_are_shown_with_their_id() {
    let mut one = commit(0, vec![], &[]);
    assert_eq!(one.shown(), "v1.5.6-0 (000000000000)");
    one.name = "v1.5.6-3-g00000000".into();
    assert_eq!(one.shown(), "v1.5.6-3-g00000000");
    one.name = String::new();
    assert_eq!(one.shown(), "000000000000");
    (one.name, one.id) = ("v1.5.6".into(), None);
    assert_eq!(one.shown(), "v1.5.6");
}

/// For `ci/formats`: documents of all formats into the folder that KERNELIZE_SAMPLES names.
#[test]
#[ignore = "writes files for other programs to read"]
fn samples_are_written() {
    use crate::report::{github::github, json, junit::junit, sarif::sarif};
    let folder = std::path::PathBuf::from(std::env::var_os("KERNELIZE_SAMPLES").unwrap());
    for (name, record) in [("sample", sample()), ("range", range()), ("hostile", hostile())] {
        for (ending, text) in [
            ("json", json::record(&record)),
            ("sarif", sarif(&record)),
            ("xml", junit(&record)),
            ("txt", github(&record)),
        ] {
            std::fs::write(folder.join(format!("{name}.{ending}")), text).unwrap();
        }
    }
}
