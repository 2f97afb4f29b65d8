//! What a comparison gives: plain data, as JSON has it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cost::Cost;
use super::speed::Speed;

/// Two forms compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The form that it starts from.
    pub old: Side,
    /// The form that it goes to.
    pub new: Side,
    /// Whether nothing differs.
    pub equal: bool,
    /// What changed for callers, by header and name.
    pub api: Vec<ApiChange>,
    /// Who calls the library; none without a kernel tree.
    pub callers: Option<CallerSummary>,
    /// What both cost in memory and code; none where nothing was built.
    pub cost: Option<Cost>,
    /// How fast both are; none where that was not measured.
    pub speed: Option<Speed>,
    /// The code in figures.
    pub code: CodeSummary,
    /// Changed lines by cause; none where what a form was made from is not known.
    pub causes: Option<BTreeMap<Cause, CauseCount>>,
    /// Upstream's commits between; none without a git repository.
    pub commits: Option<CommitSummary>,
    /// The files that differ, by path.
    pub files: Vec<FileReport>,
}

/// One of the two forms.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Side {
    /// Its name: a release, a folder, a tree.
    pub name: String,
    /// `release`, `import` (a folder that one wrote), `linux` (a kernel tree) or `patch`.
    pub kind: &'static str,
    /// Where it was read from, in words.
    pub source: String,
    /// The release that it was made from, where one is known.
    pub release: Option<String>,
    /// The profile, where one is known.
    pub profile: Option<String>,
    /// The first digits of the ruleset's digest, where one is known.
    pub rules: Option<String>,
}

/// What happened to a thing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// Only the new form has it.
    Added,
    /// Only the old form has it.
    Removed,
    /// It has another name.
    Renamed,
    /// It does or means something else.
    Changed,
    /// It stands elsewhere, and is the same.
    Moved,
    /// Its comments or blanks differ.
    Comments,
}

/// Something that headers offer to callers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ApiChange {
    /// The header.
    pub header: String,
    /// The name.
    pub name: String,
    /// `function`, `type`, `layout` (members of a type), `constant`, `error code` or `macro`.
    pub kind: &'static str,
    /// What happened: added, removed or changed.
    pub what: What,
    /// The declaration or value before.
    pub old: Option<String>,
    /// The declaration or value now.
    pub new: Option<String>,
    /// Of a type whose members differ: the differences, one each.
    pub members: Vec<String>,
    /// Whether callers that know the old one find all of it in the new one.
    pub compatible: bool,
    /// Files of the kernel tree that name it.
    pub users: Vec<String>,
}

/// Callers in a kernel tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CallerSummary {
    /// Files that call the library.
    pub files: usize,
    /// Those that name something that changed.
    pub affected: Vec<String>,
    /// What is wrong for them, in one sentence each.
    pub findings: Vec<String>,
}

/// Where a changed line comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The release: with the old rules it would be there as well.
    Upstream,
    /// Rules or the profile: with the old release it would be there as well.
    Rules,
    /// The same of a file that a template makes.
    Template,
    /// Release and rules together: neither alone does it.
    Both,
    /// A change in a folder or tree that no import made.
    Local,
}

/// Changed lines of one cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct CauseCount {
    /// Runs of changed lines that stand together and have this cause.
    pub changes: usize,
    /// Lines that came.
    pub added: usize,
    /// Lines that went.
    pub deleted: usize,
}

/// Upstream's commits between two releases, merges left out. Each either changes the kernel form,
/// leaves it alone, or is undecided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CommitSummary {
    /// All.
    pub total: usize,
    /// Those that change the library's folder.
    pub in_library: usize,
    /// Those that change a file that the kernel form is made from.
    pub touching: usize,
    /// Those that change the kernel form: a line that differs is theirs, or importing the commit and
    /// the one before it gives two forms.
    pub changing: usize,
    /// Those that change such a file, and none of the lines that differ: they were not looked into.
    pub undecided: usize,
    /// Those that leave the kernel form as it is.
    pub alone: usize,
    /// The ones among these that change the library's folder, oldest first.
    pub alone_in_library: Vec<NamedCommit>,
}

/// A commit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NamedCommit {
    /// Its id.
    pub id: String,
    /// First line of its message.
    pub title: String,
    /// The pull request that brought it.
    pub pull: Option<u64>,
}

/// The code in figures.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct CodeSummary {
    /// Files by what happened.
    pub files: BTreeMap<Status, usize>,
    /// Files that are in both forms, by what kind of text differs at most.
    pub classes: BTreeMap<Class, usize>,
    /// Functions by what happened.
    pub functions: BTreeMap<What, usize>,
    /// Changed lines.
    pub lines: Counts,
}

/// Changed lines by what stands in them: each line counts once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// Lines that came and that went, all.
    pub all: [usize; 2],
    /// Lines of code that stand elsewhere as they were.
    pub moved: [usize; 2],
    /// Other lines of code.
    pub code: [usize; 2],
    /// Comments.
    pub comments: [usize; 2],
    /// Licence and copyright text.
    pub licence: [usize; 2],
    /// Empty lines.
    pub blank: [usize; 2],
}

/// What happened to a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Only the new form has it.
    Added,
    /// Only the old form has it.
    Removed,
    /// It has another path.
    Renamed,
    /// Its text differs.
    Changed,
}

/// What kind of text differs at most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// What a compiler reads.
    Code,
    /// Comments, but the code is the same, token by token.
    Comments,
    /// Only the licence text differs.
    Licence,
    /// Only blanks and ends of lines differ.
    Blanks,
}

/// What stands in a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Code, perhaps with a comment beside it.
    Code,
    /// Part of a comment.
    Comment,
    /// Part of a comment that states a licence or copyright.
    Licence,
    /// Nothing.
    Blank,
}

/// A file that differs.
#[derive(Clone, Debug, Serialize)]
pub struct FileReport {
    /// Its path, in the new form if it is there.
    pub path: String,
    /// Its path before, if it was another.
    pub from: Option<String>,
    /// What happened.
    pub status: Status,
    /// What kind of text differs at most.
    pub class: Class,
    /// The upstream file, below the library root.
    pub upstream: Option<String>,
    /// Changed lines.
    pub lines: Counts,
    /// Changed lines by cause.
    pub causes: BTreeMap<Cause, CauseCount>,
    /// Functions that differ, by their place.
    pub functions: Vec<FunctionChange>,
    /// Upstream's commits that changed the upstream file, oldest first.
    pub commits: Vec<NamedCommit>,
    /// What differs.
    pub hunks: Vec<HunkReport>,
}

/// A function that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FunctionChange {
    /// Its name, now.
    pub name: String,
    /// What happened.
    pub what: What,
    /// Its name or its file before, where that was another.
    pub from: Option<String>,
    /// Its first line: in the new form, or of a removed one in the old form.
    pub line: usize,
    /// Whether its code differs beside what `what` says.
    pub edited: bool,
}

/// Lines that differ, with those around them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HunkReport {
    /// First line and number of lines before.
    pub old: (usize, usize),
    /// The same now.
    pub new: (usize, usize),
    /// The line that opens what the hunk stands in; empty at the top of a file.
    pub within: String,
    /// Upstream's commits that brought or took its lines, oldest first.
    pub commits: Vec<NamedCommit>,
    /// The lines.
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    /// ` `, `-` or `+`.
    pub mark: char,
    /// Its text, without its end.
    pub text: String,
    /// What stands in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Where the change comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Whether the same run of lines came or went elsewhere.
    #[serde(skip_serializing_if = "is_false")]
    pub moved: bool,
    /// Whether it has no end of line.
    #[serde(skip_serializing_if = "is_false")]
    pub open: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Cause {
    /// All causes, in order.
    pub const ALL: [Cause; 5] =
        [Cause::Upstream, Cause::Rules, Cause::Template, Cause::Both, Cause::Local];
}

impl Line {
    /// Place in the pairs of [`Counts`]: 0 for a line that came, 1 for one that went.
    pub(super) fn way(&self) -> Option<usize> {
        match self.mark {
            '+' => Some(0),
            '-' => Some(1),
            _ => None,
        }
    }
}

impl Counts {
    fn add(&mut self, line: &Line) {
        let Some(way) = line.way() else { return };
        self.all[way] += 1;
        let kind = match line.kind {
            Some(Kind::Comment) => &mut self.comments,
            Some(Kind::Licence) => &mut self.licence,
            Some(Kind::Blank) => &mut self.blank,
            _ if line.moved => &mut self.moved,
            _ => &mut self.code,
        };
        kind[way] += 1;
    }

    /// Adds all figures of another.
    fn sum(&mut self, other: &Counts) {
        let pairs = [
            (&mut self.all, other.all),
            (&mut self.moved, other.moved),
            (&mut self.code, other.code),
            (&mut self.comments, other.comments),
            (&mut self.licence, other.licence),
            (&mut self.blank, other.blank),
        ];
        for (to, from) in pairs {
            *to = [to[0] + from[0], to[1] + from[1]];
        }
    }
}

impl FileReport {
    /// Counts the lines, once all is known of them.
    pub(super) fn count(&mut self) {
        for hunk in &self.hunks {
            let mut last = None;
            for line in &hunk.lines {
                self.lines.add(line);
                if let (Some(cause), Some(way)) = (line.cause, line.way()) {
                    let count = self.causes.entry(cause).or_default();
                    count.changes += usize::from(last != Some(cause));
                    *(if way == 0 { &mut count.added } else { &mut count.deleted }) += 1;
                }
                last = line.cause;
            }
        }
    }
}

impl CodeSummary {
    pub(super) fn of(files: &[FileReport]) -> CodeSummary {
        let mut sum = CodeSummary::default();
        for file in files {
            *sum.files.entry(file.status).or_default() += 1;
            if matches!(file.status, Status::Renamed | Status::Changed) {
                *sum.classes.entry(file.class).or_default() += 1;
            }
            for function in &file.functions {
                *sum.functions.entry(function.what).or_default() += 1;
            }
            sum.lines.sum(&file.lines);
        }
        sum
    }
}
