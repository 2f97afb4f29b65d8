//! What messages and trailers say of releases, files and interfaces.

use sha2::{Digest, Sha256};

use crate::letter::{ApiChange, Stat};
use crate::linux::interface::{self, Interface};
use crate::patch::Change;
use crate::rules::Ruleset;
use crate::text::{Files, hex};
use crate::upstream::{Origin, Release};

/// How many hex digits of a digest a message shows: no line gets too long, and no two meet.
pub(super) const DIGITS: usize = 40;

/// What one interface has and the other hasn't, of functions and types.
pub(super) fn compared(old: &Interface, new: &Interface) -> ApiChange {
    let of_callers =
        |(_, offer): &(&str, &interface::Offer)| offer.kind != interface::Kind::Constant;
    let missing = |here: &Interface, there: &Interface| {
        let names = here.iter().filter(of_callers).map(|(name, _)| name);
        names.filter(|name| there.get(name).is_none()).map(str::to_owned).collect()
    };
    let both = old.iter().filter_map(|(name, offer)| Some((offer, new.get(name)?)));
    let differ = both.filter(|(old, new)| !new.serves_as(old));
    let differ = differ.filter(|(old, _)| old.kind != interface::Kind::Constant);
    ApiChange {
        added: missing(new, old),
        removed: missing(old, new),
        changed: differ.map(|(old, new)| (old.shown.clone(), new.shown.clone())).collect(),
    }
}

pub(super) fn stat(change: &Change) -> Stat {
    let (files, insertions, deletions) = change.totals();
    let count = |is: &dyn Fn(bool, bool) -> bool| {
        change.files().iter().filter(|file| is(file.old.is_some(), file.new.is_some())).count()
    };
    Stat {
        files,
        added: count(&|old, _| !old),
        deleted: count(&|_, new| !new),
        renamed: change.files().iter().filter(|file| file.renamed_from().is_some()).count(),
        insertions,
        deletions,
    }
}

/// Where a release was read from, for people; no path of this machine.
pub(super) fn spoken(release: &Release, ruleset: &Ruleset) -> String {
    let Release { name, origin, .. } = release;
    match origin {
        Origin::Git { commit, .. } => {
            format!("{name}, commit {commit} of {}", ruleset.library.url)
        }
        Origin::Folder { .. } => format!("{name}, from a folder"),
        Origin::Archive { sha256, .. } => format!("{name}, from an archive, sha256 {sha256}"),
        Origin::Package { package, version, .. } => {
            let listed = ruleset.library.packages.iter();
            let listed = listed.filter(|listed| listed.release == release.version);
            let commit = listed.filter_map(|listed| listed.commit.as_ref()).next();
            let commit = commit.map_or(String::new(), |id| format!(", commit {id}"));
            format!("{name}{commit}, as the package {package} {version} carries it")
        }
    }
}

/// The same for programs.
pub(super) fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Git { commit, .. } => format!("git:{commit}"),
        Origin::Folder { .. } => "folder".into(),
        Origin::Archive { sha256, .. } => format!("sha256:{}", &sha256[..DIGITS.min(sha256.len())]),
        Origin::Package { package, version, .. } => format!("cargo:{package}@{version}"),
    }
}

/// What to ask a source for to get the release again: its tag, or else its commit.
pub(super) fn asked(release: &Release) -> String {
    match &release.origin {
        Origin::Git { commit, tag: None, .. } => commit.clone(),
        _ => release.name.clone(),
    }
}

/// When a release was made, in seconds since 1970 UTC: as the rules say, so that all its sources give
/// the same patch, else as its commit says. What says nothing is as old as the newest release that it
/// can come after.
pub fn date(release: &Release, ruleset: &Ruleset) -> i64 {
    let packages = &ruleset.library.packages;
    let is_release = release.name == format!("{}{}", ruleset.library.tag_prefix, release.version);
    let listed = packages.iter().find(|package| is_release && package.release == release.version);
    let before = || packages.iter().rev().find(|package| package.release <= release.version);
    let dates = [
        listed.and_then(|package| package.date),
        release.date,
        before().and_then(|package| package.date),
    ];
    dates.into_iter().flatten().next().unwrap_or_default()
}

/// Digest of files with their paths, as the trailers of a patch have it.
pub fn digest(files: &Files) -> String {
    let mut hash = Sha256::new();
    for (path, bytes) in files {
        hash.update(path.as_str());
        hash.update([0]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    short(&hash.finalize())
}

/// The first digits of a digest.
pub(super) fn short(digest: &[u8]) -> String {
    hex(digest)[..DIGITS].to_owned()
}
