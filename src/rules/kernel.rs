//! What `library.toml` says of the kernel: the modules that the library becomes, and what templates
//! are told of the kernel that they are rendered for.

use std::sync::Arc;

use super::fields::span;
use super::library::Reader;
use super::shape::{ModuleShape, TargetValueShape, Text};
use super::version::KernelVersion;
use crate::finding::Label;
use crate::text::{Source, Span};

/// One `[[module]]`: a kernel module that the library becomes.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name of the module (`NAME.ko`).
    pub name: String,
    /// The configuration symbol that builds it (`CONFIG_NAME`).
    pub kconfig: String,
    /// Its own source, below the library's folder of the Linux tree: wrappers and exports.
    pub source: String,
    /// The folder of the library, below its root, whose files are part of it.
    pub folder: String,
    /// Whether it holds what the others share, and exports it to them.
    pub common: bool,
    /// Whether the kernel's own boot-time decompressor needs it.
    pub preboot: bool,
    file: Arc<Source>,
    at: Span,
}

impl Module {
    /// Points at the module in `library.toml`.
    pub fn label(&self, text: impl Into<String>) -> Label {
        Label::new(&self.file, self.at, text)
    }
}

/// One `[[target-value]]`: a value that templates find as `target.NAME`.
#[derive(Clone, Debug)]
pub struct TargetValue {
    /// Its name.
    pub name: String,
    /// The reason, with the source of `since`.
    pub why: String,
    /// First kernel that has what is asked for.
    pub since: KernelVersion,
    /// The file of a Linux tree that decides, where there is a tree.
    pub file: String,
    /// The word that the file must hold; without one it is enough that the file is there.
    pub word: Option<String>,
    /// The value for a kernel that has it.
    pub with: toml::Value,
    /// The value for one that does not.
    pub without: toml::Value,
}

impl Reader<'_> {
    /// Oldest and newest kernel; neither or both.
    pub(super) fn kernels(
        &mut self,
        oldest: Option<Text>,
        newest: Option<Text>,
    ) -> Option<Option<(KernelVersion, KernelVersion)>> {
        if oldest.is_none() && newest.is_none() {
            return Some(None);
        }
        let at = newest.as_ref().or(oldest.as_ref()).map(|text| span(text.span()));
        let oldest = self.required("kernel-oldest", oldest).and_then(|text| self.kernel(&text));
        let newest = self.required("kernel-newest", newest).and_then(|text| self.kernel(&text));
        let (oldest, newest) = (oldest?, newest?);
        if oldest > newest {
            self.wrong(at.unwrap_or_default(), format!("{newest} is older than {oldest}"));
            return None;
        }
        Some(Some((oldest, newest)))
    }

    fn kernel(&mut self, text: &Text) -> Option<KernelVersion> {
        text.get_ref().parse().map_err(|message| self.wrong(span(text.span()), message)).ok()
    }

    pub(super) fn modules(&mut self, shapes: Vec<ModuleShape>) -> Option<Vec<Module>> {
        let mut modules: Vec<Module> = Vec::new();
        for shape in shapes {
            let at = span(shape.name.span());
            let name = self.identifier("name", shape.name)?;
            let source_at = span(shape.source.span());
            let module = Module {
                name,
                kconfig: self.identifier("kconfig", shape.kconfig)?,
                source: self.path("source", Some(shape.source))?,
                folder: self.path("folder", Some(shape.folder))?,
                common: shape.common,
                preboot: shape.preboot,
                file: Arc::clone(self.source),
                at,
            };
            if !module.source.ends_with(".c") {
                self.wrong(source_at, "the source of a module is a .c file".into());
            }
            if let Some(other) = modules.iter().find(|other| clash(other, &module)) {
                let message = format!(
                    "`{}` and `{}` share a name, symbol, source or folder, or are both common",
                    other.name, module.name
                );
                self.wrong(at, message);
            }
            modules.push(module);
        }
        if let Some(first) = modules.first()
            && !modules.iter().any(|module| module.common)
        {
            let at = first.at;
            self.wrong(at, "no module is the common one, which holds what others share".into());
        }
        Some(modules)
    }

    pub(super) fn target_values(
        &mut self,
        shapes: Vec<TargetValueShape>,
        kernels: Option<(KernelVersion, KernelVersion)>,
    ) -> Option<Vec<TargetValue>> {
        let mut values: Vec<TargetValue> = Vec::new();
        for shape in shapes {
            let at = span(shape.name.span());
            let name = self.identifier("name", shape.name)?;
            if values.iter().any(|value| value.name == name) {
                self.wrong(at, format!("the value `{name}` is given twice"));
            }
            if kernels.is_none() {
                self.wrong(at, "`kernel-oldest` and `kernel-newest` are missing above".into());
            }
            values.push(TargetValue {
                name,
                why: shape.why.into_inner(),
                since: self.kernel(&shape.since)?,
                file: self.path("file", Some(shape.file))?,
                word: match shape.word {
                    Some(word) => Some(self.identifier("word", word)?),
                    None => None,
                },
                with: self.plain(shape.with)?,
                without: self.plain(shape.without)?,
            });
        }
        Some(values)
    }

    fn plain(&mut self, value: toml::Spanned<toml::Value>) -> Option<toml::Value> {
        let at = span(value.span());
        let value = value.into_inner();
        let fine = value.is_str() || value.is_bool() || value.is_integer();
        if !fine {
            self.wrong(at, "a string, true, false or a whole number is wanted".into());
        }
        fine.then_some(value)
    }

    /// A name as C and make take it.
    fn identifier(&mut self, key: &str, text: Text) -> Option<String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let word = text.get_ref();
        if word.is_empty() || word.as_bytes()[0].is_ascii_digit() || !word.bytes().all(plain) {
            let message = format!("`{key}` is made of letters, digits and `_`");
            self.wrong(span(text.span()), message);
            return None;
        }
        Some(text.into_inner())
    }
}

/// Whether two modules can't stand side by side.
fn clash(one: &Module, other: &Module) -> bool {
    one.name == other.name
        || one.kconfig == other.kconfig
        || one.source == other.source
        || one.folder == other.folder
        || one.common && other.common
}
