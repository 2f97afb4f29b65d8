//! The wrapper API of small headers.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use super::*;
use crate::edit::Traced;
use crate::finding::Finding;
use crate::rules::{Ruleset, load};
use crate::syntax::{Definitions, parse};
use crate::text::{Source, TreePath};

const LIBRARY: &str = "name = \"demo\"\nurl = \"u\"\nroot = \"lib\"\npackage-root = \"demo\"\n\
    marker = \"lib/demo.h\"\ntag-prefix = \"v\"\nversion-file = \"lib/demo.h\"\n\
    version-macros = [\"A\", \"B\", \"C\"]\noldest = \"1.0.0\"\noutput = \"lib/demo\"\n\n\
    [[profile]]\nname = \"strict\"\nwhy = \"all\"\n\n\
    [[module]]\nname = \"demo\"\nkconfig = \"CONFIG_DEMO\"\nsource = \"module.c\"\nfolder = \"common\"\ncommon = true\n\n\
    [[api-section]]\nname = \"first\"\ntitle = \"First\"\n\n\
    [[api-section]]\nname = \"second\"\ntitle = \"Second\"\n";

const CONTEXT: &str = "id = \"demo_context\"\nwhy = \"callers hold one of these\"\n\
    type = [\"Lib_Context\", \"Lib_Ctx\"]\nsection = \"first\"\nbrief = \"a context\"\n";

const RUN: &str = "id = \"demo_run\"\nwhy = \"callers run it all the time\"\n\
    function = \"Lib_run\"\nsignature = \"unsigned int(demo_context*, const void *, size_t)\"\n\
    section = \"second\"\nmodule = \"demo\"\nbrief = \"run it\"\nreturn = \"how far it came\"\n\n\
    [[parameter]]\nname = \"context\"\ndoc = \"the context\"\n\n\
    [[parameter]]\nname = \"src\"\ndoc = \"the data\"\n\n\
    [[parameter]]\nname = \"src_size\"\ndoc = \"its size\"\n";

const HEADER: &str = "typedef struct Lib_Ctx_s Lib_Ctx;\n\
    unsigned Lib_run(Lib_Ctx* ctx, const void* data, size_t const size);\n";

/// A ruleset with these rules of kind api.
fn ruleset(rules: &[&str]) -> Ruleset {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("api")).unwrap();
    fs::write(folder.path().join("library.toml"), LIBRARY).unwrap();
    for rule in rules {
        let id = rule.split('"').nth(1).unwrap();
        fs::write(folder.path().join(format!("api/{id}.toml")), rule).unwrap();
    }
    load(Some(folder.path())).unwrap_or_else(|error| {
        let said: Vec<&str> = error.labels.iter().map(|label| label.text.as_str()).collect();
        panic!("{error}: {}", said.join("; "))
    })
}

fn made(rules: &[&str], header: &str, exact: bool) -> Generated {
    let ruleset = ruleset(rules);
    let path = TreePath::new("demo.h").unwrap();
    let source = Source::new("lib/demo.h", header.as_bytes());
    let text = Traced::new(Arc::clone(&source.bytes));
    let definitions = Definitions::derive([(&path, header.as_bytes())], []);
    let parsed = parse(&source, &text, &definitions);
    assert!(parsed.errors.is_empty(), "{header}");
    let declarations = parsed.declarations();
    let headers = Headers::new(vec![Header { source: &source, text: &text, declarations }]);
    let rules: Vec<&ApiRule> = ruleset.api.iter().collect();
    let release = Release { version: "1.2.0".parse().unwrap(), exact };
    generate(&rules, &ruleset.library.api_sections, &headers, release)
}

/// Code, then the places with what is pointed at, by the lines of the files.
fn said(finding: &Finding) -> String {
    let place = |label: &crate::finding::Label| {
        let file = label.source.name.rsplit('/').next().unwrap().to_owned();
        format!("{file}:{}", label.position().line)
    };
    let places: Vec<String> = finding.labels.iter().map(place).collect();
    format!("{} {:?} {}", finding.code, finding.severity, places.join(" "))
}

fn complaints(rules: &[&str], header: &str) -> Vec<String> {
    made(rules, header, true).findings.sorted().iter().map(said).collect()
}

#[test]
fn types_and_prototypes_come_from_upstream() {
    let made = made(&[CONTEXT, RUN], HEADER, true);
    assert!(made.findings.is_empty(), "{:?}", made.findings);
    let context = &made.api.types["demo_context"];
    assert_eq!(context.declaration, "typedef Lib_Ctx demo_context;");
    let run = &made.api.functions["demo_run"];
    assert_eq!(run.signature, "unsigned int (demo_context *, const void *, size_t)");
    assert_eq!(
        run.prototype,
        "unsigned int demo_run(demo_context *context, const void *src, size_t src_size);"
    );
    assert!(run.definition.ends_with("{\n\treturn Lib_run(context, src, src_size);\n}\n"));
    let counts: BTreeMap<&str, usize> =
        made.matched.iter().map(|(r, n)| (r.as_str(), *n)).collect();
    assert_eq!(counts, BTreeMap::from([("api/demo_context", 1), ("api/demo_run", 1)]));
}

#[test]
fn the_first_type_that_there_is_counts() {
    let header = format!("{HEADER}typedef struct Lib_Context_s Lib_Context;\n");
    let made = made(&[CONTEXT, RUN], &header, true);
    assert_eq!(made.api.types["demo_context"].upstream, "Lib_Context");
}

#[test]
fn arguments_may_be_constants_and_what_pointers_lead_to() {
    let rule = RUN
        .replace("[[parameter]]\nname = \"src\"\ndoc = \"the data\"\n\n", "")
        .replace("section =", "arguments = [\"*context\", \"NULL\", \"src_size\"]\nsection =")
        .replace("demo_context*,", "demo_context,");
    let header = HEADER.replace("Lib_Ctx*", "Lib_Ctx");
    let made = made(&[CONTEXT, &rule], &header, true);
    assert!(made.findings.is_empty(), "{:?}", made.findings);
    let run = &made.api.functions["demo_run"];
    assert_eq!(run.signature, "unsigned int (const demo_context *, size_t)");
    assert!(run.definition.contains("return Lib_run(*context, NULL, src_size);"));
}

#[test]
fn a_body_takes_its_types_from_what_it_is_like() {
    let rule = "id = \"demo_start\"\nwhy = \"a null pointer is taken here\"\n\
        body = '''\nif (!memory)\n\treturn 0;\nreturn Lib_run(memory, 0, 0);'''\n\
        result-like = \"Lib_run\"\nsection = \"first\"\nmodule = \"demo\"\nbrief = \"start it\"\n\
        return = \"zero\"\n\n[uses]\nLib_run = \"unsigned int (demo_context *, const void *, size_t)\"\n\n\
        [[parameter]]\nname = \"memory\"\nlike = \"Lib_run.1\"\ndoc = \"the memory\"\n\n\
        [[parameter]]\nname = \"unused\"\ntype = \"const Lib_Ctx *const *\"\ndoc = \"nothing\"\n";
    let made = made(&[CONTEXT, rule], HEADER, true);
    assert!(made.findings.is_empty(), "{:?}", made.findings);
    let start = &made.api.functions["demo_start"];
    assert_eq!(
        start.definition,
        "unsigned int demo_start(demo_context *memory, const demo_context *const *unused)\n\
         {\n\tif (!memory)\n\t\treturn 0;\n\treturn Lib_run(memory, 0, 0);\n}\n"
    );
    let wrong = rule.replace("Lib_run.1", "Lib_run.4");
    assert_eq!(complaints(&[CONTEXT, &wrong], HEADER), ["api-rule Error demo_start.toml:3"]);
}

#[test]
fn what_is_gone_is_shown_in_both_places() {
    let header = "typedef struct Lib_Ctx_s Lib_Ctx;\n";
    assert_eq!(complaints(&[CONTEXT, RUN], header), ["api-missing Error demo.h:1 demo_run.toml:3"]);
    assert_eq!(
        complaints(&[CONTEXT], "int x;\n"),
        ["api-missing Error demo.h:1 demo_context.toml:3"]
    );
}

#[test]
fn what_upstream_advises_against_is_shown_in_both_places() {
    let header = "#define OLD(what) __attribute__((deprecated(what)))\n\
        typedef struct Lib_Ctx_s Lib_Ctx;\n\nOLD(\"use Lib_go\")\n\
        unsigned Lib_run(Lib_Ctx* ctx, const void* data, size_t size);\n";
    assert_eq!(
        complaints(&[CONTEXT, RUN], header),
        ["api-deprecated Error demo.h:4 demo_run.toml:3"]
    );
}

#[test]
fn a_changed_type_is_shown_in_both_places() {
    for changed in ["const void* data", "size_t size", "unsigned"] {
        let other = HEADER.replace("size_t const", "size_t").replace(changed, "long x");
        let other = other.replace("long x Lib_run", "long Lib_run");
        assert_eq!(
            complaints(&[CONTEXT, RUN], &other),
            ["api-signature Error demo.h:2 demo_run.toml:4"],
            "{changed}"
        );
    }
    let more = HEADER.replace(");", ", int more);");
    assert_eq!(
        complaints(&[CONTEXT, RUN], &more),
        ["api-signature Error demo.h:2 demo_run.toml:4"]
    );
    // Names and the spelling of types are no part of it.
    let renamed = HEADER.replace("data", "src").replace("unsigned ", "unsigned int ");
    assert_eq!(complaints(&[CONTEXT, RUN], &renamed), [""; 0]);
}

#[test]
fn mistakes_of_rules_are_told() {
    let told = |rule: &str| complaints(&[CONTEXT, rule], HEADER);
    let one = |rule: &str| assert_eq!(told(rule), ["api-rule Error demo_run.toml:3"], "{rule}");
    one(&RUN.replace("[[parameter]]\nname = \"src\"\ndoc = \"the data\"\n\n", ""));
    one(&RUN.replace("section =", "arguments = [\"context\", \"0\", \"0\"]\nsection ="));
    one(&RUN.replace("return = \"how far it came\"\n", ""));
    // The type has a name for upstream only.
    let rule = RUN.replace("demo_context*", "Lib_Ctx *");
    assert_eq!(complaints(&[&rule], HEADER), ["api-rule Error demo_run.toml:3"]);
    // The header would use the type before it is declared.
    let late = CONTEXT.replace("\"first\"", "\"second\"");
    let early = RUN.replace("\"second\"", "\"first\"");
    assert_eq!(
        complaints(&[&late, &early], HEADER),
        ["api-rule Error demo_run.toml:3 demo_context.toml:3"]
    );
}

#[test]
fn a_commit_before_the_release_may_lack_what_that_brings() {
    let new = RUN.replacen("\n\n", "\nsince = \"1.2.0\"\n\n", 1);
    let header = "typedef struct Lib_Ctx_s Lib_Ctx;\n";
    let made_early = made(&[CONTEXT, &new], header, false);
    let early: Vec<String> = made_early.findings.iter().map(said).collect();
    assert_eq!(early, ["api-missing Warning demo.h:1 demo_run.toml:3"]);
    assert!(made_early.api.functions.is_empty());
    let due = made(&[CONTEXT, &new], header, true).findings;
    assert_eq!(due.errors(), 1);
    // Whoever says that it need not be there hears nothing.
    let optional = "\nexpect = \"0..\"\nexpect-why = \"only some releases have it\"\n\n";
    let optional = RUN.replacen("\n\n", optional, 1);
    let silent = made(&[CONTEXT, &optional], header, true);
    assert!(silent.findings.is_empty() && silent.matched.len() == 1);
}

#[test]
fn templates_see_sections_in_their_order() {
    let made = made(&[CONTEXT, RUN], HEADER, true);
    let sections = ruleset(&[CONTEXT]).library.api_sections;
    let value = made.api.value(&sections);
    let text = minijinja::Environment::new()
        .render_str(
            "{% for s in api.sections %}{{ s.title }}: {% for e in s.entries %}\
             {{ e.declaration }}{% endfor %}; {% endfor %}{{ api.names | join(' ') }}",
            minijinja::context! { api => value },
        )
        .unwrap();
    assert_eq!(
        text,
        "First: typedef Lib_Ctx demo_context;; Second: unsigned int demo_run(demo_context *context, \
         const void *src, size_t src_size);; demo_run demo_context"
    );
}

const BODY: &str = "id = \"demo_start\"\nwhy = \"the size is fixed here\"\n\
    body = \'\'\'\nreturn BODY;\'\'\'\n\
    result = \"int\"\nsection = \"second\"\nmodule = \"demo\"\nbrief = \"start it\"\n\
    return = \"zero\"\n\n[uses]\nLib_run = \"unsigned int (demo_context *, const void *, size_t)\"\n\
    Lib_call = \"int (Lib_Ctx *)\"\n\n\
    [[parameter]]\nname = \"context\"\nlike = \"Lib_run.1\"\ndoc = \"the context\"\n";

#[test]
fn the_release_has_what_a_body_names() {
    let header = format!(
        "{HEADER}typedef int (*Lib_call)(Lib_Ctx *context);\nunsigned Lib_stop(void);\n\
         #define Lib_MAX 3\nenum {{ Lib_one }};\nstruct Lib_Ctx_s {{ int level; }};\n"
    );
    let told = |body: &str| {
        let rule = BODY.replace("BODY", body);
        let findings = made(&[CONTEXT, &rule], &header, true).findings.sorted();
        findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    let fine = "Lib_run(context, 0, Lib_MAX) + Lib_one + context->level + other() + (long)own";
    assert_eq!(told(fine), [""; 0]);
    assert_eq!(told("Lib_stop()"), ["`uses` doesn't list the function `Lib_stop`"]);
    assert_eq!(told("Lib_go(Lib_two)").len(), 2);
    assert_eq!(told("Lib_two"), ["the release has not anything named `Lib_two`"]);
    assert_eq!(told("context->depth"), ["the release has not a member `depth`"]);
    assert_eq!(told("/* Lib_two */ 0"), [""; 0]);
}

#[test]
fn types_of_functions_are_held_as_well() {
    let header = |result: &str| format!("{HEADER}typedef {result} (*Lib_call)(Lib_Ctx *of_it);\n");
    let rule = BODY.replace("BODY", "0");
    assert_eq!(complaints(&[CONTEXT, &rule], &header("int")), [""; 0]);
    let other = complaints(&[CONTEXT, &rule], &header("long"));
    assert_eq!(other, ["api-signature Error demo.h:3 demo_start.toml:13"]);
}

#[test]
fn the_release_has_what_a_template_names() {
    let path = TreePath::new("demo.h").unwrap();
    let header = format!("{HEADER}unsigned Lib_stop(void);\nstruct Lib_Ctx_s {{ int level; }};\n");
    let source = Source::new("lib/demo.h", header.as_bytes());
    let text = Traced::new(Arc::clone(&source.bytes));
    let definitions = Definitions::derive([(&path, header.as_bytes())], []);
    let declarations = parse(&source, &text, &definitions).declarations();
    let headers = Headers::new(vec![Header { source: &source, text: &text, declarations }]);
    let ruleset = ruleset(&[CONTEXT, RUN]);
    let rules: Vec<&ApiRule> = ruleset.api.iter().collect();
    let told = |text: &str| {
        let source = Source::new("templates/module.c", text.as_bytes());
        let findings = check_template(&rules, &headers, &source).sorted();
        findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    let fine = "static int Lib_own(Lib_Ctx *c)\n{\n\tstruct { int name; } s = { .name = c->level };\n\
                \treturn Lib_run(c, 0, s.name) + Lib_own(c);\n}\n";
    assert_eq!(told(fine), [""; 0]);
    assert_eq!(told("int x = Lib_NEW;\n"), ["the release has nothing named `Lib_NEW`"]);
    assert_eq!(told("x = y.lost;\n"), ["the release has no type with a member `lost`"]);
    let unlisted = ["no rule of kind api lists the function `Lib_stop`"];
    assert_eq!(told("x = Lib_stop();\n"), unlisted);
}
