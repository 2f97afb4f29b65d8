//! Conditions as the proof reads them: with a grammar of its own, so that a fault in the folder's
//! reading is not made twice.

use crate::preprocess::constant;
use crate::preprocess::lexer::{Token, TokenKind, directive_tokens};
use crate::preprocess::value::{Arithmetic, Value};
use crate::text::Span;

/// Index of a node in its [`Expression`].
pub(super) type NodeId = usize;

/// A node; operands stand before their operators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Node {
    Constant(Value),
    /// The value of a macro, or of a call such as `__has_builtin(x)`.
    Value(Subject),
    Defined(Subject),
    Not(NodeId),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Choice(NodeId, NodeId, NodeId),
    Minus(NodeId),
    Complement(NodeId),
    Arithmetic(Arithmetic, NodeId, NodeId),
    /// No integer, or nothing that C knows: only that it is the same as itself can be said.
    Opaque,
}

/// What a fact is about: a name, with its arguments if it is called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Subject {
    pub(super) name: Vec<u8>,
    /// The call in words; empty for a plain name.
    pub(super) call: Vec<u8>,
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) nodes: Vec<Node>,
    /// By node: its words, for those that nothing else can be said of.
    pub(super) words: Vec<(usize, usize)>,
    /// The words that it is made of.
    pub(super) tokens: Vec<Word>,
    /// The node of the whole.
    pub(super) root: NodeId,
}

/// A token of a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Word {
    pub(super) kind: TokenKind,
    pub(super) text: Vec<u8>,
}

impl Word {
    fn new(token: Token, bytes: &[u8]) -> Word {
        Word { kind: token.kind, text: token.text(bytes).into_owned() }
    }

    pub(super) fn is_name(&self) -> bool {
        self.kind == TokenKind::Identifier
    }
}

/// Deepest nesting that is read; deeper conditions are not proved.
const MAX_DEPTH: usize = 200;

/// The words of a text.
pub(super) fn words(bytes: &[u8], span: Span) -> Vec<Word> {
    let tokens = directive_tokens(bytes, span).filter(|token| !token.is_trivia());
    tokens.map(|token| Word::new(token, bytes)).collect()
}

impl Expression {
    /// Reads a condition. What is no expression is one opaque node.
    pub(super) fn read(tokens: Vec<Word>) -> Expression {
        let mut reader =
            Reader { tokens: &tokens, at: 0, depth: 0, nodes: Vec::new(), words: Vec::new() };
        let root = reader.comma().filter(|_| reader.at == tokens.len());
        let Reader { nodes, words, .. } = reader;
        match root {
            Some(root) => Expression { nodes, words, tokens, root },
            None => {
                let words = vec![(0, tokens.len())];
                Expression { nodes: vec![Node::Opaque], words, tokens, root: 0 }
            }
        }
    }

    /// Whether a name is defined, or not.
    pub(super) fn defined(name: Word, wanted: bool) -> Expression {
        let subject = Subject { name: name.text.clone(), call: Vec::new() };
        let mut nodes = vec![Node::Defined(subject)];
        if !wanted {
            nodes.push(Node::Not(0));
        }
        let (words, root) = (vec![(0, 1); nodes.len()], nodes.len() - 1);
        Expression { nodes, words, tokens: vec![name], root }
    }
}

struct Reader<'a> {
    tokens: &'a [Word],
    at: usize,
    depth: usize,
    nodes: Vec<Node>,
    words: Vec<(usize, usize)>,
}

/// How tight a binary operator binds, from 0.
fn level(operator: &[u8]) -> Option<usize> {
    Some(match operator {
        b"||" => 0,
        b"&&" => 1,
        b"|" => 2,
        b"^" => 3,
        b"&" => 4,
        b"==" | b"!=" => 5,
        b"<" | b"<=" | b">" | b">=" => 6,
        b"<<" | b">>" => 7,
        b"+" | b"-" => 8,
        b"*" | b"/" | b"%" => 9,
        _ => return None,
    })
}

impl Reader<'_> {
    fn push(&mut self, start: usize, node: Node) -> NodeId {
        self.words.push((start, self.at));
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn peek(&self) -> Option<&[u8]> {
        self.tokens.get(self.at).map(|word| word.text.as_slice())
    }

    fn take(&mut self, text: &[u8]) -> bool {
        let found = self.peek() == Some(text);
        self.at += usize::from(found);
        found
    }

    /// The value of `a, b` is that of `b`; it has to stand last.
    fn comma(&mut self) -> Option<NodeId> {
        let start = self.at;
        let mut node = self.choice()?;
        while self.take(b",") {
            self.choice()?;
            // Preprocessors disagree on it; nobody writes it.
            node = self.push(start, Node::Opaque);
        }
        Some(node)
    }

    fn choice(&mut self) -> Option<NodeId> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let start = self.at;
        let condition = self.binary(0)?;
        let node = if self.take(b"?") {
            let then = self.comma()?;
            if !self.take(b":") {
                return None;
            }
            let other = self.choice()?;
            self.push(start, Node::Choice(condition, then, other))
        } else {
            condition
        };
        self.depth -= 1;
        Some(node)
    }

    /// Operators that bind at least as tight as `least`.
    fn binary(&mut self, least: usize) -> Option<NodeId> {
        let start = self.at;
        let mut left = self.unary()?;
        loop {
            let operator = self.peek().unwrap_or_default();
            let Some(level) = level(operator).filter(|level| *level >= least) else {
                return Some(left);
            };
            let operator = operator.to_vec();
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = self.push(start, operation(&operator, left, right)?);
        }
    }

    fn unary(&mut self) -> Option<NodeId> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let start = self.at;
        let node = match self.peek()? {
            b"!" => {
                self.at += 1;
                let inner = self.unary()?;
                self.push(start, Node::Not(inner))
            }
            b"-" => {
                self.at += 1;
                let inner = self.unary()?;
                self.push(start, Node::Minus(inner))
            }
            b"~" => {
                self.at += 1;
                let inner = self.unary()?;
                self.push(start, Node::Complement(inner))
            }
            b"+" => {
                self.at += 1;
                self.unary()?
            }
            _ => self.primary()?,
        };
        self.depth -= 1;
        Some(node)
    }

    fn primary(&mut self) -> Option<NodeId> {
        let start = self.at;
        let word = self.tokens.get(self.at)?;
        self.at += 1;
        match word.kind {
            TokenKind::Identifier if word.text == b"defined" => self.defined(start),
            TokenKind::Identifier => self.name(start),
            TokenKind::Number => {
                let value = constant::number(&word.text);
                Some(self.push(start, value.map_or(Node::Opaque, Node::Constant)))
            }
            TokenKind::Char => {
                let value = constant::character(&word.text);
                Some(self.push(start, value.map_or(Node::Opaque, Node::Constant)))
            }
            TokenKind::Punct if word.text == b"(" => {
                let inner = self.comma()?;
                if !self.take(b")") {
                    return None;
                }
                Some(inner)
            }
            _ => None,
        }
    }

    fn defined(&mut self, start: usize) -> Option<NodeId> {
        let parenthesised = self.take(b"(");
        let name = self.tokens.get(self.at).filter(|word| word.is_name())?.text.clone();
        self.at += 1;
        if parenthesised && !self.take(b")") {
            return None;
        }
        Some(self.push(start, Node::Defined(Subject { name, call: Vec::new() })))
    }

    fn name(&mut self, start: usize) -> Option<NodeId> {
        let name = self.tokens[start].text.clone();
        let mut call = Vec::new();
        if self.peek() == Some(b"(") {
            let open = self.at;
            let mut depth = 0usize;
            loop {
                let text = self.peek()?;
                depth += usize::from(text == b"(");
                depth -= usize::from(text == b")");
                self.at += 1;
                if depth == 0 {
                    break;
                }
            }
            call = joined(&self.tokens[open..self.at]);
        }
        Some(self.push(start, Node::Value(Subject { name, call })))
    }
}

/// Words with a blank between.
fn joined(words: &[Word]) -> Vec<u8> {
    words.iter().map(|word| word.text.as_slice()).collect::<Vec<_>>().join(&b' ')
}

fn operation(operator: &[u8], a: NodeId, b: NodeId) -> Option<Node> {
    use Arithmetic::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor};
    let arithmetic = match operator {
        b"||" => return Some(Node::Or(a, b)),
        b"&&" => return Some(Node::And(a, b)),
        b"|" => Or,
        b"^" => Xor,
        b"&" => And,
        b"==" => Eq,
        b"!=" => Ne,
        b"<" => Lt,
        b"<=" => Le,
        b">" => Gt,
        b">=" => Ge,
        b"<<" => Shl,
        b">>" => Shr,
        b"+" => Add,
        b"-" => Sub,
        b"*" => Mul,
        b"/" => Div,
        b"%" => Rem,
        _ => return None,
    };
    Some(Node::Arithmetic(arithmetic, a, b))
}
