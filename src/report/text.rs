//! A finding as text: one line that editors and `grep` understand, then the lines it is about.

use std::fmt::Write as _;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::excerpt::{Excerpt, excerpts};
use super::paint::Paint;
use super::visible::one_line;
use crate::finding::{Finding, Label, Severity};

/// Wide enough for every excerpt with its label.
const TERM_WIDTH: usize = 1000;

/// Draws one finding, line end included.
pub fn finding(finding: &Finding, paint: Paint) -> String {
    let mut out = String::new();
    if let Some(label) = finding.labels.first() {
        let at = label.position();
        let place = format!("{}:{}:{}:", one_line(&label.source.name), at.line, at.column);
        out.push_str(&paint.bold(&place));
        out.push(' ');
    }
    let severity = format!("{}:", finding.severity);
    let message = one_line(&finding.message);
    let code = format!("[{}]", finding.code);
    // Writing to a string can't fail.
    let _ = writeln!(
        out,
        "{} {} {}",
        paint.severity(finding.severity, &severity),
        paint.bold(&message),
        paint.dim(&code)
    );
    out.push_str(&places(&finding.labels, finding.severity, paint));
    if let Some(hint) = &finding.hint {
        out.push_str(&self::hint(hint, paint));
    }
    out
}

/// What to do, each line of it indented under the finding.
pub(super) fn hint(hint: &str, paint: Paint) -> String {
    let mut out = String::new();
    for (number, line) in hint.lines().enumerate() {
        let lead = if number == 0 { paint.hint("  help: ") } else { "        ".to_owned() };
        let _ = writeln!(out, "{lead}{}", one_line(line));
    }
    out
}

/// The lines that labels point at. The first label's path and line stand in the line above, so its
/// excerpt goes without; every other excerpt names its file.
pub(super) fn places(labels: &[Label], severity: Severity, paint: Paint) -> String {
    let excerpts = excerpts(labels);
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let renderer = if paint.on { Renderer::styled() } else { Renderer::plain() };
    // Long lines are cut already; the text must not depend on who looks.
    let renderer = renderer.term_width(TERM_WIDTH);
    let mut out = String::new();
    for (number, excerpt) in excerpts.iter().enumerate() {
        if number > 0 {
            out.push_str(&origin(excerpt, paint));
        }
        let group = Group::with_level(level.clone()).element(snippet(excerpt, labels.first()));
        out.push_str(&renderer.render(&[group]));
        out.push('\n');
    }
    out
}

/// The line over an excerpt that says where it is from. Ours and not the renderer's, which counts
/// columns in what is shown: wrong for a line that was cut or isn't text.
fn origin(excerpt: &Excerpt<'_>, paint: Paint) -> String {
    let at = excerpt.marks.iter().map(|(_, label)| label.position()).min();
    let at = at.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
    let place = format!("{}{at}", one_line(&excerpt.source.name));
    format!(" {} {place}\n", paint.dim(":::"))
}

/// The lines with their marks; `primary` is underlined more strongly than the others.
fn snippet<'a>(excerpt: &'a Excerpt<'_>, primary: Option<&Label>) -> Snippet<'a, Annotation<'a>> {
    let marks = excerpt.marks.iter().map(|(range, label)| {
        let is_primary = primary.is_some_and(|primary| std::ptr::eq(primary, *label));
        let kind = if is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let text = (!label.text.is_empty()).then(|| one_line(&label.text));
        kind.span(range.clone()).label(text)
    });
    Snippet::source(excerpt.text.as_str()).line_start(excerpt.first_line).annotations(marks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Source, Span};

    const PLAIN: Paint = Paint { on: false };

    #[test]
    fn a_finding_shows_the_c_and_the_rule() {
        let c = Source::new("lib/a.c", &b"int a;\n#include <limits.h>\n"[..]);
        let rule = Source::new("rules/x/includes/limits.toml", &b"from = \"<limits.h>\"\n"[..]);
        let found = Finding::error("include-unknown", "the include is not allowed")
            .at(&c, Span::new(16, 26), "not a header of the kernel")
            .at(&rule, Span::new(7, 19), "mapped here")
            .hint("map it by a rule\nor allow it");
        let text = finding(&found, PLAIN);
        assert_eq!(
            text,
            "\
lib/a.c:2:10: error: the include is not allowed [include-unknown]
  |
2 | #include <limits.h>
  |          ^^^^^^^^^^ not a header of the kernel
 ::: rules/x/includes/limits.toml:1:8
  |
1 | from = \"<limits.h>\"
  |        ------------ mapped here
  help: map it by a rule
        or allow it
"
        );
    }

    #[test]
    fn a_finding_without_place_is_one_line() {
        let found = Finding::warning("rule-unused", "rule names/x matched nothing\nat all");
        let text = finding(&found, PLAIN);
        assert_eq!(text, "warning: rule names/x matched nothing\\nat all [rule-unused]\n");
    }

    #[test]
    fn hostile_names_stay_on_the_first_line() {
        let c = Source::new("a\n\x1b[2J.c", &b"x\n"[..]);
        let found = Finding::error("code", "m").at(&c, Span::new(0, 1), "");
        let text = finding(&found, PLAIN);
        assert!(text.starts_with("a\\n\\u{1b}[2J.c:1:1: error: m [code]\n"), "{text}");
        assert!(!text.contains('\x1b'));
    }
}
