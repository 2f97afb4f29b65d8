//! `verify`: makes a patch again from what it says of itself, and compares every byte.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Outcome;
use super::held::{Place, Sources};
use super::patching::{Ground, Start, Way};
use crate::finding::{Error, ErrorKind, Result};
use crate::git::Identity;
use crate::letter::Recipe;
use crate::patch::{ParsedPatch, first_difference, parse};
use crate::report::console::Console;
use crate::report::patch::Verdict;
use crate::rules;
use crate::series::{Patch, Wish, digest};

/// Longest patch that is read, in bytes: a hundred times the longest one that was ever sent.
const MAX_PATCH: u64 = 256 << 20;

/// What is to be verified, and against what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The patches.
    pub patches: Vec<PathBuf>,
    /// The Linux tree that they are for; `None` for none.
    pub place: Option<Place>,
    /// Where to read releases from.
    pub sources: Sources,
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
}

/// Verifies each patch.
///
/// # Errors
/// A patch can't be read or was not made by this program, or what it was made from can't be read.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let (mut verdicts, mut failed) = (Vec::new(), None);
    for path in &plan.patches {
        match verdict(plan, path, console) {
            Ok(verdict) => verdicts.push(verdict),
            // What is known of the others is said first.
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if !verdicts.is_empty() {
        console.verdicts(&verdicts)?;
    }
    match (failed, verdicts.iter().all(|verdict| verdict.verified)) {
        (Some(error), _) => Err(error),
        (None, true) => Ok(Outcome::Clean),
        (None, false) => Ok(Outcome::Findings),
    }
}

fn verdict(plan: &Plan, path: &Path, console: &mut Console) -> Result<Verdict> {
    remade(plan, path, console).map(|remade| remade.verdict)
}

/// A patch, made again.
pub(super) struct Remade {
    pub(super) verdict: Verdict,
    /// What it was made from; none where the tree is another one.
    pub(super) ground: Option<Ground>,
}

/// Makes a patch again.
///
/// # Errors
/// It can't be read or was not made by this program, or what it was made from can't be read.
pub(super) fn remade(plan: &Plan, path: &Path, console: &mut Console) -> Result<Remade> {
    let given = Given::read(path)?;
    let patch = given.shown.clone();
    let said = |reasons: Vec<String>| Verdict { patch, verified: reasons.is_empty(), reasons };
    let way = given.way(plan.place.as_ref(), &plan.sources, plan.rules.as_deref())?;
    if let Some(reason) = given.other_base(&way)? {
        return Ok(Remade { verdict: said(vec![reason]), ground: None });
    }
    let ground = way.ground(console)?;
    let again = given.again(&ground)?.into_iter().find(|patch| patch.number == given.number());
    let reasons = match again {
        Some(again) => given.reasons(&again.bytes),
        None => vec!["made again, the series has no such part".to_owned()],
    };
    Ok(Remade { verdict: said(reasons), ground: Some(ground) })
}

/// A patch that somebody gave us, and how it was made, as far as it says so itself.
pub(super) struct Given {
    pub(super) shown: String,
    pub(super) bytes: Vec<u8>,
    parsed: ParsedPatch,
    pub(super) recipe: Recipe,
}

impl Given {
    /// Reads a patch; `-` is standard input.
    ///
    /// # Errors
    /// It can't be read, or is none that this program made.
    pub(super) fn read(path: &Path) -> Result<Given> {
        let shown = path.display().to_string();
        let bytes = read(path)?;
        let parsed = parse(&bytes).map_err(|error| named(&shown, error))?;
        let recipe = Recipe::parse(&parsed.trailers).map_err(|error| named(&shown, error))?;
        Ok(Given { shown, bytes, parsed, recipe })
    }

    /// Its place in a series; none for a patch alone.
    pub(super) fn number(&self) -> Option<usize> {
        self.recipe.part.map(|(part, _)| part)
    }

    /// What makes it again.
    ///
    /// # Errors
    /// It was made for a Linux tree, and none is named.
    pub(super) fn way(
        &self,
        place: Option<&Place>,
        sources: &Sources,
        rules: Option<&Path>,
    ) -> Result<Way> {
        let recipe = &self.recipe;
        let kernel = Some(recipe.kernel.clone()).filter(|kernel| !kernel.is_empty());
        let start = match (&recipe.base, &recipe.from, place) {
            (Some(_), _, Some(place)) => Start::Tree(place.clone()),
            (Some(_), _, None) => {
                return Err(Error::usage(format!("{} was made for a Linux tree", self.shown))
                    .hint("name that tree with --linux, at the same --base"));
            }
            (None, Some(release), _) => Start::Import { release: release.clone(), kernel },
            (None, None, _) => Start::Nothing { kernel },
        };
        let set = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<String>>();
        Ok(Way {
            sources: Sources { release: Some(recipe.release.clone()), ..sources.clone() },
            rules: rules.map(Path::to_owned),
            profile: Some(recipe.profile.clone()),
            start,
            keep: set(&recipe.keep),
            drop: set(&recipe.drop),
        })
    }

    /// Whether the tree is another than the one that the patch is for: then nothing else can be told.
    ///
    /// # Errors
    /// The tree or the rules can't be read.
    pub(super) fn other_base(&self, way: &Way) -> Result<Option<String>> {
        let (Start::Tree(place), Some(then)) = (&way.start, &self.recipe.base) else {
            return Ok(None);
        };
        let ruleset = rules::load(way.rules.as_deref())?;
        let now = digest(&place.tree(&ruleset)?.files);
        Ok((now != *then)
            .then(|| format!("another base: the tree's files were {then}, these are {now}")))
    }

    /// The patches that the same recipe gives now.
    ///
    /// # Errors
    /// They can't be made.
    pub(super) fn again(&self, ground: &Ground) -> Result<Vec<Patch>> {
        let again = || {
            let signed = self.parsed.trailers.iter().filter(|(name, _)| name == "Signed-off-by");
            let wish = Wish {
                author: Identity::parse(self.parsed.header("From").unwrap_or_default())
                    .map_err(|error| Error { kind: ErrorKind::Input, ..error })?,
                signed_off: signed.map(|(_, who)| who.clone()).collect(),
                split: self.recipe.part.is_some(),
                keep: self.recipe.keep.clone(),
                drop: self.recipe.drop.clone(),
            };
            ground.patches(&wish)
        };
        again().map_err(|error| named(&self.shown, error))
    }

    /// In what it differs from the patch made again; empty where it doesn't.
    pub(super) fn reasons(&self, again: &[u8]) -> Vec<String> {
        let Some(difference) = first_difference(&self.bytes, again) else { return Vec::new() };
        let mut reasons = causes(&self.recipe, again);
        let (part, line) = (&difference.part, difference.line);
        let (given, expected) = shown(&difference.given, &difference.expected);
        reasons.push(format!("line {line}, {part}: the patch has {given}"));
        reasons.push(format!("made again it has {expected}"));
        reasons
    }
}

/// An error with the name of the patch that it is about.
fn named(shown: &str, error: Error) -> Error {
    Error { message: format!("{shown}: {}", error.message), ..error }
}

/// What else than an edit explains a difference.
fn causes(recipe: &Recipe, again: &[u8]) -> Vec<String> {
    let Some(now) = parse(again).ok().and_then(|now| Recipe::parse(&now.trailers).ok()) else {
        return Vec::new();
    };
    let held = |recipe: &Recipe| recipe.held.clone().unwrap_or_default();
    let rows = [
        ("version of kernelize", &recipe.tool, &now.tool),
        ("ruleset", &recipe.rules, &now.rules),
        ("source of the release", &recipe.upstream, &now.upstream),
        ("profile", &recipe.profile, &now.profile),
        ("kernel", &recipe.kernel, &now.kernel),
        ("release that the tree was made from", &held(recipe), &held(&now)),
    ];
    let differ = rows.iter().filter(|(_, then, now)| then != now);
    let differ = differ.map(|(what, then, now)| format!("another {what}: {then}, not {now}"));
    let sealed =
        (recipe.seal != now.seal).then(|| "the author or a sign-off was changed".to_owned());
    differ.chain(sealed).collect()
}

/// Both lines as they are told of; how they end only where they end differently.
fn shown(given: &Option<String>, expected: &Option<String>) -> (String, String) {
    const END: &str = "\n";
    let ends = |line: &Option<String>| line.as_ref().is_some_and(|line| line.ends_with(END));
    let same_end = ends(given) && ends(expected);
    let quoted = |line: &Option<String>| match line {
        None => "nothing there".to_owned(),
        Some(line) if same_end => quoted(&line[..line.len() - END.len()]),
        Some(line) => quoted(line),
    };
    (quoted(given), quoted(expected))
}

fn quoted(line: &str) -> String {
    /// Most characters of a line that are shown.
    const MOST: usize = 100;
    match line.chars().count() > MOST {
        true => format!("`{}...`", line.chars().take(MOST).collect::<String>()),
        false => format!("`{line}`"),
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let shown = path.display();
    let fail = |e: std::io::Error| Error::input(format!("{shown} can't be read: {e}"));
    let mut bytes = Vec::new();
    match path == Path::new("-") {
        true => std::io::stdin().lock().take(MAX_PATCH + 1).read_to_end(&mut bytes),
        false => File::open(path).map_err(fail)?.take(MAX_PATCH + 1).read_to_end(&mut bytes),
    }
    .map_err(fail)?;
    if bytes.len() as u64 > MAX_PATCH {
        return Err(Error::input(format!("{shown} is over {} MiB long", MAX_PATCH >> 20))
            .hint("a patch of this program has some megabytes"));
    }
    Ok(bytes)
}
