//! What an import did, on one screen, and the table of rules.

use std::fmt::Write as _;

use serde::Serialize;

use super::paint::Paint;
use super::visible::one_line;
use crate::proof::Figures;

/// What an import did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ImportSummary {
    /// Name of the library.
    pub library: String,
    /// The release's own number, with the revision that was asked for where that says more.
    pub release: String,
    /// Name of the profile.
    pub profile: String,
    /// Where the release was read from.
    pub source: String,
    /// Where the rules were read from.
    pub rules: String,
    /// Output files that come from upstream files.
    pub files_from_upstream: usize,
    /// Output files that come from templates.
    pub files_from_templates: usize,
    /// Lines of the upstream files that were taken.
    pub lines_before: usize,
    /// Lines of all output files.
    pub lines_after: usize,
    /// What each kind of rule did.
    pub kinds: Vec<KindCount>,
    /// Conditions of the upstream files that were taken.
    pub conditions_before: usize,
    /// Conditions that stay.
    pub conditions_after: usize,
    /// The macros that stay in conditions, by class.
    pub conditions: Vec<ClassCount>,
    /// What was proved.
    pub proof: Figures,
    /// Error-level findings.
    pub errors: usize,
    /// Warning-level findings.
    pub warnings: usize,
    /// The output folder; none where nothing was written.
    pub out: Option<String>,
    /// Whether an earlier import stood there.
    pub replaced: bool,
    /// The output files.
    pub files: Vec<FileCount>,
}

/// What the rules of one kind did.
#[derive(Clone, Debug, Serialize)]
pub struct KindCount {
    /// The kind.
    pub kind: String,
    /// How many of its rules made at least one edit.
    pub rules: usize,
    /// How many edits they made.
    pub edits: usize,
}

/// The macros of one class that stay in conditions.
#[derive(Clone, Debug, Serialize)]
pub struct ClassCount {
    /// The class.
    pub class: String,
    /// How often conditions name a macro of it.
    pub uses: usize,
    /// The macros, sorted.
    pub names: Vec<String>,
}

/// One output file.
#[derive(Clone, Debug, Serialize)]
pub struct FileCount {
    /// Path in the output.
    pub path: String,
    /// The upstream file it comes from; none for a template.
    pub upstream: Option<String>,
    /// Lines of the output file.
    pub lines: usize,
    /// Edits made in it.
    pub edits: usize,
}

/// The rules of a ruleset.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RuleTable {
    /// Where the rules were read from.
    pub origin: String,
    /// sha-256 over the ruleset's files.
    pub digest: String,
    /// The rules, sorted by kind and id.
    pub rules: Vec<RuleRow>,
}

/// One rule.
#[derive(Clone, Debug, Serialize)]
pub struct RuleRow {
    /// `kind/id`.
    pub rule: String,
    /// The rule's file.
    pub file: String,
    /// What it is about, as its file spells it.
    pub about: String,
    /// When it is in force, in words.
    pub when: String,
    /// Its reason.
    pub why: String,
}

/// Draws the summary of an import.
pub(super) fn import(done: &ImportSummary, paint: Paint, verbose: bool) -> String {
    let mut out = String::new();
    let title = format!("{} {} in kernel form", done.library, done.release);
    line(&mut out, format_args!("{}", paint.bold(&one_line(&title))));
    row(&mut out, "source", &done.source);
    row(&mut out, "rules", &format!("{}, profile {}", done.rules, done.profile));
    row(&mut out, "files", &files(done));
    let lines = format!("{}, from {}", grouped(done.lines_after), grouped(done.lines_before));
    row(&mut out, "lines", &lines);
    kinds(&mut out, done);
    conditions(&mut out, done, verbose);
    row(&mut out, "meaning", &done.proof.words());
    if verbose {
        file_list(&mut out, done);
    }
    row(&mut out, "findings", &findings(done));
    written(&mut out, done, paint);
    out
}

pub(super) fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = out.write_fmt(text);
    out.push('\n');
}

pub(super) fn row(out: &mut String, name: &str, text: &str) {
    line(out, format_args!("  {name:<11} {}", one_line(text)));
}

fn files(done: &ImportSummary) -> String {
    let (upstream, templates) = (done.files_from_upstream, done.files_from_templates);
    let all = upstream + templates;
    format!("{all}: {upstream} from upstream, {templates} from templates")
}

fn kinds(out: &mut String, done: &ImportSummary) {
    for (number, kind) in done.kinds.iter().enumerate() {
        let name = if number == 0 { "edits" } else { "" };
        let rules = plural(kind.rules, "rule");
        row(out, name, &format!("{:<12} {:>7} by {rules}", kind.kind, grouped(kind.edits)));
    }
}

fn conditions(out: &mut String, done: &ImportSummary, verbose: bool) {
    let (after, before) = (grouped(done.conditions_after), grouped(done.conditions_before));
    row(out, "conditions", &format!("{after} stay, from {before}"));
    for class in &done.conditions {
        let names = plural(class.names.len(), "macro");
        let mut text = format!("{:<12} {:>7} on {names}", class.class, grouped(class.uses));
        if verbose {
            text = format!("{text}: {}", class.names.join(" "));
        }
        row(out, "", &text);
    }
}

fn file_list(out: &mut String, done: &ImportSummary) {
    for (number, file) in done.files.iter().enumerate() {
        let name = if number == 0 { "written" } else { "" };
        let from = file.upstream.as_deref().unwrap_or("a template");
        let edits = plural(file.edits, "edit");
        let lines = plural(file.lines, "line");
        row(out, name, &format!("{}: {lines}, {edits}, from {from}", file.path));
    }
}

fn findings(done: &ImportSummary) -> String {
    match (done.errors, done.warnings) {
        (0, 0) => "none".to_owned(),
        (errors, 0) => plural(errors, "error"),
        (0, warnings) => plural(warnings, "warning"),
        (errors, warnings) => {
            format!("{}, {}", plural(errors, "error"), plural(warnings, "warning"))
        }
    }
}

fn written(out: &mut String, done: &ImportSummary, paint: Paint) {
    let Some(folder) = &done.out else {
        return row(out, "output", "none was written");
    };
    let again = if done.replaced { ", in place of an earlier import" } else { "" };
    row(out, "output", &format!("{folder}{again}"));
    row(out, "", &format!("{folder}/.kernelize/import.json says which rules made each file"));
    line(out, format_args!("{}", paint.bold("Next:")));
    let quoted = shell_word(folder);
    if done.errors > 0 {
        line(out, format_args!("  settle the errors above: the output can't be trusted yet"));
    }
    line(out, format_args!("  diff -ru LINUX/lib/{0} {quoted}/lib/{0}", done.library));
}

/// `word` such that a shell takes it as one word.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    one_line(&format!("'{}'", word.replace('\'', "'\\''"))).into_owned()
}

/// `1,234,567`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes in units of 1024, with one digit behind the point: `1,234.5`.
pub(super) fn kibibytes(bytes: u64) -> String {
    // Tenths, rounded half up; whole numbers all the way, so that no figure is too large.
    let tenths = (u128::from(bytes) * 10 + 512) / 1024;
    let whole = usize::try_from(tenths / 10).unwrap_or(usize::MAX);
    format!("{}.{}", grouped(whole), tenths % 10)
}

pub(crate) fn plural(count: usize, word: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {word}{s}", grouped(count))
}

/// Draws the table of rules, one line each: name, reason, and when it holds unless always.
pub(super) fn rules(table: &RuleTable, paint: Paint) -> String {
    let mut out = String::new();
    let width = table.rules.iter().map(|row| row.rule.chars().count()).max().unwrap_or(0);
    for rule in &table.rules {
        let name = format!("{:<width$}", one_line(&rule.rule));
        let why = rule.why.split_whitespace().collect::<Vec<_>>().join(" ");
        let when = match rule.when.as_str() {
            "always" => String::new(),
            when => paint.dim(&format!(" ({})", one_line(when))),
        };
        line(&mut out, format_args!("{}  {}{when}", paint.bold(&name), one_line(&why)));
    }
    out
}

/// One line on a ruleset that was checked.
pub(super) fn checked(table: &RuleTable, errors: usize) -> String {
    let rules = plural(table.rules.len(), "rule");
    match errors {
        0 => format!("{rules} ({}): none at fault", table.origin),
        errors => format!("{rules} ({}): {}", table.origin, plural(errors, "error")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn the_summary_fits_a_screen() {
        let done = ImportSummary {
            library: "lib".into(),
            release: "1.2.3".into(),
            profile: "strict".into(),
            source: "folder".into(),
            rules: "built in".into(),
            files_from_upstream: 2,
            files_from_templates: 1,
            lines_before: 3000,
            lines_after: 2500,
            kinds: vec![KindCount { kind: "macros".into(), rules: 1, edits: 1200 }],
            conditions_before: 441,
            conditions_after: 158,
            conditions: vec![ClassCount {
                class: "arch".into(),
                uses: 18,
                names: vec!["A".into(), "B".into()],
            }],
            proof: Figures { files: 50, proved: 50, conditions: 441, facts: 157 },
            errors: 1,
            warnings: 2,
            out: Some("my out".into()),
            replaced: true,
            files: Vec::new(),
        };
        let text = import(&done, Paint { on: false }, false);
        assert_eq!(
            text,
            "\
lib 1.2.3 in kernel form
  source      folder
  rules       built in, profile strict
  files       3: 2 from upstream, 1 from templates
  lines       2,500, from 3,000
  edits       macros         1,200 by 1 rule
  conditions  158 stay, from 441
              arch              18 on 2 macros
  meaning     proved for 50 of 50 files, under every setting of 157 facts
  findings    1 error, 2 warnings
  output      my out, in place of an earlier import
              my out/.kernelize/import.json says which rules made each file
Next:
  settle the errors above: the output can't be trusted yet
  diff -ru LINUX/lib/lib 'my out'/lib/lib
"
        );
    }
}
