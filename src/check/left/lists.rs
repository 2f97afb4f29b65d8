//! The rules as the checks ask for them.

use std::collections::{HashMap, HashSet};

use crate::rules::{Active, CallRule, Listed, Lookup, MacroClass, MacroRule, MacroState, NameRule};
use crate::text::Quick;

/// What rules say of names.
pub(super) struct Lists<'a> {
    pub(super) builtins: Lookup<'a>,
    pub(super) globals: Lookup<'a>,
    pub(super) prefixes: Lookup<'a>,
    pub(super) headers: Lookup<'a>,
    pub(super) members: Lookup<'a>,
    pub(super) pragmas: Lookup<'a>,
    pub(super) recursive: Lookup<'a>,
    pub(super) no_headers: Lookup<'a>,
    pub(super) no_identifiers: Lookup<'a>,
    pub(super) no_macros: Lookup<'a>,
    pub(super) no_pragmas: Lookup<'a>,
    pub(super) no_types: Lookup<'a>,
    /// Macros that are settled, each by the rule that does it.
    pub(super) settled: HashMap<&'a [u8], &'a MacroRule, Quick>,
    /// Macros of the library's debug level.
    pub(super) debug: Vec<&'a str>,
    /// Macros that a rule of whatever profile has as not defined: what stands under them is dead.
    pub(super) dead: HashSet<&'a str>,
    /// The rules in force about names.
    pub(super) names: &'a [&'a NameRule],
    /// The rules about calls, those of other profiles included.
    pub(super) calls: HashMap<&'a [u8], &'a CallRule, Quick>,
}

impl<'a> Lists<'a> {
    pub(super) fn new(rules: &'a Active<'a>) -> Lists<'a> {
        let settles = |rule: &&&MacroRule| {
            let ours = !matches!(rule.class, MacroClass::Kernel | MacroClass::Guard);
            let settled = matches!(
                rule.state,
                MacroState::Undefined | MacroState::Defined | MacroState::Value(_)
            );
            ours && settled
        };
        let mut settled = HashMap::default();
        for rule in rules.macros.iter().filter(settles) {
            settled.extend(rule.names.iter().map(|name| (name.as_bytes(), *rule)));
        }
        let undefined = rules.ruleset.macros.iter().filter(|r| r.state == MacroState::Undefined);
        let debug = rules.macros.iter().filter(|rule| rule.class == MacroClass::Debug);
        let mut calls: HashMap<&[u8], &CallRule, Quick> = HashMap::default();
        for rule in &rules.ruleset.calls {
            let since = rule.rule.since.is_none_or(|since| since <= rules.version);
            let until = rule.rule.until.is_none_or(|until| rules.version < until);
            if since && until && (rule.to.is_some() || rule.report) {
                calls.extend(rule.functions.iter().map(|name| (name.as_bytes(), rule)));
            }
        }
        Lists {
            builtins: rules.allowed(Listed::Builtin),
            globals: rules.allowed(Listed::Global),
            prefixes: rules.allowed(Listed::GlobalPrefix),
            headers: rules.allowed(Listed::Header),
            members: rules.allowed(Listed::Member),
            pragmas: rules.allowed(Listed::Pragma),
            recursive: rules.allowed(Listed::Recursion),
            no_headers: rules.forbidden(Listed::Header),
            no_identifiers: rules.forbidden(Listed::Identifier),
            no_macros: rules.forbidden(Listed::Macro),
            no_pragmas: rules.forbidden(Listed::Pragma),
            no_types: rules.forbidden(Listed::Type),
            settled,
            debug: debug.flat_map(|rule| &rule.names).map(String::as_str).collect(),
            dead: undefined.flat_map(|rule| &rule.names).map(String::as_str).collect(),
            names: &rules.names,
            calls,
        }
    }
}
