//! What a file declares: functions, types and macros, in the words of its tree.

mod declarators;
mod read;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::preprocess::lexer::{TokenKind, tokens};
use crate::text::Span;

/// All that a file declares at file scope, in order of place. Spans are into the parsed text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Declarations {
    /// Functions, declared or defined; one that is declared twice is listed twice.
    pub functions: Vec<FunctionDeclaration>,
    /// Names for types.
    pub typedefs: Vec<Typedef>,
    /// Structs and unions with their fields, at file scope.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enumerations: Vec<Enumeration>,
    /// Macros.
    pub macros: Vec<MacroDeclaration>,
}

/// A type with the place of the name that it declares: `int (*` and `)(void)`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct TypeText {
    /// What stands before the name, with single blanks.
    pub before: String,
    /// What stands behind it.
    pub after: String,
}

impl TypeText {
    /// The type as a declaration of `name`.
    pub fn declare(&self, name: &str) -> String {
        let gap = if self.before.ends_with(['*', '(']) || name.is_empty() { "" } else { " " };
        format!("{}{gap}{name}{}", self.before, self.after)
    }
}

/// The type without a name.
impl fmt::Display for TypeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.after.is_empty() || self.before.ends_with(['*', '(']) { "" } else { " " };
        write!(f, "{}{gap}{}", self.before, self.after)
    }
}

/// A function at file scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionDeclaration {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// The declaration, up to its semicolon or to the end of its parameters.
    pub span: Span,
    /// What it returns.
    pub result: TypeText,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Whether it takes more arguments than it names.
    pub variadic: bool,
    /// Whether its body stands here.
    pub defined: bool,
    /// Whether it is `static`.
    pub is_static: bool,
    /// The word that says that it is deprecated.
    pub deprecated: Option<Span>,
}

impl FunctionDeclaration {
    /// Its type, without names: `size_t (void *, const void *)`. Two declarations with the same
    /// signature are of compatible types.
    pub fn signature(&self) -> String {
        let mut types: Vec<String> = self.parameters.iter().map(|p| p.ty.to_string()).collect();
        types.extend(self.variadic.then(|| "...".to_string()));
        if types.is_empty() {
            types.push("void".into());
        }
        normalised(&self.result.declare(&format!("({})", types.join(", "))))
    }
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name; empty where the declaration gives none.
    pub name: String,
    /// Its type.
    pub ty: TypeText,
    /// Type and name.
    pub span: Span,
}

/// What kind of type a typedef names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypedefKind {
    /// A struct.
    Struct,
    /// A union.
    Union,
    /// An enumeration.
    Enum,
    /// A type of a function.
    Function,
    /// A pointer to a function.
    FunctionPointer,
    /// Any other type, by its name or built on one.
    Other,
}

/// A name for a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typedef {
    /// The name.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// The whole declaration.
    pub span: Span,
    /// What kind of type it names.
    pub kind: TypedefKind,
    /// The type; `struct s` or `enum` alone where its members stand here.
    pub target: TypeText,
    /// The word that says that it is deprecated.
    pub deprecated: Option<Span>,
}

/// A struct or union with its fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its tag.
    pub tag: Option<String>,
    /// The name that a typedef around it gives it.
    pub alias: Option<String>,
    /// Whether it is a union.
    pub is_union: bool,
    /// From the keyword to the closing brace.
    pub span: Span,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A field of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name; empty for an anonymous struct, union or bit-field.
    pub name: String,
    /// Its type.
    pub ty: TypeText,
    /// The declaration.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    /// Its tag.
    pub tag: Option<String>,
    /// The name that a typedef around it gives it.
    pub alias: Option<String>,
    /// From the keyword to the closing brace.
    pub span: Span,
    /// Its constants.
    pub enumerators: Vec<Enumerator>,
}

/// A constant of an enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: String,
    /// The value that is given, as it is written.
    pub value: Option<String>,
    /// Name and value.
    pub span: Span,
}

/// A definition of a macro.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MacroDeclaration {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// Whether it takes arguments.
    pub takes_arguments: bool,
    /// What it stands for.
    pub replacement: String,
}

impl Declarations {
    /// The first declaration of a function.
    pub fn function(&self, name: &str) -> Option<&FunctionDeclaration> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// The typedef of that name.
    pub fn typedef(&self, name: &str) -> Option<&Typedef> {
        self.typedefs.iter().find(|t| t.name == name)
    }
}

/// C text with comments out and its tokens spaced in one way, so that two spellings of a type or
/// prototype can be compared.
pub fn normalised(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut joined = Joined::default();
    for token in tokens(bytes).filter(|t| !t.is_trivia()) {
        joined.push(token.kind, &token.text(bytes));
    }
    joined.text
}

/// Tokens with the blanks between them that the kernel's style wants.
#[derive(Default)]
struct Joined {
    text: String,
    last: Option<TokenKind>,
}

impl Joined {
    fn push(&mut self, kind: TokenKind, token: &[u8]) {
        let token = String::from_utf8_lossy(token);
        let word = kind != TokenKind::Punct;
        let gap = match self.text.chars().next_back() {
            None | Some('(' | '[' | '*') => false,
            Some(',') => true,
            Some(')' | ']') => word,
            // A parenthesis touches nothing but the one before it.
            Some(_) if matches!(&*token, "," | ")" | "[" | "]" | ";" | "." | "->") => false,
            Some(_) => true,
        };
        if gap {
            self.text.push(' ');
        }
        self.text.push_str(&token);
        self.last = Some(kind);
    }
}
