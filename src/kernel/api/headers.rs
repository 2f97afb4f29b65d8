//! The headers of the release that users of the library include, as far as they declare things.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::MISSING;
use crate::edit::Traced;
use crate::finding::{Finding, Findings, Label};
use crate::rules::ApiRule;
use crate::syntax::{Declarations, FunctionDeclaration, Typedef};
use crate::text::{Source, Span};

/// A header in its kernel form.
#[derive(Debug)]
pub struct Header<'a> {
    /// Upstream's file.
    pub source: &'a Arc<Source>,
    /// Its kernel form.
    pub text: &'a Traced,
    /// What that declares.
    pub declarations: Declarations,
}

impl Header<'_> {
    /// Points at a part of the kernel form, in upstream's file.
    pub(super) fn label(&self, span: Span, text: impl Into<String>) -> Label {
        Label::new(self.source, self.text.upstream_cover(span), text)
    }
}

/// All of them; the first is the one in which a reader looks first.
#[derive(Debug, Default)]
pub struct Headers<'a> {
    list: Vec<Header<'a>>,
}

impl<'a> Headers<'a> {
    /// The headers in the order in which names are looked up.
    pub fn new(list: Vec<Header<'a>>) -> Headers<'a> {
        Headers { list }
    }

    pub(super) fn function(&self, name: &str) -> Option<(&Header<'a>, &FunctionDeclaration)> {
        self.list.iter().find_map(|h| Some((h, h.declarations.function(name)?)))
    }

    pub(super) fn typedef(&self, name: &str) -> Option<(&Header<'a>, &Typedef)> {
        self.list.iter().find_map(|h| Some((h, h.declarations.typedef(name)?)))
    }

    /// What all of them declare.
    pub(super) fn declarations(&self) -> impl Iterator<Item = &Declarations> {
        self.list.iter().map(|header| &header.declarations)
    }

    /// The names of all typedefs.
    pub(super) fn typedefs(&self) -> BTreeSet<&str> {
        let all = self.list.iter().flat_map(|header| &header.declarations.typedefs);
        all.map(|typedef| typedef.name.as_str()).collect()
    }

    /// Says that something isn't there.
    pub(super) fn lacks(&self, rule: &ApiRule, what: &str, name: &str, findings: &mut Findings) {
        let message = format!("the release has not {what} `{name}`");
        let mut finding = Finding::error(MISSING, message);
        if let Some(header) = self.list.first() {
            finding = finding.label(header.label(Span::at(0), "not declared in this header"));
        }
        let finding = finding
            .label(rule.rule.label(format!("wanted for `{}`", rule.kernel_name)))
            .hint("bound the rule by `since` and `until`, or name what takes its place");
        findings.push(finding);
    }
}
