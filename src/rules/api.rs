//! Rules of kind `api`: what the wrapper API of the kernel offers, and what of upstream's it leads to.

use std::collections::BTreeMap;

use toml::Spanned;

use super::convert::{Kind, Reader, about_this, at, identifier, line};
use super::fields::{instead, span};
use super::shape::{ApiParameterShape, ApiShape};
use super::{Rule, Ruleset};
use crate::finding::{Finding, Findings};
use crate::text::Span;

/// One section of the wrapper API's header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiSection {
    /// The name that rules have for it.
    pub name: String,
    /// Its title in the header.
    pub title: String,
}

/// `api`: one function or type of the wrapper API.
#[derive(Clone, Debug)]
pub struct ApiRule {
    /// Common part.
    pub rule: Rule,
    /// The kernel's name for it.
    pub kernel_name: String,
    /// The section of the header ([`ApiSection::name`]).
    pub section: String,
    /// What it is, in one line.
    pub brief: String,
    /// What else there is to know, in paragraphs with empty lines between them.
    pub text: Option<String>,
    /// Function or type.
    pub item: ApiItem,
}

/// What an api rule makes.
#[derive(Clone, Debug)]
pub enum ApiItem {
    /// A name for a type: of these upstream types the first that the release has.
    Type(Vec<String>),
    /// A function.
    Function(ApiFunctionRule),
}

/// A function of the wrapper API.
#[derive(Clone, Debug)]
pub struct ApiFunctionRule {
    /// The kernel module that it is part of.
    pub module: String,
    /// Its parameters, in order.
    pub parameters: Vec<ApiParameter>,
    /// What it returns, in words.
    pub returns: Option<String>,
    /// How it does it.
    pub action: ApiAction,
    /// The upstream functions that it calls.
    pub uses: BTreeMap<String, ApiUse>,
}

/// How a function of the wrapper API does its work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ApiAction {
    /// It calls one upstream function.
    Forward {
        /// That function.
        function: String,
        /// An expression for each of its parameters.
        arguments: Vec<String>,
    },
    /// It has a body of its own.
    Body {
        /// The statements, without the braces.
        body: String,
        /// Where its result type comes from.
        result: ApiTypeSource,
    },
}

/// Where a type comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ApiTypeSource {
    /// The upstream parameter that takes it, or its address, as an argument.
    Argument,
    /// What an upstream function returns.
    ResultOf(String),
    /// What an upstream function takes as its parameter of a number, from 1: the names of
    /// parameters change from release to release.
    ParameterOf(String, usize),
    /// The rule spells it.
    Spelt(String),
}

/// A parameter of the wrapper API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiParameter {
    /// Its name.
    pub name: String,
    /// Where its type comes from.
    pub ty: ApiTypeSource,
    /// What it is, in words.
    pub doc: String,
}

/// An upstream function that a rule was made for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiUse {
    /// Its type, in the kernel's names: `size_t (const void *, size_t)`.
    pub signature: String,
    /// Where the rule says so.
    pub span: Span,
}

impl Kind for ApiShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let kernel_name = match self.name.take() {
            None => read.id.to_string(),
            name => read.string("name", name, identifier)?.1,
        };
        let key = read.one_of(&[
            ("type", at(self.upstream_type.as_ref())),
            ("function", at(self.function.as_ref())),
            ("body", at(self.body.as_ref())),
        ])?;
        let (_, section) = read.string("section", self.section.take(), line)?;
        let (_, brief) = read.string("brief", self.brief.take(), line)?;
        let text = match self.text.take() {
            None => None,
            text => Some(read.string("text", text, prose)?.1),
        };
        let (about, item) = if key == "type" {
            self.no_function(read);
            let (about, names) = read.strings("type", self.upstream_type, identifier)?;
            (about, ApiItem::Type(names))
        } else {
            let (about, function) = self.function(key, read)?;
            (about, ApiItem::Function(function))
        };
        let rule = about_this(common, about)?;
        into.api.push(ApiRule { rule, kernel_name, section, brief, text, item });
        Some(())
    }
}

impl ApiShape {
    /// Refuses what only a function has.
    fn no_function(&self, read: &mut Reader<'_>) {
        for (key, at) in [
            ("signature", at(self.signature.as_ref())),
            ("arguments", at(self.arguments.as_ref())),
            ("result", at(self.result.as_ref())),
            ("result-like", at(self.result_like.as_ref())),
            ("module", at(self.module.as_ref())),
            ("return", at(self.returns.as_ref())),
            ("uses", at(self.uses.as_ref())),
            ("parameter", at(self.parameter.as_ref())),
        ] {
            read.only_with(key, at, "`function` or `body`");
        }
    }

    fn function(self, key: &str, read: &mut Reader<'_>) -> Option<(Span, ApiFunctionRule)> {
        let (_, module) = read.string("module", self.module, line)?;
        let returns = match self.returns {
            None => None,
            text => Some(read.string("return", text, prose)?.1),
        };
        let mut parameters: Vec<ApiParameter> = Vec::new();
        for shape in self.parameter.map(Spanned::into_inner).unwrap_or_default() {
            let at = span(shape.get_ref().name.span());
            let parameter = parameter(shape.into_inner(), read)?;
            if parameters.iter().any(|p| p.name == parameter.name) {
                read.wrong(at, format!("the parameter `{}` is listed twice", parameter.name));
            }
            parameters.push(parameter);
        }
        let mut uses = BTreeMap::new();
        if key == "function" {
            let body = "`body`";
            read.only_with("uses", at(self.uses.as_ref()), body);
            read.only_with("result", at(self.result.as_ref()), body);
            read.only_with("result-like", at(self.result_like.as_ref()), body);
            let (about, function) = read.string("function", self.function, identifier)?;
            let (at, signature) = read.string("signature", self.signature, line)?;
            uses.insert(function.clone(), ApiUse { signature, span: at });
            let own = || parameters.iter().map(|p| p.name.clone()).collect();
            let arguments = self.arguments.map_or_else(own, |list| {
                list.into_inner().into_iter().map(Spanned::into_inner).collect()
            });
            let action = ApiAction::Forward { function, arguments };
            return Some((about, ApiFunctionRule { module, parameters, returns, action, uses }));
        }
        let function = "`function`";
        read.only_with("signature", at(self.signature.as_ref()), function);
        read.only_with("arguments", at(self.arguments.as_ref()), function);
        for (name, signature) in self.uses.map(Spanned::into_inner).unwrap_or_default() {
            let (at, name) = read.string("uses", Some(name), identifier)?;
            let (_, signature) = read.string("uses", Some(signature), line)?;
            uses.insert(name, ApiUse { signature, span: at });
        }
        let (about, body) = read.string("body", self.body, statements)?;
        let result = match (self.result, self.result_like) {
            (None, None) => return read.missing("result` or `result-like"),
            (Some(_), Some(like)) => {
                read.wrong(span(like.span()), "`result` says it already");
                return None;
            }
            (spelt, None) => ApiTypeSource::Spelt(read.string("result", spelt, line)?.1),
            (None, like) => {
                ApiTypeSource::ResultOf(read.string("result-like", like, identifier)?.1)
            }
        };
        let own_source = parameters.iter().find(|p| p.ty == ApiTypeSource::Argument);
        if let Some(parameter) = own_source {
            let message = format!("the parameter `{}` has no `like` or `type`", parameter.name);
            read.wrong(about, message);
        }
        let action = ApiAction::Body { body: body.trim_matches('\n').to_string(), result };
        Some((about, ApiFunctionRule { module, parameters, returns, action, uses }))
    }
}

fn parameter(shape: ApiParameterShape, read: &mut Reader<'_>) -> Option<ApiParameter> {
    let (_, name) = read.string("name", Some(shape.name), identifier)?;
    let (_, doc) = read.string("doc", Some(shape.doc), prose)?;
    let ty = match (shape.like, shape.spelt) {
        (None, None) => ApiTypeSource::Argument,
        (Some(_), Some(spelt)) => {
            read.wrong(span(spelt.span()), "`like` says it already");
            return None;
        }
        (None, spelt) => ApiTypeSource::Spelt(read.string("type", spelt, line)?.1),
        (like, None) => {
            let (at, like) = read.string("like", like, line)?;
            let parts = like.split_once('.');
            let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
            let fine = parts.filter(|(function, _)| identifier(function).is_ok());
            let Some((function, number)) = fine.and_then(|(f, n)| Some((f, number(n)?))) else {
                read.wrong(at, format!("`{like}` is not of the form FUNCTION.NUMBER, from 1"));
                return None;
            };
            ApiTypeSource::ParameterOf(function.to_string(), number)
        }
    };
    Some(ApiParameter { name, ty, doc })
}

/// What stands between the braces of a function.
fn statements(text: &str) -> Result<(), String> {
    if text.trim().is_empty() || text.contains(['\0', '\r']) {
        return Err("statements of C are wanted".into());
    }
    Ok(())
}

/// Text that may go into a comment.
fn prose(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("some words are wanted".into());
    }
    if text.contains("*/") || text.contains('\0') || text.contains('\r') {
        return Err("this would end the comment that it stands in".into());
    }
    Ok(())
}

/// Sections and modules that `library.toml` doesn't list.
pub(super) fn places(ruleset: &Ruleset, findings: &mut Findings) {
    let sections: Vec<&str> =
        ruleset.library.api_sections.iter().map(|section| section.name.as_str()).collect();
    let modules: Vec<&str> = ruleset.library.modules.iter().map(|m| m.name.as_str()).collect();
    for rule in &ruleset.api {
        place("section", &rule.section, &sections, &rule.rule, findings);
        if let ApiItem::Function(function) = &rule.item {
            place("module", &function.module, &modules, &rule.rule, findings);
        }
    }
}

fn place(what: &str, name: &str, known: &[&str], rule: &Rule, findings: &mut Findings) {
    if !known.contains(&name) {
        let finding = Finding::error("rule-value", format!("there is no {what} `{name}`"))
            .at(&rule.source, rule.span_of(name), "")
            .hint(instead(name, known));
        findings.push(finding);
    }
}
