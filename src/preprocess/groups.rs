//! Conditional groups: which directives belong together.

use std::sync::Arc;

use super::lexer::{Directive, Keyword, Scan};
use crate::finding::{Finding, Findings};
use crate::text::{Source, Span};

/// Code of the finding for conditionals that don't balance.
pub const UNBALANCED: &str = "unbalanced-conditional";

/// Index of a directive in the scan.
pub type DirectiveId = usize;

/// One `#if` ... `#endif`.
#[derive(Debug)]
pub struct Group {
    /// The directives that start its branches: `#if`, then `#elif`s, then perhaps `#else`.
    pub branches: Vec<DirectiveId>,
    /// The `#endif`.
    pub end: DirectiveId,
}

impl Group {
    /// The directive that ends branch `branch`.
    pub fn branch_end(&self, branch: usize) -> DirectiveId {
        self.branches.get(branch + 1).copied().unwrap_or(self.end)
    }
}

/// All groups of a text, in the order of their `#if`s, and which directive opens which.
#[derive(Debug, Default)]
pub struct Groups {
    /// The groups.
    pub list: Vec<Group>,
    /// By directive: the group that it opens.
    pub opened_by: Vec<Option<u32>>,
}

/// Pairs up the directives of a text.
///
/// # Errors
/// The findings say what does not balance; a comment that never closes counts, since it swallows
/// directives.
pub fn pair(source: &Arc<Source>, scan: &Scan) -> Result<Groups, Findings> {
    let mut pairing = Pairing { source, scan, open: Vec::new(), findings: Findings::default() };
    let groups = pairing.run();
    if pairing.findings.is_empty() { Ok(groups) } else { Err(pairing.findings) }
}

struct Pairing<'a> {
    source: &'a Arc<Source>,
    scan: &'a Scan,
    /// Groups that wait for their `#endif`, and whether their `#else` was seen.
    open: Vec<(u32, bool)>,
    findings: Findings,
}

impl Pairing<'_> {
    fn run(&mut self) -> Groups {
        let count = self.scan.directives.len();
        let mut groups = Groups { list: Vec::new(), opened_by: vec![None; count] };
        for id in 0..count {
            let keyword = self.scan.directives[id].keyword;
            match keyword {
                Keyword::If | Keyword::Ifdef | Keyword::Ifndef => {
                    groups.opened_by[id] = Some(groups.list.len() as u32);
                    self.open.push((groups.list.len() as u32, false));
                    groups.list.push(Group { branches: vec![id], end: id });
                }
                Keyword::Elif | Keyword::Elifdef | Keyword::Elifndef | Keyword::Else => {
                    self.branch(id, keyword == Keyword::Else, &mut groups);
                }
                Keyword::Endif => match self.open.pop() {
                    Some((group, _)) => groups.list[group as usize].end = id,
                    None => self.stray(id, "closes no `#if`", "delete it, or add the `#if`"),
                },
                _ => {}
            }
        }
        self.report_open(&groups);
        groups
    }

    fn branch(&mut self, id: DirectiveId, is_else: bool, groups: &mut Groups) {
        match self.open.last_mut() {
            Some((group, false)) => {
                groups.list[*group as usize].branches.push(id);
                if is_else {
                    self.open.last_mut().into_iter().for_each(|open| open.1 = true);
                }
            }
            Some((group, true)) => {
                let first = groups.list[*group as usize].branches.last().copied();
                let finding = self.finding(id, "comes after the `#else` of its group");
                let finding = match first {
                    Some(first) => finding.at(self.source, self.span(first), "the `#else`"),
                    None => finding,
                };
                self.findings.push(finding.hint("only `#endif` can follow `#else`"));
            }
            None => self.stray(id, "stands outside any `#if`", "delete it, or add the `#if`"),
        }
    }

    fn report_open(&mut self, groups: &Groups) {
        let swallowed = self.scan.open_comment;
        for &(group, _) in &self.open {
            let id = groups.list[group as usize].branches[0];
            let finding = self.finding(id, "is never closed");
            self.findings.push(finding.hint("add the missing `#endif`"));
        }
        if let Some(start) = swallowed {
            let span = Span { start, end: start + 2 };
            self.findings.push(
                Finding::error("unterminated-comment", "this comment is never closed")
                    .at(self.source, span, "opens here")
                    .hint("everything behind it is comment for a compiler; add the `*/`"),
            );
        }
    }

    fn stray(&mut self, id: DirectiveId, what: &str, hint: &str) {
        let finding = self.finding(id, what);
        self.findings.push(finding.hint(hint));
    }

    fn finding(&self, id: DirectiveId, what: &str) -> Finding {
        let name = self.scan.directives[id].name;
        let raw = &self.source.bytes[name.range()];
        let name = String::from_utf8_lossy(&super::lexer::unspliced(raw)).into_owned();
        Finding::error(UNBALANCED, format!("`#{name}` {what}")).at(
            self.source,
            self.span(id),
            format!("this `#{name}`"),
        )
    }

    fn span(&self, id: DirectiveId) -> Span {
        let Directive { hash, name, .. } = self.scan.directives[id];
        Span { start: hash, end: name.end }
    }
}
