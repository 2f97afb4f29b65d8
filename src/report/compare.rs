//! Two kernel forms side by side, as a page for people.

mod cost;
mod speed;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::paint::Paint;
use super::visible::{one_line, source_line};
use crate::compare::{
    ApiChange, Cause, CauseCount, Class, CommitSummary, Comparison, Counts, FileReport,
    FunctionChange, HunkReport, Line, NamedCommit, Side, Status, What,
};

/// Most commits of one file that are listed.
const MAX_COMMITS: usize = 12;
/// Most commits of one hunk that are named.
const MAX_HUNK_COMMITS: usize = 3;
/// Most files of a kernel tree that are listed for one change.
const MAX_USERS: usize = 6;

/// The page, without colours and with all details, as it goes to a file.
pub fn document(found: &Comparison) -> String {
    compare(found, Paint { on: false }, true)
}

/// Draws a comparison; `details` are figures of which the text has the sum otherwise.
pub(super) fn compare(found: &Comparison, paint: Paint, details: bool) -> String {
    let mut out = String::new();
    let title = format!("{} to {}", found.old.name, found.new.name);
    line(&mut out, &paint.bold(&one_line(&title)));
    side(&mut out, "old", &found.old);
    side(&mut out, "new", &found.new);
    if found.equal {
        line(&mut out, "Nothing differs.");
    } else {
        callers(&mut out, found, paint);
    }
    if let Some(found) = &found.cost {
        cost::cost(&mut out, found, paint);
    }
    speed::draw(&mut out, found.speed.as_ref(), paint, details);
    if found.equal {
        return out;
    }
    code(&mut out, found, paint);
    causes(&mut out, found, paint);
    files(&mut out, found, paint);
    if found.files.iter().any(|file| !file.hunks.is_empty()) {
        diff(&mut out, found, paint);
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn row(out: &mut String, name: &str, text: &str) {
    // Writing to a string can't fail.
    let _ = writeln!(out, "  {name:<11} {}", one_line(text));
}

fn side(out: &mut String, name: &str, side: &Side) {
    let mut text = side.source.clone();
    if let Some(release) = side.release.as_ref().filter(|release| **release != side.name) {
        let _ = write!(text, ", made from {release}");
    }
    if let Some(profile) = &side.profile {
        let _ = write!(text, ", profile {profile}");
    }
    if let Some(rules) = &side.rules {
        let _ = write!(text, ", rules {rules}");
    }
    row(out, name, &text);
}

fn callers(out: &mut String, found: &Comparison, paint: Paint) {
    line(out, &format!("\n{}", paint.bold("What changed for callers")));
    if found.api.is_empty() {
        line(out, "  nothing");
    }
    let mut by_header: BTreeMap<&str, Vec<&ApiChange>> = BTreeMap::new();
    for change in &found.api {
        by_header.entry(&change.header).or_default().push(change);
    }
    for (header, changes) in by_header {
        line(out, &format!("  {}", paint.bold(&one_line(header))));
        for change in changes {
            api(out, change, paint);
        }
    }
    let Some(callers) = &found.callers else { return };
    row(out, "callers", &plural(callers.files, "file"));
    for file in &callers.affected {
        row(out, "affected", file);
    }
    for finding in &callers.findings {
        row(out, "trouble", finding);
    }
}

fn api(out: &mut String, change: &ApiChange, paint: Paint) {
    let ApiChange { kind, name, .. } = change;
    let (old, new) = (change.old.as_deref(), change.new.as_deref());
    let shown = |text: Option<&str>| one_line(text.unwrap_or(name)).into_owned();
    match change.what {
        What::Added => line(out, &paint.come(&format!("    + {kind}: {}", shown(new)))),
        What::Removed => line(out, &paint.gone(&format!("    - {kind}: {}", shown(old)))),
        _ if !change.members.is_empty() => {
            let fits = if change.compatible { ", and old callers fit" } else { "" };
            line(out, &format!("    ~ {kind} of {}{fits}", one_line(name)));
            for member in &change.members {
                line(out, &format!("        {}", one_line(member)));
            }
        }
        _ => {
            line(out, &paint.gone(&format!("    - {kind}: {}", shown(old))));
            line(out, &paint.come(&format!("    + {kind}: {}", shown(new))));
        }
    }
    if !change.users.is_empty() {
        line(out, &format!("        used by {}", one_line(&listed(&change.users, MAX_USERS))));
    }
}

fn listed(all: &[String], most: usize) -> String {
    let mut text = all.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > most {
        let _ = write!(text, " and {} more", all.len() - most);
    }
    text
}

fn code(out: &mut String, found: &Comparison, paint: Paint) {
    line(out, &format!("\n{}", paint.bold("What the code change is")));
    let code = &found.code;
    let files =
        code.files.iter().map(|(status, count)| format!("{count} {}", status_word(*status)));
    row(out, "files", &joined(files));
    let classes =
        code.classes.iter().map(|(class, count)| format!("{count} {}", class_words(*class)));
    row(out, "of these", &joined(classes));
    let functions = code.functions.iter();
    let functions = functions.map(|(what, count)| format!("{count} {}", what_words(*what)));
    row(out, "functions", &joined(functions));
    for (name, [came, went]) in counts(&code.lines) {
        row(out, name, &format!("{:>7} {:>7}", format!("+{came}"), format!("-{went}")));
    }
}

fn counts(lines: &Counts) -> [(&'static str, [usize; 2]); 6] {
    [
        ("lines", lines.all),
        ("  code", lines.code),
        ("  moved", lines.moved),
        ("  comments", lines.comments),
        ("  licence", lines.licence),
        ("  blank", lines.blank),
    ]
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = parts.collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Added => "added",
        Status::Removed => "removed",
        Status::Renamed => "renamed",
        Status::Changed => "changed",
    }
}

fn class_words(class: Class) -> &'static str {
    match class {
        Class::Code => "in code",
        Class::Comments => "in comments only",
        Class::Licence => "in licence text only",
        Class::Blanks => "in blanks only",
    }
}

fn what_words(what: What) -> &'static str {
    match what {
        What::Added => "added",
        What::Removed => "removed",
        What::Renamed => "renamed",
        What::Changed => "changed",
        What::Moved => "moved",
        What::Comments => "changed in comments or blanks only",
    }
}

fn cause_word(cause: Cause) -> &'static str {
    match cause {
        Cause::Upstream => "upstream",
        Cause::Rules => "rules",
        Cause::Template => "template",
        Cause::Both => "both",
        Cause::Local => "local",
    }
}

fn causes(out: &mut String, found: &Comparison, paint: Paint) {
    line(out, &format!("\n{}", paint.bold("Where the changes come from")));
    match &found.causes {
        None => row(out, "", "not known: what a side was made from is not at hand"),
        Some(causes) => {
            for cause in Cause::ALL {
                let Some(count) = causes.get(&cause) else { continue };
                let CauseCount { changes, added, deleted } = count;
                let (added, deleted) = (format!("+{added}"), format!("-{deleted}"));
                let text = format!("{added:>7} {deleted:>7}  {}", plural(*changes, "change"));
                row(out, cause_word(cause), &text);
            }
        }
    }
    if let Some(commits) = &found.commits {
        self::commits(out, commits);
    }
}

fn commits(out: &mut String, commits: &CommitSummary) {
    let CommitSummary { total, in_library, touching, changing, undecided, alone, .. } = commits;
    row(out, "commits", &format!("{total} upstream, merges left out"));
    row(out, "", &format!("{in_library} change the library's folder"));
    row(out, "", &format!("{touching} change a file that the kernel form is made from"));
    row(out, "", &format!("{changing} change the kernel form, by its lines or by importing them"));
    if *undecided > 0 {
        let text = format!("{undecided} change none of these lines; --commits imports them, too");
        row(out, "", &text);
    }
    row(out, "", &format!("{alone} leave the kernel form alone"));
    let named = &commits.alone_in_library;
    if !named.is_empty() {
        row(out, "", &format!("of these in the library's folder: {}", named.len()));
        listed_commits(out, named);
    }
}

/// Commits by title; of many the first ones.
fn listed_commits(out: &mut String, commits: &[NamedCommit]) {
    for commit in commits.iter().take(MAX_COMMITS) {
        let number = commit.pull.map(|pull| format!(" (#{pull})")).unwrap_or_default();
        let title = commit.title.strip_suffix(&number).unwrap_or(&commit.title);
        line(out, &format!("      {} {}", short(commit), one_line(title)));
    }
    if let Some(more) = commits.len().checked_sub(MAX_COMMITS).filter(|more| *more > 0) {
        line(out, &format!("      and {} more; --format json has them", plural(more, "commit")));
    }
}

/// A commit by its id and pull request.
fn short(commit: &NamedCommit) -> String {
    let pull = commit.pull.map(|pull| format!(" #{pull}")).unwrap_or_default();
    format!("{}{pull}", crate::git::short(&commit.id))
}

fn files(out: &mut String, found: &Comparison, paint: Paint) {
    line(out, &format!("\n{}", paint.bold("Files")));
    for file in &found.files {
        let [came, went] = file.lines.all;
        let mut text = format!("  {}", paint.bold(&one_line(&file.path)));
        if let Some(from) = &file.from {
            let _ = write!(text, " (was {})", one_line(from));
        }
        let _ = write!(text, " +{came} -{went}");
        match file.status {
            Status::Added | Status::Removed => {
                let _ = write!(text, ", {}", status_word(file.status));
            }
            _ if file.class != Class::Code => {
                let _ = write!(text, ", {}", class_words(file.class));
            }
            _ => {}
        }
        let causes: Vec<&str> = file.causes.keys().map(|cause| cause_word(*cause)).collect();
        if !causes.is_empty() {
            let _ = write!(text, " ({})", causes.join(", "));
        }
        line(out, &text);
        functions(out, file);
        listed_commits(out, &file.commits);
    }
}

fn functions(out: &mut String, file: &FileReport) {
    // Of a file that came or went, each function did.
    let whole = match file.status {
        Status::Added => Some(What::Added),
        Status::Removed => Some(What::Removed),
        _ => None,
    };
    for function in file.functions.iter().filter(|function| Some(function.what) != whole) {
        let FunctionChange { name, what, from, edited, .. } = function;
        let mark = match what {
            What::Added => '+',
            What::Removed => '-',
            _ => '~',
        };
        let mut text = format!("    {mark} {}() {}", one_line(name), what_words(*what));
        if let Some(from) = from {
            let _ = write!(text, " from {}", one_line(from));
            if *edited {
                text += " and changed";
            }
        }
        line(out, &text);
    }
}

fn plural(count: usize, word: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {word}{s}")
}

fn diff(out: &mut String, found: &Comparison, paint: Paint) {
    line(out, &format!("\n{}", paint.bold("The change line by line")));
    if found.files.iter().flat_map(|f| &f.hunks).flat_map(|h| &h.lines).any(|line| line.moved) {
        line(out, "  < and > mark lines that moved as they were");
    }
    for file in &found.files {
        let old = file.from.as_ref().unwrap_or(&file.path);
        let name = |there: bool, prefix: &str, path: &str| match there {
            true => format!("{prefix}/{}", one_line(path)),
            false => "/dev/null".to_owned(),
        };
        let old = name(file.status != Status::Added, "a", old);
        let new = name(file.status != Status::Removed, "b", &file.path);
        line(out, &paint.bold(&format!("--- {old}")));
        line(out, &paint.bold(&format!("+++ {new}")));
        for one in &file.hunks {
            hunk(out, one, paint);
        }
    }
}

fn hunk(out: &mut String, hunk: &HunkReport, paint: Paint) {
    let range = |(start, count): (usize, usize)| match count {
        1 => start.to_string(),
        _ => format!("{start},{count}"),
    };
    let head = format!("@@ -{} +{} @@", range(hunk.old), range(hunk.new));
    let within = match hunk.within.is_empty() {
        true => String::new(),
        false => format!(" {}", source_line(&hunk.within)),
    };
    line(out, &format!("{}{within}{}", paint.hint(&head), spoken_causes(hunk)));
    for one in &hunk.lines {
        drawn(out, one, paint);
    }
}

/// The causes of a hunk's lines; with numbers where there are several.
fn spoken_causes(hunk: &HunkReport) -> String {
    let mut all: BTreeMap<Cause, [usize; 2]> = BTreeMap::new();
    for line in &hunk.lines {
        let Some(cause) = line.cause else { continue };
        all.entry(cause).or_default()[usize::from(line.mark == '-')] += 1;
    }
    let parts: Vec<String> = match all.len() {
        0 => return String::new(),
        1 => all.keys().map(|cause| cause_word(*cause).to_owned()).collect(),
        _ => {
            let part = |(cause, [came, went]): (&Cause, &[usize; 2])| {
                format!("{} +{came} -{went}", cause_word(*cause))
            };
            all.iter().map(part).collect()
        }
    };
    format!(" [{}{}]", parts.join(", "), spoken_commits(&hunk.commits))
}

/// The commits behind a hunk; their titles stand with the file.
fn spoken_commits(commits: &[NamedCommit]) -> String {
    let named: Vec<String> = commits.iter().take(MAX_HUNK_COMMITS).map(short).collect();
    match (named.is_empty(), commits.len().checked_sub(MAX_HUNK_COMMITS).filter(|n| *n > 0)) {
        (true, _) => String::new(),
        (false, None) => format!("; {}", named.join(", ")),
        (false, Some(more)) => format!("; {} and {more} more", named.join(", ")),
    }
}

fn drawn(out: &mut String, one: &Line, paint: Paint) {
    let mark = match (one.moved, one.mark) {
        (true, '-') => '<',
        (true, '+') => '>',
        (_, mark) => mark,
    };
    let text = format!("{mark}{}", source_line(&one.text));
    let text = match (one.moved, one.mark) {
        (true, _) => paint.moved(&text),
        (_, '-') => paint.gone(&text),
        (_, '+') => paint.come(&text),
        _ => text,
    };
    line(out, &text);
    if one.open {
        line(out, "\\ No newline at end of file");
    }
}
