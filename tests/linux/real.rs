//! Real kernel trees and the real repository, where they are here: `KERNELIZE_TEST_LINUX_6_12` and
//! `KERNELIZE_TEST_LINUX_6_1` name unpacked trees, `KERNELIZE_TEST_GIT` a clone of upstream.

use std::path::Path;

use kernelize::linux::base::Base;
use kernelize::linux::carry::{Carried, Class, Decisions, Fate, Local};

use crate::support::{Case, classes, text};

/// Releases that changes are carried to.
const TARGETS: [&str; 2] = ["1.5.6", "1.5.7"];

fn case(tree: &str) -> Case {
    let value = |name: &str| std::env::var(name).unwrap();
    Case::new(None, Path::new(&value(tree)), &value("KERNELIZE_TEST_GIT"))
}

/// What nobody has decided, in words.
fn open(carried: &Carried) -> Vec<String> {
    let shown = |l: &Local| format!("{}:{:?}: {}\n{}", l.file, l.lines, l.reason, l.text);
    carried.open().map(shown).collect()
}

fn count(carried: &Carried, class: Class) -> usize {
    carried.locals.iter().filter(|local| local.class == class).count()
}

#[test]
#[ignore = "needs a kernel tree and a clone of upstream"]
fn linux_6_12() {
    let case = case("KERNELIZE_TEST_LINUX_6_12");
    let base = case.base();
    assert_eq!(base.name, "v1.5.2-kernel");
    let importer = base.importer.unwrap();
    assert_eq!((base.distance.hunks, importer.hunks), (7, 13));
    assert_eq!((base.distance.files, importer.files), (0, 0));
    for release in TARGETS {
        let carried = case.onto(&base, "packages", Some(release), &Decisions::default()).unwrap();
        assert_eq!(open(&carried), Vec::<String>::new());
        let generated = count(&carried, Class::Generated);
        assert_eq!((count(&carried, Class::Upstreamed), generated), (6, 13));
        let kept: Vec<_> = carried.locals.iter().filter(|local| local.fate == Fate::Kept).collect();
        assert_eq!(kept.iter().map(|local| local.id.as_str()).collect::<Vec<_>>(), ["bmi2-gcc"]);
        let path = "lib/zstd/common/portability_macros.h";
        let (before, after) = (text(&carried.import, path), text(&carried.files, path));
        assert_eq!(after, before.replacen("((__GNUC__ >= 5))", "((__GNUC__ >= 11))", 1));
        assert_ne!(after, before);
        let changed = carried.files.iter().filter(|(path, bytes)| carried.import[*path] != **bytes);
        assert_eq!(changed.count(), 1);
        assert!(carried.local_files.is_empty());
    }
}

/// The changes are told apart by their tokens too, without being known by name: all but the one whose
/// place the new release has rewritten.
#[test]
#[ignore = "needs a kernel tree and a clone of upstream"]
fn linux_6_12_without_names() {
    let mut case = case("KERNELIZE_TEST_LINUX_6_12");
    case.ruleset.local.clear();
    let base = case.base();
    for release in TARGETS {
        let carried = case.onto(&base, "packages", Some(release), &Decisions::default()).unwrap();
        let open: Vec<_> = carried.open().map(|local| local.file.as_str()).collect();
        assert_eq!(open, ["lib/zstd/common/fse_decompress.c"], "{:?}", self::open(&carried));
        assert_eq!(count(&carried, Class::Upstreamed), 5);
        assert_eq!(count(&carried, Class::Local), 1);
    }
}

#[test]
#[ignore = "needs a kernel tree and a clone of upstream"]
fn linux_6_1() {
    let case = case("KERNELIZE_TEST_LINUX_6_1");
    let base = case.base();
    assert_eq!(base.name, "v1.4.10");
    let importer = base.importer.unwrap();
    assert_eq!((base.distance.hunks, importer.hunks), (10, 3));
    for release in TARGETS {
        let carried = case.onto(&base, "packages", Some(release), &Decisions::default()).unwrap();
        assert_eq!(open(&carried), Vec::<String>::new());
        assert_eq!((count(&carried, Class::Upstreamed), count(&carried, Class::Local)), (1, 0));
        assert_eq!(count(&carried, Class::Generated), 12);
        assert!(carried.local_files.is_empty());
        assert_eq!(carried.files, carried.import);
    }
}

/// Changes that somebody has planted in files that the import writes, and beside changes that are known,
/// are told of, each with its place.
#[test]
#[ignore = "needs a kernel tree and a clone of upstream"]
fn linux_6_12_with_planted_changes() {
    let mut case = case("KERNELIZE_TEST_LINUX_6_12");
    let clean = case.tree.files.clone();
    let make = "obj-$(CONFIG_ZSTD_COMPRESS) += zstd_compress.o\n";
    let dictionary = "    if (!cdict)\n        return NULL;\n";
    let limit = "    if (dictSize > (1u << 30))\n        return NULL;\n";
    let neon = "defined(ZSTD_ARCH_ARM_NEON)";
    let check = "\tif (workspace == NULL)\n";
    for (path, from, to, what) in [
        ("lib/zstd/Makefile", make, &format!("ccflags-y += -O3\n{make}"), "ccflags-y -O3"),
        ("lib/zstd/Makefile", make, &format!("KCOV_INSTRUMENT := n\n{make}"), "KCOV_INSTRUMENT n"),
        ("lib/zstd/Makefile", make, &format!("{make}UBSAN_SANITIZE := n\n"), "UBSAN_SANITIZE n"),
        (
            "lib/zstd/zstd_compress_module.c",
            check,
            &"\tif (workspace == NULL || workspace_size > (1UL << 30))\n".to_owned(),
            "changed `zstd_init_cctx`",
        ),
        (
            "lib/zstd/zstd_compress_module.c",
            "\treturn ZSTD_defaultCLevel();\n",
            &"\treturn ZSTD_defaultCLevel() + 1;\n".to_owned(),
            "added `zstd_default_clevel`",
        ),
        (
            "lib/zstd/common/mem.h",
            "    return get_unaligned_le32(memPtr);",
            &"    barrier();\n    return get_unaligned_le32(memPtr);".to_owned(),
            "changed `MEM_readLE32`",
        ),
        (
            "lib/zstd/common/zstd_deps.h",
            "__builtin_memcpy((d),(s),(n))",
            &"memcpy((d),(s),(n))".to_owned(),
            "changed `ZSTD_memcpy`",
        ),
        (
            "include/linux/zstd.h",
            "size_t zstd_compress_bound(",
            &"__must_check size_t zstd_compress_bound(".to_owned(),
            "changed `zstd_compress_bound`",
        ),
        ("lib/zstd/compress/zstd_compress.c", dictionary, &format!("{limit}{dictionary}"), ""),
        ("lib/zstd/compress/zstd_compress.c", dictionary, &format!("{dictionary}{limit}"), ""),
        (
            "lib/zstd/compress/zstd_lazy.c",
            neon,
            &format!("{neon} && defined(CONFIG_NEON)"),
            "folds away",
        ),
        (
            "lib/zstd/common/zstd_internal.h",
            neon,
            &"defined(CONFIG_NEON)".to_owned(),
            "place is still there",
        ),
    ] {
        case.tree.files = clean.clone();
        let before = text(&clean, path);
        let after = before.replacen(from, to, 1);
        assert_ne!(before, after, "{path}: {from}");
        let place = clean.get_key_value(&kernelize::text::TreePath::new(path).unwrap());
        let place = place.unwrap().0.clone();
        case.tree.files.insert(place, after.into_bytes().into());
        let base = case.base();
        let carried = case.onto(&base, "packages", Some("1.5.7"), &Decisions::default()).unwrap();
        let told: Vec<&Local> = carried
            .locals
            .iter()
            .filter(|local| local.class >= Class::Local && local.file.as_str() == path)
            .collect();
        assert_eq!(told.len(), 1, "{path}: {to}: {:?}", classes(&carried.locals));
        assert!(told[0].reason.contains(what), "{}", told[0].reason);
    }
}

/// A wrapper function that the import lacks is not lost in silence.
#[test]
#[ignore = "needs a kernel tree and a clone of upstream"]
fn linux_6_12_with_a_function_less() {
    let mut case = case("KERNELIZE_TEST_LINUX_6_12");
    case.ruleset.api.retain(|rule| !rule.rule.name.as_str().ends_with("zstd_get_cparams"));
    let base = case.base();
    let carried = case.onto(&base, "packages", Some("1.5.7"), &Decisions::default()).unwrap();
    let open: Vec<_> = carried.open().map(|l| (l.file.as_str(), l.reason.as_str())).collect();
    let expected = [
        ("include/linux/zstd.h", "the import offers no zstd_get_cparams"),
        (
            "lib/zstd/zstd_compress_module.c",
            "the import offers no export of zstd_get_cparams, zstd_get_cparams",
        ),
    ];
    assert_eq!(open, expected);
}

/// A tree where nothing but packages can be reached, and the same with the repository, if that is here.
fn packages_only(tree: &str) -> (Case, Option<Base>) {
    let with_git = std::env::var("KERNELIZE_TEST_GIT").ok().map(|_| case(tree).base());
    let linux = std::env::var(tree).unwrap();
    let mut case = Case::new(None, Path::new(&linux), "packages");
    case.ruleset.library.url = "/nowhere".to_owned();
    (case, with_git)
}

/// Carries onto a release; the result has to be the same as with the repository.
fn carried(case: &Case, base: &Base, with_git: Option<&Base>, release: &str) -> Carried {
    let onto = |base| case.onto(base, "packages", Some(release), &Decisions::default()).unwrap();
    let carried = onto(base);
    assert_eq!(open(&carried), Vec::<String>::new());
    if let Some(expected) = with_git.map(onto) {
        assert!(carried.files == expected.files, "{release}: other files");
        assert!(carried.reimport == expected.reimport, "{release}: another re-import");
    }
    carried
}

/// With packages alone the nearest release is the plain one, and farther: what upstream did between the
/// two is known by name.
#[test]
#[ignore = "needs a kernel tree"]
fn linux_6_12_with_packages() {
    let (case, with_git) = packages_only("KERNELIZE_TEST_LINUX_6_12");
    let base = case.base();
    assert_eq!(base.name, "v1.5.2");
    assert_eq!((base.distance.hunks, base.importer), (27, None));
    for release in TARGETS {
        let carried = carried(&case, &base, with_git.as_ref(), release);
        assert_eq!((count(&carried, Class::Upstreamed), count(&carried, Class::Local)), (26, 1));
        assert_eq!(carried.order, ["bmi2-gcc"]);
    }
}

/// Where the importer's text isn't at hand, a file that nobody knows isn't taken for generated.
#[test]
#[ignore = "needs a kernel tree"]
fn linux_6_12_with_packages_and_a_planted_change() {
    let (mut case, _) = packages_only("KERNELIZE_TEST_LINUX_6_12");
    let path = kernelize::text::TreePath::new("lib/zstd/common/mem.h").unwrap();
    let planted = text(&case.tree.files, path.as_str()).replacen(
        "    return",
        "    barrier();\n    return",
        1,
    );
    case.tree.files.insert(path, planted.into_bytes().into());
    let base = case.base();
    let carried = case.onto(&base, "packages", Some("1.5.7"), &Decisions::default()).unwrap();
    let open: Vec<_> = carried.open().map(|local| local.file.as_str()).collect();
    assert_eq!(open, ["lib/zstd/common/mem.h"]);
}

/// No package has the release, so its digests have to do.
#[test]
#[ignore = "needs a kernel tree"]
fn linux_6_1_with_packages() {
    let (case, with_git) = packages_only("KERNELIZE_TEST_LINUX_6_1");
    let base = case.base();
    assert_eq!(base.name, "v1.4.10");
    let digests = base.digests.as_ref().unwrap();
    assert_eq!((digests.unchanged.len(), digests.changed.len(), digests.unknown.len()), (48, 5, 0));
    for release in TARGETS {
        let carried = carried(&case, &base, with_git.as_ref(), release);
        assert_eq!((count(&carried, Class::Upstreamed), count(&carried, Class::Generated)), (1, 4));
        assert!(carried.files == carried.import);
    }
}

/// The digests of a release that packages come near to tell the same files as its text does.
#[test]
#[ignore = "needs a kernel tree and a clone of upstream"]
fn linux_6_12_by_digests() {
    let mut case = case("KERNELIZE_TEST_LINUX_6_12");
    let with_git = case.base();
    case.ruleset.library.url = "/nowhere".to_owned();
    case.ruleset.library.packages.clear();
    case.made_from = "packages".parse().unwrap();
    let base = case.base();
    assert_eq!(base.name, "v1.5.2-kernel");
    let [carried, expected] = [&base, &with_git].map(|base| {
        let git = std::env::var("KERNELIZE_TEST_GIT").unwrap();
        case.onto(base, &git, Some("v1.5.6"), &Decisions::default()).unwrap()
    });
    let open: Vec<&str> = carried.open().map(|local| local.id.as_str()).collect();
    assert_eq!(open, ["bmi2-gcc"]);
    let files = |carried: &Carried| -> std::collections::BTreeSet<_> {
        carried.locals.iter().map(|local| (local.id.clone(), local.file.clone())).collect()
    };
    assert_eq!(files(&carried), files(&expected));
    assert_eq!(carried.reimport, expected.reimport);
}
