//! The parser: masked text to a tree, within bounds, and the nodes that are errors.

use std::ops::ControlFlow;

use tree_sitter::{Language, ParseOptions, Parser, Point, Range, Tree};

use super::outline::{Node, Outline};
use crate::text::Span;

/// Longest text that is parsed, in bytes: ten times the longest file of a real library.
pub(super) const MAX_PARSED_BYTES: usize = 4 << 20;

/// What one file may cost, over all choices of branches. Counting the parser's steps, unlike a
/// clock, gives the same result on every machine.
pub(super) struct Budget {
    steps: usize,
    full: usize,
}

impl Budget {
    /// Enough for `tokens` of C. A step of the parser's is 100 operations, and real files take one
    /// for 20 tokens and more.
    pub(super) fn new(tokens: usize) -> Budget {
        /// Small files may be as hard as they like.
        const FREE_STEPS: usize = 2_000;
        const TOKENS_A_STEP: usize = 8;
        /// Some seconds and 500 MB, if all of it is spent on text that fits several rules.
        const MOST_STEPS: usize = 20_000;
        let full = (FREE_STEPS + tokens / TOKENS_A_STEP).min(MOST_STEPS);
        Budget { steps: full, full }
    }

    /// Whether little of it is spent. What comes near to the end is parsed by itself each time, so that
    /// it doesn't depend on what was parsed before whether it is refused.
    pub(super) fn is_easy(&self) -> bool {
        self.steps > self.full / 2
    }
}

/// Why there is no tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// The budget is spent.
    TooMuchWork,
    /// The grammar doesn't fit the parser: a fault of how the program was built.
    NoGrammar,
}

/// A place that says that the text isn't C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ErrorNode {
    /// What is wrong; empty where something is missing.
    pub(super) span: Span,
    /// What about it.
    pub(super) fault: Fault,
}

/// What is wrong with the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fault {
    /// It can't be parsed.
    Unparsed,
    /// A token of this kind is missing.
    Missing(u16),
    /// An assignment is the operand of an operator.
    Assignment,
    /// A word stands between the parameters of a function and its body or semicolon.
    BehindParameters,
    /// A name stands between words that name a type alone.
    InsideType,
    /// An assembler statement is part of a declaration.
    Assembler,
}

/// The grammar of C.
pub(super) fn grammar() -> Language {
    tree_sitter_c::LANGUAGE.into()
}

/// Parses `text`. What `earlier`, the tree of a text like it, has in common with it isn't parsed again,
/// as long as no error is near: the parser's guesses depend on what it saw before.
pub(super) fn parse(
    text: &[u8],
    earlier: Option<&Tree>,
    budget: &mut Budget,
) -> Result<Tree, Refusal> {
    let full = budget.steps;
    if let Some(earlier) = earlier {
        match parse_once(text, Some(earlier), budget) {
            Ok(tree) if !tree.root_node().has_error() => return Ok(tree),
            _ => budget.steps = full,
        }
    }
    parse_once(text, None, budget)
}

fn parse_once(text: &[u8], earlier: Option<&Tree>, budget: &mut Budget) -> Result<Tree, Refusal> {
    let mut parser = Parser::new();
    parser.set_language(&grammar()).map_err(|_| Refusal::NoGrammar)?;
    parser.set_included_ranges(&without_gaps(text)).map_err(|_| Refusal::NoGrammar)?;
    let mut progress = |_: &tree_sitter::ParseState| {
        budget.steps = budget.steps.saturating_sub(1);
        if budget.steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| text.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, earlier, Some(options)).ok_or(Refusal::TooMuchWork)
}

/// The text without its longest runs of white space: half of a header is blanked comments, and the
/// parser takes as long for a blank as for any other byte.
fn without_gaps(text: &[u8]) -> Vec<Range> {
    /// Shorter runs are quicker read than skipped.
    const LEAST: usize = 64;
    /// The parser goes through all ranges for each token.
    const MOST: usize = 512;
    // Nobody asks for lines and columns.
    let range = |start_byte, end_byte| Range {
        start_byte,
        end_byte,
        start_point: Point::new(0, start_byte),
        end_point: Point::new(0, end_byte),
    };
    let mut ranges = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < text.len() && ranges.len() < MOST {
        let blanks = text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        // A newline stays, which may end a directive; or else one blank, or the words on both sides would
        // be one.
        let newline = memchr::memchr(b'\n', &text[at..at + blanks]);
        let kept = newline.map_or(1, |before| before + 1);
        if blanks >= LEAST + kept {
            ranges.push(range(start, at + kept));
            start = at + blanks;
        }
        at += blanks.max(1);
    }
    ranges.push(range(start, text.len()));
    ranges
}

/// A missing token as it is written in C.
pub(super) fn token_name(kind: u16) -> String {
    grammar().node_kind_for_id(kind).unwrap_or("something").to_owned()
}

/// Everything in a tree of `text` that says that the text isn't C, in order of place.
pub(super) fn errors(outline: &Outline, text: &[u8]) -> Vec<ErrorNode> {
    let kinds = Kinds::new();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(node) = outline.nodes.get(at) {
        let fault = own_fault(node).or_else(|| kinds.fault(outline, at, text));
        found.extend(fault.map(|fault| ErrorNode { span: node.span, fault }));
        at = if fault == Some(Fault::Unparsed) { node.end } else { at + 1 };
    }
    found
}

fn own_fault(node: &Node) -> Option<Fault> {
    if node.missing { Some(Fault::Missing(node.id)) } else { node.error.then_some(Fault::Unparsed) }
}

/// The kinds of nodes in which the grammar takes more than C. It is made to understand as much as it
/// can of text with macros in it; here a forgotten semicolon must not become one long expression.
struct Kinds {
    assignment: u16,
    operations: Vec<u16>,
    function: u16,
    name: u16,
    call: u16,
    declarator: Option<u16>,
    sized_type: u16,
    type_name: u16,
    assembler: u16,
    assembler_operands: u16,
    declaration: u16,
}

impl Kinds {
    fn new() -> Kinds {
        let grammar = grammar();
        let kind = |name: &str| grammar.id_for_node_kind(name, true);
        let operations = ["binary", "unary", "pointer", "cast", "sizeof", "update", "field"];
        Kinds {
            assignment: kind("assignment_expression"),
            operations: operations.iter().map(|name| kind(&format!("{name}_expression"))).collect(),
            function: kind("function_declarator"),
            name: kind("identifier"),
            call: kind("call_expression"),
            declarator: grammar.field_id_for_name("declarator").map(u16::from),
            sized_type: kind("sized_type_specifier"),
            type_name: kind("type_identifier"),
            assembler: kind("gnu_asm_expression"),
            assembler_operands: kind("gnu_asm_output_operand_list"),
            declaration: kind("declaration"),
        }
    }

    fn fault(&self, outline: &Outline, at: usize, text: &[u8]) -> Option<Fault> {
        let node = &outline.nodes[at];
        if node.parent == at {
            return None;
        }
        let above = &outline.nodes[node.parent];
        let (kind, parent) = (node.id, above.id);
        if kind == self.assignment {
            return self.operations.contains(&parent).then_some(Fault::Assignment);
        }
        if kind == self.name || kind == self.call {
            let named = || Some(node.field_id).filter(|field| *field > 0) == self.declarator;
            return (parent == self.function && !named()).then_some(Fault::BehindParameters);
        }
        if kind == self.type_name {
            // Compilers have types of their own that the grammar doesn't know.
            let vendor = || text.get(node.span.range()).is_some_and(|t| t.starts_with(b"__"));
            return (parent == self.sized_type && !vendor()).then_some(Fault::InsideType);
        }
        let in_declaration =
            || above.parent != node.parent && outline.nodes[above.parent].id == self.declaration;
        let assembler = kind == self.assembler_operands && parent == self.assembler;
        (assembler && in_declaration()).then_some(Fault::Assembler)
    }
}
