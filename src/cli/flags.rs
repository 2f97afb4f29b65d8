//! The flags as they are typed. Their help is the manual: every page is made from it.

mod audit;
mod bench;
mod check;
mod diff;
mod explain;
mod fold;
mod import;
mod pages;
mod patch;
mod report;
mod reporting;
mod rules;
mod shared;
mod transform;
mod verify;

use clap::{Parser, Subcommand};

use crate::report::console::{Format, Style};

pub(super) use audit::Audit;
pub(super) use bench::Bench;
pub(super) use check::Check;
pub(super) use diff::Diff;
pub(super) use explain::Explain;
pub(super) use fold::Fold;
pub(super) use import::Import;
pub(super) use pages::{Completions, Man};
pub(super) use patch::Patch;
pub(super) use report::{Report, ReportCommand};
pub(super) use rules::{Rules, RulesCommand};
pub(super) use shared::{LinuxTree, Upstream};
pub(super) use transform::Transform;
pub(super) use verify::Verify;

/// Turn a release of upstream zstd into the form the Linux kernel carries
///
/// Reads a release, folds the conditionals that a kernel build decides, rewrites includes, names,
/// calls, comments and licence lines as the rules say, and writes the result as a folder that goes
/// into a Linux tree. Every change is a rule's; what no rule covers is a finding that points at the
/// upstream file and line.
#[derive(Parser, Debug)]
#[command(name = "kernelize", version, after_long_help = CLI_HELP, max_term_width = 100)]
#[command(arg_required_else_help = true)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
    #[command(flatten)]
    pub(super) report: reporting::Report,
}

impl Cli {
    /// How the run reports: where the document goes to a file, people read what the streams have.
    pub(super) fn style(&self) -> Style {
        let style = self.report.style();
        match &self.command {
            Command::Check(check) if check.output.is_some() => {
                Style { format: Format::Text, ..style }
            }
            Command::Diff(diff) if diff.output.is_some() => Style { format: Format::Text, ..style },
            Command::Report(report) if report.writes_to_file() => {
                Style { format: Format::Text, ..style }
            }
            _ => style,
        }
    }
}

const CLI_HELP: &str = "\
Examples:
  kernelize patch v1.5.7 --linux ~/linux       make a patch for a Linux tree
  kernelize import                             import the newest release there is
  kernelize diff v1.5.6 v1.5.7                 see what an update changes
  kernelize check --worktree                   check the checkout that one stands in
  kernelize import v1.5.6 --upstream ~/zstd    import a tag of a git repository
  kernelize fold -U _MSC_VER -D X=1 in.c       fold conditionals, as unifdef would

Exit codes:
  0   done, no findings of level error
  1   findings of level error; of `diff`, the two sides differ, or with --fail-if a bound is broken
  2   flags, rules or an output path that can't be used
  3   upstream or a file that can't be read
  70  a fault of kernelize itself";

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    Import(Import),
    Patch(Patch),
    Check(Check),
    Audit(Audit),
    Verify(Verify),
    Diff(Diff),
    Explain(Explain),
    Transform(Transform),
    Fold(Fold),
    Rules(Rules),
    Report(Report),
    Completions(Completions),
    Man(Man),
}

impl Command {
    /// The name as JSON documents give it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Command::Import(_) => "import",
            Command::Patch(_) => "patch",
            Command::Check(_) => "check",
            Command::Audit(_) => "audit",
            Command::Verify(_) => "verify",
            Command::Diff(_) => "diff",
            Command::Explain(_) => "explain",
            Command::Transform(_) => "transform",
            Command::Fold(_) => "fold",
            Command::Rules(Rules { command: RulesCommand::List, .. }) => "rules list",
            Command::Rules(Rules { command: RulesCommand::Check, .. }) => "rules check",
            Command::Rules(Rules { command: RulesCommand::Show { .. }, .. }) => "rules show",
            Command::Report(Report { command: Some(ReportCommand::Merge(_)), .. }) => {
                "report merge"
            }
            Command::Report(Report { command: None, .. }) => "report",
            Command::Completions(_) => "completions",
            Command::Man(_) => "man",
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_flags_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
