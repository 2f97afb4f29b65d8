//! C by its grammar: a tree for each file, with macros masked so that the grammar takes it.
//!
//! A grammar of C sees neither what macros stand for nor which branch of a conditional holds. What
//! it can't take is overwritten with blanks of the same length, as derived from the definitions of
//! the tree that the file is part of. Nothing is expanded, and byte offsets stay true. This is the
//! only module that names the parser.

mod bodies;
mod calls;
mod declarations;
mod definitions;
mod earlier;
mod facts;
mod functions;
mod groups;
mod lexed;
mod mask;
mod outline;
#[cfg(test)]
mod tests;
mod tree;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use tree_sitter::Tree;

use crate::edit::Traced;
use crate::finding::{Finding, Findings};
use crate::memo::Memo;
use crate::preprocess::lexer::Keyword;
use crate::text::{Source, Span};

pub use calls::{Call, calls_in_definition};
pub use declarations::{
    Declarations, Enumeration, Enumerator, Field, FunctionDeclaration, MacroDeclaration, Parameter,
    Record, TypeText, Typedef, TypedefKind, normalised,
};
pub use definitions::Definitions;
pub use facts::{Facts, Words};

pub(crate) use definitions::Head;
pub(crate) use lexed::{Code, Lexed};
pub(crate) use outline::Outline;
pub(crate) use words::is_attribute;

use earlier::Earlier;
use groups::{Groups, MAX_CHOICES};
use mask::Masker;
use tree::{Budget, ErrorNode, Fault, MAX_PARSED_BYTES, Refusal};

/// Code of the findings about text that isn't C.
pub const SYNTAX_ERROR: &str = "syntax-error";

/// Most findings of that code for one file: the first ones tell, the others follow from them.
const MAX_FINDINGS: usize = 20;

const LEAVE_OUT: &str = "leave the file out by a rule of kind `files`";

/// The text as it is parsed, of the same length as `bytes`.
///
/// Where a conditional group cuts a statement, its first branch is kept.
pub fn mask(bytes: &[u8], defs: &Definitions) -> Vec<u8> {
    let lexed = Lexed::new(bytes);
    let groups = Groups::find(&lexed);
    let mut masked = Masker::new(&lexed, defs).text(&groups, &groups.choose(0));
    masked.truncate(bytes.len());
    masked
}

/// A parsed file.
#[derive(Debug)]
pub struct Parsed {
    /// One tree, with the text it was made from, for each choice of branches.
    views: Vec<View>,
    /// Names that are written with a line splice in them.
    spliced: Vec<Span>,
    /// Words that say of the declaration they stand in that it is deprecated.
    deprecations: Vec<Span>,
    /// What the views were made from.
    bytes: Arc<[u8]>,
    /// What isn't C, and what wasn't looked at.
    pub errors: Findings,
}

#[derive(Debug)]
struct View {
    text: Vec<u8>,
    tree: Tree,
    outline: Outline,
}

/// Parses `text`, a stage's form of `source`. Findings point into `source`.
///
/// Where conditional groups cut statements there is more than one tree, so that every token stands
/// in one at least.
pub fn parse(source: &Arc<Source>, text: &Traced, defs: &Definitions) -> Parsed {
    parse_again(source, text, &Lexed::new(text.bytes()), defs, (&Memo::off(), ""))
}

/// The same for one of several texts of a file, which have most lines in common, and for a text that
/// has been taken into tokens. Beside the memo stands who reads: others have other definitions.
pub(crate) fn parse_again(
    source: &Arc<Source>,
    text: &Traced,
    lexed: &Lexed<'_>,
    defs: &Definitions,
    (memo, reader): (&Memo, &str),
) -> Parsed {
    let name = format!("{reader} {}", source.name);
    let earlier = memo.last::<Earlier>(&name);
    let bytes: &[u8] = text.bytes();
    let mut report = Report { source, text, errors: Findings::default(), more: 0 };
    if bytes.len() > MAX_PARSED_BYTES {
        report.push(Span::at(0), "the file is too long to be parsed".into(), "", LEAVE_OUT);
        return Parsed {
            views: Vec::new(),
            spliced: Vec::new(),
            deprecations: Vec::new(),
            bytes: Arc::from(&b""[..]),
            errors: report.finish(),
        };
    }
    let groups = Groups::find(lexed);
    let masker = Masker::new(lexed, defs);
    let choices = groups.choices.min(MAX_CHOICES);
    let mut budget = Budget::new(lexed.code.len() * choices);
    let mut views = Vec::new();
    let mut nodes = BTreeSet::new();
    for number in 0..choices {
        let masked = masker.text(&groups, &groups.choose(number));
        let earlier = earlier.as_ref().and_then(|earlier| earlier.edited(number, &masked));
        match tree::parse(&masked, earlier.as_ref(), &mut budget) {
            Ok(tree) => {
                let outline = outline::outline(&tree);
                nodes.extend(tree::errors(&outline, &masked));
                views.push(View { text: masked, tree, outline });
            }
            Err(refusal) => {
                report.refusal(refusal);
                break;
            }
        }
    }
    if memo.is_on() {
        let kept = if budget.is_easy() { Earlier::of(&views) } else { Earlier::default() };
        memo.keep_last(&name, kept);
    }
    report.nodes(&nodes);
    report.heads(lexed);
    if groups.choices > MAX_CHOICES {
        report.choices(groups.choices);
    }
    let is_spliced = |t: &&Code| t.is_identifier() && lexed.text(t).len() < t.span.len();
    let spliced = lexed.code.iter().filter(is_spliced).map(|t| t.span).collect();
    let deprecates = |t: &&lexed::Code| t.is_identifier() && defs.deprecates(&lexed.text(t));
    let deprecations = lexed.code.iter().filter(deprecates).map(|t| t.span).collect();
    let bytes = Arc::clone(text.bytes());
    Parsed { views, spliced, deprecations, bytes, errors: report.finish() }
}

/// Makes findings of what the parser says.
struct Report<'a> {
    source: &'a Arc<Source>,
    text: &'a Traced,
    errors: Findings,
    more: usize,
}

impl Report<'_> {
    fn push(&mut self, span: Span, message: String, label: &str, hint: &str) {
        if self.errors.len() >= MAX_FINDINGS {
            self.more += 1;
            return;
        }
        let span = self.text.upstream_cover(span);
        let finding = Finding::error(SYNTAX_ERROR, message).at(self.source, span, label).hint(hint);
        self.errors.push(finding);
    }

    fn nodes(&mut self, nodes: &BTreeSet<ErrorNode>) {
        const HINT: &str = "if compilers take it, a macro stands here that the grammar can't see \
                            through: give its name in a rule of kind `masks`";
        for node in nodes {
            let message = match node.fault {
                Fault::Missing(kind) => {
                    let message = format!("`{}` is missing", tree::token_name(kind));
                    self.push(node.span, message, "before this", HINT);
                    continue;
                }
                Fault::Unparsed => "this can't be parsed as C",
                Fault::Assignment => "this assignment is the operand of an operator",
                Fault::BehindParameters => "this can't stand behind the parameters of a function",
                Fault::InsideType => "this name can't be part of a type",
                Fault::Assembler => "this assembler statement is part of a declaration",
            };
            let span = self.first_line(node.span);
            self.push(span, message.into(), "perhaps a `;` is missing before it", HINT);
        }
    }

    /// Heads of macro definitions, which the parser doesn't see.
    fn heads(&mut self, lexed: &Lexed<'_>) {
        const HINT: &str = "close the list of parameters; only names and `...` may stand in it";
        for directive in lexed.directives.iter().filter(|d| d.keyword == Keyword::Define) {
            if Head::read(lexed.bytes, directive.body).is_none() {
                let message = "this macro definition has no name or a broken list of parameters";
                let span = self.first_line(directive.body);
                self.push(span, message.into(), "", HINT);
            }
        }
    }

    fn refusal(&mut self, refusal: Refusal) {
        let (what, hint) = match refusal {
            Refusal::TooMuchWork => {
                ("parsing was given up, since the text is nothing like C", LEAVE_OUT)
            }
            Refusal::NoGrammar => {
                ("the grammar doesn't fit the parser", "this is a fault of the program")
            }
        };
        self.push(Span::at(0), what.into(), "", hint);
    }

    fn choices(&mut self, choices: usize) {
        let message = format!(
            "statements are cut by conditional groups in {choices} ways, of which {MAX_CHOICES} \
             were parsed"
        );
        self.push(Span::at(0), message, "", "write the alternatives as whole statements");
    }

    /// The part of a span that lies on its first line: an error may run to the end of the file.
    fn first_line(&self, span: Span) -> Span {
        let bytes = &self.text.bytes()[..];
        let start = (span.start as usize).min(bytes.len());
        let end = (span.end as usize).min(bytes.len());
        let len = memchr::memchr(b'\n', &bytes[start..end]).unwrap_or(end - start);
        Span::new(start, start + len)
    }

    fn finish(mut self) -> Findings {
        if self.more > 0 {
            let message = format!("{} more syntax errors in this file aren't shown", self.more);
            let first = self.errors.iter().next().and_then(|f| f.labels.first().cloned());
            let mut finding = Finding::warning(SYNTAX_ERROR, message);
            finding.labels.extend(first);
            self.errors.push(finding);
        }
        self.errors
    }
}
