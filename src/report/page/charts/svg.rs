//! SVG as text: the same figures give the same bytes, and no name gets out of its text.

use std::fmt::Write as _;

use crate::report::visible::{one_line, xml};

/// Width of a character of the page's font at the size of a chart's text, in its units; generous,
/// since fonts differ.
const CHARACTER: f64 = 7.0;

/// Where a text is held.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A chart that is being drawn.
pub(super) struct Svg {
    out: String,
}

impl Svg {
    /// A chart of this size with its name and what it shows, in words.
    pub(super) fn new(width: f64, height: f64, title: &str, description: &str) -> Svg {
        let (width, height) = (number(width), number(height));
        let mut svg = Svg { out: String::new() };
        svg.push(format_args!(
            "<svg class=\"chart\" role=\"img\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\
             <title>{}</title><desc>{}</desc>",
            xml(title),
            xml(description)
        ));
        svg
    }

    /// A text; `y` is that of its base line.
    pub(super) fn text(&mut self, x: f64, y: f64, anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            number(x),
            number(y),
            xml(text)
        ));
    }

    /// A straight line.
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.push(format_args!(
            "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            number(from.0),
            number(from.1),
            number(to.0),
            number(to.1)
        ));
    }

    /// A rectangle by its upper left corner.
    pub(super) fn rect(&mut self, class: &str, at: (f64, f64), width: f64, height: f64) {
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            number(at.0),
            number(at.1),
            number(width),
            number(height)
        ));
    }

    /// A circle.
    pub(super) fn circle(&mut self, class: &str, at: (f64, f64), radius: f64) {
        let (x, y, r) = (number(at.0), number(at.1), number(radius));
        self.push(format_args!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"));
    }

    /// A line with corners, or with `closed` an area.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)], closed: bool) {
        let mut steps = String::new();
        for (at, point) in points.iter().enumerate() {
            let verb = if at == 0 { 'M' } else { 'L' };
            // Writing to a string can't fail.
            let _ = write!(steps, "{verb}{} {}", number(point.0), number(point.1));
        }
        let end = if closed { "Z" } else { "" };
        self.push(format_args!("<path class=\"{class}\" d=\"{steps}{end}\"/>"));
    }

    /// What stands up to [`Svg::end`] is one thing; `title` tells about it where a mouse rests.
    pub(super) fn begin(&mut self, class: &str, title: &str) {
        self.push(format_args!("<g class=\"{class}\"><title>{}</title>", xml(title)));
    }

    /// Ends what [`Svg::begin`] began.
    pub(super) fn end(&mut self) {
        self.out.push_str("</g>");
    }

    /// The chart as markup.
    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</svg>");
        self.out
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string can't fail.
        let _ = self.out.write_fmt(text);
    }
}

/// A coordinate, with one decimal where there is one.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Room that a text of so many characters takes.
pub(super) fn room(characters: usize) -> f64 {
    // No chart has a text of more.
    CHARACTER * f64::from(u16::try_from(characters).unwrap_or(u16::MAX))
}

/// The end of a name that fits into `width`, since paths differ at their ends; as it is shown.
pub(super) fn tail(name: &str, width: f64) -> String {
    let name = one_line(name);
    // What is not ASCII may be twice as wide.
    let wide = |c: char| room(if c.is_ascii() { 1 } else { 2 });
    if name.chars().map(wide).sum::<f64>() <= width {
        return name.into_owned();
    }
    let mut left = width - wide('…');
    let mut kept: Vec<char> = Vec::new();
    for c in name.chars().rev() {
        left -= wide(c);
        if left < 0.0 {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_below_zero_by_rounding() {
        assert_eq!(number(12.0), "12");
        assert_eq!(number(12.25), "12.2");
        assert_eq!(number(-0.01), "0");
        assert_eq!(number(-3.5), "-3.5");
    }

    #[test]
    fn names_stay_in_their_text_and_in_their_width() {
        let mut svg = Svg::new(10.0, 20.0, "</title><script>", "\"&\u{202e}");
        svg.text(1.0, 2.0, Anchor::End, "label", "</text><a href='x'>");
        let drawn = svg.finish();
        assert_eq!(
            drawn,
            "<svg class=\"chart\" role=\"img\" width=\"10\" height=\"20\" viewBox=\"0 0 10 20\" \
             xmlns=\"http://www.w3.org/2000/svg\"><title>&lt;/title&gt;&lt;script&gt;</title>\
             <desc>&quot;&amp;\\u{202e}</desc>\
             <text class=\"label\" x=\"1\" y=\"2\" text-anchor=\"end\">\
             &lt;/text&gt;&lt;a href='x'&gt;</text></svg>"
        );
        assert_eq!(tail("common/entropy.c", room(16)), "common/entropy.c");
        assert_eq!(tail("common/entropy.c", room(11)), "…entropy.c");
        assert_eq!(tail("äöüß", room(7)), "…üß");
        assert_eq!(tail("a\nb", room(4)), "a\\nb");
        assert_eq!(tail("long", 0.0), "…");
    }
}
