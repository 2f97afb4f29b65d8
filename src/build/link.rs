//! Links each module from exactly the objects that the emitted makefile lists, and asks who defines
//! what for every choice of built in and module.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::compile::{Objects, Variant};
use super::gather::Gathered;
use super::machine::EVERYWHERE;
use super::makefile::{self, Listed};
use super::objects::{self, Symbols};
use super::toolchain::PATIENCE;
use super::workspace::Workspace;
use crate::finding::{Finding, Label, Result};
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::rules::Library;
use crate::text::{Span, TreePath};

/// A module with the objects of one build.
struct Module {
    name: String,
    /// Whether it is built into the kernel where any of the others is.
    common: bool,
    symbols: Symbols,
    /// Objects with the source of each.
    parts: Vec<(TreePath, Symbols)>,
}

/// What a build's objects come to.
#[derive(Default)]
pub(super) struct Linked {
    /// `text` and the like with the object, to bytes.
    pub(super) sizes: BTreeMap<String, u64>,
    /// Choices of built in and module that were looked at.
    pub(super) choices: Vec<String>,
}

/// Links everything. An error says why this toolchain can't.
///
/// # Errors
/// A folder can't be made.
pub(super) fn all(
    workspace: &Workspace<'_>,
    library: &Library,
    variant: Variant<'_>,
    built: &Objects,
    folder: &str,
    gathered: &mut Gathered,
) -> Result<Result<Linked, String>> {
    let folder = workspace.folder(folder)?;
    let linker = Linker { workspace, library, variant, folder };
    let makefile = TreePath::new(&format!("{}/Makefile", library.output));
    let Some((makefile, text)) = makefile.and_then(|p| workspace.text(&p).map(|t| (p, t))) else {
        return Ok(Err("the import has no makefile".to_owned()));
    };
    let listed = makefile::modules(&String::from_utf8_lossy(text));
    Ok(linker.all(&makefile, &listed, built, gathered))
}

struct Linker<'a> {
    workspace: &'a Workspace<'a>,
    library: &'a Library,
    variant: Variant<'a>,
    folder: PathBuf,
}

impl Linker<'_> {
    fn all(
        &self,
        makefile: &TreePath,
        listed: &[Listed],
        built: &Objects,
        gathered: &mut Gathered,
    ) -> Result<Linked, String> {
        let mut linked = Linked::default();
        let mut modules = Vec::new();
        for listed in listed {
            let objects = self.objects(makefile, listed, built, gathered);
            modules.push(self.module(listed, &objects, gathered)?);
            self.sizes(&objects, &mut linked)?;
        }
        let mut kernel: BTreeSet<String> = EVERYWHERE.iter().map(|s| (*s).to_owned()).collect();
        kernel.extend(self.variant.toolchain.machine.helpers.iter().map(|s| (*s).to_owned()));
        for object in &built.kernel {
            kernel.extend(self.symbols(object)?.defines);
        }
        for choice in choices(&modules) {
            self.resolve(&modules, &choice, &kernel, gathered);
            let letter = |built_in: &bool| if *built_in { "y" } else { "m" };
            let own = modules.iter().zip(&choice).filter(|(module, _)| !module.common);
            linked
                .choices
                .push(own.map(|(_, choice)| letter(choice)).collect::<Vec<_>>().join("/"));
        }
        Ok(linked)
    }

    /// The objects that a list names, with their sources; a finding for one that nothing makes.
    fn objects(
        &self,
        makefile: &TreePath,
        listed: &Listed,
        built: &Objects,
        gathered: &mut Gathered,
    ) -> Vec<(TreePath, PathBuf)> {
        let mut found = Vec::new();
        for object in &listed.objects {
            let source =
                object.strip_suffix(".o").and_then(|stem| makefile.resolve(&format!("{stem}.c")));
            let made = source.and_then(|source| {
                let object = built.by_source.get(&source)?;
                Some((source, object.clone()))
            });
            if let Some(made) = made {
                found.push(made);
                continue;
            }
            let source = object.strip_suffix(".o").map(|stem| format!("{stem}.c"));
            let is_there = source
                .and_then(|source| makefile.resolve(&source))
                .is_some_and(|source| self.workspace.text(&source).is_some());
            if is_there {
                // It was not compiled: that has been said.
                continue;
            }
            let message = format!("{} wants {object}, which no source becomes", listed.name);
            let mut finding = Finding::error("missing-source", message.clone());
            finding.labels.extend(self.word(makefile, object, "listed here"));
            gathered.add(finding, &message, "");
        }
        found
    }

    /// Links a module; two definitions in one are told here.
    fn module(
        &self,
        listed: &Listed,
        objects: &[(TreePath, PathBuf)],
        gathered: &mut Gathered,
    ) -> Result<Module, String> {
        let mut parts = Vec::new();
        for (source, object) in objects {
            parts.push((source.clone(), self.symbols(object)?));
        }
        let doubles = self.doubles(&parts.iter().collect::<Vec<_>>(), &listed.name, gathered);
        let name = listed.name.clone();
        let common = self.library.modules.iter().any(|module| module.common && module.name == name);
        let output = self.folder.join(format!("{name}.o"));
        // The compiler knows what its linker is called, and which machine it is to link for.
        let mut command = self.variant.toolchain.bare(self.workspace);
        command
            .args(["-r", "-nostdlib", "-o"])
            .arg(&output)
            .args(objects.iter().map(|(_, object)| object));
        let symbols = if objects.is_empty() {
            Symbols::default()
        } else if doubles {
            merged(&parts)
        } else {
            let outcome = self.workspace.run(command, PATIENCE)?;
            if !outcome.succeeded() {
                return Err(outcome.complaint(PATIENCE));
            }
            self.symbols(&output)?
        };
        Ok(Module { name, common, symbols, parts })
    }

    fn symbols(&self, object: &Path) -> Result<Symbols, String> {
        let mut command = self.variant.toolchain.tool(self.workspace, "nm");
        command.arg("-P").arg(object);
        let outcome = self.workspace.run(command, PATIENCE)?;
        match outcome.succeeded() {
            true => Ok(objects::symbols(&outcome.out)),
            false => Err(outcome.complaint(PATIENCE)),
        }
    }

    fn sizes(&self, objects: &[(TreePath, PathBuf)], linked: &mut Linked) -> Result<(), String> {
        if objects.is_empty() {
            return Ok(());
        }
        let mut command = self.variant.toolchain.tool(self.workspace, "size");
        command.args(objects.iter().map(|(_, object)| object));
        let outcome = self.workspace.run(command, PATIENCE)?;
        let sizes: BTreeMap<String, objects::Size> =
            objects::sizes(&outcome.out).into_iter().collect();
        for (source, object) in objects {
            let Some(size) = sizes.get(&*object.to_string_lossy()) else { continue };
            for (kind, bytes) in [("text", size.text), ("data", size.data), ("bss", size.bss)] {
                linked.sizes.insert(format!("{kind} {source}"), bytes);
            }
        }
        Ok(())
    }

    /// Tells of symbols that two of the objects define.
    fn doubles(
        &self,
        parts: &[&(TreePath, Symbols)],
        place: &str,
        gathered: &mut Gathered,
    ) -> bool {
        let mut owners: BTreeMap<&str, &TreePath> = BTreeMap::new();
        let mut any = false;
        for (source, symbols) in parts {
            for name in &symbols.defines {
                let Some(first) = owners.insert(name, source).filter(|first| *first != source)
                else {
                    continue;
                };
                any = true;
                let message = format!("{place}: `{name}` is defined in {first} and in {source}");
                let mut finding = Finding::error("duplicate-symbol", message)
                    .hint("make one of them static, or rename it");
                finding.labels.extend(self.definition(source, name, "defined here"));
                finding.labels.extend(self.definition(first, name, "and here"));
                gathered.add(finding, name, &self.variant.name());
            }
        }
        any
    }

    /// Looks at one choice of what is built in.
    fn resolve(
        &self,
        modules: &[Module],
        choice: &[bool],
        kernel: &BTreeSet<String>,
        gathered: &mut Gathered,
    ) {
        let pairs = || modules.iter().zip(choice.iter().copied());
        let parts: Vec<&(TreePath, Symbols)> =
            pairs().filter(|(_, built_in)| *built_in).flat_map(|(m, _)| &m.parts).collect();
        if pairs().filter(|(_, built_in)| *built_in).count() > 1 {
            self.doubles(&parts, "built into one kernel", gathered);
        }
        let exported_twice = |name: &str| {
            pairs().filter(|(module, _)| module.symbols.exports.contains(name)).count() > 1
        };
        for (module, built_in) in pairs() {
            for name in module.symbols.exports.iter().filter(|name| exported_twice(name)) {
                let message = format!("`{name}` is exported by more than one module");
                let finding = Finding::error("duplicate-symbol", message);
                gathered.add(finding, name, &self.variant.name());
            }
            let offered = |name: &str| {
                kernel.contains(name)
                    || pairs().filter(|(other, _)| other.name != module.name).any(
                        |(other, there)| {
                            let linked = built_in && there && defines(&other.symbols, name);
                            // Built-in code can't call a module, exported or not.
                            linked || !built_in && other.symbols.exports.contains(name)
                        },
                    )
            };
            for name in module.symbols.needs.iter().filter(|name| !offered(name)) {
                self.undefined(module, name, modules, built_in, gathered);
            }
        }
    }

    fn undefined(
        &self,
        module: &Module,
        name: &str,
        modules: &[Module],
        built_in: bool,
        gathered: &mut Gathered,
    ) {
        let mut finding = Finding::error("undefined-symbol", String::new());
        let user = module.parts.iter().find(|(_, symbols)| symbols.needs.contains(name));
        if let Some((source, _)) = user {
            finding.labels.extend(self.word(source, name, "used here"));
        }
        let owner = modules.iter().find(|other| defines(&other.symbols, name));
        let kind = if built_in { "built in" } else { "a module" };
        finding.message = match owner {
            Some(owner) => format!(
                "{}, where it is {kind}, needs `{name}` of {}, which {}",
                module.name,
                owner.name,
                if built_in { "is a module there" } else { "doesn't export it" }
            ),
            None => format!(
                "{} needs `{name}`, which neither its objects nor the kernel have",
                module.name
            ),
        };
        finding.hint = Some(
            match owner {
                Some(_) => "export it, or give the caller a copy of its own",
                None => "add the object that defines it to the makefile, or don't call it",
            }
            .to_owned(),
        );
        let what = format!("{} {name}", module.name);
        gathered.add(finding, &what, &self.variant.name());
    }

    /// The first place of a word in a file that is code.
    fn word(&self, path: &TreePath, word: &str, text: &str) -> Option<Label> {
        let find = |bytes: &[u8]| {
            let is_c = matches!(path.extension(), Some("c" | "h"));
            if !is_c {
                let at = memchr::memmem::find(bytes, word.as_bytes())?;
                return Some(Span::new(at, at + word.len()));
            }
            identifiers(bytes, word).next()
        };
        // What stands in no place of the file comes to it by a macro or a header.
        let whole = || self.workspace.label(path.as_str(), 1, 1, text);
        self.workspace.place(path, find, text).or_else(whole)
    }

    /// Where a file defines a name: where it stands with a body behind it, as far as tokens tell.
    fn definition(&self, path: &TreePath, name: &str, text: &str) -> Option<Label> {
        let find = |bytes: &[u8]| {
            let has_body = |span: &Span| {
                let rest = &bytes[span.end as usize..];
                let end = rest.iter().position(|byte| b";{=".contains(byte));
                end.is_some_and(|end| rest[end] != b';')
            };
            identifiers(bytes, name).find(has_body).or_else(|| identifiers(bytes, name).next())
        };
        let whole = || self.workspace.label(path.as_str(), 1, 1, text);
        self.workspace.place(path, find, text).or_else(whole)
    }
}

fn identifiers<'b>(bytes: &'b [u8], word: &'b str) -> impl Iterator<Item = Span> + 'b {
    tokens(bytes)
        .filter(move |token| {
            token.kind == TokenKind::Identifier && &*token.text(bytes) == word.as_bytes()
        })
        .map(|token| token.span)
}

fn defines(symbols: &Symbols, name: &str) -> bool {
    symbols.defines.contains(name) || symbols.weak.contains(name)
}

/// What a linker would make of objects that it refuses.
fn merged(parts: &[(TreePath, Symbols)]) -> Symbols {
    let mut all = Symbols::default();
    for (_, symbols) in parts {
        all.defines.extend(symbols.defines.iter().cloned());
        all.weak.extend(symbols.weak.iter().cloned());
        all.exports.extend(symbols.exports.iter().cloned());
        all.needs.extend(symbols.needs.iter().cloned());
    }
    let needs = std::mem::take(&mut all.needs);
    all.needs = needs.into_iter().filter(|name| !defines(&all, name)).collect();
    all
}

/// All choices of built in (true) and module; the common module is built in where any other is.
fn choices(modules: &[Module]) -> Vec<Vec<bool>> {
    /// Modules whose choices are tried one by one.
    const MOST: usize = 4;
    let own: Vec<usize> = (0..modules.len()).filter(|at| !modules[*at].common).take(MOST).collect();
    let mut all = Vec::new();
    for bits in (0..1_u32 << own.len()).rev() {
        let mut choice = vec![bits != 0; modules.len()];
        for (bit, at) in own.iter().enumerate() {
            choice[*at] = bits >> (own.len() - 1 - bit) & 1 == 1;
        }
        all.push(choice);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &str, common: bool) -> Module {
        let (symbols, parts) = (Symbols::default(), Vec::new());
        Module { name: name.into(), common, symbols, parts }
    }

    #[test]
    fn the_common_module_is_built_in_where_another_is() {
        let modules = [module("a", false), module("b", false), module("c", true)];
        let all: Vec<String> = choices(&modules)
            .into_iter()
            .map(|choice| choice.into_iter().map(|y| if y { 'y' } else { 'm' }).collect())
            .collect();
        assert_eq!(all, ["yyy", "ymy", "myy", "mmm"]);
    }

    #[test]
    fn what_a_linker_refuses_is_merged() {
        let of = |defines: &str, needs: &str| {
            let set = |text: &str| text.split_whitespace().map(str::to_owned).collect();
            let symbols =
                Symbols { defines: set(defines), needs: set(needs), ..Symbols::default() };
            (TreePath::new("a.c").unwrap(), symbols)
        };
        let all = merged(&[of("f g", "h"), of("g", "f k")]);
        assert_eq!(all.needs.into_iter().collect::<Vec<_>>(), ["h", "k"]);
    }
}
