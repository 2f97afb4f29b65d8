//! What the tests build their sources with.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kernelize::finding::{Error, ErrorKind, Result};
use kernelize::rules::{Library, PackagedRelease, Version};
use kernelize::upstream::{Location, Release, Request, Silent, Tools, open};
use tempfile::TempDir;

/// A library like zstd, with a URL that no name server knows.
pub(crate) fn library() -> Library {
    let packaged = |patch, version: &str| PackagedRelease {
        release: Version { major: 1, minor: 5, patch },
        package: "zstd-sys".into(),
        version: version.into(),
        date: None,
        commit: None,
    };
    Library {
        name: "zstd".into(),
        url: "https://git.invalid/zstd.git".into(),
        root: "lib".into(),
        package_root: "zstd".into(),
        marker: "lib/zstd.h".into(),
        tag_prefix: "v".into(),
        version_file: "lib/zstd.h".into(),
        version_macros: ["MAJOR", "MINOR", "RELEASE"].map(|part| format!("ZSTD_VERSION_{part}")),
        oldest: Version { major: 1, minor: 4, patch: 9 },
        output: "lib/zstd".into(),
        paths: Vec::new(),
        kconfig_file: None,
        kconfig_word: String::new(),
        caller_words: Vec::new(),
        importer: std::collections::BTreeMap::new(),
        profiles: Vec::new(),
        api_sections: Vec::new(),
        packages: vec![packaged(6, "2.0.13"), packaged(7, "2.0.16")],
        kernels: None,
        modules: Vec::new(),
        target_values: Vec::new(),
    }
}

/// The header that states a release's number.
pub(crate) fn header(version: &str) -> String {
    let parts: Vec<&str> = version.split('.').collect();
    let names = ["MAJOR", "MINOR", "RELEASE"].iter().zip(parts);
    names.map(|(name, part)| format!("#define ZSTD_VERSION_{name} {part} /* n */\n")).collect()
}

/// A request with its own empty cache.
pub(crate) struct Ask {
    pub(crate) library: Library,
    pub(crate) offline: bool,
    pub(crate) cache: TempDir,
    pub(crate) tools: Tools,
}

impl Ask {
    pub(crate) fn new() -> Ask {
        let cache = tempfile::tempdir().unwrap();
        Ask { library: library(), offline: false, cache, tools: Tools::default() }
    }

    pub(crate) fn open(&self, source: Option<&str>, release: Option<&str>) -> Result<Release> {
        let request = Request {
            library: &self.library,
            source: source.map(|text| text.parse::<Location>().unwrap()),
            release: release.map(str::to_owned),
            offline: self.offline,
            cache: Some(self.cache.path().to_owned()),
            tools: self.tools.clone(),
        };
        open(&request, &Silent)
    }
}

/// Opens a local source.
pub(crate) fn read(source: &Path, release: Option<&str>) -> Result<Release> {
    Ask::new().open(source.to_str(), release)
}

/// The input error that opening a local source ends in; message and hint in one text.
pub(crate) fn refused(source: &Path, release: Option<&str>) -> String {
    said(read(source, release).expect_err("should be refused"))
}

pub(crate) fn said(error: Error) -> String {
    assert_eq!(error.kind, ErrorKind::Input, "{error}");
    format!("{}; {}", error.message, error.hint.unwrap_or_default())
}

#[track_caller]
pub(crate) fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
}

/// Writes files below `folder`.
pub(crate) fn lay(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A git repository in a temporary folder.
pub(crate) struct Repo {
    pub(crate) folder: TempDir,
}

impl Repo {
    pub(crate) fn empty() -> Repo {
        let repo = Repo { folder: tempfile::tempdir().unwrap() };
        repo.git(&["init", "-q", "-b", "dev"]);
        repo.git(&["config", "uploadpack.allowFilter", "true"]);
        repo.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        repo
    }

    /// Three releases and one commit after them.
    pub(crate) fn with_releases() -> Repo {
        let repo = Repo::empty();
        for version in ["1.5.9", "1.5.10", "1.6.0"] {
            repo.commit(version);
            let tag = if version == "1.6.0" { "v1.6.0-rc1" } else { &format!("v{version}") };
            repo.git(&["tag", "-a", "-m", "release", tag]);
        }
        repo.commit("1.7.0");
        repo
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn commit(&self, version: &str) {
        let (source, header) = (format!("int v = {:?};\n", version), header(version));
        lay(
            self.path(),
            &[
                ("lib/zstd.h", &header),
                ("lib/common/a.c", &source),
                ("lib/common/deep/er/b.h", "\r\n\0"),
                ("README", "not in the library"),
            ],
        );
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "-m", version]);
    }

    /// Commits a tree in which `lib` holds the header and what `entries` say, as `git mktree` lines.
    pub(crate) fn commit_tree(&self, entries: &[String]) -> String {
        let head = self.blob(&header("1.5.9"));
        let mut lines = vec![format!("100644 blob {head}\tzstd.h")];
        lines.extend_from_slice(entries);
        let lib = self.tree(&lines);
        self.commit_top(&[format!("040000 tree {lib}\tlib")])
    }

    pub(crate) fn commit_top(&self, entries: &[String]) -> String {
        let top = self.tree(entries);
        self.git(&["commit-tree", "-m", "made", &top])
    }

    pub(crate) fn blob(&self, text: &str) -> String {
        run(self.path(), &["hash-object", "-w", "--stdin"], text.as_bytes())
    }

    /// Any tree, sound or not: `mktree` sorts, so the object is written as it stands.
    pub(crate) fn tree(&self, entries: &[String]) -> String {
        let mut bytes = Vec::new();
        for entry in entries {
            let (meta, name) = entry.split_once('\t').unwrap();
            let mut meta = meta.split(' ');
            let mode = meta.next().unwrap().trim_start_matches('0');
            let id = meta.nth(1).unwrap();
            bytes.extend(format!("{mode} {name}\0").bytes());
            let digits = (0..id.len()).step_by(2);
            bytes.extend(digits.map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
        }
        run(self.path(), &["hash-object", "-w", "--literally", "-t", "tree", "--stdin"], &bytes)
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        run(self.path(), arguments, b"")
    }

    /// The id that git gives a revision.
    pub(crate) fn id(&self, revision: &str) -> String {
        self.git(&["rev-parse", revision])
    }
}

/// Runs git in a closed environment; gives its output.
pub(crate) fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_NAME", "A"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ("GIT_AUTHOR_DATE", "1700000000 +0000"),
        ("GIT_COMMITTER_DATE", "1700000000 +0000"),
    ] {
        command.env(name, value);
    }
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The paths of a release, in order.
pub(crate) fn paths(release: &Release) -> Vec<&str> {
    release.files.keys().map(|path| path.as_str()).collect()
}

/// All that a folder holds, names and bytes.
pub(crate) fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .map(|path| (path.clone(), fs::read(path).unwrap_or_default()))
        .collect()
}
