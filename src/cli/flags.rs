//! The flags as they are typed. Their help is the manual: every page is made from it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::report::console::{Color, Format, Style, Verbosity};
use crate::rules::Simplify;

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
    pub(super) report: Report,
}

const CLI_HELP: &str = "\
Examples:
  kernelize patch v1.5.7 --linux ~/linux       make a patch for a Linux tree
  kernelize import                             import the newest release there is
  kernelize import v1.5.6 --upstream ~/zstd    import a tag of a git repository
  kernelize fold -U _MSC_VER -D X=1 in.c       fold conditionals, as unifdef would

Exit codes:
  0   done, no findings of level error
  1   findings of level error
  2   flags, rules or an output path that can't be used
  3   upstream or a file that can't be read
  70  a fault of kernelize itself";

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    Import(Import),
    Patch(Patch),
    Audit(Audit),
    Verify(Verify),
    Transform(Transform),
    Fold(Fold),
    Rules(Rules),
    Completions(Completions),
    Man(Man),
}

impl Command {
    /// The name as JSON documents give it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Command::Import(_) => "import",
            Command::Patch(_) => "patch",
            Command::Audit(_) => "audit",
            Command::Verify(_) => "verify",
            Command::Transform(_) => "transform",
            Command::Fold(_) => "fold",
            Command::Rules(Rules { command: RulesCommand::List, .. }) => "rules list",
            Command::Rules(Rules { command: RulesCommand::Check, .. }) => "rules check",
            Command::Rules(Rules { command: RulesCommand::Show { .. }, .. }) => "rules show",
            Command::Completions(_) => "completions",
            Command::Man(_) => "man",
        }
    }
}

/// Import a release as a folder that goes into a Linux tree
///
/// The folder holds the library's files in kernel form, at the paths they have in a Linux tree, and
/// .kernelize/import.json, which says what it was made from and which rules made each file. It is
/// written whole or not at all. A folder that stands there already is replaced only if kernelize
/// made it and nothing in it was changed since.
#[derive(Args, Debug)]
#[command(after_long_help = IMPORT_HELP)]
pub(super) struct Import {
    /// Tag, branch, commit id or any other revision that git knows
    ///
    /// A tag may be given without its prefix: 1.5.6 is v1.5.6. Without a release, the newest one
    /// that the source has is taken.
    pub(super) release: Option<String>,
    /// Read releases from SRC
    ///
    /// A git repository (a path, bare or not, or a URL, which is cloned into the cache folder by
    /// git); a folder that holds a release; a release archive (.tar.gz, .tar.zst, .tar.xz);
    /// cargo:PACKAGE@VERSION, brought by cargo; or `packages`, the releases that the rules list as
    /// packages. Without SRC, what KERNELIZE_UPSTREAM says, or else the rules' git URL, and their
    /// packages where that can't be reached.
    #[arg(long, value_name = "SRC", env = "KERNELIZE_UPSTREAM", hide_env = true)]
    pub(super) upstream: Option<String>,
    #[command(flatten)]
    pub(super) ruleset: RulesFolder,
    #[command(flatten)]
    pub(super) profile: ProfileName,
    /// Make it for the kernel VERSION, such as 6.1 [default: the newest that the rules know]
    #[arg(long, value_name = "VERSION")]
    pub(super) kernel: Option<String>,
    /// Write the folder DIR [default: ./linux-LIBRARY-VERSION]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Replace the output folder even if it was changed or made by other means
    #[arg(long)]
    pub(super) force: bool,
    /// Reach no network: use what the caches hold
    #[arg(long)]
    pub(super) offline: bool,
}

const IMPORT_HELP: &str = "\
Examples:
  kernelize import
  kernelize import v1.5.6 --upstream ~/src/zstd
  kernelize import dev --upstream https://github.com/facebook/zstd --out /tmp/dev
  kernelize import --upstream cargo:zstd-sys@2.0.16 --profile official
  kernelize import 1.5.5 --upstream packages --format json";

/// Make one reviewable patch from what a Linux tree holds to a release
///
/// The patch is a mail that `git am` takes. It says which rules were at work, what became of the
/// tree's own changes, what changes for callers, and how to make it again. It is applied once in
/// memory before it is written; nothing is written while findings of level error stand.
///
/// The tree is only read: a git repository at --base, its work tree and index untouched; a plain
/// folder as it is. Its own changes are carried over where they are still wanted; one that doesn't fit
/// needs a decision by --keep or --drop. Without --linux and --from the patch adds the library to a
/// tree that has none.
#[derive(Args, Debug)]
#[command(after_long_help = PATCH_HELP)]
pub(super) struct Patch {
    /// The release to go to: a tag, branch, commit id or any other revision
    ///
    /// Without it, the newest one that the source has.
    pub(super) release: Option<String>,
    /// The Linux tree that the patch is for: a git repository, or a plain folder
    #[arg(long, value_name = "TREE", conflicts_with_all = ["from", "kernel"])]
    pub(super) linux: Option<PathBuf>,
    /// The revision of a git repository that is read [default: HEAD]
    #[arg(long, value_name = "REV", requires = "linux")]
    pub(super) base: Option<String>,
    /// Look in SRC for the release that the tree was made from [default: what --upstream says]
    #[arg(long, value_name = "SRC", requires = "linux")]
    pub(super) made_from: Option<String>,
    /// Patch a tree that holds the unchanged import of this release
    #[arg(long, value_name = "RELEASE")]
    pub(super) from: Option<String>,
    /// The kernel that the patch is for, without a tree [default: the newest that the rules know]
    #[arg(long, value_name = "VERSION")]
    pub(super) kernel: Option<String>,
    /// Read releases from SRC, as `import` does
    #[arg(long, value_name = "SRC", env = "KERNELIZE_UPSTREAM", hide_env = true)]
    pub(super) upstream: Option<String>,
    #[command(flatten)]
    pub(super) ruleset: RulesFolder,
    #[command(flatten)]
    pub(super) profile: ProfileName,
    /// Write to PATH, - for standard output [default: ./LIBRARY-VERSION.patch]
    ///
    /// With --split the folder that the series goes into [default: ./LIBRARY-VERSION.patches].
    #[arg(short, long, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,
    /// The author [default: as git finds them: GIT_AUTHOR_NAME, user.name, ...]
    #[arg(long, value_name = "'NAME <MAIL>'")]
    pub(super) author: Option<String>,
    /// Add a Signed-off-by line of the author
    #[arg(short, long)]
    pub(super) signoff: bool,
    /// Write a series: the tree's release in its new form, the import, each change that is carried over
    #[arg(long, requires = "linux")]
    pub(super) split: bool,
    /// Also commit to the new branch BRANCH of the tree; nothing else of it is touched
    #[arg(long, value_name = "BRANCH", requires = "linux")]
    pub(super) commit: Option<String>,
    /// Keep the tree's own change ID (`kernelize audit` lists them)
    #[arg(long, value_name = "ID", requires = "linux")]
    pub(super) keep: Vec<String>,
    /// Drop the tree's own change ID
    #[arg(long, value_name = "ID", requires = "linux")]
    pub(super) drop: Vec<String>,
    /// Reach no network: use what the caches hold
    #[arg(long)]
    pub(super) offline: bool,
}

const PATCH_HELP: &str = "\
Examples:
  kernelize patch                                       add the newest release to a kernel without it
  kernelize patch v1.5.7 --linux ~/src/linux --signoff  from what the tree holds to a release
  kernelize patch v1.5.7 --linux ~/src/linux --split -o /tmp/series
  kernelize patch v1.5.7 --linux ~/src/linux --base v6.12 --commit update
  kernelize patch v1.5.7 --from v1.5.6 -o - | less";

/// List what a Linux tree has changed in its copy of the library
///
/// Finds the release that the tree's files were made from, the one that differs least, and holds each
/// hunk that is the tree's own against a release: generated (the import writes it itself), upstreamed
/// (the release has it, perhaps in other words), local (still wanted, and it fits) or conflict (somebody
/// has to decide, exit code 1). Nothing is written.
#[derive(Args, Debug)]
#[command(after_long_help = AUDIT_HELP)]
pub(super) struct Audit {
    /// The release that changes are held against: a tag, branch, commit id or any other revision
    ///
    /// Without it, the newest one that the source has.
    pub(super) release: Option<String>,
    #[command(flatten)]
    pub(super) tree: LinuxTree,
    /// Read releases from SRC, as `import` does
    #[arg(long, value_name = "SRC", env = "KERNELIZE_UPSTREAM", hide_env = true)]
    pub(super) upstream: Option<String>,
    #[command(flatten)]
    pub(super) ruleset: RulesFolder,
    #[command(flatten)]
    pub(super) profile: ProfileName,
    /// Reach no network: use what the caches hold
    #[arg(long)]
    pub(super) offline: bool,
}

const AUDIT_HELP: &str = "\
Examples:
  kernelize audit --linux ~/src/linux
  kernelize audit v1.5.6 --linux ~/src/linux --base v6.12 --upstream ~/src/zstd
  kernelize audit 1.5.7 --linux linux-source-6.1 --upstream packages --made-from ~/src/zstd";

/// Make patches again from what they say of themselves, and compare every byte
///
/// A patch names its release, rules, profile and base in its last lines. `verified` means that the same
/// bytes came out; else the first difference is shown, with its cause where it isn't an edit: another
/// version of kernelize, other rules, another base or source.
#[derive(Args, Debug)]
#[command(after_long_help = VERIFY_HELP)]
pub(super) struct Verify {
    /// The patches; - is standard input
    #[arg(value_name = "PATCH", required = true)]
    pub(super) patches: Vec<PathBuf>,
    /// The Linux tree that they are for: a git repository, or a plain folder
    #[arg(long, value_name = "TREE")]
    pub(super) linux: Option<PathBuf>,
    /// The revision of a git repository that they were made for [default: HEAD]
    #[arg(long, value_name = "REV", requires = "linux")]
    pub(super) base: Option<String>,
    /// Look in SRC for the release that the tree was made from [default: what --upstream says]
    #[arg(long, value_name = "SRC", requires = "linux")]
    pub(super) made_from: Option<String>,
    /// Read releases from SRC, as `import` does
    #[arg(long, value_name = "SRC", env = "KERNELIZE_UPSTREAM", hide_env = true)]
    pub(super) upstream: Option<String>,
    #[command(flatten)]
    pub(super) ruleset: RulesFolder,
    /// Reach no network: use what the caches hold
    #[arg(long)]
    pub(super) offline: bool,
}

const VERIFY_HELP: &str = "\
Examples:
  kernelize verify zstd-1.5.7.patch --linux ~/src/linux
  kernelize verify zstd-1.5.7.patches/*.patch --linux ~/src/linux --base v6.12";

/// Transform one file as an import would, to standard output
///
/// Findings go to standard error.
#[derive(Args, Debug)]
#[command(after_long_help = TRANSFORM_HELP)]
pub(super) struct Transform {
    /// The file, or - for standard input
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) ruleset: RulesFolder,
    /// Apply the rules for release V [default: the newest that the rules know]
    #[arg(long, value_name = "V")]
    pub(super) release: Option<String>,
    #[command(flatten)]
    pub(super) profile: ProfileName,
    /// Say on standard error which rule made each changed line
    #[arg(long)]
    pub(super) explain: bool,
}

const TRANSFORM_HELP: &str = "\
Examples:
  kernelize transform lib/compress/zstd_lazy.c | less
  kernelize transform lib/compress/zstd_opt.c --release 1.5.2 --explain >/dev/null";

/// Fold conditionals by what is known of macros, to standard output
///
/// Branches that are known not to be taken go, conditions lose what is known in them, everything
/// else stays byte for byte. A condition that isn't decided is left in the words it was written in.
/// Findings go to standard error.
#[derive(Args, Debug)]
#[command(after_long_help = FOLD_HELP)]
pub(super) struct Fold {
    /// NAME is defined: as VALUE, or with a value that is not known
    ///
    /// VALUE may be a range of integers: 5.. (5 or more), ..5 (at most 5), 2..5. Of several -D and
    /// -U for a name the last one holds.
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub(super) define: Vec<String>,
    /// NAME is not defined
    #[arg(short = 'U', long = "undefine", value_name = "NAME")]
    pub(super) undefine: Vec<String>,
    /// How far to shorten conditions that stay
    #[arg(long, value_name = "HOW", value_enum, default_value = "full")]
    pub(super) simplify: SimplifyFlag,
    /// The files, one result after the other; - or none for standard input
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
}

const FOLD_HELP: &str = "\
Examples:
  kernelize fold -U _MSC_VER -U __cplusplus in.c
  kernelize fold -D __GNUC__=5.. -DNDEBUG - <in.c >out.c";

/// How far conditions are shortened.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(super) enum SimplifyFlag {
    /// Every known operand goes
    Full,
    /// Only a known defined(NAME) at the front goes
    Leading,
}

impl From<SimplifyFlag> for Simplify {
    fn from(flag: SimplifyFlag) -> Simplify {
        match flag {
            SimplifyFlag::Full => Simplify::Full,
            SimplifyFlag::Leading => Simplify::Leading,
        }
    }
}

/// List, check and show the rules
#[derive(Args, Debug)]
#[command(after_long_help = RULES_HELP)]
pub(super) struct Rules {
    #[command(subcommand)]
    pub(super) command: RulesCommand,
    /// Use the rules in DIR instead of those built in
    #[arg(long, value_name = "DIR", global = true)]
    pub(super) rules: Option<PathBuf>,
}

const RULES_HELP: &str = "\
Examples:
  kernelize rules list
  kernelize rules show includes/limits
  kernelize rules check --rules rules/zstd";

#[derive(Subcommand, Debug)]
pub(super) enum RulesCommand {
    /// List all rules with their reasons
    List,
    /// Check the rules: their form, their order, their fixtures
    Check,
    /// Show the file of a rule
    Show {
        /// KIND/ID, or ID alone
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// Write a completion script for a shell to standard output
#[derive(Args, Debug)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(super) struct Completions {
    /// The shell
    pub(super) shell: clap_complete::Shell,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  kernelize completions bash >~/.local/share/bash-completion/completions/kernelize
  kernelize completions fish >~/.config/fish/completions/kernelize.fish";

/// Write the manual pages of all commands into a folder
#[derive(Args, Debug)]
#[command(after_long_help = MAN_HELP)]
pub(super) struct Man {
    /// The folder; it is made if need be
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
}

const MAN_HELP: &str = "\
Examples:
  kernelize man ~/.local/share/man/man1";

#[derive(Args, Debug)]
pub(super) struct RulesFolder {
    /// Use the rules in DIR instead of those built in
    #[arg(long, value_name = "DIR")]
    pub(super) rules: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(super) struct LinuxTree {
    /// The Linux tree: a git repository, or a plain folder, which is read as it is
    #[arg(long, value_name = "TREE")]
    pub(super) linux: PathBuf,
    /// The revision of a git repository that is read; its work tree is not [default: HEAD]
    #[arg(long, value_name = "REV")]
    pub(super) base: Option<String>,
    /// Look in SRC for the release that the tree was made from
    ///
    /// Without it, what --upstream says; and where that has nothing of the version, the default sources.
    #[arg(long, value_name = "SRC")]
    pub(super) made_from: Option<String>,
}

#[derive(Args, Debug)]
pub(super) struct ProfileName {
    /// The choice of rules: strict or official [default: the ruleset's first, strict]
    ///
    /// strict leaves no condition on a compiler, system or setting that a kernel build never has.
    /// official gives what the importer that comes with the releases gives.
    #[arg(long, value_name = "PROFILE")]
    pub(super) profile: Option<String>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Reporting")]
pub(super) struct Report {
    /// Report findings and results as text or as JSON
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text", global = true)]
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
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum FormatFlag {
    Text,
    Json,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ColorFlag {
    Auto,
    Always,
    Never,
}

impl Report {
    pub(super) fn style(&self) -> Style {
        Style {
            format: match self.format {
                FormatFlag::Text => Format::Text,
                FormatFlag::Json => Format::Json,
            },
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
