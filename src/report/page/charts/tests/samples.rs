//! Figures of every kind, for looking at charts in a browser: `ci/page` draws them.

use crate::compare::cost::{
    Cost, Exports, FrameCost, MachineCost, ObjectCost, Pair, WorkspaceRow, WorkspaceUse,
};
use crate::compare::speed::{CorpusPart, Rate, Speed, SpeedRow};
use crate::compare::{CodeSummary, Comparison, Side};
use crate::finding::Findings;
use crate::report::page::{Review, page};

/// Noise that is the same each time.
struct Noise(u64);

impl Noise {
    /// Below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        (self.0 >> 33) % bound
    }

    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    fn about(&mut self, middle: f64, spread: f64) -> f64 {
        middle + spread * (self.below(2001) as f64 / 1000.0 - 1.0)
    }
}

const HOSTILE: &str = "</script></text><script>document.title='pwned'</script>\u{202e}&amp;";

fn cost() -> Cost {
    let mut noise = Noise(1);
    Cost {
        workspaces: vec![
            workspace("a file system", 1..=15, 600 * 1024, 1.1),
            workspace("pages in memory", 1..=1, 60 * 1024, 1.0),
            workspace("unlimited source", -3..=22, 500 * 1024, 1.35),
            workspace(HOSTILE, 3..=4, 5000, 2.0),
        ],
        machines: vec![
            machine("x86_64", 60, &mut noise),
            machine("arm64", 5, &mut noise),
            machine(HOSTILE, 1, &mut noise),
        ],
        exports: Some(Exports {
            kept: 61,
            added: vec!["sample_add".into(), HOSTILE.into()],
            removed: vec!["sample_remove".into()],
        }),
        notes: vec![format!("no compiler for {HOSTILE}")],
    }
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "samples")]
#[allow(clippy::cast_sign_loss, reason = "samples")]
fn workspace(
    user: &str,
    levels: std::ops::RangeInclusive<i32>,
    first: u64,
    factor: f64,
) -> WorkspaceUse {
    let rows = levels.map(|level| {
        let old = (first as f64 * factor.powi(level)) as u64;
        let new = if level % 3 == 0 { old + old / 12 } else { old };
        let compress = Pair { old: Some(old), new: (level != 9).then_some(new) };
        let same = Some(160 * 1024);
        WorkspaceRow { level, compress, decompress: Pair { old: same, new: same } }
    });
    WorkspaceUse {
        user: user.into(),
        how: "as its code computes it, with a window of 128 KiB at most".into(),
        rows: rows.collect(),
    }
}

fn machine(name: &str, objects: u64, noise: &mut Noise) -> MachineCost {
    let mut pair = |bound: u64| {
        let old = noise.below(bound);
        Pair { old: Some(old), new: Some(old + noise.below(bound / 10 + 1)) }
    };
    let mut frames: Vec<FrameCost> = (0..12)
        .map(|at| FrameCost {
            function: format!("a_function_of_some_length_{at}"),
            bytes: pair(1400),
        })
        .collect();
    frames.push(FrameCost { function: HOSTILE.into(), bytes: pair(400) });
    MachineCost {
        machine: name.into(),
        compiler: "cc 12.2".into(),
        frame_limit: 1280,
        frames,
        objects: (0..objects)
            .map(|at| ObjectCost {
                object: format!("compress/a_long_name_of_an_object_{at}.c"),
                text: pair(90_000),
                data: pair(2_000),
            })
            .collect(),
    }
}

fn speed() -> Speed {
    let mut noise = Noise(2);
    let parts = ["text", "source code", "binary", "zeros", "noise", "JSON", HOSTILE];
    let levels = [-5, 1, 3, 5, 9, 15, 19];
    let mut rows = Vec::new();
    for part in parts {
        for block in [Some(4096), Some(131_072), None] {
            rows.extend(levels.map(|level| row(part, block, level, &mut noise)));
        }
    }
    // As many levels as there are, beyond the noise and beyond all bounds.
    rows.extend((-3..=22).map(|level| row("all levels", None, level, &mut noise)));
    for (at, row) in rows.iter_mut().rev().take(26).enumerate() {
        row.compress.notable = at % 2 == 0;
        if at == 5 {
            row.decompress.high = 40.0;
            row.compress.ratio = f64::NAN;
        }
    }
    Speed {
        build: "cc 12.2 -O2, as a kernel builds it".into(),
        pairs: 9,
        corpus: parts
            .iter()
            .map(|name| CorpusPart { name: (*name).into(), bytes: 1 << 20 })
            .collect(),
        rows,
        other_bytes: vec![3, 9],
        notes: Vec::new(),
    }
}

fn row(part: &str, block: Option<u64>, level: i32, noise: &mut Noise) -> SpeedRow {
    let slow = part == "text" && block == Some(4096);
    let compress = rate(noise.about(if slow { 0.9 } else { 1.0 }, 0.01), noise);
    let decompress = rate(noise.about(if slow { 1.13 } else { 1.0 }, 0.01), noise);
    SpeedRow {
        part: part.into(),
        block,
        level,
        compressed: Pair { old: Some(300_000), new: Some(299_000) },
        same_bytes: level != 3 && level != 9,
        compress,
        decompress,
        memory: Pair { old: Some(1 << 20), new: Some(1 << 20) },
    }
}

fn rate(ratio: f64, noise: &mut Noise) -> Rate {
    let spread = noise.about(0.015, 0.01);
    let (low, high) = (ratio - spread, ratio + spread);
    Rate { old: 300.0, new: 300.0 * ratio, ratio, low, high, notable: low > 1.03 || high < 0.97 }
}

/// Not a test: `ci/page` asks for a page, in a folder by this name.
#[test]
#[ignore = "writes files, for ci/page"]
fn charts_are_written() {
    let Some(folder) = std::env::var_os("KERNELIZE_SAMPLES") else { return };
    let comparison = Comparison {
        old: Side::default(),
        new: Side::default(),
        equal: true,
        api: Vec::new(),
        callers: None,
        cost: Some(cost()),
        speed: Some(speed()),
        code: CodeSummary::default(),
        causes: None,
        commits: None,
        files: Vec::new(),
    };
    let (page, _) = page(&Review {
        title: "Charts",
        facts: &[],
        import: None,
        findings: &Findings::default(),
        verdict: None,
        audit: None,
        comparison: Some(&comparison),
        made: None,
    })
    .unwrap();
    std::fs::write(std::path::Path::new(&folder).join("charts.html"), page).unwrap();
}
