//! A syntax tree as a plain list of nodes, for those who look at whole functions.
//!
//! Nodes stand in text order, each before what it holds, so that a part of the tree is a range.

use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::Tree;

use super::{Parsed, View, tree};
use crate::text::Span;

/// How far above a node is looked: text that is nested deeper must not cost the square of its depth.
const MAX_ABOVE: usize = 1000;

/// A node: its kind and field are called as in the grammar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Kind, such as `call_expression`; a token of punctuation or a keyword is its own.
    pub(crate) kind: &'static str,
    /// The kind's number in the grammar.
    pub(super) id: u16,
    /// The field of the node above that it stands in.
    pub(crate) field: Option<&'static str>,
    /// The field's number in the grammar; 0 for none.
    pub(super) field_id: u16,
    /// Nothing stands there, where the grammar wants such a node.
    pub(super) missing: bool,
    /// What stands there fits no rule of the grammar.
    pub(super) error: bool,
    /// Its bytes.
    pub(crate) span: Span,
    /// The node above; itself for the first.
    pub(crate) parent: usize,
    /// Behind the last node that it holds.
    pub(crate) end: usize,
}

/// The nodes of one view of a file.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The nodes.
    pub(crate) nodes: Vec<Node>,
}

impl Parsed {
    /// One for each view. Of a file whose statements are cut by conditional groups there are several;
    /// what they have in common stands in each.
    pub(crate) fn outlines(&self) -> impl Iterator<Item = &Outline> {
        self.views.iter().map(|view: &View| &view.outline)
    }
}

/// The grammar's words, by number.
struct Words {
    kinds: Vec<&'static str>,
    fields: Vec<Option<&'static str>>,
}

fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let grammar: &'static tree_sitter::Language = {
            static GRAMMAR: OnceLock<tree_sitter::Language> = OnceLock::new();
            GRAMMAR.get_or_init(tree::grammar)
        };
        let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let fields = u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
        Words {
            kinds: (0..count).map(|id| grammar.node_kind_for_id(id).unwrap_or("")).collect(),
            fields: (0..=fields).map(|id| grammar.field_name_for_id(id)).collect(),
        }
    })
}

/// Takes a tree down as a list. Walking a tree costs more than all that is done on the way: it is done
/// once.
pub(super) fn outline(tree: &Tree) -> Outline {
    let words = words();
    let mut cursor = tree.walk();
    let mut nodes: Vec<Node> = Vec::with_capacity(tree.root_node().descendant_count());
    let mut above: Vec<usize> = Vec::new();
    loop {
        let node = cursor.node();
        let parent = above.last().copied().unwrap_or(0);
        let field_id = cursor.field_id().map_or(0, u16::from);
        let field = words.fields.get(usize::from(field_id)).copied().flatten();
        let id = node.kind_id();
        let kind = words.kinds.get(usize::from(id)).copied().unwrap_or("ERROR");
        let span = Span::new(node.start_byte(), node.end_byte());
        let (missing, error, end) = (node.is_missing(), node.is_error(), nodes.len() + 1);
        nodes.push(Node { kind, id, field, field_id, missing, error, span, parent, end });
        if cursor.goto_first_child() {
            above.push(nodes.len() - 1);
            continue;
        }
        while !cursor.goto_next_sibling() {
            let Some(done) = above.pop().filter(|_| cursor.goto_parent()) else {
                return Outline { nodes };
            };
            nodes[done].end = nodes.len();
        }
    }
}

impl Outline {
    /// The places of the nodes right below one.
    pub(crate) fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[at].end;
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let here = next;
            next = self.nodes.get(here).filter(|_| here < end)?.end;
            Some(here)
        })
    }

    /// The first node right below one in a field.
    pub(crate) fn child(&self, at: usize, field: &str) -> Option<usize> {
        self.children(at).find(|&child| self.nodes[child].field == Some(field))
    }

    /// All nodes below one.
    pub(crate) fn below(&self, at: usize) -> Range<usize> {
        at + 1..self.nodes[at].end
    }

    /// All places at which a kind of node stands.
    pub(crate) fn all(&self, kind: &str) -> impl Iterator<Item = usize> + '_ {
        // Several numbers may have one name; comparing numbers is quicker.
        let known = words().kinds.iter();
        let wanted: Vec<bool> = known.map(|known| *known == kind).collect();
        let is = move |at: &usize| wanted.get(usize::from(self.nodes[*at].id)) == Some(&true);
        (0..self.nodes.len()).filter(is)
    }

    /// The nodes above one, nearest first.
    pub(crate) fn above(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let mut here = at;
        let up = std::iter::from_fn(move || {
            let parent = self.nodes[here].parent;
            let more = parent != here;
            here = parent;
            more.then_some(parent)
        });
        up.take(MAX_ABOVE)
    }
}
