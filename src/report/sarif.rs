//! SARIF 2.1.0, as code scanning takes it: what stands at the last commit of a record.

use serde_json::{Value, json};

use super::visible::{self, one_line};
use crate::check::record::{Found, FoundFix, Introduced, Place, Record, Region};
use crate::finding::codes::{self, Area, Code};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Most results of a run: code scanning refuses a file with more.
const MAX_RESULTS: usize = 25_000;
/// Most further places of a result, by the same measure.
const MAX_RELATED: usize = 999;
/// What paths in upstream's repository start from.
const UPSTREAM: &str = "SRCROOT";
/// What paths of rules start from.
const RULES: &str = "RULES";

/// The record as a SARIF log. A range gives what stands at its last commit: code scanning knows one
/// state of the code. All of it is in the other formats.
pub fn sarif(record: &Record) -> String {
    let all = record.introduced();
    let (standing, gone): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|introduced| introduced.fixed_by.is_none());
    let (mut standing, gone) = (standing, gone.len());
    // Errors stay where not all can; else the order is that of the record.
    let left_out = standing.len().saturating_sub(MAX_RESULTS);
    if left_out > 0 {
        standing.sort_by_key(|introduced| introduced.found.severity != "error");
        standing.truncate(MAX_RESULTS);
    }
    let rules = rules(&standing);
    let results: Vec<Value> =
        standing.iter().map(|introduced| result(record, introduced, &rules)).collect();
    let descriptors: Vec<Value> = rules.iter().map(descriptor).collect();
    let version = record.tool.rsplit(' ').next().unwrap_or_default();
    let mut run = json!({
        "tool": { "driver": {
            "name": "kernelize",
            "fullName": one_line(&record.tool),
            "version": one_line(version),
            "rules": descriptors,
        }},
        "automationDetails": { "id": format!("kernelize/{}/{}/", word(&record.library), word(&record.profile)) },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            UPSTREAM: { "description": { "text": "The top of the repository of the library." } },
            RULES: { "description": { "text": "Where the rules are." } },
        },
        "invocations": [{
            "executionSuccessful": true,
            "toolExecutionNotifications": notifications(record, gone, left_out),
        }],
        "results": results,
        "properties": { "ruleset": record.ruleset, "profile": one_line(&record.profile) },
    });
    if let Some(provenance) = provenance(record) {
        run["versionControlProvenance"] = json!([provenance]);
    }
    let log = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    // Strings, numbers, lists and maps with strings as keys always have a JSON form.
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    visible::json(text)
}

/// A part of an id.
fn word(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

/// What a check can find, and what was found.
fn rules(standing: &[Introduced<'_>]) -> Vec<Rule> {
    let can = |code: &Code| matches!(code.area, Area::Import | Area::Check | Area::Build);
    let mut rules: Vec<Rule> = codes::all().filter(can).map(Rule::of).collect();
    for Introduced { found, .. } in standing {
        if !rules.iter().any(|rule| rule.id == found.code) {
            rules.push(codes::find(&found.code).map_or_else(|| Rule::unknown(found), Rule::of));
        }
    }
    rules.sort_by(|one, other| one.id.cmp(&other.id));
    rules
}

struct Rule {
    id: String,
    brief: String,
    help: String,
}

impl Rule {
    fn of(code: Code) -> Rule {
        let Code { name, brief, help, .. } = code;
        Rule { id: name.to_owned(), brief: format!("{brief}."), help: help.to_owned() }
    }

    /// Of a program that knows more than this one.
    fn unknown(found: &Found) -> Rule {
        let brief = format!("{}.", found.code);
        Rule { id: found.code.clone(), help: brief.clone(), brief }
    }
}

fn descriptor(rule: &Rule) -> Value {
    // In camel case: some viewers show it as the title.
    let name: String = rule.id.split('-').map(capitalised).collect();
    json!({
        "id": rule.id,
        "name": name,
        "shortDescription": { "text": rule.brief },
        "fullDescription": { "text": format!("{} {}", rule.brief, rule.help) },
        "help": { "text": rule.help, "markdown": rule.help },
        "defaultConfiguration": { "level": "error" },
        "properties": { "tags": ["correctness", "linux-kernel"], "precision": "very-high" },
    })
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}

fn result(record: &Record, introduced: &Introduced<'_>, rules: &[Rule]) -> Value {
    let Introduced { commit, found, .. } = introduced;
    let (first, further) = found.places.split_first().unzip();
    let further = further.unwrap_or_default();
    let related = further.iter().take(MAX_RELATED).enumerate().map(|(id, place)| {
        let mut at = location(place);
        at["id"] = json!(id);
        at
    });
    let mut result = json!({
        "ruleId": found.code,
        "level": if found.severity == "error" { "error" } else { "warning" },
        "message": { "text": message(found) },
        "locations": [first.map_or_else(top, location)],
        "partialFingerprints": {
            "kernelizeFinding/v1": one_line(&found.fingerprint),
            // What code scanning follows an alert by; else it would hash the line.
            "primaryLocationLineHash": one_line(&found.fingerprint),
        },
    });
    if let Ok(index) = rules.binary_search_by(|rule| rule.id.as_str().cmp(&found.code)) {
        result["ruleIndex"] = json!(index);
    }
    let related: Vec<Value> = related.collect();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    if let Some(fix) = &found.fix {
        result["fixes"] = json!([remedy(fix)]);
    }
    if record.baseline.is_some() {
        result["baselineState"] = json!(if found.accepted { "unchanged" } else { "new" });
    }
    if found.accepted {
        result["suppressions"] = json!([{
            "kind": "external",
            "status": "accepted",
            "justification": "The baseline accepts it.",
        }]);
    }
    if record.total > 1 {
        result["properties"] = json!({ "commit": one_line(&commit.shown()) });
    }
    result
}

/// The message, what is said of its place, and what to do.
fn message(found: &Found) -> String {
    let mut text = format!("{}.", plain(&found.message));
    if let Some(place) = found.places.first().filter(|place| !place.text.is_empty()) {
        text.push_str(&format!("\nAt the place shown: {}.", plain(&place.text)));
    }
    if let Some(hint) = &found.hint {
        text.push_str(&format!("\nTo do: {}.", plain(hint)));
    }
    text
}

/// One line in which no viewer sees a link.
fn plain(text: &str) -> String {
    one_line(text).replace("](", "] (")
}

fn location(place: &Place) -> Value {
    let mut region = region(&place.region);
    if region["startLine"] == region["endLine"] && is_whole(&place.source) {
        region["snippet"] = json!({ "text": marked(place) });
    }
    let mut location = json!({ "physicalLocation": {
        "artifactLocation": artifact(&place.path, place.upstream),
        "region": region,
    }});
    if !place.text.is_empty() {
        location["message"] = json!({ "text": plain(&place.text) });
    }
    location
}

/// Where a finding has no place: code scanning takes none without.
fn top() -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": ".", "uriBaseId": UPSTREAM },
        "region": { "startLine": 1 },
    }})
}

/// Whether nothing of the line was left out or made visible.
fn is_whole(line: &str) -> bool {
    let untouched =
        |c: char| c != '…' && c != '\u{fffd}' && !('\u{2400}'..='\u{2421}').contains(&c);
    line.chars().all(untouched) && !line.contains("<U+")
}

/// The text meant, out of its line.
fn marked(place: &Place) -> String {
    let Region { character, end_character, .. } = place.region;
    place.source.chars().skip(character - 1).take(end_character - character).collect()
}

fn region(region: &Region) -> Value {
    json!({
        "startLine": region.line,
        "startColumn": region.character,
        "endLine": region.end_line,
        "endColumn": region.end_character,
    })
}

fn artifact(path: &str, upstream: bool) -> Value {
    let base = if upstream { UPSTREAM } else { RULES };
    json!({ "uri": relative(path), "uriBaseId": base })
}

/// A relative URI of a path. What would lead out of the folder that it starts from is left out.
fn relative(path: &str) -> String {
    let path = path.replace('\\', "/");
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    let parts: Vec<String> = parts.map(encoded).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// Percent-encodes all that has a meaning in a URI, or none.
fn encoded(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~+".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn remedy(fix: &FoundFix) -> Value {
    let replacements = fix.edits.iter().map(|edit| {
        json!({
            "deletedRegion": region(&edit.region),
            "insertedContent": { "text": edit.text },
        })
    });
    json!({
        "description": { "text": format!("{}.", plain(&fix.what)) },
        "artifactChanges": [{
            "artifactLocation": artifact(&fix.path, true),
            "replacements": replacements.collect::<Vec<_>>(),
        }],
    })
}

/// What a reader of the results has to know of the run.
fn notifications(record: &Record, fixed: usize, left_out: usize) -> Vec<Value> {
    let mut texts: Vec<(&str, String)> =
        record.notes.iter().map(|note| ("note", format!("{}.", plain(note)))).collect();
    if fixed > 0 {
        texts.push((
            "note",
            format!("Findings that came and went within the range, left out here: {fixed}."),
        ));
    }
    if left_out > 0 {
        texts.push((
            "warning",
            format!("Findings left out, since a file holds so many: {left_out}."),
        ));
    }
    let gone = record.baseline.as_ref().map_or(0, |baseline| baseline.gone.len());
    if gone > 0 {
        texts.push((
            "note",
            format!("Entries of the baseline that no finding has any more: {gone}."),
        ));
    }
    texts
        .into_iter()
        .map(|(level, text)| json!({ "level": level, "message": { "text": text } }))
        .collect()
}

/// Repository and commit; only a URL can be named.
fn provenance(record: &Record) -> Option<Value> {
    let is_url = record.repository.split_once("://").is_some_and(|(scheme, rest)| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/@%+".contains(&b);
        scheme.bytes().all(|b| b.is_ascii_lowercase()) && rest.bytes().all(plain)
    });
    let id = record.commits.last()?.id.as_ref()?;
    is_url.then(|| {
        json!({
            "repositoryUri": record.repository,
            "revisionId": id,
            "mappedTo": { "uriBaseId": UPSTREAM },
        })
    })
}
