//! From a name to a release in memory: git repositories, folders, archives and packages.
//!
//! What is read is never written to. Only the user's cache is, and there only by git and cargo.

mod archive;
mod bases;
mod cache;
mod choose;
mod clone;
mod collect;
mod folder;
mod git;
mod history;
mod package;
mod process;
mod release;
mod touched;
mod version;
mod worktree;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::finding::{Error, Result};
use crate::git::{Repository, Shelf, git_folder, short};
use crate::rules::{Library, PackagedRelease, Version};
use crate::text::{Files, TreePath};
use choose::{nearest, release_number, spoken};
use collect::Collector;

pub use bases::{Candidates, candidates, stated_version};
pub use cache::default_cache;
pub use history::{History, Point, Range};
pub use process::Tools;
pub use release::{Origin, Progress, Release, Silent};
pub use touched::{Between, LineCommit, TouchedBy, line_commit, touched};
pub use worktree::{checkout, is_repository, unusable, worktree};

/// Where releases are looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// A git repository, a folder or an archive on this machine.
    Local(PathBuf),
    /// A git URL, copied into the cache.
    Url(String),
    /// One package: `cargo:NAME@VERSION`.
    Package {
        /// Name.
        name: String,
        /// Exact version, with or without what stands behind a `+`.
        version: String,
    },
    /// The ruleset's table of packages: `packages`.
    Packages,
}

impl FromStr for Location {
    type Err = Error;

    /// Fails for an empty text and for a package without a name or an exact version.
    fn from_str(text: &str) -> Result<Location> {
        if text.is_empty() {
            return Err(Error::usage("the source of releases is empty").hint(
                "name a git repository, a folder, an archive, cargo:NAME@VERSION or packages",
            ));
        }
        if text == "packages" {
            return Ok(Location::Packages);
        }
        if let Some(package) = text.strip_prefix("cargo:") {
            return parse_package(package).ok_or_else(|| {
                Error::usage(format!("`{text}` names no version of a package"))
                    .hint("write cargo:NAME@VERSION with all three numbers of the version")
            });
        }
        // `host:path` is a URL for git, unless a slash stands before the colon or such a file exists.
        let host = text.split_once(':').map(|(host, _)| host);
        let is_remote =
            host.is_some_and(|h| h.len() > 1 && !h.contains('/')) && !Path::new(text).exists();
        Ok(match text.contains("://") || is_remote {
            true => Location::Url(text.to_owned()),
            false => Location::Local(PathBuf::from(text)),
        })
    }
}

fn parse_package(text: &str) -> Option<Location> {
    let (name, version) = text.split_once('@')?;
    let version = version.strip_prefix('=').unwrap_or(version);
    let numbers = version.split(['-', '+']).next()?;
    let plain = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let exact = release_number(numbers, "").is_some();
    (exact && plain(name, "-_") && plain(version, "-+."))
        .then(|| Location::Package { name: name.to_owned(), version: version.to_owned() })
}

/// What is wanted, and the means.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The library.
    pub library: &'a Library,
    /// Where to look; `None`: the library's git URL, and its packages where that can't be reached.
    pub source: Option<Location>,
    /// Tag (with or without its prefix), branch, commit id or any other revision that git knows;
    /// `None`: the newest release that the source has.
    pub release: Option<String>,
    /// Use what the caches hold, reach no network.
    pub offline: bool,
    /// Folder for copies of git repositories and packages; see [`default_cache`].
    pub cache: Option<PathBuf>,
    /// The programs that reach a network.
    pub tools: Tools,
}

/// Reads the release that `request` names. Fails with an input error that says what can't be read,
/// what isn't there or what no release may hold.
pub fn open(request: &Request<'_>, progress: &dyn Progress) -> Result<Release> {
    let opener = Opener { request, library: request.library, progress };
    let mut release = match &request.source {
        Some(Location::Local(path)) => opener.local(path),
        Some(Location::Url(url)) => opener.url(url),
        Some(Location::Package { name, version }) => opener.package(name, version),
        Some(Location::Packages) => opener.packages(),
        None => opener.default_source(),
    }?;
    let oldest = request.library.oldest;
    if release.version < oldest {
        let name = &release.name;
        release.notes.push(format!("{name} is older than {oldest}, for which the rules start"));
    }
    Ok(release)
}

struct Opener<'r> {
    request: &'r Request<'r>,
    library: &'r Library,
    progress: &'r dyn Progress,
}

impl Opener<'_> {
    fn local(&self, path: &Path) -> Result<Release> {
        let shown = path.display().to_string();
        let found = std::fs::metadata(path)
            .map_err(|error| Error::input(format!("{shown} can't be read: {error}")))?;
        if found.is_file() {
            let (collector, sha256) = archive::read(path, self.library)?;
            return self.plain(collector, Origin::Archive { path: shown, sha256 });
        }
        if !found.is_dir() {
            return Err(Error::input(format!("{shown} is neither a folder nor a file")));
        }
        if let Some(folder) = git_folder(path)? {
            let repository = Repository::open(&folder, &shown, path)?;
            return self.git(&repository, &shown);
        }
        if path.join(&self.library.marker).symlink_metadata().is_err() {
            return Err(self.no_library(path, &shown));
        }
        let collector = folder::read(path, &self.library.root, &shown, &|_, _| false)?;
        let mut release = self.plain(collector, Origin::Folder { path: shown })?;
        release.importer = folder::importer(path, self.library)?;
        Ok(release)
    }

    fn no_library(&self, path: &Path, shown: &str) -> Error {
        let Library { name, root, marker, .. } = self.library;
        let error = Error::input(format!(
            "{shown} is neither a git repository nor a folder that holds {marker}"
        ));
        let is_root = path.ends_with(root)
            && marker
                .strip_prefix(root)
                .is_some_and(|m| path.join(m.trim_start_matches('/')).exists());
        if is_root {
            return error.hint(format!("name the folder above {root}"));
        }
        let below = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut below: Vec<_> =
            below.map(|e| e.path()).filter(|p| p.join(marker).exists()).collect();
        below.sort();
        match below.first() {
            Some(folder) => error.hint(format!("did you mean {}?", folder.display())),
            None => error.hint(format!("name the top folder of a {name} release or repository")),
        }
    }

    fn url(&self, url: &str) -> Result<Release> {
        let copy = self.bring(url).map_err(|error| match error.hint {
            None if !self.library.packages.is_empty() => {
                error.hint("`--upstream packages` takes releases from the package registry instead")
            }
            _ => error,
        })?;
        let mut release = self.git(&copy.repository, &clone::without_secrets(url))?;
        release.notes.insert(0, copy.note);
        Ok(release)
    }

    fn bring(&self, url: &str) -> Result<clone::Copy> {
        let fixed = |repository: &Repository| {
            let wanted = self.request.release.as_deref();
            wanted
                .is_some_and(|wanted| git::has_fixed(repository, wanted, &self.library.tag_prefix))
        };
        let Request { offline, tools, cache, .. } = self.request;
        clone::bring(url, cache.as_deref(), &fixed, *offline, tools, self.progress)
    }

    /// The library's URL, and where it can't be reached its packages.
    fn default_source(&self) -> Result<Release> {
        let url = &self.library.url;
        let why = match self.bring(url) {
            Ok(copy) => match self.git(&copy.repository, url) {
                Ok(mut release) => {
                    release.notes.insert(0, copy.note);
                    return Ok(release);
                }
                Err(error) if !copy.is_stale || self.library.packages.is_empty() => {
                    return Err(error);
                }
                Err(error) => error.message,
            },
            Err(error) if self.library.packages.is_empty() => return Err(error),
            Err(error) => error.message,
        };
        match self.packages() {
            Ok(mut release) => {
                release.notes.insert(0, format!("{why}; the packages of the ruleset were used"));
                Ok(release)
            }
            Err(error) => {
                let hint = error.hint.unwrap_or_default();
                Err(Error::input(format!("{why}; and of the packages: {}", error.message))
                    .hint(hint))
            }
        }
    }

    fn packages(&self) -> Result<Release> {
        let table = &self.library.packages;
        let Some(wanted) = &self.request.release else { return self.newest_package() };
        let number = release_number(wanted, &self.library.tag_prefix);
        let found = table.iter().find(|packaged| Some(packaged.release) == number);
        let packaged = found.ok_or_else(|| self.not_packaged(wanted))?;
        self.package(&packaged.package, &packaged.version)
    }

    /// The newest one; offline, the newest that is here.
    fn newest_package(&self) -> Result<Release> {
        let mut table: Vec<&PackagedRelease> = self.library.packages.iter().collect();
        table.sort_by_key(|packaged| std::cmp::Reverse(packaged.release));
        let [newest, older @ ..] = table.as_slice() else {
            return Err(Error::input(format!(
                "no release of {} comes as a package",
                self.library.name
            )));
        };
        let error = match self.package(&newest.package, &newest.version) {
            Err(error) if self.request.offline => error,
            result => return result,
        };
        let here = older.iter().find_map(|p| self.package(&p.package, &p.version).ok());
        let mut release = here.ok_or(error)?;
        let why = format!("{} is the newest release that is here (--offline)", release.name);
        release.notes.push(why);
        Ok(release)
    }

    fn not_packaged(&self, wanted: &str) -> Error {
        let names: Vec<String> =
            self.library.packages.iter().map(|packaged| packaged.release.to_string()).collect();
        let near = nearest(wanted, names.iter().map(String::as_str), &self.library.tag_prefix);
        let error = Error::input(format!("no package holds {} `{wanted}`", self.library.name));
        match (near.is_empty(), names.first(), names.last()) {
            (false, ..) => error.hint(format!("near it are {}", spoken(&near))),
            (_, Some(first), Some(last)) => error.hint(format!(
                "packages hold some releases from {first} to {last}; --upstream with a git \
                 repository reads any revision"
            )),
            _ => error,
        }
    }

    fn package(&self, name: &str, version: &str) -> Result<Release> {
        let Request { offline, tools, cache, .. } = self.request;
        let cache = cache.as_deref();
        let found =
            package::read(name, version, self.library, cache, *offline, tools, self.progress)?;
        let package::Package { collector, version, checksum, notes } = found;
        let origin = Origin::Package { package: name.to_owned(), version, checksum };
        let mut release = self.plain(collector, origin)?;
        release.notes.splice(0..0, notes);
        Ok(release)
    }

    fn git(&self, repository: &Repository, source: &str) -> Result<Release> {
        let wanted = self.request.release.as_deref();
        let resolved = git::resolve(repository, wanted, self.library)?;
        let whole = resolved.commit.id.to_string();
        let id = short(&whole);
        let note = match (&resolved.tag, wanted) {
            (Some(tag), None) => format!("{tag} is the newest release in {source}"),
            (Some(tag), Some(_)) => format!("{tag} of {source} is commit {id}"),
            (None, _) => format!("`{}` of {source} is commit {id}", wanted.unwrap_or_default()),
        };
        let mut release = self.at_commit(repository, resolved, source)?;
        release.notes.insert(0, note);
        Ok(release)
    }

    /// Reads the release at a commit.
    fn at_commit(
        &self,
        repository: &Repository,
        resolved: git::Resolved,
        source: &str,
    ) -> Result<Release> {
        let mut release = self.library_at(repository, &resolved, source, &mut Shelf::default())?;
        let commit = &resolved.commit;
        for path in self.library.importer.values().filter_map(|path| TreePath::new(path)) {
            if let Some(bytes) = repository.file(commit, &path)? {
                release.importer.insert(path, bytes.into());
            }
        }
        Ok(release)
    }

    /// The same without what isn't the library's.
    fn library_at(
        &self,
        repository: &Repository,
        resolved: &git::Resolved,
        source: &str,
        shelf: &mut Shelf,
    ) -> Result<Release> {
        let git::Resolved { commit, tag } = resolved;
        let collector = git::read(repository, commit, &self.library.root, shelf)?;
        let whole = commit.id.to_string();
        let id = short(&whole).to_owned();
        let origin = Origin::Git {
            source: source.to_owned(),
            commit: whole,
            tree: commit.tree.to_string(),
            tag: tag.clone(),
        };
        let mut release = self.finish(collector, origin)?;
        release.name = tag.clone().unwrap_or_else(|| format!("{}-g{id}", release.name));
        release.date = Some(commit.date);
        release.title = Some(commit.title.clone());
        Ok(release)
    }

    /// A source that holds one release only, which must be the one asked for.
    fn plain(&self, collector: Collector, origin: Origin) -> Result<Release> {
        let place = collector.place().to_owned();
        let release = self.finish(collector, origin)?;
        let Some(wanted) = &self.request.release else { return Ok(release) };
        if release_number(wanted, &self.library.tag_prefix) == Some(release.version) {
            return Ok(release);
        }
        Err(Error::input(format!("{place} is {}, not `{wanted}`", release.version))
            .hint("it holds one release: leave RELEASE out, or name a git repository"))
    }

    fn finish(&self, collector: Collector, origin: Origin) -> Result<Release> {
        let place = collector.place().to_owned();
        let (files, notes) = collector.finish();
        let marker = version::below_root(self.library, &self.library.marker)?;
        if !files.contains_key(&marker) {
            return Err(Error::input(format!("{place} lacks {marker}")).hint(format!(
                "is it {}, and of a time when it had that file?",
                self.library.name
            )));
        }
        let version: Version = version::of_files(self.library, &files, &place)?;
        let name = format!("{}{version}", self.library.tag_prefix);
        let importer = Files::new();
        Ok(Release { name, version, origin, date: None, title: None, files, importer, notes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_apart() {
        let parse = |text: &str| text.parse::<Location>().unwrap();
        for url in ["https://h/x", "git@h:x/y", "host:x", "file:///x"] {
            assert_eq!(parse(url), Location::Url(url.into()));
        }
        for path in ["x", "/x/y", "./a:b", "a/b:c", "C:x"] {
            assert_eq!(parse(path), Location::Local(path.into()));
        }
        assert_eq!(parse("packages"), Location::Packages);
        let package =
            |version: &str| Location::Package { name: "a-b".into(), version: version.into() };
        assert_eq!(parse("cargo:a-b@1.2.3"), package("1.2.3"));
        assert_eq!(parse("cargo:a-b@=1.2.3+x.1.5"), package("1.2.3+x.1.5"));
        for bad in [
            "",
            "cargo:",
            "cargo:a",
            "cargo:a@",
            "cargo:a@1.2",
            "cargo:@1.2.3",
            "cargo:a\"@1.2.3",
            "cargo:a@1.2.3 ",
        ] {
            let error = bad.parse::<Location>().unwrap_err();
            assert_eq!(error.kind, crate::finding::ErrorKind::Usage, "{bad}");
        }
    }
}
