//! Include directives: by the file that they name, not by how it is spelt.

use std::collections::BTreeMap;

use super::{File, Proposal};
use crate::finding::Finding;
use crate::preprocess::lexer::{Token, TokenKind};
use crate::rules::{IncludeRule, IncludeTarget};
use crate::text::{Span, TreePath};

/// Where the files of a release end up.
pub struct Places<'a> {
    /// All files of the release below the library root, taken or not.
    pub release: &'a dyn Fn(&TreePath) -> bool,
    /// Upstream path to path in the Linux tree, for the files that are in the output.
    pub output: &'a BTreeMap<TreePath, TreePath>,
    /// The file is looked at without its release: quoted includes lead where rules say, or anywhere.
    pub alone: bool,
}

/// Maps the includes of one file; what is neither allowed nor a file of the output is a finding.
pub fn propose(file: &File<'_>, places: &Places<'_>, rules: &[&IncludeRule], out: &mut Proposal) {
    let by_target: BTreeMap<&IncludeTarget, &IncludeRule> =
        rules.iter().map(|rule| (&rule.from, *rule)).collect();
    for include in includes(file) {
        let header = match include {
            Include::Named(token) => token,
            Include::Computed(span) => {
                let finding =
                    Finding::error("include-computed", "this include names its header by a macro");
                let finding = file.point(finding, span, "can't be followed");
                out.findings.push(finding.hint("name the header itself"));
                continue;
            }
        };
        let spelling = String::from_utf8_lossy(&header.text(file.bytes())).into_owned();
        let inner = &spelling[1..spelling.len() - 1];
        let ruled = |path: &TreePath| {
            by_target.contains_key(&IncludeTarget::File(path.as_str().to_owned()))
        };
        let target = match resolve(file, places, &ruled, &spelling, inner) {
            Some(path) => IncludeTarget::File(path.as_str().to_owned()),
            None => IncludeTarget::System(inner.to_owned()),
        };
        match by_target.get(&target) {
            Some(rule) => match &rule.to {
                Some(to) if *to != spelling => {
                    out.edits.replace(header.span, to.as_str(), &rule.rule.name);
                }
                _ => out.count(&rule.rule.name),
            },
            // What a rule maps to may stand where upstream, or an import before, wrote it already.
            None if rules.iter().any(|rule| rule.to.as_ref() == Some(&spelling)) => {}
            None if places.alone && spelling.starts_with('"') => {}
            None => unmapped(file, places, header, &spelling, &target, out),
        }
    }
}

enum Include {
    Named(Token),
    Computed(Span),
}

/// The headers that the file's include directives name.
fn includes(file: &File<'_>) -> Vec<Include> {
    let mut found = Vec::new();
    // Significant tokens seen on this logical line: `#`, `include`, and what follows.
    let mut line: Vec<&Token> = Vec::new();
    for token in file.tokens {
        match token.kind {
            TokenKind::Newline => line.clear(),
            _ if token.is_trivia() => {}
            _ if line.len() < 3 => {
                line.push(token);
                if let [hash, word, header] = line.as_slice()
                    && is_include(file.bytes(), hash, word)
                {
                    found.push(match header.kind {
                        TokenKind::HeaderName => Include::Named(**header),
                        _ => Include::Computed(word.span.cover(header.span)),
                    });
                }
            }
            _ => {}
        }
    }
    found
}

fn is_include(bytes: &[u8], hash: &Token, word: &Token) -> bool {
    matches!(&*hash.text(bytes), b"#" | b"%:")
        && matches!(&*word.text(bytes), b"include" | b"include_next" | b"import")
}

/// The file of the release that a quoted spelling names: from the file's own folder, then from the
/// library's.
fn resolve(
    file: &File<'_>,
    places: &Places<'_>,
    ruled: &dyn Fn(&TreePath) -> bool,
    spelling: &str,
    inner: &str,
) -> Option<TreePath> {
    if !spelling.starts_with('"') {
        return None;
    }
    let exists = |path: &TreePath| (places.release)(path) || (places.alone && ruled(path));
    let near = file.path.resolve(inner).filter(exists);
    near.or_else(|| TreePath::new(inner).filter(exists))
}

/// No rule speaks of it: fine if the spelling leads to the same file in the output.
fn unmapped(
    file: &File<'_>,
    places: &Places<'_>,
    header: Token,
    spelling: &str,
    target: &IncludeTarget,
    out: &mut Proposal,
) {
    let report = |code, message: String, label: &str, hint: String, out: &mut Proposal| {
        let finding = file.point(Finding::error(code, message), header.span, label);
        out.findings.push(finding.hint(hint));
    };
    let IncludeTarget::File(path) = target else {
        let hint = if spelling.starts_with('"') {
            "no file of the release has this name; correct the include".to_owned()
        } else {
            format!("add a rule of kind includes that maps or allows {spelling}")
        };
        let message = format!("the kernel build has no {spelling}");
        report("include-not-allowed", message, "not mapped", hint, out);
        return;
    };
    let wanted = TreePath::new(path).and_then(|path| places.output.get(&path));
    let own = places.output.get(file.path);
    let reached = own.and_then(|own| own.resolve(&spelling[1..spelling.len() - 1]));
    match wanted {
        Some(wanted) if reached.as_ref() == Some(wanted) => {}
        Some(wanted) => report(
            "include-unresolved",
            format!("{spelling} does not lead to {wanted} from where this file goes"),
            "leads elsewhere in the Linux tree",
            format!("add a rule of kind includes for `{path}`"),
            out,
        ),
        None => report(
            "include-not-allowed",
            format!("{spelling} is left out of the kernel form"),
            "this file is skipped",
            format!("add a rule of kind includes for `{path}`, or select the file"),
            out,
        ),
    }
}
