//! What `rules list`, `rules show` and `rules check` have to say: data, printed elsewhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fields::{instead, order};
use super::folder::{RuleFiles, mistake};
use super::load::{Examined, examine};
use super::shape::{
    ApiShape, BaseShape, CallShape, CommentShape, FileShape, IncludeShape, LibraryShape,
    LicenceShape, ListShape, LocalShape, MacroShape, MaskShape, NameShape, SectionShape,
};
use super::{Rule, Ruleset};
use crate::finding::{Error, Finding, Findings, Result};
use crate::text::Source;

/// One line of `rules list`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleRow {
    /// Kind.
    pub kind: String,
    /// Id within its kind.
    pub id: String,
    /// What it is about, as its file spells it: names, a header, globs.
    pub about: String,
    /// When it is in force, in words; `always` if it is not bounded.
    pub when: String,
    /// The reason.
    pub why: String,
}

/// All rules, in order of kind and id.
pub fn list(ruleset: &Ruleset) -> Vec<RuleRow> {
    ruleset.rules().into_iter().map(row).collect()
}

fn row(rule: &Rule) -> RuleRow {
    let (kind, id) = rule.name.as_str().split_once('/').unwrap_or_default();
    let about = String::from_utf8_lossy(&rule.source.bytes[rule.span.range()]);
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    RuleRow {
        kind: kind.into(),
        id: id.into(),
        about: about.trim_matches(['[', ']', ' ', '"']).replace("\", \"", " ").replace("\",", ""),
        when: rule.when(),
        why: rule.why.clone(),
    }
}

/// One rule for `rules show`.
#[derive(Clone, Debug)]
pub struct RuleText {
    /// Its row.
    pub row: RuleRow,
    /// Its file.
    pub source: Arc<Source>,
    /// Folder of its fixture below the project: `fixtures/LIBRARY/KIND/ID`.
    pub fixture: PathBuf,
}

/// The rules with that id: `ID`, which several kinds may have, or `KIND/ID`.
///
/// # Errors
/// There is none; the nearest ids are suggested.
pub fn show(ruleset: &Ruleset, id: &str) -> Result<Vec<RuleText>> {
    let rules = ruleset.rules();
    let named = |rule: &&&Rule| {
        let name = rule.name.as_str();
        name == id || name.split_once('/').is_some_and(|(_, short)| short == id)
    };
    let found: Vec<RuleText> = rules.iter().filter(named).map(|rule| text(ruleset, rule)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let short = |rule: &&Rule| {
        let name = rule.name.as_str();
        if id.contains('/') {
            name.to_string()
        } else {
            name.replacen(&format!("{}/", rule.name.kind()), "", 1)
        }
    };
    let names: Vec<String> = rules.iter().map(short).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let near = instead(id, &known);
    let hint = if near.starts_with("did") { near } else { "`rules list` shows all".into() };
    Err(Error::usage(format!("there is no rule `{id}` in the ruleset {}", ruleset.origin))
        .hint(hint))
}

fn text(ruleset: &Ruleset, rule: &Rule) -> RuleText {
    RuleText {
        row: row(rule),
        source: Arc::clone(&rule.source),
        fixture: fixture_below(&PathBuf::from("fixtures"), ruleset, rule),
    }
}

fn fixture_below(fixtures: &Path, ruleset: &Ruleset, rule: &Rule) -> PathBuf {
    fixtures.join(&ruleset.library.name).join(rule.name.as_str())
}

/// Everything that is wrong with a ruleset: what keeps it from being loaded, keys out of order,
/// rules without a fixture and fixtures without a rule where fixtures lie beside it.
///
/// # Errors
/// There is no ruleset at that place at all.
pub fn check(folder: Option<&Path>) -> Result<(Ruleset, Findings)> {
    let Examined { ruleset, mut findings, files } = examine(folder)?;
    for (path, source) in &files.files {
        match path.split('/').next().unwrap_or_default() {
            "library.toml" => order::<LibraryShape>(source, &mut findings),
            "allowed" | "forbidden" => order::<ListShape>(source, &mut findings),
            "api" => order::<ApiShape>(source, &mut findings),
            "bases" => order::<BaseShape>(source, &mut findings),
            "calls" => order::<CallShape>(source, &mut findings),
            "comments" => order::<CommentShape>(source, &mut findings),
            "files" => order::<FileShape>(source, &mut findings),
            "includes" => order::<IncludeShape>(source, &mut findings),
            "licence" => order::<LicenceShape>(source, &mut findings),
            "local" => order::<LocalShape>(source, &mut findings),
            "macros" => order::<MacroShape>(source, &mut findings),
            "masks" => order::<MaskShape>(source, &mut findings),
            "names" => order::<NameShape>(source, &mut findings),
            "sections" => order::<SectionShape>(source, &mut findings),
            _ => {}
        }
    }
    unused_templates(&ruleset, &mut findings);
    if let Some(fixtures) = folder.and_then(fixtures_beside) {
        rules_without_fixture(&fixtures, &ruleset, &mut findings);
        fixtures_without_rule(&fixtures.join(&ruleset.library.name), &files, &mut findings);
    }
    Ok((ruleset, findings))
}

fn unused_templates(ruleset: &Ruleset, findings: &mut Findings) {
    for (name, source) in &ruleset.templates {
        let used = ruleset.files.iter().any(|rule| {
            matches!(&rule.action, super::FileAction::Template { template, .. } if template == name)
        });
        if !used {
            findings.push(
                mistake(&source.name, "is a template that no rule uses".into())
                    .hint("write a files rule with it, or delete it"),
            );
        }
    }
}

/// `rules/zstd` has its fixtures in `fixtures/zstd`.
fn fixtures_beside(folder: &Path) -> Option<PathBuf> {
    let whole = folder.canonicalize().ok()?;
    let fixtures = whole.parent()?.parent()?.join("fixtures");
    fixtures.is_dir().then_some(fixtures)
}

fn rules_without_fixture(fixtures: &Path, ruleset: &Ruleset, findings: &mut Findings) {
    for rule in ruleset.rules() {
        let place = fixture_below(fixtures, ruleset, rule);
        // A stub of ci/new-rule is empty.
        let has =
            |name: &str| place.join(name).metadata().is_ok_and(|m| m.is_file() && m.len() > 0);
        let text = has("in.c") && (has("out.c") || has("findings.txt"));
        let interface = has("in.h") && has("out.h");
        if text || interface || has("in.txt") && has("out.txt") {
            continue;
        }
        findings.push(
            Finding::error(
                "rule-fixture",
                format!("`{}` has no fixture, or an empty one", rule.name),
            )
            .label(rule.label(""))
            .hint(match rule.name.kind() {
                "bases" => format!("write in.txt and out.txt in {}", place.display()),
                "allowed" | "forbidden" => {
                    format!("write in.c and findings.txt in {}", place.display())
                }
                "api" => format!("write in.h, out.h and out.c in {}", place.display()),
                _ => format!("write in.c and out.c (or findings.txt) in {}", place.display()),
            }),
        );
    }
}

fn fixtures_without_rule(library: &Path, files: &RuleFiles, findings: &mut Findings) {
    let folders = walkdir::WalkDir::new(library).min_depth(2).max_depth(2).sort_by_file_name();
    for entry in folders.into_iter().flatten() {
        let below = entry.path().strip_prefix(library).ok().and_then(Path::to_str);
        if below.is_none_or(|name| !files.files.contains_key(&format!("{name}.toml"))) {
            findings.push(
                mistake(&entry.path().display().to_string(), "is a fixture of no rule".into())
                    .hint("name it as its rule, KIND/ID, or delete it"),
            );
        }
    }
}
