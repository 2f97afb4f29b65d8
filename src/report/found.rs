//! From a finding to what a document has of it.

use super::excerpt::excerpts;
use crate::check::record::{FixEdit, Found, FoundFix, Place, Region};
use crate::finding::{Finding, Fix, Label};

/// The finding as a document has it. `is_upstream` says of a source's name whether it is a path in
/// upstream's repository.
pub fn found(
    finding: &Finding,
    is_upstream: &dyn Fn(&str) -> bool,
    fingerprint: impl Into<String>,
) -> Found {
    Found {
        code: finding.code.to_owned(),
        severity: finding.severity.to_string(),
        message: finding.message.clone(),
        places: finding.labels.iter().map(|label| place(label, is_upstream)).collect(),
        hint: finding.hint.clone(),
        fix: finding.fix.as_ref().map(fix),
        fingerprint: fingerprint.into(),
        accepted: false,
    }
}

fn place(label: &Label, is_upstream: &dyn Fn(&str) -> bool) -> Place {
    let excerpt = excerpts(std::slice::from_ref(label)).into_iter().next();
    Place {
        path: label.source.name.clone(),
        upstream: is_upstream(&label.source.name),
        region: Region::of(&label.source, label.span),
        text: label.text.clone(),
        source: excerpt.map_or(String::new(), |excerpt| excerpt.text.trim_end().to_owned()),
    }
}

fn fix(fix: &Fix) -> FoundFix {
    let edit = |(span, text): &(_, String)| FixEdit {
        region: Region::of(&fix.source, *span),
        text: text.clone(),
    };
    FoundFix {
        what: fix.what.clone(),
        path: fix.source.name.clone(),
        edits: fix.edits.iter().map(edit).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Source, Span};

    #[test]
    fn columns_are_counted_both_ways() {
        let c = Source::new("lib/a.c", "one\nä€\u{1f600}x\r\n".as_bytes());
        let rule = Source::new("rules/l/k/i.toml", &b"id = \"i\"\n"[..]);
        let finding = Finding::error("code", "message")
            .at(&c, Span::new(13, 14), "here")
            .at(&rule, Span::new(5, 8), "")
            .fix(Fix::replace(&c, Span::new(4, 14), "y", "do"));
        let found = found(&finding, &|name| name.starts_with("lib/"), "print");
        let place = &found.places[0];
        assert!(place.upstream && !found.places[1].upstream);
        let expected = Region {
            line: 2,
            column: 10,
            character: 4,
            end_line: 2,
            end_column: 11,
            end_character: 5,
        };
        assert_eq!(place.region, expected);
        assert_eq!(place.source, "ä€\u{1f600}x");
        let fix = found.fix.unwrap();
        assert_eq!((fix.path.as_str(), fix.edits[0].text.as_str()), ("lib/a.c", "y"));
        assert_eq!((fix.edits[0].region.character, fix.edits[0].region.end_character), (1, 5));
    }

    #[test]
    fn bytes_that_are_not_text_count_as_decoders_see_them() {
        let c = Source::new("a.c", &b"\xff\xe2\x82x\n"[..]);
        let region = Region::of(&c, Span::new(3, 4));
        assert_eq!((region.column, region.character, region.end_character), (4, 3, 4));
        let end = Region::of(&c, Span::at(5));
        assert_eq!((end.line, end.column, end.character), (2, 1, 1));
    }
}
