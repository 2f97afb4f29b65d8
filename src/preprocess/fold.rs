//! Walks the conditional groups of one text and proposes the edits that drop what settings decide.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::condition::{self, Outcome};
use super::groups::{self, DirectiveId, Group, Groups};
use super::hardwired::{self, Definition};
use super::indent::{Indents, Shift};
use super::lexer::{self, Directive, Keyword, Scan, TokenKind, directive_tokens, scan};
use super::settings::{EntryId, Known, Settings};
use crate::edit::{EditSet, RuleRef};
use crate::finding::Findings;
use crate::rules::Simplify;
use crate::text::{Source, Span};

/// What folding one text comes to.
#[derive(Debug, Default)]
pub struct Folded {
    /// The edits; none where the conditionals don't balance.
    pub edits: EditSet,
    /// What must not be: see [`super::fold_text`].
    pub findings: Findings,
    /// Whether the conditionals balance.
    pub balanced: bool,
    /// `#define`s that went with their branch, of hard-wired macros that are defined.
    pub dropped: Vec<Definition>,
    /// `#define`s of hard-wired macros that stay, or were put in.
    pub kept: BTreeSet<EntryId>,
    /// Hard-wired macros that stay in a condition, with their places.
    pub left: Vec<(EntryId, Span)>,
    /// How often each entry of the settings was named by a directive, by entry.
    pub named: Vec<usize>,
    /// How many conditions the text has.
    pub conditions: usize,
    /// How many groups were decided and conditions shortened.
    pub decided: usize,
}

/// Folds `source`.
pub fn fold(source: &Arc<Source>, settings: &Settings) -> Folded {
    fold_scanned(source, &scan(&source.bytes), settings)
}

/// The same where the directives of the text are known.
pub fn fold_scanned(source: &Arc<Source>, scan: &Scan, settings: &Settings) -> Folded {
    let conditions = scan.directives.iter().filter(|d| d.keyword.is_condition()).count();
    let groups = match groups::pair(source, scan) {
        Ok(groups) => groups,
        Err(findings) => return Folded { findings, conditions, ..Folded::default() },
    };
    let mut folder = Folder {
        source,
        settings,
        scan,
        groups: &groups,
        indents: Indents::new(source, scan),
        replaced: BTreeSet::new(),
        stays: vec![false; scan.directives.len()],
        folded: Folded { balanced: true, conditions, ..Folded::default() },
        work: Vec::new(),
    };
    folder.run();
    folder.folded
}

/// Directives between two others, all in branches that stay.
struct Region {
    first: DirectiveId,
    end: DirectiveId,
    /// Blanks that each directive loses behind its `#`.
    shift: u32,
    /// It stands below an `#if 0`: nothing in it is ever compiled.
    dead: bool,
}

/// What becomes of one branch.
enum Branch {
    Gone,
    /// Taken whenever it is reached, and everything behind it is not.
    Taken,
    Open(Outcome),
}

struct Folder<'a> {
    source: &'a Arc<Source>,
    settings: &'a Settings,
    scan: &'a Scan,
    groups: &'a Groups,
    indents: Indents<'a>,
    /// Macros whose value was put in place of their default already.
    replaced: BTreeSet<EntryId>,
    /// By directive: whether it stands in text that stays.
    stays: Vec<bool>,
    folded: Folded,
    work: Vec<Region>,
}

impl Folder<'_> {
    fn run(&mut self) {
        self.count_names();
        self.work.push(Region { first: 0, end: self.scan.directives.len(), shift: 0, dead: false });
        while let Some(region) = self.work.pop() {
            self.region(&region);
        }
        // Regions are worked off last in, first out; what the user sees is in text order.
        self.folded.left.sort_by_key(|(_, span)| *span);
        self.collect_dropped();
    }

    fn directive(&self, id: DirectiveId) -> &Directive {
        &self.scan.directives[id]
    }

    fn region(&mut self, region: &Region) {
        let mut id = region.first;
        while id < region.end {
            match self.groups.opened_by[id] {
                Some(group) => {
                    let group = &self.groups.list[group as usize];
                    self.group(group, region);
                    id = group.end + 1;
                }
                None => {
                    self.plain(id, region.shift, region.dead);
                    id += 1;
                }
            }
        }
    }

    /// A directive that is no part of a group.
    fn plain(&mut self, id: DirectiveId, shift: u32, dead: bool) {
        self.stays[id] = true;
        self.unindent(id, shift);
        let defines = matches!(self.directive(id).keyword, Keyword::Define | Keyword::Undef);
        if defines && !dead {
            let found = hardwired::check(self.source, self.directive(id), self.settings);
            if let Some((entry, finding)) = found {
                self.folded.kept.insert(entry);
                finding.into_iter().for_each(|finding| self.folded.findings.push(finding));
            }
        }
    }

    fn group(&mut self, group: &Group, around: &Region) {
        let mut rules = BTreeSet::new();
        let mut branches = Vec::with_capacity(group.branches.len());
        for &id in &group.branches {
            let branch = self.judge(id, &mut rules);
            let taken = matches!(branch, Branch::Taken);
            branches.push(branch);
            if taken {
                break;
            }
        }
        let rules: Vec<RuleRef> =
            rules.into_iter().map(|id| self.settings.entry(id).rule.clone()).collect();
        self.folded.decided += usize::from(!rules.is_empty());
        match branches.iter().position(|branch| !matches!(branch, Branch::Gone)) {
            None => self.remove(group, rules),
            Some(first) if matches!(branches[first], Branch::Taken) => {
                self.unwrap(group, first, around, rules);
            }
            Some(first) => self.chain(group, first, branches, around, rules),
        }
    }

    fn judge(&mut self, id: DirectiveId, rules: &mut BTreeSet<EntryId>) -> Branch {
        let Directive { keyword, body, .. } = *self.directive(id);
        let (defined, decide) = match keyword {
            Keyword::Else => return Branch::Taken,
            Keyword::Ifdef | Keyword::Elifdef => (true, self.name_of(body)),
            Keyword::Ifndef | Keyword::Elifndef => (false, self.name_of(body)),
            _ => {
                let outcome = condition::judge(&self.source.bytes, body, self.settings);
                rules.extend(&outcome.used);
                return match outcome.decided {
                    Some(true) => Branch::Taken,
                    Some(false) => Branch::Gone,
                    None => Branch::Open(outcome),
                };
            }
        };
        let is_defined = decide.and_then(|id| {
            let known = &self.settings.entry(id).known;
            let of = |known: &Known| match known {
                Known::Free => None,
                Known::Undefined => Some(false),
                Known::Defined(_) => Some(true),
            };
            let first = of(known.first()?)?;
            known.iter().all(|k| of(k) == Some(first)).then_some(first)
        });
        match is_defined {
            None => Branch::Open(Outcome::unchanged()),
            Some(is) => {
                rules.extend(decide);
                if is == defined { Branch::Taken } else { Branch::Gone }
            }
        }
    }

    /// The entry of the name that a directive is about.
    fn name_of(&self, body: Span) -> Option<EntryId> {
        let bytes = &self.source.bytes;
        let token = directive_tokens(bytes, body).find(|token| !token.is_trivia())?;
        self.settings.find(&token.text(bytes)).filter(|_| token.kind == TokenKind::Identifier)
    }

    /// No branch is left.
    fn remove(&mut self, group: &Group, rules: Vec<RuleRef>) {
        let first = group.branches[0];
        let text = self.replacement(group);
        self.cut_lines(first, group.end, text, rules);
    }

    /// One branch takes the place of the group.
    fn unwrap(&mut self, group: &Group, branch: usize, around: &Region, rules: Vec<RuleRef>) {
        let (first, chosen) = (group.branches[0], group.branches[branch]);
        let behind = group.branch_end(branch);
        let text = self.replacement(group);
        let inner = if text.is_empty() { self.indents.shift(chosen, behind) } else { Shift::None };
        self.cut_lines(first, chosen, text, rules.clone());
        self.cut_lines(behind, group.end, Vec::new(), rules.clone());
        let dead = around.dead;
        let region = |shift| Region { first: chosen + 1, end: behind, shift, dead };
        match inner {
            Shift::None => self.work.push(region(around.shift)),
            // The inner lines' least count includes what the outer group takes off.
            Shift::Blanks(blanks) => self.work.push(region(blanks)),
            Shift::Define => {
                let id = chosen + 1;
                self.plain(id, 0, dead);
                for blanks in self.indents.define_blanks(id) {
                    if !blanks.is_empty() {
                        self.folded.edits.delete(blanks, rules.clone());
                    }
                }
            }
        }
    }

    /// Several branches stay, or one whose condition is not known.
    fn chain(
        &mut self,
        group: &Group,
        first: usize,
        branches: Vec<Branch>,
        around: &Region,
        rules: Vec<RuleRef>,
    ) {
        let ids = &group.branches;
        let count = branches.len();
        if first > 0 {
            self.cut_to(ids[0], ids[first], rules.clone());
            self.rename_first(ids[first], &rules);
        }
        for (index, branch) in branches.into_iter().enumerate().skip(first) {
            let (id, behind) = (ids[index], group.branch_end(index));
            match branch {
                Branch::Gone => {
                    self.cut_to(id, behind, rules.clone());
                    continue;
                }
                Branch::Open(outcome) => self.shorten(outcome),
                Branch::Taken => self.make_else(id, &rules),
            }
            self.stays[id] = true;
            self.unindent(id, around.shift);
            let dead = around.dead || self.is_zero(id);
            self.work.push(Region { first: id + 1, end: behind, shift: around.shift, dead });
        }
        if count < ids.len() {
            self.cut_to(ids[count], group.end, rules);
        }
        self.stays[group.end] = true;
        self.unindent(group.end, around.shift);
    }

    /// Whether the condition is a plain `0`.
    fn is_zero(&self, id: DirectiveId) -> bool {
        let Directive { keyword, body, .. } = *self.directive(id);
        let bytes = &self.source.bytes;
        let mut words = directive_tokens(bytes, body).filter(|token| !token.is_trivia());
        matches!(keyword, Keyword::If | Keyword::Elif)
            && words.next().is_some_and(|token| &*token.text(bytes) == b"0")
            && words.next().is_none()
    }

    /// Takes the known operands out of a condition.
    fn shorten(&mut self, outcome: Outcome) {
        let mut rules: Vec<RuleRef> =
            outcome.used.iter().map(|id| self.settings.entry(*id).rule.clone()).collect();
        rules.sort();
        rules.dedup();
        for cut in outcome.cuts {
            // `#if!A||B`: what was between two words must not make one of them.
            let gap = if lexer::would_join(&self.source.bytes, cut) { " " } else { "" };
            self.folded.edits.push(cut, gap, rules.clone());
        }
        let hardwired = outcome.left.into_iter().filter(|(id, _)| {
            let entry = self.settings.entry(*id);
            entry.settled().is_some_and(|known| known != Known::Free) && !entry.varies
        });
        self.folded.left.extend(hardwired);
    }

    /// The first branch that stays opens the group.
    fn rename_first(&mut self, id: DirectiveId, rules: &[RuleRef]) {
        let Directive { keyword, name, .. } = *self.directive(id);
        let text = match keyword {
            Keyword::Elifdef => "ifdef",
            Keyword::Elifndef => "ifndef",
            _ => "if",
        };
        self.folded.edits.push(name, text, rules.to_vec());
    }

    /// A branch that is taken whenever it is reached.
    fn make_else(&mut self, id: DirectiveId, rules: &[RuleRef]) {
        let Directive { keyword, name, body, .. } = *self.directive(id);
        if keyword == Keyword::Else {
            return;
        }
        let last = directive_tokens(&self.source.bytes, body).filter(|t| !t.is_trivia()).last();
        let end = last.map_or(name.end, |token| token.span.end);
        self.folded.edits.push(Span { start: name.start, end }, "else", rules.to_vec());
    }

    /// Deletes from directive `first` up to, not including, directive `behind`.
    fn cut_to(&mut self, first: DirectiveId, behind: DirectiveId, rules: Vec<RuleRef>) {
        let span = Span { start: self.directive(first).lead, end: self.directive(behind).lead };
        self.folded.edits.delete(span, rules);
    }

    /// Puts `text` in place of the lines from directive `first` through directive `last`.
    fn cut_lines(
        &mut self,
        first: DirectiveId,
        last: DirectiveId,
        text: Vec<u8>,
        rules: Vec<RuleRef>,
    ) {
        let Directive { lead, behind_comment, .. } = *self.directive(first);
        let Directive { body, end, .. } = *self.directive(last);
        // Behind a comment from an earlier line the newline has to end the comment's line.
        let end = if behind_comment { body.end } else { end };
        self.folded.edits.push(Span { start: lead, end }, text, rules);
    }

    /// The definition that takes the place of a guarded default, once a text.
    fn replacement(&mut self, group: &Group) -> Vec<u8> {
        let Directive { keyword, body, end, .. } = *self.directive(group.branches[0]);
        let entry = self.name_of(body).filter(|_| keyword == Keyword::Ifndef);
        let Some(id) = entry.filter(|id| self.settings.entry(*id).replaces) else {
            return Vec::new();
        };
        if !self.replaced.insert(id) {
            return Vec::new();
        }
        self.folded.kept.insert(id);
        let entry = self.settings.entry(id);
        let mut line = format!("#define {} {}", entry.name, entry.text.as_deref().unwrap_or(""));
        if self.settings.simplify == Simplify::Full {
            line.truncate(line.trim_end().len());
        }
        let newline = &self.source.bytes[body.end as usize..end as usize];
        [line.as_bytes(), newline].concat()
    }

    fn unindent(&mut self, id: DirectiveId, shift: u32) {
        if shift == 0 {
            return;
        }
        let Directive { hash, .. } = *self.directive(id);
        let span = Span { start: hash + 1, end: hash + 1 + shift };
        // The rules at work are those of the group; the directive itself names none.
        self.folded.edits.delete(span, vec![RuleRef::new("fold", "indent")]);
    }

    fn count_names(&mut self) {
        let mut named = vec![0; self.settings.entries().len()];
        for directive in &self.scan.directives {
            if matches!(directive.keyword, Keyword::Other | Keyword::Include) {
                continue;
            }
            let first_only = matches!(directive.keyword, Keyword::Define | Keyword::Undef);
            let names = directive_tokens(&self.source.bytes, directive.body)
                .filter(|token| token.kind == TokenKind::Identifier)
                .take(if first_only { 1 } else { usize::MAX });
            for token in names {
                if let Some(id) = self.settings.find(&token.text(&self.source.bytes)) {
                    named[id] += 1;
                }
            }
        }
        self.folded.named = named;
    }

    /// Finds the definitions of hard-wired macros in branches that go. One that is set to be
    /// undefined loses nothing.
    fn collect_dropped(&mut self) {
        for (id, directive) in self.scan.directives.iter().enumerate() {
            if directive.keyword == Keyword::Define && !self.stays[id] {
                let found = hardwired::definition(self.source, directive, self.settings);
                let found = found.filter(|definition| {
                    self.settings.entry(definition.entry).settled() != Some(Known::Undefined)
                });
                self.folded.dropped.extend(found);
            }
        }
    }
}
