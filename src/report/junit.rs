//! JUnit XML, as viewers of test results read it: a suite a commit, a test case a kind of finding.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::visible::xml;
use crate::check::record::{Commit, Found, Place, Record};
use crate::finding::codes::{self, Area};

/// The record as JUnit XML. A kind of error that a commit brings, or that stands where only one was
/// checked, fails; all other kinds that were looked for pass. Warnings, and what a baseline accepts,
/// are said in the output of their case. The commit that a range starts from is left out.
pub fn junit(record: &Record) -> String {
    let checked = record.commits.iter().filter(|commit| !commit.start);
    let suites: Vec<Suite<'_>> = checked.map(|commit| Suite::of(record, commit)).collect();
    let sum = |count: fn(&Suite<'_>) -> usize| suites.iter().map(count).sum::<usize>();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    push(
        &mut out,
        format_args!(
            "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n",
            xml(&format!("{} of {}", record.command, record.library)),
            sum(|suite| suite.cases.len()),
            sum(|suite| suite.failures()),
        ),
    );
    suites.iter().for_each(|suite| suite.write(&mut out));
    out.push_str("</testsuites>\n");
    out
}

/// Writing to a string can't fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

struct Suite<'r> {
    record: &'r Record,
    commit: &'r Commit,
    /// What viewers group cases by and know them again by.
    class: String,
    cases: BTreeMap<&'r str, Vec<&'r Found>>,
}

impl<'r> Suite<'r> {
    fn of(record: &'r Record, commit: &'r Commit) -> Suite<'r> {
        let looked_for = codes::all().filter(|code| match code.area {
            Area::Import | Area::Check => true,
            Area::Build => record.build,
            Area::Rules | Area::Tree => false,
        });
        let mut cases: BTreeMap<&str, Vec<&Found>> =
            looked_for.map(|code| (code.name, Vec::new())).collect();
        for found in &commit.findings {
            cases.entry(&found.code).or_default().push(found);
        }
        // A dot would part a package from its class.
        let name = |text: &str| text.replace(|c: char| c == '.' || c.is_whitespace(), "_");
        let mut class = format!("{}.{}", name(&record.library), name(&record.profile));
        if record.total > 1 {
            class.push_str(&format!(".{}", name(&commit.shown())));
        }
        Suite { record, commit, class, cases }
    }

    fn failures(&self) -> usize {
        self.cases.values().filter(|list| list.iter().any(|found| fails(found))).count()
    }

    fn write(&self, out: &mut String) {
        let Suite { record, commit, .. } = self;
        push(
            out,
            format_args!(
                "  <testsuite name=\"{}\" id=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n    <properties>\n",
                xml(&format!("{} {}", record.library, commit.shown())),
                commit.number,
                self.cases.len(),
                self.failures(),
            ),
        );
        let proof = commit.proof;
        let properties = [
            ("tool", record.tool.clone()),
            ("ruleset", record.ruleset.clone()),
            ("profile", record.profile.clone()),
            ("source", record.source.clone()),
            ("commit", commit.id.clone().unwrap_or_default()),
            ("title", commit.title.clone().unwrap_or_default()),
            ("proved", format!("{} of {} files", proof.proved, proof.files)),
        ];
        for (name, value) in properties.iter().filter(|(_, value)| !value.is_empty()) {
            push(out, format_args!("      <property name=\"{name}\" value=\"{}\"/>\n", xml(value)));
        }
        out.push_str("    </properties>\n");
        for (code, list) in &self.cases {
            self.case(out, code, list);
        }
        out.push_str("  </testsuite>\n");
    }

    fn case(&self, out: &mut String, code: &str, list: &[&Found]) {
        let (failed, passed): (Vec<&Found>, Vec<&Found>) =
            list.iter().copied().partition(|found| fails(found));
        let place = failed.iter().flat_map(|found| &found.places).find(|place| place.upstream);
        let file = place.map_or(String::new(), |place| format!(" file=\"{}\"", xml(&place.path)));
        let head = format!("classname=\"{}\" name=\"{}\"{file}", xml(&self.class), xml(code));
        if list.is_empty() {
            return push(out, format_args!("    <testcase {head}/>\n"));
        }
        push(out, format_args!("    <testcase {head}>\n"));
        if let Some(first) = failed.first() {
            let message = match failed.len() {
                1 => first.message.clone(),
                count => format!("{} (and {} more)", first.message, count - 1),
            };
            // One for all: some viewers read only one.
            push(
                out,
                format_args!(
                    "      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                    xml(code),
                    xml(&message),
                    texts(&failed),
                ),
            );
        }
        if !passed.is_empty() {
            push(out, format_args!("      <system-out>{}</system-out>\n", texts(&passed)));
        }
        out.push_str("    </testcase>\n");
    }
}

fn fails(found: &Found) -> bool {
    found.severity == "error" && !found.accepted
}

/// Findings as compilers write them, escaped line by line.
fn texts(list: &[&Found]) -> String {
    let mut out = String::new();
    for found in list {
        let accepted = if found.accepted { " (accepted by the baseline)" } else { "" };
        let Found { severity, message, code, .. } = found;
        let (first, further) = found.places.split_first().unzip();
        let at = first.map_or(String::new(), |place| format!("{}: ", position(place)));
        let mut lines = vec![format!("{at}{severity}: {message} [{code}]{accepted}")];
        lines.extend(first.into_iter().flat_map(|place| {
            let said = (!place.text.is_empty()).then(|| format!("    {}", place.text));
            [format!("    {}", place.source)].into_iter().chain(said)
        }));
        let further = further.unwrap_or_default();
        lines.extend(
            further.iter().map(|place| format!("{}: note: {}", position(place), place.text)),
        );
        lines.extend(found.hint.iter().map(|hint| format!("help: {hint}")));
        lines.extend(found.fix.iter().map(|fix| format!("fix: {} in {}", fix.what, fix.path)));
        for line in lines {
            out.push_str(&xml(&line));
            out.push('\n');
        }
    }
    out
}

fn position(place: &Place) -> String {
    format!("{}:{}:{}", place.path, place.region.line, place.region.column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::record::tests::{hostile, range, sample};

    #[test]
    fn kinds_of_findings_are_cases() {
        let text = junit(&sample());
        let kinds = codes::all().filter(|code| matches!(code.area, Area::Import | Area::Check));
        let tests = kinds.count();
        let counts = format!("tests=\"{tests}\" failures=\"2\" errors=\"0\"");
        assert!(text.contains(&format!("<testsuites name=\"check of zstd\" {counts}>")), "{text}");
        assert_eq!(text.matches("<testcase ").count(), tests);
        let failed = "<testcase classname=\"zstd.strict\" name=\"libc-call\" file=\"lib/a.c\">\n      \
            <failure type=\"libc-call\" message=\"`libc-call` is wrong\">\
            lib/a.c:3:5: error: `libc-call` is wrong [libc-call]\n        memset(p, 0, 1);\n    \
            called here\nlib/b.h:7:5: note: declared here\n\
            rules/zstd/calls/libc.toml:1:5: note: \n\
            help: do otherwise\nfix: call `X_memset` instead in lib/a.c\n</failure>";
        assert!(text.contains(failed), "{text}");
        // Passing ones, warnings, and what the baseline accepts.
        assert!(text.contains("<testcase classname=\"zstd.strict\" name=\"syntax-error\"/>"));
        let warned = "name=\"hardwired-left\">\n      <system-out>lib/a.c:3:5: warning: ";
        assert!(text.contains(warned), "{text}");
        assert!(text.contains("[unfit-name] (accepted by the baseline)"), "{text}");
    }

    #[test]
    fn commits_are_suites() {
        let text = junit(&range());
        assert_eq!(text.matches("<testsuite ").count(), 4);
        assert_eq!(text.matches("<failure ").count(), 2);
        assert!(
            text.contains("classname=\"zstd.strict.v1_5_6-2_(000000000000)\" name=\"unfit-name\"")
        );
        assert!(text.contains("<property name=\"title\" value=\"change 3\"/>"));
        let mut record = range();
        record.commits[0].start = true;
        let text = junit(&record);
        assert_eq!(text.matches("<testsuite ").count(), 3);
        assert_eq!(text.matches("<failure ").count(), 1);
    }

    #[test]
    fn what_was_built_is_a_case_only_then() {
        let count = |build: bool| {
            let record = Record { build, ..sample() };
            junit(&record).matches("<testcase ").count()
        };
        let built = codes::all().filter(|code| code.area == Area::Build).count();
        assert_eq!(count(true), count(false) + built);
    }

    #[test]
    fn hostile_text_is_no_markup() {
        let text = junit(&hostile());
        // Our own elements only, each with its end.
        let names: std::collections::BTreeSet<&str> = text
            .split('<')
            .skip(1)
            .map(|rest| rest.split([' ', '>', '/']).find(|name| !name.is_empty()).unwrap())
            .collect();
        let ours = [
            "?xml",
            "failure",
            "properties",
            "property",
            "system-out",
            "testcase",
            "testsuite",
            "testsuites",
        ];
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ours);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'));
        assert!(!text.contains("]]>") && !text.contains('\u{ffff}'));
    }
}
