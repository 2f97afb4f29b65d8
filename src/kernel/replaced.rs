//! Headers of our own that stand for upstream's: whether they offer what the release uses of these.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memchr::memmem::Finder;

use super::symbols::offered;
use crate::memo::{Held, Key, Memo};
use crate::preprocess::lexer::{
    Keyword, Scanned, TokenKind, directive_tokens, splices_a_word, tokens,
};
use crate::text::{Span, TreePath};

/// Something that the release uses of a replaced header and that ours lacks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Lack {
    /// The name.
    pub name: String,
    /// Whether the release defines the name to ask for a part of the header; else it uses it.
    pub asks: bool,
    /// Where upstream's header has it.
    pub definition: Span,
    /// The file that uses or defines it.
    pub user: TreePath,
    /// Where it does.
    pub at: Span,
}

/// A file, with its key where it has one.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The text.
    pub bytes: &'a [u8],
    /// The key.
    pub key: Option<Key>,
    /// Its directives.
    pub scan: &'a Scanned,
}

/// Names with their places.
#[derive(Clone, Default)]
struct Places(BTreeMap<Vec<u8>, Span>);

impl Held for Places {
    fn weight(&self) -> usize {
        self.0.keys().map(|name| name.len() + 60).sum()
    }
}

impl File<'_> {
    /// What `find` finds in the file for some names, or for any.
    fn places(
        &self,
        memo: &Memo,
        what: &str,
        names: Option<Key>,
        find: impl FnOnce(&File<'_>) -> BTreeMap<Vec<u8>, Span>,
    ) -> Arc<Places> {
        let key = memo.key(what, |key| _ = key.key(self.key).key(names));
        memo.get(key, || Places(find(self)))
    }
}

/// What `ours` lacks of what `upstream`'s header offers and the `others`, the rest of the output, use.
pub fn lacking(
    memo: &Memo,
    upstream: File<'_>,
    ours: File<'_>,
    others: &BTreeMap<&TreePath, File<'_>>,
) -> Vec<Lack> {
    let any = memo.key("any", |_| {});
    let mut names = upstream.places(memo, "offered", any, offers).0.clone();
    for name in ours.places(memo, "offered", any, offers).0.keys() {
        names.remove(name);
    }
    // Little is left by now. Only files that hold some of it are taken apart to see what they make of
    // it.
    let users: Vec<(&TreePath, File<'_>)> = holding(memo, others, &names);
    for (_, has) in &users {
        for name in has.places(memo, "offered", any, offers).0.keys() {
            names.remove(name);
        }
    }
    let answered = ours.places(memo, "tested", any, tested);
    let mut parts = upstream.places(memo, "tested", any, tested).0.clone();
    parts.retain(|name, _| !answered.0.contains_key(name));
    let mut found = BTreeMap::new();
    let wanted = key_of(memo, &names);
    for (path, file) in users {
        let used = file.places(memo, "used", wanted, |file| used(file.bytes, &names));
        for (name, at) in &used.0 {
            let definition = names[name];
            found.entry((false, name.clone())).or_insert_with(|| (definition, path.clone(), *at));
        }
    }
    for (path, file) in holding(memo, others, &parts) {
        for (name, at) in &file.places(memo, "asked", any, asked).0 {
            if let Some(&definition) = parts.get(name) {
                found
                    .entry((true, name.clone()))
                    .or_insert_with(|| (definition, path.clone(), *at));
            }
        }
    }
    let lack =
        |((asks, name), (definition, user, at)): ((bool, Vec<u8>), (Span, TreePath, Span))| Lack {
            name: String::from_utf8_lossy(&name).into_owned(),
            asks,
            definition,
            user,
            at,
        };
    found.into_iter().map(lack).collect()
}

fn key_of(memo: &Memo, names: &BTreeMap<Vec<u8>, Span>) -> Option<Key> {
    memo.key("names", |key| {
        for name in names.keys() {
            key.bytes(name);
        }
    })
}

struct Holds(bool);

impl Held for Holds {
    fn weight(&self) -> usize {
        1
    }
}

/// The files in which bytes like one of the names stand, in a word or not.
fn holding<'a>(
    memo: &Memo,
    files: &BTreeMap<&'a TreePath, File<'a>>,
    names: &BTreeMap<Vec<u8>, Span>,
) -> Vec<(&'a TreePath, File<'a>)> {
    let finders: Vec<Finder<'_>> = names.keys().map(Finder::new).collect();
    if finders.is_empty() {
        return Vec::new();
    }
    let wanted = key_of(memo, names);
    let holds = |file: &File<'_>| {
        let key = memo.key("holds", |key| _ = key.key(file.key).key(wanted));
        let bytes = file.bytes;
        let find = || finders.iter().any(|finder| finder.find(bytes).is_some());
        memo.get(key, || Holds(find() || splices_a_word(bytes))).0
    };
    let files = files.iter().map(|(path, file)| (*path, *file));
    files.filter(|(_, file)| holds(file)).collect()
}

/// Which of the names a file uses, with the first place.
fn used(bytes: &[u8], names: &BTreeMap<Vec<u8>, Span>) -> BTreeMap<Vec<u8>, Span> {
    let mut found = BTreeMap::new();
    if names.is_empty() {
        return found;
    }
    for token in tokens(bytes).filter(|token| token.kind == TokenKind::Identifier) {
        let text = token.text(bytes);
        if names.contains_key(&*text) {
            found.entry(text.into_owned()).or_insert(token.span);
        }
    }
    found
}

/// What a file offers to those who include it.
fn offers(file: &File<'_>) -> BTreeMap<Vec<u8>, Span> {
    offered(file.bytes, file.scan)
}

/// Names that a file tests in conditions.
fn tested(&File { bytes, scan, .. }: &File<'_>) -> BTreeMap<Vec<u8>, Span> {
    let mut found = BTreeMap::new();
    for directive in &scan.of(bytes).directives {
        if !(directive.keyword.opens() || directive.keyword == Keyword::Elif) {
            continue;
        }
        for token in directive_tokens(bytes, directive.body) {
            let text = token.text(bytes);
            // The operator is no macro, and can be none.
            if token.kind == TokenKind::Identifier && &*text != b"defined" {
                found.entry(text.into_owned()).or_insert(token.span);
            }
        }
    }
    found
}

/// Macros that a file defines with nothing behind them: a way to ask for something.
fn asked(&File { bytes, scan, .. }: &File<'_>) -> BTreeMap<Vec<u8>, Span> {
    let mut found = BTreeMap::new();
    let mut tests: BTreeSet<Vec<u8>> = BTreeSet::new();
    for directive in &scan.of(bytes).directives {
        let mut tokens = directive_tokens(bytes, directive.body).filter(|t| !t.is_trivia());
        let Some(name) = tokens.next().filter(|t| t.kind == TokenKind::Identifier) else {
            continue;
        };
        let text = name.text(bytes).into_owned();
        match directive.keyword {
            // A guard asks nobody for anything.
            Keyword::Ifndef => _ = tests.insert(text),
            Keyword::Define if tokens.next().is_none() && !tests.contains(&text) => {
                found.entry(text).or_insert(name.span);
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPSTREAM: &str = "#ifndef U_H\n#define U_H\n#define U_macro(x) helper(x)\n\
        typedef unsigned char U_byte;\nstatic int helper(int x) { return x; }\n\
        static int U_function(int x) { return x; }\nstatic const int U_table[2] = { 1, 2 };\n\
        #endif\n#ifdef U_NEED_MORE\n#define U_more 1\n#endif\n#ifdef U_NEED_REST\n#endif\n";

    fn lacks<'a>(ours: &'a str, user: &'a str) -> Vec<(String, bool)> {
        let path = TreePath::new("a/user.c").unwrap();
        let scans: [Scanned; 3] = std::array::from_fn(|_| Scanned::default());
        let file = |text: &'a str, scan| File { bytes: text.as_bytes(), key: None, scan };
        let user = file(user, &scans[0]);
        let ours = file(ours, &scans[1]);
        let others = BTreeMap::from([(&path, user)]);
        let lacks = lacking(&Memo::off(), file(UPSTREAM, &scans[2]), ours, &others);
        lacks.into_iter().map(|lack| (lack.name, lack.asks)).collect()
    }

    #[test]
    fn what_is_used_and_not_offered_is_told() {
        let user = "#include \"u.h\"\nU_byte x = U_function(U_macro(U_table[0]));\n";
        let all = ["U_byte", "U_function", "U_macro", "U_table"].map(|n| (n.to_owned(), false));
        assert_eq!(lacks("", user), all);
        let ours = "#define U_function(x) (x)\ntypedef u8 U_byte;\nint U_table[1];\n";
        assert_eq!(lacks(ours, user), [("U_macro".to_owned(), false)]);
    }

    #[test]
    fn what_nobody_uses_or_another_file_offers_is_not() {
        assert!(lacks("", "int x; /* U_function */\nchar *y = \"U_macro\";\n").is_empty());
        assert!(lacks("", "#define U_macro(x) x\nint x = U_macro(1);\n").is_empty());
    }

    #[test]
    fn a_part_that_is_asked_for_must_be_there() {
        let asks = "#define U_NEED_MORE\n#include \"u.h\"\n";
        assert_eq!(lacks("", asks), [("U_NEED_MORE".to_owned(), true)]);
        assert!(lacks("#ifdef U_NEED_MORE\n#endif\n", asks).is_empty());
        assert!(lacks("", "#ifndef U_NEED_MORE\n#define U_NEED_MORE\n#endif\n").is_empty());
    }
}
