//! `macros/*.toml`: from their shape to the checked form.

use std::collections::{BTreeMap, BTreeSet};

use toml::Spanned;

use super::convert::{Kind, Reader, about_this, at, identifier};
use super::fields::{instead, span};
use super::shape::{AlternativeShape, MacroShape, Text};
use super::version::parse_range;
use super::{Alternative, MacroClass, MacroRule, MacroState, OneOf, Rule, Ruleset};
use crate::text::Span;

const CLASSES: [(&str, MacroClass); 9] = [
    ("portability", MacroClass::Portability),
    ("feature", MacroClass::Feature),
    ("tunable", MacroClass::Tunable),
    ("debug", MacroClass::Debug),
    ("arch", MacroClass::Arch),
    ("compiler", MacroClass::Compiler),
    ("guard", MacroClass::Guard),
    ("kernel", MacroClass::Kernel),
    ("derived", MacroClass::Derived),
];

const STATES: [&str; 5] = ["free", "undefined", "defined", "value", "range"];

impl Kind for MacroShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let class = class_of(read, self.class.take());
        if self.one_of.is_some() {
            one_of(self, (common, class), read, into)
        } else {
            single(self, (common, class), read, into)
        }
    }
}

fn class_of(read: &mut Reader<'_>, text: Option<Text>) -> Option<(Span, MacroClass)> {
    let text = read.required("class", text)?;
    let at = span(text.span());
    let class = CLASSES.iter().find(|(name, _)| name == text.get_ref()).map(|(_, class)| *class);
    if class.is_none() {
        let hint = instead(text.get_ref(), &CLASSES.map(|(name, _)| name));
        read.wrong(at, format!("`{}` is no class; {hint}", text.get_ref()));
    }
    Some((at, class?))
}

fn single(
    mut shape: MacroShape,
    (common, class): (Option<Rule>, Option<(Span, MacroClass)>),
    read: &mut Reader<'_>,
    into: &mut Ruleset,
) -> Option<()> {
    let replace_at = at(shape.replace_in.as_ref());
    let state = state(&mut shape, read)?;
    let free = state == MacroState::Free;
    let (about, names) =
        read.strings("names", shape.names, |text| match text.strip_suffix('*') {
            Some(prefix) if free => identifier(prefix),
            Some(_) => Err(format!("`{text}`: a `*` may stand in rules of state free only")),
            None => macro_name(text),
        })?;
    if let Some((at, MacroClass::Portability)) = class
        && free
    {
        read.wrong(
            at,
            "a macro of class portability has a known state, or it would be left in the output",
        );
    }
    let replace_in = match shape.replace_in {
        None => None,
        path => {
            let plain = |text: &str| match text.is_empty() || text.starts_with('/') {
                true => Err("a glob of files below the library's folder is wanted".to_string()),
                false => Ok(()),
            };
            Some(read.string("replace-in", path, plain)?.1)
        }
    };
    if !matches!(state, MacroState::Value(_)) {
        read.only_with("replace-in", replace_at, "`state = \"value\"`");
    }
    let rule = about_this(common, about)?;
    let (_, class) = class?;
    into.macros.push(MacroRule { rule, names, state, class, replace_in });
    Some(())
}

fn state(shape: &mut MacroShape, read: &mut Reader<'_>) -> Option<MacroState> {
    let text = read.required("state", shape.state.take())?;
    let at_state = span(text.span());
    let (value, range) = (shape.value.take(), shape.range.take());
    if text.get_ref() != "value" {
        read.only_with("value", at(value.as_ref()), "`state = \"value\"`");
    }
    if text.get_ref() != "range" {
        read.only_with("range", at(range.as_ref()), "`state = \"range\"`");
    }
    Some(match text.get_ref().as_str() {
        "free" => MacroState::Free,
        "undefined" => MacroState::Undefined,
        "defined" => MacroState::Defined,
        "value" => MacroState::Value(read.string("value", value, one_line)?.1),
        "range" => {
            let range = read.required("range", range)?;
            range_state(read, &range)?
        }
        other => {
            let hint = instead(other, &STATES);
            read.wrong(at_state, format!("`{other}` is no state; {hint}"));
            return None;
        }
    })
}

fn range_state(read: &mut Reader<'_>, text: &Text) -> Option<MacroState> {
    match parse_range(text.get_ref()) {
        Ok((low, high)) => Some(MacroState::Range(low, high)),
        Err(message) => {
            read.wrong(span(text.span()), message);
            None
        }
    }
}

fn one_of(
    shape: MacroShape,
    (common, class): (Option<Rule>, Option<(Span, MacroClass)>),
    read: &mut Reader<'_>,
    into: &mut Ruleset,
) -> Option<()> {
    for (key, given) in [
        ("names", at(shape.names.as_ref())),
        ("state", at(shape.state.as_ref())),
        ("value", at(shape.value.as_ref())),
        ("range", at(shape.range.as_ref())),
        ("replace-in", at(shape.replace_in.as_ref())),
    ] {
        read.only_with(key, given, "no `[[one-of]]`");
    }
    let list = shape.one_of?;
    let about = list.get_ref().first().map_or(Span::at(0), |a| span(a.get_ref().name.span()));
    if list.get_ref().len() < 2 {
        read.wrong(about, "one alternative is none: at least two [[one-of]] are wanted");
    }
    let mut alternatives: Vec<(Span, Alternative)> = Vec::new();
    for shape in list.into_inner() {
        let (at, alternative) = alternative(read, shape)?;
        if alternatives.iter().any(|(_, a)| a.name == alternative.name) {
            read.wrong(at, format!("the alternative `{}` is given twice", alternative.name));
        }
        alternatives.push((at, alternative));
    }
    complete(read, &alternatives);
    let rule = about_this(common, about)?;
    let alternatives = alternatives.into_iter().map(|(_, a)| a).collect();
    let (_, class) = class?;
    into.one_of.push(OneOf { rule, class, alternatives });
    Some(())
}

fn alternative(
    read: &mut Reader<'_>,
    shape: Spanned<AlternativeShape>,
) -> Option<(Span, Alternative)> {
    let shape = shape.into_inner();
    let name_at = span(shape.name.span());
    let mut macros = BTreeMap::new();
    let mut add = |read: &mut Reader<'_>, name: Text, state: MacroState| {
        let at = span(name.span());
        if let Err(message) = macro_name(name.get_ref()) {
            read.wrong(at, message);
        } else if macros.contains_key(name.get_ref()) {
            read.wrong(at, format!("`{}` has two states in one alternative", name.get_ref()));
        } else {
            macros.insert(name.into_inner(), state);
        }
    };
    for name in shape.defined {
        add(read, name, MacroState::Defined);
    }
    for name in shape.undefined {
        add(read, name, MacroState::Undefined);
    }
    for (name, value) in shape.values {
        let (_, value) = read.string("values", Some(value), one_line)?;
        add(read, name, MacroState::Value(value));
    }
    for (name, range) in shape.ranges {
        let state = range_state(read, &range)?;
        add(read, name, state);
    }
    Some((name_at, Alternative { name: shape.name.into_inner(), macros }))
}

/// Every alternative speaks of the same macros: what one leaves out could not be known at all.
fn complete(read: &mut Reader<'_>, alternatives: &[(Span, Alternative)]) {
    let all: BTreeSet<&String> = alternatives.iter().flat_map(|(_, a)| a.macros.keys()).collect();
    for (at, alternative) in alternatives {
        let lacking: Vec<_> =
            all.iter().filter(|name| !alternative.macros.contains_key(**name)).collect();
        if !lacking.is_empty() {
            let names = lacking.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
            let message = format!(
                "`{}` does not say what {names} is; another alternative does",
                alternative.name
            );
            read.wrong(*at, message);
        }
    }
}

fn macro_name(text: &str) -> Result<(), String> {
    if text == "defined" {
        return Err("`defined` is an operator, not a macro".into());
    }
    identifier(text)
}

/// A value may be empty but not hold a line end, which would end the directive.
fn one_line(text: &str) -> Result<(), String> {
    match text.contains(['\n', '\r', '\0']) {
        true => Err("a macro's value is one line".into()),
        false => Ok(()),
    }
}
