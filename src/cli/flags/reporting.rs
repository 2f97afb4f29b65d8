//! How a command reports.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};

use crate::report::console::{Color, Format, Style, Verbosity};

#[derive(Args, Debug)]
#[command(next_help_heading = "Reporting")]
pub(in crate::cli) struct Report {
    /// Report findings and results as text or as JSON
    #[arg(long, value_name = "FORMAT", value_parser = text_or_json(), default_value = "text")]
    #[arg(global = true)]
    format: FormatFlag,
    /// When to use colours; auto follows the terminal and NO_COLOR
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto", global = true)]
    color: ColorFlag,
    /// Say more about what is done
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Say nothing but findings and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Write to a terminal without a pager (KERNELIZE_PAGER, PAGER or less)
    #[arg(long, global = true)]
    no_pager: bool,
}

/// `check` and what it writes come in all of them, the other commands in the first two.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cli) enum FormatFlag {
    Text,
    Json,
    Sarif,
    Junit,
    Github,
    /// Of `diff`, which has a list of its own.
    #[value(skip)]
    Patch,
    /// The same.
    #[value(skip)]
    Html,
}

fn text_or_json() -> impl clap::builder::TypedValueParser<Value = FormatFlag> {
    PossibleValuesParser::new(["text", "json"]).map(|name| match name.as_str() {
        "json" => FormatFlag::Json,
        _ => FormatFlag::Text,
    })
}

/// What a comparison comes in.
pub(in crate::cli) fn of_comparison() -> impl clap::builder::TypedValueParser<Value = FormatFlag> {
    PossibleValuesParser::new(["text", "json", "html", "patch"]).map(|name| match name.as_str() {
        "json" => FormatFlag::Json,
        "html" => FormatFlag::Html,
        "patch" => FormatFlag::Patch,
        _ => FormatFlag::Text,
    })
}

impl From<FormatFlag> for Format {
    fn from(flag: FormatFlag) -> Format {
        match flag {
            FormatFlag::Text => Format::Text,
            FormatFlag::Json => Format::Json,
            FormatFlag::Sarif => Format::Sarif,
            FormatFlag::Junit => Format::Junit,
            FormatFlag::Github => Format::Github,
            FormatFlag::Patch => Format::Patch,
            FormatFlag::Html => Format::Html,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ColorFlag {
    Auto,
    Always,
    Never,
}

impl Report {
    pub(in crate::cli) fn style(&self) -> Style {
        Style {
            format: self.format.into(),
            color: match self.color {
                ColorFlag::Auto => Color::Auto,
                ColorFlag::Always => Color::Always,
                ColorFlag::Never => Color::Never,
            },
            verbosity: match (self.quiet, self.verbose) {
                (true, _) => Verbosity::Quiet,
                (_, true) => Verbosity::Verbose,
                _ => Verbosity::Normal,
            },
            no_pager: self.no_pager,
        }
    }
}
