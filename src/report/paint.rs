//! Colours, or none, decided once for each stream.

use anstyle::{AnsiColor, Style};

use crate::finding::Severity;

/// Paints or leaves text as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    /// Whether escape codes are wanted.
    pub on: bool,
}

impl Paint {
    /// `text` in `style`.
    fn style(self, style: Style, text: &str) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// For what the eye should find first.
    pub fn bold(self, text: &str) -> String {
        self.style(Style::new().bold(), text)
    }

    /// For what may be read last.
    pub fn dim(self, text: &str) -> String {
        self.style(Style::new().dimmed(), text)
    }

    /// For good news.
    pub fn good(self, text: &str) -> String {
        self.style(AnsiColor::Green.on_default().bold(), text)
    }

    /// For what came.
    pub fn come(self, text: &str) -> String {
        self.style(AnsiColor::Green.on_default(), text)
    }

    /// For what went.
    pub fn gone(self, text: &str) -> String {
        self.style(AnsiColor::Red.on_default(), text)
    }

    /// For what stands elsewhere.
    pub fn moved(self, text: &str) -> String {
        self.style(AnsiColor::Magenta.on_default(), text)
    }

    /// For the weight of a finding.
    pub fn severity(self, severity: Severity, text: &str) -> String {
        let colour = match severity {
            Severity::Error => AnsiColor::BrightRed,
            Severity::Warning => AnsiColor::Yellow,
        };
        self.style(colour.on_default().bold(), text)
    }

    /// For what to do.
    pub fn hint(self, text: &str) -> String {
        self.style(AnsiColor::BrightCyan.on_default().bold(), text)
    }
}
