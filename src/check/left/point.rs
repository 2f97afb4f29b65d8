//! From places in the kernel form to findings and remedies in upstream's file.

use crate::finding::{Finding, Fix};
use crate::pipeline::OutputFile;
use crate::text::Span;

/// A file of the kernel form as findings need it.
pub(super) struct Point<'a> {
    pub(super) file: &'a OutputFile,
}

impl<'a> Point<'a> {
    pub(super) fn new(file: &'a OutputFile) -> Point<'a> {
        Point { file }
    }

    /// Bytes of the kernel form.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.file.text.bytes()
    }

    /// A place in the kernel form as text.
    pub(super) fn text(&self, span: Span) -> String {
        String::from_utf8_lossy(&self.bytes()[span.range()]).into_owned()
    }

    /// Adds the upstream place of one in the kernel form.
    pub(super) fn at(&self, finding: Finding, span: Span, label: impl Into<String>) -> Finding {
        finding.at(&self.file.source, self.file.text.upstream_cover(span), label)
    }

    /// The upstream place of a run of bytes, where these stand there word for word. Of our own
    /// templates there is none.
    pub(super) fn literal(&self, span: Span) -> Option<Span> {
        if self.file.template.is_some() || span.is_empty() {
            return None;
        }
        let upstream = self.file.text.upstream_cover(span);
        let there = self.file.source.bytes.get(upstream.range())?;
        (there == self.bytes().get(span.range())?).then_some(upstream)
    }

    /// Offers to put `text` in the place of `span`.
    pub(super) fn replace(
        &self,
        finding: Finding,
        span: Span,
        text: &str,
        what: String,
    ) -> Finding {
        match self.literal(span) {
            Some(span) => finding.fix(Fix::replace(&self.file.source, span, text, what)),
            None => finding,
        }
    }
}
