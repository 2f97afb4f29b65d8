//! The wrapper API: what the kernel calls, made from the rules and the prototypes of the release.
//!
//! Types come from upstream's own headers, through the names that the kernel has for them. A rule
//! says what it was made for; an upstream function that is gone, deprecated or of another type is a
//! finding.

mod code;
mod function;
mod headers;
mod style;
#[cfg(test)]
mod tests;
mod types;

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::{Value, context};

use crate::edit::RuleRef;
use crate::finding::{Finding, Findings, Severity};
use crate::rules::{ApiItem, ApiRule, ApiSection, Library, Version};
use crate::text::Source;
use style::Doc;
use types::TypeMap;

pub use headers::{Header, Headers};

/// Code of findings about what the release lacks.
pub const MISSING: &str = "api-missing";
/// Code of findings about what upstream advises against.
pub const DEPRECATED: &str = "api-deprecated";
/// Code of findings about functions that are not what a rule was made for.
pub const SIGNATURE: &str = "api-signature";
/// Code of findings about rules that contradict themselves.
pub const RULE: &str = "api-rule";

/// The wrapper API of one release.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Api {
    /// Functions by the kernel's name.
    pub functions: BTreeMap<String, ApiFunction>,
    /// Types by the kernel's name.
    pub types: BTreeMap<String, ApiType>,
}

/// A function of the wrapper API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiFunction {
    /// The rule that makes it.
    pub rule: RuleRef,
    /// The section of the header.
    pub section: String,
    /// The kernel module that it is part of.
    pub module: String,
    /// Its kernel-doc comment.
    pub doc: String,
    /// Its type, spelt in one way: `size_t (const void *, size_t)`.
    pub signature: String,
    /// Its declaration, with the semicolon.
    pub prototype: String,
    /// Its definition.
    pub definition: String,
}

/// A type of the wrapper API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiType {
    /// The rule that makes it.
    pub rule: RuleRef,
    /// The section of the header.
    pub section: String,
    /// Its kernel-doc comment.
    pub doc: String,
    /// The upstream type.
    pub upstream: String,
    /// Its declaration, with the semicolon.
    pub declaration: String,
}

/// The release that the API is made for.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// Its number.
    pub version: Version,
    /// Whether it is a release itself, not a commit between two.
    pub exact: bool,
}

/// An API, and what there is to say about it.
#[derive(Debug, Default)]
pub struct Generated {
    /// The API.
    pub api: Api,
    /// What is wrong.
    pub findings: Findings,
    /// How often each rule matched.
    pub matched: BTreeMap<RuleRef, usize>,
}

/// Makes the API that `rules` describe from what `headers` declare, for a header of `sections`.
pub fn generate(
    rules: &[&ApiRule],
    sections: &[ApiSection],
    headers: &Headers<'_>,
    release: Release,
) -> Generated {
    let mut made = Generated::default();
    let types = TypeMap::new(rules, headers);
    let offered = code::Offered::of(headers);
    for rule in rules {
        let mut complaints = Findings::default();
        match &rule.item {
            ApiItem::Type(names) => {
                let upstream = names.iter().find(|name| headers.typedef(name).is_some());
                match upstream {
                    Some(upstream) => made.type_of(rule, upstream, headers, &mut complaints),
                    None => headers.lacks(rule, "the type", &names.join("` or `"), &mut complaints),
                }
            }
            ApiItem::Function(wanted) => {
                let worker =
                    function::Worker { rule, wanted, headers, types: &types, offered: &offered };
                let made_one = worker.make(&mut complaints);
                made.api
                    .functions
                    .extend(made_one.map(|function| (rule.kernel_name.clone(), function)));
            }
        }
        made.settle(rule, release, complaints);
    }
    for rule in rules {
        made.in_order(rule, rules, sections);
    }
    made
}

/// Holds what a template of a module brings along for the functions of `rules` against `headers`.
/// `source` is rendered without those functions, which are held one by one.
pub fn check_template(rules: &[&ApiRule], headers: &Headers<'_>, source: &Arc<Source>) -> Findings {
    code::of_template(rules, headers, source)
}

impl Generated {
    fn type_of(
        &mut self,
        rule: &ApiRule,
        upstream: &str,
        headers: &Headers<'_>,
        complaints: &mut Findings,
    ) {
        if let Some((header, typedef)) = headers.typedef(upstream)
            && let Some(mark) = typedef.deprecated
        {
            let message = format!("upstream advises against the type `{upstream}`");
            let finding = Finding::error(DEPRECATED, message)
                .label(header.label(mark, "said here"))
                .label(rule.rule.label(format!("used for `{}`", rule.kernel_name)))
                .hint("name the type that takes its place");
            complaints.push(finding);
        }
        let doc = Doc {
            name: format!("typedef {}", rule.kernel_name),
            brief: &rule.brief,
            parameters: Vec::new(),
            text: rule.text.as_deref(),
            returns: None,
        };
        let made = ApiType {
            rule: rule.rule.name.clone(),
            section: rule.section.clone(),
            doc: style::comment(&doc),
            upstream: upstream.to_string(),
            declaration: format!("typedef {upstream} {};", rule.kernel_name),
        };
        self.api.types.insert(rule.kernel_name.clone(), made);
    }

    /// In a header, types come before the functions that use them.
    fn in_order(&mut self, rule: &ApiRule, rules: &[&ApiRule], sections: &[ApiSection]) {
        let place = |name: &str| sections.iter().position(|section| section.name == name);
        let made = self.api.functions.get(&rule.kernel_name);
        let Some(made) = made.filter(|made| made.rule == rule.rule.name) else { return };
        let late = words(&made.signature).find_map(|word| {
            let ty = self.api.types.get(word)?;
            (place(&ty.section) > place(&made.section)).then_some((word, &ty.rule))
        });
        let Some((word, of)) = late else { return };
        let message =
            format!("`{}` stands above the type `{word}` in the header", rule.kernel_name);
        let mut finding = Finding::error(RULE, message);
        finding = finding.label(rule.rule.label(format!("in the section `{}`", rule.section)));
        if let Some(ty) = rules.iter().find(|ty| ty.rule.name == *of) {
            finding = finding.label(ty.rule.label(format!("in the section `{}`", ty.section)));
        }
        self.findings.push(finding.hint("put one of them in another section"));
    }

    /// Weighs what was said about one rule.
    fn settle(&mut self, rule: &ApiRule, release: Release, complaints: Findings) {
        let missing = complaints.iter().any(|finding| finding.code == MISSING);
        // A rule may say that its function need not be there. And a commit on the way to a release
        // states the number of that release, but may not have all that it brings.
        let early = !release.exact && rule.rule.since == Some(release.version);
        let optional = rule.rule.expect.holds(0, release.version);
        if missing && optional {
            return;
        }
        self.matched.insert(rule.rule.name.clone(), 1);
        for mut finding in complaints {
            if missing && early {
                finding.severity = Severity::Warning;
            }
            self.findings.push(finding);
        }
    }
}

/// The words of a text of C.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

impl Api {
    /// The same without what its functions do.
    pub fn without_definitions(&self) -> Api {
        let mut bare = self.clone();
        for function in bare.functions.values_mut() {
            function.definition.clear();
        }
        bare
    }

    /// What templates are told: `sections` of the header with their `entries` (`doc` and
    /// `declaration`), `functions` (`name`, `module`, `definition`), and `names` of both kinds.
    pub fn value(&self, sections: &[ApiSection]) -> Value {
        let entries = |section: &ApiSection| -> Vec<Value> {
            let types = self.types.values().filter(|made| made.section == section.name);
            let types =
                types.map(|made| context! { doc => &made.doc, declaration => &made.declaration });
            let functions = self.functions.values().filter(|made| made.section == section.name);
            let functions =
                functions.map(|made| context! { doc => &made.doc, declaration => &made.prototype });
            types.chain(functions).collect()
        };
        let sections = sections.iter().map(|section| (section, entries(section)));
        let sections: Vec<Value> = sections
            .filter(|(_, entries)| !entries.is_empty())
            .map(|(section, entries)| context! { title => &section.title, entries => entries })
            .collect();
        let functions = self.functions.iter().map(|(name, made)| {
            context! { name => name, module => &made.module, definition => &made.definition }
        });
        let names = self.functions.keys().chain(self.types.keys()).cloned();
        context! {
            sections => sections,
            functions => functions.collect::<Vec<Value>>(),
            names => names.collect::<Vec<String>>(),
        }
    }

    /// A made-up API with a function in each section and module.
    pub(super) fn sample(library: &Library) -> Api {
        let mut api = Api::default();
        let rule = RuleRef::new("api", "sample");
        for section in &library.api_sections {
            for module in &library.modules {
                let function = ApiFunction {
                    rule: rule.clone(),
                    section: section.name.clone(),
                    module: module.name.clone(),
                    doc: "/** */".into(),
                    signature: "int (void)".into(),
                    prototype: "int sample(void);".into(),
                    definition: "int sample(void)\n{\n\treturn 0;\n}\n".into(),
                };
                let name = format!("sample_{}_{}", section.name, module.name);
                api.functions.insert(name, function);
            }
        }
        api
    }
}
