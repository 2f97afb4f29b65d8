//! One file in its parts: macro definitions, includes, and what stands at file scope.

use std::ops::Range;

use crate::preprocess::lexer::{self, Directive, Keyword, TokenKind, directive_tokens};
use crate::syntax::{Code, Head, Lexed};
use crate::text::Span;

/// A file, taken apart.
pub(super) struct Scanned<'a> {
    /// Its tokens.
    pub(super) lexed: Lexed<'a>,
    /// Its macro definitions.
    pub(super) macros: Vec<MacroText>,
    /// What stands at file scope, in order.
    pub(super) items: Vec<Item>,
    /// Names that it undefines.
    pub(super) undefined: Vec<Span>,
    /// What its include directives name, `<>` or `""` left out.
    pub(super) includes: Vec<String>,
}

/// A macro definition.
pub(super) struct MacroText {
    /// The name.
    pub(super) name: Span,
    /// The parameters; `None` where it takes no arguments.
    pub(super) parameters: Option<Vec<Span>>,
    /// Whether the last argument takes the rest.
    pub(super) variadic: bool,
    /// Whether a condition decides on it, other than that of an include guard.
    pub(super) conditional: bool,
    /// What it stands for.
    pub(super) body: Vec<Code>,
}

/// One definition, declaration or other construct at file scope.
#[derive(Debug)]
pub(super) struct Item {
    /// Its tokens in `Lexed::code`.
    pub(super) code: Range<usize>,
    /// Names in the head with a parenthesis behind them, outside other parentheses.
    pub(super) called: Vec<usize>,
    /// Names in no bracket at all: specifiers, types, declared names.
    pub(super) plain: Vec<usize>,
    /// Those of them behind which one of `=`, `[`, `,` and `;` stands: declared names.
    pub(super) declared: Vec<usize>,
    /// Whether a function body ends it.
    pub(super) body: bool,
    /// Whether it gives a value.
    pub(super) value: bool,
    /// Whether braces of a structure, union or enumeration, or of an initialiser, stand in it.
    pub(super) braces: bool,
}

/// Takes a file apart.
pub(super) fn scan<'a>(bytes: &'a [u8], directives: &lexer::Scanned) -> Scanned<'a> {
    let lexed = Lexed::scanned(bytes, directives.of(bytes).directives.clone());
    let (mut macros, mut includes, mut undefined) = (Vec::new(), Vec::new(), Vec::new());
    let mut depth = 0usize;
    let guarded = usize::from(has_guard(bytes, &lexed.directives));
    for directive in &lexed.directives {
        match directive.keyword {
            Keyword::Define => macros.extend(macro_text(bytes, directive, depth > guarded)),
            Keyword::Undef => undefined.extend(name_of(bytes, directive)),
            Keyword::Include => includes.extend(included(bytes, directive)),
            Keyword::Endif => depth = depth.saturating_sub(1),
            other => depth += usize::from(other.opens()),
        }
    }
    let items = Items::of(&lexed);
    Scanned { lexed, macros, items, undefined, includes }
}

/// Whether the first two directives are `#ifndef X` and `#define X`.
fn has_guard(bytes: &[u8], directives: &[Directive]) -> bool {
    let text = |directive| name_of(bytes, directive).map(|span| &bytes[span.range()]);
    match directives {
        [first, second, ..] => {
            (first.keyword, second.keyword) == (Keyword::Ifndef, Keyword::Define)
                && text(first).is_some_and(|name| text(second) == Some(name))
        }
        _ => false,
    }
}

/// The name that a directive is about.
fn name_of(bytes: &[u8], directive: &Directive) -> Option<Span> {
    let mut tokens = directive_tokens(bytes, directive.body).filter(|token| !token.is_trivia());
    tokens.next().filter(|token| token.kind == TokenKind::Identifier).map(|token| token.span)
}

fn macro_text(bytes: &[u8], directive: &Directive, conditional: bool) -> Option<MacroText> {
    let head = Head::read(bytes, directive.body)?;
    let body = Span { start: head.end, end: directive.body.end };
    let tokens = directive_tokens(bytes, body).filter(|token| !token.is_trivia());
    let spans = |list: Vec<crate::preprocess::lexer::Token>| list.iter().map(|t| t.span).collect();
    Some(MacroText {
        name: head.name.span,
        parameters: head.parameters.map(spans),
        variadic: head.variadic,
        conditional,
        body: tokens.map(|token| Code::new(bytes, &token)).collect(),
    })
}

fn included(bytes: &[u8], directive: &Directive) -> Option<String> {
    // The lexer expects a header name behind the directive's own name only.
    let body = std::str::from_utf8(&bytes[directive.body.range()]).ok()?.trim();
    let close = match body.chars().next()? {
        '<' => '>',
        '"' => '"',
        _ => return None,
    };
    let end = body[1..].find(close)?;
    Some(body[1..=end].to_owned())
}

/// Splits the tokens of a file into items.
struct Items<'l, 'a> {
    lexed: &'l Lexed<'a>,
    found: Vec<Item>,
    item: Item,
    braces: usize,
    parens: usize,
    /// Depths at the start of the conditional groups that are open: every branch starts with them.
    groups: Vec<(usize, usize)>,
    in_value: bool,
}

impl Items<'_, '_> {
    fn of(lexed: &Lexed<'_>) -> Vec<Item> {
        let mut items = Items {
            lexed,
            found: Vec::new(),
            item: Item::starting(0),
            braces: 0,
            parens: 0,
            groups: Vec::new(),
            in_value: false,
        };
        let mut next = 0;
        for (at, token) in lexed.code.iter().enumerate() {
            while let Some(directive) = lexed.directives.get(next)
                && directive.end <= token.span.start
            {
                items.directive(directive);
                next += 1;
            }
            items.token(at, token);
        }
        items.finish(lexed.code.len());
        items.found
    }

    fn directive(&mut self, directive: &Directive) {
        match directive.keyword {
            Keyword::If | Keyword::Ifdef | Keyword::Ifndef => {
                self.groups.push((self.braces, self.parens));
            }
            Keyword::Else | Keyword::Elif | Keyword::Elifdef | Keyword::Elifndef => {
                if let Some(&depths) = self.groups.last() {
                    (self.braces, self.parens) = depths;
                }
            }
            Keyword::Endif => {
                self.groups.pop();
            }
            _ => {}
        }
    }

    fn token(&mut self, at: usize, token: &Code) {
        match token.punct {
            b'{' => self.open_brace(at),
            b'}' => {
                let inside = self.braces > 0;
                self.braces = self.braces.saturating_sub(1);
                if self.braces == 0 && (self.item.body || !inside) {
                    self.finish(at + 1);
                }
            }
            b'(' | b'[' => self.parens += 1,
            b')' | b']' => self.parens = self.parens.saturating_sub(1),
            b';' if self.braces == 0 => {
                // A parenthesis that never closed must not swallow the rest of the file.
                self.parens = 0;
                self.finish(at + 1);
            }
            b'=' if self.at_top() => (self.in_value, self.item.value) = (true, true),
            b',' if self.at_top() => self.in_value = false,
            _ if token.is_identifier() && self.at_top() && !self.in_value => self.name(at),
            _ => {}
        }
    }

    fn at_top(&self) -> bool {
        self.braces == 0 && self.parens == 0
    }

    fn name(&mut self, at: usize) {
        let punct = |at: usize| self.lexed.code.get(at).map_or(0, |token| token.punct);
        let next = punct(at + 1);
        // `int (f)(int)`: the parentheses keep macros away only.
        let wrapped = [next, punct(at + 3), punct(at + 4)] == *b"()(";
        match next {
            b'(' if wrapped && !self.item.braces => {
                self.item.plain.push(at);
                self.item.called.push(at + 2);
            }
            b'(' if !self.item.braces => self.item.called.push(at),
            _ => self.item.plain.push(at),
        }
        if matches!(next, b'=' | b'[' | b',' | b';') {
            self.item.declared.push(at);
        }
    }

    fn open_brace(&mut self, at: usize) {
        if self.braces == 0 {
            let before = at.checked_sub(1).map(|before| self.lexed.code[before]);
            if before.is_some_and(|token| token.kind == TokenKind::Str) {
                // Of a linkage specification: what is inside stands at file scope.
                self.item = Item::starting(at + 1);
                return;
            }
            let value = self.in_value;
            let named = before.is_some_and(|token| token.is_identifier())
                && !self.item.called.iter().any(|&called| called + 1 < at);
            self.item.body = !value && !named && !self.item.called.is_empty() && !self.is_typedef();
            self.item.braces |= !self.item.body;
        }
        self.braces += 1;
    }

    fn is_typedef(&self) -> bool {
        let word = |&at: &usize| self.lexed.is_word(&self.lexed.code[at], b"typedef");
        self.item.plain.iter().any(word)
    }

    fn finish(&mut self, end: usize) {
        self.in_value = false;
        let mut item = std::mem::replace(&mut self.item, Item::starting(end));
        item.code.end = end;
        if item.code.len() > 1 {
            self.found.push(item);
        }
    }
}

impl Item {
    fn starting(at: usize) -> Item {
        Item {
            code: at..at,
            called: Vec::new(),
            plain: Vec::new(),
            declared: Vec::new(),
            body: false,
            value: false,
            braces: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let scanned = scan(text.as_bytes(), &lexer::Scanned::default());
        let word = |at: &usize| {
            String::from_utf8_lossy(&scanned.lexed.text(&scanned.lexed.code[*at])).into_owned()
        };
        let words = |list: &[usize]| list.iter().map(word).collect::<Vec<_>>().join(" ");
        let item = |item: &Item| {
            let kind = if item.body { "body" } else { "decl" };
            format!("{kind} ({}) [{}]", words(&item.called), words(&item.declared))
        };
        scanned.items.iter().map(item).collect()
    }

    #[test]
    fn file_scope_falls_into_items() {
        let text = "struct s { int a; };\nint f(int x);\nstatic int v = g(1), w[3];\n\
                    ATTR(8) int f(int x) { return x ? h() : 2; }\n\
                    extern \"C\" {\nint k(void) { return 1; }\n}\nEXPORT(f);\n\
                    typedef struct { int f(int); } t;\nconst int table[] = { 1, 2 };\n\
                    enum e { A = 1 } e;\n";
        let wanted = [
            "decl () []",
            "decl (f) []",
            "decl () [v w]",
            "body (ATTR f) []",
            "body (k) []",
            "decl (EXPORT) []",
            "decl () [t]",
            "decl () [table]",
            "decl () [e]",
        ];
        assert_eq!(shown(text), wanted);
    }

    #[test]
    fn a_group_that_cuts_a_statement_does_not_shift_what_follows() {
        let text = "int f(int x) {\n#if A\nif (x) {\n#else\nif (!x) {\n#endif\nx++; }\n\
                    return x; }\nint g(void) { return 1; }\n";
        assert_eq!(shown(text), ["body (f) []", "body (g) []"]);
    }

    #[test]
    fn includes_and_macros_are_seen() {
        let text = "#include <linux/a.h>\n#  include \"b.h\" // c\n#define M(a, ...) f(a)\n";
        let scanned = scan(text.as_bytes(), &lexer::Scanned::default());
        assert_eq!(scanned.includes, ["linux/a.h", "b.h"]);
        let only = &scanned.macros[0];
        assert!(only.variadic && only.parameters.as_ref().unwrap().len() == 1);
        assert_eq!(only.body.len(), 4);
    }
}
