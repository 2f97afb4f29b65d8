//! Compiles an output tree file by file, the way the kernel would, against stub headers.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

/// One way to compile a tree.
pub(crate) struct Compile<'a> {
    /// Compiler and the arguments that choose a target: `["cc"]`, `["gcc", "-m32"]`.
    pub(crate) compiler: &'a [&'a str],
    /// 0 leaves assertions out, 1 has them, 2 and above print as well.
    pub(crate) debug_level: u8,
    /// Further arguments, at the end.
    pub(crate) arguments: &'a [&'a str],
}

impl Compile<'_> {
    /// With the compiler of the environment: `CC`, else `cc`.
    pub(crate) fn with_asserts(asserts: bool) -> Self {
        Compile { compiler: &[], debug_level: u8::from(asserts), arguments: &[] }
    }

    /// Compiles every `.c` below `tree`, which holds `lib/` and `include/`. Gives the number of
    /// files, or what the compiler said of each file that it refused, in order of their paths.
    pub(crate) fn tree(&self, tree: &Path) -> Result<usize, String> {
        let sources = sources(tree)?;
        if sources.is_empty() {
            return Err(format!("{}: no .c file to compile", tree.display()));
        }
        let refused: Vec<String> =
            sources.par_iter().filter_map(|source| self.file(tree, source).err()).collect();
        if refused.is_empty() { Ok(sources.len()) } else { Err(refused.join("\n")) }
    }

    /// Compiles one file of a tree.
    pub(crate) fn file(&self, tree: &Path, source: &Path) -> Result<(), String> {
        self.object(tree, source, Path::new("/dev/null"))
    }

    /// Compiles one file of a tree into an object.
    pub(crate) fn object(&self, tree: &Path, source: &Path, object: &Path) -> Result<(), String> {
        let mut command = self.command();
        command
            // -nostdinc as in the kernel: a hosted header must not slip in unseen.
            .args(["-std=gnu11", "-Wall", "-Wundef", "-Werror", "-ffreestanding", "-nostdinc"])
            .args(["-include", "linux/compiler_types.h"])
            .arg(format!("-DDEBUGLEVEL={}", self.debug_level))
            .arg("-I")
            .arg(tree.join("include"))
            .arg("-I")
            .arg(stubs())
            .args(self.arguments)
            .args(["-c", "-o"])
            .arg(object)
            .arg(source);
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr)))
    }

    fn command(&self) -> Command {
        match self.compiler.split_first() {
            Some((program, target)) => {
                let mut command = Command::new(program);
                command.args(target);
                command
            }
            None => Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into())),
        }
    }
}

/// The headers that stand for the kernel's.
pub(crate) fn stubs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/zstd/stubs")
}

fn sources(tree: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(tree).sort_by_file_name() {
        let entry = entry.map_err(|error| error.to_string())?;
        if entry.path().extension() == Some(OsStr::new("c")) {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

#[test]
fn every_source_file_is_compiled_and_a_refusal_names_it() {
    let tree = tempfile::tempdir().unwrap();
    let library = tree.path().join("lib/zstd/common");
    std::fs::create_dir_all(&library).unwrap();
    let write = |name: &str, text: &str| std::fs::write(library.join(name), text).unwrap();
    write("good.c", "#include <linux/types.h>\nu32 good(u32 x) { return x; }\n");
    assert_eq!(Compile::with_asserts(false).tree(tree.path()), Ok(1));
    write("hosted.c", "#include <stdint.h>\n");
    write("undef.c", "#if NOT_DEFINED_ANYWHERE\n#endif\nint x;\n");
    let refused = Compile::with_asserts(true).tree(tree.path()).unwrap_err();
    assert!(refused.contains("hosted.c") && refused.contains("undef.c"), "{refused}");
    assert!(!refused.contains("good.c"), "{refused}");
}

#[test]
fn a_tree_without_sources_is_no_success() {
    let tree = tempfile::tempdir().unwrap();
    assert!(Compile::with_asserts(false).tree(tree.path()).is_err());
}
