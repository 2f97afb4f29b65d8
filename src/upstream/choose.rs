//! Names of releases: what a tag says, and which names lie near one that doesn't exist.

use std::cmp::Reverse;

use crate::rules::Version;

/// Most names that are offered for one that doesn't exist.
const OFFERED: usize = 4;
/// Names beyond these bounds are not compared: hostile repositories have many and long ones.
const COMPARED: usize = 20_000;
const LONGEST: usize = 120;

/// The release that `name` stands for: three numbers, with or without the tag prefix.
pub(super) fn release_number(name: &str, prefix: &str) -> Option<Version> {
    let digits = name.strip_prefix(prefix).unwrap_or(name);
    let mut parts = digits.split('.').map(|part| {
        let plain =
            part.bytes().all(|b| b.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
        part.parse::<u32>().ok().filter(|_| plain)
    });
    let version = Version { major: parts.next()??, minor: parts.next()??, patch: parts.next()?? };
    parts.next().is_none().then_some(version)
}

/// The tag of the highest release; a tag with any suffix is no release.
pub(super) fn newest<'a>(tags: impl Iterator<Item = &'a str>, prefix: &str) -> Option<&'a str> {
    let releases = tags.filter(|tag| tag.starts_with(prefix));
    releases.filter_map(|tag| Some((release_number(tag, prefix)?, tag))).max().map(|(_, tag)| tag)
}

/// The names nearest to `wanted`, best first: a hint for a misspelt or not yet fetched one.
pub(super) fn nearest<'a>(
    wanted: &str,
    names: impl Iterator<Item = &'a str>,
    prefix: &str,
) -> Vec<&'a str> {
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let bare = |name: &str| name.strip_prefix(prefix).unwrap_or(name).to_lowercase();
    let wanted = bare(wanted);
    let allowed = (wanted.len() / 3).max(1);
    let mut near: Vec<_> = names
        .filter(|name| name.len() <= LONGEST)
        .take(COMPARED)
        .filter_map(|name| {
            let distance = strsim::damerau_levenshtein(&wanted, &bare(name));
            let distance = if bare(name).starts_with(&wanted) { distance.min(1) } else { distance };
            let key = (distance, Reverse(release_number(name, prefix)), name);
            (distance <= allowed).then_some(key)
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().map(|(_, _, name)| name).take(OFFERED).collect()
}

/// `a, b or c` in back quotes.
pub(super) fn spoken<T: std::fmt::Display>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAGS: [&str; 8] =
        ["v0.4.2", "v1.5.10", "v1.5.9", "v1.5.9-kernel", "fuzz", "v1.6.0-rc1", "2.0.0", "v1.5.2"];

    #[test]
    fn a_release_is_three_numbers() {
        assert_eq!(release_number("v1.5.10", "v").unwrap().patch, 10);
        assert_eq!(release_number("1.5.10", "v").unwrap().patch, 10);
        for no in
            ["v1.5", "v1.5.2.1", "v1.5.2-kernel", "dev", "v1.5.+2", "v1..2", "vv1.5.2", "1.05.2"]
        {
            assert!(release_number(no, "v").is_none(), "{no}");
        }
    }

    #[test]
    fn the_newest_release_is_the_highest_number() {
        assert_eq!(newest(TAGS.into_iter(), "v"), Some("v1.5.10"));
        assert_eq!(newest(["x"].into_iter(), "v"), None);
    }

    #[test]
    fn near_names_are_offered() {
        assert_eq!(nearest("1.5.3", TAGS.into_iter(), "v"), ["v1.5.9", "v1.5.2"]);
        assert_eq!(nearest("v1.5.9-kernal", TAGS.into_iter(), "v")[0], "v1.5.9-kernel");
        assert!(nearest("nonsense", TAGS.into_iter(), "v").is_empty());
        assert_eq!(spoken(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(spoken(&["a"]), "`a`");
    }
}
