//! The two output streams of one run, and how they are to look.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};

use super::json;
use super::paint::Paint;
use super::progress::Progress;
use super::visible::one_line;
use super::{audit, check, compare, error, explain, origin, page, pager, patch, summary, text};
use crate::check::record::Record;
use crate::compare::Comparison;
use crate::compare::origin::Answer;
use crate::finding::{Error, Findings, Result};

/// Most findings shown as text: who has more wants to count or filter them.
const MAX_SHOWN: usize = 500;

/// What findings and summaries look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs; the schema is described in [`json`].
    Json,
    /// For code scanning: SARIF 2.1.0, of a check.
    Sarif,
    /// For viewers of test results, of a check.
    Junit,
    /// For GitHub's workflows, of a check.
    Github,
    /// For `git apply`, of a comparison.
    Patch,
    /// For a browser, of a comparison.
    Html,
}

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// As the terminal and `NO_COLOR` say.
    #[default]
    Auto,
    /// Even into a pipe.
    Always,
    /// Not at all.
    Never,
}

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Verbosity {
    /// Findings and errors only.
    Quiet,
    /// Also what was done.
    #[default]
    Normal,
    /// Also the details.
    Verbose,
}

/// How one run reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Text or JSON.
    pub format: Format,
    /// Colours.
    pub color: Color,
    /// Amount.
    pub verbosity: Verbosity,
    /// Whether long text goes straight to a terminal.
    pub no_pager: bool,
}

/// Where a run reports to.
pub struct Console {
    out: Box<dyn Write + Send>,
    err: Box<dyn Write + Send>,
    terminals: bool,
    style: Style,
    command: &'static str,
    notes: Vec<String>,
}

impl Console {
    /// The process's own streams.
    pub fn process() -> Console {
        let mut console = Console::new(Box::new(io::stdout()), Box::new(io::stderr()));
        console.terminals = true;
        console
    }

    /// Any two streams, neither of them a terminal.
    pub fn new(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>) -> Console {
        let (style, notes) = (Style::default(), Vec::new());
        Console { out, err, terminals: false, style, command: "", notes }
    }

    /// Sets the style, and the name of the command for JSON documents.
    pub fn configure(&mut self, command: &'static str, style: Style) {
        self.command = command;
        self.style = style;
    }

    fn paint(&self, auto: impl Fn() -> ColorChoice) -> Paint {
        let on = match self.style.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => self.terminals && auto() != ColorChoice::Never,
        };
        Paint { on }
    }

    fn out_paint(&self) -> Paint {
        self.paint(|| AutoStream::choice(&io::stdout()))
    }

    fn err_paint(&self) -> Paint {
        self.paint(|| AutoStream::choice(&io::stderr()))
    }

    fn json(&self) -> bool {
        self.style.format == Format::Json
    }

    /// Writes a command's result to standard output, byte for byte.
    ///
    /// # Errors
    /// The stream can't be written. A reader that went away is no error: nobody is left to tell.
    pub fn output(&mut self, bytes: &[u8]) -> Result<()> {
        match self.out.write_all(bytes).and_then(|()| self.out.flush()) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                self.out = Box::new(io::sink());
                Ok(())
            }
            Err(e) => Err(Error::usage(format!("standard output can't be written: {e}"))),
        }
    }

    /// Writes a result that may be long: on a terminal by way of the user's pager.
    ///
    /// # Errors
    /// As for [`Console::output`].
    pub fn page(&mut self, bytes: &[u8]) -> Result<()> {
        let watched = self.terminals && !self.style.no_pager && !self.json();
        match watched && io::stdout().is_terminal() && pager::show(bytes) {
            true => Ok(()),
            false => self.output(bytes),
        }
    }

    /// Standard error has no second place for its own troubles.
    fn say(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush());
    }

    /// Says in one line what is being done or was chosen, and why.
    pub fn note(&mut self, text: &str) {
        if self.json() {
            self.notes.push(text.to_owned());
        } else if self.style.verbosity >= Verbosity::Normal {
            let line = format!("{}\n", one_line(text));
            self.say(&line);
        }
    }

    /// Shows the findings of a command whose result goes to standard output.
    pub fn findings(&mut self, findings: &Findings) {
        if self.json() {
            let document = json::findings(self.command, &self.notes, findings);
            return self.say(&document);
        }
        let paint = self.err_paint();
        let sorted = findings.clone().sorted();
        for finding in sorted.iter().take(MAX_SHOWN) {
            let text = text::finding(finding, paint);
            self.say(&text);
        }
        if let Some(more) = sorted.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
            self.say(&format!("... and {more} more findings; --format json has them all\n"));
        }
    }

    /// Shows what an import found and did.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn import(&mut self, done: &summary::ImportSummary, findings: &Findings) -> Result<()> {
        if self.json() {
            let document = json::import(self.command, &self.notes, findings, done);
            return self.output(document.as_bytes());
        }
        self.findings(findings);
        if self.style.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let verbose = self.style.verbosity == Verbosity::Verbose;
        let text = summary::import(done, self.out_paint(), verbose);
        self.output(text.as_bytes())
    }

    /// Shows what a Linux tree has changed.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn audit(&mut self, found: &audit::AuditSummary, findings: &Findings) -> Result<()> {
        if self.json() {
            let document = json::audit(self.command, &self.notes, findings, found);
            return self.output(document.as_bytes());
        }
        self.findings(findings);
        if self.style.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let text = audit::audit(found, self.out_paint());
        self.page(text.as_bytes())
    }

    /// Shows two forms side by side.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn compare(&mut self, found: &Comparison, findings: &Findings) -> Result<()> {
        if self.json() {
            let document = json::compare(self.command, &self.notes, found, findings);
            return self.output(document.as_bytes());
        }
        self.findings(findings);
        if self.style.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let verbose = self.style.verbosity == Verbosity::Verbose;
        let text = compare::compare(found, self.out_paint(), verbose);
        self.page(text.as_bytes())
    }

    /// The document of two forms side by side, for a file.
    pub fn compared(&self, found: &Comparison, findings: &Findings, format: Format) -> String {
        match format {
            Format::Json => json::compare(self.command, &self.notes, found, findings),
            _ => compare::document(found),
        }
    }

    /// Says what a page holds that was written to a file.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn review(&mut self, done: &page::PageSummary, findings: &Findings) -> Result<()> {
        if self.json() {
            let document = json::page(self.command, &self.notes, findings, done);
            return self.output(document.as_bytes());
        }
        self.findings(findings);
        if self.style.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let text = page::summary(done, self.out_paint());
        self.output(text.as_bytes())
    }

    /// Shows where a line comes from.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn origin(&mut self, answer: &Answer) -> Result<()> {
        let text = match self.json() {
            true => json::origin(self.command, &self.notes, answer),
            false => origin::origin(answer, self.out_paint()),
        };
        self.page(text.as_bytes())
    }

    /// Shows what was patched.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn patch(&mut self, done: &patch::PatchSummary, findings: &Findings) -> Result<()> {
        if self.json() {
            let document = json::patch(self.command, &self.notes, findings, done);
            return self.output(document.as_bytes());
        }
        self.findings(findings);
        if self.style.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let text = patch::patch(done, self.out_paint());
        self.output(text.as_bytes())
    }

    /// Shows whether patches are what they say.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn verdicts(&mut self, found: &[patch::Verdict]) -> Result<()> {
        let text = match self.json() {
            true => json::verdicts(self.command, &self.notes, found),
            false => patch::verdicts(found, self.out_paint()),
        };
        self.output(text.as_bytes())
    }

    /// Shows the rules of a ruleset.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn rules(&mut self, table: &summary::RuleTable) -> Result<()> {
        let text = match self.json() {
            true => json::rules(self.command, table, &Findings::default()),
            false => summary::rules(table, self.out_paint()),
        };
        self.page(text.as_bytes())
    }

    /// Shows what is wrong with a ruleset.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn checked(&mut self, table: &summary::RuleTable, findings: &Findings) -> Result<()> {
        if self.json() {
            let document = json::rules(self.command, table, findings);
            return self.output(document.as_bytes());
        }
        self.findings(findings);
        self.note(&summary::checked(table, findings.errors()));
        Ok(())
    }

    /// Shows what a check came to.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn check(&mut self, record: &Record, format: Format, shown: check::Shown) -> Result<()> {
        let text = match format {
            Format::Text => check::text(record, shown, self.style.verbosity, self.out_paint()),
            other => check::document(record, other, shown),
        };
        self.page(text.as_bytes())
    }

    /// Shows the files of some rules.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn rule_files(&mut self, table: &summary::RuleTable, files: &[Vec<u8>]) -> Result<()> {
        match self.json() {
            true => self.rules(table),
            false => self.page(&files.join(&b'\n')),
        }
    }

    /// Shows the findings about a file on standard output, and which rules made its changed lines.
    pub fn explain(&mut self, lines: &[explain::ChangedLine], findings: &Findings) {
        if self.json() {
            let document = json::explanation(self.command, &self.notes, findings, lines);
            return self.say(&document);
        }
        let text = explain::text(lines, self.err_paint());
        self.say(&text);
        self.findings(findings);
    }

    /// Shows the error that ends the run.
    pub fn error(&mut self, error: &Error) {
        let text = match self.json() {
            true => json::error(self.command, &self.notes, error),
            false => error::text(error, self.err_paint()),
        };
        self.say(&text);
    }

    /// Shows what the command line parser has to say: help on standard output, an error elsewhere.
    ///
    /// # Errors
    /// Standard output can't be written.
    pub fn usage(&mut self, plain: &str, styled: &str, is_help: bool) -> Result<()> {
        let paint = if is_help { self.out_paint() } else { self.err_paint() };
        let text = if paint.on { styled } else { plain };
        if is_help {
            return self.output(text.as_bytes());
        }
        self.say(text);
        Ok(())
    }

    /// A progress display; it shows nothing unless someone watches a terminal.
    pub fn progress(&self) -> Progress {
        let watched = self.terminals
            && io::stderr().is_terminal()
            && !self.json()
            && self.style.verbosity >= Verbosity::Normal;
        Progress::new(watched)
    }
}
