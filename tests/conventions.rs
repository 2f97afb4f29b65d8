//! What must never happen in this code base, each said once (ARCHITECTURE.md gives the reasons).

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Longest file, in lines.
const MAX_LINES: usize = 500;
/// `main.rs` does nothing.
const MAX_MAIN_LINES: usize = 30;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files below `folder`, which need not be there, with their path relative to the project.
fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    if !root().join(folder).exists() {
        return found;
    }
    for entry in walkdir::WalkDir::new(root().join(folder)).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            found.push((path, entry.into_path()));
        }
    }
    found
}

/// A Rust file of the program.
struct RustFile {
    path: String,
    /// All of it but the tests.
    text: String,
    /// The same with comments and the inside of literals blanked.
    code: String,
}

fn sources() -> Vec<RustFile> {
    let mut found = Vec::new();
    for (path, file) in files("src") {
        if !path.ends_with(".rs") || path.ends_with("/tests.rs") || path.contains("/tests/") {
            continue;
        }
        let text = fs::read_to_string(file).unwrap();
        let text = without_tests(&text).to_owned();
        let code = code_only(&text);
        found.push(RustFile { path, text, code });
    }
    assert!(found.len() > 10, "the sources are not where they were");
    found
}

/// A file's tests stand at its end.
fn without_tests(text: &str) -> &str {
    text.find("\n#[cfg(test)]\nmod tests {").map_or(text, |at| &text[..at])
}

/// `text` with a blank for each character of a comment, string or character literal.
fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_end(&chars, at).max(at);
        if end == at {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
        at = end;
    }
    out
}

/// Where the comment or literal that starts at `at` ends; `at` if none does.
fn literal_end(chars: &[char], at: usize) -> usize {
    let next = |n: usize| chars.get(at + n).copied().unwrap_or('\n');
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match (chars[at], next(1)) {
        ('/', '/') => find(chars, at, &['\n']),
        ('/', '*') => block_comment_end(chars, at),
        ('"', _) => quoted_end(chars, at, '"'),
        ('b', '"') if !in_word => quoted_end(chars, at + 1, '"'),
        ('r', '"' | '#') if !in_word => raw_string_end(chars, at, at + 1),
        ('b', 'r') if !in_word && matches!(next(2), '"' | '#') => raw_string_end(chars, at, at + 2),
        // Anything else with a quote is a lifetime.
        ('\'', '\\') => quoted_end(chars, at, '\''),
        ('\'', _) if next(2) == '\'' => at + 3,
        _ => at,
    }
}

fn find(chars: &[char], from: usize, what: &[char]) -> usize {
    chars[from..].windows(what.len()).position(|w| w == what).map_or(chars.len(), |n| from + n)
}

fn block_comment_end(chars: &[char], at: usize) -> usize {
    let (mut depth, mut at) = (0, at);
    while at < chars.len() {
        match chars[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted_end(chars: &[char], open: usize, quote: char) -> usize {
    let mut at = open + 1;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// `at` again where `r#` starts a raw identifier.
fn raw_string_end(chars: &[char], at: usize, hashes: usize) -> usize {
    let count = chars[hashes..].iter().take_while(|&&c| c == '#').count();
    if chars.get(hashes + count) != Some(&'"') {
        return at;
    }
    let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', count)).collect();
    find(chars, hashes + count + 1, &close) + close.len()
}

/// Offsets at which `word` stands in `code` as a word, or as several with `::` between.
fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        !code[..at].ends_with(is_part)
            && (word.ends_with(|c| !is_part(c)) || !code[at + word.len()..].starts_with(is_part))
    })
}

/// Names of files, in which none of `words` may stand unless `allowed` says so, where one does.
fn offenders(wanted: &[&str], allowed: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources().iter().filter(|file| !allowed(&file.path)) {
        for word in wanted {
            if let Some(at) = words(&file.code, word).next() {
                let line = file.code[..at].matches('\n').count() + 1;
                found.push(format!("{}:{line}: {word}", file.path));
            }
        }
    }
    found
}

/// Whether a file belongs to the module `name`.
fn is_in(path: &str, name: &str) -> bool {
    path == format!("src/{name}.rs") || path.starts_with(&format!("src/{name}/"))
}

/// The modules in the order in which `lib.rs` has them.
fn module_order() -> Vec<String> {
    let lib = code_only(&fs::read_to_string(root().join("src/lib.rs")).unwrap());
    let name = |line: &str| Some(line.strip_prefix("pub mod ")?.strip_suffix(';')?.to_owned());
    lib.lines().filter_map(name).collect()
}

/// The modules that a file names by `crate::name` or `crate::{name, ...}`.
fn used_modules(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for at in words(code, "crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let mut depth = 0;
                for part in group.split_inclusive([',', '{', '}']) {
                    if depth == 0 {
                        used.insert(first_word(part));
                    }
                    match part.chars().last() {
                        Some('{') => depth += 1,
                        Some('}') => depth -= 1,
                        _ => {}
                    }
                    if depth < 0 {
                        break;
                    }
                }
            }
            None => {
                used.insert(first_word(rest));
            }
        }
    }
    used.remove("");
    used
}

fn first_word(text: &str) -> String {
    let text = text.trim_start();
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn imports_point_upwards_only() {
    let order = module_order();
    let rank: BTreeMap<&str, usize> =
        order.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let mut wrong = Vec::new();
    for file in sources() {
        let Some(own) = order.iter().position(|name| is_in(&file.path, name)) else {
            assert!(
                ["src/lib.rs", "src/main.rs"].contains(&file.path.as_str()),
                "{} belongs to no module of lib.rs",
                file.path
            );
            continue;
        };
        for used in used_modules(&file.code) {
            match rank.get(used.as_str()) {
                Some(&at) if at <= own => {}
                Some(_) => wrong.push(format!("{} uses {used}, which stands below", file.path)),
                None => wrong.push(format!("{} uses {used}, which lib.rs lacks", file.path)),
            }
        }
        // `super` that climbs to the crate's root would go around the order.
        let climb = "super::".repeat(file.path.matches('/').count());
        if words(&file.code, &climb).next().is_some() {
            wrong.push(format!("{} names the crate's root by super", file.path));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn git_is_named_in_one_module() {
    let found = offenders(&["git2"], |path| is_in(path, "git"));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_parser_is_named_in_syntax_only() {
    let found = offenders(&["tree_sitter", "tree_sitter_c"], |path| is_in(path, "syntax"));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_reports_print() {
    let printing = [
        "println",
        "eprintln",
        "print",
        "eprint",
        "dbg",
        "anstream",
        "io::stdout",
        "io::stderr",
        "Stdout",
        "Stderr",
    ];
    let found = offenders(&printing, |path| is_in(path, "report"));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_commands_write_to_disk() {
    let writing = [
        "fs::write",
        "fs::rename",
        "fs::copy",
        "fs::hard_link",
        "fs::set_permissions",
        "fs::create_dir",
        "fs::create_dir_all",
        "fs::remove_file",
        "fs::remove_dir",
        "fs::remove_dir_all",
        "File::create",
        "File::create_new",
        "OpenOptions",
        "DirBuilder",
        "tempfile",
        "renameat_with",
    ];
    // The cache of upstream repositories and packages is written where they are fetched. Compilers
    // read files: a build writes those to a temporary folder of its own.
    let allowed = ["commands", "upstream", "build"];
    let found = offenders(&writing, |path| allowed.iter().any(|name| is_in(path, name)));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_the_command_line_knows_its_parser() {
    let found = offenders(&["clap", "clap_complete", "clap_mangen"], |path| is_in(path, "cli"));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn nothing_ends_the_process_but_main() {
    let found = offenders(&["process::exit", "process::abort"], |_| false);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_program_names_no_library() {
    let mut found = Vec::new();
    for file in sources() {
        for name in ["ZSTD_", "XXH", "zstd.h"] {
            if file.text.contains(name) {
                found.push(format!("{}: {name}", file.path));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Words in quotes that look like codes of findings, and are none; keys of rules are known anyway.
const NO_CODES: &[&str] = &["linux-build", "utf-8"];

/// The word in quotes that `text` starts with.
fn quoted(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('"')?;
    let end = rest.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-')?;
    let (word, rest) = rest.split_at(end);
    (rest.starts_with('"') && word.starts_with(|c: char| c != '-')).then_some(word)
}

/// What is given to the functions that make findings: words in quotes, and names of constants. In a
/// file that makes findings, each word in quotes with a `-` may be given by way of a variable.
fn codes(text: &str) -> (BTreeSet<&str>, BTreeSet<String>) {
    let made = ["Finding::error(", "Finding::warning("];
    let mut given = BTreeSet::new();
    let mut constants = BTreeSet::new();
    for made in made {
        for (at, _) in text.match_indices(made) {
            let argument = text[at + made.len()..].trim_start();
            given.extend(quoted(argument));
            constants.insert(first_word(argument));
        }
    }
    if !constants.is_empty() || text.contains("code: \"") {
        let all = text.match_indices('"').filter_map(|(at, _)| quoted(&text[at..]));
        given.extend(all.filter(|word| word.contains('-')));
    }
    constants.retain(|name| !name.is_empty() && !name.contains(|c: char| c.is_lowercase()));
    (given, constants)
}

/// Names and values of constants that are one word.
fn constants(text: &str) -> impl Iterator<Item = (String, &str)> {
    text.match_indices("const ").filter_map(|(at, found)| {
        let rest = &text[at + found.len()..];
        let (name, value) = rest.split_once(": &str = ")?;
        Some((first_word(name), quoted(value)?)).filter(|(word, _)| word == name)
    })
}

#[test]
fn every_code_of_a_finding_is_explained() {
    let sources = sources();
    let sources: Vec<_> =
        sources.iter().filter(|file| !file.path.starts_with("src/finding/codes")).collect();
    let keys = sources.iter().find(|file| file.path == "src/rules/shape.rs").unwrap();
    let is_key = |word: &str| keys.text.contains(&format!("\"{word}\""));
    let mut used = BTreeSet::new();
    let mut given = BTreeSet::new();
    for file in &sources {
        let (words, names) = codes(&file.text);
        used.extend(words);
        given.extend(names);
    }
    let named = sources.iter().flat_map(|file| constants(&file.text));
    used.extend(named.filter(|(name, _)| given.contains(name)).map(|(_, value)| value));
    used.retain(|word| !is_key(word) && !NO_CODES.contains(word));
    let explained: BTreeSet<&str> =
        kernelize::finding::codes::all().map(|code| code.name).collect();
    let silent: Vec<_> = used.difference(&explained).collect();
    assert!(silent.is_empty(), "codes without an entry in src/finding/codes: {silent:#?}");
    let unused: Vec<_> = explained.difference(&used).collect();
    assert!(unused.is_empty(), "entries in src/finding/codes that no finding has: {unused:#?}");
}

#[test]
fn every_rule_has_a_fixture_and_every_fixture_a_rule() {
    let mut rules = BTreeSet::new();
    let mut libraries = BTreeSet::new();
    for (path, _) in files("rules") {
        let Some(name) = path.trim_start_matches("rules/").strip_suffix(".toml") else { continue };
        match name.split('/').collect::<Vec<_>>()[..] {
            [library, "library"] => _ = libraries.insert(library.to_owned()),
            [_, _, _] => _ = rules.insert(name.to_owned()),
            _ => {}
        }
    }
    assert!(!rules.is_empty(), "no rules found");
    let mut fixtures = BTreeSet::new();
    for library in &libraries {
        for (path, _) in files(&format!("fixtures/{library}")) {
            let parts: Vec<&str> = path.split('/').skip(1).collect();
            assert!(parts.len() > 3, "{path} lies in no fixture's folder");
            fixtures.insert(parts[..3].join("/"));
        }
    }
    let bare: Vec<_> = rules.difference(&fixtures).collect();
    assert!(bare.is_empty(), "rules without a fixture: {bare:#?}");
    let lost: Vec<_> = fixtures.difference(&rules).collect();
    assert!(lost.is_empty(), "fixtures without a rule: {lost:#?}");
}

#[test]
fn files_stay_short() {
    let mut long = Vec::new();
    for folder in ["src", "tests"] {
        for (path, file) in files(folder) {
            let built = path.starts_with("tests/fuzz/target") || path.contains("/corpus/");
            if !path.ends_with(".rs") || built {
                continue;
            }
            let lines = fs::read_to_string(file).unwrap().lines().count();
            if lines > MAX_LINES || path == "src/main.rs" && lines >= MAX_MAIN_LINES {
                long.push(format!("{path}: {lines} lines"));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| file.path)
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn the_checks_see_code_and_nothing_else() {
    let code =
        code_only("a // b\n\"c\\\"d\" /* e /* f */ g */ h r#\"i\"j\"# '\\'' 'k' <'l> b\"m\" r#n");
    let seen: Vec<&str> = code.split_whitespace().collect();
    assert_eq!(seen, ["a", "h", "<'l>", "r#n"]);
    let text = "Finding::error(\n  \"one\", CODE); x(\"two-words\", \"three\", \"no Code\");\n\
        Finding::warning(CODE, m); const CODE: &str = \"four\"; const OTHER: u8 = 1;";
    let (given, names) = codes(text);
    assert_eq!(given.into_iter().collect::<Vec<_>>(), ["one", "two-words"]);
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["CODE"]);
    assert_eq!(constants(text).collect::<Vec<_>>(), [("CODE".to_owned(), "four")]);
    let used = used_modules("use crate::a::b; use crate::{c, d::{e, f}, g}; x(crate::h::i)");
    assert_eq!(used.into_iter().collect::<Vec<_>>(), ["a", "c", "d", "g", "h"]);
    assert_eq!(words("fs::write fs::writer", "fs::write").count(), 1);
}
