//! What real releases cost, held against what upstream's own functions say of the same releases.

use kernelize::build::Compilers;
use kernelize::build::cost::{Costs, Request, run};
use kernelize::compare::Form;
use kernelize::compare::cost::{Cost, Pair, WorkspaceUse};
use kernelize::text::{Files, TreePath};
use kernelize::upstream::Silent;

use crate::imported::Imported;

fn measured(forms: &[(&str, &Files)], imported: &Imported, compilers: Compilers) -> Costs {
    let ruleset = &imported.ruleset;
    let request = Request { forms, ruleset, compilers, jobs: 0, interrupted: &|| false };
    run(&request, &Silent).unwrap()
}

/// Figures of some levels: old and new, to compress and to decompress.
fn rows(found: &WorkspaceUse, levels: &[i32]) -> Vec<[Option<u64>; 4]> {
    let row = |level: &i32| {
        let row = found.rows.iter().find(|row| row.level == *level).unwrap();
        let (Pair { old, new }, decompress) = (row.compress, row.decompress);
        [old, new, decompress.old, decompress.new]
    };
    levels.iter().map(row).collect()
}

/// The figures are those that ZSTD_estimateCStreamSize_usingCParams and the like give in a program that
/// is linked with the releases' own library, single-threaded, on a machine of 64 bits.
#[cfg(target_arch = "x86_64")]
#[test]
fn callers_ask_for_what_upstream_says_they_need() {
    let [old, new] = ["1.5.5", "1.5.6"].map(|release| Imported::new(release, "strict"));
    let [a, b] = [&old, &new].map(|one| Form::of(&one.tree).files);
    let costs = measured(&[("old", &a), ("new", &b)], &new, Compilers::None);
    let cost = Cost::of(&costs).unwrap();
    let users: Vec<&str> = cost.workspaces.iter().map(|one| one.user.as_str()).collect();
    assert_eq!(users, ["btrfs", "squashfs", "unlimited", "zram"], "{:#?}", cost.notes);
    let [btrfs, squashfs, unlimited, zram] = &cost.workspaces[..] else { panic!() };
    let counts: Vec<usize> = cost.workspaces.iter().map(|one| one.rows.len()).collect();
    assert_eq!(counts, [15, 1, 22, 22]);
    let row = |old: u64, new: u64, decompress: u64| {
        [Some(old), Some(new), Some(decompress), Some(decompress)]
    };
    let wanted = [
        row(943_593, 943_601, 620_320),
        row(1_304_041, 1_304_049, 620_320),
        row(2_632_873, 2_632_945, 620_320),
        row(3_277_351, 3_277_423, 620_320),
    ];
    assert_eq!(rows(btrfs, &[1, 3, 13, 15]), wanted);
    assert_eq!(rows(squashfs, &[0]), [[None, None, Some(620_320), Some(620_320)]]);
    let wanted = [
        row(1_369_577, 1_369_585, 1_013_536),
        row(30_139_881, 30_139_889, 4_683_552),
        row(93_848_103, 93_848_175, 8_877_856),
    ];
    assert_eq!(rows(unlimited, &[1, 10, 19]), wanted);
    let wanted =
        [row(73_704, 73_712, 95_968), row(255_656, 255_728, 95_968), row(275_815, 275_887, 95_968)];
    assert_eq!(rows(zram, &[1, 11, 19]), wanted);
    assert!(cost.machines.is_empty());
}

#[test]
fn frames_sizes_and_exports_are_those_of_the_objects() {
    let new = Imported::new("1.5.6", "strict");
    let mut files = Form::of(&new.tree).files;
    let makefile = TreePath::new("lib/zstd/Makefile").unwrap();
    // The rest takes long.
    let few = "obj-y := few.o\nfew-y := zstd_compress_module.o zstd_decompress_module.o \
        common/entropy_common.o compress/hist.o\n";
    files.insert(makefile, few.as_bytes().into());
    let before = files.clone();
    let path = TreePath::new("lib/zstd/compress/hist.c").unwrap();
    let text = String::from_utf8(files[&path].to_vec()).unwrap();
    let more = "int HIST_large(int x);\nint HIST_large(int x)\n{\n\tvolatile int large[400] = { 0 };\n\
        \tlarge[x] = x;\n\treturn large[399];\n}\nint HIST_data[25] = { 1 };\n";
    files.insert(path, format!("{text}{more}").into_bytes().into());
    let path = TreePath::new("lib/zstd/zstd_decompress_module.c").unwrap();
    let text = String::from_utf8(files[&path].to_vec()).unwrap();
    let more =
        "int zstd_more(void);\nint zstd_more(void) { return 1; }\nEXPORT_SYMBOL(zstd_more);\n";
    files.insert(path, format!("{text}{more}").into_bytes().into());
    let costs = measured(&[("old", &before), ("new", &files)], &new, Compilers::One);
    let cost = Cost::of(&costs).unwrap();
    assert_eq!(cost.machines.len(), 1, "{:#?}", cost.notes);
    let machine = &cost.machines[0];
    let names: Vec<&str> = machine.objects.iter().map(|one| one.object.as_str()).collect();
    let wanted = [
        "common/entropy_common.c",
        "compress/hist.c",
        "zstd_compress_module.c",
        "zstd_decompress_module.c",
    ];
    assert_eq!(names, wanted);
    assert_eq!(machine.objects[0].text.old, machine.objects[0].text.new);
    assert_eq!(machine.objects[1].data, Pair { old: Some(0), new: Some(100) });
    assert!(machine.objects[1].text.old < machine.objects[1].text.new);
    let large = &machine.frames[0];
    assert_eq!((large.function.as_str(), large.bytes.old), ("HIST_large", None));
    assert!(large.bytes.new.unwrap() >= 1600 && machine.frame_limit == 2048, "{large:?}");
    let known = machine.frames.iter().find(|one| one.function == "HUF_readStats").unwrap();
    assert_eq!(known.bytes.old, known.bytes.new);
    let exports = cost.exports.unwrap();
    assert_eq!((exports.added, exports.removed), (vec!["zstd_more".to_owned()], Vec::new()));
    assert!(exports.kept > 30);
    // What isn't in the makefile isn't there to be linked.
    assert!(cost.workspaces.is_empty() && cost.notes.iter().any(|note| note.contains("undefined")));
}
