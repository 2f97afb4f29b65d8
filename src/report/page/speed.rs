//! What the template of the section on speed is told.

use minijinja::{Value, context};

use super::charts::{self, Direction, Span};
use super::cost::{markup, shown};
use super::figures::{NONE, count, decimal, kib, level};
use crate::compare::speed::{Rate, Speed, SpeedGroup, SpeedRow};
use crate::report::visible::one_line;

/// The values of `speed.html`: words and charts only.
pub(super) fn value(speed: &Speed) -> Value {
    let corpus = speed.corpus.iter().map(|part| {
        context! { name => one_line(&part.name), bytes => count(Some(part.bytes)) }
    });
    context! {
        build => one_line(&speed.build),
        pairs => speed.pairs,
        corpus => corpus.collect::<Vec<Value>>(),
        rows => speed.rows.len(),
        notable => notable(&speed.rows),
        parts => parts(speed),
        other_bytes => speed.other_bytes.iter().map(|number| level(*number)).collect::<Vec<_>>(),
        notes => shown(&speed.notes),
    }
}

/// Changes beyond the noise, the slower ones first.
fn notable(rows: &[SpeedRow]) -> Vec<Value> {
    let mut found: Vec<(Rate, Direction, &SpeedRow)> = rows
        .iter()
        .flat_map(|row| Direction::BOTH.map(|direction| (direction.rate(row), direction, row)))
        .filter(|(rate, ..)| rate.notable)
        .collect();
    found.sort_by(|one, other| one.0.ratio.total_cmp(&other.0.ratio));
    found
        .into_iter()
        .map(|(rate, direction, row)| {
            context! {
                part => one_line(&row.part),
                block => block(row.block),
                level => level(row.level),
                direction => direction.name(),
                rate => rated(&rate),
            }
        })
        .collect()
}

/// `4 KiB`, or what stands for the whole.
fn block(bytes: Option<u64>) -> String {
    match bytes {
        None => "whole".to_owned(),
        Some(bytes) if bytes > 0 && bytes.is_multiple_of(1024) => {
            format!("{} KiB", count(Some(bytes / 1024)))
        }
        Some(bytes) => format!("{} bytes", count(Some(bytes))),
    }
}

fn rated(rate: &Rate) -> Value {
    let spread = if rate.low.is_finite() && rate.high.is_finite() {
        let few = if rate.sure { "" } else { ", of few pairs" };
        format!("{} to {}{few}", decimal(rate.low, 3), decimal(rate.high, 3))
    } else {
        NONE.to_owned()
    };
    let verdict = match (rate.notable, rate.ratio >= 1.0) {
        (false, _) => "",
        (true, true) => "faster",
        (true, false) => "slower",
    };
    context! {
        old => decimal(rate.old, 1),
        new => decimal(rate.new, 1),
        ratio => decimal(rate.ratio, 3),
        spread,
        verdict,
    }
}

/// What all parts come to, and each of them; of these the blocks in the order in which they come.
fn parts(speed: &Speed) -> Vec<Value> {
    let all: Vec<SpeedRow> = speed.groups.iter().map(of_all).collect();
    let whole = (!all.is_empty()).then(|| part(ALL_PARTS, &all.iter().collect::<Vec<_>>(), true));
    let groups = grouped(speed.rows.iter(), |row| row.part.as_str());
    // Where nothing is open, one chart is worth more than a list of what could be.
    let one = (whole.is_none() && !speed.rows.iter().any(is_notable)).then_some(0);
    let each = groups.iter().enumerate().map(|(at, (name, rows))| {
        let open = whole.is_none() && rows.iter().any(|row| is_notable(row));
        part(name, rows, open || one == Some(at))
    });
    let each: Vec<Value> = each.collect();
    whole.into_iter().chain(each).collect()
}

/// Stands for a name.
const ALL_PARTS: &str = "All parts together";

/// What all parts come to, as if it were one.
fn of_all(group: &SpeedGroup) -> SpeedRow {
    SpeedRow {
        part: ALL_PARTS.to_owned(),
        block: group.block,
        level: group.level,
        compressed: group.compressed,
        same_bytes: group.same_bytes,
        pairs: 0,
        compress: group.compress,
        decompress: group.decompress,
        memory: group.memory,
    }
}

fn is_notable(row: &SpeedRow) -> bool {
    row.compress.notable || row.decompress.notable
}

fn part(name: &str, rows: &[&SpeedRow], open: bool) -> Value {
    let span = charts::span(rows.iter().copied());
    let blocks = grouped(rows.iter().copied(), |row| row.block);
    context! {
        name => one_line(name),
        notable => rows.iter().filter(|row| is_notable(row)).count(),
        open,
        blocks => blocks
            .iter()
            .map(|(bytes, rows)| one_block(name, *bytes, rows, span))
            .collect::<Vec<Value>>(),
    }
}

fn one_block(part: &str, bytes: Option<u64>, rows: &[&SpeedRow], span: Span) -> Value {
    let name = block(bytes);
    let charts = Direction::BOTH.into_iter().filter_map(|direction| {
        let title = format!("{} speed by level, {part}, {name}", direction.name());
        let chart = markup(charts::ratios(rows, direction, &title, span))?;
        Some(context! { direction => direction.name(), chart })
    });
    context! { charts => charts.collect::<Vec<Value>>(), rows => rows.iter().map(|row| one_row(row))
    .collect::<Vec<Value>>(), name => name }
}

fn one_row(row: &SpeedRow) -> Value {
    context! {
        level => level(row.level),
        compressed => context! {
            old => count(row.compressed.old),
            new => count(row.compressed.new),
            same => row.same_bytes,
        },
        compress => rated(&row.compress),
        decompress => rated(&row.decompress),
        memory => context! { old => kib(row.memory.old), new => kib(row.memory.new) },
    }
}

/// Rows that have the same key, by the first that has it. There are few keys.
fn grouped<'a, K: PartialEq>(
    rows: impl Iterator<Item = &'a SpeedRow>,
    key: impl Fn(&'a SpeedRow) -> K,
) -> Vec<(K, Vec<&'a SpeedRow>)> {
    let mut groups: Vec<(K, Vec<&SpeedRow>)> = Vec::new();
    for row in rows {
        let wanted = key(row);
        match groups.iter_mut().find(|(known, _)| *known == wanted) {
            Some((_, group)) => group.push(row),
            None => groups.push((wanted, vec![row])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::cost::Pair;
    use crate::compare::speed::CorpusPart;

    fn drawn(speed: Option<Value>) -> String {
        let environment = crate::report::page::environment().unwrap();
        environment.get_template("speed.html").unwrap().render(context! { speed }).unwrap()
    }

    fn rate(ratio: f64, notable: bool) -> Rate {
        Rate { old: 250.04, new: 250.04 * ratio, ratio, low: 0.9, high: 1.1, sure: true, notable }
    }

    fn row(part: &str, block: Option<u64>, level: i32, compress: Rate) -> SpeedRow {
        SpeedRow {
            part: part.into(),
            block,
            level,
            compressed: Pair { old: Some(5000), new: Some(4999) },
            same_bytes: level != 3,
            pairs: 7,
            compress,
            decompress: Rate { low: f64::NAN, ..rate(f64::NAN, false) },
            memory: Pair { old: Some(2048), new: None },
        }
    }

    #[test]
    fn nothing_measured_is_no_section() {
        assert_eq!(drawn(None).trim(), "");
        let page = drawn(Some(value(&Speed::default())));
        assert!(page.contains("<section id=\"speed\"") && !page.contains("<table"), "{page}");
        assert!(!page.contains("Compressed bytes"), "{page}");
    }

    #[test]
    fn tables_have_each_figure() {
        let speed = Speed {
            build: "cc -O2 <fast>".into(),
            pairs: 7,
            corpus: vec![CorpusPart { name: "text&more".into(), bytes: 1_000_000 }],
            rows: vec![
                row("text&more", Some(4096), -5, rate(1.0, false)),
                row("text&more", Some(4096), 3, rate(0.8, true)),
                row("text&more", None, 3, rate(1.2, true)),
                row("noise", Some(100), 1, rate(1.0, false)),
            ],
            groups: Vec::new(),
            other_bytes: vec![3],
            notes: vec!["<note>".into()],
        };
        let page = drawn(Some(value(&speed)));
        for part in [
            "median of 7 pairs or more",
            "cc -O2 &lt;fast&gt;",
            "text&amp;more (1,000,000 bytes)",
            "Compressed bytes differ at level 3.",
            "<p class=\"note\">&lt;note&gt;</p>",
            "<th scope=\"row\">text&amp;more</th><td>4 KiB</td><td>3</td><td>Compression</td>\
             <td>250.0</td><td>200.0</td><td class=\"slower\">0.800 slower</td>\
             <td>0.900 to 1.100</td></tr>",
            "<td>whole</td><td>3</td><td>Compression</td><td>250.0</td><td>300.0</td>\
             <td class=\"faster\">1.200 faster</td>",
            "<th scope=\"row\">−5</th><td>5,000</td><td>same</td><td>250.0</td><td>250.0</td>\
             <td>1.000</td><td>0.900 to 1.100</td><td>250.0</td><td>–</td><td>–</td><td>–</td>\
             <td>2.0</td><td>–</td></tr>",
            "<th scope=\"row\">3</th><td>5,000</td><td>4,999</td>",
            "<h4>noise, 100 bytes</h4>",
            "<span>2 beyond the noise</span>",
        ] {
            assert!(page.contains(part), "{part}\nis not in\n{page}");
        }
        // What is beyond the noise is open, and slower changes come first.
        assert_eq!(page.matches("<details class=\"part\" open>").count(), 1);
        assert_eq!(page.matches("<details class=\"part\">").count(), 1);
        assert!(page.find("0.800 slower") < page.find("1.200 faster"));
        // Three groups; nothing to decompress was measured.
        assert_eq!(page.matches("<svg").count(), 3, "{page}");
        assert!(!page.contains(" style="), "the page's policy forbids it");
    }

    #[test]
    fn what_all_parts_come_to_stands_first_and_open() {
        let group = SpeedGroup {
            block: Some(4096),
            level: 3,
            compressed: Pair { old: Some(10), new: Some(10) },
            same_bytes: true,
            compress: rate(0.9, true),
            decompress: Rate { sure: false, ..rate(1.0, false) },
            memory: Pair::default(),
        };
        let rows = vec![row("text", Some(4096), 3, rate(0.5, true))];
        let page = drawn(Some(value(&Speed { groups: vec![group], rows, ..Speed::default() })));
        let open = "<details class=\"part\" open>\n<summary><h3>All parts together</h3>";
        let closed = "<details class=\"part\">\n<summary><h3>text</h3>";
        assert!(page.contains(open) && page.contains(closed), "{page}");
        assert!(page.find(open) < page.find(closed));
        assert!(page.contains("<td>0.900 to 1.100, of few pairs</td>"), "{page}");
        assert!(
            page.contains("<title>Compression speed by level, All parts together, 4 KiB</title>")
        );
    }
}
