use super::*;
use crate::compare::cost::ObjectCost;

/// Old and new.
type Both = [Option<u64>; 2];

const GREW: Both = [Some(102_400), Some(112_640)];
const SAME: Both = [Some(4096), Some(4096)];

fn pair([old, new]: Both) -> Pair {
    Pair { old, new }
}

fn used(rows: &[(i32, Both, Both)]) -> WorkspaceUse {
    let rows = rows.iter().map(|(level, compress, decompress)| WorkspaceRow {
        level: *level,
        compress: pair(*compress),
        decompress: pair(*decompress),
    });
    WorkspaceUse { user: "a fs".into(), how: "pages".into(), rows: rows.collect() }
}

fn machine(name: &str, frames: &[(&str, Both)], objects: &[(&str, Both)]) -> MachineCost {
    let frames = frames
        .iter()
        .map(|(function, bytes)| FrameCost { function: (*function).into(), bytes: pair(*bytes) });
    let objects = objects.iter().map(|(object, text)| ObjectCost {
        object: (*object).into(),
        text: pair(*text),
        data: pair([Some(0), Some(0)]),
    });
    MachineCost {
        machine: name.into(),
        compiler: format!("gcc 1.2 for {name}"),
        frame_limit: 2048,
        frames: frames.collect(),
        objects: objects.collect(),
    }
}

fn drawn(found: &Cost) -> String {
    let mut out = String::new();
    cost(&mut out, found, Paint { on: false });
    out
}

#[test]
fn levels_of_the_same_figures_share_a_line() {
    let none = [None, None];
    let uses = vec![
        used(&[(1, GREW, SAME), (2, GREW, SAME), (3, [None, Some(1024)], SAME)]),
        used(&[(0, none, [Some(2048), Some(1024)])]),
        used(&[(-1, SAME, none), (1, [Some(8192), Some(8192)], none)]),
    ];
    let wanted = "
What it costs
  Workspaces in KB, as callers ask for them
    a fs: pages
      to decompress: 4.0, unchanged at all levels
      level       compress old         new    change
      1 to 2             100.0       110.0    +10.0%
      3                      -         1.0       new
    a fs: pages
      level     decompress old         new    change
      any                  2.0         1.0    -50.0%
    a fs: pages
      to compress: 4.0 to 8.0, unchanged at all levels
";
    assert_eq!(drawn(&Cost { workspaces: uses, ..Cost::default() }), wanted);
}

#[test]
fn both_ways_stand_beside_each_other_where_both_change() {
    let found = Cost { workspaces: vec![used(&[(1, GREW, GREW)])], ..Cost::default() };
    let text = drawn(&found);
    let head =
        "      level       compress old         new    change decompress old         new    change";
    let row =
        "      1                  100.0       110.0    +10.0%          100.0       110.0    +10.0%";
    assert!(text.contains(&format!("{head}\n{row}\n")), "{text}");
}

#[test]
fn machines_are_columns_and_frames_that_grew_are_listed() {
    let frames = [
        ("f", [Some(1900), Some(1900)]),
        ("g", [Some(1000), Some(1016)]),
        ("h", [None, Some(800)]),
        ("gone", [Some(700), None]),
    ];
    let a = machine("m68k", &frames, &[("a.c", [Some(10_000), Some(11_000)]), ("b.c", SAME)]);
    let more: Vec<String> = (0..MAX_FRAMES + 2).map(|n| format!("f{n}")).collect();
    let more: Vec<_> = more.iter().map(|name| (name.as_str(), [Some(300), Some(308)])).collect();
    let objects = [
        ("a.c", [Some(500), Some(500)]),
        ("b.c", SAME),
        ("new.c", [None, Some(96)]),
        ("old.c", [Some(4), None]),
    ];
    let b = machine("pdp11", &more, &objects);
    let text = drawn(&Cost { machines: vec![a, b], ..Cost::default() });
    let wanted = "
What it costs
  Stack frames in bytes, those that grew or came
    gcc 1.2 for m68k, where kernels allow 2,048
      largest 1,900 in f, before as well
         1,000    1,016      +16  g
             -      800     +800  h
    gcc 1.2 for pdp11, where kernels allow 2,048
      largest 308 in f0, before 300 in f0
           300      308       +8  f0
           300      308       +8  f1
           300      308       +8  f2
           300      308       +8  f3
           300      308       +8  f4
           300      308       +8  f5
      and 2 more, by 8 at most
  Code and constants in bytes       m68k      pdp11
    a.c                           +1,000          0
    new.c                                    new 96
    old.c                                      gone
    all objects, old              14,096      4,600
    all objects, new              15,096      4,692
    change                         +7.1%      +2.0%
  Data in bytes       m68k      pdp11
    all objects          0          0
";
    assert_eq!(text, wanted);
}

#[test]
fn names_that_came_and_went_are_told() {
    let mut found =
        Cost { exports: Some(Exports { kept: 3, ..Exports::default() }), ..Cost::default() };
    assert!(drawn(&found).ends_with("  exports     the same 3 names\n"));
    let exports = Exports { kept: 3, added: vec!["f".into()], removed: vec!["g\u{202e}".into()] };
    found.exports = Some(exports);
    found.notes.push("what could not\nbe done".into());
    let text = drawn(&found);
    let wanted = "  exports     3 names are kept, 1 came, 1 went\n    + f\n    - g";
    assert!(text.contains(wanted), "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
    assert!(text.ends_with("be done\n") && text.contains("  note        what could not"), "{text}");
    found.exports = Some(Exports { kept: 0, added: vec!["n".into(); 42], ..Exports::default() });
    assert!(drawn(&found).contains("  came         and 2 more\n"), "{}", drawn(&found));
}
