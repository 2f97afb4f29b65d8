//! Upstream's lines beside those of the kernel form: what rules made, with a few lines around.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use minijinja::{Value, context};

use super::rows::{self, Cell};
use super::text::{anchor, push};
use crate::compare::made::{Group, Made, MadeFile, RuleUse, lines};
use crate::edit::RuleRef;
use crate::report::summary::plural;

/// Lines around a change that are shown.
const AROUND: usize = 3;
/// Most lines of what a template made that are shown.
const MOST_OF_TEMPLATE: usize = 400;
/// A file with at most so many rows is open.
const OPEN: usize = 60;

/// The reasons of rules by name.
pub(super) type Reasons<'m> = BTreeMap<&'m str, &'m str>;

/// The reasons of all rules at work.
pub(super) fn reasons(made: &Made) -> Reasons<'_> {
    made.rules.iter().map(|used| (used.rule.rule.as_str(), used.rule.why.as_str())).collect()
}

/// The files in which rules did something.
pub(super) fn files(made: &Made) -> Vec<Value> {
    let reasons = reasons(made);
    let changed = made.files.iter().filter(|file| !file.groups.is_empty());
    changed.map(|file| drawn(file, &reasons)).collect()
}

fn drawn(file: &MadeFile, reasons: &Reasons<'_>) -> Value {
    let mut table = Table::new(file, reasons);
    file.groups.iter().for_each(|group| table.group(group));
    table.finish();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in file.groups.iter().flat_map(|group| &group.rules) {
        *kinds.entry(rule.kind()).or_default() += 1;
    }
    let kinds = kinds.into_iter().map(|(kind, count)| format!("{kind} {count}"));
    context! {
        path => &file.path,
        id => format!("made/{}", anchor(&file.path)),
        source => &file.source,
        template => file.template.is_some(),
        groups => file.groups.len(),
        kinds => kinds.collect::<Vec<_>>().join(" \u{b7} "),
        open => table.rows <= OPEN,
        rows => Value::from_safe_string(table.out),
    }
}

/// Rows of one file.
struct Table<'m> {
    file: &'m MadeFile,
    reasons: &'m Reasons<'m>,
    old: Vec<&'m [u8]>,
    new: Vec<&'m [u8]>,
    /// Lines up to which all has been said.
    at: (usize, usize),
    /// Rules whose reason stands above already.
    said: BTreeSet<&'m RuleRef>,
    /// Line of the last group, and how many groups had it.
    last: (usize, usize),
    rows: usize,
    out: String,
}

impl<'m> Table<'m> {
    fn new(file: &'m MadeFile, reasons: &'m Reasons<'m>) -> Table<'m> {
        let (old, new) = (lines(&file.old), lines(&file.new));
        let (at, said, last, rows, out) = ((0, 0), BTreeSet::new(), (0, 0), 0, String::new());
        Table { file, reasons, old, new, at, said, last, rows, out }
    }

    fn group(&mut self, group: &'m Group) {
        self.between(group.new.start - self.at.1, self.at.1 == 0);
        self.head(group);
        for (old, new) in &group.parts {
            let cells = |all: &[&'m [u8]], range: &std::ops::Range<usize>| -> Vec<Cell<'m>> {
                let most = if self.file.template.is_some() { MOST_OF_TEMPLATE } else { usize::MAX };
                let numbers = range.clone().take(most);
                numbers.map(|n| Cell { number: n + 1, text: bare(all[n]), moved: false }).collect()
            };
            let (one, other) = (cells(&self.old, old), cells(&self.new, new));
            self.rows += one.len().max(other.len());
            rows::pairs(&mut self.out, &one, &other);
            if other.len() < new.len() {
                let _ = write!(self.out, "<tr class=\"g\"><td colspan=\"4\">");
                let _ = write!(self.out, "{} more lines of the template", new.len() - other.len());
            }
        }
        self.out.push_str("</tbody>\n");
        self.at = (group.old.end, group.new.end);
    }

    /// The tag of a group, with a row of its rules.
    fn head(&mut self, group: &'m Group) {
        let line = group.new.start + 1;
        self.last = (line, if self.last.0 == line { self.last.1 + 1 } else { 1 });
        let again = if self.last.1 > 1 { format!(".{}", self.last.1) } else { String::new() };
        let names: Vec<&str> = group.rules.iter().map(RuleRef::as_str).collect();
        let (path, out) = (anchor(&self.file.path), &mut self.out);
        let _ =
            write!(out, "<tbody class=\"change\" id=\"made/{path}:{line}{again}\" data-rules=\"");
        push(out, &names.join(" "));
        out.push_str("\"><tr class=\"r\"><td colspan=\"4\">");
        for rule in &group.rules {
            let _ = write!(out, "<a href=\"#rule/{}\">", anchor(rule.as_str()));
            push(out, rule.as_str());
            out.push_str("</a> ");
            if self.said.insert(rule) {
                let why = self.reasons.get(rule.as_str()).copied().unwrap_or_default();
                push(out, &why.split_whitespace().collect::<Vec<_>>().join(" "));
                out.push(' ');
            }
        }
        out.push('\n');
    }

    /// Lines that are the same in both texts: some at either end, and how many between.
    fn between(&mut self, count: usize, from_top: bool) {
        let (old, new) = self.at;
        let head = if from_top { 0 } else { AROUND };
        let all: Vec<usize> = (0..count).collect();
        match count <= head + AROUND + 1 {
            true => self.same((old, new), &all),
            false => {
                self.same((old, new), &all[..head]);
                self.gap(count - head - AROUND);
                self.same((old, new), &all[count - AROUND..]);
            }
        }
    }

    fn same(&mut self, (old, new): (usize, usize), offsets: &[usize]) {
        if offsets.is_empty() {
            return;
        }
        self.out.push_str("<tbody class=\"x\">");
        for n in offsets {
            rows::both(&mut self.out, (old + n + 1, new + n + 1), bare(self.new[new + n]));
        }
        self.rows += offsets.len();
        self.out.push_str("</tbody>\n");
    }

    fn gap(&mut self, count: usize) {
        let alike = plural(count, "line");
        let _ =
            writeln!(self.out, "<tbody class=\"g\"><tr><td colspan=\"4\">{alike} alike</tbody>");
    }

    fn finish(&mut self) {
        let count = self.new.len() - self.at.1;
        if self.file.template.is_some() || count == 0 {
            return;
        }
        let shown: Vec<usize> = (0..count.min(AROUND)).collect();
        self.same(self.at, &shown);
        if count > AROUND {
            self.gap(count - AROUND);
        }
    }
}

fn bare(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The rules at work.
pub(super) fn rules(made: &Made) -> Vec<Value> {
    let row = |used: &RuleUse| {
        let RuleUse { rule, groups, files } = used;
        context! {
            id => format!("rule/{}", anchor(&rule.rule)),
            rule => &rule.rule,
            why => rule.why.split_whitespace().collect::<Vec<_>>().join(" "),
            file => &rule.file,
            groups, files,
        }
    };
    made.rules.iter().map(row).collect()
}

/// Upstream's files that are not taken.
pub(super) fn left_out(made: &Made) -> Vec<Value> {
    let row = |file: &crate::compare::made::LeftOut| {
        let rules: Vec<&str> = file.rules.iter().map(RuleRef::as_str).collect();
        context! { path => &file.path, rules => rules.join(", ") }
    };
    made.left_out.iter().map(row).collect()
}
