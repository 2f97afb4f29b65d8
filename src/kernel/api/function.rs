//! One function of the wrapper API.

use std::sync::Arc;

use super::code::{self, Offered, Wrong};
use super::headers::Headers;
use super::style::{self, Doc};
use super::types::{TypeMap, unqualified};
use super::{ApiFunction, DEPRECATED, RULE, SIGNATURE};
use crate::edit::Traced;
use crate::finding::{Finding, Findings};
use crate::rules::{ApiAction, ApiFunctionRule, ApiParameter, ApiRule, ApiTypeSource};
use crate::syntax::{Definitions, FunctionDeclaration, TypeText, Typedef, normalised, parse};
use crate::text::Source;

/// Makes the function of one rule.
pub(super) struct Worker<'a> {
    pub(super) rule: &'a ApiRule,
    pub(super) wanted: &'a ApiFunctionRule,
    pub(super) headers: &'a Headers<'a>,
    pub(super) types: &'a TypeMap,
    pub(super) offered: &'a Offered<'a>,
}

impl Worker<'_> {
    /// The function; `None` where something that it needs is not there.
    pub(super) fn make(&self, findings: &mut Findings) -> Option<ApiFunction> {
        let before = findings.errors();
        for name in self.wanted.uses.keys() {
            self.upstream(name, findings);
        }
        self.body(findings);
        if findings.errors() > before {
            return None;
        }
        let result = self.types.map(&self.result(findings)?);
        let mut parameters = Vec::new();
        for parameter in &self.wanted.parameters {
            let ty = self.types.map(&self.parameter(parameter, findings)?);
            self.named(&ty, findings);
            parameters.push((parameter.name.as_str(), ty));
        }
        self.named(&result, findings);
        self.documented(&result, findings);
        (findings.errors() == before).then(|| self.function(&result, &parameters))
    }

    /// Whether the release has what the rule's own code names.
    fn body(&self, findings: &mut Findings) {
        let ApiAction::Body { body, .. } = &self.wanted.action else { return };
        let listed = |name: &str| self.wanted.uses.contains_key(name);
        let own = |name: &str| self.types.is_kernel_name(name);
        for (name, wrong, _) in self.offered.wrong(body.as_bytes(), &listed, &own) {
            match wrong {
                Wrong::Unknown => self.headers.lacks(self.rule, "anything named", &name, findings),
                Wrong::Member => self.headers.lacks(self.rule, "a member", &name, findings),
                Wrong::Unlisted => {
                    let message = format!("`uses` doesn't list the function `{name}`");
                    self.mistake::<()>(message, code::hint(wrong), findings);
                }
            }
        }
    }

    /// The type of pointers to functions, if it is what the rule was made for.
    fn pointer(&self, name: &str, findings: &mut Findings) -> bool {
        let Some((header, typedef)) = self.headers.typedef(name) else { return false };
        let Some(wanted) = self.wanted.uses.get(name) else { return false };
        let found =
            pointed_to(typedef).map(|declared| self.types.text(&plain_signature(&declared)));
        let found = found.unwrap_or_else(|| self.types.text(&typedef.target.to_string()));
        if found != self.types.text(&wanted.signature) {
            let message = format!("the type `{name}` is not the one that the rule was made for");
            let finding = Finding::error(SIGNATURE, message)
                .label(header.label(typedef.span, format!("for `{found}`")))
                .at(&self.rule.rule.source, wanted.span, "made for this type")
                .hint("look at what changed, then adapt the rule");
            findings.push(finding);
        }
        true
    }

    /// The upstream function, if it is what the rule was made for.
    fn upstream(&self, name: &str, findings: &mut Findings) {
        if self.pointer(name, findings) {
            return;
        }
        let Some((header, declared)) = self.headers.function(name) else {
            self.headers.lacks(self.rule, "the function", name, findings);
            return;
        };
        if let Some(mark) = declared.deprecated {
            let message = format!("upstream advises against the function `{name}`");
            let finding = Finding::error(DEPRECATED, message)
                .label(header.label(mark, "said here"))
                .label(self.rule.rule.label(format!("used for `{}`", self.rule.kernel_name)))
                .hint("use what upstream names in its place");
            findings.push(finding);
        }
        let Some(wanted) = self.wanted.uses.get(name) else { return };
        let found = self.types.text(&plain_signature(declared));
        if found != normalised(&wanted.signature) {
            let message = format!("the function `{name}` is not of the type the rule was made for");
            let source = &self.rule.rule.source;
            let finding = Finding::error(SIGNATURE, message)
                .label(header.label(declared.span, format!("of type `{found}`")))
                .at(source, wanted.span, "made for this type")
                .hint("look at what changed, then adapt the rule");
            findings.push(finding);
        }
    }

    /// A mistake of the rule itself.
    fn mistake<T>(&self, message: String, hint: &str, findings: &mut Findings) -> Option<T> {
        let label = self.rule.rule.label(format!("in the rule of `{}`", self.rule.kernel_name));
        findings.push(Finding::error(RULE, message).label(label).hint(hint));
        None
    }

    fn declared(&self, name: &str, findings: &mut Findings) -> Option<&FunctionDeclaration> {
        let found = self.headers.function(name);
        if found.is_none() {
            self.headers.lacks(self.rule, "the function", name, findings);
        }
        found.map(|(_, declared)| declared)
    }

    fn result(&self, findings: &mut Findings) -> Option<TypeText> {
        match &self.wanted.action {
            ApiAction::Forward { function, .. } => {
                self.declared(function, findings).map(|declared| declared.result.clone())
            }
            ApiAction::Body { result, .. } => self.sourced(result, findings),
        }
    }

    fn parameter(&self, wanted: &ApiParameter, findings: &mut Findings) -> Option<TypeText> {
        let ApiAction::Forward { function, arguments } = &self.wanted.action else {
            return self.sourced(&wanted.ty, findings);
        };
        let declared = self.declared(function, findings)?;
        if arguments.len() != declared.parameters.len() {
            let (has, takes) = (arguments.len(), declared.parameters.len());
            let message = format!("{has} arguments are given to `{function}`, which takes {takes}");
            return self.mistake(message, "give one for each, in `arguments`", findings);
        }
        if wanted.ty != ApiTypeSource::Argument {
            return self.sourced(&wanted.ty, findings);
        }
        for (argument, parameter) in arguments.iter().zip(&declared.parameters) {
            let ty = unqualified(&parameter.ty);
            if *argument == wanted.name {
                return Some(ty);
            }
            if argument.strip_prefix('*') == Some(wanted.name.as_str()) {
                // What is passed on by value is only read through the pointer.
                return Some(TypeText { before: format!("const {} *", ty.before), ..ty });
            }
        }
        let message = format!("no argument of `{function}` is the parameter `{}`", wanted.name);
        self.mistake(message, "give its type by `like` or `type`", findings)
    }

    fn sourced(&self, source: &ApiTypeSource, findings: &mut Findings) -> Option<TypeText> {
        match source {
            ApiTypeSource::Spelt(text) => {
                Some(TypeText { before: normalised(text), after: String::new() })
            }
            ApiTypeSource::ResultOf(name) => {
                self.declared(name, findings).map(|declared| declared.result.clone())
            }
            ApiTypeSource::ParameterOf(name, number) => {
                let declared = self.declared(name, findings)?;
                let found = declared.parameters.get(number.saturating_sub(1));
                if found.is_none() {
                    let count = declared.parameters.len();
                    let message = format!("`{name}` has {count} parameters, no number {number}");
                    return self.mistake(message, "correct `like`", findings);
                }
                found.map(|parameter| unqualified(&parameter.ty))
            }
            ApiTypeSource::Argument => {
                self.mistake("a parameter has no type".into(), "give it by `like`", findings)
            }
        }
    }

    /// Says which type has no name in the kernel's API.
    fn named(&self, ty: &TypeText, findings: &mut Findings) {
        if let Some(name) = self.types.unnamed(ty) {
            let message =
                format!("`{}` speaks of `{name}`, which is upstream's", self.rule.kernel_name);
            self.mistake::<()>(message, "add a rule of kind api for the type", findings);
        }
    }

    /// kernel-doc wants the result described, where there is one.
    fn documented(&self, result: &TypeText, findings: &mut Findings) {
        let is_void = result.to_string() == "void";
        if is_void == self.wanted.returns.is_some() {
            let what = if is_void { "returns nothing, but `return` describes" } else { "lacks" };
            let message = format!("`{}` {what} what it returns", self.rule.kernel_name);
            self.mistake::<()>(message, "`return` goes with a result", findings);
        }
    }

    fn function(&self, result: &TypeText, parameters: &[(&str, TypeText)]) -> ApiFunction {
        let rule = self.rule;
        let declared = result.declare(&rule.kernel_name);
        let mut items: Vec<String> = parameters.iter().map(|(name, ty)| ty.declare(name)).collect();
        let mut types: Vec<String> = parameters.iter().map(|(_, ty)| ty.to_string()).collect();
        for list in [&mut items, &mut types] {
            if list.is_empty() {
                list.push("void".into());
            }
        }
        let head = format!("{declared}(");
        let doc = Doc {
            name: format!("{}()", rule.kernel_name),
            brief: &rule.brief,
            parameters: self
                .wanted
                .parameters
                .iter()
                .map(|p| (p.name.as_str(), p.doc.as_str()))
                .collect(),
            text: rule.text.as_deref(),
            returns: self.wanted.returns.as_deref(),
        };
        let body = match &self.wanted.action {
            ApiAction::Body { body, .. } => style::body(body),
            ApiAction::Forward { function, arguments } => {
                let returns = if result.to_string() == "void" { "" } else { "return " };
                let call = format!("\t{returns}{function}(");
                style::listed(&call, arguments, ");") + "\n"
            }
        };
        ApiFunction {
            rule: rule.rule.name.clone(),
            section: rule.section.clone(),
            module: self.wanted.module.clone(),
            doc: style::comment(&doc),
            signature: normalised(&result.declare(&format!("({})", types.join(", ")))),
            prototype: style::listed(&head, &items, ");"),
            definition: format!("{}\n{{\n{body}}}\n", style::listed(&head, &items, ")")),
        }
    }
}

/// The function that a type of pointers to functions is for.
fn pointed_to(typedef: &Typedef) -> Option<FunctionDeclaration> {
    let result = typedef.target.before.strip_suffix("(*")?;
    let parameters = typedef.target.after.strip_prefix(')')?;
    let source =
        Source::new(typedef.name.as_str(), format!("{result} f{parameters};").into_bytes());
    let text = Traced::new(Arc::clone(&source.bytes));
    let declared = parse(&source, &text, &Definitions::default()).declarations();
    declared.functions.into_iter().next()
}

/// The type of a function, as its callers see it.
fn plain_signature(declared: &FunctionDeclaration) -> String {
    let mut plain = declared.clone();
    for parameter in &mut plain.parameters {
        parameter.ty = unqualified(&parameter.ty);
    }
    plain.signature()
}
