//! Another name for a field that has the name of a macro of the kernel's, where all its uses are known.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::known::Known;
use super::point::Point;
use crate::finding::{Finding, Findings, Fix};
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::text::Span;

/// A field that has to get another name.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) span: Span,
    /// The name to give it.
    pub(super) new: String,
    pub(super) finding: Finding,
}

pub(super) fn judge(
    known: &Known<'_>,
    point: &Point<'_>,
    fields: &[Field],
    findings: &mut Findings,
) {
    for field in fields {
        findings.push(remedied(known, point, field));
    }
}

/// The finding with its remedy, or with why there is none.
fn remedied(known: &Known<'_>, point: &Point<'_>, field: &Field) -> Finding {
    let Field { name, span, new, finding } = field;
    let without = |why: String| match &finding.hint {
        Some(hint) => finding.clone().hint(format!("{hint}; {why}")),
        None => finding.clone().hint(why),
    };
    if known.records_with(name) > 1 {
        return without("several structs have such a field, so look at each use".into());
    }
    let mut places = BTreeSet::new();
    for (path, file) in known.files() {
        let (own, bytes) = (Arc::ptr_eq(&file.source, &point.file.source), file.text.bytes());
        let used = named(bytes, name);
        if used.iter().any(|(at, is_member)| !(*is_member || own && at.start == span.start)) {
            return without(format!("other things are called so in {path}, so look at each use"));
        }
        if !used.is_empty() && !own {
            places.insert(path.to_string());
        }
        if named(bytes, new).iter().any(|(_, is_member)| *is_member) {
            return without(format!("`{new}` is taken in {path}"));
        }
    }
    if !places.is_empty() {
        let places: Vec<String> = places.into_iter().collect();
        return without(format!("it is used in {}, too", places.join(", ")));
    }
    let Some(declared) = point.literal(*span) else { return finding.clone() };
    let source = &point.file.source;
    let edits = named(&source.bytes, name)
        .into_iter()
        .filter(|(at, is_member)| *is_member || *at == declared)
        .map(|(at, _)| (at, new.clone()));
    let (source, edits) = (Arc::clone(source), edits.collect());
    let what = format!("call it `{new}` wherever it is used");
    finding.clone().fix(Fix { source, edits, what })
}

/// The places of a name in a text, and whether a member stands there.
fn named(bytes: &[u8], name: &str) -> Vec<(Span, bool)> {
    let (mut found, mut member) = (Vec::new(), false);
    if memchr::memmem::find(bytes, name.as_bytes()).is_none() {
        return found;
    }
    for token in tokens(bytes).filter(|token| !token.is_trivia()) {
        let word = token.text(bytes);
        if token.kind == TokenKind::Identifier && &*word == name.as_bytes() {
            found.push((token.span, member));
        }
        member = matches!(&*word, b"." | b"->");
    }
    found
}
