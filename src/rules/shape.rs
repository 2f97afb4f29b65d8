//! The TOML shapes of rule files, as typed: one struct a kind, every value with its span.
//!
//! The order of the fields below is the order that rule files keep.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// A string and where it stands.
pub(super) type Text = Spanned<String>;
/// A list of strings, and where the list and each string stand.
pub(super) type Texts = Spanned<Vec<Text>>;

/// A struct whose keys are known in order, so that an unknown or misplaced one can be told.
pub(super) trait Shape: for<'de> Deserialize<'de> {
    /// Keys of the file, in order.
    const KEYS: &'static [&'static str];
    /// Keys of the tables below, by the key that holds them.
    const NESTED: &'static [(&'static str, &'static [&'static str])];
}

/// What the files of all kinds share.
pub(super) struct Common {
    pub(super) id: Option<Text>,
    pub(super) why: Option<Text>,
    pub(super) since: Option<Text>,
    pub(super) until: Option<Text>,
    pub(super) profiles: Option<Texts>,
    pub(super) expect: Option<Text>,
    pub(super) expect_since: Option<Text>,
    pub(super) expect_until: Option<Text>,
    pub(super) expect_why: Option<Text>,
}

/// A struct without the common fields; `flatten` would lose the spans, so a macro writes them out.
/// What stands behind `;` are tables, which TOML wants last.
macro_rules! rule_shape {
    ($(#[$doc:meta])* $name:ident {
        $($field:ident: $type:ty = $key:literal,)* ;
        $($table:ident: $table_type:ty = $table_key:literal => $table_keys:expr,)*
    }) => {
        $(#[$doc])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            id: Option<Text>,
            why: Option<Text>,
            $(#[serde(rename = $key)] pub(super) $field: Option<$type>,)*
            since: Option<Text>,
            until: Option<Text>,
            profiles: Option<Texts>,
            expect: Option<Text>,
            #[serde(rename = "expect-since")] expect_since: Option<Text>,
            #[serde(rename = "expect-until")] expect_until: Option<Text>,
            #[serde(rename = "expect-why")] expect_why: Option<Text>,
            $(#[serde(rename = $table_key)] pub(super) $table: Option<$table_type>,)*
        }

        impl Shape for $name {
            const KEYS: &'static [&'static str] = &[
                "id", "why", $($key,)* "since", "until", "profiles", "expect", "expect-since",
                "expect-until", "expect-why", $($table_key,)*
            ];
            const NESTED: &'static [(&'static str, &'static [&'static str])] =
                &[$(($table_key, $table_keys),)*];
        }

        impl $name {
            /// Takes out what the files of all kinds share.
            pub(super) fn common(&mut self) -> Common {
                Common {
                    id: self.id.take(),
                    why: self.why.take(),
                    since: self.since.take(),
                    until: self.until.take(),
                    profiles: self.profiles.take(),
                    expect: self.expect.take(),
                    expect_since: self.expect_since.take(),
                    expect_until: self.expect_until.take(),
                    expect_why: self.expect_why.take(),
                }
            }
        }
    };
}

rule_shape! {
    /// `macros/*.toml`: `names` with a `state`, or alternatives.
    MacroShape {
        names: Texts = "names",
        class: Text = "class",
        state: Text = "state",
        value: Text = "value",
        range: Text = "range",
        replace_in: Text = "replace-in",
        ;
        one_of: Spanned<Vec<Spanned<AlternativeShape>>> = "one-of"
            => &["name", "defined", "undefined", "values", "ranges"],
    }
}

/// One `[[one-of]]` of a macros rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AlternativeShape {
    pub(super) name: Text,
    #[serde(default)]
    pub(super) defined: Vec<Text>,
    #[serde(default)]
    pub(super) undefined: Vec<Text>,
    #[serde(default)]
    pub(super) values: BTreeMap<Text, Text>,
    #[serde(default)]
    pub(super) ranges: BTreeMap<Text, Text>,
}

rule_shape! {
    /// `files/*.toml`: `select`, `skip`, `from` and `to`, or `template`, `to` and `replaces`.
    FileShape {
        select: Texts = "select",
        skip: Texts = "skip",
        from: Text = "from",
        template: Text = "template",
        to: Text = "to",
        replaces: Text = "replaces",
        ;
    }
}

rule_shape! {
    /// `includes/*.toml`: `from` and `to`, or `allow`.
    IncludeShape {
        from: Text = "from",
        to: Text = "to",
        allow: Text = "allow",
        ;
    }
}

rule_shape! {
    /// `names/*.toml`.
    NameShape {
        forbid_prefixes: Texts = "forbid-prefixes",
        allow: Texts = "allow",
        in_comments: Spanned<bool> = "in-comments",
        ;
        rename: Spanned<BTreeMap<Text, Text>> = "rename" => &[],
    }
}

rule_shape! {
    /// `calls/*.toml`: `functions`, and `to`, `report` or `allow`.
    CallShape {
        functions: Texts = "functions",
        to: Text = "to",
        report: Text = "report",
        allow: Spanned<bool> = "allow",
        ;
    }
}

rule_shape! {
    /// `sections/*.toml`.
    SectionShape {
        marker: Text = "marker",
        ;
    }
}

rule_shape! {
    /// `comments/*.toml`.
    CommentShape {
        from: Text = "from",
        to: Text = "to",
        ;
    }
}

rule_shape! {
    /// `licence/*.toml`.
    LicenceShape {
        suffixes: Texts = "suffixes",
        line: Text = "line",
        ;
    }
}

rule_shape! {
    /// `masks/*.toml`.
    MaskShape {
        names: Texts = "names",
        ;
    }
}

rule_shape! {
    /// `allowed/*.toml` and `forbidden/*.toml`.
    ListShape {
        what: Text = "what",
        names: Texts = "names",
        instead: Text = "instead",
        ;
    }
}

rule_shape! {
    /// `local/*.toml`: a change that Linux trees carry.
    LocalShape {
        files: Texts = "files",
        adds: Texts = "adds",
        removes: Texts = "removes",
        also: Texts = "also",
        kernel: Text = "kernel",
        commit: Text = "commit",
        upstreamed: Text = "upstreamed",
        generated: Spanned<bool> = "generated",
        decision: Text = "decision",
        decision_why: Text = "decision-why",
        ;
    }
}

rule_shape! {
    /// `bases/*.toml`: a release by the digests of its import.
    BaseShape {
        release: Text = "release",
        version: Text = "version",
        ;
        files: Spanned<BTreeMap<Text, Text>> = "files" => &[],
        changed: Spanned<Vec<Spanned<ChangedShape>>> = "changed"
            => &["file", "kernel", "sha256", "local"],
    }
}

/// One `[[changed]]` of a bases rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangedShape {
    pub(super) file: Text,
    pub(super) kernel: Text,
    pub(super) sha256: Text,
    pub(super) local: Texts,
}

rule_shape! {
    /// `api/*.toml`: `type`, or a function of the wrapper API by `function` or `body`.
    ApiShape {
        name: Text = "name",
        upstream_type: Texts = "type",
        function: Text = "function",
        signature: Text = "signature",
        arguments: Spanned<Vec<Text>> = "arguments",
        body: Text = "body",
        result_like: Text = "result-like",
        result: Text = "result",
        section: Text = "section",
        module: Text = "module",
        brief: Text = "brief",
        text: Text = "text",
        returns: Text = "return",
        ;
        uses: Spanned<BTreeMap<Text, Text>> = "uses" => &[],
        parameter: Spanned<Vec<Spanned<ApiParameterShape>>> = "parameter"
            => &["name", "like", "type", "doc"],
    }
}

/// One `[[parameter]]` of an api rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ApiParameterShape {
    pub(super) name: Text,
    pub(super) like: Option<Text>,
    #[serde(rename = "type")]
    pub(super) spelt: Option<Text>,
    pub(super) doc: Text,
}

/// `library.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LibraryShape {
    pub(super) name: Option<Text>,
    pub(super) url: Option<Text>,
    pub(super) root: Option<Text>,
    pub(super) package_root: Option<Text>,
    pub(super) marker: Option<Text>,
    pub(super) tag_prefix: Option<Text>,
    pub(super) version_file: Option<Text>,
    pub(super) version_macros: Option<Texts>,
    pub(super) oldest: Option<Text>,
    pub(super) output: Option<Text>,
    pub(super) paths: Option<Texts>,
    pub(super) kconfig_file: Option<Text>,
    pub(super) kconfig_word: Option<Text>,
    pub(super) caller_words: Option<Texts>,
    pub(super) kernel_oldest: Option<Text>,
    pub(super) kernel_newest: Option<Text>,
    pub(super) importer: Option<Spanned<BTreeMap<Text, Text>>>,
    pub(super) profile: Option<Spanned<Vec<ProfileShape>>>,
    pub(super) module: Option<Spanned<Vec<ModuleShape>>>,
    pub(super) target_value: Option<Spanned<Vec<TargetValueShape>>>,
    pub(super) api_section: Option<Spanned<Vec<ApiSectionShape>>>,
    pub(super) package: Option<Spanned<Vec<PackageShape>>>,
}

impl Shape for LibraryShape {
    const KEYS: &'static [&'static str] = &[
        "name",
        "url",
        "root",
        "package-root",
        "marker",
        "tag-prefix",
        "version-file",
        "version-macros",
        "oldest",
        "output",
        "paths",
        "kconfig-file",
        "kconfig-word",
        "caller-words",
        "kernel-oldest",
        "kernel-newest",
        "importer",
        "profile",
        "module",
        "target-value",
        "api-section",
        "package",
    ];
    const NESTED: &'static [(&'static str, &'static [&'static str])] = &[
        ("profile", &["name", "why", "simplify", "closed"]),
        ("module", &["name", "kconfig", "source", "folder", "common", "preboot"]),
        ("target-value", &["name", "why", "since", "file", "word", "with", "without"]),
        ("api-section", &["name", "title"]),
        ("package", &["release", "package", "version", "date", "commit"]),
    ];
}

/// One `[[profile]]` of `library.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileShape {
    pub(super) name: Text,
    pub(super) why: Text,
    pub(super) simplify: Option<Text>,
    #[serde(default)]
    pub(super) closed: bool,
}

/// One `[[package]]` of `library.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PackageShape {
    pub(super) release: Text,
    pub(super) package: Text,
    pub(super) version: Text,
    pub(super) date: Option<Text>,
    pub(super) commit: Option<Text>,
}

/// One `[[module]]` of `library.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModuleShape {
    pub(super) name: Text,
    pub(super) kconfig: Text,
    pub(super) source: Text,
    pub(super) folder: Text,
    #[serde(default)]
    pub(super) common: bool,
    #[serde(default)]
    pub(super) preboot: bool,
}

/// One `[[target-value]]` of `library.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetValueShape {
    pub(super) name: Text,
    pub(super) why: Text,
    pub(super) since: Text,
    pub(super) file: Text,
    pub(super) word: Option<Text>,
    pub(super) with: Spanned<toml::Value>,
    pub(super) without: Spanned<toml::Value>,
}

/// One `[[api-section]]` of `library.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ApiSectionShape {
    pub(super) name: Text,
    pub(super) title: Text,
}
