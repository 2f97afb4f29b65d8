//! What the graph of symbols says of real releases, held against what a linker sees.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use kernelize::kernel::builds;
use kernelize::kernel::modules::ModuleFiles;
use kernelize::kernel::symbols::{self, Symbols};
use kernelize::rules::Active;
use kernelize::text::{Source, TreePath};
use rayon::prelude::*;

use crate::harness::compile::Compile;
use crate::harness::packages;
use crate::imported::Imported;

const COMMON: &str = "debug entropy_common error_private fse_decompress zstd_common";
const COMPRESS: &str = "fse_compress hist huf_compress zstd_compress zstd_compress_literals \
    zstd_compress_sequences zstd_compress_superblock zstd_double_fast zstd_fast zstd_lazy zstd_ldm \
    zstd_opt";
const DECOMPRESS: &str = "huf_decompress zstd_ddict zstd_decompress zstd_decompress_block";

fn of<'m>(imported: &'m Imported, name: &str) -> &'m ModuleFiles {
    imported.tree.modules.iter().find(|module| module.name == name).unwrap()
}

fn objects(module: &ModuleFiles, folder: &str) -> Vec<String> {
    let below = |object: &String| {
        let stem = object.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".o")?;
        Some(stem.to_owned())
    };
    assert_eq!(module.objects.len(), module.sources.len() + 1);
    module.objects[1..].iter().map(|object| below(object).expect(object)).collect()
}

#[test]
fn each_module_gets_what_a_maintainer_expects() {
    packages::versions().collect::<Vec<_>>().par_iter().for_each(|release| {
        for profile in ["strict", "official"] {
            let imported = Imported::new(release, profile);
            let list = |words: &str| words.split_whitespace().map(str::to_owned).collect();
            let mut compress: Vec<String> = list(COMPRESS);
            if release.as_str() >= "1.5.7" {
                compress.push("zstd_preSplit".to_owned());
            }
            // Its header is included everywhere there, so the rules take both.
            let mut common: Vec<String> = list(COMMON);
            common.extend((release.as_str() == "1.4.9").then(|| "zstd_trace".to_owned()));
            let found = |module: &str, folder| objects(of(&imported, module), folder);
            assert_eq!(found("zstd_common", "common"), common, "{release} {profile}");
            assert_eq!(found("zstd_compress", "compress"), compress, "{release} {profile}");
            assert_eq!(found("zstd_decompress", "decompress"), list(DECOMPRESS), "{release}");
            let makefile = &imported.tree.files[&TreePath::new("lib/zstd/Makefile").unwrap()];
            let makefile = String::from_utf8_lossy(makefile.text.bytes()).into_owned();
            for object in compress {
                assert!(makefile.contains(&format!("\t\tcompress/{object}.o")), "{makefile}");
            }
        }
    });
}

/// What `nm` says of an object.
#[derive(Default)]
struct Linked {
    defines: BTreeSet<String>,
    needs: BTreeSet<String>,
}

fn nm(object: &Path) -> Linked {
    let output = Command::new("nm").arg("-P").arg(object).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut linked = Linked::default();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(kind)) = (words.next(), words.next()) else { continue };
        match kind {
            "U" => _ = linked.needs.insert(name.to_owned()),
            kind if kind.chars().all(char::is_uppercase) => {
                linked.defines.insert(name.to_owned());
            }
            _ => {}
        }
    }
    linked
}

/// The graph of the kernel's own build, read from the output alone.
fn graph(imported: &Imported) -> Symbols {
    let profile = imported.ruleset.profile(imported.profile).unwrap();
    let facts = Active::new(&imported.ruleset, imported.version, profile);
    let files: BTreeMap<TreePath, Arc<Source>> = imported
        .tree
        .files
        .iter()
        .map(|(path, file)| (path.clone(), Source::new(path.as_str(), file.text.bytes().clone())))
        .collect();
    let build = builds::of(&files, &facts, true).unwrap().remove(0);
    let texts = build.texts.iter().map(|(path, text)| (path.clone(), &**text.bytes()));
    symbols::read(&texts.collect(), &["lib/zstd", "include"])
}

/// The graph must define what the linker sees defined, and need what it sees needed.
fn compare(imported: &Imported, debug_level: u8) {
    let release = &imported.release;
    let graph = graph(imported);
    let tree = tempfile::tempdir().unwrap();
    imported.write(tree.path());
    let compile = Compile { compiler: &[], debug_level, arguments: &["-O1"] };
    let ours: BTreeSet<&String> = graph.objects.values().flat_map(|o| o.defines.keys()).collect();
    // The modules' own sources want more of the kernel's headers than there are stubs for.
    let library = graph.objects.par_iter().filter(|(path, _)| !path.as_str().contains("_module"));
    library.for_each(|(path, read)| {
        let source = tree.path().join(path.as_str());
        let to = source.with_extension("o");
        compile.object(tree.path(), &source, &to).unwrap();
        let linked = nm(&to);
        let defines: BTreeSet<String> = read.defines.keys().cloned().collect();
        assert_eq!(defines, linked.defines, "{release} {path} at level {debug_level}");
        let own = |name: &&String| ours.contains(name);
        let needed: BTreeSet<&String> = linked.needs.iter().filter(own).collect();
        let found: BTreeSet<&String> = read.needs.keys().collect();
        assert_eq!(found, needed, "{release} {path} at level {debug_level}");
    });
}

/// The oldest release, one between, and the newest.
#[test]
fn the_graph_is_what_the_linker_sees() {
    for release in ["1.4.9", "1.5.5", "1.5.7"] {
        compare(&Imported::new(release, "strict"), 0);
    }
}

#[test]
fn the_common_module_exports_what_the_others_need() {
    for release in ["1.5.6", "1.5.7"] {
        let imported = Imported::new(release, "strict");
        let exports = &of(&imported, "zstd_common").exports;
        let named = |condition: Option<&str>| -> Vec<&str> {
            let of_it = exports.iter().filter(|e| e.condition.as_deref() == condition);
            of_it.map(|export| export.name.as_str()).collect()
        };
        let wanted = [
            "FSE_readNCount",
            "HUF_readStats",
            "HUF_readStats_wksp",
            "ZSTD_getErrorCode",
            "ZSTD_getErrorName",
            "ZSTD_isError",
        ];
        assert_eq!(named(None), wanted, "{release}: {exports:?}");
        let debug = named(Some("DEBUGLEVEL >= 2"));
        assert!(debug.contains(&"g_debuglevel"), "{release}: {exports:?}");
        assert!(debug.contains(&"ERR_getErrorString"), "{release}: {exports:?}");
        let header = |name: &str| exports.iter().find(|e| e.name == name).unwrap().header.clone();
        assert_eq!(header("HUF_readStats").as_deref(), Some("\"common/huf.h\""));
        assert!(header("ZSTD_getErrorCode").unwrap().starts_with("<linux/zstd_"));
    }
}

/// The boot-time decompressor compiles all of its sources as one: names that are static in two files
/// would clash.
#[test]
fn the_sources_of_the_boot_code_are_one_translation_unit() {
    for release in ["1.4.9", "1.5.2", "1.5.7"] {
        let imported = Imported::new(release, "strict");
        let tree = tempfile::tempdir().unwrap();
        imported.write(tree.path());
        let library = tree.path().join("lib/zstd");
        let unit = library.join("unit.c");
        std::fs::write(&unit, "#include \"decompress_sources.h\"\n").unwrap();
        for debug_level in [0, 2] {
            let compile =
                Compile { compiler: &[], debug_level, arguments: &["-Wno-unused-function"] };
            compile.file(tree.path(), &unit).unwrap_or_else(|said| panic!("{release}: {said}"));
        }
    }
}

/// Code and message of the only finding.
fn only(imported: &Imported) -> (&'static str, String) {
    let said = imported.tree.findings.clone().sorted();
    assert_eq!(said.len(), 1, "{said:?}");
    (said[0].code, said[0].message.clone())
}

fn changed(path: &str, more: &str, with: &str) -> Imported {
    let mut files = Imported::files("1.5.7");
    for (path, text) in [("common/mem.h", more), (path, with)] {
        let path = TreePath::new(path).unwrap();
        let mut bytes = files[&path].to_vec();
        bytes.extend_from_slice(text.as_bytes());
        files.insert(path, bytes.into());
    }
    Imported::of("1.5.7", "strict", files)
}

#[test]
fn a_name_that_a_replaced_header_offers_and_ours_lacks_is_found() {
    let offer = "#define MEM_isNew(x) (x)\nMEM_STATIC int MEM_unused(void) { return 1; }\n";
    let user = "int HIST_new(int x) { return MEM_isNew(x); }\n";
    let imported = changed("compress/hist.c", offer, user);
    let (code, message) = only(&imported);
    assert!(code == "template-lacks" && message.contains("`MEM_isNew`"), "{message}");
    let said = imported.tree.findings.clone().sorted();
    let places: Vec<&str> = said[0].labels.iter().map(|l| l.source.name.as_str()).collect();
    assert_eq!(places, ["lib/compress/hist.c", "lib/common/mem.h"]);
}

#[test]
fn what_would_not_link_or_load_is_found_in_a_release() {
    let with = |text: &str| only(&changed("compress/hist.c", "", text));
    let (code, said) = with("int HIST_new(int x) { return HIST_gone(x); }\n");
    assert!(code == "undefined-symbol" && said.contains("`HIST_gone`"), "{code}: {said}");
    let (code, said) = with("unsigned FSE_versionNumber(void) { return 1; }\n");
    assert!(code == "symbol-defined-twice" && said.contains("`FSE_versionNumber`"), "{said}");
    let across = "size_t ZSTD_freeDDict(void* d);\n\
        size_t HIST_new(void* x) { return ZSTD_freeDDict(x); }\n";
    let (code, said) = with(across);
    assert!(code == "module-needs-module" && said.contains("zstd_compress needs"), "{said}");
}
