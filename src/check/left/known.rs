//! What the files of a kernel form declare together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use super::expressions::Expr;
use std::sync::Arc;

use super::facts::{Facts, Macro};
use super::types::{Ty, Width, is_wide};
use crate::check::Scope;
use crate::pipeline::OutputFile;
use crate::preprocess::lexer::{Directive, Keyword, TokenKind, directive_tokens, scan};
use crate::rules::{IncludeTarget, MacroRule, Simplify};
use crate::text::{Quick, TreePath};

/// Longest chain of typedefs or macros that is followed.
const MAX_CHAIN: usize = 16;

/// Most records with a field of one name that are compared.
const MOST_RECORDS: usize = 256;

/// Declarations of all files, by name.
pub(super) struct Known<'a> {
    scope: Scope<'a>,
    /// Whether rules fold all conditions.
    pub(super) full: bool,
    macros: BTreeMap<&'a str, Vec<&'a Macro>>,
    typedefs: HashMap<&'a str, Ty, Quick>,
    records: BTreeMap<String, BTreeMap<&'a str, Ty>>,
    /// For each field the types that it has in any record.
    fields: HashMap<&'a str, Vec<Ty>, Quick>,
    functions: HashMap<&'a str, &'a Ty, Quick>,
    variables: HashMap<&'a str, &'a Ty, Quick>,
    constants: HashSet<&'a str, Quick>,
    defined: HashSet<&'a str, Quick>,
    /// Macros that make what they stand before static.
    hiding: HashSet<&'a str, Quick>,
    /// The macros that upstream's files define.
    offered: OnceLock<HashSet<String>>,
}

impl<'a> Known<'a> {
    pub(super) fn new(scope: Scope<'a>, facts: &'a [Arc<Facts>]) -> Known<'a> {
        let mut known = Known {
            scope,
            full: scope.rules.profile.simplify == Simplify::Full,
            macros: BTreeMap::new(),
            typedefs: HashMap::default(),
            records: BTreeMap::new(),
            fields: HashMap::default(),
            functions: HashMap::default(),
            variables: HashMap::default(),
            constants: HashSet::default(),
            defined: HashSet::default(),
            hiding: HashSet::default(),
            offered: OnceLock::new(),
        };
        for (file, facts) in facts.iter().enumerate() {
            known.add(file, facts);
        }
        known.find_hiding();
        known
    }

    fn add(&mut self, file: usize, facts: &'a Facts) {
        for (name, list) in &facts.macros {
            self.macros.entry(name).or_default().extend(list);
        }
        let types = &facts.types;
        let typedefs = types.typedefs.iter();
        self.typedefs.extend(typedefs.map(|(name, ty)| (name.as_str(), of_file(ty, file))));
        for (record, fields) in &types.records {
            let name = of_file(&Ty::new(record.as_str(), 0), file).base;
            let known = self.records.entry(name).or_default();
            for (field, ty) in fields {
                let ty = of_file(ty, file);
                let fields = self.fields.entry(field).or_default();
                if fields.len() < MOST_RECORDS {
                    fields.push(ty.clone());
                }
                known.insert(field, ty);
            }
        }
        self.functions.extend(types.functions.iter().map(|(name, ty)| (name.as_str(), ty)));
        self.variables.extend(types.variables.iter().map(|(name, ty)| (name.as_str(), ty)));
        self.constants.extend(types.constants.iter().map(String::as_str));
        self.defined.extend(facts.macros.keys().map(String::as_str));
        self.defined.extend(facts.functions.iter().map(|function| function.name.as_str()));
    }

    fn find_hiding(&mut self) {
        for _ in 0..MAX_CHAIN {
            let before = self.hiding.len();
            for (name, list) in &self.macros {
                let hides = |word: &String| word == "static" || self.hiding.contains(word.as_str());
                if list.iter().any(|definition| definition.words.iter().any(hides)) {
                    self.hiding.insert(name);
                }
            }
            if self.hiding.len() == before {
                return;
            }
        }
    }

    /// Whether a file of the kernel form defines a macro or function of that name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.defined.contains(name)
    }

    /// The definitions of a macro.
    pub(super) fn definitions(&self, name: &str) -> &[&'a Macro] {
        self.macros.get(name).map_or(&[], Vec::as_slice)
    }

    /// How many records have a field of that name.
    pub(super) fn records_with(&self, field: &str) -> usize {
        self.records.values().filter(|fields| fields.contains_key(field)).count()
    }

    /// The files of the kernel form.
    pub(super) fn files(&self) -> &'a BTreeMap<TreePath, OutputFile> {
        &self.scope.tree.files
    }

    /// Whether a word in front of a definition keeps it to its file.
    pub(super) fn hides(&self, word: &str) -> bool {
        self.hiding.contains(word)
    }

    /// Whether a macro of that name makes nothing of its arguments, by one of its definitions.
    pub(super) fn drops(&self, name: &str) -> bool {
        self.macros.get(name).is_some_and(|list| list.iter().any(|definition| definition.drops))
    }

    /// The rule that settles a macro.
    pub(super) fn settles(&self, name: &str) -> Option<&'a MacroRule> {
        let mut rules = self.scope.rules.macros.iter().copied();
        rules.find(|rule| rule.names.iter().any(|n| n == name))
    }

    /// Whether upstream's files define the macro.
    pub(super) fn offers(&self, name: &str) -> bool {
        let offered = self.offered.get_or_init(|| {
            let files = self.scope.input.files.iter();
            let headers = files.filter(|(path, _)| path.extension() == Some("h"));
            headers.flat_map(|(_, bytes)| defined_in(bytes)).collect()
        });
        offered.contains(name)
    }

    /// Whether an include leads to something.
    pub(super) fn has_header(&self, path: &TreePath, spelling: &str) -> bool {
        let inner = spelling.get(1..spelling.len().saturating_sub(1)).unwrap_or_default();
        let files = &self.scope.tree.files;
        let below = |folder: &str| TreePath::new(&format!("{folder}/{inner}"));
        let near = || path.resolve(inner).filter(|_| spelling.starts_with('"'));
        let found = near().is_some_and(|path| files.contains_key(&path))
            || below("include").is_some_and(|path| files.contains_key(&path))
            || below(&self.scope.rules.ruleset.library.output)
                .is_some_and(|path| files.contains_key(&path));
        let mut rules = self.scope.rules.includes.iter();
        found
            || rules.any(|rule| match (&rule.to, &rule.from) {
                (Some(to), _) => to == spelling,
                (None, IncludeTarget::System(name)) => spelling.starts_with('<') && name == inner,
                (None, IncludeTarget::File(name)) => name == inner,
            })
    }

    /// How wide an operand is.
    pub(super) fn width(&self, expr: &Expr) -> Width {
        match expr {
            Expr::Number(_, width) => *width,
            Expr::Narrow => Width::Narrow,
            Expr::Unknown => Width::Unknown,
            Expr::Typed(ty) => self.type_width(ty),
            Expr::Wider(one, other) => match (self.width(one), self.width(other)) {
                (Width::Wide, _) | (_, Width::Wide) => Width::Wide,
                (Width::Narrow, Width::Narrow) => Width::Narrow,
                _ => Width::Unknown,
            },
            Expr::Shifted(left, _) => self.width(left),
            Expr::Name(name) => self.name_width(name),
            Expr::Call(name, given) => match self.functions.get(name.as_str()) {
                Some(ty) => self.type_width(ty),
                None => self.macro_width(name, given),
            },
            Expr::Member(..) | Expr::Element(_) => {
                self.ty(expr, 0).map_or(Width::Unknown, |ty| self.type_width(&ty))
            }
        }
    }

    fn name_width(&self, name: &str) -> Width {
        if let Some(ty) = self.variables.get(name) {
            return self.type_width(ty);
        }
        match self.macros.get(name) {
            Some(list) if list.iter().any(|definition| self.is_wide_macro(definition)) => {
                Width::Wide
            }
            Some(_) => Width::Unknown,
            None if self.constants.contains(name) => Width::Narrow,
            None => Width::Unknown,
        }
    }

    /// Whether a macro stands for 64 bits: by the first type that it names, or by a number.
    fn is_wide_macro(&self, definition: &Macro) -> bool {
        let mut words = definition.words.iter().map(String::as_str);
        let first = words.find(|word| is_wide(word) || self.typedefs.contains_key(word));
        match first {
            Some(word) => self.type_width(&Ty::new(word, 0)) == Width::Wide,
            None => definition.width == Width::Wide,
        }
    }

    /// A macro that chooses among its arguments is as wide as the widest.
    fn macro_width(&self, name: &str, given: &[Expr]) -> Width {
        let Some(list) = self.macros.get(name) else { return Width::Unknown };
        let chooses = |d: &&&Macro| {
            d.words.iter().all(|word| !self.typedefs.contains_key(word.as_str()))
                && d.calls.is_empty()
        };
        if !list.iter().all(|d| chooses(&d)) {
            return Width::Unknown;
        }
        let wide = given.iter().any(|expr| self.width(expr) == Width::Wide);
        if wide { Width::Wide } else { Width::Unknown }
    }

    fn type_width(&self, ty: &Ty) -> Width {
        let ty = self.resolved(ty);
        if ty.depth > 0 {
            Width::Narrow
        } else if is_wide(&ty.base) {
            Width::Wide
        } else if ty.base.is_empty() {
            Width::Unknown
        } else {
            Width::Narrow
        }
    }

    /// A type with its typedefs taken away.
    fn resolved(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        for _ in 0..MAX_CHAIN {
            let Some(next) = self.typedefs.get(ty.base.as_str()) else { break };
            if next.base == ty.base {
                break;
            }
            ty = Ty::new(next.base.as_str(), ty.depth + next.depth);
        }
        ty
    }

    /// The type of something that a pointer or member leads to.
    fn ty(&self, expr: &Expr, depth: usize) -> Option<Ty> {
        if depth > MAX_CHAIN {
            return None;
        }
        match expr {
            Expr::Typed(ty) => Some(ty.clone()),
            Expr::Name(name) => self.variables.get(name.as_str()).map(|ty| (*ty).clone()),
            Expr::Call(name, _) => self.functions.get(name.as_str()).map(|ty| (*ty).clone()),
            Expr::Element(of) => {
                let ty = self.resolved(&self.ty(of, depth + 1)?);
                Some(Ty::new(ty.base, ty.depth.checked_sub(1)?))
            }
            Expr::Member(of, field) => {
                let record = self.ty(of, depth + 1).map(|ty| self.resolved(&ty).base);
                let fields = record.and_then(|record| self.records.get(&record));
                match fields.and_then(|fields| fields.get(field.as_str())) {
                    Some(ty) => Some(ty.clone()),
                    None => self.field(field),
                }
            }
            Expr::Wider(one, other) => {
                let pointer = |ty: &Ty| ty.depth > 0;
                let one = self.ty(one, depth + 1).filter(pointer);
                one.or_else(|| self.ty(other, depth + 1).filter(pointer))
            }
            _ => None,
        }
    }

    /// The type of a field that has the same width in whatever record.
    fn field(&self, name: &str) -> Option<Ty> {
        let (first, others) = self.fields.get(name)?.split_first()?;
        let same =
            |ty: &Ty| self.type_width(ty) == self.type_width(first) && ty.depth == first.depth;
        others.iter().all(same).then(|| first.clone())
    }

    /// The value of a constant.
    pub(super) fn value(&self, expr: &Expr) -> Option<u64> {
        match expr {
            Expr::Number(value, _) => Some(*value),
            Expr::Shifted(left, by) => {
                self.value(left)?.checked_shl(u32::try_from(self.value(by)?).ok()?)
            }
            Expr::Name(name) => {
                let list = self.macros.get(name.as_str())?;
                let values: Option<BTreeSet<u64>> = list.iter().map(|d| d.value).collect();
                values.filter(|values| values.len() == 1)?.pop_first()
            }
            _ => None,
        }
    }

    /// Whether a name stands for something that no declaration explains, or for a macro.
    pub(super) fn is_constant_name(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(name) => !self.variables.contains_key(name.as_str()),
            Expr::Shifted(left, by) => {
                let constant = |e: &Expr| self.value(e).is_some() || self.is_constant_name(e);
                constant(left) && constant(by)
            }
            _ => false,
        }
    }
}

/// A record without a name is told by its file.
fn of_file(ty: &Ty, file: usize) -> Ty {
    match ty.base.strip_prefix("struct at ") {
        Some(place) => Ty::new(format!("struct at {file}:{place}"), ty.depth),
        None => ty.clone(),
    }
}

fn defined_in(bytes: &[u8]) -> Vec<String> {
    let directives = scan(bytes).directives.into_iter();
    let defines = directives.filter(|directive| directive.keyword == Keyword::Define);
    let name = |directive: Directive| {
        let token = directive_tokens(bytes, directive.body).find(|token| !token.is_trivia())?;
        let is_name = token.kind == TokenKind::Identifier;
        is_name.then(|| String::from_utf8_lossy(&token.text(bytes)).into_owned())
    };
    defines.filter_map(name).collect()
}
