//! Each rule's fixture: what it changes, and what it must leave alone.
//!
//! `fixtures/LIBRARY/KIND/ID` holds `in.c` and what comes of it: `out.c`, or `findings.txt` with a
//! line `LINE:COLUMN CODE` for each finding, or both. A files rule has `in.txt`, upstream's paths,
//! and `out.txt`, where each goes, with the text of a template that stands for none. An api rule has
//! `in.h`, a header of upstream's, and `out.h` and, for a function, `out.c`: what the kernel's header
//! and module get for it. A local rule has a release's text in `in.c`, a tree's in `out.c`, and
//! `names.txt` with a line `LINE RULE` for each hunk, `-` for one that no rule speaks of. A bases rule has
//! lines `PATH SHA256` in `in.txt`, and what it knows of each such file in `out.txt`. `args` may
//! name what differs from the default: `--release V`, `--profile P`, `--path P` (the file's path below
//! the library's folder, or in the tree). Of an allowed or forbidden rule `findings.txt` has what `check`
//! finds with it. A folder `release` holds other files of the release that
//! the rule depends on.

// A test fails by panicking, its helpers too.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kernelize::edit::RuleRef;
use kernelize::finding::Findings;
use kernelize::kernel::target::Target;
use kernelize::linux::digests::{Known, known};
use kernelize::linux::named::names;
use kernelize::memo::Memo;
use kernelize::pipeline::{Input, KernelTree, import};
use kernelize::rules::{IncludeTarget, MacroState, Ruleset, Version, check, load};
use kernelize::text::TreePath;

/// Where `in.c` lies unless `args` says otherwise.
const PATH: &str = "compress/in.c";

struct Fixture {
    folder: PathBuf,
    rule: RuleRef,
    version: Version,
    profile: String,
    path: TreePath,
}

impl Fixture {
    /// The rule's file, below the ruleset.
    fn file(&self) -> String {
        format!("{}.toml", self.rule)
    }
}

#[test]
fn fixtures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    let mut count = 0;
    for library in folders(&root.join("rules")) {
        let ruleset = load(Some(&library)).unwrap();
        for kind in folders(&root.join("fixtures").join(library.file_name().unwrap())) {
            for folder in folders(&kind) {
                count += 1;
                if let Err(what) = try_one(&ruleset, &folder) {
                    wrong.push(format!("{}: {what}", folder.strip_prefix(root).unwrap().display()));
                }
            }
        }
    }
    assert!(count > 0, "no fixtures found");
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_rulesets_pass_their_own_check() {
    for library in folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")) {
        let (_, findings) = check(Some(&library)).unwrap();
        let said: Vec<String> = findings.sorted().into_iter().map(|f| f.message).collect();
        assert!(said.is_empty(), "{}", said.join("\n"));
    }
}

fn folders(below: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(below).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn try_one(ruleset: &Ruleset, folder: &Path) -> Result<(), String> {
    let fixture = fixture(ruleset, folder)?;
    match fixture.rule.kind() {
        "local" => local(ruleset, &fixture),
        "bases" => base(ruleset, &fixture),
        "allowed" | "forbidden" => list(ruleset, &fixture),
        _ if folder.join("in.txt").exists() => files(ruleset, &fixture),
        _ if folder.join("in.h").exists() => interface(ruleset, &fixture),
        _ => text(ruleset, &fixture),
    }
}

fn fixture(ruleset: &Ruleset, folder: &Path) -> Result<Fixture, String> {
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut fixture = Fixture {
        folder: folder.to_owned(),
        rule: RuleRef::new(&name(folder.parent().unwrap()), &name(folder)),
        version: ruleset.library.packages.last().map(|p| p.release).unwrap_or_default(),
        profile: ruleset.library.profiles[0].name.clone(),
        path: TreePath::new(PATH).unwrap(),
    };
    let args = fs::read_to_string(folder.join("args")).unwrap_or_default();
    let words: Vec<&str> = args.split_whitespace().collect();
    for pair in words.chunks(2) {
        match pair {
            ["--release", version] => fixture.version = version.parse()?,
            ["--profile", profile] => fixture.profile = (*profile).to_owned(),
            ["--path", path] => fixture.path = TreePath::new(path).ok_or("wrong path")?,
            other => return Err(format!("args: {other:?} is not understood")),
        }
    }
    Ok(fixture)
}

fn run(ruleset: &Ruleset, fixture: &Fixture, files: &BTreeMap<TreePath, Arc<[u8]>>) -> KernelTree {
    let target = Target::of_version(&ruleset.library, None);
    let input = Input { version: fixture.version, exact: false, files, target: &target };
    import(input, ruleset, ruleset.profile(&fixture.profile).unwrap()).unwrap()
}

fn files(ruleset: &Ruleset, fixture: &Fixture) -> Result<(), String> {
    let paths = fs::read_to_string(fixture.folder.join("in.txt")).unwrap();
    let wanted = fs::read_to_string(fixture.folder.join("out.txt")).unwrap();
    let files =
        paths.lines().map(|line| (TreePath::new(line).unwrap(), Arc::from(&b"int a;\n"[..])));
    let tree = run(ruleset, fixture, &files.collect());
    let mut out = String::new();
    for path in paths.lines() {
        let from = |file: &kernelize::pipeline::OutputFile| {
            file.upstream.as_ref().is_some_and(|upstream| upstream.as_str() == path)
        };
        out += &match tree.files.iter().find(|(_, file)| from(file)) {
            None => format!("{path} -> left out\n"),
            Some((place, file)) if file.template.is_some() => {
                format!("{path} -> {place} (template)\n")
            }
            Some((place, _)) => format!("{path} -> {place}\n"),
        };
    }
    // A template that stands for no upstream file is shown itself.
    let own = |file: &&kernelize::pipeline::OutputFile| {
        file.template.as_ref() == Some(&fixture.rule) && file.upstream.is_none()
    };
    if let Some((place, file)) = tree.files.iter().find(|(_, file)| own(file)) {
        let text = String::from_utf8_lossy(file.text.bytes());
        out += &format!("{place} (template)\n{text}");
    }
    same("out.txt", &out, &wanted)?;
    has_matched(fixture, &tree)
}

/// What an api rule makes of the library's main header.
fn interface(ruleset: &Ruleset, fixture: &Fixture) -> Result<(), String> {
    let library = &ruleset.library;
    let path = library.version_file.trim_start_matches(&format!("{}/", library.root));
    let bytes = fs::read(fixture.folder.join("in.h")).unwrap();
    let files = BTreeMap::from([(TreePath::new(path).unwrap(), Arc::from(bytes))]);
    let tree = run(ruleset, fixture, &files);
    let mut said = tree.findings.iter().filter(|finding| {
        let own = |label: &kernelize::finding::Label| label.source.name.contains(&fixture.file());
        finding.labels.iter().any(own)
    });
    if let Some(finding) = said.next() {
        let says: Vec<&str> = finding.labels.iter().map(|label| label.text.as_str()).collect();
        return Err(format!("{}: {}: {}", finding.code, finding.message, says.join("; ")));
    }
    has_matched(fixture, &tree)?;
    let (mut header, mut module) = (String::new(), String::new());
    if let Some(made) = tree.api.types.values().find(|made| made.rule == fixture.rule) {
        header = format!("{}\n{}\n", made.doc, made.declaration);
    }
    if let Some(made) = tree.api.functions.values().find(|made| made.rule == fixture.rule) {
        header = format!("{}\n{}\n", made.doc, made.prototype);
        module.clone_from(&made.definition);
    }
    for (name, found) in [("out.h", &header), ("out.c", &module)] {
        let wanted = fs::read_to_string(fixture.folder.join(name)).unwrap_or_default();
        same(name, found, &wanted)?;
    }
    Ok(())
}

/// Which of the changes from `in.c` to `out.c` the rule speaks of.
fn local(ruleset: &Ruleset, fixture: &Fixture) -> Result<(), String> {
    let read = |name: &str| fs::read(fixture.folder.join(name)).map_err(|e| format!("{name}: {e}"));
    let (base, tree) = (read("in.c")?, read("out.c")?);
    let Fixture { version, profile, path, rule, .. } = fixture;
    let mut found = String::new();
    for (line, named) in names(ruleset, *version, profile, path, &base, &tree) {
        found += &format!("{line} {}\n", named.as_ref().map_or("-", |name| name.as_str()));
    }
    same("names.txt", &found, &String::from_utf8_lossy(&read("names.txt")?))?;
    match found.contains(rule.as_str()) && found.contains(" -\n") {
        true => Ok(()),
        false => Err("it shows no change that is the rule's, or none that isn't".into()),
    }
}

/// What the rule knows of files by their digests.
fn base(ruleset: &Ruleset, fixture: &Fixture) -> Result<(), String> {
    let read = |name: &str| fs::read_to_string(fixture.folder.join(name)).unwrap_or_default();
    let rule = ruleset.bases.iter().find(|rule| rule.rule.name == fixture.rule).ok_or("no rule")?;
    let mut out = String::new();
    for line in read("in.txt").lines() {
        let (path, sha256) = line.split_once(' ').ok_or("in.txt: PATH SHA256 is wanted")?;
        let said = match known(rule, &TreePath::new(path).ok_or("wrong path")?, sha256) {
            None => "not the release's".to_owned(),
            Some(Known::Unchanged) => "unchanged".to_owned(),
            Some(Known::Changed(file)) => format!("{} in {}", file.local.join(", "), file.kernel),
            Some(Known::Unknown) => "unknown".to_owned(),
        };
        out += &format!("{path} -> {said}\n");
    }
    same("out.txt", &out, &read("out.txt"))?;
    let mut missing = ["unchanged", "unknown", "not the release's", " in "].into_iter();
    missing
        .find(|what| !out.contains(what))
        .map_or(Ok(()), |what| Err(format!("it shows no {what}")))
}

/// What the check finds, which without the rule is something else.
fn list(ruleset: &Ruleset, fixture: &Fixture) -> Result<(), String> {
    let bytes = fs::read(fixture.folder.join("in.c")).map_err(|e| format!("in.c: {e}"))?;
    let files = release(ruleset, fixture, &bytes);
    let target = Target::of_version(&ruleset.library, None);
    let input = Input { version: fixture.version, exact: false, files: &files, target: &target };
    let found = |ruleset: &Ruleset| {
        let profile = ruleset.profile(&fixture.profile).unwrap();
        let checked = kernelize::check::check(input, ruleset, profile, &Memo::default()).unwrap();
        said(ruleset, fixture, &checked.findings)
    };
    let with = found(ruleset);
    let listed = fs::read_to_string(fixture.folder.join("findings.txt")).unwrap_or_default();
    same("findings.txt", &with, &listed)?;
    let mut others = ruleset.clone();
    others.lists.retain(|rule| rule.rule.name != fixture.rule);
    match found(&others) == with {
        true => Err("without the rule the findings are the same".into()),
        false => Ok(()),
    }
}

fn text(ruleset: &Ruleset, fixture: &Fixture) -> Result<(), String> {
    let bytes = fs::read(fixture.folder.join("in.c")).map_err(|e| format!("in.c: {e}"))?;
    let tree = run(ruleset, fixture, &release(ruleset, fixture, &bytes));
    let (out, findings) = outcome(ruleset, fixture, &tree);
    let listed = fs::read_to_string(fixture.folder.join("findings.txt")).unwrap_or_default();
    same("findings.txt", &findings, &listed)?;
    let wanted = match fs::read(fixture.folder.join("out.c")) {
        Ok(wanted) => wanted,
        Err(_) if !listed.is_empty() => return Ok(()),
        Err(error) => return Err(format!("out.c: {error}")),
    };
    same("out.c", &String::from_utf8_lossy(&out), &String::from_utf8_lossy(&wanted))?;
    has_matched(fixture, &tree)?;
    if edits(ruleset, fixture) && !fired(fixture, &tree) {
        return Err("the rule changed nothing itself".into());
    }
    let again = run(ruleset, fixture, &release(ruleset, fixture, &wanted));
    let (twice, _) = outcome(ruleset, fixture, &again);
    same(
        "out.c, imported again,",
        &String::from_utf8_lossy(&twice),
        &String::from_utf8_lossy(&wanted),
    )
}

/// The file, what lies in the fixture's `release` folder, and an empty file for each that an include
/// may name.
fn release(ruleset: &Ruleset, fixture: &Fixture, bytes: &[u8]) -> BTreeMap<TreePath, Arc<[u8]>> {
    // Headers that a release has in one of two places are named by two rules, of which one is due.
    let due = |rule: &kernelize::rules::Rule| {
        rule.applies(fixture.version, &fixture.profile) && !rule.expect.holds(0, fixture.version)
    };
    let named = ruleset.includes.iter().filter(|include| due(&include.rule));
    let mut files: BTreeMap<TreePath, Arc<[u8]>> = named
        .filter_map(|include| match &include.from {
            IncludeTarget::File(path) => Some((TreePath::new(path)?, Arc::from(&b""[..]))),
            IncludeTarget::System(_) => None,
        })
        .collect();
    let beside = fixture.folder.join("release");
    for entry in walkdir::WalkDir::new(&beside).into_iter().flatten() {
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(&beside).unwrap().to_str().unwrap();
            files.insert(TreePath::new(path).unwrap(), fs::read(entry.path()).unwrap().into());
        }
    }
    files.insert(fixture.path.clone(), bytes.into());
    files
}

/// The file's output and the findings in it.
fn outcome(ruleset: &Ruleset, fixture: &Fixture, tree: &KernelTree) -> (Vec<u8>, String) {
    let of_it =
        |file: &&kernelize::pipeline::OutputFile| file.upstream.as_ref() == Some(&fixture.path);
    let out = tree.files.values().find(of_it).map(|file| file.text.bytes().to_vec());
    (out.unwrap_or_default(), said(ruleset, fixture, &tree.findings))
}

/// The findings in the fixture's file, a line each.
fn said(ruleset: &Ruleset, fixture: &Fixture, all: &Findings) -> String {
    let name = format!("{}/{}", ruleset.library.root, fixture.path);
    let mut findings = String::new();
    // Of the API a part of a release always lacks something.
    let of_release = |code: &str| code.starts_with("api-");
    for finding in all.clone().sorted().into_iter().filter(|f| !of_release(f.code)) {
        if let Some(label) = finding.labels.first().filter(|label| label.source.name == name) {
            let at = label.position();
            findings += &format!("{}:{} {}\n", at.line, at.column, finding.code);
        }
    }
    findings
}

fn has_matched(fixture: &Fixture, tree: &KernelTree) -> Result<(), String> {
    if fixture.rule.kind() == "masks" {
        return Ok(()); // seen by the parser alone, which nothing here calls for
    }
    match tree.matched.get(&fixture.rule) {
        Some(count) if *count > 0 => Ok(()),
        _ => Err("the rule matched nothing".into()),
    }
}

/// Whether the rule is of a kind that edits: a macro left free and a header allowed do not.
fn edits(ruleset: &Ruleset, fixture: &Fixture) -> bool {
    let is = |rule: &kernelize::rules::Rule| rule.name == fixture.rule;
    let free = ruleset.macros.iter().any(|r| is(&r.rule) && r.state == MacroState::Free);
    let allowed = ruleset.includes.iter().any(|r| is(&r.rule) && r.to.is_none());
    let stands = ruleset.calls.iter().any(|r| is(&r.rule) && r.to.is_none());
    !(free || allowed || stands || fixture.rule.kind() == "masks")
}

fn fired(fixture: &Fixture, tree: &KernelTree) -> bool {
    tree.files.values().any(|file| file.text.fired().contains_key(&fixture.rule))
}

fn same(what: &str, found: &str, wanted: &str) -> Result<(), String> {
    if found == wanted {
        return Ok(());
    }
    let diff = similar::TextDiff::from_lines(wanted, found);
    Err(format!("{what} differs (- wanted, + found)\n{}", diff.unified_diff().context_radius(1)))
}
