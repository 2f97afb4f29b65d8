//! How fast two kernel forms are, as text.

use super::{line, row};
use crate::compare::cost::Pair;
use crate::compare::speed::gate::block_name;
use crate::compare::speed::{Rate, Speed};
use crate::report::paint::Paint;
use crate::report::visible::one_line;

/// Most characters of a part's name.
const LONGEST_NAME: usize = 24;

/// Draws what was measured, if anything was; `details`: each part, too.
pub(super) fn draw(out: &mut String, speed: Option<&Speed>, paint: Paint, details: bool) {
    let Some(speed) = speed else { return };
    line(out, &format!("\n{}", paint.bold("How fast")));
    row(out, "build", &speed.build);
    row(out, "corpus", &corpus(speed));
    let pairs = speed.pairs;
    row(
        out,
        "figures",
        &format!("new to old, medians of {pairs} pairs or more, 99.9 % interval; * is"),
    );
    row(out, "", "beyond the noise; MB/s and compressed size are old and new");
    line(out, &format!("  All parts, geometric mean\n{}", head("block")));
    for group in &speed.groups {
        let name = block_name(group.block);
        let ways = [&group.compress, &group.decompress];
        figures(out, (&name, group.level), ways, (group.compressed, group.same_bytes), paint);
    }
    let rows = speed.rows.iter();
    let shown: Vec<_> =
        rows.filter(|row| details || row.compress.notable || row.decompress.notable).collect();
    if !shown.is_empty() {
        let what = if details { "Each part" } else { "Parts with a change beyond the noise" };
        line(out, &format!("  {what}"));
    }
    let mut last = None;
    for one in shown {
        let at = (&one.part, one.block);
        if last.replace(at) != Some(at) {
            let name = format!("{}, {}", tail(&one.part), block_name(one.block));
            line(out, &format!("    {}", one_line(&name)));
        }
        let ways = [&one.compress, &one.decompress];
        figures(out, ("", one.level), ways, (one.compressed, one.same_bytes), paint);
    }
    let levels: Vec<String> = speed.other_bytes.iter().map(i32::to_string).collect();
    let bytes = match levels.is_empty() {
        true => "the same compressed bytes at all levels".to_owned(),
        false => format!("other compressed bytes at levels {}", levels.join(", ")),
    };
    row(out, "bytes", &bytes);
    row(out, "memory", &memory(speed));
    for note in &speed.notes {
        row(out, "note", note);
    }
}

fn corpus(speed: &Speed) -> String {
    const MOST: usize = 6;
    let all = &speed.corpus;
    let bytes: u64 = all.iter().map(|part| part.bytes).sum();
    let names: Vec<&str> = all.iter().take(MOST).map(|part| tail(&part.name)).collect();
    let more = all.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} KB: {}{more}", bytes / 1024, names.join(", "))
}

/// The end of a name that is too long: it tells more than the start of a path.
fn tail(name: &str) -> &str {
    let count = name.chars().count();
    let from = name.char_indices().nth(count.saturating_sub(LONGEST_NAME));
    from.map_or("", |(at, _)| &name[at..])
}

fn head(name: &str) -> String {
    format!(
        "    {name:<6}{:>5}  {:<22}{:<14}{:<22}{:<14}{}",
        "level", "compress", "MB/s", "decompress", "MB/s", "size"
    )
}

/// One line; at most 100 columns.
fn figures(
    out: &mut String,
    (name, level): (&str, i32),
    ways: [&Rate; 2],
    (compressed, same): (Pair, bool),
    paint: Paint,
) {
    let way = |rate: &Rate| {
        let mark = if rate.notable { "*" } else { "" };
        let text = format!("{:.3} [{:.3}..{:.3}]{mark}", rate.ratio, rate.low, rate.high);
        let text = format!("{text:<22}");
        let text = match (rate.notable, rate.ratio < 1.0) {
            (true, true) => paint.gone(&text),
            (true, false) => paint.come(&text),
            _ => text,
        };
        format!("{text}{:<14}", format!("{} {}", short(rate.old), short(rate.new)))
    };
    let size = match (compressed.old, compressed.new) {
        (Some(old), Some(new)) if old != new && old > 0 => {
            format!("{:+.2} %", (new as f64 / old as f64 - 1.0) * 100.0)
        }
        _ if same => "same".to_owned(),
        _ => "as much".to_owned(),
    };
    let text = format!("    {name:<6}{level:>5}  {}{}{size}", way(ways[0]), way(ways[1]));
    line(out, &text);
}

/// Three digits that count.
fn short(number: f64) -> String {
    match number {
        n if n < 10.0 => format!("{n:.2}"),
        n if n < 100.0 => format!("{n:.1}"),
        n => format!("{n:.0}"),
    }
}

/// Workspaces that changed, by block and level.
fn memory(speed: &Speed) -> String {
    let changed: Vec<String> = speed
        .groups
        .iter()
        .filter(|group| group.memory.old != group.memory.new)
        .filter_map(|group| {
            let (old, new) = (group.memory.old.filter(|old| *old > 0)?, group.memory.new?);
            let change = (new as f64 / old as f64 - 1.0) * 100.0;
            Some(format!("{}@{} {change:+.1} %", block_name(group.block), group.level))
        })
        .collect();
    match changed.as_slice() {
        [] => "the same workspaces to compress".to_owned(),
        all => format!("workspaces to compress: {}", all.join(", ")),
    }
}
