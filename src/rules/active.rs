//! The rules that are in force for one release and profile.

use super::{
    ApiRule, CallRule, CommentRule, FileRule, IncludeRule, LicenceRule, ListRule, MacroRule,
    MaskRule, NameRule, OneOf, Profile, Rule, Ruleset, SectionRule, Version,
};

/// The rules of a ruleset that hold for a release and profile.
#[derive(Clone, Debug)]
pub struct Active<'a> {
    /// The whole ruleset.
    pub ruleset: &'a Ruleset,
    /// The release's number.
    pub version: Version,
    /// The profile.
    pub profile: &'a Profile,
    /// Macro states.
    pub macros: Vec<&'a MacroRule>,
    /// Alternatives.
    pub one_of: Vec<&'a OneOf>,
    /// File selection.
    pub files: Vec<&'a FileRule>,
    /// Includes.
    pub includes: Vec<&'a IncludeRule>,
    /// Identifiers.
    pub names: Vec<&'a NameRule>,
    /// Calls.
    pub calls: Vec<&'a CallRule>,
    /// Sections.
    pub sections: Vec<&'a SectionRule>,
    /// Comments.
    pub comments: Vec<&'a CommentRule>,
    /// Licence lines.
    pub licence: Vec<&'a LicenceRule>,
    /// Masks.
    pub masks: Vec<&'a MaskRule>,
    /// The wrapper API.
    pub api: Vec<&'a ApiRule>,
    /// What may stand in the kernel form, and what may not.
    pub lists: Vec<&'a ListRule>,
}

impl<'a> Active<'a> {
    /// Chooses the rules for a release and profile.
    pub fn new(ruleset: &'a Ruleset, version: Version, profile: &'a Profile) -> Active<'a> {
        let on = |rule: &Rule| rule.applies(version, &profile.name);
        Active {
            ruleset,
            version,
            profile,
            macros: ruleset.macros.iter().filter(|r| on(&r.rule)).collect(),
            one_of: ruleset.one_of.iter().filter(|r| on(&r.rule)).collect(),
            files: ruleset.files.iter().filter(|r| on(&r.rule)).collect(),
            includes: ruleset.includes.iter().filter(|r| on(&r.rule)).collect(),
            names: ruleset.names.iter().filter(|r| on(&r.rule)).collect(),
            calls: ruleset.calls.iter().filter(|r| on(&r.rule)).collect(),
            sections: ruleset.sections.iter().filter(|r| on(&r.rule)).collect(),
            comments: ruleset.comments.iter().filter(|r| on(&r.rule)).collect(),
            licence: ruleset.licence.iter().filter(|r| on(&r.rule)).collect(),
            masks: ruleset.masks.iter().filter(|r| on(&r.rule)).collect(),
            api: ruleset.api.iter().filter(|r| on(&r.rule)).collect(),
            lists: ruleset.lists.iter().filter(|r| on(&r.rule)).collect(),
        }
    }

    /// Every rule in force.
    pub fn rules(&self) -> Vec<&'a Rule> {
        let on = |rule: &&Rule| rule.applies(self.version, &self.profile.name);
        self.ruleset.rules().into_iter().filter(on).collect()
    }
}
