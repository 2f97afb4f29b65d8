//! `import`: a release as a folder that goes into a Linux tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::held::Sources;
use super::output::Output;
use super::record::{FileRecord, Record};
use super::{Outcome, profile};
use crate::finding::Result;
use crate::kernel::target::Target;
use crate::pipeline::{self, Input, KernelTree, OutputFile};
use crate::report::console::Console;
use crate::report::summary::{ClassCount, FileCount, ImportSummary, KindCount};
use crate::rules::{self, Profile, Ruleset};
use crate::text::sha256;
use crate::upstream::{Location, Origin, Release};

/// What is to be imported, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The release, and where to read it from.
    pub sources: Sources,
    /// The ruleset's folder; `None` for the one built in.
    pub rules: Option<PathBuf>,
    /// The profile; `None` for the ruleset's default.
    pub profile: Option<String>,
    /// The kernel that it is for; `None` for the newest that the rules know.
    pub kernel: Option<String>,
    /// The output folder; `None` for one named after the release, in the current folder.
    pub out: Option<PathBuf>,
    /// Whether a changed output folder is replaced.
    pub force: bool,
}

/// Imports the release. The output is written whatever is found: it is what findings are about.
///
/// # Errors
/// The ruleset can't be loaded, the release can't be read, or the output can't be written.
pub fn run(plan: &Plan, console: &mut Console) -> Result<Outcome> {
    let ruleset = rules::load(plan.rules.as_deref())?;
    let profile = profile(&ruleset, plan.profile.as_deref())?;
    let target = Target::named(&ruleset.library, plan.kernel.as_deref())?;
    let release = plan.sources.release(&ruleset, console)?;
    let output = Output::prepare(&folder(plan, &ruleset, &release), plan.force, &read(plan))?;
    let input = Input::of(&release, &ruleset.library, &target);
    let tree = pipeline::proved(input, &ruleset, profile)?;
    let mut record = record(plan, &ruleset, profile, &release, &tree)?;
    record.kernel = target.version.map(|version| version.to_string());
    let shown = output.folder().display().to_string();
    let files = tree.files.iter().map(|(path, file)| (path.as_str(), &**file.text.bytes()));
    let replaced = output.write(&files.collect(), &record)?;
    let mut summary = summary(&ruleset, profile, &release, &tree);
    (summary.out, summary.replaced) = (Some(shown), replaced);
    console.import(&summary, &tree.findings)?;
    Ok(Outcome::of(&tree.findings))
}

/// The places on this machine that the import reads.
fn read(plan: &Plan) -> Vec<&Path> {
    let upstream = match &plan.sources.upstream {
        Some(Location::Local(path)) => Some(path.as_path()),
        _ => None,
    };
    upstream.into_iter().chain(plan.rules.as_deref()).collect()
}

fn folder(plan: &Plan, ruleset: &Ruleset, release: &Release) -> PathBuf {
    let name = || format!("linux-{}-{}", ruleset.library.name, release.version);
    plan.out.clone().unwrap_or_else(|| PathBuf::from(name()))
}

fn record(
    plan: &Plan,
    ruleset: &Ruleset,
    profile: &Profile,
    release: &Release,
    tree: &KernelTree,
) -> Result<Record> {
    let mut record = Record::new();
    record.library = ruleset.library.name.clone();
    record.profile = profile.name.clone();
    record.ruleset = ruleset.digest.clone();
    record.release.insert("name".into(), release.name.clone());
    record.release.insert("version".into(), release.version.to_string());
    record.source = source(plan, ruleset, &release.origin);
    let proof = tree.proof.unwrap_or_default();
    let figures = [
        ("conditions", proof.conditions),
        ("facts", proof.facts),
        ("files", proof.files),
        ("proved", proof.proved),
    ];
    record.proof = figures.map(|(name, figure)| (name.to_owned(), figure)).into();
    for (path, file) in &tree.files {
        let fired = fired(file);
        for (rule, count) in &fired {
            *record.rules.entry(rule.clone()).or_default() += count;
        }
        let entry = FileRecord {
            rules: fired,
            sha256: sha256(file.text.bytes()),
            upstream: file.upstream.as_ref().map(|path| below_top(ruleset, path.as_str())),
        };
        record.files.insert(path.as_str().to_owned(), entry);
    }
    Ok(record)
}

/// The path of a library file in the whole release.
fn below_top(ruleset: &Ruleset, path: &str) -> String {
    format!("{}/{path}", ruleset.library.root)
}

fn fired(file: &OutputFile) -> BTreeMap<String, usize> {
    file.fired().into_iter().map(|(rule, count)| (rule.as_str().to_owned(), count)).collect()
}

/// What leads anyone to the same bytes; paths of this machine would not.
fn source(plan: &Plan, ruleset: &Ruleset, origin: &Origin) -> BTreeMap<String, String> {
    let url = match &plan.sources.upstream {
        None => Some(&ruleset.library.url),
        Some(Location::Url(url)) => Some(url),
        Some(_) => None,
    };
    let reason = match (&plan.sources.upstream, origin) {
        (Some(_), _) => "it was asked for",
        (None, Origin::Package { .. }) => "the upstream repository could not be used",
        (None, _) => "it is the upstream repository",
    };
    let known: Vec<(&str, Option<&str>)> = match origin {
        Origin::Git { source, commit, tree, tag } => vec![
            ("kind", Some("git")),
            ("commit", Some(commit)),
            ("tree", Some(tree)),
            ("tag", tag.as_deref()),
            ("url", url.map(|_| source.as_str())),
        ],
        Origin::Folder { .. } => vec![("kind", Some("folder"))],
        Origin::Archive { sha256, .. } => {
            vec![("kind", Some("archive")), ("sha256", Some(sha256))]
        }
        Origin::Package { package, version, checksum } => vec![
            ("kind", Some("package")),
            ("package", Some(package)),
            ("version", Some(version)),
            ("checksum", Some(checksum)),
        ],
    };
    let known = known.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let known = known.chain([("reason", reason)]);
    known.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// What an import did, in figures.
pub(super) fn summary(
    ruleset: &Ruleset,
    profile: &Profile,
    release: &Release,
    tree: &KernelTree,
) -> ImportSummary {
    let derived = tree.files.values().filter(|file| file.template.is_none());
    let lines = |bytes: &[u8]| {
        let rest = bytes.last().is_some_and(|byte| *byte != b'\n');
        memchr::memchr_iter(b'\n', bytes).count() + usize::from(rest)
    };
    let (errors, all) = (tree.findings.errors(), tree.findings.len());
    ImportSummary {
        library: ruleset.library.name.clone(),
        release: release.name.clone(),
        profile: profile.name.clone(),
        source: spoken(&release.origin),
        rules: ruleset.origin.clone(),
        files_from_upstream: derived.clone().count(),
        files_from_templates: tree.files.len() - derived.clone().count(),
        lines_before: derived.map(|file| lines(&file.source.bytes)).sum(),
        lines_after: tree.files.values().map(|file| lines(file.text.bytes())).sum(),
        kinds: kinds(tree),
        conditions_before: tree.conditions.before,
        conditions_after: tree.conditions.after,
        conditions: classes(tree),
        proof: tree.proof.unwrap_or_default(),
        errors,
        warnings: all - errors,
        out: None,
        replaced: false,
        files: tree
            .files
            .iter()
            .map(|(path, file)| FileCount {
                path: path.as_str().to_owned(),
                upstream: file
                    .upstream
                    .as_ref()
                    .filter(|_| file.template.is_none())
                    .map(|path| below_top(ruleset, path.as_str())),
                lines: lines(file.text.bytes()),
                edits: file.text.fired().values().sum(),
            })
            .collect(),
    }
}

/// Where a release came from, in words.
pub(super) fn spoken(origin: &Origin) -> String {
    match origin {
        Origin::Git { source, commit, .. } => format!("git repository {source}, commit {commit}"),
        Origin::Folder { path } => format!("folder {path}"),
        Origin::Archive { path, .. } => format!("archive {path}"),
        Origin::Package { package, version, .. } => format!("package {package} {version}"),
    }
}

fn kinds(tree: &KernelTree) -> Vec<KindCount> {
    let kinds = tree.kinds().into_iter();
    kinds.map(|(kind, (rules, edits))| KindCount { kind, rules, edits }).collect()
}

fn classes(tree: &KernelTree) -> Vec<ClassCount> {
    let classes = tree.conditions.by_class.iter();
    classes
        .map(|(class, names)| ClassCount {
            class: class.to_string(),
            uses: names.values().sum(),
            names: names.keys().cloned().collect(),
        })
        .collect()
}
