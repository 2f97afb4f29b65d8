use super::*;
use crate::kernel::symbols;
use crate::rules::load;

const COMMON: &str = "int o_shared(int x) { return x; }\nint o_inner(int x) { return x; }\n";
const PACK: &str = "#include \"../common/c.h\"\nint o_pack(int x) { return o_shared(x); }\n";
const UNPACK: &str = "#include \"../common/c.h\"\nint o_unpack(int x) { return x; }\n";
const HEADER: &str = "int o_shared(int x);\nint o_inner(int x);\n";

fn arranged(more: &[(&str, &str)]) -> Arranged {
    let library = load(None).unwrap().library;
    let own = [
        ("common/c.c", COMMON),
        ("common/c.h", HEADER),
        ("compress/p.c", PACK),
        ("decompress/u.c", UNPACK),
        ("zstd_compress_module.c", "int k_pack(int x) { return o_pack(x); }\n"),
    ];
    let mut files: BTreeMap<TreePath, &[u8]> = BTreeMap::new();
    for (path, text) in own.iter().chain(more) {
        let path = TreePath::new(&format!("lib/zstd/{path}")).unwrap();
        files.insert(path, text.as_bytes());
    }
    let symbols = symbols::read(&files, &["lib/zstd", "include"]);
    arrange(&library, &[(None, symbols)])
}

fn sources(arranged: &Arranged) -> BTreeMap<&str, Vec<&str>> {
    arranged
        .modules
        .iter()
        .map(|module| (&*module.name, module.sources.iter().map(String::as_str).collect()))
        .collect()
}

fn codes(arranged: &Arranged) -> Vec<&str> {
    arranged.problems.iter().map(|problem| problem.code).collect()
}

#[test]
fn files_go_to_the_module_of_their_folder_and_exports_follow_from_needs() {
    let arranged = arranged(&[("compress/new.c", "int o_new(int x) { return x; }\n")]);
    assert!(arranged.problems.is_empty(), "{:?}", arranged.problems);
    let wanted = BTreeMap::from([
        ("zstd_common", vec!["common/c.c"]),
        ("zstd_compress", vec!["compress/new.c", "compress/p.c"]),
        ("zstd_decompress", vec!["decompress/u.c"]),
    ]);
    assert_eq!(sources(&arranged), wanted);
    let common = arranged.modules.iter().find(|module| module.common).unwrap();
    let export = Export {
        name: "o_shared".into(),
        header: Some("\"common/c.h\"".into()),
        is_macro: false,
        condition: None,
    };
    assert_eq!(common.exports, [export], "o_inner is nobody else's concern");
}

#[test]
fn a_file_of_another_folder_goes_where_it_is_needed() {
    let one = arranged(&[
        ("extra/e.c", "int o_extra(int x) { return o_deeper(x); }\n"),
        ("extra/deeper.c", "int o_deeper(int x) { return x; }\n"),
        ("compress/q.c", "int o_q(int x) { return o_extra(x); }\n"),
    ]);
    assert!(one.problems.is_empty(), "{:?}", one.problems);
    let wanted = ["compress/p.c", "compress/q.c", "extra/deeper.c", "extra/e.c"];
    assert_eq!(sources(&one)["zstd_compress"], wanted);
    let two = arranged(&[
        ("extra/e.c", "int o_extra(int x) { return x; }\n"),
        ("compress/q.c", "int o_q(int x) { return o_extra(x); }\n"),
        ("decompress/q.c", "int o_r(int x) { return o_extra(x); }\n"),
    ]);
    assert_eq!(sources(&two)["zstd_common"], ["common/c.c", "extra/e.c"]);
    let common = two.modules.iter().find(|module| module.common).unwrap();
    assert_eq!(common.exports.len(), 2);
    let none = arranged(&[("extra/e.c", "int o_extra(int x) { return x; }\n")]);
    assert_eq!(codes(&none), ["unplaced-source"]);
    assert!(none.problems[0].warning);
    assert_eq!(sources(&none)["zstd_common"], ["common/c.c", "extra/e.c"]);
}

#[test]
fn what_would_not_link_or_load_is_a_problem_with_its_places() {
    let gone = "#include \"../common/c.h\"\nint o_q(int x) { return o_gone(x); }\n";
    let gone = arranged(&[("compress/q.c", gone)]);
    assert_eq!(codes(&gone), ["undefined-symbol"]);
    assert!(gone.problems[0].message.contains("`o_gone`"));
    let twice = arranged(&[("compress/q.c", "int o_pack(int x) { return x; }\n")]);
    assert_eq!(codes(&twice), ["symbol-defined-twice"]);
    let places: Vec<_> = twice.problems[0].places.iter().map(|(p, _)| p.path.as_str()).collect();
    assert_eq!(places, ["lib/zstd/compress/q.c", "lib/zstd/compress/p.c"]);
    let across = arranged(&[("compress/q.c", "int o_q(int x) { return o_unpack(x); }\n")]);
    assert_eq!(codes(&across), ["module-needs-module"]);
    let down = arranged(&[("common/d.c", "int o_d(int x) { return o_unpack(x); }\n")]);
    assert_eq!(codes(&down), ["module-needs-module"], "the common one can't need the others");
}

#[test]
fn a_module_without_files_is_told_and_the_rest_left_alone() {
    let library = load(None).unwrap().library;
    let path = TreePath::new("lib/zstd/compress/p.c").unwrap();
    let files = BTreeMap::from([(path, PACK.as_bytes())]);
    let symbols = symbols::read(&files, &["lib/zstd"]);
    let arranged = arrange(&library, &[(None, symbols)]);
    assert_eq!(codes(&arranged), ["empty-module", "empty-module"]);
    assert!(arranged.problems.iter().all(|problem| problem.module.is_some()));
}
