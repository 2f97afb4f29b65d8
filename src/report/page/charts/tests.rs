//! Charts of known figures: where the marks are, what is left out, and that names stay names.

mod samples;

use super::*;
use crate::compare::cost::{FrameCost, MachineCost, ObjectCost, WorkspaceUse};

fn pair(old: impl Into<Option<u64>>, new: impl Into<Option<u64>>) -> Pair {
    Pair { old: old.into(), new: new.into() }
}

fn used(rows: &[(i32, Pair)]) -> WorkspaceUse {
    let row = |&(level, compress): &(i32, Pair)| WorkspaceRow {
        level,
        compress,
        decompress: Pair::default(),
    };
    WorkspaceUse { user: "a & b".into(), how: String::new(), rows: rows.iter().map(row).collect() }
}

fn machine(frames: &[(&str, Pair)], objects: &[(&str, Pair)]) -> MachineCost {
    MachineCost {
        machine: "x86".into(),
        compiler: String::new(),
        frame_limit: 1000,
        frames: frames
            .iter()
            .map(|&(function, bytes)| FrameCost { function: function.into(), bytes })
            .collect(),
        objects: objects
            .iter()
            .map(|&(object, text)| ObjectCost {
                object: object.into(),
                text,
                data: Pair::default(),
            })
            .collect(),
    }
}

fn row(level: i32, ratio: f64, low: f64, high: f64, notable: bool) -> SpeedRow {
    let rate = Rate { old: 100.0, new: 100.0 * ratio, ratio, low, high, notable };
    SpeedRow {
        part: "text".into(),
        block: None,
        level,
        compressed: pair(1, 1),
        same_bytes: true,
        compress: rate,
        decompress: Rate { ratio: f64::NAN, ..rate },
        memory: pair(1, 1),
    }
}

fn ratio_chart(rows: &[SpeedRow], direction: Direction) -> Option<String> {
    ratios(&rows.iter().collect::<Vec<_>>(), direction, "speed", span(rows))
}

/// All values of an attribute of elements that begin with `start`.
fn all(drawn: &str, start: &str, attribute: &str) -> Vec<String> {
    let attribute = format!(" {attribute}=\"");
    drawn
        .split('<')
        .filter(|element| element.starts_with(start))
        .filter_map(|element| Some(element.split_once(&attribute)?.1.split_once('"')?.0.to_owned()))
        .collect()
}

#[test]
fn workspaces_stand_at_their_figures() {
    // 0, 1000 and 2000 KiB on an axis up to 2000: at its foot (190), middle (112) and top (34).
    let rows = [(1, pair(1000 * 1024, 0)), (2, pair(2000 * 1024, 2000 * 1024))];
    let drawn = workspaces(&used(&rows), Direction::Compress).unwrap();
    assert!(drawn.contains("<title>Compression: workspace by level, a &amp; b</title>"), "{drawn}");
    assert!(
        drawn.contains(
            "level 1: old 1,000.0 KiB, new 0.0 KiB; level 2: old 2,000.0 KiB, new 2,000.0 KiB. \
             Old and new differ at 1 of 2 levels."
        ),
        "{drawn}"
    );
    // The left margin is that of `2,000`, 45; two slots of 193.5. The first marks are the legend's.
    assert_eq!(all(&drawn, "circle class=\"ring old\"", "cx")[1..], ["141.8", "335.2"]);
    assert_eq!(all(&drawn, "circle class=\"ring old\"", "cy")[1..], ["112", "34"]);
    assert_eq!(all(&drawn, "rect class=\"spot new\"", "y")[1..], ["187", "31"]);
    assert_eq!(
        all(&drawn, "path class=\"line", "d"),
        ["M141.8 112L335.2 34", "M141.8 190L335.2 34"]
    );
    assert!(drawn.contains("<title>Level 1: old 1,000.0 KiB, new 0.0 KiB, −100.0 %</title>"));
}

#[test]
fn a_level_that_one_form_lacks_breaks_its_line() {
    let rows = [(-1, pair(5, 5)), (0, pair(5, None)), (1, pair(5, 5)), (2, pair(None, None))];
    let drawn = workspaces(&used(&rows), Direction::Compress).unwrap();
    assert_eq!(all(&drawn, "path class=\"line old\"", "d").len(), 1);
    assert!(all(&drawn, "path class=\"line new\"", "d").is_empty());
    assert_eq!(all(&drawn, "rect class=\"spot new\"", "x").len(), 1 + 2);
    assert!(drawn.contains(">−1</text>") && drawn.contains(">bytes</text>"), "{drawn}");
}

#[test]
fn nothing_is_no_chart() {
    assert_eq!(workspaces(&used(&[]), Direction::Compress), None);
    assert_eq!(workspaces(&used(&[(1, pair(1, 1))]), Direction::Decompress), None);
    assert_eq!(sizes(&machine(&[], &[])), None);
    assert_eq!(sizes(&machine(&[], &[("a.c", pair(0, 0))])), None);
    assert_eq!(frames(&machine(&[("f", Pair::default())], &[])), None);
    assert_eq!(ratio_chart(&[], Direction::Compress), None);
    assert_eq!(ratio_chart(&[row(1, 1.0, 1.0, 1.0, false)], Direction::Decompress), None);
}

#[test]
fn objects_are_sorted_by_what_changed() {
    let objects = [
        ("same.c", pair(500, 500)),
        ("less.c", pair(1000, 700)),
        ("new.c", pair(None, 400)),
        ("more.c", pair(100, 101)),
    ];
    let drawn = sizes(&machine(&[], &objects)).unwrap();
    let places: Vec<usize> =
        ["new.c", "less.c", "more.c", "same.c"].iter().map(|n| drawn.find(n).unwrap()).collect();
    // The description names the first of them, too.
    assert!(drawn.contains("3 of 4 changed, most of all new.c: old –, new 400 bytes."), "{drawn}");
    assert!(places.windows(2).all(|two| two[0] < two[1]), "{places:?}");
    // 1000 bytes are the whole 250 units of the axis, and what isn't there has no bar.
    assert_eq!(all(&drawn, "rect class=\"rod old\"", "width")[1..], ["250", "25", "125"]);
    assert_eq!(all(&drawn, "rect class=\"rod new\"", "width")[1..], ["100", "175", "25.2", "125"]);
    assert!(drawn.contains(">400  new</text>") && drawn.contains(">700  −30.0 %</text>"));
}

#[test]
fn the_limit_of_frames_is_shown_where_it_is_near() {
    let drawn = frames(&machine(&[("f", pair(300, 2000)), ("g", pair(200, 1))], &[])).unwrap();
    assert_eq!(all(&drawn, "line class=\"limit\"", "x1"), ["341"]);
    assert!(drawn.contains(">limit 1,000</text>"));
    let drawn = frames(&machine(&[("f", pair(200, 200))], &[])).unwrap();
    assert!(all(&drawn, "line class=\"limit\"", "x1").is_empty());
}

#[test]
fn ratios_stand_around_one() {
    let rows = [
        row(-5, 1.0, 0.99, 1.01, false),
        row(1, 1.10, 1.08, 1.12, true),
        row(3, 0.92, 0.90, 0.94, true),
    ];
    assert_eq!(span(&rows), Span { low: 0.9, high: 1.12 });
    let drawn = ratio_chart(&rows, Direction::Compress).unwrap();
    // An axis from 0.90 to 1.15 on 120 units, and slots of (360 - 8 - 38) / 3.
    assert_eq!(all(&drawn, "line class=\"one\"", "y1"), ["102"]);
    assert_eq!(all(&drawn, "circle class=\"spot\"", "cy"), ["102"]);
    assert_eq!(all(&drawn, "circle class=\"spot\"", "cx"), ["90.3"]);
    // The one that is faster points up, the slower one down.
    assert_eq!(
        all(&drawn, "path class=\"spot\"", "d"),
        ["M195 48L189 59L201 59Z", "M299.7 146.4L293.7 135.4L305.7 135.4Z"]
    );
    assert_eq!(drawn.matches("class=\"mark faster\"").count(), 1);
    assert_eq!(drawn.matches("class=\"mark slower\"").count(), 1);
    assert!(drawn.contains("Beyond the noise: level 1: 1.10, level 3: 0.92."), "{drawn}");
    assert!(drawn.contains("<title>Level 3: 0.920, 0.900 to 0.940</title>"), "{drawn}");
    assert!(drawn.contains(">1.10</text>") && drawn.contains(">0.92</text>"), "{drawn}");
    assert_eq!(all(&drawn, "line class=\"error\"", "x1").len(), 9);
}

#[test]
fn what_is_no_number_is_not_drawn() {
    let rows = [
        row(1, f64::NAN, 1.0, 1.0, true),
        row(2, f64::INFINITY, 1.0, 1.0, false),
        row(3, 0.0, 0.0, 0.0, false),
        row(4, 1.0, f64::NAN, f64::INFINITY, false),
        row(5, 1.0, 0.001, 1e300, false),
    ];
    let drawn = ratio_chart(&rows, Direction::Compress).unwrap();
    assert_eq!(drawn.matches("class=\"mark ").count(), 2);
    // The last one's spread ends outside, so it has no caps and widens nothing.
    assert_eq!(all(&drawn, "line class=\"error\"", "x1").len(), 1);
    assert_eq!(span(&rows), Span { low: 0.9, high: 1.1 });
    assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
    assert!(drawn.contains("No change is beyond the noise."));
}

#[test]
fn noise_does_not_fill_a_chart() {
    assert_eq!(span(&[row(1, 1.001, 0.999, 1.002, false)]), Span { low: 0.95, high: 1.05 });
    assert_eq!(span(&[]), Span { low: 0.95, high: 1.05 });
}

#[test]
fn names_of_levels_never_touch() {
    for count in 1..=25 {
        let rows: Vec<(i32, Pair)> = (0..count).map(|at| (at - 7, pair(9, 9))).collect();
        let drawn = workspaces(&used(&rows), Direction::Compress).unwrap();
        let names: Vec<f64> = drawn
            .split("<text class=\"label\" x=\"")
            .filter(|text| text.contains("\" y=\"206\""))
            .map(|text| text.split_once('"').unwrap().0.parse().unwrap())
            .collect();
        assert!(!names.is_empty() && names.windows(2).all(|two| two[1] - two[0] >= 16.9));
    }
}

#[test]
fn hostile_names_stay_names() {
    let name = "</text></svg><script>alert(1)</script>&\"\u{202e}\n";
    let mut hostile = machine(&[(name, pair(1, 2))], &[(name, pair(1, 2))]);
    hostile.machine = name.into();
    let mut use_ = used(&[(1, pair(1, 2))]);
    use_.user = name.into();
    let rows = [row(1, 1.0, 1.0, 1.0, false)];
    for drawn in [
        sizes(&hostile).unwrap(),
        frames(&hostile).unwrap(),
        workspaces(&use_, Direction::Compress).unwrap(),
        ratios(&rows.iter().collect::<Vec<_>>(), Direction::Compress, name, span(&rows)).unwrap(),
    ] {
        assert_eq!(drawn.matches("<svg").count(), 1);
        assert_eq!(drawn.matches("</svg").count(), 1);
        assert!(!drawn.contains("<script") && !drawn.contains(['\n', '\u{202e}']), "{drawn}");
    }
}

#[test]
fn many_rows_and_large_figures_stay_within_bounds() {
    let names: Vec<String> = (0..200).map(|at| format!("folder/file_{at}.c")).collect();
    let objects: Vec<(&str, Pair)> =
        names.iter().map(|name| (name.as_str(), pair(u64::MAX, 1))).collect();
    let drawn = sizes(&machine(&[], &objects)).unwrap();
    assert_eq!(drawn.matches("<g class=\"mark\">").count(), 60);
    assert!(drawn.contains("viewBox=\"0 0 580 1508\""), "{drawn}");
    let rows = [(1, pair(1, u64::MAX)), (i32::MAX, pair(0, 1)), (i32::MIN, pair(1, 1))];
    let drawn = workspaces(&used(&rows), Direction::Compress).unwrap();
    assert!(drawn.contains("by factors of two") && !drawn.contains("NaN"), "{drawn}");
}
