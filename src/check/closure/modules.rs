//! Every object is in one module, and what modules need of each other is exported.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{ItemKind, TopCall};
use super::makefile::{Makefile, Object};
use super::world::{File, Name, World};
use crate::finding::{Finding, Findings};
use crate::kernel::modules::ModuleFiles;
use crate::text::{Span, TreePath};

/// Codes of findings about the objects of modules.
pub(super) const UNLISTED: &str = "object-unlisted";
pub(super) const MISSING: &str = "object-missing";
pub(super) const TWICE: &str = "object-twice";
/// Codes of findings about exports.
pub(super) const UNEXPORTED: &str = "export-missing";
pub(super) const UNDEFINED: &str = "export-undefined";
pub(super) const EXPORTED_TWICE: &str = "export-twice";
/// Code of findings about what a module has to say of itself.
pub(super) const UNDESCRIBED: &str = "module-undescribed";
/// Code of findings about what a module needs of one that isn't the common one.
pub(super) const ACROSS: &str = "module-needs-module";
/// Code of findings about symbols of two objects.
pub(super) const DEFINED_TWICE: &str = "symbol-defined-twice";

/// Looks at the modules.
pub(super) fn check(world: &World<'_>) -> Findings {
    let mut check = Check::new(world);
    if check.modules.is_empty() {
        return check.findings;
    }
    check.objects();
    check.exports();
    check.needs();
    check.twice();
    check.descriptions();
    check.findings
}

struct Check<'w, 'a> {
    world: &'w World<'a>,
    modules: &'w [ModuleFiles],
    /// For each file the module whose object it is.
    module_of: BTreeMap<usize, usize>,
    /// What is exported, with the file and the name's place in it.
    exported: BTreeMap<Name, Vec<(usize, Span)>>,
    findings: Findings,
}

/// A name, the module whose it is, and where another needs it, as a file and a place in that.
type Need = (Name, usize, Option<(usize, Span)>);

/// Whether a call at file scope exports a symbol.
pub(super) fn exports(file: &File<'_>, call: &TopCall) -> bool {
    let name = file.facts.names.get(call.name as usize);
    name.is_some_and(|name| name.starts_with(b"EXPORT_SYMBOL"))
}

impl<'w, 'a> Check<'w, 'a> {
    fn new(world: &'w World<'a>) -> Check<'w, 'a> {
        let mut check = Check {
            world,
            modules: &world.scope.tree.modules,
            module_of: BTreeMap::new(),
            exported: BTreeMap::new(),
            findings: Findings::default(),
        };
        for (at, file) in world.files.iter().enumerate() {
            for call in file.facts.top_calls.iter().filter(|call| exports(file, call)) {
                if let Some(&(word, span)) = call.arguments.first() {
                    check.exported.entry(file.name(word)).or_default().push((at, span));
                }
            }
        }
        check
    }

    fn find(&self, path: &TreePath) -> Option<usize> {
        self.world.files.binary_search_by(|file| file.path.cmp(path)).ok()
    }

    /// Holds the lists that make reads against the files that are there.
    fn objects(&mut self) {
        let library = &self.world.scope.rules.ruleset.library;
        let path = TreePath::new(&format!("{}/Makefile", library.output));
        let file = path.and_then(|path| self.world.scope.tree.files.get_key_value(&path));
        let Some((path, file)) = file else { return self.by_plan() };
        let listed = Makefile::read(file.text.bytes());
        let label = |span: Span, text: &str| {
            crate::finding::Label::new(&file.source, file.text.upstream_cover(span), text)
        };
        let mut first: BTreeMap<TreePath, &Object> = BTreeMap::new();
        for object in &listed.objects {
            let stem = object.name.strip_suffix(".o").unwrap_or(&object.name);
            let Some(source) = path.resolve(&format!("{stem}.c")) else { continue };
            let assembly = path.resolve(&format!("{stem}.S"));
            let there =
                assembly.is_some_and(|path| self.world.scope.tree.files.contains_key(&path));
            let Some(at) = self.find(&source) else {
                if !there {
                    let message =
                        format!("{} lists {}, of which there is no source", path, object.name);
                    let finding =
                        Finding::error(MISSING, message).label(label(object.span, "here"));
                    self.findings.push(finding.hint("list what is there"));
                }
                continue;
            };
            if let Some(other) = first.get(&source) {
                let message = format!("{} is part of more than one module", object.name);
                let finding = Finding::error(TWICE, message).label(label(object.span, "here"));
                let finding = finding.label(label(other.span, "and here"));
                self.findings
                    .push(finding.hint("one module holds it; others use what that exports"));
                continue;
            }
            first.insert(source, object);
            let module = self.modules.iter().position(|module| module.name == object.module);
            self.module_of.extend(module.map(|module| (at, module)));
            if module.is_none() || !listed.modules.contains(&object.module) {
                let message = format!("nothing builds {}, which {} lists", object.module, path);
                let finding = Finding::error(UNLISTED, message);
                self.findings.push(finding.label(label(object.span, "an object of it")));
            }
        }
        for (at, file) in self.world.files.iter().enumerate().filter(|(_, file)| file.is_source()) {
            if !self.module_of.contains_key(&at) && !first.contains_key(file.path) {
                let message = format!("{} is an object of no module", file.path);
                let finding = Finding::error(UNLISTED, message);
                let finding = finding.label(file.label(Span::default(), "this file"));
                self.findings
                    .push(finding.hint("list its object in the makefile, or leave it out"));
            }
        }
    }

    /// The modules as they were planned, where no makefile is emitted.
    fn by_plan(&mut self) {
        let output = &self.world.scope.rules.ruleset.library.output;
        for (number, module) in self.modules.iter().enumerate() {
            for source in module.sources.iter().chain([&module.source]) {
                let path = TreePath::new(&format!("{output}/{source}"));
                let at = path.and_then(|path| self.find(&path));
                self.module_of.extend(at.map(|at| (at, number)));
            }
        }
    }

    /// What is exported is defined in the module that does so, once, and is no static.
    fn exports(&mut self) {
        for (name, places) in &self.exported {
            let (at, span) = places[0];
            let file = &self.world.files[at];
            let text = self.world.text(*name);
            let module = self.module_of.get(&at);
            let definitions = self.world.globals.get(name).map_or(&[][..], |list| list);
            let here = definitions.iter().any(|(of, _)| self.module_of.get(of) == module);
            let made = self.world.made.contains(name) && self.is_needed(&text);
            if !here && !made {
                let message = match definitions.first() {
                    Some(_) => format!("`{text}` is exported by a module that doesn't define it"),
                    None => format!("`{text}` is exported and not defined"),
                };
                let mut finding =
                    file.at(Finding::error(UNDEFINED, message), span, "exported here");
                if let Some(&place) = definitions.first() {
                    let (other, item) = self.world.item(place);
                    finding = other.at(finding, item.span, "defined here");
                }
                self.findings.push(finding.hint("export it where it is defined, and nothing else"));
            }
            let modules: BTreeSet<_> =
                places.iter().map(|(of, _)| self.module_of.get(of)).collect();
            let conditional = |(of, span): &(usize, Span)| {
                let facts = &self.world.files[*of].facts;
                facts.uses.iter().any(|used| used.span == *span && used.condition != 0)
            };
            if modules.len() > 1 || (places.len() > 1 && !places.iter().any(conditional)) {
                let (other, second) = places[1];
                let message = format!("`{text}` is exported twice");
                let other = &self.world.files[other];
                let finding = other.at(Finding::error(EXPORTED_TWICE, message), second, "here");
                self.findings.push(file.at(finding, span, "and here").hint("export it once"));
            }
        }
    }

    /// Whether the symbols of the builds say that another module needs a name.
    fn is_needed(&self, text: &str) -> bool {
        self.modules.iter().flat_map(|module| &module.exports).any(|export| export.name == text)
    }

    /// What another module needs is exported: by the graph of symbols, and by the text of the sources.
    fn needs(&mut self) {
        let mut told: BTreeSet<Name> = BTreeSet::new();
        let mut wanted: Vec<Need> = Vec::new();
        for (number, module) in self.modules.iter().enumerate() {
            for export in &module.exports {
                let name = self.world.texts.iter().position(|t| **t == *export.name.as_bytes());
                wanted.extend(name.map(|name| (name as Name, number, None)));
            }
        }
        wanted.extend(self.across());
        for (name, owner, place) in wanted {
            let by_owner = |(of, _): &(usize, Span)| self.module_of.get(of) == Some(&owner);
            let exported = self.exported.get(&name).is_some_and(|list| list.iter().any(by_owner));
            if exported || !told.insert(name) {
                continue;
            }
            let text = self.world.text(name);
            let module = &self.modules[owner];
            let (code, message) = match module.common {
                true => (
                    UNEXPORTED,
                    format!("{} doesn't export `{text}`, which another module needs", module.name),
                ),
                false => {
                    (ACROSS, format!("`{text}` of {} is needed by another module", module.name))
                }
            };
            let place = place.or_else(|| self.first_use(name, owner));
            let mut finding = Finding::error(code, message);
            if let Some((at, span)) = place {
                finding = self.world.files[at].at(finding, span, "needed here");
            }
            if let Some(&definition) = self.world.globals.get(&name).and_then(|list| list.first()) {
                let (file, item) = self.world.item(definition);
                finding = file.at(finding, item.span, "defined here");
            }
            self.findings.push(finding.hint(match module.common {
                true => "export it in the source of the common module",
                false => "a file that two modules need belongs into the folder of the common one",
            }));
        }
    }

    /// Functions and data that the code of one module names and another defines.
    fn across(&self) -> Vec<Need> {
        let mut found = Vec::new();
        let mut met: BTreeSet<(Name, usize)> = BTreeSet::new();
        for (&at, &module) in &self.module_of {
            let file = &self.world.files[at];
            let seen = self.world.seen_by(at);
            for used in &file.facts.uses {
                let name = file.name(used.name);
                let Some(definitions) = self.world.globals.get(&name) else { continue };
                let owners = definitions.iter().filter_map(|(of, _)| self.module_of.get(of));
                let owners: BTreeSet<usize> = owners.copied().collect();
                let Some(&owner) = owners.first() else { continue };
                let open = used.condition != 0 && !self.world.scope.rules.profile.closed;
                if owners.contains(&module)
                    || open
                    || !met.insert((name, module))
                    || self.is_hidden(name, seen)
                {
                    continue;
                }
                found.push((name, owner, Some((at, used.span))));
            }
        }
        found
    }

    /// Whether a name stands for something else than the function of that name.
    fn is_hidden(&self, name: Name, seen: &[usize]) -> bool {
        let own =
            |file: &File<'_>| {
                file.facts.macros.iter().any(|found| file.name(found.name) == name)
                    || file.facts.declares.iter().any(|word| file.name(*word) == name)
                    || file.facts.items.iter().any(|item| {
                        file.name(item.name) == name && self.world.is_static(file, item)
                    })
            };
        seen.iter().any(|&at| own(&self.world.files[at]))
    }

    fn first_use(&self, name: Name, owner: usize) -> Option<(usize, Span)> {
        let others = self.module_of.iter().filter(|(_, module)| **module != owner);
        others.into_iter().find_map(|(&at, _)| {
            let file = &self.world.files[at];
            let used = file.facts.uses.iter().find(|used| file.name(used.name) == name)?;
            Some((at, used.span))
        })
    }

    /// A symbol that two objects define can't be linked when both are built in, whatever modules they
    /// belong to.
    fn twice(&mut self) {
        for (name, places) in &self.world.globals {
            let plain = places.iter().map(|&place| (place, self.world.item(place)));
            let mut plain = plain.filter(|(place, (_, item))| {
                let tentative =
                    item.kind == ItemKind::Data && !self.module_of.contains_key(&place.0);
                item.condition == 0 && !tentative && self.module_of.contains_key(&place.0)
            });
            let Some(((first_at, _), (first, item))) = plain.next() else { continue };
            let Some((_, (second, other))) = plain.find(|((at, _), _)| *at != first_at) else {
                continue;
            };
            let message =
                format!("`{}` is defined in more than one object", self.world.text(*name));
            let finding =
                second.at(Finding::error(DEFINED_TWICE, message), other.span, "defined here");
            let finding = first.at(finding, item.span, "and here");
            self.findings
                .push(finding.hint("leave one of the files out by a rule of kind `files`"));
        }
    }

    /// Each module names its licence, the same as its files, and says what it is.
    fn descriptions(&mut self) {
        for (number, module) in self.modules.iter().enumerate() {
            let objects = self.module_of.iter().filter(|(_, of)| **of == number);
            let files: Vec<&File<'_>> = objects.map(|(at, _)| &self.world.files[*at]).collect();
            let own = files
                .iter()
                .find(|file| file.path.as_str().ends_with(&format!("/{}", module.source)));
            let Some(own) = own.or(files.first()) else { continue };
            for wanted in ["MODULE_LICENSE", "MODULE_DESCRIPTION"] {
                let is = |file: &&File<'_>, call: &&TopCall| file.text(call.name) == wanted;
                let found = files.iter().find_map(|file| {
                    Some((*file, file.facts.top_calls.iter().find(|call| is(file, call))?))
                });
                let finding = match found {
                    None => {
                        let message = format!("the module {} has no {wanted}", module.name);
                        let finding = Finding::error(UNDESCRIBED, message);
                        Some(own.at(finding, Span::default(), "not in this file"))
                    }
                    Some((file, call)) if wanted == "MODULE_LICENSE" => licence(file, call),
                    Some(_) => None,
                };
                let hint = "modules without it are complained of, or can't be loaded";
                self.findings.extend(finding.map(|finding| finding.hint(hint)).into_iter().fold(
                    Findings::default(),
                    |mut list, finding| {
                        list.push(finding);
                        list
                    },
                ));
            }
        }
    }
}

/// Holds the licence of a module against that of its source.
fn licence(file: &File<'_>, call: &TopCall) -> Option<Finding> {
    use super::facts::Mentions;
    let bytes = file.output.text.bytes();
    let identifier = file.facts.licences.first()?;
    let string = call.string?;
    if Mentions::of(&bytes[identifier.range()]) == Mentions::of(&bytes[string.range()]) {
        return None;
    }
    let message = "the module's licence isn't the one that its source has";
    let finding = file.at(Finding::error(UNDESCRIBED, message), string, "of the module");
    Some(file.at(finding, *identifier, "of the source"))
}
