//! The old kernel form beside the new one, hunk by hunk.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use minijinja::{Value, context};

use super::rows::{self, Cell};
use super::text::{anchor, escaped, push_code};
use crate::compare::{Cause, Class, FileReport, HunkReport, Line, NamedCommit, Status, What};
use crate::git::short;
use crate::report::summary::plural;

/// Most commits of one file that are listed.
const MAX_COMMITS: usize = 40;
/// A file with at most so many rows is open.
const OPEN: usize = 60;

/// Lines of all files above which those that came or went as a whole are shown in part.
const MANY_LINES: usize = 30_000;
/// Lines of such a file that are shown then.
const PART: usize = 200;

/// The files that differ.
pub(super) fn files(files: &[FileReport]) -> Vec<Value> {
    let all = files.iter().flat_map(|file| &file.hunks).map(|hunk| hunk.lines.len()).sum::<usize>();
    let most = if all > MANY_LINES { PART } else { usize::MAX };
    files.iter().map(|file| drawn(file, most)).collect()
}

/// Whether lines moved as they were.
pub(super) fn any_moved(files: &[FileReport]) -> bool {
    files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines).any(|line| line.moved)
}

fn drawn(file: &FileReport, most: usize) -> Value {
    let mut out = String::new();
    let (mut rows, mut groups) = (0, 0);
    for hunk in &file.hunks {
        let is_whole = matches!(file.status, Status::Added | Status::Removed);
        groups += drawn_hunk(&mut out, file, hunk, if is_whole { most } else { usize::MAX });
        rows += hunk.lines.len();
    }
    let class = match file.class {
        Class::Code => None,
        Class::Comments => Some("comments only"),
        Class::Licence => Some("licence text only"),
        Class::Blanks => Some("blanks only"),
    };
    let commit = |commit: &NamedCommit| {
        context! { id => commit.id.get(..12), title => &commit.title, pull => &commit.pull }
    };
    context! {
        path => &file.path,
        id => format!("changes/{}", anchor(&file.path)),
        from => &file.from,
        status => status(file.status),
        class => class,
        came => file.lines.all[0],
        went => file.lines.all[1],
        causes => causes(file.hunks.iter().flat_map(|hunk| &hunk.lines)),
        functions => functions(file),
        commits => file.commits.iter().take(MAX_COMMITS).map(commit).collect::<Vec<_>>(),
        more_commits => file.commits.len().saturating_sub(MAX_COMMITS),
        groups => groups,
        open => rows <= OPEN,
        rows => Value::from_safe_string(out),
    }
}

pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Added => "added",
        Status::Removed => "removed",
        Status::Renamed => "renamed",
        Status::Changed => "changed",
    }
}

pub(super) fn what(what: What) -> &'static str {
    match what {
        What::Added => "added",
        What::Removed => "removed",
        What::Renamed => "renamed",
        What::Changed => "changed",
        What::Moved => "moved",
        What::Comments => "changed in comments or blanks only",
    }
}

pub(super) fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Upstream => "upstream",
        Cause::Rules => "rules",
        Cause::Template => "template",
        Cause::Both => "both",
        Cause::Local => "local",
    }
}

/// The functions that differ, by what happened. Of a file that came or went, each did.
fn functions(file: &FileReport) -> Vec<Value> {
    if matches!(file.status, Status::Added | Status::Removed) {
        return Vec::new();
    }
    let mut by: BTreeMap<What, Vec<Value>> = BTreeMap::new();
    for function in &file.functions {
        let link = format!("changes/{}:{}", anchor(&file.path), function.line);
        let one = context! { name => &function.name, from => &function.from, link };
        by.entry(function.what).or_default().push(one);
    }
    by.into_iter().map(|(kind, names)| context! { what => what(kind), names }).collect()
}

/// The causes of some lines, with numbers where there are several.
fn causes<'l>(lines: impl Iterator<Item = &'l Line>) -> String {
    let mut all: BTreeMap<Cause, [usize; 2]> = BTreeMap::new();
    for line in lines {
        let Some(cause) = line.cause else { continue };
        all.entry(cause).or_default()[usize::from(line.mark == '-')] += 1;
    }
    let alone = all.len() == 1;
    let words = all.into_iter().map(|(name, [came, went])| match alone {
        true => cause(name).to_owned(),
        false => format!("{} +{came} \u{2212}{went}", cause(name)),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Draws a hunk, and says how many changes it has.
fn drawn_hunk(out: &mut String, file: &FileReport, hunk: &HunkReport, most: usize) -> usize {
    let _ = write!(out, "<tbody class=\"h\"><tr><td colspan=\"4\">line {}", hunk.new.0.max(1));
    if !hunk.within.is_empty() {
        out.push_str(" in ");
        push_code(out, hunk.within.as_bytes());
    }
    let words = causes(hunk.lines.iter());
    let _ = write!(out, " <i>{words}</i>");
    for commit in hunk.commits.iter().take(MAX_COMMITS) {
        let id = short(&commit.id);
        let pull = commit.pull.map(|pull| format!(" #{pull}")).unwrap_or_default();
        let _ = write!(out, " <i>{}{pull}</i>", escaped(id));
    }
    out.push_str("</tbody>\n");
    let start = |(first, count): (usize, usize)| if count == 0 { first + 1 } else { first };
    let mut at = (start(hunk.old), start(hunk.new));
    let shown = &hunk.lines[..most.min(hunk.lines.len())];
    let mixed = words.contains(',');
    let (mut groups, mut rest) = (0, shown);
    while !rest.is_empty() {
        let changed = |line: &Line| line.mark != ' ';
        let same = rest.iter().take_while(|line| !changed(line)).count();
        let (context, behind) = rest.split_at(same);
        if !context.is_empty() {
            out.push_str("<tbody class=\"x\">");
            for (n, line) in context.iter().enumerate() {
                rows::both(out, (at.0 + n, at.1 + n), line.text.as_bytes());
            }
            out.push_str("</tbody>\n");
            at = (at.0 + same, at.1 + same);
        }
        let (run, behind) = behind.split_at(behind.iter().take_while(|line| changed(line)).count());
        if !run.is_empty() {
            at = group(out, file, run, at, mixed);
            groups += 1;
        }
        rest = behind;
    }
    if shown.len() < hunk.lines.len() {
        let more = hunk.lines.len() - shown.len();
        let more = plural(more, "line");
        let _ = writeln!(out, "<tbody class=\"g\"><tr><td colspan=\"4\">{more} more</tbody>");
    }
    groups
}

/// Lines that changed together; gives the lines behind them.
fn group(
    out: &mut String,
    file: &FileReport,
    run: &[Line],
    at: (usize, usize),
    mixed: bool,
) -> (usize, usize) {
    let cells = |mark: char, first: usize| -> Vec<Cell<'_>> {
        let lines = run.iter().filter(|line| line.mark == mark).enumerate();
        let cells = lines.map(|(n, line)| Cell {
            number: first + n,
            text: line.text.as_bytes(),
            moved: line.moved,
        });
        cells.collect()
    };
    let (old, new) = (cells('-', at.0), cells('+', at.1));
    let line = if file.status == Status::Removed { at.0 } else { at.1 };
    let _ = write!(out, "<tbody class=\"change\" id=\"changes/{}:{line}\"", anchor(&file.path));
    let mut all: Vec<Cause> = run.iter().filter_map(|line| line.cause).collect();
    all.sort();
    all.dedup();
    let names: Vec<&str> = all.iter().map(|one| cause(*one)).collect();
    let _ = write!(out, " data-cause=\"{}\"", names.join(" "));
    if run.iter().all(|line| line.moved || is_words(line)) {
        out.push_str(" data-plain");
    }
    out.push('>');
    if mixed {
        let _ = write!(out, "<tr class=\"r\"><td colspan=\"4\">{}", names.join(" and "));
    }
    rows::pairs(out, &old, &new);
    if run.iter().any(|line| line.open) {
        out.push_str("<tr class=\"g\"><td colspan=\"4\">no end of line at the end of the file");
    }
    out.push_str("</tbody>\n");
    (at.0 + old.len(), at.1 + new.len())
}

/// Whether a line has no code.
fn is_words(line: &Line) -> bool {
    use crate::compare::Kind::{Blank, Comment, Licence};
    matches!(line.kind, Some(Comment | Licence | Blank))
}
