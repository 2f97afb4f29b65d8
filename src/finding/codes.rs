//! Every kind of finding: its stable name, what is wrong where it stands, and why that matters.
//!
//! `tests/conventions.rs` holds that each code of the program has its entry here, and each entry its
//! code.

mod build;
mod check;
mod import;
mod rules;
mod tree;

/// What is looked at where a finding of the kind comes up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Area {
    /// The rules themselves.
    Rules,
    /// A release that becomes a kernel form.
    Import,
    /// What must hold of a kernel form.
    Check,
    /// What compiling and running a kernel form shows.
    Build,
    /// A Linux tree that a kernel form goes into.
    Tree,
}

/// One kind of finding.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// Its name, such as `unbalanced-conditional`.
    pub name: &'static str,
    /// Where it comes up.
    pub area: Area,
    /// What is wrong, in one sentence without a final stop.
    pub brief: &'static str,
    /// Why that is no good, and what to do; whole sentences.
    pub help: &'static str,
}

/// All kinds, by area and name.
pub fn all() -> impl Iterator<Item = Code> {
    let areas = [
        (Area::Rules, rules::CODES),
        (Area::Import, import::CODES),
        (Area::Check, check::CODES),
        (Area::Build, build::CODES),
        (Area::Tree, tree::CODES),
    ];
    areas.into_iter().flat_map(|(area, codes)| {
        codes.iter().map(move |&(name, brief, help)| Code { name, area, brief, help })
    })
}

/// The kind of that name.
pub fn find(name: &str) -> Option<Code> {
    all().find(|code| code.name == name)
}

/// Name, brief and help of the kinds of one area, by name.
type Entries = &'static [(&'static str, &'static str, &'static str)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_there_once_and_in_order() {
        let all: Vec<Code> = all().collect();
        assert!(all.is_sorted_by_key(|code| (code.area, code.name)));
        let mut names: Vec<&str> = all.iter().map(|code| code.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(find("libc-call").unwrap().area, Area::Import);
        assert!(find("no-such-code").is_none());
    }

    #[test]
    fn every_kind_says_what_and_why() {
        for code in all() {
            let Code { name, brief, help, .. } = code;
            let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            assert!(name.bytes().all(plain), "{name}");
            assert!(brief.len() <= 100 && !brief.ends_with('.') && !brief.is_empty(), "{name}");
            assert!(help.ends_with('.') && help.len() > brief.len() / 2, "{name}");
            for text in [brief, help] {
                assert!(text.starts_with(|c: char| c.is_uppercase() || "`#".contains(c)), "{name}");
                assert!(!text.contains(['\n', '[', '<']) && text.is_ascii(), "{name}");
            }
        }
    }
}
