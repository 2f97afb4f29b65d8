//! Rewrites one folded file: includes, names, comment openers, licence line, calls.
//!
//! Each kind of rule has its file and only proposes edits; all are applied at once.

pub mod calls;
pub mod comments;
pub mod includes;
pub mod licence;
pub mod names;
pub mod sections;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::edit::{EditSet, RuleRef, Traced};
use crate::finding::{Finding, Findings};
use crate::preprocess::lexer::{Directive, Scanned, Token, TokenKind, tokens};
use crate::text::{Source, Span, TreePath};

/// One file on its way, as the rules of a kind see it.
pub struct File<'a> {
    /// Its path below the library root.
    pub path: &'a TreePath,
    /// Upstream's text, for findings.
    pub source: &'a Arc<Source>,
    /// The text as it is now.
    pub text: &'a Traced,
    /// Its tokens, as [`tokenise`] gives them.
    pub tokens: &'a [Token],
    /// Its directives.
    pub scan: &'a Scanned,
}

impl File<'_> {
    /// The bytes as they are now.
    pub fn bytes(&self) -> &[u8] {
        self.text.bytes()
    }

    /// The directives in them.
    pub fn directives(&self) -> &[Directive] {
        &self.scan.of(self.bytes()).directives
    }

    /// Points a finding at the upstream bytes that `span` stands for.
    pub fn point(&self, finding: Finding, span: Span, text: impl Into<String>) -> Finding {
        finding.at(self.source, self.text.upstream_cover(span), text)
    }
}

/// What the rules of one kind propose for a file.
#[derive(Debug, Default)]
pub struct Proposal {
    /// The edits.
    pub edits: EditSet,
    /// What must not be.
    pub findings: Findings,
    /// Matches that change nothing (an allowed header), by rule.
    pub matched: BTreeMap<RuleRef, usize>,
}

impl Proposal {
    /// Counts a match that changes nothing.
    pub fn count(&mut self, rule: &RuleRef) {
        *self.matched.entry(rule.clone()).or_default() += 1;
    }
}

/// The tokens of a text, white space and comments included, but for single spaces: these are two of
/// five, and nothing depends on them.
pub fn tokenise(text: &Traced) -> Vec<Token> {
    let bytes = text.bytes();
    let is_space = |token: &Token| token.kind == TokenKind::Blank && token.raw(bytes) == b" ";
    // Few texts have more tokens than this.
    let mut list = Vec::with_capacity(bytes.len() / 4);
    list.extend(tokens(bytes).filter(|token| !is_space(token)));
    list
}
