//! The kernel modules that the library becomes: which files each is linked from, and what the common
//! one exports to the others.

mod arrange;

use minijinja::{Value, context};

use crate::rules::Module;

pub use arrange::{Arranged, Problem, arrange};

/// One module with its files. Paths are below the library's folder of the Linux tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleFiles {
    /// Name of the module.
    pub name: String,
    /// The configuration symbol that builds it.
    pub kconfig: String,
    /// Whether it holds what the others share.
    pub common: bool,
    /// Whether the boot-time decompressor needs it.
    pub preboot: bool,
    /// Its own source: wrappers and exports.
    pub source: String,
    /// The library's sources in it, sorted.
    pub sources: Vec<String>,
    /// What make calls these: the module's own first, then the library's, sorted.
    pub objects: Vec<String>,
    /// What other modules need of it, sorted by name.
    pub exports: Vec<Export>,
}

/// A symbol that a module exports to the others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Export {
    /// The symbol.
    pub name: String,
    /// The header that declares it, as an include directive of the module's own source spells it,
    /// with its `<>` or `""`.
    pub header: Option<String>,
    /// Whether a macro of that name has to be undefined before the symbol can be named.
    pub is_macro: bool,
    /// The condition under which the definition stands, in the words of `#if`.
    pub condition: Option<String>,
}

impl ModuleFiles {
    /// A module of these library sources.
    pub fn new(module: &Module, mut sources: Vec<String>, mut exports: Vec<Export>) -> ModuleFiles {
        sources.sort();
        exports.sort();
        let object = |source: &String| match source.strip_suffix(".c") {
            Some(stem) => format!("{stem}.o"),
            None => source.clone(),
        };
        let own = std::iter::once(&module.source);
        ModuleFiles {
            name: module.name.clone(),
            kconfig: module.kconfig.clone(),
            common: module.common,
            preboot: module.preboot,
            source: module.source.clone(),
            objects: own.chain(&sources).map(object).collect(),
            sources,
            exports,
        }
    }

    /// The module as templates see it: a map of its fields.
    pub(super) fn value(&self) -> Value {
        context! {
            name => &self.name,
            kconfig => &self.kconfig,
            common => self.common,
            preboot => self.preboot,
            source => &self.source,
            sources => &self.sources,
            objects => &self.objects,
            exports => self.exports.iter().map(Export::value).collect::<Vec<Value>>(),
        }
    }
}

impl Export {
    fn value(&self) -> Value {
        let text = |text: &Option<String>| text.as_deref().map_or(Value::from(()), Value::from);
        context! {
            name => &self.name,
            header => text(&self.header),
            is_macro => self.is_macro,
            condition => text(&self.condition),
        }
    }
}

/// The sources that the boot-time decompressor is compiled from, all in one: no modules, so that the
/// common module's own source, which does nothing but export, is left out.
pub fn preboot(modules: &[ModuleFiles]) -> Vec<String> {
    let needed = modules.iter().filter(|module| module.preboot);
    let sources = needed.flat_map(|module| {
        let own = Some(&module.source).filter(|_| !module.common);
        module.sources.iter().chain(own)
    });
    let mut sources: Vec<String> = sources.cloned().collect();
    sources.sort();
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::load;

    #[test]
    fn objects_and_the_boot_list_are_in_order() {
        let library = load(None).unwrap().library;
        let sources = |folder: &str| ["b.c", "a.c"].map(|file| format!("{folder}/{file}")).to_vec();
        let all = library.modules.iter();
        let modules: Vec<ModuleFiles> =
            all.map(|m| ModuleFiles::new(m, sources(&m.folder), Vec::new())).collect();
        let compress = modules.iter().find(|module| module.name == "zstd_compress").unwrap();
        assert_eq!(
            compress.objects,
            ["zstd_compress_module.o", "compress/a.o", "compress/b.o"],
            "the module's own comes first"
        );
        let wanted = ["common/a.c", "common/b.c", "decompress/a.c", "decompress/b.c"];
        assert_eq!(preboot(&modules), [&wanted[..], &["zstd_decompress_module.c"]].concat());
    }
}
