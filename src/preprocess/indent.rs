//! Re-indentation of the directives of a group that loses its outer level.
//!
//! Only what stands alone moves: one `#define`, or lines that are all directives with `#` in column
//! one. The whole group's lines decide, also those of inner groups that go later.

use super::groups::DirectiveId;
use super::lexer::{Directive, Keyword, Scan};
use crate::text::{Source, Span};

/// What the directives of a text look like, line by line.
pub(super) struct Indents<'a> {
    source: &'a Source,
    scan: &'a Scan,
    /// Number of simple directives before each one.
    simple: Vec<u32>,
    /// Level `k` holds the least number of blanks in runs of `2^k` directives; made on first use.
    least: Vec<Vec<u32>>,
}

/// What happens to the lines of a branch that replaces its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shift {
    /// Nothing.
    None,
    /// So many blanks behind each `#` go.
    Blanks(u32),
    /// The one line is a `#define`: all blanks in front of its name go.
    Define,
}

impl<'a> Indents<'a> {
    /// Looks at all directives once.
    pub(super) fn new(source: &'a Source, scan: &'a Scan) -> Indents<'a> {
        let mut simple = Vec::with_capacity(scan.directives.len() + 1);
        let mut count = 0;
        simple.push(0);
        for directive in &scan.directives {
            count += u32::from(is_simple(source, directive));
            simple.push(count);
        }
        Indents { source, scan, simple, least: Vec::new() }
    }

    /// How the branch that `first` starts and `last` ends moves when it replaces its group.
    pub(super) fn shift(&mut self, first: DirectiveId, last: DirectiveId) -> Shift {
        let directives = &self.scan.directives;
        let from = directives[first].end;
        let lines =
            self.source.position(directives[last].lead).line - self.source.position(from).line;
        let (begin, end) = (first + 1, last);
        if lines == 1 && end - begin == 1 && self.is_lone_define(&directives[begin]) {
            return Shift::Define;
        }
        let all_simple = (self.simple[end] - self.simple[begin]) as usize == end - begin;
        if lines < 2 || lines != end - begin || !all_simple {
            return Shift::None;
        }
        match self.least_blanks(begin, end) {
            0 => Shift::None,
            blanks => Shift::Blanks(blanks),
        }
    }

    /// The bytes in front of the name that a lone `#define` loses.
    pub(super) fn define_blanks(&self, id: DirectiveId) -> [Span; 2] {
        let Directive { lead, hash, name, .. } = self.scan.directives[id];
        [Span { start: lead, end: hash }, Span { start: hash + 1, end: name.start }]
    }

    fn is_lone_define(&self, directive: &Directive) -> bool {
        let Directive { keyword, lead, hash, name, body, behind_comment, .. } = *directive;
        let bytes = &self.source.bytes;
        let blank = |span: Span| bytes[span.range()].iter().all(|&b| b == b' ');
        keyword == Keyword::Define
            && !behind_comment
            && bytes[hash as usize] == b'#'
            && blank(Span { start: lead, end: hash })
            && blank(Span { start: hash + 1, end: name.start })
            && memchr::memchr(b'\n', &bytes[hash as usize..body.end as usize]).is_none()
    }

    fn least_blanks(&mut self, begin: DirectiveId, end: DirectiveId) -> u32 {
        if self.least.is_empty() {
            self.fill();
        }
        let level = (end - begin).ilog2() as usize;
        let row = &self.least[level];
        row[begin].min(row[end - (1 << level)])
    }

    fn fill(&mut self) {
        let blanks = |d: &Directive| d.name.start - d.hash - 1;
        let mut row: Vec<u32> = self.scan.directives.iter().map(blanks).collect();
        let mut width = 1;
        while row.len() > width {
            let next = row.windows(width + 1).map(|pair| pair[0].min(pair[width])).collect();
            self.least.push(std::mem::replace(&mut row, next));
            width *= 2;
        }
        self.least.push(row);
    }
}

/// One line, `#` in its first column, nothing but blanks up to the name.
fn is_simple(source: &Source, directive: &Directive) -> bool {
    let Directive { lead, hash, name, body, behind_comment, .. } = *directive;
    let bytes = &source.bytes;
    lead == hash
        && !behind_comment
        && bytes[hash as usize] == b'#'
        && bytes[hash as usize + 1..name.start as usize].iter().all(|&b| b == b' ')
        && memchr::memchr(b'\n', &bytes[hash as usize..body.end as usize]).is_none()
}
