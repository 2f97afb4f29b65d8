//! Renders the templates of a ruleset.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};

use crate::finding::{Error, Result};
use crate::kernel::layout::Template;
use crate::rules::Ruleset;
use crate::text::{Source, Span};

/// Renders one template with the library's values.
///
/// # Errors
/// The ruleset has no such template, or it names a value that the library doesn't give.
pub(super) fn render(ruleset: &Ruleset, template: &Template) -> Result<Arc<Source>> {
    let Some(source) = ruleset.templates.get(&template.name) else {
        return Err(Error::usage(format!(
            "the rule {} wants the template {}, which the ruleset lacks",
            template.rule, template.name
        ))
        .hint("put it below templates/"));
    };
    let text = std::str::from_utf8(&source.bytes).map_err(|error| {
        let at = Span::at(error.valid_up_to());
        Error::usage(format!("the template {} is not UTF-8", template.name)).at(
            source,
            at,
            "this byte",
        )
    })?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let mut syntax = SyntaxConfig::builder();
    syntax.keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true);
    environment.set_syntax(syntax.build().map_err(|error| fault(source, &template.name, &error))?);
    let values: BTreeMap<String, Value> = ruleset
        .library
        .template_values
        .iter()
        .map(|(name, value)| (name.clone(), plain(value)))
        .collect();
    let rendered = environment
        .render_str(text, values)
        .map_err(|error| fault(source, &template.name, &error))?;
    Ok(Source::new(source.name.clone(), rendered.into_bytes()))
}

fn plain(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Boolean(truth) => Value::from(*truth),
        other => Value::from(other.to_string()),
    }
}

fn fault(source: &Arc<Source>, name: &str, error: &minijinja::Error) -> Error {
    let line = error.line().and_then(|line| source.lines().line_start(line)).unwrap_or(0);
    let end = memchr::memchr(b'\n', &source.bytes[line..]).map_or(source.bytes.len(), |n| line + n);
    let what = error.detail().unwrap_or_default();
    Error::usage(format!("the template {name} can't be rendered: {} {what}", error.kind())).at(
        source,
        Span::new(line, end),
        "here",
    )
}
