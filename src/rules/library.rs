//! `library.toml`: from its shape to the checked form.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::Spanned;

use super::fields::{instead, span};
use super::shape::{ApiSectionShape, LibraryShape, PackageShape, ProfileShape, Text, Texts};
use super::version::Version;
use super::{ApiSection, Library, PackagedRelease, Profile, Simplify};
use crate::finding::{Finding, Findings};
use crate::text::{Source, Span, TreePath};

/// Where a value's mistakes go.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Arc<Source>,
    findings: &'a mut Findings,
}

/// Checks every value; `None` if one is missing or wrong.
pub(super) fn library(
    source: &Arc<Source>,
    shape: LibraryShape,
    findings: &mut Findings,
) -> Option<Library> {
    let mut read = Reader { source, findings };
    let name = read.word("name", shape.name);
    let url = read.text("url", shape.url);
    let root = read.path("root", shape.root);
    let package_root = read.path("package-root", shape.package_root);
    let marker = read.path("marker", shape.marker);
    let tag_prefix = read.text("tag-prefix", shape.tag_prefix);
    let version_file = read.path("version-file", shape.version_file);
    let version_macros = shape.version_macros.and_then(|list| {
        let at = span(list.span());
        let names = list.into_inner().into_iter().map(|name| name.into_inner()).collect::<Vec<_>>();
        let three = names.try_into().ok();
        if three.is_none() {
            read.wrong(at, "three macros are wanted: major, minor and patch".into());
        }
        three
    });
    let oldest = read.required("oldest", shape.oldest).and_then(|text| read.version(&text));
    let output = read.path("output", shape.output);
    let paths = read.globs(shape.paths);
    let kconfig_file = match shape.kconfig_file {
        Some(path) => Some(read.path("kconfig-file", Some(path))?),
        None => None,
    };
    let kconfig_word = match shape.kconfig_word {
        Some(word) => read.text("kconfig-word", Some(word)),
        None => Some(String::new()),
    };
    let caller_words = shape.caller_words.map(Spanned::into_inner).unwrap_or_default();
    let caller_words: Vec<String> = caller_words.into_iter().map(Spanned::into_inner).collect();
    let importer = read.importer(shape.importer);
    let profiles = read.profiles(shape.profile.map(|list| list.into_inner()).unwrap_or_default());
    let sections = shape.api_section.map(|list| list.into_inner()).unwrap_or_default();
    let api_sections = read.api_sections(sections);
    let packages = read.packages(shape.package.map(|list| list.into_inner()).unwrap_or_default());
    let output = output?;
    let everything = || vec![format!("{output}/**/*")];
    let kernels = read.kernels(shape.kernel_oldest, shape.kernel_newest);
    let modules = read.modules(shape.module.map(|list| list.into_inner()).unwrap_or_default());
    let values = shape.target_value.map(|list| list.into_inner()).unwrap_or_default();
    let target_values = read.target_values(values, kernels.flatten());
    Some(Library {
        name: name?,
        url: url?,
        root: root?,
        package_root: package_root?,
        marker: marker?,
        tag_prefix: tag_prefix?,
        version_file: version_file?,
        version_macros: version_macros?,
        oldest: oldest?,
        paths: paths?.unwrap_or_else(everything),
        output,
        kconfig_file,
        kconfig_word: kconfig_word?,
        caller_words,
        importer: importer?,
        profiles: profiles?,
        api_sections: api_sections?,
        packages: packages?,
        kernels: kernels?,
        modules: modules?,
        target_values: target_values?,
    })
}

impl Reader<'_> {
    pub(super) fn wrong(&mut self, at: Span, message: String) {
        self.findings.push(Finding::error("rule-value", message).at(self.source, at, ""));
    }

    pub(super) fn required(&mut self, key: &str, value: Option<Text>) -> Option<Text> {
        if value.is_none() {
            self.wrong(Span::at(0), format!("the key `{key}` is missing"));
        }
        value
    }

    pub(super) fn text(&mut self, key: &str, value: Option<Text>) -> Option<String> {
        let text = self.required(key, value)?;
        if text.get_ref().contains(['\n', '\0']) {
            self.wrong(span(text.span()), format!("`{key}` is one line"));
            return None;
        }
        Some(text.into_inner())
    }

    fn word(&mut self, key: &str, value: Option<Text>) -> Option<String> {
        let text = self.required(key, value)?;
        if !is_id(text.get_ref()) {
            let message = format!("`{key}` is made of a to z, 0 to 9 and `-`");
            self.wrong(span(text.span()), message);
            return None;
        }
        Some(text.into_inner())
    }

    pub(super) fn path(&mut self, key: &str, value: Option<Text>) -> Option<String> {
        let text = self.required(key, value)?;
        if TreePath::new(text.get_ref()).is_none() {
            let message = format!("`{key}` is a relative path without `.` and `..`");
            self.wrong(span(text.span()), message);
            return None;
        }
        Some(text.into_inner())
    }

    /// Checked globs; `None` in the outer place for a mistake, in the inner one where none are given.
    fn globs(&mut self, list: Option<Texts>) -> Option<Option<Vec<String>>> {
        let Some(list) = list else { return Some(None) };
        let at = span(list.span());
        let globs: Option<Vec<String>> =
            list.into_inner().into_iter().map(|glob| self.path("paths", Some(glob))).collect();
        if globs.as_ref().is_some_and(Vec::is_empty) {
            self.wrong(at, "`paths` is empty; it names the library's files in a Linux tree".into());
        }
        globs.filter(|globs| !globs.is_empty()).map(Some)
    }

    fn importer(
        &mut self,
        table: Option<Spanned<BTreeMap<Text, Text>>>,
    ) -> Option<BTreeMap<String, String>> {
        let table = table.map(Spanned::into_inner).unwrap_or_default();
        let pair = |(to, from)| {
            Some((self.path("importer", Some(to))?, self.path("importer", Some(from))?))
        };
        table.into_iter().map(pair).collect()
    }

    fn version(&mut self, text: &Text) -> Option<Version> {
        text.get_ref().parse().map_err(|message| self.wrong(span(text.span()), message)).ok()
    }

    fn profiles(&mut self, shapes: Vec<ProfileShape>) -> Option<Vec<Profile>> {
        if shapes.is_empty() {
            self.wrong(Span::at(0), "no [[profile]] is given; the first is the default".into());
            return None;
        }
        let mut profiles: Vec<Profile> = Vec::new();
        for shape in shapes {
            let at = span(shape.name.span());
            let name = self.word("name", Some(shape.name))?;
            if profiles.iter().any(|p| p.name == name) {
                self.wrong(at, format!("the profile `{name}` is given twice"));
                return None;
            }
            let simplify = match shape.simplify.as_ref().map(|text| text.get_ref().as_str()) {
                None | Some("full") => Simplify::Full,
                Some("leading") => Simplify::Leading,
                Some(other) => {
                    let at = shape.simplify.as_ref().map_or(at, |text| span(text.span()));
                    let hint = instead(other, &["full", "leading"]);
                    self.wrong(at, format!("`{other}` is no way to simplify; {hint}"));
                    return None;
                }
            };
            let why = shape.why.into_inner();
            profiles.push(Profile { name, why, simplify, closed: shape.closed });
        }
        Some(profiles)
    }

    fn api_sections(&mut self, shapes: Vec<ApiSectionShape>) -> Option<Vec<ApiSection>> {
        let mut sections: Vec<ApiSection> = Vec::new();
        for shape in shapes {
            let at = span(shape.name.span());
            let name = self.word("name", Some(shape.name))?;
            if sections.iter().any(|section| section.name == name) {
                self.wrong(at, format!("the section `{name}` is given twice"));
                return None;
            }
            let title = self.text("title", Some(shape.title))?;
            sections.push(ApiSection { name, title });
        }
        Some(sections)
    }

    fn packages(&mut self, shapes: Vec<PackageShape>) -> Option<Vec<PackagedRelease>> {
        let mut packages: Vec<PackagedRelease> = Vec::new();
        for shape in shapes {
            let release = self.version(&shape.release)?;
            if packages.last().is_some_and(|last| last.release >= release) {
                let message = format!("the packages stand oldest first; {release} is out of order");
                self.wrong(span(shape.release.span()), message);
            }
            let package = self.word("package", Some(shape.package))?;
            let version = self.text("version", Some(shape.version))?;
            let date = match shape.date {
                Some(text) => Some(self.date(&text)?),
                None => None,
            };
            let commit = match shape.commit {
                Some(text) => Some(self.commit(text)?),
                None => None,
            };
            packages.push(PackagedRelease { release, package, version, date, commit });
        }
        Some(packages)
    }
}

impl Reader<'_> {
    /// The start of a day in seconds since 1970 UTC.
    fn date(&mut self, text: &Text) -> Option<i64> {
        let parsed = text.get_ref().parse::<toml::value::Datetime>().ok();
        let day = parsed.filter(|date| date.time.is_none()).and_then(|date| date.date);
        if day.is_none() {
            let message = format!("`{}` is no day, written as 2024-12-31", text.get_ref());
            self.wrong(span(text.span()), message);
        }
        day.map(|day| days(day.year.into(), day.month.into(), day.day.into()) * 24 * 60 * 60)
    }
}

impl Reader<'_> {
    /// A whole commit id.
    fn commit(&mut self, text: Text) -> Option<String> {
        let at = span(text.span());
        let id = text.into_inner();
        let whole = id.len() == 40 && id.bytes().all(|b| b.is_ascii_hexdigit());
        if !whole {
            self.wrong(at, "a commit id has 40 hex digits".into());
        }
        whole.then_some(id)
    }
}

/// Days from 1970 to a day of the Gregorian calendar, by counting years from March on, so that the
/// day that not all years have is the last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
}

/// Whether `text` can name a rule, profile or library: it becomes part of file names.
pub(super) fn is_id(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && !text.starts_with('-') && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(days(2000, 2, 29), 11_016);
        assert_eq!(days(2000, 3, 1), 11_017);
        assert_eq!(days(2024, 12, 31), 20_088);
        assert_eq!(days(1969, 12, 31), -1);
    }
}
