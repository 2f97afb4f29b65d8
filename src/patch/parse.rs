//! Reads a patch in mail format: what it says of itself, not yet whether that holds.

use super::encode;
use crate::finding::{Error, Result};

/// Longest part above the changes that is read, in bytes.
const MAX_MESSAGE: usize = 4 << 20;

/// A patch in its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParsedPatch {
    /// Names and values of the lines above the message, as they stand there, unfolded and decoded.
    pub headers: Vec<(String, String)>,
    /// The subject, without `[PATCH]`.
    pub subject: String,
    /// Place in a series and its length, where the subject has them.
    pub number: Option<(usize, usize)>,
    /// The message, without trailers.
    pub body: String,
    /// Key and value of the lines at the end of the message.
    pub trailers: Vec<(String, String)>,
    /// Offset of the first changed file; the end, in the letter before a series.
    pub diff: usize,
}

impl ParsedPatch {
    /// The value of a line above the message.
    pub fn header(&self, name: &str) -> Option<&str> {
        value_of(&self.headers, name)
    }

    /// The value of a trailer; of several the last.
    pub fn trailer(&self, key: &str) -> Option<&str> {
        value_of(&self.trailers, key)
    }
}

fn value_of<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p str> {
    let found = pairs.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// Reads `patch`.
///
/// # Errors
/// It is no mail with changes, nor the letter before a series, or its message isn't UTF-8.
pub fn parse(patch: &[u8]) -> Result<ParsedPatch> {
    let diff = start_of_diff(patch)?;
    let message = std::str::from_utf8(&patch[..diff]).map_err(|error| {
        let line = memchr::memchr_iter(b'\n', &patch[..error.valid_up_to()]).count() + 1;
        unfit(&format!("its message isn't UTF-8 in line {line}"))
    })?;
    let mut lines = message.lines().map(|line| line.trim_end_matches('\r'));
    let is_letter = diff == patch.len();
    let no_changes = || unfit("no line of it starts with `diff --git`");
    let headers = match headers_of(&mut lines) {
        Err(_) if is_letter => return Err(no_changes()),
        headers => headers?,
    };
    let encoding = value_of(&headers, "Content-Transfer-Encoding").unwrap_or("8bit");
    if !["7bit", "8bit", "binary"].iter().any(|plain| encoding.eq_ignore_ascii_case(plain)) {
        return Err(unfit(&format!("it is encoded as {encoding}"))
            .hint("`git mailinfo` and `b4 am` decode mails"));
    }
    let (number, subject) = subject_of(value_of(&headers, "Subject").unwrap_or_default());
    if is_letter && number.is_none_or(|(number, _)| number != 0) {
        return Err(no_changes());
    }
    let text: Vec<&str> = lines.take_while(|line| *line != "---").collect();
    let (body, trailers) = match is_letter {
        true => letter(&text),
        false => split_trailers(&text),
    };
    Ok(ParsedPatch { subject, number, body, trailers, diff, headers })
}

/// The letter before a series goes on behind its trailers: with the patches and what they change.
fn letter(lines: &[&str]) -> (String, Vec<(String, String)>) {
    let mut end = lines.len();
    while let Some(at) = lines[..end].iter().rposition(|line| line.is_empty()) {
        let found = split_trailers(&lines[..at]);
        if !found.1.is_empty() {
            return found;
        }
        end = at;
    }
    split_trailers(lines)
}

fn start_of_diff(patch: &[u8]) -> Result<usize> {
    const START: &[u8] = b"\ndiff --git ";
    let part = &patch[..patch.len().min(MAX_MESSAGE)];
    match memchr::memmem::find(part, START) {
        Some(at) => Ok(at + 1),
        None if part.starts_with(&START[1..]) => Err(unfit("it has no message")),
        None if part.len() < patch.len() => Err(unfit("no line of it starts with `diff --git`")),
        None => Ok(patch.len()),
    }
}

fn headers_of<'m>(lines: &mut impl Iterator<Item = &'m str>) -> Result<Vec<(String, String)>> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in lines.skip_while(|line| line.is_empty() || line.starts_with("From ")) {
        if line.is_empty() {
            break;
        }
        let is_more = line.starts_with([' ', '\t']);
        if let Some((_, value)) = found.last_mut().filter(|_| is_more) {
            value.push(' ');
            value.push_str(line.trim());
            continue;
        }
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| unfit(&format!("its head has the line `{}`", line.escape_debug())))?;
        found.push((name.to_owned(), value.trim().to_owned()));
    }
    for (name, value) in &mut found {
        *value = encode::decode(value);
        if name.eq_ignore_ascii_case("From") {
            *value = encode::unquoted(value);
        }
    }
    if value_of(&found, "Subject").is_none() {
        return Err(unfit("it has no subject"));
    }
    Ok(found)
}

/// Cuts off what stands in square brackets in front.
fn subject_of(text: &str) -> (Option<(usize, usize)>, String) {
    let (mut rest, mut number) = (text.trim_start(), None);
    while let Some((mark, behind)) = rest.strip_prefix('[').and_then(|text| text.split_once(']')) {
        let last = mark.rsplit(' ').next().unwrap_or_default();
        let parts = last.split_once('/');
        let parts = parts.and_then(|(at, of)| Some((at.parse().ok()?, of.parse().ok()?)));
        number = number.or(parts);
        rest = behind.trim_start();
    }
    (number, rest.to_owned())
}

/// Parts the last paragraph from the others where all its lines are trailers.
fn split_trailers(lines: &[&str]) -> (String, Vec<(String, String)>) {
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |at| at + 1);
    let start = lines[..end].iter().rposition(|line| line.is_empty()).map_or(0, |at| at + 1);
    let trailer = |line: &&str| {
        let (key, value) = line.split_once(": ")?;
        let plain = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        (plain && !key.is_empty()).then(|| (key.to_owned(), value.trim().to_owned()))
    };
    let found: Option<Vec<_>> = lines[start..end].iter().map(trailer).collect();
    match found {
        Some(trailers) => (lines[..start].join("\n").trim_matches('\n').to_owned(), trailers),
        None => (lines[..end].join("\n").trim_matches('\n').to_owned(), Vec::new()),
    }
}

fn unfit(why: &str) -> Error {
    Error::input(format!("this is no patch in mail format: {why}")).hint(
        "give the file that `kernelize patch` or `git format-patch` wrote, or the mail itself",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "From 00 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH v2 2/3] x:\n \
        =?UTF-8?q?=C3=BC?=\n\nBody: one\n\ntwo\n\nKey: v: w\nKey: z\n---\n a | 1 +\n\ndiff --git a/a b/a\n";

    #[test]
    fn a_mail_falls_into_its_parts() {
        for patch in [PATCH.to_owned(), PATCH.replace('\n', "\r\n")] {
            let parsed = parse(patch.as_bytes()).unwrap();
            assert_eq!((parsed.subject.as_str(), parsed.number), ("x: ü", Some((2, 3))));
            assert_eq!(parsed.header("from"), Some("A <a@b>"));
            assert_eq!(parsed.body, "Body: one\n\ntwo");
            assert_eq!(parsed.trailers.len(), 2);
            assert_eq!((parsed.trailer("key"), parsed.trailer("none")), (Some("z"), None));
            assert!(patch[parsed.diff..].starts_with("diff --git"));
        }
    }

    #[test]
    fn the_letter_before_a_series_has_trailers_in_its_middle() {
        let letter = "From 00 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH 0/2] x\n\nBody\n\n\
                      Key: v\n\nA (2):\n  one\n  two\n\n a | 1 +\n\n-- \nx\n\n";
        let parsed = parse(letter.as_bytes()).unwrap();
        assert_eq!((parsed.number, parsed.body.as_str()), (Some((0, 2)), "Body"));
        assert_eq!(parsed.trailer("Key"), Some("v"));
        assert!(parse(letter.replace("0/2", "1/2").as_bytes()).is_err());
    }

    #[test]
    fn authors_are_read_as_they_were_written() {
        for name in ["A. B", "B, A", r#"A "x" B"#, r"A \ B", "Ä. B", "A B", "(A)"] {
            let head = encode::from(name, "a@b");
            let patch = PATCH.replace("From: A <a@b>\n", &head);
            let parsed = parse(patch.as_bytes()).unwrap();
            assert_eq!(parsed.header("From").unwrap(), format!("{name} <a@b>"));
        }
    }

    #[test]
    fn no_text_leads_astray() {
        let refused = |bytes: &[u8]| parse(bytes).unwrap_err().message;
        assert!(refused(b"").contains("diff --git"));
        assert!(refused(b"diff --git a b\n").contains("no message"));
        assert!(refused(b"x\n\ndiff --git a b\n").contains("`x`"));
        assert!(refused(b" x: y\n\ndiff --git a b\n").contains("no subject"));
        assert!(refused(b"Subject: x\n\n\n\xff\n---\n\ndiff --git a b\n").contains("line 4"));
        let coded = PATCH.replace("From: A", "Content-Transfer-Encoding: base64\nFrom: A");
        assert!(refused(coded.as_bytes()).contains("base64"));
        assert!(refused(&vec![b'\n'; MAX_MESSAGE + 10]).contains("diff --git"));
        for length in 0..PATCH.len() {
            let _ = parse(&PATCH.as_bytes()[..length]);
        }
    }
}
