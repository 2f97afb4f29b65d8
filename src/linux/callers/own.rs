//! What callers have of their own: a kernel's folders give names of the library's kind to functions
//! and types that the library knows nothing of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::words::{Code, is_expression};
use crate::edit::Traced;
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::syntax::{Definitions, parse};
use crate::text::{Source, TreePath};

/// Where headers lie that everybody includes.
const HEADERS: &str = "include";

/// The names that each file declares, looked at when somebody asks.
pub(super) struct Own<'f> {
    files: &'f BTreeMap<TreePath, Arc<Source>>,
    /// By words alone, which is quick, and by the syntax tree.
    told: BTreeMap<&'f TreePath, BTreeSet<String>>,
    parsed: BTreeMap<&'f TreePath, BTreeSet<String>>,
    reach: BTreeMap<&'f TreePath, BTreeSet<&'f TreePath>>,
}

impl<'f> Own<'f> {
    /// Nothing is looked at yet.
    pub(super) fn new(files: &'f BTreeMap<TreePath, Arc<Source>>) -> Own<'f> {
        let (told, parsed) = (BTreeMap::new(), BTreeMap::new());
        Own { files, told, parsed, reach: BTreeMap::new() }
    }

    /// Whether a file, or a header that it sees, declares `name`.
    pub(super) fn has(&mut self, path: &'f TreePath, name: &str) -> bool {
        let files = self.files;
        let reach = self.reach.entry(path).or_insert_with(|| reach(path, files)).clone();
        let holds = |seen: &&TreePath| {
            let source = files.get(*seen);
            source.is_some_and(|s| memchr::memmem::find(&s.bytes, name.as_bytes()).is_some())
        };
        let seen: Vec<&TreePath> = reach.into_iter().filter(holds).collect();
        seen.iter().any(|path| by(&mut self.told, files, path, name, by_words))
            || seen.iter().any(|path| by(&mut self.parsed, files, path, name, declarations))
    }
}

/// Whether a file declares `name` as `read` has it, which is kept in `known`.
fn by<'f>(
    known: &mut BTreeMap<&'f TreePath, BTreeSet<String>>,
    files: &BTreeMap<TreePath, Arc<Source>>,
    path: &'f TreePath,
    name: &str,
    read: impl Fn(&TreePath, &Arc<Source>) -> BTreeSet<String>,
) -> bool {
    let names = known
        .entry(path)
        .or_insert_with(|| files.get(path).map(|source| read(path, source)).unwrap_or_default());
    names.contains(name)
}

/// The file, the headers beside it, and those of `files` that are included, through others as well.
fn reach<'f>(
    path: &'f TreePath,
    files: &'f BTreeMap<TreePath, Arc<Source>>,
) -> BTreeSet<&'f TreePath> {
    let beside =
        |other: &&TreePath| other.folder() == path.folder() && other.extension() == Some("h");
    let mut pending: Vec<&TreePath> = files.keys().filter(beside).collect();
    pending.push(path);
    let mut found = BTreeSet::new();
    while let Some(path) = pending.pop() {
        if !found.insert(path) {
            continue;
        }
        let Some(source) = files.get(path) else { continue };
        for name in included(&source.bytes) {
            let near = path.resolve(&name);
            let far = TreePath::new(&format!("{HEADERS}/{name}"));
            let known = [near, far].into_iter().flatten();
            pending.extend(known.filter_map(|p| files.get_key_value(&p)).map(|(path, _)| path));
        }
    }
    found
}

/// The headers that a text names.
fn included(bytes: &[u8]) -> Vec<String> {
    let named = tokens(bytes).filter(|token| token.kind == TokenKind::HeaderName);
    let bare = |text: &[u8]| {
        let text = text.get(1..text.len().saturating_sub(1))?;
        std::str::from_utf8(text).ok().map(str::to_owned)
    };
    named.filter_map(|token| bare(&token.text(bytes))).collect()
}

fn declarations(path: &TreePath, source: &Arc<Source>) -> BTreeSet<String> {
    let definitions = Definitions::derive([(path, &*source.bytes)], []);
    let text = Traced::new(Arc::clone(&source.bytes));
    let found = parse(source, &text, &definitions).declarations();
    let mut names = BTreeSet::new();
    names.extend(found.functions.into_iter().map(|function| function.name));
    names.extend(found.macros.into_iter().map(|found| found.name));
    names.extend(found.typedefs.into_iter().map(|typedef| typedef.name));
    names
}

/// What stands where only declarations stand, also in places that the parser makes nothing of:
/// functions behind a type, pointers to functions, and tags with their members or alone.
fn by_words(_: &TreePath, source: &Arc<Source>) -> BTreeSet<String> {
    let code = &Code::of(&source.bytes);
    let mut found = BTreeSet::new();
    for at in 0..code.len() {
        let Some(name) = code.name(at) else { continue };
        let (before, after) = (at.checked_sub(1).map(|at| code.text(at)), code.text(at + 1));
        let declares = match before {
            Some("struct" | "union" | "enum") => matches!(after, "{" | ";"),
            Some("define") => true,
            Some("*") if after == ")" => true,
            Some("*") if after == "(" => behind_a_type(code, at),
            Some(word) if after == "(" => code.is_name(at - 1) && !is_expression(word),
            _ => false,
        };
        if declares {
            found.insert(name.to_owned());
        }
    }
    found
}

/// Whether the stars before a name follow a type, and don't multiply.
fn behind_a_type(code: &Code<'_>, name: usize) -> bool {
    let mut at = name;
    while at > 0 && code.text(at - 1) == "*" {
        at -= 1;
    }
    let Some(ty) = at.checked_sub(1).filter(|ty| code.is_name(*ty)) else { return false };
    if is_expression(code.text(ty)) {
        return false;
    }
    match ty.checked_sub(1) {
        None => true,
        Some(first) if code.is_name(first) => !is_expression(code.text(first)),
        Some(first) => matches!(code.text(first), ";" | "{" | "}"),
    }
}
