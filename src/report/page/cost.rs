//! What the template of the section on cost is told.

use minijinja::{Value, context};

use super::charts::{self, Direction};
use super::figures::{change, count, kib, level, sense};
use crate::compare::cost::{Cost, Exports, MachineCost, ObjectCost, Pair, WorkspaceUse};
use crate::report::visible::one_line;

/// The values of `cost.html`: words and charts only.
pub(super) fn value(cost: &Cost) -> Value {
    context! {
        workspaces => cost.workspaces.iter().map(workspaces).collect::<Vec<Value>>(),
        machines => cost.machines.iter().map(machine).collect::<Vec<Value>>(),
        exports => cost.exports.as_ref().map(exports),
        notes => shown(&cost.notes),
    }
}

/// A chart is markup of our own; all else is text.
pub(super) fn markup(chart: Option<String>) -> Option<Value> {
    chart.map(Value::from_safe_string)
}

/// A level of a workspace.
pub(super) fn level_name(number: i32) -> String {
    if number == 0 { "all".to_owned() } else { level(number) }
}

/// Texts of others, on one line each.
pub(super) fn shown(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| one_line(text).into_owned()).collect()
}

fn in_kib(pair: Pair) -> Value {
    figures(kib(pair.old), kib(pair.new), pair)
}

fn in_bytes(pair: Pair) -> Value {
    figures(count(pair.old), count(pair.new), pair)
}

fn figures(old: String, new: String, pair: Pair) -> Value {
    context! { old, new, change => change(pair), sense => sense(pair) }
}

fn workspaces(used: &WorkspaceUse) -> Value {
    let rows = used.rows.iter().map(|row| {
        context! {
            level => level_name(row.level),
            compress => in_kib(row.compress),
            decompress => in_kib(row.decompress),
        }
    });
    // One that is the same at every level needs no picture.
    let drawn = |direction: Direction| {
        let mut pairs = used.rows.iter().map(|row| direction.workspace(row));
        let first = pairs.next().unwrap_or_default();
        first.old != first.new || pairs.any(|pair| pair != first)
    };
    let charts = Direction::BOTH.into_iter().filter(|direction| drawn(*direction));
    context! {
        user => one_line(&used.user),
        how => one_line(&used.how),
        rows => rows.collect::<Vec<Value>>(),
        charts => charts
            .filter_map(|direction| markup(charts::workspaces(used, direction)))
            .collect::<Vec<Value>>(),
    }
}

fn machine(machine: &MachineCost) -> Value {
    let over = |bytes: Option<u64>| bytes.is_some_and(|bytes| bytes > machine.frame_limit);
    let frames = machine.frames.iter().map(|frame| {
        context! {
            function => one_line(&frame.function),
            bytes => in_bytes(frame.bytes),
            over => over(frame.bytes.new),
        }
    });
    let objects = machine.objects.iter().map(object);
    context! {
        machine => one_line(&machine.machine),
        compiler => one_line(&machine.compiler),
        limit => count(Some(machine.frame_limit)),
        frames => frames.collect::<Vec<Value>>(),
        objects => objects.collect::<Vec<Value>>(),
        total => total(&machine.objects),
        frames_chart => markup(charts::frames(machine)),
        sizes_chart => markup(charts::sizes(machine)),
    }
}

fn object(object: &ObjectCost) -> Value {
    let name = one_line(&object.object);
    context! { object => name, text => in_bytes(object.text), data => in_bytes(object.data) }
}

/// The sums over all objects; what one form doesn't have is nothing there.
fn total(objects: &[ObjectCost]) -> Value {
    let sum = |figure: fn(&ObjectCost) -> Option<u64>| {
        let figures = objects.iter().filter_map(figure);
        figures.fold(None, |sum: Option<u64>, figure| Some(sum.unwrap_or(0).saturating_add(figure)))
    };
    let text = Pair { old: sum(|object| object.text.old), new: sum(|object| object.text.new) };
    let data = Pair { old: sum(|object| object.data.old), new: sum(|object| object.data.new) };
    context! { text => in_bytes(text), data => in_bytes(data) }
}

fn exports(exports: &Exports) -> Value {
    context! {
        kept => count(u64::try_from(exports.kept).ok()),
        added => shown(&exports.added),
        removed => shown(&exports.removed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::cost::{FrameCost, WorkspaceRow};

    fn pair(old: u64, new: u64) -> Pair {
        Pair { old: Some(old), new: Some(new) }
    }

    fn drawn(cost: Option<Value>) -> String {
        let environment = crate::report::page::environment().unwrap();
        environment.get_template("cost.html").unwrap().render(context! { cost }).unwrap()
    }

    fn row(level: i32, compress: Pair) -> WorkspaceRow {
        WorkspaceRow { level, compress, decompress: pair(1024, 1024) }
    }

    #[test]
    fn nothing_measured_is_no_section() {
        assert_eq!(drawn(None).trim(), "");
        let page = drawn(Some(value(&Cost::default())));
        assert!(page.contains("<section id=\"cost\"") && !page.contains("<table"), "{page}");
    }

    #[test]
    fn tables_have_each_figure() {
        let cost = Cost {
            workspaces: vec![WorkspaceUse {
                user: "a file system".into(),
                how: "128 KiB <at most>".into(),
                rows: vec![row(-1, pair(2048, 3072)), row(1, pair(4096, 4096))],
            }],
            machines: vec![MachineCost {
                machine: "arm".into(),
                compiler: "cc & co".into(),
                frame_limit: 1024,
                frames: vec![FrameCost { function: "fold<b>".into(), bytes: pair(900, 1100) }],
                objects: vec![
                    ObjectCost { object: "a.c".into(), text: pair(1500, 1200), data: pair(0, 8) },
                    ObjectCost {
                        object: "b.c".into(),
                        text: Pair { old: None, new: Some(1) },
                        data: Pair::default(),
                    },
                ],
            }],
            exports: Some(Exports { kept: 1200, added: vec!["f\u{202e}".into()], removed: vec![] }),
            notes: vec!["no compiler for <that>".into()],
        };
        let page = drawn(Some(value(&cost)));
        for part in [
            "<tr><th scope=\"row\">−1</th><td>2.0</td><td>3.0</td><td class=\"grew\">+50.0 %</td>\
             <td>1.0</td><td>1.0</td><td>=</td></tr>",
            "<p>128 KiB &lt;at most&gt;</p>",
            "<p>cc &amp; co</p>",
            "<th scope=\"row\">fold&lt;b&gt; <strong class=\"slower\">above the limit</strong></th>\
             <td>900</td><td>1,100</td><td class=\"grew\">+22.2 %</td>",
            "<th scope=\"row\">a.c</th><td>1,500</td><td>1,200</td>\
             <td class=\"shrank\">−20.0 %</td><td>0</td><td>8</td><td class=\"grew\">+8</td>",
            "<th scope=\"row\">b.c</th><td>–</td><td>1</td><td>new</td><td>–</td><td>–</td><td>–</td>",
            "<th scope=\"row\">all</th><td>1,500</td><td>1,201</td>\
             <td class=\"shrank\">−19.9 %</td><td>0</td><td>8</td>",
            "<p>1,200 in both, 1 new, 0 gone.</p>",
            "<code>f\\u{202e}</code>",
            "no compiler for &lt;that&gt;",
        ] {
            assert!(page.contains(part), "{part}\nis not in\n{page}");
        }
        // Workspaces to compress, frames, sizes; those to decompress are the same at each level.
        assert_eq!(page.matches("<svg").count(), 3, "{page}");
        assert!(!page.contains(" style="), "the page's policy forbids it");
    }
}
