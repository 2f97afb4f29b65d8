//! A ruleset in its checked form: every value validated, every rule able to point at its own file.
//!
//! `rules/load.rs` makes it from the TOML files; the stages only read it.

mod active;
mod api;
mod bases;
mod check;
mod conflict;
mod convert;
mod fields;
mod folder;
mod glob;
mod kernel;
mod library;
mod lists;
mod load;
mod local;
mod macros;
mod shape;
#[cfg(test)]
pub(crate) mod tests;
mod version;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::edit::RuleRef;
use crate::finding::Label;
use crate::text::{Source, Span};

pub use active::Active;
pub use api::{
    ApiAction, ApiFunctionRule, ApiItem, ApiParameter, ApiRule, ApiSection, ApiTypeSource, ApiUse,
};
pub use bases::{BaseRule, ChangedFile};
pub use check::{RuleRow, RuleText, check, list, show};
pub use glob::matches as glob_matches;
pub use kernel::{Module, TargetValue};
pub use lists::{ListRule, Listed, Lookup};
pub use load::load;
pub use local::{Decision, LocalRule};
pub use version::{Expect, KernelVersion, Version};

/// What every rule has, whatever its kind.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `kind/id`.
    pub name: RuleRef,
    /// The reason, one sentence or more.
    pub why: String,
    /// The rule's file.
    pub source: Arc<Source>,
    /// Where in its file the rule says what it is about (the value of `from`, `macro`, ...).
    pub span: Span,
    /// First release it holds for.
    pub since: Option<Version>,
    /// First release it no longer holds for.
    pub until: Option<Version>,
    /// Profiles it holds for; empty means all.
    pub profiles: Vec<String>,
    /// How often it must match in a whole import.
    pub expect: Expect,
}

impl Rule {
    /// Points into the rule's file.
    pub fn label(&self, text: impl Into<String>) -> Label {
        Label::new(&self.source, self.span, text)
    }

    /// Whether the rule is in force for a release and profile.
    pub fn applies(&self, version: Version, profile: &str) -> bool {
        self.since.is_none_or(|since| since <= version)
            && self.until.is_none_or(|until| version < until)
            && (self.profiles.is_empty() || self.profiles.iter().any(|p| p == profile))
    }

    /// When it is in force, in words: `from 1.5.1, before 1.5.4, for official`.
    pub fn when(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.since.map(|version| format!("from {version}")));
        parts.extend(self.until.map(|version| format!("before {version}")));
        if !self.profiles.is_empty() {
            parts.push(format!("for {}", self.profiles.join(" and ")));
        }
        if parts.is_empty() { "always".into() } else { parts.join(", ") }
    }

    /// Where the quoted `value` stands in the rule's file; the rule's own span if it doesn't.
    fn span_of(&self, value: &str) -> Span {
        let quoted = format!("\"{value}\"");
        memchr::memmem::find(&self.source.bytes, quoted.as_bytes())
            .map_or(self.span, |start| Span::new(start, start + quoted.len()))
    }
}

/// What kind of thing a macro in a condition is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MacroClass {
    /// Compilers, systems and settings a kernel build never has: none may be left.
    Portability,
    /// A build-time choice of the library that the kernel fixes.
    Feature,
    /// A build-time parameter with a default in the sources, left to be tuned.
    Tunable,
    /// Debug level and asserts.
    Debug,
    /// The processor.
    Arch,
    /// A property of the compiler that kernel compilers differ in.
    Compiler,
    /// An include guard.
    Guard,
    /// Something the kernel's own headers define.
    Kernel,
    /// Defined by the library itself from the others.
    Derived,
}

impl fmt::Display for MacroClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MacroClass::Portability => "portability",
            MacroClass::Feature => "feature",
            MacroClass::Tunable => "tunable",
            MacroClass::Debug => "debug",
            MacroClass::Arch => "arch",
            MacroClass::Compiler => "compiler",
            MacroClass::Guard => "guard",
            MacroClass::Kernel => "kernel",
            MacroClass::Derived => "derived",
        })
    }
}

/// What is known of a macro.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MacroState {
    /// Nothing: classified, left as it is.
    Free,
    /// Not defined.
    Undefined,
    /// Defined, value not known.
    Defined,
    /// Defined as this text, perhaps empty.
    Value(String),
    /// Defined as an integer between these bounds, both inclusive; `None` is unbounded.
    Range(Option<i64>, Option<i64>),
}

/// `macros`: the state of one or more macros.
#[derive(Clone, Debug)]
pub struct MacroRule {
    /// Common part.
    pub rule: Rule,
    /// Names; a `*` at the end stands for any rest, in `Free` rules only. An exact name in another
    /// rule goes before such a pattern.
    pub names: Vec<String>,
    /// State; for a replaced macro `Value`.
    pub state: MacroState,
    /// Class.
    pub class: MacroClass,
    /// Replaced macros: glob ([`glob_matches`]) of the upstream file (below the library root) whose guarded default
    /// becomes the definition.
    pub replace_in: Option<String>,
}

/// One of several sets of states that exclude each other (a compiler and what it defines).
#[derive(Clone, Debug)]
pub struct Alternative {
    /// For messages: `gcc`.
    pub name: String,
    /// The macros that this alternative fixes.
    pub macros: BTreeMap<String, MacroState>,
}

/// `macros` with `[[one-of]]`: exactly one of the alternatives holds.
#[derive(Clone, Debug)]
pub struct OneOf {
    /// Common part.
    pub rule: Rule,
    /// Class of all names in it.
    pub class: MacroClass,
    /// The alternatives, at least two.
    pub alternatives: Vec<Alternative>,
}

/// `files`: which upstream files are taken, left out, moved, or replaced by a template.
#[derive(Clone, Debug)]
pub struct FileRule {
    /// Common part.
    pub rule: Rule,
    /// What happens to the files.
    pub action: FileAction,
}

/// What a `files` rule does. Paths and globs ([`glob_matches`]) are below the library root (`common/*.c`); output
/// paths are below the Linux tree (`include/linux/NAME.h`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileAction {
    /// Take the files that match one of the globs.
    Select(Vec<String>),
    /// Leave out those that match, whatever selects them.
    Skip(Vec<String>),
    /// Put one file elsewhere than in the library's folder.
    Map {
        /// Path of the upstream file.
        from: String,
        /// Path in the Linux tree.
        to: String,
    },
    /// Write a template of the ruleset.
    Template {
        /// Path below the ruleset's `templates/`.
        template: String,
        /// Path in the Linux tree.
        to: String,
        /// The upstream file that it stands for.
        replaces: Option<String>,
    },
}

/// `includes`: an include directive's new spelling, or a header that may stand.
#[derive(Clone, Debug)]
pub struct IncludeRule {
    /// Common part.
    pub rule: Rule,
    /// What is matched.
    pub from: IncludeTarget,
    /// New spelling with its `<>` or `""`; `None`: allowed as it stands.
    pub to: Option<String>,
}

/// What an include directive names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum IncludeTarget {
    /// `<limits.h>`.
    System(String),
    /// A file of the release below the library root, however it is spelt (`common/x.h`).
    File(String),
}

/// `names`: identifiers to rename by token, and prefixes that nothing may have afterwards.
#[derive(Clone, Debug)]
pub struct NameRule {
    /// Common part.
    pub rule: Rule,
    /// Old to new; the new text may be several tokens (`struct s`).
    pub rename: BTreeMap<String, String>,
    /// Rename words in comments, and nothing in code.
    pub in_comments: bool,
    /// Any other identifier that starts so, in code, is a finding.
    pub forbid_prefixes: Vec<String>,
    /// Identifiers with a forbidden prefix that may stand.
    pub allow: Vec<String>,
}

/// `calls`: what a call of a libc function becomes.
#[derive(Clone, Debug)]
pub struct CallRule {
    /// Common part.
    pub rule: Rule,
    /// The functions.
    pub functions: Vec<String>,
    /// New name for a single function, applied only where the release defines it.
    pub to: Option<String>,
    /// Report the call instead of rewriting it. With neither `to` nor `report` it may stand.
    pub report: bool,
    /// For a reported call: what to use in its place.
    pub instead: Option<String>,
}

/// `sections`: text between `BEGIN name` and `END name` marker lines goes, markers included.
#[derive(Clone, Debug)]
pub struct SectionRule {
    /// Common part.
    pub rule: Rule,
    /// The name.
    pub marker: String,
}

/// `comments`: what a comment opener becomes.
#[derive(Clone, Debug)]
pub struct CommentRule {
    /// Common part.
    pub rule: Rule,
    /// The opener as found (`/**`); longer openers are tried first.
    pub from: String,
    /// The opener wanted.
    pub to: String,
}

/// `licence`: the SPDX line of files with a suffix.
#[derive(Clone, Debug)]
pub struct LicenceRule {
    /// Common part.
    pub rule: Rule,
    /// File suffixes with no dot (`c`, `h`).
    pub suffixes: Vec<String>,
    /// The whole line, without newline.
    pub line: String,
}

/// `masks`: macro names that the parser must blank and that can't be derived.
#[derive(Clone, Debug)]
pub struct MaskRule {
    /// Common part.
    pub rule: Rule,
    /// The names.
    pub names: Vec<String>,
}

/// How far conditions are shortened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Simplify {
    /// Every known operand, anywhere.
    #[default]
    Full,
    /// Known leading `defined(X)` operands only, as the releases' own importer does.
    Leading,
}

/// A named choice of rules.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Name.
    pub name: String,
    /// What it is for.
    pub why: String,
    /// How far conditions are shortened.
    pub simplify: Simplify,
    /// Whether every macro left in a condition must be classified, and none as portability.
    pub closed: bool,
}

/// One release that comes as a package of a registry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackagedRelease {
    /// The library's release.
    pub release: Version,
    /// Name of the package.
    pub package: String,
    /// Exact version of the package.
    pub version: String,
    /// When the library's release was made, in seconds since 1970 UTC.
    pub date: Option<i64>,
    /// Id of the commit that the library's release is, in hex.
    pub commit: Option<String>,
}

/// `library.toml`: what the library is and where it lives.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Name (`zstd`): names the output folder and the patch.
    pub name: String,
    /// Git URL of upstream.
    pub url: String,
    /// Folder of a release that holds the library (`lib`).
    pub root: String,
    /// Folder of the packages that corresponds to a release's top.
    pub package_root: String,
    /// File of a release by which a folder is recognised (`lib/name.h`).
    pub marker: String,
    /// What precedes the number in a tag (`v`).
    pub tag_prefix: String,
    /// Header (as in a release) and macros that state the release's number.
    pub version_file: String,
    /// Major, minor, patch macro.
    pub version_macros: [String; 3],
    /// Oldest release the rules are made for.
    pub oldest: Version,
    /// Folder of the Linux tree that library files go to (`lib/NAME`).
    pub output: String,
    /// Globs ([`glob_matches`]) of the library's files in a Linux tree; no other is touched there.
    pub paths: Vec<String>,
    /// The Kconfig file that defines the modules' symbols; none where nobody knows.
    pub kconfig_file: Option<String>,
    /// What a Kconfig file holds that asks for the library; empty finds every one.
    pub kconfig_word: String,
    /// What the names start with that the library offers, and so their uses.
    pub caller_words: Vec<String>,
    /// Path in the Linux tree to the file of a release (from its top) that the release's own importer
    /// puts there.
    pub importer: BTreeMap<String, String>,
    /// The profiles; the first is the default.
    pub profiles: Vec<Profile>,
    /// The sections of the wrapper API's header, in order.
    pub api_sections: Vec<ApiSection>,
    /// The releases that come as packages, oldest first.
    pub packages: Vec<PackagedRelease>,
    /// Oldest and newest kernel that the rules are made for, where they speak of kernels.
    pub kernels: Option<(KernelVersion, KernelVersion)>,
    /// The kernel modules that the library becomes.
    pub modules: Vec<Module>,
    /// What templates are told of the kernel that they are rendered for.
    pub target_values: Vec<TargetValue>,
}

/// All rules of one library.
#[derive(Clone, Debug, Default)]
pub struct Ruleset {
    /// The library.
    pub library: Library,
    /// sha-256 over all files of the ruleset but `trials` in path order, in hex.
    pub digest: String,
    /// Where it was read from: a folder, or `built in`.
    pub origin: String,
    /// Macro states, replaced macros included.
    pub macros: Vec<MacroRule>,
    /// Alternatives.
    pub one_of: Vec<OneOf>,
    /// File selection.
    pub files: Vec<FileRule>,
    /// Includes.
    pub includes: Vec<IncludeRule>,
    /// Identifiers.
    pub names: Vec<NameRule>,
    /// Calls.
    pub calls: Vec<CallRule>,
    /// Sections.
    pub sections: Vec<SectionRule>,
    /// Comments.
    pub comments: Vec<CommentRule>,
    /// Licence lines.
    pub licence: Vec<LicenceRule>,
    /// Masks.
    pub masks: Vec<MaskRule>,
    /// Local changes.
    pub local: Vec<LocalRule>,
    /// Releases known by digests.
    pub bases: Vec<BaseRule>,
    /// The wrapper API.
    pub api: Vec<ApiRule>,
    /// What may stand in the kernel form, and what may not.
    pub lists: Vec<ListRule>,
    /// Templates by path below `templates/`.
    pub templates: BTreeMap<String, Arc<Source>>,
    /// What the output is built and tried with, by path: `stubs/`, `harness/`.
    pub trials: BTreeMap<String, Arc<Source>>,
}

impl Ruleset {
    /// The common part of every rule, in order of `kind/id`.
    pub fn rules(&self) -> Vec<&Rule> {
        let mut rules: Vec<&Rule> = Vec::new();
        rules.extend(self.macros.iter().map(|r| &r.rule));
        rules.extend(self.one_of.iter().map(|r| &r.rule));
        rules.extend(self.files.iter().map(|r| &r.rule));
        rules.extend(self.includes.iter().map(|r| &r.rule));
        rules.extend(self.names.iter().map(|r| &r.rule));
        rules.extend(self.calls.iter().map(|r| &r.rule));
        rules.extend(self.sections.iter().map(|r| &r.rule));
        rules.extend(self.comments.iter().map(|r| &r.rule));
        rules.extend(self.licence.iter().map(|r| &r.rule));
        rules.extend(self.masks.iter().map(|r| &r.rule));
        rules.extend(self.local.iter().map(|r| &r.rule));
        rules.extend(self.bases.iter().map(|r| &r.rule));
        rules.extend(self.api.iter().map(|r| &r.rule));
        rules.extend(self.lists.iter().map(|r| &r.rule));
        rules.sort_by(|a, b| a.name.cmp(&b.name));
        rules
    }

    /// The profile of that name.
    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.library.profiles.iter().find(|p| p.name == name)
    }
}
