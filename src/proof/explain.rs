//! What the rules say becomes of a token: the rewrites that a proof accepts are read from the rules
//! again, not from what a stage did.

use std::collections::HashMap;

use crate::edit::RuleRef;
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::rules::{Active, IncludeTarget};
use crate::text::Span;

/// The rewrites of a ruleset by rule.
pub(super) struct Rewrites<'a> {
    /// Names to what they become.
    names: HashMap<(&'a RuleRef, &'a [u8]), &'a str>,
    headers: HashMap<&'a RuleRef, (&'a IncludeTarget, &'a str)>,
    /// What marks the sections that are left out.
    sections: HashMap<&'a RuleRef, &'a str>,
    /// Macros whose default becomes a definition: rule to the name and value.
    definitions: HashMap<&'a RuleRef, Vec<(&'a str, &'a str)>>,
}

/// Texts of tokens.
pub(super) type Texts = Vec<Vec<u8>>;

/// A text between markers, with the rule that leaves it out.
pub(super) type Section<'a> = (&'a RuleRef, Span);

/// A definition that stands in place of a default.
pub(super) struct Definition<'a> {
    pub(super) name: &'a str,
    /// Its tokens, and whether white space stands before each.
    pub(super) tokens: Vec<(Vec<u8>, bool)>,
}

impl<'a> Rewrites<'a> {
    pub(super) fn new(rules: &Active<'a>) -> Rewrites<'a> {
        let mut names = HashMap::new();
        for rule in rules.names.iter().filter(|rule| !rule.in_comments) {
            let list = rule.rename.iter();
            names.extend(list.map(|(from, to)| ((&rule.rule.name, from.as_bytes()), to.as_str())));
        }
        for rule in &rules.calls {
            for (function, to) in rule.functions.iter().zip(rule.to.iter()) {
                names.insert((&rule.rule.name, function.as_bytes()), to.as_str());
            }
        }
        let headers = rules
            .includes
            .iter()
            .filter_map(|rule| Some((&rule.rule.name, (&rule.from, rule.to.as_deref()?))));
        let mut definitions: HashMap<&RuleRef, Vec<(&str, &str)>> = HashMap::new();
        for rule in rules.macros.iter().filter(|rule| rule.replace_in.is_some()) {
            if let crate::rules::MacroState::Value(value) = &rule.state {
                let all = rule.names.iter().map(|name| (name.as_str(), value.as_str()));
                definitions.insert(&rule.rule.name, all.collect());
            }
        }
        Rewrites {
            names,
            headers: headers.collect(),
            sections: rules
                .sections
                .iter()
                .map(|rule| (&rule.rule.name, rule.marker.as_str()))
                .collect(),
            definitions,
        }
    }

    /// What a token outside sections becomes by one of these rules; `None` where none of them speaks
    /// of it.
    pub(super) fn of(&self, kind: TokenKind, text: &[u8], rules: &[RuleRef]) -> Option<Texts> {
        rules.iter().find_map(|rule| match kind {
            TokenKind::Identifier => self.names.get(&(rule, text)).map(|to| texts(to)),
            TokenKind::HeaderName => {
                let (from, to) = self.headers.get(rule)?;
                names(from, text).then(|| vec![to.as_bytes().to_vec()])
            }
            _ => None,
        })
    }

    /// The sections of a text, from the first byte of the first marker's line to the end of the last's.
    pub(super) fn sections(&self, bytes: &[u8]) -> Vec<Section<'a>> {
        let mut found = Vec::new();
        for (rule, marker) in &self.sections {
            let [begin, end] = ["BEGIN", "END"].map(|word| format!("{word} {marker}"));
            let mut from = None;
            for comment in tokens(bytes).filter(|token| is_comment(token.kind)) {
                let says = |text: &str| memchr::memmem::find(comment.raw(bytes), text.as_bytes());
                let (start, last) = (comment.span.start as usize, comment.span.end as usize);
                if from.is_none() && says(&begin).is_some() {
                    from = Some(memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |at| at + 1));
                } else if let Some(start) = from.filter(|_| says(&end).is_some()) {
                    let line =
                        memchr::memchr(b'\n', &bytes[last..]).map_or(bytes.len(), |at| last + at);
                    found.push((*rule, Span::new(start, line)));
                    from = None;
                }
            }
        }
        found
    }

    /// The definitions that these rules put in place of a default.
    pub(super) fn definitions(&self, rules: &[RuleRef]) -> Vec<Definition<'a>> {
        let all = rules.iter().filter_map(|rule| self.definitions.get(rule)).flatten();
        let definition = |&(name, value): &(&'a str, &'a str)| Definition {
            name,
            tokens: spaced(&format!("#define {name} {value}")),
        };
        all.map(definition).collect()
    }
}

fn is_comment(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::BlockComment | TokenKind::LineComment)
}

/// Tokens with whether white space stands before each.
fn spaced(text: &str) -> Vec<(Vec<u8>, bool)> {
    let (mut out, mut blank) = (Vec::new(), false);
    for token in tokens(text.as_bytes()) {
        if !token.is_trivia() {
            out.push((token.text(text.as_bytes()).into_owned(), blank));
        }
        blank = token.is_trivia();
    }
    out
}

fn texts(text: &str) -> Texts {
    let words = tokens(text.as_bytes()).filter(|token| !token.is_trivia());
    words.map(|token| token.text(text.as_bytes()).into_owned()).collect()
}

/// Whether a header name may mean a rule's target: files are found from where they are named, so only
/// the last part of the path is sure.
fn names(target: &IncludeTarget, header: &[u8]) -> bool {
    let inner = header.get(1..header.len().saturating_sub(1)).unwrap_or_default();
    match target {
        IncludeTarget::System(name) => name.as_bytes() == inner,
        IncludeTarget::File(path) => {
            let last = |path: &[u8]| path.rsplit(|b| *b == b'/').next().map(<[u8]>::to_vec);
            last(path.as_bytes()) == last(inner)
        }
    }
}
