//! A patch as a mail that `git am` takes.

use super::change::Change;
use super::encode;
use crate::finding::{Error, Result};
use crate::git::Identity;

/// The first line of a mail that was made and not sent. The id is that of no commit: a patch says the
/// same whether or not a commit was made of it, and `git am` doesn't read it.
const FIRST_LINE: &str = "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n";

/// Longest name that `git am` takes for one, in bytes.
const LONGEST_NAME: usize = 60;

/// What a patch says besides its changes.
#[derive(Clone, Debug)]
pub struct Mail {
    /// Who made it.
    pub author: Identity,
    /// When, in seconds since 1970 UTC.
    pub date: i64,
    /// What it does, in one line, without `[PATCH]`.
    pub subject: String,
    /// The same at length.
    pub body: String,
    /// Key and value of the lines at its end (`Signed-off-by`, ...).
    pub trailers: Vec<(String, String)>,
    /// What stands below the changes: the program and its version.
    pub signature: String,
}

impl Mail {
    /// The message as a commit holds it.
    ///
    /// # Errors
    /// A part of it has what a commit's message can't hold.
    pub fn message(&self) -> Result<String> {
        self.check()?;
        let mut message = format!("{}\n", self.subject);
        let text = self.text();
        if !text.is_empty() {
            message += &format!("\n{text}");
        }
        Ok(message)
    }

    /// The mail; `number` is its place in a series and the length of that.
    ///
    /// # Errors
    /// As for [`Mail::message`].
    pub fn render(&self, change: &Change, number: Option<(usize, usize)>) -> Result<Vec<u8>> {
        self.check()?;
        if change.is_empty() {
            return Err(Error::internal("a patch without changes was to be written"));
        }
        let mark = number.map_or("[PATCH]".to_owned(), |(number, of)| mark(number, of));
        let mut out = self.head(&mark)?;
        out += &format!("{}---\n{}\n", self.text(), change.stat());
        let mut out = out.into_bytes();
        out.extend_from_slice(&change.text());
        out.extend_from_slice(self.end().as_bytes());
        Ok(out)
    }

    /// All lines above the message.
    pub(super) fn head(&self, mark: &str) -> Result<String> {
        let date = encode::date(self.date).ok_or_else(|| {
            Error::input(format!("the date of the patch, {} seconds, is none of mail", self.date))
        })?;
        let mut head = FIRST_LINE.to_owned();
        head += &encode::from(&self.author.name, &self.author.mail);
        head += &format!("Date: {date}\n");
        head += &encode::subject(&format!("{mark} {}", self.subject));
        if !self.subject.is_ascii() || !self.text().is_ascii() {
            head += "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n\
                     Content-Transfer-Encoding: 8bit\n";
        }
        Ok(head + "\n")
    }

    /// Body and trailers.
    pub(super) fn text(&self) -> String {
        let body = self.body.trim_matches('\n');
        let trailers = self.trailers.iter().map(|(key, value)| format!("{key}: {value}\n"));
        let trailers: String = trailers.collect();
        match (body.is_empty(), trailers.is_empty()) {
            (true, _) => trailers,
            (false, true) => format!("{body}\n"),
            (false, false) => format!("{body}\n\n{trailers}"),
        }
    }

    pub(super) fn end(&self) -> String {
        format!("-- \n{}\n\n", self.signature)
    }

    /// Refuses what a mail can't carry, or what would end the message in the middle.
    pub(super) fn check(&self) -> Result<()> {
        Identity::new(&self.author.name, &self.author.mail)?;
        if self.author.name.len() > LONGEST_NAME || self.author.name.contains('@') {
            let why = "is one in whose place `git am` would take the mail address";
            return Err(unfit("author's name", &self.author.name, why));
        }
        one_line("subject", &self.subject)?;
        one_line("signature", &self.signature)?;
        if self.subject.starts_with('[') {
            return Err(unfit("subject", &self.subject, "starts with `[`, which is cut off"));
        }
        for (key, value) in &self.trailers {
            let plain = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            if key.is_empty() || !plain {
                return Err(unfit("trailer", key, "is no name for one"));
            }
            one_line("trailer", value)?;
        }
        let text = self.text();
        for line in text.lines() {
            check_line(line)?;
        }
        let first = text.lines().next().unwrap_or_default().to_ascii_lowercase();
        if ["from:", "subject:", "date:", ">from ", "[patch"].iter().any(|w| first.starts_with(w)) {
            return Err(unfit("message", &first, "would be read as a part of the head"));
        }
        Ok(())
    }
}

/// `[PATCH 03/12]`.
pub(super) fn mark(number: usize, of: usize) -> String {
    let width = of.to_string().len();
    format!("[PATCH {number:0width$}/{of}]")
}

/// The name that `git format-patch` gives the file of patch `number`.
pub fn file_name(number: usize, subject: &str) -> String {
    /// Longest name of all, with the number in front.
    const LONGEST: usize = 64;
    let mut name = String::new();
    for c in subject.chars() {
        let fits = c.is_ascii_alphanumeric() || c == '_' || (c == '.' && !name.ends_with('.'));
        match fits {
            true => name.push(c),
            false if name.is_empty() || name.ends_with('-') || c == '.' => {}
            false => name.push('-'),
        }
    }
    let mut name = format!("{number:04}-{}", name.trim_end_matches(['.', '-']));
    name.truncate(LONGEST - ".patch".len() - 1);
    name + ".patch"
}

fn one_line(what: &str, text: &str) -> Result<()> {
    if text.trim() != text || text.is_empty() || text.contains("  ") {
        return Err(unfit(what, text, "is empty or has blanks too many"));
    }
    match text.contains(char::is_control) {
        true => Err(unfit(what, text, "holds a line end or control character")),
        false => Ok(()),
    }
}

fn check_line(line: &str) -> Result<()> {
    if line.contains(|c: char| c.is_control() && c != '\t') || line.ends_with([' ', '\t']) {
        return Err(unfit("message", line, "holds a control character or ends in a blank"));
    }
    let is_rule = line
        .strip_prefix("---")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    let ends = ["diff -", "Index: ", "From ", ">From "];
    if is_rule || ends.iter().any(|start| line.starts_with(start)) || is_cut(line) {
        return Err(unfit("message", line, "would end the message there"));
    }
    Ok(())
}

/// A drawn line with scissors, above which a mail program may cut.
fn is_cut(line: &str) -> bool {
    let scissors = [">8", "8<", ">%", "%<"];
    let drawn = line.contains("--") || line.contains("- -");
    drawn && scissors.iter().any(|mark| line.contains(mark))
}

fn unfit(what: &str, text: &str, why: &str) -> Error {
    Error::usage(format!("a line of the {what} of the patch {why}: `{}`", text.escape_debug()))
        .hint("indent the line, or put it otherwise")
}
