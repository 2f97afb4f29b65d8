//! Findings about the C and the rules, and errors about the run. Data only: `report` draws them.

pub mod codes;

use std::fmt;
use std::sync::Arc;

use crate::text::{Position, Source, Span};

/// How much a finding weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The output can't be trusted: exit code 1.
    Error,
    /// Worth a look; the output stands.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// A place in a C file or a rule file, with what is to be said about it.
#[derive(Clone, Debug)]
pub struct Label {
    /// The text pointed into.
    pub source: Arc<Source>,
    /// The bytes meant.
    pub span: Span,
    /// What they are; may be empty.
    pub text: String,
}

impl Label {
    /// Points at `span` of `source`.
    pub fn new(source: &Arc<Source>, span: Span, text: impl Into<String>) -> Label {
        Label { source: Arc::clone(source), span, text: text.into() }
    }

    /// Line and column at which the span starts.
    pub fn position(&self) -> Position {
        self.source.position(self.span.start)
    }
}

/// One finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Stable name of the kind of finding, such as `unbalanced-conditional`.
    pub code: &'static str,
    /// Weight.
    pub severity: Severity,
    /// One sentence without a final stop.
    pub message: String,
    /// The places; the first is where the user has to look, rule files come last.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub hint: Option<String>,
    /// The remedy, where it is mechanical.
    pub fix: Option<Fix>,
}

/// A change to upstream's own file that removes what a finding is about.
#[derive(Clone, Debug)]
pub struct Fix {
    /// Upstream's file.
    pub source: Arc<Source>,
    /// Bytes of it, in text order and apart from each other, and what comes in their place.
    pub edits: Vec<(Span, String)>,
    /// What the change does, in the imperative, such as ``call `NAME` instead``.
    pub what: String,
}

impl Fix {
    /// Puts `text` in place of `span`.
    pub fn replace(
        source: &Arc<Source>,
        span: Span,
        text: impl Into<String>,
        what: impl Into<String>,
    ) -> Fix {
        Fix { source: Arc::clone(source), edits: vec![(span, text.into())], what: what.into() }
    }
}

impl Finding {
    /// An error-level finding at `span`.
    pub fn error(code: &'static str, message: impl Into<String>) -> Finding {
        Finding {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            hint: None,
            fix: None,
        }
    }

    /// A warning-level finding.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Finding {
        Finding { severity: Severity::Warning, ..Finding::error(code, message) }
    }

    /// Adds a place.
    pub fn at(mut self, source: &Arc<Source>, span: Span, text: impl Into<String>) -> Finding {
        self.labels.push(Label::new(source, span, text));
        self
    }

    /// Adds a label made elsewhere (a rule's).
    pub fn label(mut self, label: Label) -> Finding {
        self.labels.push(label);
        self
    }

    /// Says what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = Some(hint.into());
        self
    }

    /// Offers a remedy.
    pub fn fix(mut self, fix: Fix) -> Finding {
        self.fix = Some(fix);
        self
    }
}

/// The list that the stages append to.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// Appends one.
    pub fn push(&mut self, finding: Finding) {
        self.list.push(finding);
    }

    /// Appends another stage's.
    pub fn extend(&mut self, other: Findings) {
        self.list.extend(other.list);
    }

    /// Whether nothing at all was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Number of findings.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Number of error-level findings.
    pub fn errors(&self) -> usize {
        self.list.iter().filter(|f| f.severity == Severity::Error).count()
    }

    /// In file, offset, code order, equal ones once, whatever order threads found them in.
    pub fn sorted(mut self) -> Vec<Finding> {
        let key = |f: &Finding| {
            let at = f.labels.first().map(|l| (l.source.name.clone(), l.span));
            (at, f.code, f.message.clone())
        };
        self.list.sort_by_cached_key(key);
        self.list.dedup_by(|a, b| key(a) == key(b));
        self.list
    }

    /// Keeps those that satisfy `keep`.
    pub fn retain(&mut self, keep: impl FnMut(&Finding) -> bool) {
        self.list.retain(keep);
    }

    /// In the order they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.list.iter()
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

/// What kind of trouble ended the run; the exit code follows from it in one `match` in `main`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// Flags, rule files or an output path that can't be used.
    Usage,
    /// Upstream or a tree that can't be read.
    Input,
    /// A fault of this program.
    Internal,
}

/// An error that ends the run: what, where, and what to do.
#[derive(Clone, Debug)]
pub struct Error {
    /// Decides the exit code.
    pub kind: ErrorKind,
    /// What went wrong, naming the thing, without a final stop.
    pub message: String,
    /// Places in rule files, where a rule is at fault.
    pub labels: Vec<Label>,
    /// What to do.
    pub hint: Option<String>,
}

impl Error {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), labels: Vec::new(), hint: None }
    }

    /// Flags, rules or the output path are at fault.
    pub fn usage(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Usage, message)
    }

    /// What was to be read can't be read.
    pub fn input(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Input, message)
    }

    /// This program is at fault.
    pub fn internal(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Internal, message)
    }

    /// Adds a place.
    pub fn at(mut self, source: &Arc<Source>, span: Span, text: impl Into<String>) -> Error {
        self.labels.push(Label::new(source, span, text));
        self
    }

    /// Says what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Result of anything that can end the run.
pub type Result<T, E = Error> = std::result::Result<T, E>;
