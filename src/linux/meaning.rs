//! What a change in a file that the import writes itself means: whether the import's own file has it.

use std::collections::BTreeSet;

use super::items::{Item, Items, object};
use super::verdict::{Verdict, judge_tokens};

/// Tokens that a forward may write as it likes.
const LAYOUT: &[u8] = b"(){},;*&";

/// A change that the import's files don't have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unexplained {
    /// What it is, in words.
    pub(super) what: String,
    /// Its line in the tree's file, from 1.
    pub(super) tree: Option<usize>,
    /// Its line in the file as it was at first, from 1.
    pub(super) base: Option<usize>,
}

/// What the new import has.
pub(super) struct Ours<'a> {
    /// The pieces of the file that it writes in this place.
    pub(super) here: &'a Items,
    /// Whether some file of it offers a name.
    pub(super) offers: &'a dyn Fn(&str) -> bool,
    /// The pieces of this name in all its files.
    pub(super) named: &'a dyn Fn(&str) -> Vec<Item>,
    /// Whether what is listed or included under this name is gone from the library.
    pub(super) is_gone: &'a dyn Fn(&str) -> bool,
}

impl Ours<'_> {
    /// The changes from `base` to `tree` that the import has not, in the order of their names.
    pub(super) fn unexplained(&self, base: &Items, tree: &Items) -> Vec<Unexplained> {
        let mut all = Vec::new();
        let names: BTreeSet<&String> = base.keys().chain(tree.keys()).collect();
        for name in names {
            let of = |items: &Items| items.get(name).cloned().unwrap_or_default();
            let (mut gone, mut come) = (of(base), of(tree));
            come.retain(|item| match gone.iter().position(|old| old.tokens == item.tokens) {
                Some(at) => {
                    gone.remove(at);
                    false
                }
                None => true,
            });
            for at in 0..gone.len().max(come.len()) {
                all.extend(self.one(name, gone.get(at), come.get(at)));
            }
        }
        all
    }

    fn one(&self, name: &str, gone: Option<&Item>, come: Option<&Item>) -> Option<Unexplained> {
        let here = self.here.get(name).map_or(&[][..], Vec::as_slice);
        match (gone, come) {
            (Some(gone), Some(come)) => {
                let has = |ours: &Item| {
                    ours.tokens == come.tokens
                        || judge_tokens(&gone.tokens, &come.tokens, &ours.tokens) == Verdict::Same
                };
                let at = differs(&gone.tokens, &come.tokens);
                let line = |item: &Item| item.lines.get(at).or(item.lines.last()).copied();
                let what = format!("the tree has changed `{name}`");
                let (tree, base) = (line(come), line(gone));
                (!here.iter().any(has)).then_some(Unexplained { what, tree, base })
            }
            (None, Some(come)) => {
                let what = format!("the tree has added `{name}`");
                let tree = come.lines.first().copied();
                (!self.has(name, here, come)).then_some(Unexplained { what, tree, base: None })
            }
            (Some(gone), None) => {
                let what = format!("the tree has taken out `{name}`");
                let base = gone.lines.first().copied();
                (!here.is_empty()).then_some(Unexplained { what, tree: None, base })
            }
            (None, None) => None,
        }
    }

    /// Whether the import has what the tree has added.
    fn has(&self, name: &str, here: &[Item], come: &Item) -> bool {
        if let Some(object) = object(name) {
            return (self.offers)(object) || (self.is_gone)(object);
        }
        if let Some(included) = name.strip_prefix("#include ") {
            let included = included.trim_matches('"');
            return !here.is_empty() || (self.offers)(included) || (self.is_gone)(included);
        }
        here.iter().any(|ours| ours.tokens == come.tokens)
            || (self.named)(name).iter().any(|ours| means_the_same(name.as_bytes(), come, ours))
    }
}

/// The first token that differs.
fn differs(old: &[Vec<u8>], new: &[Vec<u8>]) -> usize {
    old.iter().zip(new).take_while(|(old, new)| old == new).count()
}

/// Whether all that a declaration or a body says is said by ours too, whatever its parameters are
/// called and their types are spelt like.
fn means_the_same(name: &[u8], come: &Item, ours: &Item) -> bool {
    let position = |item: &Item, wanted: &[u8]| item.tokens.iter().position(|t| t == wanted);
    let Some(at) = position(come, name) else { return false };
    let said: BTreeSet<&[u8]> = ours.tokens.iter().map(Vec::as_slice).collect();
    let is_function = come.tokens.get(at + 1).is_some_and(|token| token == b"(");
    let body = position(come, b"{").unwrap_or(come.tokens.len());
    let (before, list, after) = match is_function {
        true => (&come.tokens[..at], &come.tokens[at.min(body)..body], &come.tokens[body..]),
        false => (&come.tokens[..], &[][..], &[][..]),
    };
    let parameters: BTreeSet<&[u8]> = list
        .windows(2)
        .filter(|two| matches!(two[1].as_slice(), b"," | b")"))
        .map(|two| two[0].as_slice())
        .collect();
    // What follows the parameters belongs to the declaration.
    let close = list.iter().rposition(|token| token == b")").map_or(0, |at| at + 1);
    let is_said = |token: &Vec<u8>| {
        let layout = token.len() == 1 && LAYOUT.contains(&token[0]);
        layout || said.contains(token.as_slice()) || parameters.contains(token.as_slice())
    };
    // A body adds no condition of the tree's own.
    let mut all = before.iter().chain(&list[close.min(list.len())..]).chain(after);
    all.all(is_said)
}

#[cfg(test)]
mod tests {
    use super::super::items::items;
    use super::*;
    use crate::text::TreePath;

    /// What is unexplained of a change in a file, where the import has `ours`.
    fn of(path: &str, base: &str, tree: &str, ours: &str) -> Vec<String> {
        let path = TreePath::new(path).unwrap();
        let [base, tree, ours] = [base, tree, ours].map(|text| items(&path, text.as_bytes()));
        let named = |name: &str| ours.get(name).cloned().unwrap_or_default();
        let offers = |name: &str| {
            ours.contains_key(name) || ours.keys().any(|key| object(key) == Some(name))
        };
        let found =
            Ours { here: &ours, offers: &offers, named: &named, is_gone: &|name| name == "old.o" };
        found.unexplained(&base, &tree).into_iter().map(|found| found.what).collect()
    }

    const LIST: &str = "obj-$(CONFIG_A) += a.o\na-y := \\\n\tb.o \\\n\tc.o\n";

    #[test]
    fn words_of_a_makefile_count() {
        let one = |tree: &str| of("Makefile", LIST, tree, LIST);
        assert_eq!(one(&format!("# a\n{LIST}")), Vec::<String>::new());
        assert_eq!(
            one("obj-$(CONFIG_A) += a.o\na-y := c.o # d.o\na-y += b.o old.o\n"),
            Vec::<String>::new()
        );
        for (more, what) in [
            ("ccflags-y += -O3\n", "the tree has added `ccflags-y -O3`"),
            ("KCOV_INSTRUMENT := n\n", "the tree has added `KCOV_INSTRUMENT n`"),
            ("UBSAN_SANITIZE_b.o := n\n", "the tree has added `UBSAN_SANITIZE_b.o n`"),
            ("ifdef X\n", "the tree has added `ifdef X`"),
            ("a-y += d.o\n", "the tree has added `a-y d.o`"),
        ] {
            assert_eq!(one(&format!("{more}{LIST}")), [what]);
            assert_eq!(one(&format!("{LIST}{more}")), [what]);
        }
        assert_eq!(one(&LIST.replace("\tb.o \\\n", "")), ["the tree has taken out `a-y b.o`"]);
        let moved =
            of("Makefile", LIST, &format!("{LIST}d-y := e.o"), &format!("{LIST}f-y := e.o"));
        assert_eq!(moved, Vec::<String>::new());
    }

    const MODULE: &str =
        "#include <a.h>\nint x_f(int a)\n{\n\treturn f(a);\n}\nEXPORT_SYMBOL(x_f);\n";

    #[test]
    fn a_body_counts() {
        let one = |tree: &str| of("m.c", MODULE, tree, MODULE);
        let checked = MODULE.replace("\treturn", "\tif (a > (1UL << 30))\n\t\treturn 0;\n\treturn");
        assert_eq!(one(&checked), ["the tree has changed `x_f`"]);
        assert_eq!(one(&MODULE.replace("EXPORT_SYMBOL(", "EXPORT_SYMBOL_GPL(")).len(), 2);
        assert_eq!(
            one(&MODULE.replace("int x_f", "__must_check int x_f")),
            ["the tree has changed `x_f`"]
        );
        let guarded = MODULE.replace("int x_f", "#ifdef X\nint x_f");
        assert_eq!(one(&guarded).last().unwrap(), "the tree has changed `x_f`");
    }

    #[test]
    fn an_added_function_may_call_its_parameters_anything() {
        let ours = format!(
            "{MODULE}int x_g(struct y *to)\n{{\n\treturn g(to);\n}}\nEXPORT_SYMBOL(x_g);\n"
        );
        let one = |body: &str| {
            let tree = format!("{MODULE}int x_g(Y* t)\n{{\n{body}\n}}\nEXPORT_SYMBOL(x_g);\n");
            of("m.c", MODULE, &tree, &ours)
        };
        assert_eq!(one("return g(t);"), Vec::<String>::new());
        assert_eq!(one("if (!t) return 0; return g(t);"), ["the tree has added `x_g`"]);
        assert_eq!(one("return h(t);"), ["the tree has added `x_g`"]);
    }

    #[test]
    fn macros_and_includes_follow_ours() {
        let base =
            "#define copy(a, b) __copy((a), (b))\n#define warn(x) WARN((x))\n#include <asm/u.h>\n";
        let ours = "#define copy(to, from) __copy((to), (from))\n#define warn(c) ((void)WARN(!(c)))\n#include <linux/u.h>\n";
        let good = base.replace("WARN((x))", "WARN(!(x))").replace("asm/", "linux/");
        assert_eq!(of("d.h", base, &good, ours), Vec::<String>::new());
        let bad = base.replace("__copy", "copy");
        assert_eq!(of("d.h", base, &bad, ours), ["the tree has changed `copy`"]);
        let bad = format!("{base}#include <linux/v.h>\n");
        assert_eq!(of("d.h", base, &bad, ours), ["the tree has added `#include <linux/v.h>`"]);
    }
}
