//! One rule: from its shape to its checked form.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::Spanned;

use super::fields::{instead, span};
use super::library::is_id;
use super::shape::{
    CallShape, CommentShape, Common, FileShape, IncludeShape, LicenceShape, MaskShape, NameShape,
    SectionShape, Shape, Text, Texts,
};
use super::version::{Expect, Version, parse_count};
use super::{
    CallRule, CommentRule, FileAction, FileRule, IncludeRule, IncludeTarget, LicenceRule, MaskRule,
    NameRule, Rule, Ruleset, SectionRule,
};
use crate::edit::RuleRef;
use crate::finding::{Finding, Findings};
use crate::text::{Source, Span, TreePath};

/// Shortest reason that can be one.
pub(super) const SHORTEST_WHY: usize = 15;

/// A kind of rule file.
pub(super) trait Kind: Shape {
    /// Adds the checked rule to its list; mistakes go to the reader, and such a rule is left out.
    fn convert(self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()>;
}

/// One rule file being checked.
pub(super) struct Reader<'a> {
    pub(super) kind: &'static str,
    pub(super) id: &'a str,
    pub(super) source: &'a Arc<Source>,
    pub(super) findings: &'a mut Findings,
}

impl Reader<'_> {
    /// A wrong value.
    pub(super) fn wrong(&mut self, at: Span, message: impl Into<String>) {
        self.push(Finding::error("rule-value", message).at(self.source, at, ""));
    }

    pub(super) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// `None`, after saying that `key` is missing.
    pub(super) fn missing<T>(&mut self, key: &str) -> Option<T> {
        self.wrong(Span::at(0), format!("the key `{key}` is missing"));
        None
    }

    /// The value of a key that has to be there.
    pub(super) fn required<T>(&mut self, key: &str, value: Option<T>) -> Option<T> {
        if value.is_none() { self.missing(key) } else { value }
    }

    /// The strings of a list that has to be there and not empty, each tested by `test`.
    pub(super) fn strings(
        &mut self,
        key: &str,
        list: Option<Texts>,
        test: impl Fn(&str) -> Result<(), String>,
    ) -> Option<(Span, Vec<String>)> {
        let list = self.required(key, list)?;
        let at = span(list.span());
        if list.get_ref().is_empty() {
            self.wrong(at, format!("`{key}` is empty"));
            return None;
        }
        let mut seen: Vec<String> = Vec::new();
        for text in list.into_inner() {
            if let Err(message) = test(text.get_ref()) {
                self.wrong(span(text.span()), message);
            } else if seen.contains(text.get_ref()) {
                self.wrong(span(text.span()), format!("`{}` is listed twice", text.get_ref()));
            } else {
                seen.push(text.into_inner());
            }
        }
        Some((at, seen))
    }

    /// One string that has to be there, tested by `test`.
    pub(super) fn string(
        &mut self,
        key: &str,
        text: Option<Text>,
        test: impl Fn(&str) -> Result<(), String>,
    ) -> Option<(Span, String)> {
        let text = self.required(key, text)?;
        let at = span(text.span());
        if let Err(message) = test(text.get_ref()) {
            self.wrong(at, message);
            return None;
        }
        Some((at, text.into_inner()))
    }

    /// The one of `keys` that is given; a mistake if none or several are.
    pub(super) fn one_of<'k>(&mut self, keys: &[(&'k str, Option<Span>)]) -> Option<&'k str> {
        let given: Vec<_> = keys.iter().filter_map(|(k, at)| at.map(|at| (*k, at))).collect();
        let names = || keys.iter().map(|(k, _)| format!("`{k}`")).collect::<Vec<_>>().join(", ");
        match given.as_slice() {
            [(key, _)] => Some(key),
            [] => {
                self.wrong(Span::at(0), format!("one of {} is wanted", names()));
                None
            }
            [_, (key, at), ..] => {
                self.wrong(
                    *at,
                    format!("`{key}` is one too many: only one of {} may stand", names()),
                );
                None
            }
        }
    }

    /// A key that goes with another only.
    pub(super) fn only_with(&mut self, key: &str, at: Option<Span>, with: &str) {
        if let Some(at) = at {
            self.wrong(at, format!("`{key}` stands only beside {with}"));
        }
    }

    /// The checked common part, first of all, so that its mistakes are told whatever else is wrong.
    pub(super) fn common(&mut self, common: Common) -> Option<Rule> {
        self.id_matches(common.id);
        let why = self.why(common.why);
        let (since, until) = self.versions(["since", "until"], common.since, common.until);
        let (from, to) = self.versions(
            ["expect-since", "expect-until"],
            common.expect_since,
            common.expect_until,
        );
        let expect = self.expect(common.expect, common.expect_why);
        let profiles = match common.profiles {
            None => Vec::new(),
            list => self.strings("profiles", list, |_| Ok(()))?.1,
        };
        let (least, most) = expect?;
        Some(Rule {
            name: RuleRef::new(self.kind, self.id),
            why: why?,
            source: Arc::clone(self.source),
            span: Span::at(0),
            since,
            until,
            profiles,
            expect: Expect { least, most, since: from, until: to },
        })
    }

    fn id_matches(&mut self, id: Option<Text>) {
        let Some(id) = self.required("id", id) else { return };
        let at = span(id.span());
        if id.get_ref() != self.id {
            let message =
                format!("the id is `{}`, the file's name says `{}`", id.get_ref(), self.id);
            self.wrong(at, message);
        } else if self.kind == "api" {
            // These are named as what they make.
            if !is_id(&self.id.replace('_', "-")) {
                self.wrong(at, "an id is made of a to z, 0 to 9, `-` and `_`");
            }
        } else if !is_id(self.id) {
            self.wrong(at, "an id is made of a to z, 0 to 9 and `-`");
        }
    }

    fn why(&mut self, why: Option<Text>) -> Option<String> {
        let why = self.required("why", why)?;
        if why.get_ref().trim().len() < SHORTEST_WHY {
            self.wrong(
                span(why.span()),
                "`why` gives no reason; say in a sentence why the rule exists",
            );
        }
        Some(why.into_inner())
    }

    fn versions(
        &mut self,
        keys: [&str; 2],
        since: Option<Text>,
        until: Option<Text>,
    ) -> (Option<Version>, Option<Version>) {
        let at = until.as_ref().or(since.as_ref()).map(|text| span(text.span()));
        let since = self.version(since);
        let until = self.version(until);
        if let (Some(s), Some(u), Some(at)) = (since, until, at)
            && u <= s
        {
            let [from, to] = keys;
            self.wrong(at, format!("no release is left: `{from}` {s} is not before `{to}` {u}"));
        }
        (since, until)
    }

    pub(super) fn version(&mut self, text: Option<Text>) -> Option<Version> {
        let text = text?;
        text.get_ref()
            .parse()
            .map_err(|message: String| self.wrong(span(text.span()), message))
            .ok()
    }

    fn expect(
        &mut self,
        expect: Option<Text>,
        why: Option<Text>,
    ) -> Option<(usize, Option<usize>)> {
        let Some(expect) = expect else {
            self.only_with(
                "expect-why",
                why.map(|w| span(w.span())),
                "an `expect` that begins with 0",
            );
            return Some((1, None));
        };
        let at = span(expect.span());
        let (least, most) = match parse_count(expect.get_ref()) {
            Ok(count) => count,
            Err(message) => {
                self.wrong(at, message);
                return None;
            }
        };
        match why {
            None if least == 0 => {
                self.wrong(at, "a rule that may match nothing says so in `expect-why`");
            }
            Some(why) if least > 0 => {
                let at = Some(span(why.span()));
                self.only_with("expect-why", at, "an `expect` that begins with 0");
            }
            Some(why) if why.get_ref().trim().len() < SHORTEST_WHY => {
                self.wrong(span(why.span()), "`expect-why` gives no reason");
            }
            _ => {}
        }
        Some((least, most))
    }
}

/// The common part, pointing at what the rule is about.
pub(super) fn about_this(rule: Option<Rule>, span: Span) -> Option<Rule> {
    rule.map(|rule| Rule { span, ..rule })
}

pub(super) fn at<T>(value: Option<&Spanned<T>>) -> Option<Span> {
    value.map(|v| span(v.span()))
}

/// Whether `text` is a C identifier.
pub(super) fn identifier(text: &str) -> Result<(), String> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if text.is_empty() || text.as_bytes()[0].is_ascii_digit() || !text.bytes().all(word) {
        return Err(format!("`{text}` is no C identifier"));
    }
    Ok(())
}

pub(super) fn tree_path(text: &str) -> Result<(), String> {
    TreePath::new(text)
        .map(drop)
        .ok_or_else(|| format!("`{text}` is no plain relative path: no `.`, `..` or leading `/`"))
}

/// Whether `text` is the number of a kernel.
pub(super) fn kernel(text: &str) -> Result<(), String> {
    let parts: Vec<&str> = text.split('.').collect();
    let number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match parts.len() == 2 && parts.iter().all(number) {
        true => Ok(()),
        false => Err(format!("`{text}` is no kernel version: two numbers are wanted, as in 6.12")),
    }
}

pub(super) fn line(text: &str) -> Result<(), String> {
    if text.is_empty() || text.contains(['\n', '\r', '\0']) {
        return Err("one line of text is wanted".into());
    }
    Ok(())
}

impl Kind for FileShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let key = read.one_of(&[
            ("select", at(self.select.as_ref())),
            ("skip", at(self.skip.as_ref())),
            ("from", at(self.from.as_ref())),
            ("template", at(self.template.as_ref())),
        ])?;
        if key != "template" {
            read.only_with("replaces", at(self.replaces.as_ref()), "`template`");
        }
        if key == "select" || key == "skip" {
            read.only_with("to", at(self.to.as_ref()), "`from` or `template`");
        }
        let (about, action) = match key {
            "select" => {
                let (about, globs) = read.strings("select", self.select, tree_path)?;
                (about, FileAction::Select(globs))
            }
            "skip" => {
                let (about, globs) = read.strings("skip", self.skip, tree_path)?;
                (about, FileAction::Skip(globs))
            }
            "from" => {
                let (about, from) = read.string("from", self.from, tree_path)?;
                let (_, to) = read.string("to", self.to, tree_path)?;
                (about, FileAction::Map { from, to })
            }
            _ => {
                let (about, template) = read.string("template", self.template, tree_path)?;
                let (_, to) = read.string("to", self.to, tree_path)?;
                let replaces = match self.replaces {
                    None => None,
                    path => Some(read.string("replaces", path, tree_path)?.1),
                };
                if !into.templates.contains_key(&template) {
                    let known: Vec<_> = into.templates.keys().map(String::as_str).collect();
                    let finding = Finding::error(
                        "rule-template",
                        format!("there is no template `{template}`"),
                    )
                    .at(read.source, about, "")
                    .hint(instead(&template, &known));
                    read.push(finding);
                }
                (about, FileAction::Template { template, to, replaces })
            }
        };
        into.files.push(FileRule { rule: about_this(common, about)?, action });
        Some(())
    }
}

impl Kind for IncludeShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let key =
            read.one_of(&[("from", at(self.from.as_ref())), ("allow", at(self.allow.as_ref()))])?;
        let (about, from, to) = if key == "allow" {
            read.only_with("to", at(self.to.as_ref()), "`from`");
            let (about, allow) = read.string("allow", self.allow, spelling)?;
            (about, allow, None)
        } else {
            let (about, from) = read.string("from", self.from, |text| {
                if text.starts_with('<') { spelling(text) } else { tree_path(text) }
            })?;
            (about, from, Some(read.string("to", self.to, spelling)?.1))
        };
        let inner = from.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
        let from = match inner {
            Some(name) => IncludeTarget::System(name.to_string()),
            None => IncludeTarget::File(from.trim_matches('"').to_string()),
        };
        into.includes.push(IncludeRule { rule: about_this(common, about)?, from, to });
        Some(())
    }
}

/// A header's name with its `<>` or `""`.
pub(super) fn spelling(text: &str) -> Result<(), String> {
    let system = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match system.or(quoted) {
        Some(name) if !name.is_empty() && !name.contains(['<', '>', '"', '\n']) => Ok(()),
        _ => Err(format!("`{text}` is not spelt as in an include: `<linux/x.h>` or `\"x.h\"`")),
    }
}

impl Kind for NameShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let mut about = at(self.rename.as_ref()).or(at(self.forbid_prefixes.as_ref()));
        let mut rename = BTreeMap::new();
        for (old, new) in self.rename.map(Spanned::into_inner).unwrap_or_default() {
            about = Some(span(old.span()));
            let (_, old) = read.string("rename", Some(old), identifier)?;
            let (_, new) =
                read.string("rename", Some(new), |text| text.split(' ').try_for_each(identifier))?;
            rename.insert(old, new);
        }
        let forbid_prefixes = match self.forbid_prefixes {
            None => Vec::new(),
            list => read.strings("forbid-prefixes", list, identifier)?.1,
        };
        let allow = match self.allow {
            None => Vec::new(),
            list => read.strings("allow", list, identifier)?.1,
        };
        let Some(about) = about else { return read.missing("rename` or `forbid-prefixes") };
        let in_comments = self.in_comments.is_some_and(Spanned::into_inner);
        let rule = about_this(common, about)?;
        into.names.push(NameRule { rule, rename, in_comments, forbid_prefixes, allow });
        Some(())
    }
}

impl Kind for CallShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let to_at = at(self.to.as_ref());
        let allowed = self.allow.as_ref().filter(|allow| *allow.get_ref());
        read.one_of(&[
            ("to", to_at),
            ("report", at(self.report.as_ref())),
            ("allow", at(allowed)),
        ])?;
        let (about, functions) = read.strings("functions", self.functions, identifier)?;
        let to = match self.to {
            None => None,
            to => Some(read.string("to", to, identifier)?.1),
        };
        if let (Some(at), [_, _, ..]) = (to_at, functions.as_slice()) {
            read.wrong(at, "`to` renames a single function; make a rule for each");
        }
        let instead = match self.report {
            None => None,
            text => Some(read.string("report", text, line)?.1),
        };
        let report = instead.is_some();
        let rule = about_this(common, about)?;
        into.calls.push(CallRule { rule, functions, to, report, instead });
        Some(())
    }
}

impl Kind for SectionShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let (about, marker) = read.string("marker", self.marker, line)?;
        into.sections.push(SectionRule { rule: about_this(common, about)?, marker });
        Some(())
    }
}

impl Kind for CommentShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let opener = |text: &str| {
            let plain = text.starts_with("/*") && !text[1..].contains('/') && !text.contains('\n');
            plain.then_some(()).ok_or(format!("`{text}` does not open a comment"))
        };
        let (about, from) = read.string("from", self.from, opener)?;
        let (_, to) = read.string("to", self.to, opener)?;
        into.comments.push(CommentRule { rule: about_this(common, about)?, from, to });
        Some(())
    }
}

impl Kind for LicenceShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let (_, suffixes) = read.strings("suffixes", self.suffixes, |text| {
            let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
            plain.then_some(()).ok_or(format!("`{text}` is no suffix; write it without its dot"))
        })?;
        let (about, line) = read.string("line", self.line, line)?;
        into.licence.push(LicenceRule { rule: about_this(common, about)?, suffixes, line });
        Some(())
    }
}

impl Kind for MaskShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = read.common(self.common());
        let (about, names) = read.strings("names", self.names, identifier)?;
        into.masks.push(MaskRule { rule: about_this(common, about)?, names });
        Some(())
    }
}
