//! Many commits of one repository: where each stands, and its library.

use std::collections::{BTreeMap, HashMap};

use super::choose::release_number;
use super::clone::Copy;
use super::{Location, Opener, Progress, Release, Request, clone, git};
use crate::finding::{Error, Result};
use crate::git::{Commit, Id, Repository, Shelf, git_folder, short};

/// Commits from one to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// Where it starts; not part of it.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Whether commits that were merged are part of it, or only the merges.
    pub all_parents: bool,
}

/// A range of commits, with what they are compared with.
pub struct History {
    held: Held,
    source: String,
    /// What was chosen, and why.
    pub notes: Vec<String>,
    /// The commits of the range, oldest first, behind those outside it that they stand on.
    pub points: Vec<Point>,
    /// How many points in front are not of the range.
    pub outside: usize,
    shelf: Shelf,
}

/// One commit.
#[derive(Clone, Debug)]
pub struct Point {
    /// The commit.
    pub commit: Commit,
    /// The release tag that stands on it.
    pub tag: Option<String>,
    /// The id of the library's folder; `None` where the commit has none that could be read.
    pub library: Option<Id>,
    /// The commits that it stands on, as far as they are points: their numbers.
    pub parents: Vec<usize>,
}

pub(super) enum Held {
    Own(Repository),
    /// Locked against other runs while it is read.
    Copy(Box<Copy>),
}

impl History {
    /// Finds the commits of a range.
    ///
    /// # Errors
    /// The source is no git repository, or can't be read, or hasn't got what the range names.
    pub fn open(request: &Request<'_>, range: &Range, progress: &dyn Progress) -> Result<History> {
        let opener = Opener { request, library: request.library, progress };
        let (held, source, mut notes) = opener.held(range)?;
        let repository = held.repository();
        let library = request.library;
        let from = git::resolve(repository, Some(&range.from), library)?.commit;
        let to = git::resolve(repository, Some(&range.to), library)?.commit;
        let seen = |seen: u64| progress.step("looking at commits", seen, None);
        let commits = repository.between(&from, &to, range.all_parents, &seen)?;
        notes.push(format!(
            "{}..{} of {source} has {} {}commits, up to {}",
            range.from,
            range.to,
            commits.len(),
            if range.all_parents { "" } else { "first-parent " },
            short(&to.id.to_string())
        ));
        let tags = opener.tags(repository)?;
        let (points, outside) = opener.points(repository, commits, range.all_parents, &tags)?;
        let first = points.get(outside).and_then(|point| point.commit.parents.first());
        if first.is_some_and(|parent| *parent != from.id) {
            let parent = first.map(Id::to_string).unwrap_or_default();
            let (name, parent) = (&range.from, short(&parent));
            notes.push(format!("the range starts at {parent}, where it leaves what `{name}` has"));
        }
        Ok(History { held, source, notes, points, outside, shelf: Shelf::default() })
    }

    /// Where the commits are read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Reads the library of a point.
    ///
    /// # Errors
    /// It can't be read, or isn't fit to be taken in.
    pub fn read(&mut self, point: &Point, request: &Request<'_>) -> Result<Release> {
        let opener = Opener { request, library: request.library, progress: &super::Silent };
        let resolved = git::Resolved { commit: point.commit.clone(), tag: point.tag.clone() };
        opener.library_at(self.held.repository(), &resolved, &self.source, &mut self.shelf)
    }
}

impl Held {
    pub(super) fn repository(&self) -> &Repository {
        match self {
            Held::Own(repository) => repository,
            Held::Copy(copy) => &copy.repository,
        }
    }
}

impl Opener<'_> {
    /// The repository, its name, and what is to be said of it.
    pub(super) fn held(&self, range: &Range) -> Result<(Held, String, Vec<String>)> {
        let url = match &self.request.source {
            Some(Location::Local(path)) => {
                let shown = path.display().to_string();
                let Some(folder) = git_folder(path)? else {
                    return Err(no_history(&shown, range));
                };
                let repository = Repository::open(&folder, &shown, path)?;
                return Ok((Held::Own(repository), shown, Vec::new()));
            }
            Some(Location::Package { name, version }) => {
                return Err(no_history(&format!("the package {name} {version}"), range));
            }
            Some(Location::Packages) => return Err(no_history("a package", range)),
            Some(Location::Url(url)) => url,
            None => &self.library.url,
        };
        let copy = self.bring(url)?;
        let notes = vec![copy.note.clone()];
        Ok((Held::Copy(Box::new(copy)), clone::without_secrets(url), notes))
    }

    /// The highest release tag on each commit that has one.
    fn tags(&self, repository: &Repository) -> Result<HashMap<Id, String>> {
        let prefix = &self.library.tag_prefix;
        let mut tags: HashMap<Id, String> = HashMap::new();
        for reference in repository.references()? {
            let Some(tag) = reference.name.strip_prefix("refs/tags/") else { continue };
            let number = |tag: &str| release_number(tag, prefix);
            if !tag.starts_with(prefix.as_str()) || number(tag).is_none() {
                continue;
            }
            let here = tags.entry(reference.commit).or_insert_with(|| tag.to_owned());
            if number(here) < number(tag) {
                tag.clone_into(here);
            }
        }
        Ok(tags)
    }

    fn points(
        &self,
        repository: &Repository,
        commits: Vec<Commit>,
        all_parents: bool,
        tags: &HashMap<Id, String>,
    ) -> Result<(Vec<Point>, usize)> {
        let root = &self.library.root;
        let of_range: HashMap<Id, usize> =
            commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
        let parents = |commit: &Commit| {
            let count = if all_parents { commit.parents.len() } else { 1 };
            commit.parents.iter().take(count).copied().collect::<Vec<Id>>()
        };
        let mut outside: Vec<Id> = Vec::new();
        let mut numbers: BTreeMap<Id, usize> = BTreeMap::new();
        for parent in commits.iter().flat_map(parents) {
            if !of_range.contains_key(&parent) && !numbers.contains_key(&parent) {
                numbers.insert(parent, outside.len());
                outside.push(parent);
            }
        }
        let count = outside.len();
        let number =
            |id: &Id| of_range.get(id).map(|at| at + count).or_else(|| numbers.get(id).copied());
        let mut points = Vec::with_capacity(count + commits.len());
        let outside = outside.iter().map(|id| repository.commit(*id));
        for commit in outside.chain(commits.iter().cloned().map(Ok)) {
            let commit = commit?;
            if points.len() % 64 == 0 {
                let total = count + of_range.len();
                self.progress.step("looking at trees", points.len() as u64, Some(total as u64));
            }
            let known = points.len() >= count;
            points.push(Point {
                tag: tags.get(&commit.id).cloned(),
                // Whoever reads the commit is told what is wrong with it.
                library: git::library(repository, &commit, root).ok(),
                parents: match known {
                    true => parents(&commit).iter().filter_map(number).collect(),
                    false => Vec::new(),
                },
                commit,
            });
        }
        Ok((points, count))
    }
}

fn no_history(source: &str, range: &Range) -> Error {
    Error::usage(format!("{source} has no history that {}..{} could name", range.from, range.to))
        .hint("a range needs a git repository: name one with --upstream, by its path or URL")
}
