//! The error that ends a run, with its places and what to do about it.

use super::paint::Paint;
use super::text::{hint, places};
use super::visible::one_line;
use crate::finding::{Error, ErrorKind, Severity};

/// Said under every error that is a fault of this program.
const REPORT: &str = "this is a fault of kernelize, not of your input: please report it with the \
                      command line, the output of `kernelize --version` and the input";

/// Draws an error, line end included.
pub fn text(error: &Error, paint: Paint) -> String {
    let mut out = String::new();
    if let Some(label) = error.labels.first() {
        let at = label.position();
        let place = format!("{}:{}:{}:", one_line(&label.source.name), at.line, at.column);
        out.push_str(&paint.bold(&place));
        out.push(' ');
    }
    out.push_str(&paint.severity(Severity::Error, "error:"));
    out.push(' ');
    out.push_str(&paint.bold(&one_line(&error.message)));
    out.push('\n');
    out.push_str(&places(&error.labels, Severity::Error, paint));
    if let Some(text) = &error.hint {
        out.push_str(&hint(text, paint));
    }
    if error.kind == ErrorKind::Internal {
        out.push_str(&hint(REPORT, paint));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Source, Span};

    #[test]
    fn an_error_in_a_rule_file_shows_the_place() {
        let rule = Source::new("rules/x/calls/a.toml", &b"id = \"a\"\nwyh = \"\"\n"[..]);
        let error = Error::usage("unknown key `wyh`")
            .at(&rule, Span::new(9, 12), "")
            .hint("did you mean `why`?");
        let text = text(&error, Paint { on: false });
        assert_eq!(
            text,
            "\
rules/x/calls/a.toml:2:1: error: unknown key `wyh`
  |
2 | wyh = \"\"
  | ^^^
  help: did you mean `why`?
"
        );
    }

    #[test]
    fn an_internal_error_asks_for_a_report() {
        let text = text(&Error::internal("two edits overlap"), Paint { on: false });
        assert!(text.contains("please report it"), "{text}");
    }
}
