//! What is the same for all that one run checks, and the check of one state.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::building::Builder;
use super::cache::Cache;
use crate::check::compare::State;
use crate::check::fingerprint::fingerprints;
use crate::check::{self, Checked, Scope};
use crate::finding::{Error, ErrorKind, Finding, Result};
use crate::kernel::target::Target;
use crate::memo::Memo;
use crate::pipeline::Input;
use crate::report::found::found;
use crate::rules::{Active, Profile, Ruleset};
use crate::text::hex;
use crate::upstream::{Progress, Release, Silent, default_cache};

/// Code of the finding that a commit can't be read.
const UNREADABLE: &str = "commit-unreadable";
/// Bytes of a file's digest that are kept.
const DIGEST: usize = 16;
/// Most bytes of texts that are held for their digests; some kernel forms.
const MAX_HELD: usize = 16 << 20;

/// What every check of a run is made with.
pub(super) struct Setting<'a> {
    pub(super) ruleset: &'a Ruleset,
    pub(super) profile: &'a Profile,
    pub(super) target: &'a Target,
    memo: Memo,
    /// What builds each state; its results are never kept.
    builder: Option<Builder<'a>>,
    cache: Option<Cache>,
    digests: Digests,
    /// Digest of all that results depend on beside the library.
    digest: String,
}

impl<'a> Setting<'a> {
    pub(super) fn new(
        ruleset: &'a Ruleset,
        profile: &'a Profile,
        target: &'a Target,
        builder: Option<Builder<'a>>,
        cached: bool,
    ) -> Setting<'a> {
        let cached = cached && builder.is_none();
        let cache = default_cache().filter(|_| cached).map(Cache::new);
        let mut hash = Sha256::new();
        let target_values = format!("{target:?}");
        for part in [
            env!("CARGO_PKG_VERSION"),
            env!("KERNELIZE_SOURCES"),
            &ruleset.digest,
            // Findings name the files of rules as they were given.
            &ruleset.origin,
            &profile.name,
            &target_values,
        ] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let digest = hex(&hash.finalize());
        let (memo, digests) = (Memo::default(), Digests::default());
        Setting { ruleset, profile, target, memo, builder, cache, digests, digest }
    }

    /// The name of a state in the cache. `library` stands for its files; `tag` is the release tag on
    /// the commit, which decides whether it is a release itself.
    pub(super) fn key(&self, library: &str, tag: Option<&str>) -> String {
        let tag = tag.unwrap_or_default();
        hex(&Sha256::digest(format!("{} {library} {tag}", self.digest)))
    }

    /// The state that `key` names, from the cache, or by a check of what `read` gives.
    pub(super) fn state(&self, key: &str, read: impl FnOnce() -> Result<Release>) -> Result<State> {
        self.state_shown(key, read, &Silent)
    }

    /// The same, with somebody watching.
    pub(super) fn state_shown(
        &self,
        key: &str,
        read: impl FnOnce() -> Result<Release>,
        progress: &dyn Progress,
    ) -> Result<State> {
        if let Some(state) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            return Ok(state);
        }
        self.found(key, &read()?, progress)
    }

    /// The same for one of several, of which each that can't be read is a state all the same.
    pub(super) fn state_if_readable(
        &self,
        key: &str,
        read: impl FnOnce() -> Result<Release>,
    ) -> Result<State> {
        if let Some(state) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            return Ok(state);
        }
        match read() {
            Ok(release) => self.found(key, &release, &Silent),
            // Not kept: a repository that lacks something may get it.
            Err(error) if error.kind == ErrorKind::Input => Ok(unreadable(error)),
            Err(error) => Err(error),
        }
    }

    fn found(&self, key: &str, release: &Release, progress: &dyn Progress) -> Result<State> {
        let mut checked = self.check(release)?;
        let figures = match &self.builder {
            Some(builder) => self.build(builder, &mut checked, release, progress)?,
            None => BTreeMap::new(),
        };
        let state = State { figures, ..self.state_of(checked, release) };
        if let Some(cache) = &self.cache {
            cache.put(key, &state);
        }
        Ok(state)
    }

    /// Tidies up behind the last state.
    pub(super) fn finish(&self) {
        if let Some(cache) = &self.cache {
            cache.sweep();
        }
    }

    /// Checks a release.
    pub(super) fn check(&self, release: &Release) -> Result<Checked> {
        check::check(self.input(release), self.ruleset, self.profile, &self.memo)
    }

    fn input<'r>(&'r self, release: &'r Release) -> Input<'r> {
        Input::of(release, &self.ruleset.library, self.target)
    }

    /// Builds what was checked, and adds what is found to the rest; gives the figures.
    fn build(
        &self,
        builder: &Builder<'_>,
        checked: &mut Checked,
        release: &Release,
        progress: &dyn Progress,
    ) -> Result<BTreeMap<String, u64>> {
        let input = self.input(release);
        let rules = &Active::new(self.ruleset, input.version, self.profile);
        let (tree, memo) = (&checked.tree, &self.memo);
        let scope = Scope { rules, tree, input, memo, key: None };
        let built = builder.build(scope, progress)?;
        checked.findings.extend(built.findings);
        Ok(built.figures)
    }

    /// What all builds had to say.
    pub(super) fn notes(&self) -> Vec<String> {
        self.builder.as_ref().map(Builder::notes).unwrap_or_default()
    }

    fn state_of(&self, checked: Checked, release: &Release) -> State {
        let Checked { tree, findings } = checked;
        let root = format!("{}/", self.ruleset.library.root);
        let is_upstream = |name: &str| name.starts_with(&root);
        let findings = findings.sorted();
        let prints = fingerprints(&findings);
        State {
            version: release.version.to_string(),
            findings: findings
                .iter()
                .zip(prints)
                .map(|(finding, fingerprint)| found(finding, &is_upstream, fingerprint))
                .collect(),
            files: tree
                .files
                .iter()
                .map(|(path, file)| (path.as_str().to_owned(), self.digests.of(file.text.bytes())))
                .collect::<BTreeMap<String, String>>(),
            proof: tree.proof.unwrap_or_default(),
            notes: release.notes.clone(),
            unreadable: false,
            figures: BTreeMap::new(),
        }
    }
}

/// A commit whose library can't be read: that is all that was found there.
fn unreadable(error: Error) -> State {
    let Error { message, hint, labels, .. } = error;
    let finding = Finding { labels, hint, ..Finding::error(UNREADABLE, message) };
    let fingerprint = fingerprints(std::slice::from_ref(&finding)).pop().unwrap_or_default();
    State {
        findings: vec![found(&finding, &|_| false, fingerprint)],
        unreadable: true,
        ..State::default()
    }
}

/// Digests of texts that several states share.
#[derive(Default)]
struct Digests {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// By address: the text is held, so that no other one gets it.
    texts: HashMap<usize, (Arc<[u8]>, String)>,
    bytes: usize,
}

impl Digests {
    fn of(&self, text: &Arc<[u8]>) -> String {
        let address = text.as_ptr().addr();
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &Arc<[u8]>| Arc::ptr_eq(known, text);
        if let Some((known, digest)) = lock().texts.get(&address)
            && same(known)
        {
            return digest.clone();
        }
        let digest = hex(&Sha256::digest(text)[..DIGEST]);
        let mut known = lock();
        if known.bytes + text.len() > MAX_HELD {
            *known = Known::default();
        }
        known.bytes += text.len();
        known.texts.insert(address, (Arc::clone(text), digest.clone()));
        digest
    }
}

/// Stands for the files of a release.
pub(super) fn library_digest(release: &Release) -> String {
    let mut hash = Sha256::new();
    for (path, bytes) in &release.files {
        let path = path.as_str();
        hash.update((path.len() as u64).to_le_bytes());
        hash.update(path);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    format!("files {}", hex(&hash.finalize()))
}
