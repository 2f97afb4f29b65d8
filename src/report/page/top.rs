//! What stands above the files: what the import is, what was found, what changed.

use std::collections::BTreeMap;

use minijinja::{Value, context};

use super::Review;
use super::changes::{cause, status, what};
use super::text::anchor;
use crate::compare::{
    ApiChange, CallerSummary, Cause, Class, CommitSummary, Comparison, Side, What,
};
use crate::finding::{Finding, Findings};
use crate::report::audit::{AuditSummary, ClassCounts, LocalSummary};
use crate::report::excerpt::excerpts;
use crate::report::summary::{ImportSummary, KindCount, grouped, plural};

/// Most findings that are listed.
const MAX_FINDINGS: usize = 500;

/// What the import is.
pub(super) fn top(review: &Review<'_>) -> Value {
    let sides = review.comparison.map(|found| [side(&found.old), side(&found.new)]);
    context! {
        facts => facts(review),
        kinds => review.import.map(|import| import.kinds.iter().map(kind).collect::<Vec<_>>()),
        proof_words => review.import.map(|import| import.proof.words()),
        proved => review.import.is_some_and(|import| import.proof.proved == import.proof.files),
        verdict => review.verdict.map(|verdict| context! { verified => &verdict.verified, reasons => &verdict.reasons }),
        new => review.comparison.map(|found| found.new.name.as_str()),
        sides,
    }
}

fn kind(kind: &KindCount) -> Value {
    context! { kind => &kind.kind, rules => grouped(kind.rules), edits => grouped(kind.edits) }
}

fn facts(review: &Review<'_>) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut say = |name: &str, text: String| facts.push((name.to_owned(), text));
    if let Some(import) = review.import {
        // Of a comparison the table of both sides has these.
        if review.comparison.is_none() {
            say("Release", format!("{} {}", import.library, import.release));
            say("Source", import.source.clone());
            say("Profile", import.profile.clone());
        }
        say("Rules", import.rules.clone());
        say("Files", files(import));
        let lines = (grouped(import.lines_after), grouped(import.lines_before));
        say("Lines", format!("{}, from {} upstream", lines.0, lines.1));
        let (after, before) = (import.conditions_after, import.conditions_before);
        say("Conditions", format!("{} stay, of {} upstream", grouped(after), grouped(before)));
        say("Tool", concat!("kernelize ", env!("CARGO_PKG_VERSION")).to_owned());
    }
    facts.extend(review.facts.iter().cloned());
    facts
}

fn files(import: &ImportSummary) -> String {
    let (upstream, templates) = (import.files_from_upstream, import.files_from_templates);
    format!("{}: {upstream} from upstream, {templates} from templates", upstream + templates)
}

fn side(side: &Side) -> Value {
    let Side { name, source, release, profile, rules, .. } = side;
    context! { name, source, release, profile, rules }
}

/// What was found.
pub(super) fn findings(findings: &Findings) -> Value {
    let all = findings.clone().sorted();
    let errors = findings.errors();
    let warnings = all.len().saturating_sub(errors);
    let words = match (errors, warnings) {
        (0, 0) => "None: nothing was found that must not be.".to_owned(),
        (errors, 0) => plural(errors, "error"),
        (0, warnings) => plural(warnings, "warning"),
        (errors, warnings) => {
            format!("{}, {}", plural(errors, "error"), plural(warnings, "warning"))
        }
    };
    let more = all.len().saturating_sub(MAX_FINDINGS);
    let list: Vec<Value> = all.iter().take(MAX_FINDINGS).map(finding).collect();
    context! { words, list, more, errors }
}

fn finding(finding: &Finding) -> Value {
    let places = finding.labels.iter().map(|label| {
        let at = label.position();
        let place = format!("{}:{}:{}", label.source.name, at.line, at.column);
        let excerpt = excerpts(std::slice::from_ref(label)).into_iter().next();
        let source = excerpt.map(|excerpt| excerpt.text.trim_end().to_owned());
        context! { place, text => &label.text, source }
    });
    context! {
        code => finding.code,
        severity => finding.severity.to_string(),
        message => &finding.message,
        hint => &finding.hint,
        places => places.collect::<Vec<_>>(),
    }
}

/// What a tree has changed, what needs somebody first.
pub(super) fn local(audit: &AuditSummary) -> Value {
    let mut changes: Vec<&LocalSummary> = audit.changes.iter().collect();
    let rank = |class| ["conflict", "local", "upstreamed"].iter().position(|known| *known == class);
    changes.sort_by_key(|change| rank(change.class).unwrap_or(usize::MAX));
    let changes = changes.into_iter().map(|change| {
        let lines: Vec<Value> = change.text.lines().map(line).collect();
        let LocalSummary { id, what, kernel, commit, file, last_line, class, .. } = change;
        let LocalSummary { reason, fate, decided, .. } = change;
        let (class, fate) = (*class, *fate);
        context! { id, what, kernel, commit, file, last_line, class, reason, fate, decided, lines }
    });
    context! {
        tree => &audit.tree, kernel => &audit.kernel, commit => &audit.commit, holds => &audit.holds,
        against => &audit.against, local_files => &audit.local_files,
        base => context! { release => &audit.base.release, source => &audit.base.source },
        classes => classes(&audit.classes),
        changes => changes.collect::<Vec<_>>(),
    }
}

fn classes(counts: &ClassCounts) -> Value {
    let ClassCounts { generated, upstreamed, local, conflict } = counts;
    context! { generated, upstreamed, local, conflict }
}

fn line(line: &str) -> Value {
    let class = match line.as_bytes().first() {
        Some(b'+') => "add",
        Some(b'-') => "del",
        _ => "",
    };
    context! { class, text => line }
}

/// What changed for callers.
pub(super) fn callers(found: &Comparison) -> Value {
    let mut headers: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for change in &found.api {
        headers.entry(&change.header).or_default().push(api(change));
    }
    let headers = headers.into_iter().map(|(name, changes)| context! { name, changes });
    context! {
        headers => headers.collect::<Vec<_>>(),
        count => found.api.len(),
        breaking => found.api.iter().filter(|change| !fits(change)).count(),
        tree => found.callers.as_ref().map(tree),
    }
}

fn tree(callers: &CallerSummary) -> Value {
    let CallerSummary { files, affected, findings } = callers;
    context! { files, affected, findings }
}

/// Whether callers that know the old one find all of it in the new one.
fn fits(change: &ApiChange) -> bool {
    change.compatible || change.what == What::Added
}

fn api(change: &ApiChange) -> Value {
    context! {
        what => what(change.what),
        fits => fits(change),
        name => &change.name, kind => change.kind, old => &change.old, new => &change.new,
        members => &change.members, users => &change.users,
    }
}

/// What the code change is.
pub(super) fn code(found: &Comparison) -> Value {
    let code = &found.code;
    let statuses = code.files.iter().map(|(one, count)| format!("{count} {}", status(*one)));
    let classes = code.classes.iter().map(|(class, count)| format!("{count} {}", words(*class)));
    let functions =
        code.functions.iter().map(|(one, count)| context! { what => what(*one), count });
    let lines = [
        ("All", code.lines.all),
        ("Code", code.lines.code),
        ("Moved code", code.lines.moved),
        ("Comments", code.lines.comments),
        ("Licence text", code.lines.licence),
        ("Blank", code.lines.blank),
    ];
    let lines = lines.map(|(name, [came, went])| context! { name, came, went });
    let files = found.files.iter().map(|file| {
        let [came, went] = file.lines.all;
        let functions = file.functions.len();
        let class = Some(file.class).filter(|class| *class != Class::Code).map(words);
        context! {
            path => &file.path, id => anchor(&file.path), status => status(file.status), class, came, went,
            functions, commits => file.commits.len(), shown => !file.hunks.is_empty(),
        }
    });
    context! {
        statuses => statuses.collect::<Vec<_>>().join(", "),
        classes => classes.collect::<Vec<_>>().join(", "),
        functions => functions.collect::<Vec<_>>(),
        lines => lines.to_vec(),
        files => files.collect::<Vec<_>>(),
    }
}

fn words(class: Class) -> &'static str {
    match class {
        Class::Code => "in code",
        Class::Comments => "in comments only",
        Class::Licence => "in licence text only",
        Class::Blanks => "in blanks only",
    }
}

/// Where the changes come from.
pub(super) fn causes(found: &Comparison) -> Value {
    let lines = |one: &Cause| found.causes.as_ref().and_then(|all| all.get(one));
    let total: usize =
        Cause::ALL.iter().filter_map(lines).map(|count| count.added + count.deleted).sum();
    let mut x = 0;
    let rows = Cause::ALL.iter().filter_map(|one| {
        let count = lines(one)?;
        let share = (count.added + count.deleted) * 1000 / total.max(1);
        let row = context! {
            name => cause(*one), about => about(*one), changes => &count.changes,
            added => &count.added, deleted => &count.deleted, share, x,
        };
        x += share;
        Some(row)
    });
    let rows: Vec<Value> = rows.collect();
    context! {
        known => found.causes.is_some(),
        rows => rows,
        commits => found.commits.as_ref().map(commits),
    }
}

fn commits(commits: &CommitSummary) -> Value {
    let CommitSummary { total, in_library, touching, changing, undecided, alone, .. } = commits;
    context! { total, in_library, touching, changing, undecided, alone }
}

fn about(cause: Cause) -> &'static str {
    match cause {
        Cause::Upstream => "with the old rules it would be there as well",
        Cause::Rules => "with the old release it would be there as well",
        Cause::Template => "the same of a file that a template makes",
        Cause::Both => "release and rules together: neither alone does it",
        Cause::Local => "no import has it",
    }
}
