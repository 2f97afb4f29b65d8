use std::collections::BTreeMap;

use super::*;
use crate::upstream::TouchedBy;

fn form(files: &[(&str, &str)]) -> Form {
    let files = files
        .iter()
        .map(|(path, text)| (TreePath::new(path).unwrap(), Arc::<[u8]>::from(text.as_bytes())));
    Form { files: files.collect(), upstream: BTreeMap::new() }
}

fn compared(old: &Form, new: &Form, trees: Option<Trees>) -> Comparison {
    let known = Known { inside: "lib/it", trees, ..Known::default() };
    compare((Side::default(), old), (Side::default(), new), &known).unwrap().0
}

/// The changes of functions in one file.
fn functions(old: &str, new: &str) -> Vec<(String, What, Option<String>, bool)> {
    let found = compared(&form(&[("lib/it/a.c", old)]), &form(&[("lib/it/a.c", new)]), None);
    let functions = found.files.into_iter().flat_map(|file| file.functions);
    functions.map(|one| (one.name, one.what, one.from, one.edited)).collect()
}

const SUM: &str = "static int sum(int a, int b)\n{\n    int c = a + b;\n    if (c > 9)\n        c = 9;\n    return c;\n}\n";
const ONE: &str = "int one(void)\n{\n    return 1;\n}\n";
const TWO: &str = "#define INLINE static inline\nINLINE int two(int x)\n{\n    int y = x * 2;\n    int z = y * 3;\n    return z - y;\n}\n";

#[test]
fn functions_are_told_apart() {
    let text = |parts: &[&str]| parts.join("\n");
    let plain = |name: &str, what| (name.to_owned(), what, None, what == What::Changed);
    let old = text(&[TWO, SUM, ONE]);
    assert_eq!(functions(&old, &old), []);
    assert_eq!(functions(&old, &text(&[TWO, SUM])), [plain("one", What::Removed)]);
    assert_eq!(functions(&text(&[TWO, SUM]), &old), [plain("one", What::Added)]);
    let changed = old.replace("c > 9", "c > 8");
    assert_eq!(functions(&old, &changed), [plain("sum", What::Changed)]);
    let said = old.replace("int c = a + b;", "int c = a + b; /* both */");
    assert_eq!(functions(&old, &said), [plain("sum", What::Comments)]);
    // The macro in front is part of the function, though no grammar sees it.
    let plainer = old.replace("INLINE int two", "int two");
    assert_eq!(functions(&old, &plainer), [plain("two", What::Changed)]);
    // What stands behind others now went from where it stood.
    let moved = text(&[SUM, ONE, TWO]);
    let moved = functions(&old, &moved);
    assert!(moved.iter().all(|one| one.1 == What::Moved) && !moved.is_empty(), "{moved:?}");
}

#[test]
fn another_name_is_no_other_function() {
    let renamed = |new: &str, edited| {
        [(new.to_owned(), What::Renamed, Some("sum".to_owned()), edited)].to_vec()
    };
    let new = SUM.replace("sum", "total");
    assert_eq!(functions(SUM, &new), renamed("total", false));
    assert_eq!(functions(SUM, &new.replace("c > 9", "c >= 9")), renamed("total", true));
    let names: Vec<_> = functions(SUM, ONE).into_iter().map(|one| (one.0, one.1)).collect();
    assert_eq!(names, [("one".to_owned(), What::Added), ("sum".to_owned(), What::Removed)]);
}

#[test]
fn a_function_in_another_file_moved() {
    let old = form(&[("lib/it/a.c", SUM), ("lib/it/b.c", ONE)]);
    let both = format!("{ONE}\n{SUM}");
    let new = form(&[("lib/it/a.c", "int x;\n"), ("lib/it/b.c", &both)]);
    let found = compared(&old, &new, None);
    let functions = &found.files[1].functions;
    assert_eq!(functions.len(), 1);
    assert_eq!(
        (functions[0].what, functions[0].from.as_deref()),
        (What::Moved, Some("lib/it/a.c"))
    );
    assert!(found.files[0].functions.is_empty());
    let counts = found.code.lines;
    assert_eq!((counts.moved, counts.code, counts.blank), ([7, 7], [1, 0], [1, 0]));
    assert_eq!(counts.all, [9, 7]);
}

#[test]
fn files_are_classed_by_what_differs_at_most() {
    let class = |old: &str, new: &str| {
        compared(&form(&[("a.c", old)]), &form(&[("a.c", new)]), None).files[0].class
    };
    let text = "/* Copyright A */\n\n/* words */\nint x;\n";
    assert_eq!(class(text, &text.replace(" A", " B")), Class::Licence);
    assert_eq!(class(text, &text.replace("words", "others")), Class::Comments);
    assert_eq!(class(text, &text.replace("x", "y")), Class::Code);
    assert_eq!(class(text, &text.replace("int x", "int  x")), Class::Blanks);
    assert_eq!(class("#define A\nB\n", "#define A B\n"), Class::Code);
}

fn causes(found: &Comparison) -> Vec<(char, &str, Cause)> {
    let lines = found.files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines);
    lines.filter_map(|line| Some((line.mark, line.text.as_str(), line.cause?))).collect()
}

#[test]
fn each_line_has_one_cause() {
    let text = |middle: &[&str]| {
        let mut lines = vec!["top", "1", "2", "3", "4"];
        for line in middle {
            lines.extend([*line, "5", "6", "7", "8"]);
        }
        lines.join("\n") + "\n"
    };
    // Upstream changes the first line, rules the second, both the third, somebody the fourth.
    let old = text(&["a", "b", "c", "d"]);
    let [old_rules, new_rules] = [text(&["A", "b", "c1", "d"]), text(&["a", "B", "c2", "d"])];
    let new = text(&["A", "B", "C", "d"]);
    let here = text(&["A", "B", "C", "D"]);
    let one = |text: &str| form(&[("lib/it/a.txt", text)]);
    let trees = Trees {
        old: one(&old).files,
        old_rules: Some(one(&old_rules).files),
        new_rules: Some(one(&new_rules).files),
        new: one(&new).files,
        ..Trees::default()
    };
    let found = compared(&one(&old), &one(&here), Some(trees.clone()));
    use Cause::{Both, Local, Rules, Template, Upstream};
    let expected = [
        ('-', "a", Upstream),
        ('+', "A", Upstream),
        ('-', "b", Rules),
        ('+', "B", Rules),
        // Either way it would have gone; what came needs both.
        ('-', "c", Upstream),
        ('+', "C", Both),
        ('-', "d", Local),
        ('+', "D", Local),
    ];
    assert_eq!(causes(&found), expected);
    let sums = found.causes.as_ref().unwrap();
    let all = sums.values().fold([0, 0], |sum, one| [sum[0] + one.added, sum[1] + one.deleted]);
    assert_eq!(all, found.code.lines.all);
    assert_eq!(sums[&Upstream], CauseCount { changes: 2, added: 1, deleted: 2 });
    // The same of a file that a template makes, with nothing changed by hand.
    let path = TreePath::new("lib/it/a.txt").unwrap();
    let trees = Trees { templates: [path].into(), ..trees };
    let found = compared(&one(&old), &one(&new), Some(trees));
    assert_eq!(causes(&found)[2..4], [('-', "b", Template), ('+', "B", Template)]);
}

#[test]
fn callers_see_what_changed() {
    let old = "enum it_errors { it_error_none = 0, it_error_old = 1 };\n\
               typedef enum { it_error_x = 5 } it_error_code;\n\
               typedef struct { int a; long b; } it_pair;\n#define IT_MAX 10\n\
               int it_do(int x);\nint it_gone(void);\n";
    let new = old
        .replace("long b;", "long b; int c;")
        .replace("IT_MAX 10", "IT_MAX 12")
        .replace("it_error_x = 5", "it_error_x = 6")
        .replace("it_do(int x)", "it_do(long x)")
        .replace("int it_gone(void);", "int it_new(void);");
    let one = |text: &str| {
        form(&[("include/linux/it.h", text), ("lib/it/inner.h", "int inner(void);\n")])
    };
    let path = TreePath::new("fs/user.c").unwrap();
    let source = Source::new("fs/user.c", &b"int f(void) { return it_do(1); }\n"[..]);
    let files = BTreeMap::from([(path, source)]);
    let words = ["it_".to_owned()];
    let known = Known { inside: "lib/it", callers: Some((&files, &words)), ..Known::default() };
    let sides = || (Side::default(), Side::default());
    let (a, b) = sides();
    let (found, _) = compare((a, &one(old)), (b, &one(&new)), &known).unwrap();
    let list: Vec<_> = found.api.iter().map(|c| (c.name.as_str(), c.kind, c.what)).collect();
    let expected = [
        ("IT_MAX", "constant", What::Changed),
        ("it_do", "function", What::Changed),
        ("it_error_x", "error code", What::Changed),
        ("it_gone", "function", What::Removed),
        ("it_new", "function", What::Added),
        ("it_pair", "layout", What::Changed),
    ];
    assert_eq!(list, expected);
    assert_eq!(found.api[1].users, ["fs/user.c"]);
    assert_eq!(found.api[5].members, ["c: int is new"]);
    assert!(found.api[5].compatible);
    let callers = found.callers.unwrap();
    assert_eq!((callers.files, callers.affected), (1, vec!["fs/user.c".to_owned()]));
    assert_eq!(callers.findings.len(), 1);
}

#[test]
fn long_files_with_thousands_of_hunks_are_compared() {
    let text = |every: usize| {
        let lines = (0..7_000).map(|n| match n % 8 {
            0 if every > 0 => format!("int other_{n};\n"),
            _ => format!("int line_{};\n", n % 50),
        });
        lines.collect::<String>()
    };
    let one = |text: &str| form(&[("lib/it/a.c", text)]);
    let (old, new) = (one(&text(0)), one(&text(1)));
    let trees = Trees { old: old.files.clone(), new: new.files.clone(), ..Trees::default() };
    let found = compared(&old, &new, Some(trees));
    assert_eq!(found.code.lines.all, [875, 875]);
    assert_eq!(found.files[0].hunks.len(), 875);
    assert_eq!(found.causes.unwrap()[&Cause::Upstream].changes, 875);
}

#[test]
fn long_files_that_have_little_in_common_are_compared() {
    let one = |text: String| form(&[("lib/it/a.c", &text)]);
    let every_second = |word: &str| {
        let lines = (0..7_000).map(|n| match n % 2 {
            0 => format!("int {word}_{n};\n"),
            _ => format!("int line_{};\n", n % 50),
        });
        lines.collect::<String>()
    };
    let started = std::time::Instant::now();
    for (old, new, changed) in [
        (every_second("a"), every_second("b"), 3_500),
        // Not one line in common.
        (every_second("a").replace("line", "c"), every_second("b").replace("line", "d"), 7_000),
    ] {
        let (old, new) = (one(old), one(new));
        let trees = Trees { old: old.files.clone(), new: new.files.clone(), ..Trees::default() };
        let found = compared(&old, &new, Some(trees));
        assert_eq!(found.code.lines.all, [changed, changed]);
        let upstream = found.causes.unwrap()[&Cause::Upstream];
        assert_eq!((upstream.added, upstream.deleted), (changed, changed));
    }
    // Some hundredths of a second each in release builds; a machine may be busy.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn commits_are_counted_by_what_they_do() {
    let mut old = form(&[("lib/it/a.c", "int x;\n")]);
    old.upstream.insert(TreePath::new("lib/it/a.c").unwrap(), TreePath::new("a.c").unwrap());
    let mut new = form(&[("lib/it/a.c", "int y;\n")]);
    new.upstream.clone_from(&old.upstream);
    let commit = |id: &str, files: &[&str]| TouchedBy {
        id: id.into(),
        title: format!("about {id}"),
        pull: Some(3),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        is_merge: false,
    };
    let merge = TouchedBy { is_merge: true, ..commit("m", &[]) };
    let commits =
        [commit("1", &["a.c", "b.c"]), commit("2", &["b.c"]), commit("3", &[]), merge].to_vec();
    let between = Between { commits, lines: BTreeMap::new() };
    let with = |judge: &Judge<'_>| {
        let known = Known {
            inside: "lib/it",
            commits: Some(&between),
            judge: Some(judge),
            ..Known::default()
        };
        compare((Side::default(), &old), (Side::default(), &new), &known).unwrap()
    };
    let counts = |found: &Comparison| {
        let CommitSummary { total, in_library, touching, changing, undecided, alone, .. } =
            found.commits.clone().unwrap();
        [total, in_library, touching, changing, undecided, alone]
    };
    // Only the first one touches what the form is made from; none has a line that is traced.
    let (found, change) = with(&|places| {
        assert_eq!(places, [0]);
        Ok(None)
    });
    assert_eq!(counts(&found), [3, 2, 1, 0, 1, 2]);
    assert_eq!(found.files[0].commits.len(), 1);
    assert_eq!(found.files[0].commits[0].title, "about 1");
    assert_eq!(change.totals(), (1, 1, 1));
    let (found, _) = with(&|places| Ok(Some(places.iter().copied().collect())));
    assert_eq!(counts(&found), [3, 2, 1, 1, 0, 2]);
    let (found, _) = with(&|_| Ok(Some(BTreeSet::new())));
    assert_eq!(counts(&found), [3, 2, 1, 0, 0, 3]);
    let alone = found.commits.unwrap().alone_in_library;
    assert_eq!(alone.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["1", "2"]);
}
