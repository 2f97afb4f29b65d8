//! Real releases are closed, and what is taken out of one is missed.

use kernelize::check::{Scope, closure};
use kernelize::edit::Traced;
use kernelize::finding::Findings;
use kernelize::kernel::target::Target;
use kernelize::pipeline::Input;
use kernelize::rules::Active;
use kernelize::text::{Source, TreePath};
use rayon::prelude::*;

use crate::imported::Imported;

const RELEASES: [&str; 5] = ["1.4.9", "1.5.2", "1.5.5", "1.5.6", "1.5.7"];

/// What is said of an import: severity, code, place and message of each finding.
fn said(imported: &Imported) -> Vec<String> {
    let target = Target::of_version(&imported.ruleset.library, None);
    let profile = imported.ruleset.profile(imported.profile).unwrap();
    let rules = Active::new(&imported.ruleset, imported.version, profile);
    let input =
        Input { version: imported.version, exact: true, files: &imported.files, target: &target };
    let scope = Scope { rules: &rules, tree: &imported.tree, input };
    let found = closure::check(scope, &Findings::default()).sorted();
    let line = |finding: &kernelize::finding::Finding| {
        let place = finding.labels.first().map_or_else(String::new, |label| {
            format!("{}:{}", label.source.name, label.position().line)
        });
        format!("{} {} {place} {}", finding.severity, finding.code, finding.message)
    };
    found.iter().map(line).collect()
}

/// Puts `to` in place of `from` in a file of the output.
fn change(imported: &mut Imported, path: &str, from: &str, to: &str) {
    let file = imported.tree.files.get_mut(&TreePath::new(path).unwrap()).unwrap();
    let text = String::from_utf8(file.text.bytes().to_vec()).unwrap();
    assert!(text.contains(from), "{path} lacks {from}");
    let text = text.replacen(from, to, 1);
    file.source = Source::new(path, text.clone().into_bytes());
    file.text = Traced::new(text.into_bytes());
}

#[test]
fn releases_are_closed() {
    RELEASES.par_iter().for_each(|release| {
        for profile in ["strict", "official"] {
            let found = said(&Imported::new(release, profile));
            let known: &[&str] = match *release {
                "1.4.9" | "1.5.2" | "1.5.5" => &["should-be-static lib/common/debug.c:24"],
                _ => &[],
            };
            let fits =
                |found: &String, known: &&str| found.starts_with(&format!("warning {known} "));
            let same = found.len() == known.len()
                && found.iter().zip(known).all(|(found, known)| fits(found, known));
            assert!(same, "{release} {profile}: {found:#?}");
        }
    });
}

#[test]
fn what_is_taken_out_of_a_release_is_missed() {
    const COMMON: &str = "lib/zstd/zstd_common_module.c";
    let cases = [
        (COMMON, "EXPORT_SYMBOL_GPL(HUF_readStats);", "", "export-missing"),
        (COMMON, "MODULE_LICENSE(", "MODULE_ALIAS(", "module-undescribed"),
        (
            "lib/zstd/common/entropy_common.c",
            "size_t FSE_readNCount(",
            "size_t FSE_readCount(",
            "undefined-name",
        ),
        (
            "lib/zstd/compress/hist.h",
            "unsigned HIST_count_simple(",
            "unsigned HIST_simple(",
            "undeclared-name",
        ),
        ("lib/zstd/Makefile", "\t\tcompress/zstd_opt.o \\\n", "", "object-unlisted"),
        ("lib/zstd/common/mem.h", "#undef MEM_STATIC\n", "", "macro-defined-twice"),
        (
            "lib/zstd/zstd_compress_module.c",
            "EXPORT_SYMBOL(zstd_init_cctx);",
            "",
            "wrapper-unexported",
        ),
        ("lib/zstd/common/mem.h", "GPL-2.0+ OR BSD-3-Clause", "GPL-2.0-only", "licence-unclear"),
    ];
    let mut imported = Imported::new("1.5.7", "strict");
    let whole = imported.tree.files.clone();
    for (path, from, to, code) in cases {
        imported.tree.files = whole.clone();
        change(&mut imported, path, from, to);
        let found = said(&imported);
        let right = |line: &String| line.starts_with(&format!("error {code} "));
        assert!(found.iter().any(right), "{path} {from}: {found:#?}");
        assert!(found.len() <= 3, "{path} {from}: {found:#?}");
    }
}
