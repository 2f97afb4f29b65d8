//! What a Linux tree has changed in its copy of a library.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::paint::Paint;
use super::visible::one_line;

/// Most lines of one hunk that are shown as text.
const MAX_LINES: usize = 80;
/// Most other releases that are named.
const MAX_OTHERS: usize = 3;
/// Widest line of running text.
const WIDTH: usize = 96;

/// What an audit found.
#[derive(Clone, Debug, Serialize)]
pub struct AuditSummary {
    /// Name of the library.
    pub library: String,
    /// The tree as the user named it.
    pub tree: String,
    /// The kernel's version.
    pub kernel: String,
    /// The tree's commit; none for a plain folder.
    pub commit: Option<String>,
    /// The library's version that the tree states.
    pub holds: String,
    /// What it was made from.
    pub base: BaseSummary,
    /// The release that the changes are held against.
    pub against: String,
    /// The profile of that import.
    pub profile: String,
    /// Changes by class.
    pub classes: ClassCounts,
    /// The changes, in order of file and line.
    pub changes: Vec<LocalSummary>,
    /// Files in the library's places that neither release knows.
    pub local_files: Vec<String>,
}

/// The release that a tree was made from.
#[derive(Clone, Debug, Serialize)]
pub struct BaseSummary {
    /// Its name.
    pub release: String,
    /// Where it was read from.
    pub source: String,
    /// The profile whose import is nearest; none where only digests were compared.
    pub profile: Option<String>,
    /// How far the files that come from upstream's are from it; none where only digests were compared.
    pub library: Option<DistanceSummary>,
    /// How far the files that an importer adds of its own are from it; none where the source has none.
    pub importer: Option<DistanceSummary>,
    /// What digests say, where the source has no text of the release.
    pub digests: Option<DigestSummary>,
    /// Other releases, branches and commits of the same number, nearest first.
    pub others: Vec<(String, DistanceSummary)>,
}

/// A tree's files held against the digests of a release.
#[derive(Clone, Debug, Serialize)]
pub struct DigestSummary {
    /// The rule that has the digests.
    pub rule: String,
    /// Files that are as the release's importer wrote them.
    pub unchanged: usize,
    /// Files that are as a known kernel has changed them.
    pub changed: usize,
    /// Files of which only that is known that they were changed.
    pub unknown: usize,
}

/// How far texts are apart.
#[derive(Clone, Debug, Serialize)]
pub struct DistanceSummary {
    /// Hunks, as `diff -u` counts them.
    pub hunks: usize,
    /// Lines that go and come.
    pub lines: usize,
    /// Files that only one has.
    pub files: usize,
}

/// Changes by class.
#[derive(Clone, Debug, Serialize)]
pub struct ClassCounts {
    /// What the import generates covers them.
    pub generated: usize,
    /// The new release has them.
    pub upstreamed: usize,
    /// Still wanted, and they fit.
    pub local: usize,
    /// Neither.
    pub conflict: usize,
}

/// One hunk.
#[derive(Clone, Debug, Serialize)]
pub struct LocalSummary {
    /// Name.
    pub id: String,
    /// The rule that knows it.
    pub rule: Option<String>,
    /// What it is, as the rule says.
    pub what: Option<String>,
    /// First kernel that has it.
    pub kernel: Option<String>,
    /// The kernel's commit.
    pub commit: Option<String>,
    /// File.
    pub file: String,
    /// First line in the tree, from 1.
    pub first_line: usize,
    /// Last line in the tree; before the first where lines only go.
    pub last_line: usize,
    /// `generated`, `upstreamed`, `local` or `conflict`.
    pub class: &'static str,
    /// Why.
    pub reason: String,
    /// `kept`, `dropped` or `open`.
    pub fate: &'static str,
    /// Who decided, where that doesn't follow from the class.
    pub decided: Option<String>,
    /// The hunk in unified form, without header.
    pub text: String,
}

/// Draws an audit: an overview, then each change with its text.
pub(super) fn audit(found: &AuditSummary, paint: Paint) -> String {
    let mut out = String::new();
    let title = format!("{} {} in Linux {}", found.library, found.holds, found.kernel);
    let _ = writeln!(out, "{}", paint.bold(&one_line(&title)));
    let commit = found.commit.as_ref().map_or(String::new(), |id| format!(", commit {id:.12}"));
    row(&mut out, "tree", &format!("{}{commit}", found.tree));
    base(&mut out, &found.base);
    row(&mut out, "against", &format!("{}, profile {}", found.against, found.profile));
    row(&mut out, "changes", &counts(&found.classes));
    for (number, file) in found.local_files.iter().enumerate() {
        row(&mut out, if number == 0 { "kept files" } else { "" }, file);
    }
    for group in groups(&found.changes) {
        change(&mut out, &group, paint);
    }
    out
}

fn row(out: &mut String, name: &str, text: &str) {
    // Writing to a string can't fail.
    let _ = writeln!(out, "  {name:<11} {}", one_line(text));
}

fn base(out: &mut String, base: &BaseSummary) {
    let profile = base.profile.as_ref().map_or(String::new(), |name| format!(", profile {name}"));
    row(out, "made from", &format!("{} of {}{profile}", base.release, base.source));
    if let Some(digests) = &base.digests {
        by_digests(out, digests);
    }
    let Some(library) = &base.library else { return };
    let in_library = spoken(library);
    match &base.importer {
        Some(importer) => {
            let hunks = plural(library.hunks + importer.hunks, "hunk");
            row(out, "difference", &format!("{hunks} in all"));
            row(out, "", &format!("{in_library} in what comes from upstream's library"));
            row(out, "", &format!("{} in what an importer adds of its own", spoken(importer)));
        }
        None => {
            row(out, "difference", &format!("{in_library} in what comes from upstream's library"));
            row(out, "", "what an importer adds of its own is not known from there");
        }
    }
    for (number, (name, distance)) in base.others.iter().take(MAX_OTHERS).enumerate() {
        let label = if number == 0 { "farther" } else { "" };
        row(out, label, &format!("{name}: {}", spoken(distance)));
    }
}

/// What digests can say, and that it is not the text that was compared.
fn by_digests(out: &mut String, digests: &DigestSummary) {
    let DigestSummary { unchanged, changed, unknown, .. } = digests;
    row(out, "difference", "only digests were compared: the release's text is not at hand");
    row(out, "", &format!("{}: as imported", plural(*unchanged, "file")));
    row(out, "", &format!("{}: as a known kernel has changed it", plural(*changed, "file")));
    row(out, "", &format!("{}: changed, and nothing tells how", plural(*unknown, "file")));
}

fn spoken(distance: &DistanceSummary) -> String {
    let DistanceSummary { hunks, lines, files } = *distance;
    let mut text = format!("{} ({})", plural(hunks, "hunk"), plural(lines, "line"));
    if files > 0 {
        let _ = write!(text, " and {} missing", plural(files, "file"));
    }
    text
}

fn plural(count: usize, word: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {word}{s}")
}

fn counts(classes: &ClassCounts) -> String {
    let ClassCounts { generated, upstreamed, local, conflict } = classes;
    format!("{generated} generated, {upstreamed} upstreamed, {local} local, {conflict} in conflict")
}

/// Changes of one name, class and reason together; what needs somebody first, what needs nobody last.
fn groups(changes: &[LocalSummary]) -> Vec<Vec<&LocalSummary>> {
    let (mut groups, mut known) = (Vec::<Vec<&LocalSummary>>::new(), BTreeMap::new());
    for change in changes {
        let key = (&change.id, change.class, &change.reason);
        let at = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(change),
            None => groups.push(vec![change]),
        }
    }
    let rank = |class| ["conflict", "local", "upstreamed"].iter().position(|known| *known == class);
    groups.sort_by_key(|group| rank(group[0].class).unwrap_or(usize::MAX));
    groups
}

fn change(out: &mut String, group: &[&LocalSummary], paint: Paint) {
    let Some(first) = group.first() else { return };
    let _ = writeln!(out, "\n{} {}, {}", paint.bold(&one_line(&first.id)), first.class, first.fate);
    let since = first.kernel.as_ref().map(|kernel| format!("in kernels since {kernel}"));
    let commit = first.commit.as_ref().map(|commit| format!("commit {commit}"));
    let history: Vec<String> = since.into_iter().chain(commit).collect();
    let texts = [first.what.clone(), Some(history.join(", ")), Some(first.reason.clone())];
    for text in texts.into_iter().chain([first.decided.clone()]).flatten() {
        paragraph(out, &text);
    }
    for change in group {
        let place = format!("{}:{}", change.file, range(change));
        let _ = writeln!(out, "  {}", paint.bold(&one_line(&place)));
        hunk(out, &change.text, paint);
    }
}

fn range(change: &LocalSummary) -> String {
    match change.first_line < change.last_line {
        true => format!("{}-{}", change.first_line, change.last_line),
        false => change.last_line.to_string(),
    }
}

fn hunk(out: &mut String, text: &str, paint: Paint) {
    let all = text.lines().count();
    for line in text.lines().take(MAX_LINES) {
        let shown = one_line(line);
        let shown = match line.starts_with(' ') {
            true => paint.dim(&shown),
            false => shown.into_owned(),
        };
        let _ = writeln!(out, "    {}", shown.trim_end());
    }
    if all > MAX_LINES {
        let _ = writeln!(
            out,
            "    ... and {} more; --format json has them",
            plural(all - MAX_LINES, "line")
        );
    }
}

/// Wraps running text.
fn paragraph(out: &mut String, text: &str) {
    let mut line = String::new();
    for word in one_line(text).split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() + 3 > WIDTH {
            let _ = writeln!(out, "  {line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        let _ = writeln!(out, "  {line}");
    }
}
