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
    let mut physical = json!({
        "artifactLocation": artifact(&place.path, place.upstream),
        "region": region(&place.region),
    });
    let Region { line, end_line, .. } = place.region;
    if line == end_line && is_whole(&place.source) {
        let marked = marked(place);
        // The context has to hold more than the place.
        if marked.len() < place.source.len() {
            let context = json!({ "startLine": line, "snippet": { "text": place.source } });
            physical["contextRegion"] = context;
        }
        physical["region"]["snippet"] = json!({ "text": marked });
    }
    let mut location = json!({ "physicalLocation": physical });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::record::tests::{HOSTILE, hostile, range, sample};

    fn run(record: &Record) -> Value {
        let text = sarif(record);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'));
        let log: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
        log["runs"][0].clone()
    }

    #[test]
    fn a_result_has_all_that_a_finding_has() {
        let run = run(&sample());
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 4);
        let call = &results[0];
        assert_eq!((&call["ruleId"], &call["level"]), (&json!("libc-call"), &json!("error")));
        let text = "`libc-call` is wrong.\nAt the place shown: called here.\nTo do: do otherwise.";
        assert_eq!(call["message"]["text"], text);
        let at = &call["locations"][0]["physicalLocation"];
        let file = json!({ "uri": "lib/a.c", "uriBaseId": "SRCROOT" });
        assert_eq!(at["artifactLocation"], file);
        let region = json!({
            "startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 11,
            "snippet": { "text": "memset" },
        });
        assert_eq!(at["region"], region);
        let line = json!({ "startLine": 3, "snippet": { "text": "    memset(p, 0, 1);" } });
        assert_eq!(at["contextRegion"], line);
        let related = call["relatedLocations"].as_array().unwrap();
        assert_eq!(related.len(), 2);
        assert_eq!(related[0]["message"]["text"], "declared here");
        let rule = &related[1]["physicalLocation"]["artifactLocation"];
        assert_eq!(*rule, json!({ "uri": "rules/zstd/calls/libc.toml", "uriBaseId": "RULES" }));
        let change = &call["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["artifactLocation"], file);
        assert_eq!(change["replacements"][0]["insertedContent"]["text"], "X_memset");
        assert_eq!(change["replacements"][0]["deletedRegion"]["endColumn"], 11);
        assert_eq!(call["partialFingerprints"]["primaryLocationLineHash"], "aa11");
        assert_eq!(results[2]["level"], "warning");
    }

    #[test]
    fn results_point_at_their_rules() {
        let mut record = sample();
        record.commits[0].findings[2].code = "from-the-future".into();
        let run = run(&record);
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        for result in run["results"].as_array().unwrap() {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
        }
        let call = rules.iter().find(|rule| rule["id"] == "libc-call").unwrap();
        assert_eq!(call["name"], "LibcCall");
        assert_eq!(call["shortDescription"]["text"], "A function of the C library is called.");
        // What a check never says is not among them.
        assert!(!rules.iter().any(|rule| rule["id"] == "rule-toml"));
    }

    #[test]
    fn a_baseline_shows_in_states() {
        let run = run(&sample());
        let state = |at: usize| run["results"][at]["baselineState"].as_str().unwrap().to_owned();
        assert_eq!((state(0), state(1)), ("new".into(), "unchanged".into()));
        assert_eq!(run["results"][1]["suppressions"][0]["status"], "accepted");
        assert!(run["results"][0].get("suppressions").is_none());
        let said = &run["invocations"][0]["toolExecutionNotifications"];
        let gone = "Entries of the baseline that no finding has any more: 1.";
        assert_eq!(said[1]["message"]["text"], gone);
        let mut without = sample();
        without.baseline = None;
        assert!(super::tests::run(&without)["results"][0].get("baselineState").is_none());
    }

    #[test]
    fn a_range_gives_what_stands_at_its_end() {
        let run = run(&range());
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["ruleId"], "unfit-name");
        assert_eq!(results[0]["properties"]["commit"], "v1.5.6-2 (000000000000)");
        let control = &run["versionControlProvenance"][0];
        assert_eq!(control["repositoryUri"], "https://example.org/zstd");
        assert_eq!(control["revisionId"], format!("{:040x}", 0xabc_def3));
        let said = &run["invocations"][0]["toolExecutionNotifications"][1]["message"]["text"];
        assert_eq!(said, "Findings that came and went within the range, left out here: 1.");
    }

    #[test]
    fn paths_are_relative_uris() {
        assert_eq!(relative("lib/a b#?.c"), "lib/a%20b%23%3F.c");
        assert_eq!(relative("a:b/ü%.h"), "a%3Ab/%C3%BC%25.h");
        assert_eq!(relative("/home/u/../rules\\x.toml"), "home/u/rules/x.toml");
        assert_eq!(relative(".."), ".");
    }

    #[test]
    fn hostile_text_stays_text() {
        let run = run(&hostile());
        let call = &run["results"][0];
        assert!(!call["message"]["text"].as_str().unwrap().contains("]("));
        let uri = call["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str();
        let uri = uri.unwrap();
        assert!(uri.starts_with("lib/%C3%BC%3A%25/%5D%5D%3E%3Cx%20a") && uri.is_ascii(), "{uri}");
        // What is to be put in is put in as it is.
        let change = &call["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["replacements"][0]["insertedContent"]["text"], HOSTILE);
        assert!(run.get("versionControlProvenance").is_none());
    }

    #[test]
    fn code_scanning_gets_what_it_takes() {
        let mut record = sample();
        let findings = &mut record.commits[0].findings;
        findings[3].places.clear();
        let mut many = findings[0].clone();
        many.places = vec![many.places[0].clone(); 2000];
        let warning = findings[2].clone();
        findings.push(many);
        findings.splice(0..0, std::iter::repeat_n(warning, MAX_RESULTS));
        let run = run(&record);
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), MAX_RESULTS);
        assert!(results[..4].iter().all(|result| result["level"] == "error"));
        assert_eq!(results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], ".");
        assert_eq!(results[3]["relatedLocations"].as_array().unwrap().len(), MAX_RELATED);
    }
}
