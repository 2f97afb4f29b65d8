//! Real releases as the product's own build sees them, and faults planted in them.

use std::sync::Arc;

use kernelize::build::{Against, Built, Compilers, Extent, Request, Trial, run};
use kernelize::edit::Traced;
use kernelize::finding::Finding;
use kernelize::text::{Files, TreePath};
use kernelize::upstream::Silent;

use crate::imported::Imported;

const NOTHING: Extent =
    Extent { settings: 0, compilers: Compilers::None, asserts: false, trial: Trial::None };

fn built(imported: &Imported, extent: Extent, against: Option<Against<'_>>) -> Built {
    imported.scoped(|scope| {
        let request = Request {
            scope,
            linux: None,
            against,
            jobs: 0,
            seed: 1,
            extent,
            interrupted: &|| false,
        };
        run(&request, &Silent).unwrap()
    })
}

/// A text at the end of a file of a release.
fn with(path: &str, more: &str) -> Imported {
    let mut files = Imported::files("1.5.7");
    let path = TreePath::new(path).unwrap();
    let text = [&files[&path][..], more.as_bytes()].concat();
    files.insert(path, text.into());
    Imported::of("1.5.7", "strict", files)
}

/// File, line from the end and message of the findings of a kind.
fn told<'b>(built: &'b Built, code: &str) -> Vec<(&'b str, usize, &'b str)> {
    let of = |finding: &'b Finding| {
        let label = finding.labels.first();
        let place = label.map_or(("", 0), |label| {
            let lines = label.source.lines().line_count();
            (label.source.name.as_str(), lines - label.position().line)
        });
        (place.0, place.1, finding.message.as_str())
    };
    built.findings.iter().filter(|f| f.code == code).map(of).collect()
}

fn nothing_found(built: &Built, what: &str) {
    let found: Vec<_> = built
        .findings
        .iter()
        .map(|f| {
            (f.code, &f.message, f.labels.first().map(|l| (&l.source.name, l.position())), &f.hint)
        })
        .collect();
    assert!(found.is_empty(), "{what}: {found:#?}");
}

#[test]
fn releases_do_what_they_are_for_and_understand_each_other() {
    let older = Imported::new("1.5.5", "strict");
    let files: Files = older
        .tree
        .files
        .iter()
        .map(|(path, file)| (path.clone(), Arc::clone(file.text.bytes())))
        .collect();
    let against = Against { name: "1.5.5", files: &files };
    let extent = Extent { trial: Trial::Plain, ..NOTHING };
    let built = built(&Imported::new("1.5.7", "strict"), extent, Some(against));
    nothing_found(&built, "1.5.7 with 1.5.5");
    let notes = built.notes.join("\n");
    for wanted in [
        "1.5.5 reads what this import writes: 240 frames",
        "this import reads what 1.5.5 writes: 240 frames",
        " damaged frames",
        " dictionaries",
        " in place",
        " round trips",
        " streams",
    ] {
        assert!(notes.contains(wanted), "{wanted}: {notes}");
    }
}

/// All of what a compiler or linker alone can see, in one build, in which all else is as it should be.
#[test]
fn what_compilers_and_linkers_see_is_told_at_its_place_upstream() {
    let more = "int HIST_big(int x);\n\
        int HIST_big(int x) { volatile int big[1024]; big[x] = x; return big[1023]; }\n\
        int HIST_asserted(int x);\n\
        int HIST_asserted(int x) { int const two = 2 * x; assert(two != 3); return x; }\n\
        int HIST_stray(int x) { return x; }\n";
    let mut imported = with("compress/hist.c", more);
    // Not what the import itself would do: an object less in the makefile, and a function twice.
    let makefile = TreePath::new("lib/zstd/Makefile").unwrap();
    let file = imported.tree.files.get_mut(&makefile).unwrap();
    let text = String::from_utf8(file.text.bytes().to_vec()).unwrap();
    let text = text.replacen(" \\\n\t\tcompress/zstd_preSplit.o", "", 1);
    file.text = Traced::new(text.into_bytes());
    let path = TreePath::new("lib/zstd/compress/zstd_ldm.c").unwrap();
    let file = imported.tree.files.get_mut(&path).unwrap();
    let more =
        "unsigned FSE_versionNumber(void);\nunsigned FSE_versionNumber(void) { return 1; }\n";
    file.text = Traced::new([&file.text.bytes()[..], more.as_bytes()].concat());
    let extent = Extent { compilers: Compilers::One, ..NOTHING };
    let built = built(&imported, extent, None);
    let linked = "modules linked as y/y, y/m, m/y, m/m";
    assert!(built.notes.iter().any(|note| note.contains(linked)), "{:#?}", built.notes);
    let figure = |name: &str| built.figures.iter().find(|(key, _)| key.ends_with(name)).unwrap();
    let (key, bytes) = figure(" stack ZSTD_compressBlock_internal");
    assert!((32..2048).contains(bytes), "{key} {bytes}");
    assert!(*figure(" text lib/zstd/compress/zstd_compress.c").1 > 10_000);
    let frames = told(&built, "stack-frame");
    assert_eq!(frames.len(), 1, "{frames:?}");
    assert_eq!((frames[0].0, frames[0].1), ("lib/compress/hist.c", 4));
    assert!(frames[0].2.contains("`HIST_big` takes 4"), "{frames:?}");
    let warnings = told(&built, "build-warning");
    let at: Vec<_> = warnings.iter().map(|(file, line, _)| (*file, *line)).collect();
    assert_eq!(at, [("lib/compress/hist.c", 2), ("lib/compress/hist.c", 1)], "{warnings:?}");
    assert!(warnings[0].2.contains("-Wunused-variable"), "{warnings:?}");
    assert!(warnings[1].2.contains("-Wmissing-prototypes"), "{warnings:?}");
    let undefined = told(&built, "undefined-symbol");
    assert_eq!(undefined.len(), 1, "{undefined:?}");
    assert_eq!(undefined[0].0, "lib/compress/zstd_compress.c");
    assert!(undefined[0].2.contains("needs `ZSTD_splitBlock`"), "{undefined:?}");
    let doubles = told(&built, "duplicate-symbol");
    assert_eq!(doubles.len(), 1, "{doubles:?}");
    assert!(doubles[0].2.contains("`FSE_versionNumber` is defined in lib/zstd/"), "{doubles:?}");
    assert_eq!(built.findings.len(), 5, "{:#?}", built.findings);
}

#[test]
fn what_only_shows_when_it_runs_is_told() {
    let mut files = Imported::files("1.5.7");
    for (path, right, wrong) in [
        // Long matches that are one byte longer, and a look behind the end of a frame that was cut.
        (
            "decompress/zstd_decompress_block.c",
            "seq.matchLength = mlDInfo->baseValue;",
            "seq.matchLength = mlDInfo->baseValue + (mlDInfo->baseValue > 0x4000);",
        ),
        (
            "decompress/zstd_decompress.c",
            "RETURN_ERROR_IF(remainingSrcSize<4, checksum_wrong, \"\");",
            "",
        ),
    ] {
        let path = TreePath::new(path).unwrap();
        let text = String::from_utf8(files[&path].to_vec()).unwrap();
        assert_eq!(text.matches(right).count(), 1, "{path}: {right}");
        files.insert(path, text.replacen(right, wrong, 1).into_bytes().into());
    }
    let extent = Extent { trial: Trial::Sanitized, ..NOTHING };
    let built = built(&Imported::of("1.5.7", "strict", files), extent, None);
    let wrong = told(&built, "round-trip");
    let comes_back =
        |fault: &&(&str, usize, &str)| fault.2.contains("comes back as something else");
    assert!(wrong.iter().any(|fault| comes_back(&fault)), "{wrong:?}");
    let outside = told(&built, "sanitizer");
    assert!(
        outside.iter().all(|fault| fault.0 == "lib/decompress/zstd_decompress.c"),
        "{outside:?}"
    );
    assert!(outside.iter().any(|fault| fault.2.contains("heap-buffer-overflow")), "{outside:?}");
}

#[test]
fn tokens_that_differ_are_told_at_their_line() {
    let mut imported = Imported::new("1.5.7", "strict");
    let path = TreePath::new("lib/zstd/compress/hist.c").unwrap();
    let file = imported.tree.files.get_mut(&path).unwrap();
    let text = String::from_utf8(file.text.bytes().to_vec()).unwrap();
    let text = text.replacen("while (ip<end)", "while (ip<=end)", 1);
    file.text = Traced::new(text.into_bytes());
    let extent = Extent { settings: 2, ..NOTHING };
    let built = built(&imported, extent, None);
    let found = told(&built, "token-stream");
    assert_eq!(found.len(), 1, "{found:?}");
    let label = &built.findings.iter().next().unwrap().labels[0];
    let line = label.source.lines().line_start(label.position().line).unwrap();
    let line = String::from_utf8_lossy(&label.source.bytes[line..]).into_owned();
    assert!(line.lines().next().unwrap().contains("while (ip"), "{line:.80}");
    assert!(label.text.contains(">>> < <<<") && label.text.contains(">>> <= <<<"), "{label:?}");
}
