//! C that the rules bring along, in bodies and in the helpers of templates: whether the release has
//! what it names.
//!
//! Nothing is compiled here, so names tell: what begins as the library's functions do is the
//! library's, and what stands behind `.` or `->` is a member of a type that it declares.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::headers::Headers;
use super::{MISSING, RULE};
use crate::finding::{Finding, Findings};
use crate::preprocess::lexer::{Token, TokenKind, tokens};
use crate::rules::{ApiItem, ApiRule};
use crate::syntax::Definitions;
use crate::text::{Source, Span, TreePath};

/// What the release's headers declare.
#[derive(Debug, Default)]
pub(super) struct Offered<'a> {
    functions: BTreeSet<&'a str>,
    /// Types, constants, macros and tags.
    others: BTreeSet<&'a str>,
    members: BTreeSet<&'a str>,
    /// What names of functions begin with, up to the first underscore.
    prefixes: BTreeSet<&'a str>,
}

/// What is wrong with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wrong {
    /// The release has the function, but no rule says of what type it has to be.
    Unlisted,
    /// The release has nothing of that name.
    Unknown,
    /// No type of the release has such a member.
    Member,
}

impl<'a> Offered<'a> {
    pub(super) fn of(headers: &'a Headers<'_>) -> Offered<'a> {
        let mut offered = Offered::default();
        for found in headers.declarations() {
            let functions = found.functions.iter().map(|function| function.name.as_str());
            offered.functions.extend(functions);
            offered.others.extend(found.typedefs.iter().map(|typedef| typedef.name.as_str()));
            offered.others.extend(found.macros.iter().map(|found| found.name.as_str()));
            for record in &found.records {
                offered.others.extend(record.tag.as_deref());
                offered.members.extend(record.fields.iter().map(|field| field.name.as_str()));
            }
            for enumeration in &found.enumerations {
                offered.others.extend(enumeration.tag.as_deref());
                let constants = enumeration.enumerators.iter().map(|found| found.name.as_str());
                offered.others.extend(constants);
            }
        }
        let prefix = |name: &&'a str| name.find('_').map(|at| name.split_at(at + 1).0);
        offered.prefixes = offered.functions.iter().filter_map(prefix).collect();
        offered
    }

    /// The names in `text` that are wrong, each once; `listed` are the functions that rules know the
    /// type of, and `own` tells what is not upstream's whatever it is called.
    pub(super) fn wrong(
        &self,
        text: &[u8],
        listed: &dyn Fn(&str) -> bool,
        own: &dyn Fn(&str) -> bool,
    ) -> Vec<(String, Wrong, Span)> {
        let code: Vec<Token> = tokens(text).filter(|token| !token.is_trivia()).collect();
        let word = |at: Option<usize>| {
            let token = at.and_then(|at| code.get(at));
            token.and_then(|token| std::str::from_utf8(token.raw(text)).ok()).unwrap_or("")
        };
        let is_member = |at: usize| matches!(word(at.checked_sub(1)), "." | "->");
        let is_name = |at: &usize| code.get(*at).is_some_and(|t| t.kind == TokenKind::Identifier);
        let names: Vec<usize> = (0..code.len()).filter(is_name).collect();
        // Members of structs that stand in the text itself.
        let declared = names.iter().filter(|at| !is_member(**at));
        let declared = declared.filter(|at| matches!(word(Some(**at + 1)), ";" | "[" | ","));
        let declared: BTreeSet<&str> = declared.map(|at| word(Some(*at))).collect();
        let mut told = BTreeSet::new();
        let mut found = Vec::new();
        for at in names {
            let name = word(Some(at));
            let wrong = if is_member(at) {
                let known = self.members.contains(name) || declared.contains(name);
                (!known).then_some(Wrong::Member)
            } else {
                self.name(name, listed).filter(|_| !own(name))
            };
            if let Some(wrong) = wrong
                && told.insert(name)
            {
                found.extend(code.get(at).map(|token| (name.to_owned(), wrong, token.span)));
            }
        }
        found
    }

    fn name(&self, name: &str, listed: &dyn Fn(&str) -> bool) -> Option<Wrong> {
        if self.functions.contains(name) {
            return (!listed(name)).then_some(Wrong::Unlisted);
        }
        let is_upstream = self.prefixes.iter().any(|prefix| name.starts_with(prefix));
        (is_upstream && !self.others.contains(name)).then_some(Wrong::Unknown)
    }
}

/// What is wrong with what a template brings along for the functions of `rules`.
pub(super) fn of_template(
    rules: &[&ApiRule],
    headers: &Headers<'_>,
    source: &Arc<Source>,
) -> Findings {
    let listed = |name: &str| {
        let functions = rules.iter().filter_map(|rule| match &rule.item {
            ApiItem::Function(function) => Some(function),
            ApiItem::Type(_) => None,
        });
        functions.into_iter().any(|function| function.uses.contains_key(name))
    };
    let path = TreePath::new(source.name.rsplit('/').next().unwrap_or("template"));
    let defined = path.as_ref().map(|path| Definitions::derive([(path, &*source.bytes)], []));
    let own = |name: &str| {
        let here = path.as_ref().zip(defined.as_ref());
        here.is_some_and(|(path, defined)| defined.defines(name, path))
            || rules.iter().any(|rule| rule.kernel_name == name)
    };
    let mut findings = Findings::default();
    for (name, wrong, at) in Offered::of(headers).wrong(&source.bytes, &listed, &own) {
        let (code, message) = match wrong {
            Wrong::Unlisted => (RULE, format!("no rule of kind api lists the function `{name}`")),
            Wrong::Unknown => (MISSING, format!("the release has nothing named `{name}`")),
            Wrong::Member => (MISSING, format!("the release has no type with a member `{name}`")),
        };
        let finding = Finding::error(code, message)
            .at(source, at, "in this template, as it is rendered")
            .hint(hint(wrong));
        findings.push(finding);
    }
    findings
}

/// What to do about it.
pub(super) fn hint(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::Unlisted => "list it with its type in `uses` of a rule whose function needs it",
        Wrong::Unknown => "look at what took its place, or bound what uses it by release",
        Wrong::Member => {
            "look at what took its place; members of the kernel's structs are reached by functions"
        }
    }
}
