//! Cuts the lines that a finding is about out of a source, fit to be shown.

use std::ops::Range;

use super::visible::push_source_char;
use crate::finding::Label;
use crate::text::{Source, Span};

/// Bytes of a line shown in front of a label when the line is too long to be shown whole.
const LEAD: usize = 40;
/// Most bytes of one line that are shown.
const WIDTH: usize = 120;
/// Labels further apart than this many lines are shown in excerpts of their own.
const REACH: usize = 12;
/// What stands for the parts of a long line that are left out.
const CUT: &str = "…";

/// Neighbouring lines of one source, made safe to print.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    /// Where the lines are from.
    pub(super) source: &'a Source,
    /// The lines.
    pub(super) text: String,
    /// Number of the first of them.
    pub(super) first_line: usize,
    /// The labels, with the bytes of `text` that they mean.
    pub(super) marks: Vec<(Range<usize>, &'a Label)>,
}

/// The excerpts that show all labels. The first label's excerpt comes first.
pub(super) fn excerpts(labels: &[Label]) -> Vec<Excerpt<'_>> {
    let mut groups: Vec<Vec<&Label>> = Vec::new();
    for label in labels {
        match groups.iter_mut().find(|group| belongs(group, label)) {
            Some(group) => group.push(label),
            None => groups.push(vec![label]),
        }
    }
    groups.into_iter().filter_map(cut_out).collect()
}

fn belongs(group: &[&Label], label: &Label) -> bool {
    let line = label.position().line;
    group.iter().all(|other| {
        std::ptr::eq(&*other.source, &*label.source)
            && other.position().line.abs_diff(line) <= REACH
    })
}

fn cut_out(labels: Vec<&Label>) -> Option<Excerpt<'_>> {
    let source = &*labels.first()?.source;
    let lines = labels.iter().map(|label| label.position().line);
    let (first_line, last_line) = (lines.clone().min()?, lines.max()?);
    let mut excerpt = Excerpt { source, text: String::new(), first_line, marks: Vec::new() };
    for line in first_line..=last_line {
        let here: Vec<&Label> =
            labels.iter().copied().filter(|label| label.position().line == line).collect();
        push_line(&mut excerpt, line_span(source, line), &here);
    }
    Some(excerpt)
}

/// The bytes of `line` without its line end.
fn line_span(source: &Source, line: usize) -> Span {
    let start = source.lines().line_start(line).unwrap_or(source.bytes.len());
    let end = source.lines().line_start(line + 1).unwrap_or(source.bytes.len());
    let text = &source.bytes[start..end];
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    Span::new(start, start + text.len())
}

/// Shows `line`, or the part of it around its first label.
fn push_line<'a>(excerpt: &mut Excerpt<'a>, line: Span, labels: &[&'a Label]) {
    let first = labels.iter().map(|label| label.span.start).min().unwrap_or(line.start);
    let shown = window(excerpt.source, line, first);
    if shown.start > line.start {
        excerpt.text.push_str(CUT);
    }
    let mut marks: Vec<(Range<usize>, &Label)> =
        labels.iter().map(|label| (usize::MAX..usize::MAX, *label)).collect();
    let mut at = shown.start;
    for chunk in excerpt.source.bytes[shown.range()].utf8_chunks() {
        for c in chunk.valid().chars() {
            mark(&mut marks, at, excerpt.text.len());
            push_source_char(&mut excerpt.text, c);
            at += c.len_utf8() as u32;
        }
        if !chunk.invalid().is_empty() {
            mark(&mut marks, at, excerpt.text.len());
            excerpt.text.push(char::REPLACEMENT_CHARACTER);
            at += chunk.invalid().len() as u32;
        }
    }
    mark(&mut marks, u32::MAX, excerpt.text.len());
    if shown.end < line.end {
        excerpt.text.push_str(CUT);
    }
    excerpt.text.push('\n');
    excerpt.marks.extend(marks);
}

/// Notes that the source byte `at` is shown at `shown`, for each label that waits for it. A label
/// that runs past its line ends with the line: what matters is where it starts.
fn mark(marks: &mut [(Range<usize>, &Label)], at: u32, shown: usize) {
    for (range, label) in marks {
        if range.start == usize::MAX && at >= label.span.start {
            range.start = shown;
        }
        if range.end == usize::MAX && at >= label.span.end {
            range.end = shown;
        }
    }
}

/// The part of a line to show: all of it, or what lies around `focus`.
fn window(source: &Source, line: Span, focus: u32) -> Span {
    if line.len() <= WIDTH {
        return line;
    }
    let start = (focus as usize).saturating_sub(LEAD).max(line.start as usize);
    let start = start.min(line.end as usize - WIDTH.min(line.len()));
    let end = (start + WIDTH).min(line.end as usize);
    let inside = |at: usize| at < line.end as usize && source.bytes[at] & 0xc0 == 0x80;
    // Never cut a character in two; four steps are enough for any, and garbage is shown as such.
    let start = (start..start + 4).find(|&at| !inside(at)).unwrap_or(start);
    let end = (end..end + 4).find(|&at| !inside(at)).unwrap_or(end);
    Span::new(start, end.min(line.end as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bytes: &[u8], start: usize, end: usize) -> (String, String) {
        let source = Source::new("t.c", bytes);
        let label = [Label::new(&source, Span::new(start, end), "")];
        let mut all = excerpts(&label);
        let one = all.remove(0);
        let marked = one.text[one.marks[0].0.clone()].to_owned();
        (one.text, marked)
    }

    #[test]
    fn bytes_that_are_not_text_keep_their_column() {
        let (text, marked) = shown(b"a\n\xff\xfe \x01 x y\nb", 7, 8);
        assert_eq!(text, "\u{fffd}\u{fffd} \u{2401} x y\n");
        assert_eq!(marked, "x");
    }

    #[test]
    fn long_lines_are_cut_around_the_label() {
        let mut line = "é".repeat(5000).into_bytes();
        line.extend_from_slice(b"HERE");
        line.extend("é".repeat(5000).into_bytes());
        let (text, marked) = shown(&line, 10_000, 10_004);
        assert_eq!(marked, "HERE");
        assert!(text.len() < WIDTH + 20, "{}", text.len());
        assert!(text.starts_with("…é") && text.ends_with("é…\n"), "{text}");
    }

    #[test]
    fn labels_that_span_lines_end_with_the_first() {
        let (text, marked) = shown(b"#if 1\r\nx\r\n#endif\r\n", 0, 15);
        assert_eq!((text.as_str(), marked.as_str()), ("#if 1\n", "#if 1"));
    }

    #[test]
    fn the_end_of_a_file_can_be_pointed_at() {
        assert_eq!(shown(b"x\n", 2, 2), ("\n".to_owned(), String::new()));
        assert_eq!(shown(b"", 0, 0), ("\n".to_owned(), String::new()));
    }

    #[test]
    fn distant_labels_are_shown_apart() {
        let source = Source::new("t.c", "x\n".repeat(100).into_bytes());
        let at = |line: usize| Label::new(&source, Span::at(2 * (line - 1)), "");
        let labels = [at(50), at(48), at(2)];
        let all = excerpts(&labels);
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].first_line, all[0].marks.len()), (48, 2));
        assert_eq!((all[1].first_line, all[1].text.as_str()), (2, "x\n"));
    }
}
