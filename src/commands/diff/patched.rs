//! A patch of ours as one side of a comparison: what a tree holds once it is applied.

use std::collections::BTreeSet;
use std::path::Path;

use super::side::{Made, Opened, Opener, digits, made};
use super::{Way, differing};
use crate::commands::patching::{Before, Ground, Start};
use crate::commands::profile;
use crate::commands::verify::Given;
use crate::compare::{self, Form};
use crate::finding::{Error, Result};
use crate::kernel::target::Target;
use crate::patch::apply_edited;
use crate::pipeline::KernelTree;
use crate::report::console::Console;
use crate::rules::{Profile, Ruleset};
use crate::series::Patch;
use crate::text::Files;
use crate::upstream::Release;

/// Whether a side as it was named is a patch: a plain file can be nothing else.
pub(super) fn is_patch(name: &str) -> bool {
    Path::new(name).is_file()
}

fn read(path: &Path) -> Result<Given> {
    Given::read(path).map_err(|error| match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => error.hint(
            "a file of this name lies here: for the release or revision, run this in another folder; \
             else name a patch that `kernelize patch` wrote",
        ),
        _ => error,
    })
}

/// The kernel that a patch is for; `None` where its rules make no difference.
pub(super) fn target(path: &Path, opener: &Opener<'_>, rules: &Ruleset) -> Result<Option<Target>> {
    let given = read(path)?;
    let way = given.way(opener.plan.place.as_ref(), &opener.plan.sources, None)?;
    Ok(match way.start {
        Start::Tree(place) => Some(place.tree(rules)?.target(&rules.library)),
        Start::Import { kernel: Some(kernel), .. } | Start::Nothing { kernel: Some(kernel) } => {
            Some(Target::named(&rules.library, Some(&kernel))?)
        }
        Start::Import { .. } | Start::Nothing { .. } => None,
    })
}

/// Opens it. It is made again from what it says of itself; where that gives other bytes, its own are
/// applied.
pub(super) fn open<'r>(
    opener: &Opener<'_>,
    path: &Path,
    way: &Way,
    rules: &'r Ruleset,
    console: &mut Console,
) -> Result<Opened<'r>> {
    let given = read(path)?;
    let shown = &given.shown;
    if given.number() == Some(0) {
        return Err(Error::input(format!(
            "{shown} is the letter before a series: it changes nothing"
        ))
        .hint("name one of the patches; it stands for the tree behind it"));
    }
    let (place, sources) = (opener.plan.place.as_ref(), &opener.plan.sources);
    let recipe = given.way(place, sources, way.rules.as_deref())?;
    let other_base = given.other_base(&recipe)?;
    let ground = recipe.ground(console)?;
    let files = after(&given, &ground, other_base, console)?;
    let onto = match (&recipe.start, place) {
        (Start::Tree(_), Some(place)) => format!(" for {}", place.linux.display()),
        _ => String::new(),
    };
    let made_by_others = given.recipe.rules != short(&rules.digest, given.recipe.rules.len());
    let foreign = match (&recipe.start, made_by_others) {
        (Start::Tree(_), _) | (_, false) => BTreeSet::new(),
        _ => differing(&files, &Form::of(&ground.import).files),
    };
    let profile = profile(rules, Some(&given.recipe.profile))?;
    let held = held(&given, &ground, &files, (rules, profile))?;
    let Ground { release, target, import: tree, .. } = ground;
    let (release, tree) = held.unwrap_or((release, tree));
    let side = compare::Side {
        name: shown.clone(),
        kind: "patch",
        source: format!("patch {shown}{onto}"),
        release: Some(release.name.clone()),
        profile: Some(profile.name.clone()),
        rules: Some(digits(&given.recipe.rules)),
    };
    let form = Form { files, ..Form::of(&tree) };
    Ok(Opened { side, form, made: Some(Made { release, rules, profile, target, tree }), foreign })
}

/// What a patch in front of the import is made from: a series brings the release that the tree holds
/// into its new form first.
fn held(
    given: &Given,
    ground: &Ground,
    files: &Files,
    (rules, profile): (&Ruleset, &Profile),
) -> Result<Option<(Release, KernelTree)>> {
    let (Before::Tree(_, Some(held)), Some(_)) = (&ground.before, given.number()) else {
        return Ok(None);
    };
    let Some(release) = held.0.release.clone() else { return Ok(None) };
    let tree = made(&release, rules, profile, &ground.target)?;
    let apart = |tree: &KernelTree| differing(files, &Form::of(tree).files).len();
    Ok((apart(&tree) < apart(&ground.import)).then_some((release, tree)))
}

fn short(digest: &str, digits: usize) -> &str {
    digest.get(..digits).unwrap_or(digest)
}

/// The files behind the patch.
fn after(
    given: &Given,
    ground: &Ground,
    other_base: Option<String>,
    console: &mut Console,
) -> Result<Files> {
    let again = match other_base {
        // On another tree it can't come out the same.
        Some(reason) => Err(vec![reason]),
        None => made_again(given, &given.again(ground)?),
    };
    let (base, reasons) = match again {
        Ok(Behind::Same(files)) => return Ok(files),
        Ok(Behind::Other(base, reasons)) => (base, reasons),
        Err(reasons) => (None, reasons),
    };
    let shown = &given.shown;
    let reasons = reasons.join("; ");
    console.note(&format!("{shown} does not come out the same when made again: {reasons}"));
    apply_edited(&given.bytes, &base.unwrap_or_else(|| ground.before())).map_err(|error| {
        Error { message: format!("{shown} doesn't apply: {}", error.message), ..error }
            .hint("it was edited, or made for another tree or by other rules; see `verify`")
    })
}

/// What making a patch again gives.
enum Behind {
    /// The same bytes, and these files.
    Same(Files),
    /// Other bytes: the files that it starts from, if another patch is in front, and why.
    Other(Option<Files>, Vec<String>),
}

fn made_again(given: &Given, patches: &[Patch]) -> Result<Behind, Vec<String>> {
    let at = patches.iter().position(|patch| patch.number == given.number());
    let Some(at) = at else {
        return Err(vec!["made again, the series has no such part".to_owned()]);
    };
    let reasons = given.reasons(&patches[at].bytes);
    let before = || at.checked_sub(1).and_then(|at| patches[at].files.clone());
    Ok(match (&patches[at].files, reasons.is_empty()) {
        (Some(files), true) => Behind::Same(files.clone()),
        _ => Behind::Other(before(), reasons),
    })
}
