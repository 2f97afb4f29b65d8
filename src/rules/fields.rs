//! From the text of one rule file to its shape, with every mistake pointed at.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::shape::Shape;
use crate::finding::{Finding, Findings};
use crate::text::{Source, Span};

/// Span of toml's byte range.
pub(super) fn span(range: Range<usize>) -> Span {
    Span::new(range.start, range.end.max(range.start))
}

/// The file as `S`; `None` where it is no TOML. Wrong keys and values are left out of what is
/// returned, so that one mistake doesn't hide the next.
pub(super) fn read<S: Shape>(source: &Arc<Source>, findings: &mut Findings) -> Option<S> {
    let text = utf8(source, findings)?;
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        for error in errors {
            findings.push(toml_finding(source, &error));
        }
        return None;
    }
    let mut table = table;
    keys(source, findings, table.get_mut(), S::KEYS, S::NESTED);
    typed(source, findings, table)
}

/// The text of a file that has to be UTF-8.
pub(super) fn utf8<'s>(source: &'s Arc<Source>, findings: &mut Findings) -> Option<&'s str> {
    match std::str::from_utf8(&source.bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let at = error.valid_up_to();
            let finding = Finding::error("rule-file", "the file is not UTF-8")
                .at(source, Span::new(at, at + 1), "this byte is not part of a character")
                .hint("save it as UTF-8");
            findings.push(finding);
            None
        }
    }
}

/// Findings for keys out of order, which harm nobody but the reader.
pub(super) fn order<S: Shape>(source: &Arc<Source>, findings: &mut Findings) {
    let Ok(text) = std::str::from_utf8(&source.bytes) else { return };
    let Ok(table) = DeTable::parse(text) else { return };
    in_order(source, findings, table.get_ref(), S::KEYS);
    for (key, nested_keys) in S::NESTED {
        for nested in nested_tables(table.get_ref(), key) {
            in_order(source, findings, nested, nested_keys);
        }
    }
}

fn in_order(source: &Arc<Source>, findings: &mut Findings, table: &DeTable<'_>, known: &[&str]) {
    let place = |key: &str| known.iter().position(|k| *k == key);
    let mut keys: Vec<_> = table.keys().filter(|k| place(k.get_ref()).is_some()).collect();
    keys.sort_by_key(|k| k.span().start);
    for pair in keys.windows(2) {
        if let [a, b] = pair
            && place(a.get_ref()) > place(b.get_ref())
        {
            let finding = Finding::error(
                "rule-order",
                format!("`{}` belongs above `{}`", b.get_ref(), a.get_ref()),
            )
            .at(source, span(b.span()), "")
            .hint(format!("all rule files keep one order: {}", known.join(", ")));
            findings.push(finding);
        }
    }
}

fn nested_tables<'t, 'i>(
    table: &'t DeTable<'i>,
    key: &str,
) -> impl Iterator<Item = &'t DeTable<'i>> + use<'t, 'i> {
    let value = table.iter().find(|(k, _)| k.get_ref() == key).map(|(_, v)| v.get_ref());
    let array = value.and_then(DeValue::as_array);
    array.into_iter().flat_map(|a| a.iter()).filter_map(|v| v.get_ref().as_table())
}

/// Takes out the keys that the shape doesn't know.
fn keys(
    source: &Arc<Source>,
    findings: &mut Findings,
    table: &mut DeTable<'_>,
    known: &[&str],
    nested: &[(&str, &[&str])],
) {
    for (key, keys_below) in nested.iter().filter(|(_, below)| !below.is_empty()) {
        let Some(DeValue::Array(array)) = table.get_mut(*key).map(Spanned::get_mut) else {
            continue;
        };
        for entry in array.iter_mut() {
            if let DeValue::Table(below) = entry.get_mut() {
                keys(source, findings, below, keys_below, &[]);
            }
        }
    }
    let unknown: Vec<_> =
        table.keys().filter(|k| !known.contains(&k.get_ref().as_ref())).cloned().collect();
    for key in unknown {
        let name = key.get_ref();
        let finding = Finding::error("rule-key", format!("unknown key `{name}`"))
            .at(source, span(key.span()), "")
            .hint(instead(name, known));
        findings.push(finding);
        table.remove(&key);
    }
}

/// Removes what has the wrong type until the rest fits; each round takes out one key.
fn typed<S: Shape>(
    source: &Arc<Source>,
    findings: &mut Findings,
    mut table: Spanned<DeTable<'_>>,
) -> Option<S> {
    loop {
        let error = match S::deserialize(toml::Deserializer::from(table.clone())) {
            Ok(shape) => return Some(shape),
            Err(error) => error,
        };
        findings.push(toml_finding(source, &error));
        let at = error.span().unwrap_or_default();
        let wrong = table.get_ref().iter().find(|(_, value)| {
            let whole = value.span();
            whole.start <= at.start && at.end <= whole.end || holds(value.get_ref(), &at)
        });
        let key = wrong.map(|(key, _)| key.clone())?;
        table.get_mut().remove(&key);
    }
}

/// Whether one of the tables in an array of tables spans `at`; the array itself has a span of its
/// first header only.
fn holds(value: &DeValue<'_>, at: &Range<usize>) -> bool {
    value.as_array().is_some_and(|array| {
        array.iter().any(|v| {
            let spans = |s: Range<usize>| s.start <= at.start && at.end <= s.end;
            spans(v.span())
                || v.get_ref()
                    .as_table()
                    .is_some_and(|t| t.iter().any(|(k, v)| spans(k.span()) || spans(v.span())))
        })
    })
}

fn toml_finding(source: &Arc<Source>, error: &toml::de::Error) -> Finding {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    let end = source.bytes.len();
    let at = error.span().map_or(0..0, |r| r.start.min(end)..r.end.min(end));
    Finding::error("rule-toml", message).at(source, span(at), "")
}

/// What to write in place of `wrong`: the nearest of `known`, or all of them.
pub(super) fn instead(wrong: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(k, wrong), *k))
        .filter(|(distance, k)| *distance <= 1 + k.len() / 4)
        .min();
    match near {
        Some((_, name)) => format!("did you mean `{name}`?"),
        None => format!("known are: {}", known.join(", ")),
    }
}
