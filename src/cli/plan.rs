//! Plans in which nothing is left open, and the command that each one is for.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory};

use super::flags::{self, Cli, Command, ReportCommand, RulesCommand};
use crate::commands::check::{self, Subject};
use crate::commands::held::{Place, Sources};
use crate::commands::patching::{Start, Way};
use crate::commands::read::Input;
use crate::commands::{
    Outcome, audit, completions, diff, explain, fold, import, man, patch, report, review, rules,
    transform, verify,
};
use crate::finding::{Error, Result};
use crate::report::console::{Console, Format};
use crate::upstream::Location;

/// What is to be done.
#[derive(Debug)]
pub(super) enum Plan {
    Import(import::Plan),
    Patch(Box<patch::Plan>),
    Check(Box<check::Plan>),
    Audit(audit::Plan),
    Verify(verify::Plan),
    Diff(Box<diff::Plan>),
    Explain(explain::Plan),
    Transform(transform::Plan),
    Fold(fold::Plan),
    Rules(rules::Plan),
    Report(report::Plan),
    Review(Box<review::Plan>),
    Completions(Vec<u8>),
    Man(man::Plan),
}

impl Plan {
    /// Does it.
    pub(super) fn run(&self, console: &mut Console) -> Result<Outcome> {
        match self {
            Plan::Import(plan) => import::run(plan, console),
            Plan::Patch(plan) => patch::run(plan, console),
            Plan::Check(plan) => check::run(plan, console),
            Plan::Audit(plan) => audit::run(plan, console),
            Plan::Verify(plan) => verify::run(plan, console),
            Plan::Diff(plan) => diff::run(plan, console),
            Plan::Explain(plan) => explain::run(plan, console),
            Plan::Transform(plan) => transform::run(plan, console),
            Plan::Fold(plan) => fold::run(plan, console),
            Plan::Rules(plan) => rules::run(plan, console),
            Plan::Report(plan) => report::run(plan, console),
            Plan::Review(plan) => review::run(plan, console),
            Plan::Completions(script) => completions::run(script, console),
            Plan::Man(plan) => man::run(plan, console),
        }
    }
}

/// Makes the plan for a command line. `matches` is what `command` was made from: it alone knows the
/// order of flags.
pub(super) fn resolve(command: Command, matches: &ArgMatches) -> Result<Plan> {
    Ok(match command {
        Command::Import(flags) => Plan::Import(import(flags)?),
        Command::Patch(flags) => Plan::Patch(Box::new(patch(flags)?)),
        Command::Check(flags) => Plan::Check(Box::new(check(flags)?)),
        Command::Audit(flags) => Plan::Audit(audit(flags)?),
        Command::Verify(flags) => Plan::Verify(verify(flags)?),
        Command::Diff(flags) => Plan::Diff(Box::new(diff(flags)?)),
        Command::Explain(flags) => Plan::Explain(explain(flags)?),
        Command::Transform(flags) => Plan::Transform(transform(flags)),
        Command::Rules(flags) => Plan::Rules(rules(flags)),
        Command::Report(flags) => report(flags)?,
        Command::Fold(flags) => Plan::Fold(fold(flags, matches)),
        Command::Completions(flags) => Plan::Completions(script(&flags)),
        Command::Man(flags) => Plan::Man(manual(flags.folder)?),
    })
}

fn import(flags: flags::Import) -> Result<import::Plan> {
    Ok(import::Plan {
        sources: sources(flags.release, flags.upstream)?,
        rules: flags.ruleset.rules,
        profile: flags.profile.profile,
        kernel: flags.kernel,
        out: flags.out,
        force: flags.force,
    })
}

fn sources(release: Option<String>, flags: flags::Upstream) -> Result<Sources> {
    Ok(Sources { release, upstream: location(flags.upstream)?, offline: flags.offline })
}

fn place(flags: flags::LinuxTree) -> Result<Option<Place>> {
    let made_from = location(flags.made_from)?;
    Ok(flags.linux.map(|linux| Place { linux, base: flags.base, made_from }))
}

/// An empty variable is as good as none.
fn location(source: Option<String>) -> Result<Option<Location>> {
    source.filter(|source| !source.is_empty()).map(|source| source.parse()).transpose()
}

fn patch(flags: flags::Patch) -> Result<patch::Plan> {
    let start = match (place(flags.tree)?, flags.from) {
        (Some(place), _) => Start::Tree(place),
        (None, Some(release)) => Start::Import { release, kernel: flags.kernel },
        (None, None) => Start::Nothing { kernel: flags.kernel },
    };
    let output = flags.output.map(|path| match path == Path::new("-") {
        true => patch::Output::Standard,
        false => patch::Output::Path(path),
    });
    Ok(patch::Plan {
        way: Way {
            sources: sources(flags.release, flags.upstream)?,
            rules: flags.ruleset.rules,
            profile: flags.profile.profile,
            start,
            keep: flags.keep.into_iter().collect(),
            drop: flags.drop.into_iter().collect(),
        },
        output,
        author: flags.author,
        signoff: flags.signoff,
        split: flags.split,
        commit: flags.commit,
    })
}

fn check(flags: flags::Check) -> Result<check::Plan> {
    let subject = match (flags.revision, flags.worktree) {
        (_, true) => Subject::WorkTree,
        (None, false) => Subject::Revision(None),
        (Some(text), false) => Subject::parse(&text, flags.all_parents)?,
    };
    let shard = flags.shard.map(|text| text.parse()).transpose()?;
    if !matches!(subject, Subject::Range(_)) && (flags.all_parents || shard.is_some()) {
        let flag = if shard.is_some() { "--shard" } else { "--all-parents" };
        return Err(Error::usage(format!("{flag} is about a range of commits"))
            .hint("write the range as A..B"));
    }
    Ok(check::Plan {
        subject,
        sources: sources(None, flags.upstream)?,
        rules: flags.ruleset.rules,
        profile: flags.profile.profile,
        kernel: flags.kernel,
        build: flags.build.then_some(check::Build {
            linux: flags.linux,
            against: flags.against,
            seed: flags.seed,
        }),
        view: check::View {
            format: flags.format.into(),
            output: flags.output,
            max_findings: flags.max_findings,
        },
        jobs: flags.jobs.map(usize::from),
        shard,
        baseline: flags.baseline,
        suggest: flags.suggest,
        cache: !flags.no_cache,
    })
}

fn report(flags: flags::Report) -> Result<Plan> {
    let Some(ReportCommand::Merge(flags)) = flags.command else {
        return Ok(Plan::Review(Box::new(review(flags)?)));
    };
    let view = check::View {
        format: flags.format.into(),
        output: flags.output,
        max_findings: flags.max_findings,
    };
    Ok(Plan::Report(report::Plan { reports: flags.reports, view }))
}

fn review(flags: flags::Report) -> Result<review::Plan> {
    // The parser has seen to both.
    let missing = |what: &str| Error::usage(format!("{what} is missing"));
    let output = flags.output.ok_or_else(|| missing("--output"))?;
    Ok(review::Plan {
        subject: flags.subject.ok_or_else(|| missing("SUBJECT"))?.parse()?,
        place: place(flags.tree)?,
        sources: sources(None, flags.upstream)?,
        rules: flags.ruleset.rules,
        profile: flags.profile.profile,
        kernel: flags.kernel,
        output: Some(output).filter(|path| path != Path::new("-")),
    })
}

fn verify(flags: flags::Verify) -> Result<verify::Plan> {
    Ok(verify::Plan {
        patches: flags.patches,
        place: place(flags.tree)?,
        sources: sources(None, flags.upstream)?,
        rules: flags.ruleset.rules,
    })
}

fn audit(flags: flags::Audit) -> Result<audit::Plan> {
    let place = place(flags.tree)?;
    Ok(audit::Plan {
        // The parser has seen to it.
        place: place.ok_or_else(|| Error::usage("--linux is missing"))?,
        sources: sources(flags.release, flags.upstream)?,
        rules: flags.ruleset.rules,
        profile: flags.profile.profile,
    })
}

fn diff(flags: flags::Diff) -> Result<diff::Plan> {
    let format: Format = flags.format.into();
    let measures = match (&flags.bench.bench, flags.build) {
        (_, true) => Some("--build"),
        // A gate speaks by the exit code.
        (Some(_), false) if flags.bench.fail_if.is_empty() => Some("--bench"),
        _ => None,
    };
    if let (Some(flag), Format::Patch, None) = (measures, format, &flags.output) {
        return Err(Error::usage(format!("a plain patch has no place for what {flag} measures"))
            .hint(format!("leave {flag} out, or name a file for the patch by -o")));
    }
    let rules = flags.ruleset.rules;
    let profile = flags.profile.profile;
    Ok(diff::Plan {
        old: diff::Way {
            subject: flags.old.parse()?,
            rules: flags.rules_old.or_else(|| rules.clone()),
            profile: flags.profile_old.or_else(|| profile.clone()),
        },
        new: diff::Way { subject: flags.new.parse()?, rules, profile },
        place: place(flags.tree)?,
        sources: sources(None, flags.upstream)?,
        kernel: flags.kernel,
        format,
        output: flags.output,
        stat: flags.stat,
        build: flags.build,
        jobs: flags.jobs.map(usize::from),
        bench: bench(flags.bench)?,
        commits: flags.commits,
    })
}

fn bench(flags: flags::Bench) -> Result<Option<diff::Bench>> {
    let Some(corpus) = flags.bench else { return Ok(None) };
    let gates = flags.fail_if.iter().map(|gate| gate.parse()).collect::<Result<_>>()?;
    Ok(Some(diff::Bench { corpus, seconds: flags.bench_time, gates }))
}

fn explain(flags: flags::Explain) -> Result<explain::Plan> {
    Ok(explain::Plan {
        place: flags.place.parse()?,
        import: flags.import,
        sources: sources(None, flags.upstream)?,
        rules: flags.ruleset.rules,
        profile: flags.profile.profile,
        kernel: flags.kernel,
    })
}

fn transform(flags: flags::Transform) -> transform::Plan {
    transform::Plan {
        input: input(&flags.file),
        rules: flags.ruleset.rules,
        release: flags.release,
        profile: flags.profile.profile,
        explain: flags.explain,
    }
}

fn rules(flags: flags::Rules) -> rules::Plan {
    let task = match flags.command {
        RulesCommand::List => rules::Task::List,
        RulesCommand::Check => rules::Task::Check,
        RulesCommand::Show { id } => rules::Task::Show(id),
    };
    rules::Plan { rules: flags.rules, task }
}

/// `-` is standard input.
fn input(path: &Path) -> Input {
    match path == Path::new("-") {
        true => Input::Stdin,
        false => Input::File(path.to_owned()),
    }
}

fn fold(flags: flags::Fold, matches: &ArgMatches) -> fold::Plan {
    let indices = |id| {
        let matches = matches.subcommand().and_then(|(_, matches)| matches.indices_of(id));
        matches.into_iter().flatten().collect::<Vec<usize>>()
    };
    let defines = flags.define.into_iter().map(|define| match define.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (define, None),
    });
    let defines: Vec<_> = indices("define").into_iter().zip(defines).collect();
    let undefines: Vec<_> = indices("undefine").into_iter().zip(flags.undefine).collect();
    // The last flag for a name holds, as with a compiler.
    let defined_last = |at: usize, name: &str| {
        !undefines.iter().any(|(other, undefined)| *other > at && undefined == name)
    };
    let undefined_last = |at: usize, name: &str| {
        !defines.iter().any(|(other, (defined, _))| *other > at && defined == name)
    };
    let inputs: Vec<_> = match flags.files.as_slice() {
        [] => vec![Input::Stdin],
        files => files.iter().map(|file| input(file)).collect(),
    };
    fold::Plan {
        defines: defines
            .iter()
            .filter(|(at, (name, _))| defined_last(*at, name))
            .map(|(_, define)| define.clone())
            .collect(),
        undefines: undefines
            .iter()
            .filter(|(at, name)| undefined_last(*at, name))
            .map(|(_, name)| name.clone())
            .collect(),
        simplify: flags.simplify.into(),
        inputs,
    }
}

fn script(flags: &flags::Completions) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut Cli::command(), "kernelize", &mut script);
    script
}

/// One page for the program and one for each command, commands below commands included.
fn manual(folder: PathBuf) -> Result<man::Plan> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    let mut waiting = vec![root];
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands().cloned());
        let source = concat!("kernelize ", env!("CARGO_PKG_VERSION"));
        let page = clap_mangen::Man::new(command).source(source);
        let mut text = Vec::new();
        page.render(&mut text)
            .map_err(|e| Error::internal(format!("a manual page can't be made: {e}")))?;
        pages.push((page.get_filename(), text));
    }
    pages.sort();
    Ok(man::Plan { folder, pages })
}
