//! Figures of measurements, and gates on them.

use super::gate::{Gate, judge};
use super::*;
use crate::build::bench::corpus::Part;
use crate::build::bench::{Measured, Row, Taken};
use crate::finding::ErrorKind;

/// Pairs whose ratio lies around `ratio`, with one that is far off.
fn taken(ratio: f64, count: u64) -> Vec<Taken> {
    let one = |number: u64| {
        let new = 1_000_000 + 997 * (number * 7 % 5);
        let off = if number == 3 { 5.0 } else { 1.0 };
        let old = (new as f64 * ratio * off) as u64 + 1500 * (number % 3);
        Taken { bytes: 1_000_000, nanoseconds: [old, new] }
    };
    (0..count).map(one).collect()
}

fn row(part: usize, block: Option<u64>, level: i32, ratios: [f64; 2]) -> Row {
    let [compress, decompress] = ratios.map(|ratio| taken(ratio, 15));
    let (compressed, memory) = ([1000, 1100], [5000, 6000]);
    Row { part, block, level, compressed, same: level != 3, memory, compress, decompress }
}

fn speed(rows: Vec<Row>) -> Speed {
    let part = |name: &str| Part { name: name.into(), bytes: vec![0; 100], of: 300 };
    let build = "cc".to_owned();
    let measured = Measured { build, rows, ..Measured::default() };
    Speed::of(&measured, &[part("a"), part("b")])
}

#[test]
fn what_is_beyond_the_noise_is_marked() {
    let speed = speed(vec![row(0, Some(4096), 1, [1.1, 1.0]), row(1, None, 3, [0.8, 1.02])]);
    assert_eq!(speed.pairs, 15);
    assert_eq!(speed.other_bytes, [3]);
    let [first, second] = &speed.rows[..] else { panic!("{speed:?}") };
    assert_eq!((first.part.as_str(), first.block, second.part.as_str()), ("a", Some(4096), "b"));
    let found = [first.compress, first.decompress, second.compress, second.decompress];
    assert_eq!(found.map(|rate| rate.notable), [true, false, true, false]);
    assert!((first.compress.ratio - 1.1).abs() < 0.01, "{first:?}");
    assert!(first.compress.low > 1.09 && first.compress.high < 1.12, "{first:?}");
    // A million bytes in a millisecond.
    assert!((first.compress.new - 1000.0).abs() < 10.0, "{first:?}");
    assert!((first.compress.old - 909.0).abs() < 10.0, "{first:?}");
    assert!(speed.notes.iter().any(|note| note == "a: pieces of 100 bytes stand for all 300"));
}

#[test]
fn parts_come_to_their_geometric_mean() {
    let rows = vec![
        row(0, None, 3, [2.0, 1.0]),
        row(0, Some(4096), 3, [1.0, 1.0]),
        row(1, None, 3, [0.5, 1.44]),
    ];
    let speed = speed(rows);
    let blocks: Vec<_> = speed.groups.iter().map(|group| group.block).collect();
    assert_eq!(blocks, [Some(4096), None]);
    let group = &speed.groups[1];
    assert!((group.compress.ratio - 1.0).abs() < 0.01 && !group.compress.notable, "{group:?}");
    assert!((group.decompress.ratio - 1.2).abs() < 0.01 && group.decompress.notable, "{group:?}");
    assert_eq!((group.compressed.old, group.compressed.new), (Some(2000), Some(2200)));
    assert_eq!((group.memory.old, group.memory.new), (Some(5000), Some(6000)));
    assert!(!group.same_bytes);
}

#[test]
fn few_pairs_say_nothing() {
    let mut few = row(0, None, 1, [0.5, 0.5]);
    few.compress.truncate(10);
    let mut none = row(1, None, 1, [1.0, 1.0]);
    none.compress.clear();
    let mut half = row(1, Some(4096), 1, [1.0, 1.0]);
    half.decompress.clear();
    let speed = speed(vec![few, none, half]);
    assert_eq!(speed.rows.len(), 1);
    let rate = speed.rows[0].compress;
    assert!(!rate.notable && !rate.sure && rate.low <= 0.5 && rate.high > 2.0, "{rate:?}");
    let notes = speed.notes.join("\n");
    assert!(notes.contains("2 rows could not be measured"), "{notes}");
    assert!(notes.contains("1 of 1 rows have fewer than 11 pairs"), "{notes}");
    let (findings, notes) = judge(&["speed<0.9".parse().unwrap()], &speed);
    // Decompression had pairs enough.
    assert_eq!(findings.iter().count(), 1);
    assert_eq!(
        notes,
        ["gate `speed<0.9`: 1 of its figures are not decided, too little was measured"]
    );
}

#[test]
fn gates_count_what_is_certain() {
    let speed = speed(vec![row(0, Some(4096), 1, [0.95, 1.0]), row(0, None, 3, [1.0, 1.3])]);
    let messages = |text: &str| {
        let (findings, notes) = judge(&[text.parse().unwrap()], &speed);
        assert!(notes.is_empty(), "{notes:?}");
        findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    for (gate, hits) in [
        ("speed<0.97", 1),
        ("compress<0.97", 1),
        ("decompress<0.97", 0),
        ("compress@1<0.97", 1),
        ("compress@3<0.97", 0),
        ("compress@1/4K < 0.97", 1),
        ("compress/whole<0.97", 0),
        // The median is below, the spread isn't.
        ("compress@1<0.9502", 0),
        ("decompress>1.2", 1),
        ("ratio<0.95", 2),
        ("ratio<0.9", 0),
        ("memory>1.1", 2),
        ("memory>1.2", 0),
    ] {
        assert_eq!(messages(gate).len(), hits, "{gate}");
    }
    let found = &messages("speed<0.97")[0];
    assert!(
        found.starts_with("gate `speed<0.97`: level 1, 4K: speed of compression is 0.95"),
        "{found}"
    );
}

#[test]
fn bad_gates_say_where() {
    for (gate, at) in [
        ("speed", "at its end"),
        ("spede<1", "at `spede` (character 1)"),
        ("speed<fast", "at `fast` (character 7)"),
        ("speed<", "at its end"),
        ("speed<-1", "at `-1`"),
        ("speed<nan", "at `nan`"),
        ("speed@x<1", "at `x` (character 7)"),
        ("speed/4Q<1", "at `4Q` (character 7)"),
        ("speed@3/<1", "at its end"),
    ] {
        let error = gate.parse::<Gate>().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage, "{gate}");
        assert!(error.message.contains(at), "{gate}: {}", error.message);
        assert!(error.hint.is_some());
    }
    let check = |gate: &str| gate.parse::<Gate>().unwrap().check(&[1, 3], &[4096, 0]);
    assert!(check("speed@3/4K<1").is_ok() && check("speed/whole<1").is_ok());
    assert!(check("speed@4<1").unwrap_err().hint.unwrap().contains("1, 3"));
    assert!(check("speed/128K<1").unwrap_err().message.contains("blocks of 128K"));
}
