//! The kernel that an import is made for, as far as templates ask for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::Value;

use crate::finding::{Error, Result};
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::rules::{KernelVersion, Library, TargetValue};

/// A kernel: what the ruleset wants to know of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Target {
    /// Its number; none for a tree, which is asked itself, or for a ruleset that speaks of no kernel.
    pub version: Option<KernelVersion>,
    /// The values by name.
    pub values: BTreeMap<String, Value>,
}

impl Target {
    /// The kernel of a number, or the newest one known.
    pub fn of_version(library: &Library, version: Option<KernelVersion>) -> Target {
        let version = version.or(library.kernels.map(|(_, newest)| newest));
        let has = |value: &TargetValue| version.is_none_or(|version| value.since <= version);
        Target { version, values: values(library, has) }
    }

    /// The kernel of a number as a user spells it.
    ///
    /// # Errors
    /// It is no number of a kernel, or one older than the rules are made for.
    pub fn named(library: &Library, text: Option<&str>) -> Result<Target> {
        let Some(text) = text else { return Ok(Target::of_version(library, None)) };
        let Some((oldest, newest)) = library.kernels else {
            return Err(Error::usage("the ruleset makes no difference between kernels")
                .hint("leave --kernel out"));
        };
        let version: KernelVersion = text.parse().map_err(|problem: String| {
            Error::usage(problem).hint(format!("write --kernel {newest}, for example"))
        })?;
        if version < oldest {
            let message = format!("the kernel {version} is older than the rules are made for");
            return Err(Error::usage(message).hint(format!("the oldest is {oldest}")));
        }
        Ok(Target::of_version(library, Some(version)))
    }

    /// The kernel that a Linux tree holds; `look` gives a file of it by its path.
    pub fn of_tree(library: &Library, look: &dyn Fn(&str) -> Option<Arc<[u8]>>) -> Target {
        let has = |value: &TargetValue| {
            look(&value.file).is_some_and(|bytes| match &value.word {
                Some(word) => holds(&bytes, word),
                None => true,
            })
        };
        Target { version: None, values: values(library, has) }
    }
}

fn values(library: &Library, has: impl Fn(&TargetValue) -> bool) -> BTreeMap<String, Value> {
    let value = |value: &TargetValue| {
        let chosen = if has(value) { &value.with } else { &value.without };
        (value.name.clone(), plain(chosen))
    };
    library.target_values.iter().map(value).collect()
}

fn plain(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Boolean(truth) => Value::from(*truth),
        other => Value::from(other.to_string()),
    }
}

/// Whether a word stands in a file outside comments and strings.
fn holds(bytes: &[u8], word: &str) -> bool {
    memchr::memmem::find(bytes, word.as_bytes()).is_some()
        && tokens(bytes)
            .any(|t| t.kind == TokenKind::Identifier && &*t.text(bytes) == word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::ErrorKind;
    use crate::rules::load;

    fn value(target: &Target, name: &str) -> String {
        target.values[name].to_string().to_lowercase()
    }

    #[test]
    fn a_number_decides() {
        let library = load(None).unwrap().library;
        let named = |text| Target::named(&library, text).unwrap();
        let newest = named(None);
        assert_eq!(newest.version.unwrap().to_string(), "6.12");
        assert_eq!(value(&newest, "unaligned_header"), "linux/unaligned.h");
        assert_eq!(value(&newest, "need_intptr_t"), "false");
        assert_eq!(named(Some("6.12")), newest);
        assert_eq!(named(Some("7.0")).values, newest.values);
        let old = named(Some("6.1"));
        assert_eq!(value(&old, "unaligned_header"), "asm/unaligned.h");
        assert_eq!(value(&old, "need_intptr_t"), "true");
        assert_eq!(value(&named(Some("6.6")), "need_intptr_t"), "false");
        assert_eq!(value(&named(Some("6.6")), "unaligned_header"), "asm/unaligned.h");
    }

    #[test]
    fn what_is_no_kernel_is_a_mistake_of_usage() {
        let library = load(None).unwrap().library;
        for wrong in ["", "6", "6.", "v6.12", "6.12.1", "six", "6.-1", "6.99999999999", "5.15"] {
            let error = Target::named(&library, Some(wrong)).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Usage, "{wrong}");
            assert!(error.hint.is_some(), "{wrong}");
        }
    }

    #[test]
    fn a_tree_decides_by_its_files() {
        let library = load(None).unwrap().library;
        let types = "typedef unsigned long uintptr_t;\n/* no intptr_t */\n";
        let old = |path: &str| (path == "include/linux/types.h").then(|| types.as_bytes().into());
        let old = Target::of_tree(&library, &old);
        assert_eq!(value(&old, "need_intptr_t"), "true");
        assert_eq!(value(&old, "unaligned_header"), "asm/unaligned.h");
        let new = |path: &str| match path {
            "include/linux/types.h" => Some(b"typedef long intptr_t;\n"[..].into()),
            "include/linux/unaligned.h" => Some(b""[..].into()),
            _ => None,
        };
        let new = Target::of_tree(&library, &new);
        assert_eq!(new.values, Target::of_version(&library, None).values);
    }
}
