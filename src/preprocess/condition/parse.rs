//! The grammar of conditions, without recursion: depth and length are the text's to choose.

use super::super::constant;
use super::super::lexer::{Token, TokenKind, directive_tokens};
use super::super::settings::{EntryId, Settings};
use super::super::value::{Arithmetic, Value};
use crate::text::Span;

/// A node of the syntax tree; operands are indices of earlier nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum NodeKind {
    Constant(Value),
    Name(Option<EntryId>),
    /// `defined X`; with parentheses or not is of no matter here.
    Defined(Option<EntryId>),
    /// `NAME(...)`.
    Call(Option<EntryId>),
    /// A literal that is no integer: nothing is known.
    Opaque,
    Paren(u32),
    Not(u32),
    Plus(u32),
    Minus(u32),
    Complement(u32),
    And(u32, u32),
    Or(u32, u32),
    Comma(u32, u32),
    Binary(Arithmetic, u32, u32),
    Ternary(u32, u32, u32),
}

/// A condition's tree; the root is the last node.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) nodes: Vec<Node>,
}

/// Parses the condition at `span`; `None` where it is no expression.
pub(super) fn parse(bytes: &[u8], span: Span, settings: &Settings) -> Option<Parsed> {
    let tokens = directive_tokens(bytes, span).filter(|token| !token.is_trivia()).collect();
    let mut parser = Parser {
        bytes,
        settings,
        tokens,
        at: 0,
        nodes: Vec::new(),
        done: Vec::new(),
        open: Vec::new(),
    };
    parser.run()?;
    Some(Parsed { nodes: parser.nodes })
}

/// An operator that waits for its right operand, or an opening mark.
#[derive(Clone, Copy, Debug)]
enum Pending {
    Paren(Span),
    Unary(u8, Span),
    Infix(Infix),
    /// `c ?`: what follows up to the `:` is a whole expression.
    Question,
    /// `c ? a :`
    Colon,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Infix {
    Comma,
    Or,
    And,
    Arithmetic(Arithmetic),
}

impl Infix {
    fn new(text: &[u8]) -> Option<Infix> {
        use Arithmetic::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor};
        Some(Infix::Arithmetic(match text {
            b"," => return Some(Infix::Comma),
            b"||" => return Some(Infix::Or),
            b"&&" => return Some(Infix::And),
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
        }))
    }

    /// Higher binds tighter; `? :` has 2.
    fn precedence(self) -> u8 {
        use Arithmetic::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor};
        match self {
            Infix::Comma => 1,
            Infix::Or => 3,
            Infix::And => 4,
            Infix::Arithmetic(op) => match op {
                Or => 5,
                Xor => 6,
                And => 7,
                Eq | Ne => 8,
                Lt | Le | Gt | Ge => 9,
                Shl | Shr => 10,
                Add | Sub => 11,
                Mul | Div | Rem => 12,
            },
        }
    }
}

const TERNARY: u8 = 2;
const UNARY: u8 = 13;

impl Pending {
    /// `None` for marks that only their counterpart may take off.
    fn precedence(self) -> Option<u8> {
        match self {
            Pending::Paren(_) | Pending::Question => None,
            Pending::Colon => Some(TERNARY),
            Pending::Infix(op) => Some(op.precedence()),
            Pending::Unary(..) => Some(UNARY),
        }
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    settings: &'a Settings,
    tokens: Vec<Token>,
    at: usize,
    nodes: Vec<Node>,
    /// Operands that are complete.
    done: Vec<u32>,
    /// Operators that wait.
    open: Vec<Pending>,
}

impl Parser<'_> {
    fn run(&mut self) -> Option<()> {
        loop {
            self.operand()?;
            if !self.after_operand()? {
                break;
            }
        }
        self.reduce_while(|_| true)?;
        (self.open.is_empty() && self.done.len() == 1).then_some(())
    }

    fn next(&mut self) -> Option<Token> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    fn is_punct(&self, ahead: usize, text: &[u8]) -> bool {
        self.tokens
            .get(self.at + ahead)
            .is_some_and(|token| token.kind == TokenKind::Punct && &*token.text(self.bytes) == text)
    }

    fn push(&mut self, kind: NodeKind, span: Span) {
        self.done.push(self.nodes.len() as u32);
        self.nodes.push(Node { kind, span });
    }

    /// Prefix operators and opening parentheses up to and with one primary.
    fn operand(&mut self) -> Option<()> {
        loop {
            let token = self.next()?;
            match token.kind {
                TokenKind::Punct => match &*token.text(self.bytes) {
                    b"(" => self.open.push(Pending::Paren(token.span)),
                    [op @ (b'!' | b'+' | b'-' | b'~')] => {
                        self.open.push(Pending::Unary(*op, token.span));
                    }
                    _ => return None,
                },
                TokenKind::Identifier => return self.name(token),
                TokenKind::Number | TokenKind::Char => {
                    let text = token.text(self.bytes);
                    let value = match token.kind {
                        TokenKind::Number => constant::number(&text),
                        _ => constant::character(&text),
                    };
                    let kind = value.map_or(NodeKind::Opaque, NodeKind::Constant);
                    self.push(kind, token.span);
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    fn name(&mut self, token: Token) -> Option<()> {
        let text = token.text(self.bytes);
        if &*text == b"defined" {
            return self.defined(token);
        }
        let id = self.settings.find(&text);
        if self.is_punct(0, b"(") {
            let end = self.skip_arguments()?;
            self.push(NodeKind::Call(id), token.span.cover(end));
        } else {
            self.push(NodeKind::Name(id), token.span);
        }
        Some(())
    }

    fn defined(&mut self, token: Token) -> Option<()> {
        let parenthesised = self.is_punct(0, b"(");
        if parenthesised {
            self.next()?;
        }
        let name = self.next().filter(|t| t.kind == TokenKind::Identifier)?;
        let mut span = token.span.cover(name.span);
        if parenthesised {
            if !self.is_punct(0, b")") {
                return None;
            }
            span = span.cover(self.next()?.span);
        }
        let id = self.settings.find(&name.text(self.bytes));
        self.push(NodeKind::Defined(id), span);
        Some(())
    }

    /// Skips `( ... )`; gives the closing parenthesis.
    fn skip_arguments(&mut self) -> Option<Span> {
        let mut depth = 0usize;
        loop {
            if self.is_punct(0, b"(") {
                depth += 1;
            } else if self.is_punct(0, b")") {
                depth -= 1;
            }
            let token = self.next()?;
            if depth == 0 {
                return Some(token.span);
            }
        }
    }

    /// Closing parentheses, then one infix operator; `false` at the end.
    fn after_operand(&mut self) -> Option<bool> {
        loop {
            let Some(token) = self.next() else { return Some(false) };
            if token.kind != TokenKind::Punct {
                return None;
            }
            let text = token.text(self.bytes);
            match &*text {
                b")" => self.close(token.span)?,
                b"?" => {
                    self.reduce_while(|p| p > TERNARY)?;
                    self.open.push(Pending::Question);
                    return Some(true);
                }
                b":" => {
                    self.reduce_while(|_| true)?;
                    if !matches!(self.open.pop(), Some(Pending::Question)) {
                        return None;
                    }
                    self.open.push(Pending::Colon);
                    return Some(true);
                }
                text => {
                    let op = Infix::new(text)?;
                    self.reduce_while(|p| p >= op.precedence())?;
                    self.open.push(Pending::Infix(op));
                    return Some(true);
                }
            }
        }
    }

    fn close(&mut self, end: Span) -> Option<()> {
        self.reduce_while(|_| true)?;
        let Some(Pending::Paren(start)) = self.open.pop() else { return None };
        let inner = self.done.pop()?;
        self.push(NodeKind::Paren(inner), start.cover(end));
        Some(())
    }

    /// Applies waiting operators whose precedence passes, down to the next mark.
    fn reduce_while(&mut self, pass: impl Fn(u8) -> bool) -> Option<()> {
        while let Some(&top) = self.open.last() {
            if !top.precedence().is_some_and(&pass) {
                break;
            }
            self.open.pop();
            self.apply(top)?;
        }
        Some(())
    }

    fn apply(&mut self, operator: Pending) -> Option<()> {
        let last = self.done.pop()?;
        let last_span = self.nodes[last as usize].span;
        let (kind, span) = match operator {
            Pending::Unary(op, at) => {
                let kind = match op {
                    b'!' => NodeKind::Not(last),
                    b'-' => NodeKind::Minus(last),
                    b'~' => NodeKind::Complement(last),
                    _ => NodeKind::Plus(last),
                };
                (kind, at)
            }
            Pending::Infix(op) => {
                let first = self.done.pop()?;
                let kind = match op {
                    Infix::Comma => NodeKind::Comma(first, last),
                    Infix::Or => NodeKind::Or(first, last),
                    Infix::And => NodeKind::And(first, last),
                    Infix::Arithmetic(op) => NodeKind::Binary(op, first, last),
                };
                (kind, self.nodes[first as usize].span)
            }
            Pending::Colon => {
                let then = self.done.pop()?;
                let condition = self.done.pop()?;
                (NodeKind::Ternary(condition, then, last), self.nodes[condition as usize].span)
            }
            Pending::Paren(_) | Pending::Question => return None,
        };
        self.push(kind, span.cover(last_span));
        Some(())
    }
}
