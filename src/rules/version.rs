//! The small value languages of rule files: versions, counts, integer ranges, globs.

use std::fmt;
use std::str::FromStr;

/// A release's own number, as its header states it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Version {
    /// First number.
    pub major: u32,
    /// Second number.
    pub minor: u32,
    /// Third number.
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Version, String> {
        let mut parts = text.split('.').map(decimal::<u32>);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(Some(major)), Some(Some(minor)), Some(Some(patch)), None) => {
                Ok(Version { major, minor, patch })
            }
            _ => Err(format!("`{text}` is not a version: three numbers are wanted, as in `1.5.6`")),
        }
    }
}

/// A kernel's number without its last part: what a stable release adds is of no interest here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct KernelVersion {
    /// First number.
    pub major: u32,
    /// Second number.
    pub minor: u32,
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for KernelVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<KernelVersion, String> {
        let mut parts = text.split('.').map(decimal::<u32>);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(Some(major)), Some(Some(minor)), None) => Ok(KernelVersion { major, minor }),
            _ => Err(format!("`{text}` is no kernel: two numbers are wanted, as in `6.12`")),
        }
    }
}

/// How often a rule must match; `1..` unless the rule says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expect {
    /// Fewest matches.
    pub least: usize,
    /// Most matches, if bounded.
    pub most: Option<usize>,
    /// First release in which `least` holds; before it the rule need not match.
    pub since: Option<Version>,
    /// First release in which `least` no longer holds.
    pub until: Option<Version>,
}

impl Default for Expect {
    fn default() -> Expect {
        Expect { least: 1, most: None, since: None, until: None }
    }
}

impl Expect {
    /// Whether `matches` are enough, and not too many, for a release.
    ///
    /// A commit between two releases states the number of one of them, whichever way it leans, so a
    /// miss there is weaker news than one in a tagged release.
    pub fn holds(&self, matches: usize, version: Version) -> bool {
        let due = self.since.is_none_or(|since| since <= version)
            && self.until.is_none_or(|until| version < until);
        (!due || self.least <= matches) && self.most.is_none_or(|most| matches <= most)
    }
}

/// As a rule file spells it: `1..`, `3`, `1..=5`.
impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            None => write!(f, "{}..", self.least),
            Some(most) if most == self.least => write!(f, "{most}"),
            Some(most) => write!(f, "{}..={most}", self.least),
        }
    }
}

/// Reads `N`, `N..` or `N..=M`: fewest and most.
pub(super) fn parse_count(text: &str) -> Result<(usize, Option<usize>), String> {
    let wrong = || format!("`{text}` is not a count: `1..`, `3` or `1..=5` is wanted");
    let (least, most) = match text.split_once("..") {
        None => {
            let exact = decimal(text).ok_or_else(wrong)?;
            (exact, Some(exact))
        }
        Some((least, "")) => (decimal(least).ok_or_else(wrong)?, None),
        Some((least, most)) => {
            let most = most.strip_prefix('=').and_then(decimal).ok_or_else(wrong)?;
            (decimal(least).ok_or_else(wrong)?, Some(most))
        }
    };
    if most.is_some_and(|most| most < least) {
        return Err(format!("`{text}` holds no number: the first bound is above the second"));
    }
    Ok((least, most))
}

/// Reads `N..`, `..=M` or `N..=M`: lowest and highest, both inclusive.
pub(super) fn parse_range(text: &str) -> Result<(Option<i64>, Option<i64>), String> {
    let wrong = || format!("`{text}` is not a range: `5..`, `..=8` or `5..=8` is wanted");
    let (low, high) = text.split_once("..").ok_or_else(wrong)?;
    let low = if low.is_empty() { None } else { Some(signed(low).ok_or_else(wrong)?) };
    let high = match high {
        "" => None,
        _ => Some(high.strip_prefix('=').and_then(signed).ok_or_else(wrong)?),
    };
    match (low, high) {
        (None, None) => Err(wrong()),
        (Some(low), Some(high)) if high < low => {
            Err(format!("`{text}` holds no number: the first bound is above the second"))
        }
        bounds => Ok(bounds),
    }
}

/// Digits only: `FromStr` of the integers would take a `+` as well.
fn decimal<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

fn signed(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_three_numbers() {
        let version: Version = "1.10.2".parse().unwrap();
        assert_eq!(version, Version { major: 1, minor: 10, patch: 2 });
        for bad in
            ["", "1", "1.5", "1.5.6.7", "v1.5.6", "1.5.x", "1..6", "1.5.+6", "1.5.99999999999"]
        {
            assert!(bad.parse::<Version>().is_err(), "{bad}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!(parse_count("1.."), Ok((1, None)));
        assert_eq!(parse_count("3"), Ok((3, Some(3))));
        assert_eq!(parse_count("0..=2"), Ok((0, Some(2))));
        for bad in ["", "..", "..3", "1..3", "2..=1", "-1..", "many"] {
            assert!(parse_count(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges() {
        assert_eq!(parse_range("5.."), Ok((Some(5), None)));
        assert_eq!(parse_range("..=-2"), Ok((None, Some(-2))));
        assert_eq!(parse_range("4..=8"), Ok((Some(4), Some(8))));
        for bad in ["", "..", "5", "1..3", "2..=1", "x.."] {
            assert!(parse_range(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_expectation_may_start_later_than_its_rule() {
        let v = |patch| Version { major: 1, minor: 5, patch };
        let expect = Expect { since: Some(v(4)), until: Some(v(6)), ..Expect::default() };
        assert!(expect.holds(0, v(3)) && expect.holds(0, v(6)) && expect.holds(1, v(5)));
        assert!(!expect.holds(0, v(4)) && !expect.holds(0, v(5)));
        assert!(!Expect { most: Some(2), ..expect }.holds(3, v(3)));
    }
}
