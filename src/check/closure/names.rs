//! Every name that is used is declared where it is used, and what is called is defined.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::facts::{ItemKind, NONE, Use, fits};
use super::world::{File, Name, World};
use crate::finding::{Finding, Findings};
use crate::rules::{Listed, Lookup};
use crate::text::Quick;

/// Code of findings about names that nothing declares.
pub(super) const UNDECLARED: &str = "undeclared-name";
/// Code of findings about functions that are declared and not defined.
pub(super) const UNDEFINED: &str = "undefined-name";

/// Most names that are compared with others to tell which these are like.
const MAX_COMPARED: usize = 200_000;

/// Looks at all names of all files.
pub(super) fn check(world: &World<'_>) -> Findings {
    let mut check = Check::new(world);
    for (at, file) in world.files.iter().enumerate().filter(|(_, file)| file.is_source()) {
        check.object(at);
        check.order(file);
    }
    for file in &world.files {
        check.bodies(file);
    }
    check.findings
}

struct Check<'w, 'a> {
    world: &'w World<'a>,
    /// What the lists say kernels have, be it that nothing else may be called so.
    known: [Lookup<'a>; 5],
    /// Functions that the rules for calls let stand.
    calls: HashSet<&'a str, Quick>,
    /// Names that stand where a declaration has them in some file, or are macros, or made by one.
    anywhere: HashSet<Name, Quick>,
    told: BTreeSet<Name>,
    /// Names that need no declaration.
    fine: HashSet<Name, Quick>,
    /// How many names may still be compared.
    left: usize,
    findings: Findings,
}

impl<'w, 'a> Check<'w, 'a> {
    fn new(world: &'w World<'a>) -> Check<'w, 'a> {
        let rules = world.scope.rules;
        let known = [
            rules.allowed(Listed::Function),
            rules.allowed(Listed::Macro),
            rules.allowed(Listed::Type),
            rules.forbidden(Listed::Identifier),
            rules.forbidden(Listed::Macro),
        ];
        let stand = rules.calls.iter().filter(|rule| rule.to.is_none() && !rule.report);
        let calls = stand.flat_map(|rule| rule.functions.iter().map(String::as_str)).collect();
        let mut anywhere = world.made.clone();
        for file in &world.files {
            anywhere.extend(declares(file).chain(parts(world, file)));
        }
        let (told, fine, findings) = (BTreeSet::new(), HashSet::default(), Findings::default());
        Check { world, known, calls, anywhere, told, fine, left: MAX_COMPARED, findings }
    }

    /// What is compiled with one source, in code.
    fn object(&mut self, source: usize) {
        let world = self.world;
        let seen = world.seen_by(source);
        let mut visible = vec![false; self.world.texts.len()];
        for &at in seen {
            let file = &world.files[at];
            let macros = file.facts.macros.iter().map(|found| file.name(found.name));
            let made = file.made.iter().copied();
            let parts = parts(world, file);
            for name in declares(file).chain(macros).chain(made).chain(parts) {
                visible[name as usize] = true;
            }
        }
        for &at in seen {
            let file = &world.files[at];
            for used in &file.facts.uses {
                let name = file.name(used.name);
                if visible[name as usize] {
                    self.defined(file, used, name);
                } else {
                    self.undeclared(file, used, name);
                }
            }
        }
    }

    /// Macros stand for code wherever they are used: it is enough that some file has the names.
    fn bodies(&mut self, file: &File<'_>) {
        for used in &file.facts.macro_uses {
            let name = file.name(used.name);
            if !self.anywhere.contains(&name) {
                self.undeclared(file, used, name);
            }
        }
    }

    /// Whether a name needs no declaration: kernels have it, or a macro makes it.
    fn is_fine(&mut self, name: Name) -> bool {
        if self.fine.contains(&name) {
            return true;
        }
        let text = &self.world.texts[name as usize];
        let listed = || self.known.iter().any(|known| known.bytes(text).is_some());
        let stands = || std::str::from_utf8(text).is_ok_and(|text| self.calls.contains(text));
        let macros = || self.world.files.iter().flat_map(|file| &file.facts.macros);
        let made = || macros().any(|found| found.makes.iter().any(|parts| fits(parts, text)));
        let fine = listed() || stands() || made();
        if fine {
            self.fine.insert(name);
        }
        fine
    }

    /// Whether code may never be compiled: only a closed profile decides all that a kernel knows.
    fn is_open(&self, used: &Use) -> bool {
        used.condition != 0 && !self.world.scope.rules.profile.closed
    }

    fn undeclared(&mut self, file: &File<'_>, used: &Use, name: Name) {
        if self.told.contains(&name) || self.is_open(used) || self.is_fine(name) {
            return;
        }
        self.told.insert(name);
        let text = self.world.text(name);
        let elsewhere = self.world.declared.get(&name).and_then(|places| {
            places.iter().map(|&place| self.world.item(place)).find(|(other, item)| {
                other.path.extension() == Some("h") || !self.world.is_static(other, item)
            })
        });
        let what = if used.called { "called" } else { "used" };
        let finding = match elsewhere {
            Some((other, item)) => {
                let message = format!("`{text}` is {what} where nothing declares it");
                let finding = file.at(Finding::error(UNDECLARED, message), used.span, "here");
                let finding = other.at(finding, item.span, "declared here");
                finding.hint("include the header that declares it, or declare it in one")
            }
            None => {
                let message = format!(
                    "nothing in the output defines `{text}`, and no list of what a kernel has \
                     knows it"
                );
                let label = format!("{what} here");
                let finding = file.at(Finding::error(UNDECLARED, message), used.span, label);
                finding.hint(match self.nearest(&text) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "select the file that defines it, or list the name in a rule of kind \
                             `allowed` if kernels have it"
                        .to_owned(),
                })
            }
        };
        self.findings.push(finding);
    }

    /// A function that is called has to be defined somewhere.
    fn defined(&mut self, file: &File<'_>, used: &Use, name: Name) {
        if !used.called || self.told.contains(&name) || self.world.made.contains(&name) {
            return;
        }
        let Some(places) = self.world.declared.get(&name) else { return };
        let items = || places.iter().map(|&place| self.world.item(place));
        if items().any(|(_, item)| item.defines || item.kind != ItemKind::Function)
            || self.is_open(used)
            || self.is_fine(name)
        {
            return;
        }
        self.told.insert(name);
        let text = self.world.text(name);
        let message = format!("nothing in the output defines `{text}`, which is called");
        let mut finding = file.at(Finding::error(UNDEFINED, message), used.span, "called here");
        if let Some((other, item)) = items().next() {
            finding = other.at(finding, item.span, "declared here");
        }
        self.findings.push(
            finding
                .hint("select the file that defines it, or settle the condition that asks for it"),
        );
    }

    /// A function that only its own file has must be declared above its first call.
    fn order(&mut self, file: &File<'_>) {
        let mut first: BTreeMap<Name, &super::facts::Item> = BTreeMap::new();
        for item in file.facts.items.iter().filter(|item| item.kind == ItemKind::Function) {
            first.entry(file.name(item.name)).or_insert(item);
        }
        let others: HashSet<Name, Quick> =
            file.facts.declares.iter().map(|w| file.name(*w)).collect();
        for used in file.facts.uses.iter().filter(|used| used.called) {
            let name = file.name(used.name);
            let Some(item) = first.get(&name).filter(|item| item.span.start > used.span.start)
            else {
                continue;
            };
            let own = self.world.declared.get(&name).is_some_and(|places| {
                places.iter().all(|&place| std::ptr::eq(self.world.item(place).0, file))
            });
            if !own
                || others.contains(&name)
                || self.world.made.contains(&name)
                || self.is_open(used)
                || !self.told.insert(name)
            {
                continue;
            }
            let message = format!("`{}` is called above its declaration", self.world.text(name));
            let finding = file.at(Finding::error(UNDECLARED, message), used.span, "called here");
            let finding = file.at(finding, item.span, "first declared here");
            self.findings.push(finding.hint("declare it above, or move the definition up"));
        }
    }

    /// The name most like another that files declare; where very many are wanted, that of the first.
    fn nearest(&mut self, text: &str) -> Option<String> {
        self.left = self.left.checked_sub(self.anywhere.len())?;
        let names = self.anywhere.iter().map(|name| self.world.text(*name));
        let mut near: Vec<(f64, String)> = names
            // It may well be declared elsewhere, where this file can't see it.
            .filter(|other| other != text && other.len().abs_diff(text.len()) < 4)
            .map(|other| (strsim::jaro_winkler(text, &other), other))
            .filter(|(likeness, _)| *likeness > 0.9)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        near.into_iter().next().map(|(_, name)| name)
    }
}

/// The names that a file hands to macros that make others of them, or strings, or declare them.
fn parts<'f>(world: &'f World<'_>, file: &'f File<'_>) -> impl Iterator<Item = Name> + 'f {
    let uses = file.facts.uses.iter().chain(&file.facts.macro_uses);
    let handed = uses.filter(|used| {
        used.argument_of != NONE && world.pasting.contains(&file.name(used.argument_of))
    });
    handed.map(|used| file.name(used.name))
}

/// The names that a file declares.
fn declares<'f>(file: &'f File<'_>) -> impl Iterator<Item = Name> + 'f {
    let items = file.facts.items.iter().map(|item| item.name);
    file.facts.declares.iter().copied().chain(items).map(|word| file.name(word))
}
