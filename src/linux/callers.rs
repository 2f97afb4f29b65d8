//! The callers of the library in a kernel, held against the headers that they would be compiled with.

mod members;
mod own;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::interface::{Interface, Kind, Offer};
use crate::finding::{Finding, Findings};
use crate::syntax::Definitions;
use crate::text::{Source, Span, TreePath};
use own::Own;
use words::Code;

/// Code of the findings about names that go.
pub const MISSING: &str = "caller-missing";
/// Code of the findings about names that mean something else.
pub const CHANGED: &str = "caller-changed";

/// Who calls the library, and what of it.
#[derive(Clone, Debug, Default)]
pub struct Callers {
    /// Files to the names that they use, by kind.
    pub files: BTreeMap<TreePath, BTreeMap<Kind, BTreeSet<String>>>,
    /// What they use and no longer find, or find changed.
    pub findings: Findings,
}

impl Callers {
    /// All names of one kind that are used.
    pub fn names(&self, kind: Kind) -> BTreeSet<&str> {
        let uses = self.files.values().filter_map(|uses| uses.get(&kind));
        uses.flatten().map(String::as_str).collect()
    }
}

/// Holds what `files` use of the headers that they have now (`old`) against those to come (`new`).
/// Names that begin with one of `words` are the library's, unless a caller declares them itself.
pub fn check(
    files: &BTreeMap<TreePath, Arc<Source>>,
    old: &Interface,
    new: &Interface,
    words: &[String],
) -> Callers {
    let mut callers = Callers::default();
    let mut own = Own::new(files);
    let gone = members::gone(old, new);
    for (path, source) in files {
        let uses = Uses::of(path, source, old, new, words);
        let unknown = uses.unknown.iter().filter(|(name, _)| !own.has(path, name));
        let unknown: Vec<_> = unknown.collect();
        if uses.names.is_empty() && unknown.is_empty() {
            continue;
        }
        let file = callers.files.entry(path.clone()).or_default();
        for (name, span, offer) in &uses.names {
            if file.entry(offer.kind).or_default().insert(name.clone()) {
                callers.findings.extend(held(name, offer, (old, new), source, *span));
            }
        }
        let used = uses.names.iter().map(|(_, _, offer)| *offer);
        callers.findings.extend(members::held(&gone, used, &uses.members, old, source));
        for (name, (span, kind)) in unknown {
            callers.findings.push(nowhere(name, *kind, source, *span));
        }
    }
    callers
}

/// What a file uses of the library.
struct Uses<'i> {
    /// Names that there are now, or will be, each with its first place.
    names: Vec<(String, Span, &'i Offer)>,
    /// Names that look as if they were the library's, called or used as a type.
    unknown: BTreeMap<String, (Span, Kind)>,
    /// Names behind `.` and `->`, each with its first place.
    members: BTreeMap<&'i str, Span>,
}

impl<'i> Uses<'i> {
    fn of(
        path: &TreePath,
        source: &'i Arc<Source>,
        old: &'i Interface,
        new: &'i Interface,
        words: &[String],
    ) -> Uses<'i> {
        let code = Code::of(&source.bytes);
        let mut found: BTreeMap<&str, (Span, &Offer)> = BTreeMap::new();
        let (mut unknown, mut members) = (BTreeMap::new(), BTreeMap::new());
        for at in 0..code.len() {
            let Some(name) = code.name(at) else { continue };
            if code.is_member(at) {
                members.entry(name).or_insert(code.span(at));
                continue;
            }
            let get = |interface: &'i Interface| match code.is_tag(at) {
                true => interface.tag(name),
                false => interface.get(name),
            };
            if let Some(offer) = get(old).or_else(|| get(new)) {
                found.entry(name).or_insert((code.span(at), offer));
            } else if words.iter().any(|word| name.starts_with(word.as_str()))
                && path.extension() != Some("S")
                && let Some(kind) = code.role(at)
            {
                unknown.entry(name.to_owned()).or_insert((code.span(at), kind));
            }
        }
        // What a file defines itself is not the library's, whatever it is called.
        if !found.is_empty() {
            let own = Definitions::derive([(path, &*source.bytes)], []);
            found.retain(|name, _| !own.defines(name, path));
        }
        let names = found.into_iter().map(|(name, (at, offer))| (name.to_owned(), at, offer));
        let mut names: Vec<_> = names.collect();
        names.sort_by_key(|(_, at, _)| *at);
        Uses { names, unknown, members }
    }
}

/// Says that nobody declares what is used.
fn nowhere(name: &str, kind: Kind, source: &Arc<Source>, at: Span) -> Finding {
    let message = format!("neither the tree nor the import has the {} `{name}`", kind.word());
    Finding::error(MISSING, message)
        .at(source, at, "used here")
        .hint("add a rule of kind api for it, or correct the caller")
}

/// What is to be said of one use.
fn held(
    name: &str,
    offer: &Offer,
    (old, new): (&Interface, &Interface),
    source: &Arc<Source>,
    at: Span,
) -> Findings {
    let mut findings = Findings::default();
    let kind = offer.kind.word();
    let then = if offer.is_tag { new.tag(name) } else { new.get(name) };
    match then {
        None => findings.push(
            Finding::error(MISSING, format!("the {kind} `{name}` would be gone"))
                .at(source, at, "used here")
                .label(offer.label("declared here now"))
                .hint("keep it by a rule of kind api, or change the caller with the same series"),
        ),
        Some(other) if other.serves_as(offer) => {
            if !old.keeps(offer, new, other) {
                findings.push(reshaped(name, offer, other, source, at));
            }
        }
        Some(other) => {
            let message =
                format!("the {kind} `{name}` would change: {}, not {}", other.shown, offer.shown);
            let finding = match offer.kind {
                // Callers that name a constant follow its value.
                Kind::Constant if other.kind == Kind::Constant => {
                    Finding::warning(CHANGED, message)
                }
                _ => Finding::error(CHANGED, message),
            };
            findings.push(
                finding
                    .at(source, at, "used here")
                    .label(offer.label("declared here now"))
                    .label(other.label("declared so then"))
                    .hint("change the rule of kind api, or the caller with the same series"),
            );
        }
    }
    findings
}

/// Says that a type shows other things than before. Most callers name few of them, or none.
fn reshaped(name: &str, old: &Offer, new: &Offer, source: &Arc<Source>, at: Span) -> Finding {
    let (now, then) = (old.shape.shown(), new.shape.shown());
    Finding::warning(CHANGED, format!("the type `{name}` would be {then}, not {now}"))
        .at(source, at, "used here")
        .label(old.label("declared here now"))
        .label(new.label("declared so then"))
        .hint("see whether the caller minds")
}

#[cfg(test)]
mod tests {
    use super::super::interface::tests::interface;
    use super::*;

    const OLD: &str = "typedef struct C_s ctx;\nenum { UNKNOWN = 1 };\n#define MAX 10\n\
                       int lib_a(int x);\nint lib_b(ctx *c);\nint lib_c(void);\n";

    fn checked(caller: &str, new: &str) -> Callers {
        let path = TreePath::new("fs/a.c").unwrap();
        let files = BTreeMap::from([(path, Source::new("fs/a.c", caller.as_bytes()))]);
        check(&files, &interface(OLD), &interface(new), &["lib_".into()])
    }

    fn said(callers: &Callers) -> Vec<String> {
        let line = |finding: &Finding| {
            let at = finding.labels[0].position();
            format!("{}:{} {} {}", at.line, at.column, finding.severity, finding.message)
        };
        callers.findings.iter().map(line).collect()
    }

    #[test]
    fn what_is_used_is_told_from_what_only_looks_so() {
        let caller = "/* lib_b */ int f(ctx *c) { s.lib_c(); s->lib_c; return lib_a(MAX); }\n\
                      static int lib_b(ctx *c) { return UNKNOWN; }\n";
        let callers = checked(caller, OLD);
        assert_eq!(said(&callers), Vec::<String>::new());
        let names = |kind| callers.names(kind).into_iter().collect::<Vec<_>>();
        assert_eq!(names(Kind::Function), ["lib_a"]);
        assert_eq!(names(Kind::Type), ["ctx"]);
        assert_eq!(names(Kind::Constant), ["MAX", "UNKNOWN"]);
    }

    #[test]
    fn what_goes_or_changes_is_found_at_the_caller() {
        let caller = "int x = MAX + UNKNOWN;\nint f(ctx *c) {\n\treturn lib_a(1) + lib_b(c);\n}\n";
        let new = "typedef struct C_s ctx;\n#define MAX 11\nint lib_a(long x);\n";
        assert_eq!(
            said(&checked(caller, new)),
            [
                "1:9 warning the constant `MAX` would change: MAX = 11, not MAX = 10",
                "1:15 error the constant `UNKNOWN` would be gone",
                "3:9 error the function `lib_a` would change: int lib_a(long x), not int lib_a(int x)",
                "3:20 error the function `lib_b` would be gone",
            ]
        );
    }

    #[test]
    fn names_that_nobody_declares_are_found() {
        let caller = "#ifdef lib_d\n#error lib_e (now)\n#endif\nint f(void) {\n\tlib_t *t = lib_new(3);\n\
                      \tstruct lib_s s;\n\treturn (lib_u *)t + lib_level * lib_v + 2 * lib_p(s.lib_m(lib_q));\n}\n";
        let nobody = |what: &str| format!("error neither the tree nor the import has the {what}");
        assert_eq!(
            said(&checked(caller, OLD)),
            [
                format!("5:13 {}", nobody("function `lib_new`")),
                format!("7:46 {}", nobody("function `lib_p`")),
                format!("6:9 {}", nobody("type `lib_s`")),
                format!("5:2 {}", nobody("type `lib_t`")),
                format!("7:10 {}", nobody("type `lib_u`")),
            ]
        );
        // What only the import has is no news to it.
        let new = format!(
            "{OLD}typedef int lib_t; typedef int lib_u; struct lib_s {{ int a; }};\n\
                           #define lib_new(x) (x)\nint lib_p(int a);\n"
        );
        let ahead = checked(caller, &new);
        assert_eq!(said(&ahead), Vec::<String>::new());
        assert!(ahead.names(Kind::Function).contains("lib_p"));
    }

    #[test]
    fn names_of_the_callers_own_are_theirs() {
        let path = |path: &str| TreePath::new(path).unwrap();
        let caller = "#include \"deep/b.h\"\n#include <linux/own.h>\n\
                      static struct x *lib_own(void) { return 0; }\n\
                      #define lib_macro(x) x\nstruct lib_ctx { int a; };\n\
                      void g(int (*lib_call)(int)) { struct lib_ctx c; lib_call(lib_macro(1)); lib_own(); \
                      lib_beside(); lib_deep(); lib_far(); lib_through(); lib_other(); }\n";
        let files = [
            ("fs/a.c", caller),
            ("fs/a.h", "int lib_beside(void);"),
            ("fs/deep/b.h", "#include \"c.h\"\nvoid *lib_deep(void);"),
            ("fs/deep/c.h", "struct a *lib_through(void);"),
            ("include/linux/own.h", "int lib_far(void);"),
            ("fs/deep/d.h", "int lib_other(void);"),
        ];
        let files = files.map(|(name, text)| (path(name), Source::new(name, text.as_bytes())));
        let interface = interface(OLD);
        let callers = check(&files.into(), &interface, &interface, &["lib_".into()]);
        let line = "6:137 error neither the tree nor the import has the function `lib_other`";
        assert_eq!(said(&callers), [line]);
    }

    #[test]
    fn members_that_go_are_found_where_they_are_used() {
        let old = "typedef struct { int log; int kept; } inner_t; typedef inner_t lib_inner;\n\
                   typedef struct { inner_t in; } outer_t; typedef outer_t lib_outer;\n\
                   int lib_get(lib_outer *o);\n";
        let new = old.replace("int log; ", "").replace("inner_t", "other_t");
        let checked = |caller: &str, old: &str, new: &str| {
            let path = TreePath::new("fs/a.c").unwrap();
            let files = BTreeMap::from([(path, Source::new("fs/a.c", caller.as_bytes()))]);
            said(&check(&files, &interface(old), &interface(new), &["lib_".into()]))
        };
        let gone = "error the member `log` of the type `lib_inner` would be gone";
        // The function leads to the type, and that to the one inside it.
        let caller = "int f(void *o) { lib_get(o); return g->in.log + g->in.kept; }\n";
        assert_eq!(checked(caller, old, &new), [format!("1:43 {gone}")]);
        assert_eq!(
            checked("lib_inner x;\nint y = x.log;\n", old, &new),
            [
                "1:1 warning the type `lib_inner` would be { kept: int }, not \
                 { log: int, kept: int }"
                    .to_owned(),
                format!("2:11 {gone}"),
            ]
        );
        assert_eq!(checked("int lib_own(void) { return a->log; }\n", old, &new), [""; 0]);
        assert_eq!(checked(caller, old, old), [""; 0]);
        let tagged = |inside: &str| format!("struct lib_s {{ {inside} }};\n");
        assert_eq!(
            checked("struct lib_s s = { .a = 1 };\n", &tagged("int a;"), &tagged("int b;"))[1],
            "1:21 error the member `a` of the type `lib_s` would be gone"
        );
    }

    #[test]
    fn files_without_a_use_are_no_callers() {
        assert!(checked("int lib;\n", OLD).files.is_empty());
    }
}
