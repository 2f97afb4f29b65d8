//! All that upstream has of one version: releases, and the branches and commits near them that state
//! the same number. Kernel trees were made from any of these.

use std::collections::BTreeSet;

use super::git;
use super::version;
use super::{Location, Opener, Progress, Release, Request, clone};
use crate::finding::{Error, Result};
use crate::git::{Commit, Entry, Id, Kind, Repository, git_folder};
use crate::rules::Version;
use crate::text::{Files, TreePath};

/// Most tags and branches that are looked at.
const MAX_REFS: usize = 5_000;
/// Most of them that are read whole.
const MAX_CANDIDATES: usize = 16;
/// Most commits that are looked at on the way to neighbours.
const MAX_WALK: usize = 400;

/// What a source has of one version.
pub struct Candidates {
    /// The releases, each with other files in the library; tags before branches.
    pub releases: Vec<Release>,
    /// Where they were read from, in words.
    pub source: String,
    /// What was chosen on the way, and why.
    pub notes: Vec<String>,
    repository: Option<Repository>,
}

/// Reads all that the source of `request` has of `version`; its release is not looked at.
///
/// # Errors
/// The source can't be read. That it has nothing of the version is none.
pub fn candidates(
    request: &Request<'_>,
    version: Version,
    progress: &dyn Progress,
) -> Result<Candidates> {
    let request = Request { release: Some(version.to_string()), ..request.clone() };
    let opener = Opener { request: &request, library: request.library, progress };
    match &request.source {
        Some(Location::Local(path)) => match git_folder(path)? {
            Some(folder) => {
                let shown = path.display().to_string();
                let repository = Repository::open(&folder, &shown, path)?;
                opener.of_repository(repository, version, Vec::new())
            }
            None => opener.single(version, false),
        },
        Some(Location::Url(url)) => {
            let copy = opener.bring(url)?;
            let shown = clone::without_secrets(url);
            let mut found = opener.of_repository(copy.repository, version, vec![copy.note])?;
            found.source = shown;
            Ok(found)
        }
        Some(Location::Package { .. }) => opener.single(version, false),
        Some(Location::Packages) => opener.single(version, true),
        None => opener.of_defaults(version),
    }
}

impl Candidates {
    /// Whether the source has branches and commits between its releases.
    pub fn has_commits(&self) -> bool {
        self.repository.is_some()
    }

    /// The commits before `release`, nearest first, that state the same number and have other files in
    /// the library; at most `most`. None where the source knows nothing of commits.
    ///
    /// # Errors
    /// The repository can't be read.
    pub fn before(
        &self,
        request: &Request<'_>,
        release: &Release,
        most: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Release>> {
        let (Some(repository), super::Origin::Git { commit, .. }) =
            (&self.repository, &release.origin)
        else {
            return Ok(Vec::new());
        };
        let opener = Opener { request, library: request.library, progress };
        let Ok(mut id) = Id::from_str(commit) else { return Ok(Vec::new()) };
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        for _ in 0..MAX_WALK {
            let commit = repository.commit(id)?;
            let Some(library) = opener.library_tree(repository, &commit)? else { break };
            if seen.insert(library) && seen.len() > 1 {
                if opener.stated(repository, &commit)? != Some(release.version) {
                    break;
                }
                found.push(opener.release_at(repository, commit.clone(), None, &self.source)?);
            }
            match commit.parents.first() {
                Some(parent) if found.len() < most => id = *parent,
                _ => break,
            }
        }
        Ok(found)
    }
}

impl Opener<'_> {
    /// A source that holds one release of a version at most.
    fn single(&self, version: Version, table: bool) -> Result<Candidates> {
        let none = Candidates::none("packages");
        if table && !self.library.packages.iter().any(|packaged| packaged.release == version) {
            return Ok(none);
        }
        let request = Request { release: None, ..self.request.clone() };
        let opener = match table {
            true => Opener { ..*self },
            false => Opener { request: &request, ..*self },
        };
        let release = match &opener.request.source {
            Some(Location::Local(path)) => opener.local(path)?,
            Some(Location::Package { name, version }) => opener.package(name, version)?,
            _ => opener.packages()?,
        };
        let source = match &release.origin {
            super::Origin::Package { package, version, .. } => {
                format!("package {package} {version}")
            }
            super::Origin::Folder { path } | super::Origin::Archive { path, .. } => path.clone(),
            super::Origin::Git { source, .. } => source.clone(),
        };
        let notes = release.notes.clone();
        let releases = if release.version == version { vec![release] } else { Vec::new() };
        Ok(Candidates { releases, source, notes, repository: None })
    }

    /// The library's repository, and where that can't be reached its packages.
    fn of_defaults(&self, version: Version) -> Result<Candidates> {
        let url = &self.library.url;
        let why = match self.bring(url) {
            Ok(copy) => {
                let mut found = self.of_repository(copy.repository, version, vec![copy.note])?;
                found.source.clone_from(url);
                if !found.releases.is_empty() || self.library.packages.is_empty() {
                    return Ok(found);
                }
                format!("{url} has nothing that states {version}")
            }
            Err(error) if self.library.packages.is_empty() => return Err(error),
            Err(error) => error.message,
        };
        let mut found = self.single(version, true)?;
        found.notes.insert(0, format!("{why}; the packages of the ruleset were used"));
        Ok(found)
    }

    /// All tags and branches that state the version, each library once.
    fn of_repository(
        &self,
        repository: Repository,
        version: Version,
        mut notes: Vec<String>,
    ) -> Result<Candidates> {
        let source = repository.shown().to_owned();
        let mut references = repository.references()?;
        // Tags first: of equal libraries the one that stays where it is gives the name.
        references.sort_by_key(|reference| !reference.name.starts_with("refs/tags/"));
        if references.len() > MAX_REFS {
            notes.push(format!("only {MAX_REFS} tags and branches of {source} were looked at"));
            references.truncate(MAX_REFS);
        }
        let (mut seen, mut commits, mut releases) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for reference in references {
            if !commits.insert(reference.commit) {
                continue;
            }
            let commit = repository.commit(reference.commit)?;
            let Some(library) = self.library_tree(&repository, &commit)? else { continue };
            if !seen.insert(library) || self.stated(&repository, &commit)? != Some(version) {
                continue;
            }
            if releases.len() == MAX_CANDIDATES {
                notes.push(format!(
                    "only {MAX_CANDIDATES} tags and branches of {source} that state {version} were \
                     compared"
                ));
                break;
            }
            let name = Some(reference.name.as_str());
            releases.push(self.release_at(&repository, commit, name, &source)?);
        }
        Ok(Candidates { releases, source, notes, repository: Some(repository) })
    }

    /// Id of the library's folder in a commit, if it has one.
    fn library_tree(&self, repository: &Repository, commit: &Commit) -> Result<Option<Id>> {
        let entry = repository.entry_at(commit, &self.library.root)?;
        let is_root = |entry: &Entry| {
            entry.kind == Kind::Folder && entry.path == self.library.root.as_bytes()
        };
        Ok(entry.filter(is_root).map(|entry| entry.id))
    }

    /// The version that a commit states, if it states one.
    fn stated(&self, repository: &Repository, commit: &Commit) -> Result<Option<Version>> {
        let Some(path) = TreePath::new(&self.library.version_file) else { return Ok(None) };
        let Some(bytes) = repository.file(commit, &path)? else { return Ok(None) };
        let header = version::below_root(self.library, &self.library.version_file)?;
        let files = Files::from([(header, bytes.into())]);
        Ok(version::of_files(self.library, &files, "").ok())
    }

    /// The release at a commit that a tag or branch stands on, or none.
    fn release_at(
        &self,
        repository: &Repository,
        commit: Commit,
        reference: Option<&str>,
        source: &str,
    ) -> Result<Release> {
        let tag = reference.and_then(|name| name.strip_prefix("refs/tags/"));
        let branches = ["refs/heads/", "refs/remotes/"];
        let branch = branches.iter().find_map(|kind| reference?.strip_prefix(kind));
        let resolved = git::Resolved { commit, tag: tag.map(str::to_owned) };
        let mut release = self.at_commit(repository, resolved, source)?;
        if let Some(branch) = branch {
            release.name = branch.to_owned();
        }
        release.notes.clear();
        Ok(release)
    }
}

impl Candidates {
    fn none(source: &str) -> Candidates {
        let (releases, notes) = (Vec::new(), Vec::new());
        Candidates { releases, source: source.to_owned(), notes, repository: None }
    }
}

/// The version that the library's own header states, wherever it lies.
///
/// # Errors
/// It states none.
pub fn stated_version(
    library: &crate::rules::Library,
    header: &[u8],
    place: &str,
) -> Result<Version> {
    let path = version::below_root(library, &library.version_file)?;
    let files = Files::from([(path, header.into())]);
    version::of_files(library, &files, place).map_err(|error| Error::input(error.message))
}
