//! `allowed/*.toml` and `forbidden/*.toml`: what may stand in the kernel form, and what may not.
//!
//! They change no text. The checks look names up in them, each in the lists of its own sort.

use std::collections::HashMap;
use std::fmt;

use super::convert::{Kind, Reader, about_this, at, identifier, line, spelling};
use super::fields::{instead, span};
use super::shape::{ListShape, Text};
use super::version::Expect;
use super::{Active, Rule, Ruleset};
use crate::text::Quick;

/// What the names of a list are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Listed {
    /// Functions of the compiler (`__builtin_x`).
    Builtin,
    /// Functions.
    Function,
    /// Global functions and data.
    Global,
    /// What the names of global functions and data begin with.
    GlobalPrefix,
    /// Headers, spelt as in an include directive.
    Header,
    /// Names in any place where a file can make one up: variables, fields, labels, macros.
    Identifier,
    /// Macros.
    Macro,
    /// Members at the end of structs, by `STRUCT.MEMBER`.
    Member,
    /// Pragmas by their first one or two words.
    Pragma,
    /// Functions that call themselves.
    Recursion,
    /// Types.
    Type,
}

impl Listed {
    /// All, in the order of their words.
    const ALL: [Listed; 11] = [
        Listed::Builtin,
        Listed::Function,
        Listed::Global,
        Listed::GlobalPrefix,
        Listed::Header,
        Listed::Identifier,
        Listed::Macro,
        Listed::Member,
        Listed::Pragma,
        Listed::Recursion,
        Listed::Type,
    ];

    /// As rule files write it.
    pub fn word(self) -> &'static str {
        match self {
            Listed::Builtin => "builtin",
            Listed::Function => "function",
            Listed::Global => "global",
            Listed::GlobalPrefix => "global-prefix",
            Listed::Header => "header",
            Listed::Identifier => "identifier",
            Listed::Macro => "macro",
            Listed::Member => "member",
            Listed::Pragma => "pragma",
            Listed::Recursion => "recursion",
            Listed::Type => "type",
        }
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// `allowed` and `forbidden`: names that may, or may not, stand in the kernel form.
#[derive(Clone, Debug)]
pub struct ListRule {
    /// Common part.
    pub rule: Rule,
    /// Whether they may.
    pub allows: bool,
    /// What they are.
    pub what: Listed,
    /// The names; a `*` at the end stands for any rest.
    pub names: Vec<String>,
    /// What to write in place of what may not.
    pub instead: Option<String>,
}

impl Kind for ListShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let allows = read.kind == "allowed";
        let common = self.common();
        for key in [&common.expect, &common.expect_since, &common.expect_until] {
            let place = "the rules of other kinds: nothing has to be in a list's way";
            read.only_with("expect", at(key.as_ref()), place);
        }
        let common = read.common(common);
        let what = what(read, self.what);
        let test = |text: &str| named(what, text);
        let (about, names) = read.strings("names", self.names, test)?;
        if allows {
            read.only_with("instead", at(self.instead.as_ref()), "what is forbidden");
        }
        let instead = match self.instead {
            None => None,
            text => Some(read.string("instead", text, line)?.1),
        };
        let rule = Rule { expect: Expect { least: 0, ..Expect::default() }, ..common? };
        let rule = about_this(Some(rule), about)?;
        into.lists.push(ListRule { rule, allows, what: what?, names, instead });
        Some(())
    }
}

fn what(read: &mut Reader<'_>, text: Option<Text>) -> Option<Listed> {
    let text = read.required("what", text)?;
    let found = Listed::ALL.into_iter().find(|what| what.word() == text.get_ref());
    if found.is_none() {
        let words = Listed::ALL.map(Listed::word);
        let near = instead(text.get_ref(), &words);
        let message = format!("`{}` is nothing that a list can hold; {near}", text.get_ref());
        read.wrong(span(text.span()), message);
    }
    found
}

/// Whether `text` can be a name of that sort.
fn named(what: Option<Listed>, text: &str) -> Result<(), String> {
    let start = text.strip_suffix('*').unwrap_or(text);
    match what {
        Some(Listed::Header) if text.ends_with('*') => Err("a header has no `*`".to_owned()),
        Some(Listed::Header) => spelling(text),
        Some(Listed::GlobalPrefix) if text.ends_with('*') => {
            Err("a prefix stands without a `*`".to_owned())
        }
        Some(Listed::Member) => match text.split_once('.') {
            Some((record, member)) => identifier(record).and_then(|()| identifier(member)),
            None => Err(format!("`{text}` is no member: STRUCT.MEMBER is wanted")),
        },
        Some(Listed::Pragma) => text.split(' ').try_for_each(identifier),
        _ => identifier(start),
    }
}

/// The names of one sort that rules in force list.
#[derive(Clone, Debug, Default)]
pub struct Lookup<'a> {
    exact: HashMap<&'a str, &'a ListRule, Quick>,
    /// Beginnings, longest first.
    prefixes: Vec<(&'a str, &'a ListRule)>,
}

impl<'a> Lookup<'a> {
    /// The rule that has a name in its list.
    pub fn rule(&self, name: &str) -> Option<&'a ListRule> {
        let prefix = || self.prefixes.iter().find(|(prefix, _)| name.starts_with(prefix));
        self.exact.get(name).copied().or_else(|| prefix().map(|(_, rule)| *rule))
    }

    /// The same for a name as the lexer has it.
    pub fn bytes(&self, name: &[u8]) -> Option<&'a ListRule> {
        std::str::from_utf8(name).ok().and_then(|name| self.rule(name))
    }

    /// Whether no rule lists anything of the sort.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.prefixes.is_empty()
    }
}

impl<'a> Active<'a> {
    /// What may stand.
    pub fn allowed(&self, what: Listed) -> Lookup<'a> {
        self.lookup(true, what)
    }

    /// What may not.
    pub fn forbidden(&self, what: Listed) -> Lookup<'a> {
        self.lookup(false, what)
    }

    fn lookup(&self, allows: bool, what: Listed) -> Lookup<'a> {
        let mut lookup = Lookup::default();
        for rule in self.lists.iter().filter(|rule| rule.allows == allows && rule.what == what) {
            for name in &rule.names {
                match name.strip_suffix('*') {
                    Some(prefix) => lookup.prefixes.push((prefix, rule)),
                    None if what == Listed::GlobalPrefix => lookup.prefixes.push((name, rule)),
                    None => _ = lookup.exact.insert(name, rule),
                }
            }
        }
        lookup.prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        lookup
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lead_back_to_what_they_name() {
        let words: Vec<&str> = Listed::ALL.iter().map(|what| what.word()).collect();
        assert!(words.is_sorted(), "{words:?}");
        assert_eq!(words.len(), 11);
    }

    #[test]
    fn names_fit_what_they_are() {
        assert!(named(Some(Listed::Type), "__m128*").is_ok());
        assert!(named(Some(Listed::Header), "<a/b.h>").is_ok());
        assert!(named(Some(Listed::Member), "s.table").is_ok());
        for (what, text) in [
            (Listed::Header, "<a*"),
            (Listed::Header, "a.h"),
            (Listed::Member, "table"),
            (Listed::GlobalPrefix, "A_*"),
            (Listed::Function, "a b"),
            (Listed::Identifier, "*"),
        ] {
            assert!(named(Some(what), text).is_err(), "{what} {text}");
        }
    }

    #[test]
    fn lists_are_looked_up_by_name_and_by_beginning() {
        let ruleset = crate::rules::load(None).unwrap();
        let version = crate::rules::Version { major: 1, minor: 5, patch: 7 };
        let rules = Active::new(&ruleset, version, &ruleset.library.profiles[0]);
        let types = rules.forbidden(Listed::Type);
        assert!(types.rule("__m128i").is_some() && types.rule("uint8x16_t").is_some());
        assert!(types.rule("__m12").is_none() && types.rule("uint8x16_tt").is_none());
        let prefixes = rules.allowed(Listed::GlobalPrefix);
        assert!(prefixes.bytes(b"HUF_x").is_some() && prefixes.bytes(b"xHUF_").is_none());
    }
}
