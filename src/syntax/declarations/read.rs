//! From the trees of a file to what it declares.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::{
    Declarations, Enumeration, Enumerator, Field, FunctionDeclaration, Joined, MacroDeclaration,
    Parameter, Record, TypeText, Typedef, declarators,
};
use crate::preprocess::lexer::{Directive, Keyword, Token, directive_tokens, scan};
use crate::syntax::definitions::Head;
use crate::syntax::lexed::{Code, Lexed};
use crate::syntax::{Parsed, View};
use crate::text::Span;

impl Parsed {
    /// What the file declares. Where branches exclude each other, what all of them declare.
    pub fn declarations(&self) -> Declarations {
        let mut found = Found::default();
        for view in &self.views {
            Reader { parsed: self, lexed: Lexed::new(&view.text), found: &mut found }.run(view);
        }
        Declarations {
            functions: found.functions.into_values().collect(),
            typedefs: found.typedefs.into_values().collect(),
            records: found.records.into_values().collect(),
            enumerations: found.enumerations.into_values().collect(),
            macros: self.macros(),
        }
    }

    fn macros(&self) -> Vec<MacroDeclaration> {
        let bytes = &*self.bytes;
        let directives = scan(bytes).directives;
        let define = |directive: &Directive| {
            let head = Head::read(bytes, directive.body)?;
            let rest = Span { start: head.end, end: directive.body.end };
            let mut joined = Joined::default();
            for token in directive_tokens(bytes, rest).filter(|t| !t.is_trivia()) {
                joined.push(token.kind, &token.text(bytes));
            }
            Some(MacroDeclaration {
                name: String::from_utf8_lossy(&head.name.text(bytes)).into_owned(),
                name_span: head.name.span,
                takes_arguments: head.parameters.is_some(),
                replacement: joined.text,
            })
        };
        directives.iter().filter(|d| d.keyword == Keyword::Define).filter_map(define).collect()
    }
}

/// What the views have in common is found once.
#[derive(Default)]
struct Found {
    functions: BTreeMap<Span, FunctionDeclaration>,
    typedefs: BTreeMap<Span, Typedef>,
    records: BTreeMap<Span, Record>,
    enumerations: BTreeMap<Span, Enumeration>,
}

struct Reader<'a> {
    parsed: &'a Parsed,
    lexed: Lexed<'a>,
    found: &'a mut Found,
}

fn span(node: &Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

impl Reader<'_> {
    /// Goes through file scope; no deeper than groups and `extern "C"` nest.
    fn run(&mut self, view: &View) {
        let mut cursor = view.tree.walk();
        let mut depth = 0usize;
        loop {
            let node = cursor.node();
            let deeper = match node.kind() {
                "translation_unit"
                | "linkage_specification"
                | "declaration_list"
                | "preproc_if"
                | "preproc_ifdef"
                | "preproc_else"
                | "preproc_elif"
                | "preproc_elifdef" => true,
                "declaration" | "function_definition" => {
                    self.declaration(&node);
                    false
                }
                "type_definition" => {
                    self.type_definition(&node);
                    false
                }
                "struct_specifier" | "union_specifier" | "enum_specifier" => {
                    self.specifier(&node, None);
                    false
                }
                _ => false,
            };
            if deeper && cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if depth == 0 || !cursor.goto_parent() {
                    return;
                }
                depth -= 1;
            }
        }
    }

    fn declaration(&mut self, node: &Node<'_>) {
        if let Some(ty) = node.child_by_field_name("type") {
            self.specifier(&ty, None);
        }
        let declarators = declarators::of(node);
        let Some(first) = declarators.first() else { return };
        let base = Span::new(node.start_byte(), first.start_byte());
        for declarator in &declarators {
            let Some((function, name)) = declarators::function(*declarator) else { continue };
            let Some(text) = self.name(&name) else { continue };
            let parameters = function.child_by_field_name("parameters");
            let end = parameters.map_or(function.end_byte(), |p| p.end_byte());
            let body = node.kind() == "function_definition";
            let whole = Span::new(node.start_byte(), if body { end } else { node.end_byte() });
            let (list, variadic) = parameters.map(|p| self.parameters(&p)).unwrap_or_default();
            let declaration = FunctionDeclaration {
                name: text,
                name_span: span(&name),
                span: whole,
                result: TypeText {
                    before: self.type_text(&[
                        base,
                        Span::new(declarator.start_byte(), function.start_byte()),
                    ]),
                    after: self.type_text(&[Span::new(end, declarator.end_byte())]),
                },
                parameters: list,
                variadic,
                defined: body,
                is_static: self.code(base).iter().any(|t| self.lexed.is_word(t, b"static")),
                deprecated: self.deprecated(whole),
            };
            self.found.functions.entry(span(&name)).or_insert(declaration);
        }
    }

    fn type_definition(&mut self, node: &Node<'_>) {
        let Some(ty) = node.child_by_field_name("type") else { return };
        let declarators = declarators::of(node);
        let Some(first) = declarators.first() else { return };
        // Only a bare name is another name of what the braces hold.
        let alias = declarators.iter().find(|d| d.kind() == "type_identifier");
        self.specifier(&ty, alias.map(|name| self.text(span(name))));
        let base = self.specifiers(node, &ty, first);
        for declarator in &declarators {
            let Some(name) = declarators::name(*declarator) else { continue };
            let Some(text) = self.name(&name) else { continue };
            let mut before = base.clone();
            before.push(Span::new(declarator.start_byte(), name.start_byte()));
            let typedef = Typedef {
                name: text,
                name_span: span(&name),
                span: span(node),
                kind: declarators::typedef_kind(*declarator, &ty),
                target: TypeText {
                    before: self.type_text(&before),
                    after: self.type_text(&[Span::new(name.end_byte(), declarator.end_byte())]),
                },
                deprecated: self.deprecated(span(node)),
            };
            self.found.typedefs.entry(span(&name)).or_insert(typedef);
        }
    }

    /// The parts of the text before the declarators, without the members in braces.
    fn specifiers(&self, node: &Node<'_>, ty: &Node<'_>, first: &Node<'_>) -> Vec<Span> {
        match ty.child_by_field_name("body") {
            Some(body) => vec![
                Span::new(node.start_byte(), body.start_byte()),
                Span::new(body.end_byte(), first.start_byte()),
            ],
            None => vec![Span::new(node.start_byte(), first.start_byte())],
        }
    }

    /// A struct, union or enumeration whose members stand here.
    fn specifier(&mut self, node: &Node<'_>, alias: Option<String>) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let tag = node.child_by_field_name("name").map(|name| self.text(span(&name)));
        match node.kind() {
            "enum_specifier" => {
                let members = self.members(&body, "enumerator");
                let enumerators = members.iter().map(|member| self.enumerator(member)).collect();
                let found = Enumeration { tag, alias, span: span(node), enumerators };
                self.found.enumerations.insert(span(node), found);
            }
            "struct_specifier" | "union_specifier" => {
                let fields = self.members(&body, "field_declaration");
                let fields = fields.iter().flat_map(|member| self.fields(member)).collect();
                let is_union = node.kind() == "union_specifier";
                let found = Record { tag, alias, is_union, span: span(node), fields };
                self.found.records.insert(span(node), found);
            }
            _ => {}
        }
    }

    /// The members in braces, those in conditional groups as well.
    fn members<'t>(&self, body: &Node<'t>, kind: &str) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        let mut todo = vec![*body];
        while let Some(node) = todo.pop() {
            let mut cursor = node.walk();
            let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
            for child in children {
                if child.kind() == kind {
                    found.push(child);
                } else if child.kind().starts_with("preproc_") {
                    todo.push(child);
                }
            }
        }
        found.sort_by_key(Node::start_byte);
        found
    }

    fn enumerator(&self, node: &Node<'_>) -> Enumerator {
        let part = |field: &str| node.child_by_field_name(field).map(|n| self.joined(&[span(&n)]));
        Enumerator {
            name: part("name").unwrap_or_default(),
            value: part("value"),
            span: span(node),
        }
    }

    fn fields(&self, node: &Node<'_>) -> Vec<Field> {
        let declarators = declarators::of(node);
        let Some(first) = declarators.first() else {
            let ty = TypeText { before: self.type_text(&[span(node)]), after: String::new() };
            return vec![Field { name: String::new(), ty, span: span(node) }];
        };
        let base = Span::new(node.start_byte(), first.start_byte());
        let field = |declarator: &Node<'_>| {
            let name = declarators::name(*declarator)?;
            Some(Field {
                name: self.text(span(&name)),
                ty: TypeText {
                    before: self
                        .type_text(&[base, Span::new(declarator.start_byte(), name.start_byte())]),
                    after: self.type_text(&[Span::new(name.end_byte(), declarator.end_byte())]),
                },
                span: span(node),
            })
        };
        declarators.iter().filter_map(field).collect()
    }

    fn parameters(&self, list: &Node<'_>) -> (Vec<Parameter>, bool) {
        let mut cursor = list.walk();
        let (mut found, mut variadic) = (Vec::new(), false);
        for node in list.named_children(&mut cursor) {
            match node.kind() {
                "variadic_parameter" => variadic = true,
                "parameter_declaration" => found.push(self.parameter(&node)),
                _ => {}
            }
        }
        let is_void = |p: &Parameter| p.name.is_empty() && p.ty.to_string() == "void";
        if found.len() == 1 && found.iter().all(is_void) {
            found.clear();
        }
        (found, variadic)
    }

    fn parameter(&self, node: &Node<'_>) -> Parameter {
        let declarator = node.child_by_field_name("declarator");
        let name = declarator.and_then(declarators::name);
        // Without a name all of the type stands before it, unless it has brackets.
        let cut = name.map(|n| span(&n)).or_else(|| {
            let declarator = declarator.filter(|d| d.kind() == "abstract_array_declarator")?;
            Some(Span::at(declarator.start_byte()))
        });
        let cut = cut.unwrap_or_else(|| Span::at(node.end_byte()));
        Parameter {
            name: name.map(|n| self.text(span(&n))).unwrap_or_default(),
            ty: TypeText {
                before: self.type_text(&[Span::new(node.start_byte(), cut.start as usize)]),
                after: self.type_text(&[Span::new(cut.end as usize, node.end_byte())]),
            },
            span: span(node),
        }
    }

    /// The code tokens in a part of the text.
    fn code(&self, part: Span) -> &[Code] {
        let from = self.lexed.code.partition_point(|t| t.span.start < part.start);
        let to = self.lexed.code.partition_point(|t| t.span.start < part.end);
        self.lexed.code.get(from..to).unwrap_or_default()
    }

    /// The text of a name; none where the parser took a word of a directive for one, or made one up.
    fn name(&self, node: &Node<'_>) -> Option<String> {
        Some(self.text(span(node))).filter(|text| !text.is_empty())
    }

    fn text(&self, name: Span) -> String {
        self.joined(&[name])
    }

    fn joined(&self, parts: &[Span]) -> String {
        self.join(parts, |_| true)
    }

    /// The text of a type: storage classes and the semicolon are no part of it.
    fn type_text(&self, parts: &[Span]) -> String {
        const NO_TYPE: [&[u8]; 8] = [
            b"typedef",
            b"extern",
            b"static",
            b"inline",
            b"__inline",
            b"__inline__",
            b"register",
            b";",
        ];
        self.join(parts, |word| !NO_TYPE.contains(&word))
    }

    fn join(&self, parts: &[Span], keep: impl Fn(&[u8]) -> bool) -> String {
        /// What every declarator of a declaration repeats must not add up to more than memory.
        const MOST_TOKENS: usize = 512;
        let mut joined = Joined::default();
        for token in parts.iter().flat_map(|part| self.code(*part)).take(MOST_TOKENS) {
            let text = Token { kind: token.kind, span: token.span }.text(self.lexed.bytes);
            if keep(&text) {
                joined.push(token.kind, &text);
            }
        }
        joined.text
    }

    /// The word that deprecates the declaration in `whole`. Macros before it are blanked for the
    /// parser, so that the tree begins behind them.
    fn deprecated(&self, whole: Span) -> Option<Span> {
        let before = self.lexed.code.partition_point(|t| t.span.start < whole.start);
        let start = before.checked_sub(1).map_or(0, |at| self.lexed.code[at].span.end);
        let marks = &self.parsed.deprecations;
        let first = marks.partition_point(|mark| mark.start < start);
        marks.get(first).copied().filter(|mark| mark.end <= whole.end)
    }
}
