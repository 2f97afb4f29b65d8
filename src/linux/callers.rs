//! The callers of the library in a kernel, held against the headers that they would be compiled with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::interface::{Interface, Kind, Offer};
use crate::finding::{Finding, Findings};
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::syntax::Definitions;
use crate::text::{Source, Span, TreePath};

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
pub fn check(files: &BTreeMap<TreePath, Arc<Source>>, old: &Interface, new: &Interface) -> Callers {
    let mut callers = Callers::default();
    for (path, source) in files {
        let uses = uses(path, source, old);
        if uses.is_empty() {
            continue;
        }
        let file = callers.files.entry(path.clone()).or_default();
        for (name, span, offer) in uses {
            if file.entry(offer.kind).or_default().insert(name.clone()) {
                callers.findings.extend(held(&name, offer, new, source, span));
            }
        }
    }
    callers
}

/// The names of `interface` that a file uses, each with its first place.
fn uses<'i>(
    path: &TreePath,
    source: &Arc<Source>,
    interface: &'i Interface,
) -> Vec<(String, Span, &'i Offer)> {
    let bytes = &source.bytes;
    let mut found: BTreeMap<String, (Span, &Offer)> = BTreeMap::new();
    let mut is_member = false;
    for token in tokens(bytes).filter(|token| !token.is_trivia()) {
        let text = token.text(bytes);
        if token.kind == TokenKind::Identifier
            && !is_member
            && let Ok(name) = std::str::from_utf8(&text)
            && let Some(offer) = interface.get(name)
        {
            found.entry(name.to_owned()).or_insert((token.span, offer));
        }
        is_member = matches!(&*text, b"." | b"->");
    }
    if found.is_empty() {
        return Vec::new();
    }
    // What a file defines itself is not the library's, whatever it is called.
    let own = Definitions::derive([(path, &**bytes)], []);
    found.retain(|name, _| !own.defines(name, path));
    let mut found: Vec<_> =
        found.into_iter().map(|(name, (at, offer))| (name, at, offer)).collect();
    found.sort_by_key(|(_, at, _)| *at);
    found
}

/// What is to be said of one use.
fn held(name: &str, offer: &Offer, new: &Interface, source: &Arc<Source>, at: Span) -> Findings {
    let mut findings = Findings::default();
    let kind = offer.kind.word();
    match new.get(name) {
        None => findings.push(
            Finding::error(MISSING, format!("the {kind} `{name}` would be gone"))
                .at(source, at, "used here")
                .label(offer.label("declared here now"))
                .hint("keep it by a rule of kind api, or change the caller with the same series"),
        ),
        Some(other) if other.serves_as(offer) => {}
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

#[cfg(test)]
mod tests {
    use super::super::interface::tests::interface;
    use super::*;

    const OLD: &str = "typedef struct C_s ctx;\nenum { UNKNOWN = 1 };\n#define MAX 10\n\
                       int lib_a(int x);\nint lib_b(ctx *c);\nint lib_c(void);\n";

    fn checked(caller: &str, new: &str) -> Callers {
        let path = TreePath::new("fs/a.c").unwrap();
        let files = BTreeMap::from([(path, Source::new("fs/a.c", caller.as_bytes()))]);
        check(&files, &interface(OLD), &interface(new))
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
    fn files_without_a_use_are_no_callers() {
        assert!(checked("int lib;\n", OLD).files.is_empty());
    }
}
