//! The table of changed files above a patch, as wide as git makes it for mail.

use super::change::{Change, FileChange};
use super::quote;

/// Columns of a line.
const WIDTH: usize = 72;
/// Least columns of the bar of signs.
const LEAST_BAR: usize = 6;
/// Least columns of a name.
const LEAST_NAME: usize = 16;
/// The columns of ` `, ` | ` and the like.
const BETWEEN: usize = 6;

struct Row {
    name: String,
    added: usize,
    deleted: usize,
}

/// Columns of the three parts of a row.
struct Widths {
    name: usize,
    number: usize,
    bar: usize,
    /// Lines of the file that changes most.
    most: usize,
}

/// Table, sums and list.
pub(super) fn table(change: &Change) -> String {
    let rows: Vec<Row> = change.files.iter().map(row).collect();
    let widths = widths(&rows);
    let mut out: String = rows.iter().map(|row| line(row, &widths)).collect();
    out += &sums(change);
    out.extend(change.files.iter().filter_map(listed));
    out
}

fn row(file: &FileChange) -> Row {
    let new = file.path.as_str();
    let name = match file.renamed_from() {
        Some((old, _)) => renamed(old.as_str(), new),
        None => quote::shown(new),
    };
    Row { name, added: file.added, deleted: file.deleted }
}

fn widths(rows: &[Row]) -> Widths {
    let longest = rows.iter().map(|row| columns(&row.name)).max().unwrap_or(0);
    let most = rows.iter().map(|row| row.added + row.deleted).max().unwrap_or(0);
    let number = most.to_string().len();
    let width = WIDTH.max(LEAST_NAME + LEAST_BAR + number);
    let (mut name, mut bar) = (longest, most);
    if name + number + BETWEEN + bar > width {
        let share = (width * 3 / 8).saturating_sub(number + BETWEEN);
        if bar > share {
            bar = share.max(LEAST_BAR);
        }
        let left = width - number - BETWEEN - bar;
        match name > left {
            true => name = left,
            false => bar = width - number - BETWEEN - name,
        }
    }
    Widths { name, number, bar, most }
}

fn line(row: &Row, widths: &Widths) -> String {
    let name = shortened(&row.name, widths.name);
    let padding = " ".repeat(widths.name.saturating_sub(columns(&name)));
    let total = row.added + row.deleted;
    let (plus, minus) = bar(row, widths);
    let blank = if total > 0 { " " } else { "" };
    let number = widths.number;
    let bar = "+".repeat(plus) + &"-".repeat(minus);
    format!(" {name}{padding} | {total:>number$}{blank}{bar}\n")
}

/// The end of a name that is too long, from a `/` on if it has one.
fn shortened(name: &str, width: usize) -> String {
    let mut over = columns(name).saturating_sub(width.saturating_sub(3));
    if columns(name) <= width {
        return name.to_owned();
    }
    let mut rest = name.chars();
    while over > 0 && rest.next().is_some() {
        over -= 1;
    }
    let rest = rest.as_str();
    format!("...{}", rest.find('/').map_or(rest, |at| &rest[at..]))
}

/// Numbers of plus and minus signs.
fn bar(row: &Row, widths: &Widths) -> (usize, usize) {
    let Row { added, deleted, .. } = *row;
    if widths.bar > widths.most {
        return (added, deleted);
    }
    let scaled = |lines: usize| match lines {
        0 => 0,
        _ => 1 + lines * (widths.bar - 1) / widths.most,
    };
    let both = if added > 0 && deleted > 0 { 2 } else { 0 };
    let total = scaled(added + deleted).max(both);
    // The smaller part is scaled, so that it shows.
    match added < deleted {
        true => (scaled(added), total - scaled(added)),
        false => (total - scaled(deleted), scaled(deleted)),
    }
}

fn sums(change: &Change) -> String {
    let (files, added, deleted) = change.totals();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let mut out = format!(" {files} file{} changed", plural(files));
    if files == 0 {
        return out + "\n";
    }
    if added > 0 || deleted == 0 {
        out += &format!(", {added} insertion{}(+)", plural(added));
    }
    if deleted > 0 || added == 0 {
        out += &format!(", {deleted} deletion{}(-)", plural(deleted));
    }
    out + "\n"
}

/// What the list says of a file, if it isn't only changed.
fn listed(file: &FileChange) -> Option<String> {
    let path = file.path.as_str();
    match (file.renamed_from(), &file.old, &file.new) {
        (Some((old, percent)), ..) => {
            Some(format!(" rename {} ({percent}%)\n", renamed(old.as_str(), path)))
        }
        (_, None, _) => Some(format!(" create mode 100644 {}\n", quote::shown(path))),
        (_, _, None) => Some(format!(" delete mode 100644 {}\n", quote::shown(path))),
        _ => None,
    }
}

/// Both names with what they share written once: `a/{b => c}/d`.
fn renamed(old: &str, new: &str) -> String {
    if quote::quoted(old).is_some() || quote::quoted(new).is_some() {
        return format!("{} => {}", quote::shown(old), quote::shown(new));
    }
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let start = old[..same].rfind('/').map_or(0, |at| at + 1);
    // A shared end starts with a `/`, which may be the one that the shared start ends in.
    let most = old.len().min(new.len()) - start.saturating_sub(1);
    let same = old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(a, b)| a == b);
    let from = old.len() - same.count();
    let end = old[from..].find('/').map_or(0, |at| old.len() - from - at);
    if start + end == 0 {
        return format!("{old} => {new}");
    }
    let middle = |name: &str| name.get(start..name.len() - end).unwrap_or_default().to_owned();
    let (before, after) = (middle(old), middle(new));
    format!("{}{{{before} => {after}}}{}", &old[..start], &old[old.len() - end..])
}

/// Columns that a text takes. Names beyond ASCII are quoted, so that each character takes one.
fn columns(text: &str) -> usize {
    text.chars().count()
}
