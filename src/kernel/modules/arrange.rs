//! Puts the library's objects into modules and works out what these need of each other.

use std::collections::{BTreeMap, BTreeSet};

use super::{Export, ModuleFiles};
use crate::kernel::symbols::{Place, Symbols};
use crate::rules::{Library, Module};
use crate::text::TreePath;

/// The modules, and what is wrong with them.
#[derive(Debug, Default)]
pub struct Arranged {
    /// The modules in the order of the ruleset.
    pub modules: Vec<ModuleFiles>,
    /// What keeps them from being linked and loaded.
    pub problems: Vec<Problem>,
}

/// Something wrong with the modules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Code of the finding.
    pub code: &'static str,
    /// Whether the output can still be used.
    pub warning: bool,
    /// One sentence.
    pub message: String,
    /// The build in which the places are.
    pub build: usize,
    /// The places with what they are.
    pub places: Vec<(Place, String)>,
    /// The module whose entry in the ruleset is at fault.
    pub module: Option<usize>,
    /// What to do.
    pub hint: &'static str,
}

/// Puts objects into modules. `builds` are the symbols of each build with the condition under which it
/// is the one; the first is the kernel's own.
///
/// A file belongs to the module of its folder; the symbols tell where a file of another folder goes,
/// and whether what results can be linked and loaded.
pub fn arrange(library: &Library, builds: &[(Option<String>, Symbols)]) -> Arranged {
    let Some((_, plain)) = builds.first() else { return Arranged::default() };
    let mut work = Work {
        library,
        plain,
        places: BTreeMap::new(),
        exports: BTreeMap::new(),
        problems: Vec::new(),
        told: BTreeSet::new(),
    };
    work.by_folder();
    work.by_need();
    let empty = work.empty_modules();
    // What is part of a library only can't be held against the rest of it.
    if !empty {
        for (build, (condition, symbols)) in builds.iter().enumerate() {
            work.link(build, condition.as_ref(), symbols);
        }
    }
    work.finish()
}

struct Work<'a> {
    library: &'a Library,
    plain: &'a Symbols,
    /// The module of each object; one of the module's own source, too.
    places: BTreeMap<&'a TreePath, usize>,
    /// For each module what others need of it, with the condition.
    exports: BTreeMap<(usize, String), Option<String>>,
    problems: Vec<Problem>,
    /// Code and message of each problem.
    told: BTreeSet<(&'static str, String)>,
}

impl<'a> Work<'a> {
    /// Path below the library's folder.
    fn below(&self, path: &'a TreePath) -> Option<&'a str> {
        path.as_str().strip_prefix(&*self.library.output)?.strip_prefix('/')
    }

    fn module(&self, at: usize) -> &'a Module {
        &self.library.modules[at]
    }

    fn by_folder(&mut self) {
        for path in self.plain.objects.keys() {
            let Some(below) = self.below(path) else { continue };
            let modules = self.library.modules.iter().enumerate();
            let own = modules.clone().find(|(_, module)| module.source == below);
            let inside = |module: &Module| {
                below.strip_prefix(&*module.folder).is_some_and(|rest| rest.starts_with('/'))
            };
            let folder = modules
                .filter(|(_, module)| inside(module))
                .max_by_key(|(_, module)| module.folder.len());
            if let Some((at, _)) = own.or(folder) {
                self.places.insert(path, at);
            }
        }
    }

    /// Places the files of no module's folder: with the only module that needs them, or with what the
    /// modules share.
    fn by_need(&mut self) {
        let Some(common) = self.library.modules.iter().position(|module| module.common) else {
            return;
        };
        let lost: Vec<&TreePath> = self
            .plain
            .objects
            .keys()
            .filter(|path| self.below(path).is_some() && !self.places.contains_key(path))
            .collect();
        let mut users = self.users(&lost);
        for path in lost {
            let of = users.remove(path).unwrap_or_default();
            let only = of.first().copied().filter(|_| of.len() == 1);
            self.places.insert(path, only.unwrap_or(common));
            if of.is_empty() {
                self.unused(path);
            }
        }
    }

    /// The modules that need each of the lost files, be it through others.
    fn users(&self, lost: &[&'a TreePath]) -> BTreeMap<&'a TreePath, BTreeSet<usize>> {
        let mut definer: BTreeMap<&str, &TreePath> = BTreeMap::new();
        for path in lost {
            let defines = self.plain.objects[*path].defines.keys();
            definer.extend(defines.map(|name| (name.as_str(), *path)));
        }
        let needs = self.plain.objects.iter().flat_map(|(user, object)| {
            let of = object.needs.keys().filter_map(|name| definer.get(name.as_str()).copied());
            of.map(move |path| (user, path))
        });
        let needs: BTreeSet<(&TreePath, &TreePath)> = needs.collect();
        let mut users: BTreeMap<&TreePath, BTreeSet<usize>> = BTreeMap::new();
        // Each round follows chains of lost files by one more step.
        for _ in 0..=lost.len() {
            let mut grown = false;
            for (user, path) in &needs {
                let mut more = users.get(user).cloned().unwrap_or_default();
                more.extend(self.places.get(user));
                let of = users.entry(path).or_default();
                grown |= !more.is_subset(of);
                of.extend(more);
            }
            if !grown {
                break;
            }
        }
        users
    }

    fn unused(&mut self, path: &TreePath) {
        let defines = self.plain.objects[path].defines.values();
        let places = defines.take(1).map(|place| (place.clone(), "for example".to_owned()));
        self.problems.push(Problem {
            code: "unplaced-source",
            warning: true,
            message: format!("no module needs anything of {path}, and none has its folder"),
            build: 0,
            places: places.collect(),
            module: None,
            hint: "leave the file out by a rule of kind `files`, or give its folder to a module",
        });
    }

    fn empty_modules(&mut self) -> bool {
        let mut any = false;
        for at in 0..self.library.modules.len() {
            let module = self.module(at);
            let own = |path: &TreePath| path.as_str().ends_with(&format!("/{}", module.source));
            if self.places.iter().any(|(path, place)| *place == at && !own(path)) {
                continue;
            }
            any = true;
            self.problems.push(Problem {
                code: "empty-module",
                warning: false,
                message: format!("no source of this release belongs to the module {}", module.name),
                build: 0,
                places: Vec::new(),
                module: Some(at),
                hint: "correct its folder, or select its files by a rule of kind `files`",
            });
        }
        any
    }

    /// Holds one build against the linker's and the loader's rules.
    fn link(&mut self, build: usize, condition: Option<&String>, symbols: &'a Symbols) {
        let mut defined: BTreeMap<&str, (&Place, usize)> = BTreeMap::new();
        for (path, object) in &symbols.objects {
            let Some(&at) = self.places.get(path) else { continue };
            for (name, place) in &object.defines {
                if let Some((first, _)) = defined.insert(name, (place, at)) {
                    self.twice(build, name, first, place);
                }
            }
        }
        for (path, object) in &symbols.objects {
            let Some(&at) = self.places.get(path) else { continue };
            for (name, place) in &object.needs {
                let Some(&(definition, other)) = defined.get(&**name) else { continue };
                if other == at {
                    continue;
                }
                if self.module(other).common {
                    let export = self.exports.entry((other, name.clone()));
                    export.or_insert_with(|| condition.cloned());
                } else {
                    self.across(build, name, (place, at), (definition, other));
                }
            }
        }
        for (name, place) in &symbols.undefined {
            let mut places = vec![(place.clone(), "needed here".to_owned())];
            let declared = symbols.declared.get(name).filter(|declared| *declared != place);
            places.extend(declared.map(|place| (place.clone(), "declared here".to_owned())));
            self.problem(Problem {
                code: "undefined-symbol",
                warning: false,
                message: format!("nothing in the output defines `{name}`, which is needed"),
                build,
                places,
                module: None,
                hint: "select the file that defines it, or settle the condition that asks for it",
            });
        }
    }

    fn twice(&mut self, build: usize, name: &str, first: &Place, second: &Place) {
        if first == second {
            return;
        }
        self.problem(Problem {
            code: "symbol-defined-twice",
            warning: false,
            message: format!("`{name}` is defined in more than one object"),
            build,
            places: vec![
                (second.clone(), "defined here".to_owned()),
                (first.clone(), "and here".to_owned()),
            ],
            module: None,
            hint: "leave one of the files out by a rule of kind `files`",
        });
    }

    fn across(&mut self, build: usize, name: &str, need: (&Place, usize), other: (&Place, usize)) {
        let (user, owner) = (&self.module(need.1).name, &self.module(other.1).name);
        self.problem(Problem {
            code: "module-needs-module",
            warning: false,
            message: format!("{user} needs `{name}` of {owner}, which isn't the common module"),
            build,
            places: vec![
                (need.0.clone(), format!("needed here, in {user}")),
                (other.0.clone(), format!("defined here, in {owner}")),
            ],
            module: None,
            hint: "a file that two modules need belongs into the folder of the common one",
        });
    }

    /// Adds a problem, if no earlier build has it.
    fn problem(&mut self, problem: Problem) {
        if self.told.insert((problem.code, problem.message.clone())) {
            self.problems.push(problem);
        }
    }

    fn finish(self) -> Arranged {
        let modules = self.library.modules.iter().enumerate().map(|(at, module)| {
            let all = self.places.iter().filter(|(_, place)| **place == at);
            let sources = all.filter_map(|(path, _)| self.below(path));
            let sources = sources.filter(|path| *path != module.source).map(str::to_owned);
            let exports = self.exports.iter().filter(|((place, _), _)| *place == at);
            let exports = exports.map(|((_, name), condition)| self.export(name, condition));
            ModuleFiles::new(module, sources.collect(), exports.collect())
        });
        let modules = modules.collect();
        Arranged { modules, problems: self.problems }
    }

    fn export(&self, name: &str, condition: &Option<String>) -> Export {
        let header = self.plain.declared.get(name).map(|place| self.spelling(&place.path));
        Export {
            name: name.to_owned(),
            header,
            is_macro: self.plain.macros.binary_search_by(|known| known.as_str().cmp(name)).is_ok(),
            condition: condition.clone(),
        }
    }

    /// A header as an include directive in the library's folder names it.
    fn spelling(&self, path: &TreePath) -> String {
        let inside = path.as_str().strip_prefix(&*self.library.output);
        match (inside.and_then(|rest| rest.strip_prefix('/')), path.as_str()) {
            (Some(below), _) => format!("\"{below}\""),
            (None, other) => format!("<{}>", other.strip_prefix("include/").unwrap_or(other)),
        }
    }
}

#[cfg(test)]
mod tests;
