//! What a text offers to others: names that it declares or exports, objects that it lists.

use std::collections::BTreeMap;

use crate::preprocess::lexer::{Keyword, TokenKind, directive_tokens, scan, tokens};
use crate::text::{LineIndex, TreePath};

/// What is offered, in words (`zstd_x`, `export of zstd_x`), and the line (from 1) where.
pub(super) type Offers = BTreeMap<String, usize>;

/// What stands before the name of an exported symbol in [`Offers`].
pub(super) const EXPORT: &str = "export of ";

/// What a file offers.
pub(super) fn offers(path: &TreePath, bytes: &[u8]) -> Offers {
    match path.extension() {
        Some("c" | "h") => of_c(bytes),
        _ => of_makefile(bytes),
    }
}

/// Objects and configuration symbols.
fn of_makefile(bytes: &[u8]) -> Offers {
    let mut found = Offers::new();
    for (number, line) in String::from_utf8_lossy(bytes).lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let word = |c: char| c.is_ascii_alphanumeric() || "_/.-".contains(c);
        for word in line.split(|c| !word(c)) {
            let object = word.ends_with(".o") && word.len() > 2;
            if object || word.starts_with("CONFIG_") {
                found.entry(word.to_owned()).or_insert(number + 1);
            }
        }
    }
    found
}

/// A token outside directives.
struct Word {
    text: Vec<u8>,
    is_name: bool,
    at: usize,
}

/// Macros, functions, types, exports, and sources that are included.
fn of_c(bytes: &[u8]) -> Offers {
    let index = LineIndex::new(bytes);
    let mut found = Offers::new();
    let mut add = |name: String, at: usize| {
        found.entry(name).or_insert(index.position(at).line);
    };
    let directives = scan(bytes).directives;
    for directive in &directives {
        let mut body = directive_tokens(bytes, directive.body).filter(|token| !token.is_trivia());
        let Some(first) = body.next() else { continue };
        let text = String::from_utf8_lossy(&first.text(bytes)).into_owned();
        match directive.keyword {
            // A guard, or a switch: nothing that anybody could use.
            Keyword::Define if body.next().is_none() => {}
            Keyword::Define => add(text, first.span.start as usize),
            Keyword::Include if text.trim_matches('"').ends_with(".c") => {
                add(text.trim_matches('"').to_owned(), first.span.start as usize);
            }
            _ => {}
        }
    }
    let mut next = 0;
    let (mut statement, mut depth) = (Vec::new(), 0_usize);
    for token in tokens(bytes).filter(|token| !token.is_trivia()) {
        while directives.get(next).is_some_and(|d| d.end <= token.span.start) {
            next += 1;
        }
        if directives.get(next).is_some_and(|d| d.hash <= token.span.start) {
            continue;
        }
        let text = token.text(bytes).into_owned();
        let is_name = token.kind == TokenKind::Identifier;
        let ends = match text.as_slice() {
            b"{" => {
                depth += 1;
                // A function's body ends its declaration, and no `;` follows.
                depth == 1 && is_function(&statement)
            }
            b"}" => {
                depth = depth.saturating_sub(1);
                false
            }
            b";" => depth == 0,
            _ => false,
        };
        if ends {
            declared(&std::mem::take(&mut statement), &mut add);
        } else if depth == 0 && !matches!(text.as_slice(), b"}" | b";") {
            statement.push(Word { text, is_name, at: token.span.start as usize });
        }
    }
    found
}

/// The symbols that lines export which do nothing else than make files a module: exports, a licence, a
/// description, and the header for them. `None` for lines with anything else.
pub(super) fn module_lines(come: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(come);
    let mut symbols = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let call = line.strip_suffix(");").and_then(|rest| rest.split_once('('));
        let call = call.filter(|(_, argument)| !argument.contains(')'));
        match call {
            Some((name, symbol)) if name.starts_with("EXPORT_SYMBOL") => {
                symbols.push(symbol.trim().to_owned());
            }
            Some((name, _)) if name.starts_with("MODULE_") => {}
            _ if ["#include <linux/module.h>", "#include <linux/export.h>"].contains(&line) => {}
            _ => return None,
        }
    }
    Some(symbols)
}

fn is_function(statement: &[Word]) -> bool {
    statement.iter().any(|word| word.text == b"(") && statement[0].text != b"typedef"
}

/// What one declaration at the top of a file declares.
fn declared(statement: &[Word], add: &mut dyn FnMut(String, usize)) {
    let text = |word: &Word| String::from_utf8_lossy(&word.text).into_owned();
    let open = statement.iter().position(|word| word.text == b"(");
    let is_type = statement.first().is_some_and(|word| word.text == b"typedef");
    let name = match open {
        // `typedef int (*name)(int)`
        Some(open) if is_type => statement[open..].iter().find(|word| word.is_name),
        Some(open) => statement[..open].iter().rev().find(|word| word.is_name),
        None => statement.iter().rev().find(|word| word.is_name),
    };
    let Some(name) = name else { return };
    let called = text(name);
    if called.starts_with("EXPORT_SYMBOL") {
        let symbol = open.and_then(|open| statement.get(open + 1));
        if let Some(symbol) = symbol {
            add(format!("{EXPORT}{}", text(symbol)), symbol.at);
        }
    } else if !called.starts_with("MODULE_") {
        add(called, name.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, text: &str) -> Vec<(String, usize)> {
        offers(&TreePath::new(path).unwrap(), text.as_bytes()).into_iter().collect()
    }

    #[test]
    fn declarations_offer_their_names() {
        let text = "#ifndef G\n#define G\n#define H 1\n#include \"a/b.c\"\n#include <c.h>\n\
            typedef struct s s_t;\ntypedef void *(*alloc_f)(void *p);\n\
            size_t bound(int level);\nstatic inline int\nhalf(int x)\n{\n\treturn f(x) / 2;\n}\n\
            EXPORT_SYMBOL_GPL(half);\nMODULE_LICENSE(\"x\");\nstruct t { int a; };\n#endif\n";
        let expected = [
            ("H", 3),
            ("a/b.c", 4),
            ("alloc_f", 7),
            ("bound", 8),
            ("export of half", 14),
            ("half", 10),
            ("s_t", 6),
            ("t", 16),
        ];
        assert_eq!(names("x.h", text), expected.map(|(name, line)| (name.to_owned(), line)));
    }

    #[test]
    fn a_makefile_offers_objects() {
        let text = "# a.o\nobj-$(CONFIG_X) += x.o\nx-y := \\\n\tb/c.o \\\n";
        let expected = [("CONFIG_X", 2), ("b/c.o", 4), ("x.o", 2)];
        assert_eq!(names("Makefile", text), expected.map(|(name, line)| (name.to_owned(), line)));
    }

    #[test]
    fn lines_that_make_a_module_are_told() {
        let symbols = module_lines(b"#include <linux/module.h>\n\nEXPORT_SYMBOL_GPL(a_b);\n");
        assert_eq!(symbols, Some(vec!["a_b".to_owned()]));
        assert_eq!(module_lines(b"MODULE_LICENSE(\"GPL\");"), Some(Vec::new()));
        assert_eq!(module_lines(b"EXPORT_SYMBOL(a); b();\n"), None);
        assert_eq!(module_lines(b"int a;\n"), None);
    }

    #[test]
    fn broken_text_ends() {
        for text in ["{", "}", ";;", "typedef", "(", "EXPORT_SYMBOL(", "#define", "typedef ("] {
            names("x.c", text);
        }
    }
}
