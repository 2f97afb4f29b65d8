//! Rulesets on disk, right and wrong: what the loader says, and where.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{MacroState, Ruleset, Version, check, list, load, show};
use crate::finding::{Error, ErrorKind};

pub(crate) const LIBRARY: &str = r#"
name = "demo"
url = "https://example.org/demo"
root = "lib"
package-root = "demo"
marker = "lib/demo.h"
tag-prefix = "v"
version-file = "lib/demo.h"
version-macros = ["A", "B", "C"]
oldest = "1.0.0"
output = "lib/demo"

[[profile]]
name = "strict"
why = "all of it"
closed = true

[[profile]]
name = "official"
why = "what others do"
simplify = "leading"
"#;

const MACRO: &str = r#"id = "one"
why = "a reason that is long enough"
names = ["ONE"]
class = "feature"
state = "value"
value = "1"
"#;

fn ruleset(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    write(dir.path(), "library.toml", LIBRARY);
    for (path, text) in files {
        write(dir.path(), path, text);
    }
    dir
}

fn write(dir: &Path, path: &str, text: &str) {
    let file = dir.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn loaded(files: &[(&str, &str)]) -> Ruleset {
    load(Some(ruleset(files).path())).unwrap_or_else(|error| panic!("{}", shown(&error)))
}

fn refused(files: &[(&str, &str)]) -> String {
    let dir = ruleset(files);
    let error = load(Some(dir.path())).map(|_| ()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    shown(&error).replace(&format!("{}/", dir.path().display()), "")
}

/// The error with its places, as `file:line:column: text`.
fn shown(error: &Error) -> String {
    let mut out = error.message.clone();
    for label in &error.labels {
        let at = label.position();
        out += &format!("\n{}:{}:{}: {}", label.source.name, at.line, at.column, label.text);
    }
    if let Some(hint) = &error.hint {
        out += &format!("\nhint: {hint}");
    }
    out
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

/// `MACRO` with one line replaced or, where nothing matches, with `line` added.
fn with(line: &str) -> String {
    let key = line.split(' ').next().unwrap_or_default();
    let mut found = false;
    let mut out = String::new();
    for old in MACRO.lines() {
        let same = old.split(' ').next() == Some(key);
        found |= same;
        out += if same { line } else { old };
        out += "\n";
    }
    if found { out } else { out + line + "\n" }
}

#[test]
fn a_small_ruleset_loads() {
    let rules = loaded(&[("macros/one.toml", MACRO)]);
    assert_eq!(rules.library.name, "demo");
    assert_eq!(rules.macros[0].state, MacroState::Value("1".into()));
    assert_eq!(rules.macros[0].rule.name.as_str(), "macros/one");
    assert!(rules.macros[0].rule.expect.holds(1, Version::default()));
    assert!(!rules.macros[0].rule.expect.holds(0, Version::default()));
}

#[test]
fn the_digest_depends_on_paths_and_contents_only() {
    let digest = |files: &[(&str, &str)]| loaded(files).digest;
    let base = digest(&[("macros/one.toml", MACRO)]);
    assert_eq!(base.len(), 64);
    assert_eq!(base, digest(&[("macros/one.toml", MACRO)]));
    assert_ne!(base, digest(&[("macros/one.toml", &format!("{MACRO}\n"))]));
}

#[test]
fn a_wrong_key_is_pointed_at_and_the_right_one_named() {
    let text = refused(&[("macros/one.toml", &with("stat = \"free\""))]);
    says(&text, &["unknown key `stat`", "macros/one.toml:7:1", "did you mean `state`?"]);
    let text = refused(&[("macros/one.toml", &with("colour = \"free\""))]);
    says(&text, &["known are: id, why, names"]);
}

#[test]
fn all_mistakes_are_reported_together() {
    let broken =
        "id = \"two\"\nwhy = 3\nnames = [\"TWO\", 2]\nclas = \"feature\"\nstate = \"fre\"\n";
    let text = refused(&[
        ("macros/one.toml", &with("value = 1")),
        ("macros/two.toml", broken),
        ("macros/notes.txt", "x"),
        ("wishes/x.toml", "x"),
        ("stray.toml", "x"),
    ]);
    says(
        &text,
        &[
            "mistakes",
            "macros/one.toml:6:9",
            "macros/two.toml:2:7",
            "macros/two.toml:4:1: unknown key `clas`; did you mean `class`?",
            "macros/notes.txt is no rule",
            "wishes/x.toml lies in no known folder",
            "stray.toml belongs to no kind of rule",
        ],
    );
}

#[test]
fn every_value_is_checked() {
    for (line, message) in [
        ("id = \"two\"", "the id is `two`, the file's name says `one`"),
        ("why = \"\"", "`why` gives no reason"),
        ("names = []", "`names` is empty"),
        ("names = [\"1X\"]", "no C identifier"),
        ("names = [\"X*\"]", "state free only"),
        ("names = [\"X\", \"X\"]", "listed twice"),
        ("names = [\"defined\"]", "an operator"),
        ("class = \"portabilty\"", "did you mean `portability`?"),
        ("state = \"undefind\"", "did you mean `undefined`?"),
        ("state = \"undefined\"", "`value` stands only beside"),
        ("since = \"1.5\"", "three numbers are wanted"),
        ("profiles = [\"strickt\"]", "did you mean `strict`?"),
        ("expect = \"some\"", "not a count"),
        ("expect = \"0..\"", "says so in `expect-why`"),
        ("expect-why = \"because it is so\"", "stands only beside"),
        ("value = \"a\\nb\"", "one line"),
    ] {
        let text = refused(&[("macros/one.toml", &with(line))]);
        says(&text, &[message, "macros/one.toml:"]);
    }
}

#[test]
fn version_ranges_hold_a_release() {
    let text =
        refused(&[("macros/one.toml", &format!("{MACRO}since = \"1.5.1\"\nuntil = \"1.5.1\"\n"))]);
    says(&text, &["`since` 1.5.1 is not before `until` 1.5.1", "macros/one.toml:8:9"]);
}

#[test]
fn portability_macros_have_a_state() {
    let text = with("class = \"portability\"")
        .replace("value = \"1\"\n", "")
        .replace("\"value\"", "\"free\"");
    says(&refused(&[("macros/one.toml", &text)]), &["class portability", "macros/one.toml:4:9"]);
}

#[test]
fn two_states_at_once_are_a_conflict() {
    let two = |extra: &str| MACRO.replace("\"one\"", "\"two\"").replace("\"1\"", "\"2\"") + extra;
    let text = refused(&[("macros/one.toml", MACRO), ("macros/two.toml", &two(""))]);
    says(&text, &["the macro `ONE`", "macros/one.toml:3:9", "macros/two.toml:3:9"]);
    let before = format!("{MACRO}until = \"1.5.0\"\n");
    loaded(&[("macros/one.toml", &before), ("macros/two.toml", &two("since = \"1.5.0\"\n"))]);
    let strict = format!("{MACRO}profiles = [\"strict\"]\n");
    loaded(&[
        ("macros/one.toml", &strict),
        ("macros/two.toml", &two("profiles = [\"official\"]\n")),
    ]);
}

#[test]
fn ids_are_lower_case_and_may_repeat_in_two_kinds() {
    let upper = MACRO.replace("\"one\"", "\"One\"");
    let text = refused(&[("macros/one.toml", MACRO), ("macros/One.toml", &upper)]);
    says(&text, &["differ in case only", "a to z"]);
    let mask = "id = \"one\"\nwhy = \"a reason that is long enough\"\nnames = [\"ONE\"]\n";
    loaded(&[("macros/one.toml", MACRO), ("masks/one.toml", mask)]);
}

#[test]
fn alternatives_speak_of_the_same_macros() {
    let rule = |second: &str| {
        format!(
            "id = \"cc\"\nwhy = \"compilers exclude each other\"\nclass = \"compiler\"\n\n\
             [[one-of]]\nname = \"gcc\"\nundefined = [\"C\"]\nranges = {{ G = \"5..\" }}\n\n\
             [[one-of]]\nname = \"clang\"\ndefined = [\"C\"]\n{second}\n"
        )
    };
    let rules = loaded(&[("macros/cc.toml", &rule("values = { G = \"4\" }"))]);
    assert_eq!(rules.one_of[0].alternatives[0].macros["G"], MacroState::Range(Some(5), None));
    let text = refused(&[("macros/cc.toml", &rule(""))]);
    says(&text, &["`clang` does not say what `G` is", "macros/cc.toml:11:8"]);
    let text = refused(&[("macros/cc.toml", &rule("vales = { G = \"4\" }"))]);
    says(&text, &["unknown key `vales`", "did you mean `values`?"]);
}

#[test]
fn wrong_types_in_tables_are_pointed_at() {
    let rule = "id = \"cc\"\nwhy = \"short\"\nclass = \"compiler\"\n\n[[one-of]]\nname = 3\n";
    let text = refused(&[("macros/cc.toml", rule)]);
    says(&text, &["macros/cc.toml:6:8", "invalid type", "macros/cc.toml:2:7"]);
    let text = refused(&[("macros/one.toml", &format!("{MACRO}value = \"2\"\n"))]);
    says(&text, &["duplicate key", "macros/one.toml:7:1"]);
}

#[test]
fn a_wrong_library_is_pointed_at() {
    let dir = ruleset(&[("macros/one.toml", MACRO)]);
    let broken = LIBRARY
        .replace("url =", "uri =")
        .replace("\"1.0.0\"", "\"1.0\"")
        .replace("\"leading\"", "\"leadin\"");
    write(dir.path(), "library.toml", &broken);
    let text = shown(&load(Some(dir.path())).map(|_| ()).unwrap_err());
    says(
        &text,
        &[
            "unknown key `uri`",
            "`url` is missing",
            "`1.0` is not a version",
            "did you mean `leading`?",
        ],
    );
}

#[test]
fn modules_and_kernels_are_checked() {
    let module = |name: &str, rest: &str| {
        format!(
            "[[module]]\nname = \"{name}\"\nkconfig = \"CONFIG_{name}\"\n\
             source = \"{name}.c\"\nfolder = \"{name}\"\n{rest}\n"
        )
    };
    let value = "[[target-value]]\nname = \"old\"\nwhy = \"it is\"\nsince = \"6.2\"\n\
                 file = \"lib/a.h\"\nwith = false\nwithout = true\n";
    let kernels = "kernel-oldest = \"6.1\"\nkernel-newest = \"6.12\"\n[[profile]]";
    let library = |top: &str, tables: &str| {
        let dir = ruleset(&[]);
        let text = LIBRARY.replacen("[[profile]]", top, 1) + "\n" + tables;
        write(dir.path(), "library.toml", &text);
        load(Some(dir.path()))
    };
    let two = module("one", "") + &module("two", "common = true");
    let rules = library(kernels, &format!("{two}{value}")).unwrap_or_else(|e| panic!("{e}"));
    let newest = rules.library.kernels.unwrap().1;
    assert_eq!((newest.major, newest.minor), (6, 12));
    assert!(rules.library.modules[1].common && !rules.library.modules[0].common);
    assert!(!rules.library.target_values[0].with.as_bool().unwrap());
    let refused = |top: &str, tables: &str| shown(&library(top, tables).map(|_| ()).unwrap_err());
    says(&refused(kernels, &module("one", "")), &["no module is the common one"]);
    let twice = module("one", "common = true").repeat(2);
    says(&refused(kernels, &twice), &["`one` and `one` share a name"]);
    says(&refused(kernels, &two.replace("two.c", "two.h")), &["is a .c file"]);
    says(&refused(kernels, &two.replace("\"two\"", "\"two-b\"")), &["letters, digits and `_`"]);
    says(&refused("[[profile]]", value), &["`kernel-oldest` and `kernel-newest` are missing"]);
    says(&refused(kernels, &value.replace("6.2", "6")), &["`6` is no kernel"]);
    says(&refused(kernels, &value.replace("false", "1.5")), &["true, false or a whole number"]);
    says(&refused(&kernels.replace("6.1\"", "6.20\""), ""), &["6.12 is older than 6.20"]);
    says(&refused(kernels, &module("one", "commn = true")), &["unknown key `commn`", "common"]);
}

#[test]
fn templates_exist_and_parse() {
    let rule = "id = \"mem\"\nwhy = \"a reason that is long enough\"\ntemplate = \"mem.h\"\nto = \"lib/demo/mem.h\"\n";
    loaded(&[("files/mem.toml", rule), ("templates/mem.h", "#include <{{ header }}>\n")]);
    let text = refused(&[("files/mem.toml", rule), ("templates/nem.h", "")]);
    says(&text, &["there is no template `mem.h`", "did you mean `nem.h`?", "files/mem.toml:3:12"]);
    let text = refused(&[("files/mem.toml", rule), ("templates/mem.h", "\n{% if %}\n")]);
    says(&text, &["template syntax error", "templates/mem.h:2:"]);
}

#[test]
fn rules_of_the_interface_are_checked() {
    let places = "\n[[module]]\nname = \"demo\"\nkconfig = \"CONFIG_DEMO\"\nsource = \"demo_module.c\"\n\
        folder = \"common\"\ncommon = true\n\n[[api-section]]\nname = \"all\"\ntitle = \"All\"\n";
    let library = format!("{LIBRARY}{places}");
    let ty = "id = \"demo_t\"\nwhy = \"a reason that is long enough\"\ntype = [\"T\"]\n\
        section = \"all\"\nbrief = \"a type\"\n";
    let function = "id = \"demo_f\"\nwhy = \"a reason that is long enough\"\nfunction = \"F\"\n\
        signature = \"int (int)\"\nsection = \"all\"\nmodule = \"demo\"\nbrief = \"do it\"\n\
        return = \"nothing\"\n\n[[parameter]]\nname = \"a\"\ndoc = \"a number\"\n";
    let check = |function: &str| {
        let files = [("api/demo_t.toml", ty), ("api/demo_f.toml", function)];
        let dir = ruleset(&files);
        write(dir.path(), "library.toml", &library);
        load(Some(dir.path())).map_err(|error| shown(&error))
    };
    let rules = check(function).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(rules.api.len(), 2);
    assert_eq!(list(&rules)[0].about, "F");
    for (from, to, message) in [
        ("function", "fuction", "did you mean `function`?"),
        ("function = \"F\"", "function = \"F\"\nbody = \"x\"", "`body` is one too many"),
        ("function = \"F\"", "type = [\"F\"]", "stands only beside `function` or `body`"),
        ("signature = \"int (int)\"\n", "", "the key `signature` is missing"),
        ("\"all\"", "\"al\"", "there is no section `al`"),
        ("\"demo\"", "\"dmo\"", "did you mean `demo`?"),
        ("\"do it\"", "\"do\\nit\"", "one line of text"),
        ("\"a number\"", "\"*/\"", "would end the comment"),
        ("doc =", "like = \"F\"\ndoc =", "not of the form FUNCTION.NUMBER"),
        ("doc =", "like = \"F.0\"\ndoc =", "not of the form FUNCTION.NUMBER"),
        ("doc =", "like = \"F.1\"\ntype = \"int\"\ndoc =", "`like` says it already"),
        ("function = \"F\"\nsignature = \"int (int)\"", "body = \"x\"", "`result-like`"),
        (
            "function = \"F\"\nsignature = \"int (int)\"",
            "body = \"x\"\nresult = \"int\"",
            "has no `like` or `type`",
        ),
        ("why =", "name = \"demo_t\"\nwhy =", "two rules speak of the kernel's `demo_t`"),
    ] {
        let text = check(&function.replace(from, to)).map(|_| ()).unwrap_err();
        says(&text, &[message, "api/demo_f.toml:"]);
    }
}

#[test]
fn files_that_are_no_rules_are_refused() {
    let dir = ruleset(&[]);
    fs::create_dir(dir.path().join("macros")).unwrap();
    fs::write(dir.path().join("macros/bytes.toml"), b"id = \"\xff\"").unwrap();
    fs::write(dir.path().join("macros/huge.toml"), vec![b'#'; 2 << 20]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/zero", dir.path().join("macros/link.toml")).unwrap();
    let text = shown(&load(Some(dir.path())).map(|_| ()).unwrap_err());
    says(&text, &["not UTF-8", "bytes.toml:1:7", "is larger than 1024 KiB"]);
    #[cfg(unix)]
    says(&text, &["is a symbolic link"]);
}

#[test]
fn a_folder_without_ruleset_says_where_one_is() {
    let dir = TempDir::new().unwrap();
    write(dir.path(), "demo/library.toml", LIBRARY);
    let error = load(Some(dir.path())).map(|_| ()).unwrap_err();
    says(&shown(&error), &["holds no library.toml", "did you mean", "demo?"]);
    let error = load(Some(&dir.path().join("nowhere"))).map(|_| ()).unwrap_err();
    says(&shown(&error), &["is not a folder"]);
}

#[test]
fn a_rule_is_shown_by_id() {
    let rules = loaded(&[("macros/one.toml", MACRO)]);
    let row = &list(&rules)[0];
    assert_eq!((row.kind.as_str(), row.id.as_str(), row.about.as_str()), ("macros", "one", "ONE"));
    assert_eq!(row.when, "always");
    let text = show(&rules, "one").unwrap().remove(0);
    assert_eq!(text.fixture, Path::new("fixtures/demo/macros/one"));
    assert_eq!(show(&rules, "macros/one").unwrap().len(), 1);
    says(&shown(&show(&rules, "on").map(|_| ()).unwrap_err()), &["no rule `on`", "`one`"]);
}

#[test]
fn check_wants_order_and_fixtures() {
    let dir = TempDir::new().unwrap();
    let rules = dir.path().join("rules/demo");
    write(&rules, "library.toml", LIBRARY);
    let swapped = "why = \"a reason that is long enough\"\nid = \"one\"\n";
    write(
        &rules,
        "macros/one.toml",
        &MACRO.replacen(&MACRO[..MACRO.find("names").unwrap()], swapped, 1),
    );
    write(dir.path(), "fixtures/demo/macros/old/in.c", "");
    let (_, findings) = check(Some(&rules)).unwrap();
    let messages: Vec<_> = findings.sorted().into_iter().map(|f| f.message).collect();
    let text = messages.join("\n");
    says(
        &text,
        &[
            "`id` belongs above `why`",
            "`macros/one` has no fixture, or an empty one",
            "is a fixture of no rule",
        ],
    );
    assert_eq!(messages.len(), 3, "{text}");
    write(dir.path(), "fixtures/demo/macros/one/in.c", "int a;");
    write(dir.path(), "fixtures/demo/macros/one/out.c", "int a;");
    fs::remove_dir_all(dir.path().join("fixtures/demo/macros/old")).unwrap();
    write(&rules, "macros/one.toml", MACRO);
    assert!(check(Some(&rules)).unwrap().1.is_empty());
}

#[test]
fn the_built_in_ruleset_loads() {
    let rules = load(None).unwrap_or_else(|error| panic!("{}", shown(&error)));
    assert!(!rules.macros.is_empty());
    assert_eq!(rules.origin, "built in");
}

const LOCAL: &str = r#"id = "one"
why = "a reason that is long enough"
files = ["lib/demo/*.c"]
adds = ["if (!p)"]
"#;

#[test]
fn local_changes_are_checked() {
    let local = |more: &str| refused(&[("local/one.toml", &format!("{LOCAL}{more}"))]);
    let rule = &loaded(&[("local/one.toml", LOCAL)]).local[0];
    assert!(rule.rule.expect.holds(0, Version::default()), "no import has to match it");
    assert_eq!((rule.upstreamed, rule.generated, &rule.decision), (None, false, &None));
    assert!(local("kernel = \"6\"\n").contains("local/one.toml:5:10: "));
    assert!(local("commit = \"0123\"\n").contains("no commit id"));
    assert!(local("upstreamed = \"1.5\"\n").contains("not a version"));
    assert!(local("decision = \"kepe\"\n").contains("did you mean `keep`?"));
    assert!(local("decision = \"keep\"\n").contains("`decision-why` is missing"));
    assert!(local("decision-why = \"because it is so\"\n").contains("only beside `decision`"));
    assert!(local("expect = \"1\"\n").contains("no import has to match"));
    let nothing = LOCAL.replace("adds = [\"if (!p)\"]\n", "");
    assert!(refused(&[("local/one.toml", &nothing)]).contains("`adds` or `removes` is missing"));
}

#[test]
fn local_rules_are_about_files_of_the_library_and_apart() {
    let said = refused(&[("local/one.toml", &LOCAL.replace("lib/demo", "drivers/demo"))]);
    assert!(said.contains("can be no file of the library"), "{said}");
    let two = LOCAL.replace("\"one\"", "\"two\"");
    let said = refused(&[("local/one.toml", LOCAL), ("local/two.toml", &two)]);
    assert!(said.contains("two rules speak of a change with `if (!p)`"), "{said}");
    let other = two.replace("if (!p)", "if (!q)");
    assert_eq!(loaded(&[("local/one.toml", LOCAL), ("local/two.toml", &other)]).local.len(), 2);
}

#[test]
fn known_releases_are_checked() {
    let [same, other] = ["a", "b"].map(|digit| digit.repeat(64));
    let base = format!(
        "id = \"b\"\nwhy = \"a reason that is long enough\"\nrelease = \"v1.2.3\"\n\
         version = \"1.2.3\"\n\n[files]\n\"lib/demo/a.c\" = \"{same}\"\n\n[[changed]]\n\
         file = \"lib/demo/a.c\"\nkernel = \"6.1\"\nsha256 = \"{other}\"\nlocal = [\"one\"]\n"
    );
    let rules = loaded(&[("local/one.toml", LOCAL), ("bases/b.toml", &base)]);
    assert_eq!((rules.bases[0].files.len(), &rules.bases[0].changed[0].sha256), (1, &other));
    let wrong = |from: &str, to: &str| {
        refused(&[("local/one.toml", LOCAL), ("bases/b.toml", &base.replace(from, to))])
    };
    assert!(wrong(&same, "abc").contains("no sha-256"));
    assert!(wrong(&other, &other.to_uppercase()).contains("no sha-256"));
    assert!(wrong(&other, &same).contains("the unchanged file"));
    assert!(wrong("lib/demo/a.c\" =", "/a.c\" =").contains("relative path"));
    assert!(wrong("lib/demo/a.c", "fs/a.c").contains("no file of the library"));
    assert!(wrong("file = \"lib/demo/a.c", "file = \"lib/demo/b.c").contains("not among"));
    assert!(wrong("[\"one\"]", "[\"ones\"]").contains("did you mean `one`?"));
    assert!(wrong("lib/demo/a.c", "lib/demo/a.h").contains("not about `lib/demo/a.h` of v1.2.3"));
    assert!(wrong("\n[files]", "since = \"1.0.0\"\n[files]").contains("a single release"));
}

#[test]
fn paths_and_importer_are_plain_paths() {
    let library = |more: &str| {
        let text = LIBRARY.replacen("\n\n[[profile]]", &format!("\n{more}\n\n[[profile]]"), 1);
        let dir = ruleset(&[("library.toml", &text)]);
        load(Some(dir.path())).map(|ruleset| ruleset.library).map_err(|error| error.message)
    };
    assert_eq!(library("").unwrap().paths, ["lib/demo/**/*"]);
    let given = library("paths = [\"a/*\"]\n[importer]\n\"a/b\" = \"c/d\"").unwrap();
    assert_eq!(given.paths, ["a/*"]);
    assert_eq!(given.importer["a/b"], "c/d");
    assert!(library("paths = []").unwrap_err().contains("empty"));
    assert!(library("paths = [\"../a\"]").unwrap_err().contains("relative path"));
    assert!(library("[importer]\n\"/a\" = \"b\"").unwrap_err().contains("relative path"));
}
