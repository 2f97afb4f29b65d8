//! The parser: masked text to a tree, within bounds, and the nodes that are errors.

use std::ops::ControlFlow;

use tree_sitter::{Language, Node, ParseOptions, Parser, Tree, TreeCursor};

use crate::text::Span;

/// Longest text that is parsed, in bytes: ten times the longest file of a real library. Parsing
/// takes about 100 bytes of memory a byte.
pub(super) const MAX_PARSED_BYTES: usize = 4 << 20;

/// Parser steps in units of the parser's own (100 operations) that are always allowed, and how many
/// bytes of text allow one more. Real files take one step for some 200 bytes. Counting, unlike a
/// clock, gives the same result on every machine.
const FREE_STEPS: usize = 2_000;
const BYTES_A_STEP: usize = 20;

/// Why there is no tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// The text is longer than [`MAX_PARSED_BYTES`].
    TooLong,
    /// The parser was stopped.
    TooMuchWork,
    /// The grammar doesn't fit the parser: a fault of how the program was built.
    NoGrammar,
}

/// A node that says that the text isn't C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ErrorNode {
    /// What couldn't be parsed; empty where something is missing.
    pub(super) span: Span,
    /// The kind of what is missing.
    pub(super) missing: Option<u16>,
}

fn grammar() -> Language {
    tree_sitter_c::LANGUAGE.into()
}

/// Parses `text`.
pub(super) fn parse(text: &[u8]) -> Result<Tree, Refusal> {
    if text.len() > MAX_PARSED_BYTES {
        return Err(Refusal::TooLong);
    }
    let mut parser = Parser::new();
    parser.set_language(&grammar()).map_err(|_| Refusal::NoGrammar)?;
    let mut left = FREE_STEPS + text.len() / BYTES_A_STEP;
    let mut progress = |_: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| text.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options)).ok_or(Refusal::TooMuchWork)
}

impl ErrorNode {
    /// What is missing, as it is written in C where that is known.
    pub(super) fn missing_name(&self) -> Option<String> {
        self.missing.map(|kind| grammar().node_kind_for_id(kind).unwrap_or("something").to_owned())
    }
}

/// The outermost error nodes of a tree and the missing ones, in order of their places.
pub(super) fn errors(tree: &Tree) -> Vec<ErrorNode> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let error = error(&node);
        let deeper = error.is_none() && node.has_error();
        found.extend(error);
        if !(deeper && cursor.goto_first_child()) && !goto_next(&mut cursor) {
            return found;
        }
    }
}

fn error(node: &Node<'_>) -> Option<ErrorNode> {
    let span = Span::new(node.start_byte(), node.end_byte());
    if node.is_missing() {
        Some(ErrorNode { span, missing: Some(node.kind_id()) })
    } else {
        node.is_error().then_some(ErrorNode { span, missing: None })
    }
}

/// Goes to the next node that isn't below the current one; `false` at the end of the tree.
pub(super) fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}
