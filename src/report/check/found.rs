//! A finding that is known from a document only: its places, one line each.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::check::record::{Found, Place};
use crate::finding::Severity;
use crate::report::paint::Paint;
use crate::report::text;
use crate::report::visible::{one_line, push_source_char};

/// Wide enough for every line with its label.
const TERM_WIDTH: usize = 1000;
/// What stands for the parts of a long line that are left out.
const CUT: char = '\u{2026}';

/// Draws one finding as all commands do, line end included.
pub(super) fn finding(found: &Found, paint: Paint) -> String {
    let mut out = String::new();
    if let Some(place) = found.places.first() {
        out.push_str(&paint.bold(&format!("{}:", where_is(place))));
        out.push(' ');
    }
    let severity = severity(found);
    let (message, code) = (one_line(&found.message), one_line(&found.code));
    // Writing to a string can't fail.
    let _ = writeln!(
        out,
        "{} {} {}",
        paint.severity(severity, &format!("{severity}:")),
        paint.bold(&message),
        paint.dim(&format!("[{code}]"))
    );
    let mut places = found.places.as_slice();
    let mut is_first = true;
    while let Some(first) = places.first() {
        let same =
            |place: &&Place| (&place.path, place.region.line) == (&first.path, first.region.line);
        let count = places.iter().take_while(same).count();
        let (here, rest) = places.split_at(count);
        if !is_first {
            let _ = writeln!(out, " {} {}", paint.dim(":::"), where_is(first));
        }
        out.push_str(&excerpt(here, is_first, severity, paint));
        (places, is_first) = (rest, false);
    }
    if let Some(hint) = &found.hint {
        out.push_str(&text::hint(hint, paint));
    }
    if let Some(fix) = &found.fix {
        let _ = writeln!(out, "{}{}", paint.hint("  fix: "), one_line(&fix.what));
    }
    out
}

fn severity(found: &Found) -> Severity {
    if found.severity == "error" { Severity::Error } else { Severity::Warning }
}

fn where_is(place: &Place) -> String {
    format!("{}:{}:{}", one_line(&place.path), place.region.line, place.region.column)
}

/// Places on one line.
fn excerpt(places: &[Place], is_first: bool, severity: Severity, paint: Paint) -> String {
    let Some(first) = places.first() else { return String::new() };
    let shown = visible(&first.source);
    let marks = places.iter().enumerate().map(|(number, place)| {
        let kind = match is_first && number == 0 {
            true => AnnotationKind::Primary,
            false => AnnotationKind::Context,
        };
        let label = (!place.text.is_empty()).then(|| one_line(&place.text).into_owned());
        kind.span(range(place, &shown)).label(label)
    });
    let snippet = Snippet::source(shown.as_str()).line_start(first.region.line).annotations(marks);
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let renderer = if paint.on { Renderer::styled() } else { Renderer::plain() };
    let group = Group::with_level(level).element(snippet);
    format!("{}\n", renderer.term_width(TERM_WIDTH).render(&[group]))
}

/// A document may come from anywhere.
fn visible(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 1);
    source.chars().filter(|c| *c != '\n').for_each(|c| push_source_char(&mut out, c));
    out.push('\n');
    out
}

/// The bytes of the shown line that a place means. Of a line that was cut in front they aren't known;
/// the whole is meant then.
fn range(place: &Place, shown: &str) -> std::ops::Range<usize> {
    let end = shown.len() - 1;
    let region = place.region;
    if shown.starts_with(CUT) && region.character > 1 {
        return 0..end;
    }
    let offset = |character: usize| {
        let at = shown.char_indices().nth(character.saturating_sub(1));
        at.map_or(end, |(at, _)| at.min(end))
    };
    let start = offset(region.character);
    let stop = if region.end_line == region.line { offset(region.end_character) } else { end };
    start..stop.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;
    use crate::report::found::found;
    use crate::text::{Source, Span};

    const PLAIN: Paint = Paint { on: false };

    #[test]
    fn a_finding_looks_as_it_does_elsewhere() {
        let c = Source::new("lib/a.c", "int a;\n\tx = \u{e4}\x01memset(p);\r\n".as_bytes());
        let rule = Source::new("rules/x/includes/limits.toml", &b"from = \"<limits.h>\"\n"[..]);
        for finding in [
            Finding::error("code", "message").at(&c, Span::new(15, 21), "here"),
            Finding::warning("code", "message").at(&c, Span::new(4, 5), "").hint("do\nthis"),
            Finding::error("code", "message").at(&c, Span::new(0, 13), "to the end").at(
                &rule,
                Span::new(7, 19),
                "mapped here",
            ),
            Finding::error("code", "no place\nat all"),
        ] {
            let document = found(&finding, &|_| true, "print");
            assert_eq!(super::finding(&document, PLAIN), text::finding(&finding, PLAIN));
        }
    }

    #[test]
    fn documents_from_anywhere_are_drawn() {
        let c = Source::new("a", &b"x\n"[..]);
        let mut document =
            found(&Finding::error("code", "m").at(&c, Span::new(0, 1), ""), &|_| true, "print");
        for (source, character, end) in
            [("", 9, 12), ("\u{2026}abc", 50, 51), ("ab\ncd\x1b[2J", 2, 1), ("\u{e4}", 2, 9)]
        {
            let place = &mut document.places[0];
            source.clone_into(&mut place.source);
            (place.region.character, place.region.end_character) = (character, end);
            let text = finding(&document, PLAIN);
            assert!(!text.contains('\x1b'), "{text}");
        }
    }
}
