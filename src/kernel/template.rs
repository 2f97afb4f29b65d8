//! Renders the templates of a ruleset.

use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value, context};

use super::api::Api;
use super::modules::{self, Export, ModuleFiles};
use super::target::Target;
use crate::edit::RuleRef;
use crate::finding::{Error, Finding, Findings, Result};
use crate::rules::{FileAction, Library, Ruleset, Version};
use crate::text::{Source, Span};

/// What templates are told. In a template these are:
///
/// - `release`: the release's number;
/// - `target.NAME`: the ruleset's target values;
/// - `modules`: the kernel modules ([`ModuleFiles`]), in the order of the ruleset;
/// - `common`: the one of them that holds what the others share;
/// - `preboot`: the sources of the boot-time decompressor;
/// - `api`: the wrapper interface.
#[derive(Clone, Debug)]
pub struct Values {
    /// The release's number.
    pub release: Version,
    /// The kernel that is rendered for.
    pub target: Target,
    /// The kernel modules.
    pub modules: Vec<ModuleFiles>,
    /// The wrapper interface.
    pub api: Value,
}

impl Values {
    /// What is known before any file of the library was looked at: modules without files.
    pub fn new(library: &Library, release: Version, target: Target) -> Values {
        let bare = |module| ModuleFiles::new(module, Vec::new(), Vec::new());
        let modules = library.modules.iter().map(bare).collect();
        Values { release, target, modules, api: Api::default().value(&library.api_sections) }
    }

    /// Made-up values of the right form.
    fn sample(library: &Library) -> Values {
        let export = Export {
            name: "sample".into(),
            header: Some("sample.h".into()),
            is_macro: true,
            condition: Some("SAMPLE >= 1".into()),
        };
        let module = |module: &crate::rules::Module| {
            let sources = vec![format!("{}/sample.c", module.folder)];
            ModuleFiles::new(module, sources, vec![export.clone()])
        };
        let modules = library.modules.iter().map(module).collect();
        let target = Target::of_version(library, None);
        let api = Api::sample(library).value(&library.api_sections);
        Values { modules, api, ..Values::new(library, library.oldest, target) }
    }

    fn context(&self) -> Value {
        let common = self.modules.iter().find(|module| module.common);
        context! {
            release => self.release.to_string(),
            target => &self.target.values,
            modules => self.modules.iter().map(ModuleFiles::value).collect::<Vec<Value>>(),
            common => common.map_or(Value::UNDEFINED, ModuleFiles::value),
            preboot => modules::preboot(&self.modules),
            api => &self.api,
        }
    }
}

/// Renders the template `name`, which `rule` wants.
///
/// # Errors
/// The ruleset has no such template, or it can't be rendered: it names a value that there is not.
pub fn render(
    ruleset: &Ruleset,
    name: &str,
    rule: &RuleRef,
    values: &Values,
) -> Result<Arc<Source>> {
    let Some(source) = ruleset.templates.get(name) else {
        let message = format!("the rule {rule} wants the template {name}, which the ruleset lacks");
        return Err(Error::usage(message).hint("put it below templates/"));
    };
    let text = std::str::from_utf8(&source.bytes).map_err(|error| {
        let at = Span::at(error.valid_up_to());
        Error::usage(format!("the template {name} is not UTF-8")).at(source, at, "this byte")
    })?;
    let rendered = environment()
        .and_then(|environment| environment.render_str(text, values.context()))
        .map_err(|error| fault(source, name, &error))?;
    Ok(Source::new(source.name.clone(), rendered.into_bytes()))
}

/// Renders every template that a rule wants, with made-up values: what is wrong with one shows before
/// an import needs it.
pub fn check(ruleset: &Ruleset) -> Findings {
    let values = Values::sample(&ruleset.library);
    let mut findings = Findings::default();
    for rule in &ruleset.files {
        let FileAction::Template { template, .. } = &rule.action else { continue };
        let Err(error) = render(ruleset, template, &rule.rule.name, &values) else { continue };
        let mut finding = Finding::error("rule-template", error.message);
        finding.labels = error.labels;
        finding.hint = error.hint;
        findings.push(finding);
    }
    findings
}

fn environment<'a>() -> Result<Environment<'a>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let mut syntax = SyntaxConfig::builder();
    syntax.keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true);
    environment.set_syntax(syntax.build()?);
    Ok(environment)
}

fn fault(source: &Arc<Source>, name: &str, error: &minijinja::Error) -> Error {
    let line = error.line().and_then(|line| source.lines().line_start(line)).unwrap_or(0);
    let end = memchr::memchr(b'\n', &source.bytes[line..]).map_or(source.bytes.len(), |n| line + n);
    let what = error.detail().unwrap_or_default();
    Error::usage(format!("the template {name} can't be rendered: {} {what}", error.kind()))
        .at(source, Span::new(line, end), "here")
        .hint("templates know release, target, modules, common, preboot and api")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::load;

    fn with(text: &str) -> Ruleset {
        let mut ruleset = load(None).unwrap();
        let name = ruleset.files.iter().find_map(|rule| match &rule.action {
            FileAction::Template { template, .. } => Some(template.clone()),
            _ => None,
        });
        let source = Source::new("templates/changed", text.as_bytes());
        ruleset.templates.insert(name.unwrap(), source);
        ruleset
    }

    #[test]
    fn the_templates_of_the_ruleset_render() {
        let findings = check(&load(None).unwrap());
        assert!(findings.is_empty(), "{findings:?}");
    }

    #[test]
    fn a_value_that_there_is_not_is_found_at_its_line() {
        for text in ["1\n2 {{ target.unknown }}\n", "1\n{{ x }}\n", "1\n{{ common.x }}\n"] {
            let findings = check(&with(text)).sorted();
            assert_eq!(findings.len(), 1, "{text}");
            assert_eq!(findings[0].labels[0].position().line, 2, "{text}");
        }
    }

    #[test]
    fn a_template_sees_the_modules() {
        let text = "{% for m in modules %}{{ m.kconfig }}:{{ m.objects | join(' ') }};\
                    {% for e in m.exports if e.condition %}{{ e.name }}{% endfor %}{% endfor %}\
                    {{ common.name }} {{ preboot[0] }} {{ release }}";
        let ruleset = with(text);
        let mut values = Values::sample(&ruleset.library);
        values.modules.truncate(1);
        values.modules[0].common = true;
        values.modules[0].preboot = true;
        let FileAction::Template { template, .. } = &ruleset
            .files
            .iter()
            .find(|rule| matches!(rule.action, FileAction::Template { .. }))
            .unwrap()
            .action
        else {
            panic!()
        };
        let rule = RuleRef::new("files", "any");
        let rendered = render(&ruleset, template, &rule, &values).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&rendered.bytes),
            "CONFIG_ZSTD_COMPRESS:zstd_compress_module.o compress/sample.o;sample\
             zstd_compress compress/sample.c 1.4.9"
        );
    }
}
