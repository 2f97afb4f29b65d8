//! The kernel's interface of each release: which names it has, that callers can compile against it
//! as they do against Linux 6.12, and that it does what it promises.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

use crate::harness::compile::stubs;
use crate::imported::Imported;

const RELEASES: [&str; 5] = ["1.4.9", "1.5.2", "1.5.5", "1.5.6", "1.5.7"];

/// What Linux 6.12 exports, with the types of its own header.
const FUNCTIONS: [(&str, &str); 37] = [
    ("zstd_cctx_workspace_bound", "size_t (const zstd_compression_parameters *)"),
    ("zstd_compress_bound", "size_t (size_t)"),
    (
        "zstd_compress_cctx",
        "size_t (zstd_cctx *, void *, size_t, const void *, size_t, const zstd_parameters *)",
    ),
    ("zstd_compress_stream", "size_t (zstd_cstream *, zstd_out_buffer *, zstd_in_buffer *)"),
    (
        "zstd_compress_using_cdict",
        "size_t (zstd_cctx *, void *, size_t, const void *, size_t, const zstd_cdict *)",
    ),
    ("zstd_create_cctx_advanced", "zstd_cctx *(zstd_custom_mem)"),
    (
        "zstd_create_cdict_byreference",
        "zstd_cdict *(const void *, size_t, zstd_compression_parameters, zstd_custom_mem)",
    ),
    ("zstd_create_dctx_advanced", "zstd_dctx *(zstd_custom_mem)"),
    ("zstd_create_ddict_byreference", "zstd_ddict *(const void *, size_t, zstd_custom_mem)"),
    ("zstd_cstream_workspace_bound", "size_t (const zstd_compression_parameters *)"),
    ("zstd_dctx_workspace_bound", "size_t (void)"),
    ("zstd_decompress_dctx", "size_t (zstd_dctx *, void *, size_t, const void *, size_t)"),
    ("zstd_decompress_stream", "size_t (zstd_dstream *, zstd_out_buffer *, zstd_in_buffer *)"),
    (
        "zstd_decompress_using_ddict",
        "size_t (zstd_dctx *, void *, size_t, const void *, size_t, const zstd_ddict *)",
    ),
    ("zstd_default_clevel", "int (void)"),
    ("zstd_dstream_workspace_bound", "size_t (size_t)"),
    ("zstd_end_stream", "size_t (zstd_cstream *, zstd_out_buffer *)"),
    ("zstd_find_frame_compressed_size", "size_t (const void *, size_t)"),
    ("zstd_flush_stream", "size_t (zstd_cstream *, zstd_out_buffer *)"),
    ("zstd_free_cctx", "size_t (zstd_cctx *)"),
    ("zstd_free_cdict", "size_t (zstd_cdict *)"),
    ("zstd_free_dctx", "size_t (zstd_dctx *)"),
    ("zstd_free_ddict", "size_t (zstd_ddict *)"),
    ("zstd_get_cparams", "zstd_compression_parameters (int, unsigned long long, size_t)"),
    ("zstd_get_error_code", "zstd_error_code (size_t)"),
    ("zstd_get_error_name", "const char *(size_t)"),
    ("zstd_get_frame_header", "size_t (zstd_frame_header *, const void *, size_t)"),
    ("zstd_get_params", "zstd_parameters (int, unsigned long long)"),
    ("zstd_init_cctx", "zstd_cctx *(void *, size_t)"),
    (
        "zstd_init_cstream",
        "zstd_cstream *(const zstd_parameters *, unsigned long long, void *, size_t)",
    ),
    ("zstd_init_dctx", "zstd_dctx *(void *, size_t)"),
    ("zstd_init_dstream", "zstd_dstream *(size_t, void *, size_t)"),
    ("zstd_is_error", "unsigned int (size_t)"),
    ("zstd_max_clevel", "int (void)"),
    ("zstd_min_clevel", "int (void)"),
    ("zstd_reset_cstream", "size_t (zstd_cstream *, unsigned long long)"),
    ("zstd_reset_dstream", "size_t (zstd_dstream *)"),
];

/// What later kernels export besides, where the release has what it takes.
const NEWER: [(&str, &str, &str); 5] = [
    ("1.4.9", "zstd_cctx_set_param", "size_t (zstd_cctx *, zstd_cparameter, int)"),
    (
        "1.5.6",
        "zstd_cctx_workspace_bound_with_ext_seq_prod",
        "size_t (const zstd_compression_parameters *)",
    ),
    (
        "1.5.6",
        "zstd_cstream_workspace_bound_with_ext_seq_prod",
        "size_t (const zstd_compression_parameters *)",
    ),
    (
        "1.5.6",
        "zstd_register_sequence_producer",
        "void (zstd_cctx *, void *, zstd_sequence_producer_f)",
    ),
    (
        "1.5.7",
        "zstd_compress_sequences_and_literals",
        "size_t (zstd_cctx *, void *, size_t, const zstd_sequence *, size_t, const void *, size_t, \
         size_t, size_t)",
    ),
];

/// The types of Linux 6.12.
const TYPES: [&str; 17] = [
    "zstd_cctx",
    "zstd_cdict",
    "zstd_compression_parameters",
    "zstd_cstream",
    "zstd_custom_mem",
    "zstd_dctx",
    "zstd_ddict",
    "zstd_dict_content_type",
    "zstd_dict_load_method",
    "zstd_dstream",
    "zstd_error_code",
    "zstd_frame_header",
    "zstd_frame_parameters",
    "zstd_in_buffer",
    "zstd_out_buffer",
    "zstd_parameters",
    "zstd_strategy",
];

const NEWER_TYPES: [(&str, &str); 3] = [
    ("1.4.9", "zstd_cparameter"),
    ("1.5.6", "zstd_sequence_producer_f"),
    ("1.5.7", "zstd_sequence"),
];

#[test]
fn every_release_offers_what_kernels_call() {
    for profile in ["strict", "official"] {
        for release in RELEASES {
            let imported = Imported::new(release, profile);
            let api = &imported.tree.api;
            // These numbers have one digit each, so that their order is that of the texts.
            let newer = NEWER.iter().filter(|(since, ..)| *since <= release);
            let wanted: BTreeMap<&str, &str> =
                FUNCTIONS.into_iter().chain(newer.map(|(_, name, ty)| (*name, *ty))).collect();
            let found: BTreeMap<&str, &str> = api
                .functions
                .iter()
                .map(|(name, made)| (name.as_str(), made.signature.as_str()))
                .collect();
            assert_eq!(found, wanted, "{release} {profile}");
            let newer = NEWER_TYPES.iter().filter(|(since, _)| *since <= release);
            let wanted: BTreeSet<&str> =
                TYPES.into_iter().chain(newer.map(|(_, name)| *name)).collect();
            let found: BTreeSet<&str> = api.types.keys().map(String::as_str).collect();
            assert_eq!(found, wanted, "{release} {profile}");
            let said: Vec<_> = imported
                .tree
                .findings
                .iter()
                .filter(|finding| finding.code.starts_with("api-"))
                .map(|finding| &finding.message)
                .collect();
            assert!(said.is_empty(), "{release} {profile}: {said:#?}");
        }
    }
}

#[test]
fn every_wrapper_is_declared_and_exported_once() {
    let imported = Imported::new("1.5.7", "strict");
    let text = |path: &str| {
        let file = imported.tree.files.iter().find(|(place, _)| place.as_str() == path);
        String::from_utf8(file.unwrap().1.text.bytes().to_vec()).unwrap()
    };
    let header = text("include/linux/zstd.h");
    let modules: BTreeMap<&str, String> = ["zstd_common", "zstd_compress", "zstd_decompress"]
        .into_iter()
        .map(|name| (name, text(&format!("lib/zstd/{name}_module.c"))))
        .collect();
    for (name, made) in &imported.tree.api.functions {
        assert_eq!(header.matches(&made.prototype).count(), 1, "{name}");
        for (module, text) in &modules {
            let count = usize::from(made.module == *module);
            let exported = format!("\n}}\nEXPORT_SYMBOL({name});\n");
            assert_eq!(text.matches(&exported).count(), count, "{name} {module}");
        }
    }
    for text in modules.values().chain([&header]) {
        let width = |line: &str| line.chars().map(|c| if c == '\t' { 8 } else { 1 }).sum::<usize>();
        let untidy = |line: &&str| width(line) > 100 || line.ends_with([' ', '\t']);
        assert_eq!(text.lines().find(untidy), None);
        assert!(!text.contains("\n\n\n") && text.ends_with('\n'), "{text}");
    }
    for (module, text) in &modules {
        assert!(text.contains("MODULE_LICENSE(\"Dual BSD/GPL\");"), "{module}");
        assert!(text.contains("MODULE_DESCRIPTION(\""), "{module}");
    }
}

/// By the kernel's own script, from the tree that KERNELIZE_TEST_LINUX_6_12 names.
#[test]
fn every_comment_is_complete_kernel_doc() {
    let Some(linux) = std::env::var_os("KERNELIZE_TEST_LINUX_6_12") else { return };
    for release in RELEASES {
        let tree = tempfile::tempdir().unwrap();
        Imported::new(release, "strict").write(tree.path());
        let output = Command::new("perl")
            .arg(Path::new(&linux).join("scripts/kernel-doc"))
            .args(["-none", "-Wall"])
            .arg(tree.path().join("include/linux/zstd.h"))
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert_eq!(String::from_utf8_lossy(&said), "", "{release}");
        assert!(output.status.success(), "{release}");
    }
}

#[test]
fn the_interface_does_what_it_promises() {
    for release in RELEASES {
        let tree = tempfile::tempdir().unwrap();
        Imported::new(release, "strict").write(tree.path());
        let mut defines = Vec::new();
        // What of the program depends on the release.
        if release >= "1.5.6" {
            defines.push("-DHAVE_PRODUCER");
        }
        if release >= "1.5.7" {
            defines.push("-DHAVE_SEQUENCES");
        }
        if let Err(what) = build_and_run(tree.path(), &defines) {
            panic!("{release}: {what}");
        }
    }
}

/// Links the program with all of the library, and runs it.
fn build_and_run(tree: &Path, defines: &[&str]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = root.join("tests/releases/interface");
    let kernel = root.join("rules/zstd/harness/kernel");
    let sources: Vec<PathBuf> = [tree.join("lib"), kernel, own]
        .into_iter()
        .flat_map(|folder| walkdir::WalkDir::new(folder).sort_by_file_name())
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension() == Some(OsStr::new("c")))
        .collect();
    let objects: Vec<PathBuf> = sources
        .par_iter()
        .enumerate()
        .map(|(number, source)| {
            let object = tree.join(format!("{number}.o"));
            let mut command = compiler();
            command
                .args(["-O1", "-std=gnu11", "-Wall", "-Wundef", "-Wmissing-prototypes", "-Werror"])
                .args(["-ffreestanding", "-nostdinc", "-include", "linux/compiler_types.h"])
                .args(["-DDEBUGLEVEL=0", "-I"])
                .arg(tree.join("include"))
                .arg("-I")
                .arg(stubs())
                .args(defines)
                .args(["-c", "-o"])
                .arg(&object)
                .arg(source);
            run(&mut command).map(|()| object)
        })
        .collect::<Result<_, String>>()?;
    let program = tree.join("program");
    run(compiler().arg("-o").arg(&program).args(&objects))?;
    run(&mut Command::new(&program))
}

fn compiler() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&said)))
}
