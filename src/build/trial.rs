//! Runs the import on this machine: programs of the ruleset, linked with all of it, with sanitisers and
//! without.
//!
//! What such a program writes to standard output is read line by line: `FAULT words` is a finding,
//! `ASSERT file:line` an assertion that failed, `COUNT number words` is summed up and told, and `DONE`
//! comes last.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rayon::prelude::*;

use super::compile::KERNEL;
use super::diagnostics;
use super::gather::Gathered;
use super::process::{self, Outcome};
use super::toolchain::{PATIENCE, Toolchain};
use super::workspace::Workspace;
use super::{Against, Trial};
use crate::finding::{Error, Finding, Result};

/// The program that tries everything: `check full|brief PART PARTS SEED`.
const CHECK: &str = "harness/programs/check.c";
/// The program that writes frames for others, or reads those of others: `exchange write|read FOLDER SEED`.
const EXCHANGE: &str = "harness/programs/exchange.c";
/// What is linked with each program.
const SHARED: &str = "harness/common/";
/// In how many parts a program's work is split.
const PARTS: usize = 8;
/// How long one of them may take.
const LIMIT: Duration = Duration::from_secs(180);

/// As a kernel would have it.
const PLAIN: &[&str] = &["-O2", "-fno-strict-overflow"];
/// With sanitisers. Offsets from null pointers and what compares pointers are left aside, as in kernels.
const SANITIZED: &[&str] = &[
    "-O1",
    "-g1",
    "-fno-omit-frame-pointer",
    "-fsanitize=address,undefined",
    "-fno-sanitize=pointer-overflow",
    "-fno-sanitize-recover=all",
    "-include",
    "../trials/harness/asserts.h",
];
/// Trailing arrays end where they say they do.
const STRICT: &str = "-fstrict-flex-arrays=3";

/// What is needed for all programs.
pub(super) struct Trier<'a> {
    pub(super) workspace: &'a Workspace<'a>,
    /// Compilers whose programs run here.
    pub(super) natives: &'a [&'a Toolchain],
    pub(super) seed: u64,
}

/// A program, ready to run.
struct Program {
    path: PathBuf,
    /// How it was built, in words.
    build: String,
}

impl Trier<'_> {
    /// Tries everything.
    ///
    /// # Errors
    /// The workspace can't be written, or the other import can't be built.
    pub(super) fn all(
        &self,
        ways: Trial,
        against: Option<Against<'_>>,
        notes: &mut Vec<String>,
        gathered: &mut Gathered,
    ) -> Result<()> {
        if self.workspace.trial_source(CHECK).is_none() {
            notes.push("not run: the ruleset has no program that tries the library".to_owned());
            return Ok(());
        }
        let Some(plain) = self.natives.first() else {
            notes.push("not run: no compiler for this machine".to_owned());
            return Ok(());
        };
        let tree = self.workspace.tree();
        let sources: Vec<String> =
            self.workspace.units().iter().map(|path| path.as_str().to_owned()).collect();
        let mut programs = Vec::new();
        if ways != Trial::Sanitized {
            let build = plain.to_string();
            let mode = if ways == Trial::All { "full" } else { "brief" };
            match self.program(plain, (&tree, &sources), PLAIN, CHECK, "plain")? {
                Ok(path) => programs.push((Program { path, build }, mode)),
                Err(said) => self.not_built(said, &build, gathered),
            }
        }
        if ways != Trial::Plain {
            programs.extend(self.sanitized((&tree, &sources), notes, gathered)?);
        }
        self.check(&programs, notes, gathered);
        match against {
            Some(against) => self.exchange(plain, &sources, against, notes, gathered),
            None => Ok(()),
        }
    }

    /// The program that tries everything, with sanitisers, if it can be built.
    fn sanitized(
        &self,
        import: (&Path, &[String]),
        notes: &mut Vec<String>,
        gathered: &mut Gathered,
    ) -> Result<Option<(Program, &'static str)>> {
        let Some((toolchain, flags)) = self.sanitizing() else {
            notes.push("not run with sanitizers: no compiler here has them".to_owned());
            return Ok(None);
        };
        let strict = if flags.contains(&STRICT) { "" } else { ", without strict arrays" };
        let build = format!("{toolchain} with sanitizers{strict}");
        if !strict.is_empty() {
            notes.push(format!("no compiler here has sanitizers and knows {STRICT}"));
        }
        Ok(match self.program(toolchain, import, &flags, CHECK, "sanitized")? {
            Ok(path) => Some((Program { path, build }, "brief")),
            Err(said) => {
                self.not_built(said, &build, gathered);
                None
            }
        })
    }

    fn not_built(&self, said: String, build: &str, gathered: &mut Gathered) {
        let said = self.workspace.without_name(&said);
        let message = format!("the library can't be built to be run: {said}");
        gathered.add(Finding::error("build-error", message.clone()), &message, build);
    }

    /// A compiler with sanitisers, and what it is told: the strictest there is.
    fn sanitizing(&self) -> Option<(&Toolchain, Vec<&'static str>)> {
        let able = |flags: &[&str]| {
            self.natives.iter().copied().find(|toolchain| self.runs(toolchain, flags))
        };
        let strict = [SANITIZED, &[STRICT][..]].concat();
        if let Some(toolchain) = able(&strict) {
            return Some((toolchain, strict));
        }
        able(SANITIZED).map(|toolchain| (toolchain, SANITIZED.to_vec()))
    }

    /// Whether a compiler can make programs with these switches that run.
    fn runs(&self, toolchain: &Toolchain, flags: &[&str]) -> bool {
        let Ok(source) = self.workspace.write("probe.c", b"int main(void) { return 0; }\n") else {
            return false;
        };
        let program = source.with_extension("probe");
        let mut command = toolchain.bare(self.workspace);
        command.args(flags).arg("-Werror").arg("-o").arg(&program).arg(&source);
        let succeeded = |command| {
            self.workspace.run(command, PATIENCE).is_ok_and(|outcome| outcome.succeeded())
        };
        succeeded(command) && succeeded(Command::new(&program))
    }

    /// Builds a program with an import whose top is `tree`.
    fn program(
        &self,
        toolchain: &Toolchain,
        (tree, sources): (&Path, &[String]),
        flags: &[&str],
        program: &str,
        name: &str,
    ) -> Result<Result<PathBuf, String>> {
        let folder = self.workspace.folder(&format!("programs/{name}"))?;
        let mut all = sources.to_vec();
        for of in [KERNEL, SHARED] {
            all.extend(self.workspace.trials(of, ".c").iter().map(|path| Workspace::trial(path)));
        }
        all.push(Workspace::trial(program));
        let objects: Result<Vec<PathBuf>, String> = all
            .par_iter()
            .map(|source| {
                let object = folder.join(format!("{}.o", source.replace('/', "__")));
                if object.exists() {
                    return Ok(object);
                }
                let mut command = toolchain.hosted(self.workspace, tree);
                command.args(flags).args(["-c", "-o"]).arg(&object).arg(source);
                self.workspace.finished(command).map(|()| object)
            })
            .collect();
        Ok(objects.and_then(|objects| {
            let stem = program.rsplit('/').next().unwrap_or(program);
            let path = folder.join(stem).with_extension("run");
            let mut command = toolchain.bare(self.workspace);
            let sanitize = flags.iter().filter(|flag| flag.starts_with("-fsanitize"));
            command.args(sanitize).arg("-o").arg(&path).args(&objects);
            self.workspace.finished(command).map(|()| path)
        }))
    }

    /// Runs the parts of the checks.
    fn check(
        &self,
        programs: &[(Program, &str)],
        notes: &mut Vec<String>,
        gathered: &mut Gathered,
    ) {
        let parts: Vec<_> = programs
            .iter()
            .flat_map(|(program, mode)| (0..PARTS).map(move |part| (program, *mode, part)))
            .collect();
        let results: Vec<_> = parts
            .into_par_iter()
            .map(|(program, mode, part)| {
                let mut command = Command::new(&program.path);
                command.arg(mode).args([part, PARTS].map(|n| n.to_string()));
                command.arg(self.seed.to_string());
                (program, self.run(command))
            })
            .collect();
        let mut counts: BTreeMap<&str, BTreeMap<String, u64>> = BTreeMap::new();
        for (program, report) in results {
            let sums = counts.entry(&program.build).or_default();
            for (what, count) in &report.counts {
                *sums.entry(what.clone()).or_default() += count;
            }
            self.tell(&report, &program.build, "", gathered);
        }
        for (build, sums) in counts {
            let list: Vec<String> = sums.iter().map(|(what, n)| format!("{n} {what}")).collect();
            notes.push(format!("run on this machine, {build}: {}", list.join(", ")));
        }
    }

    /// Each import reads what the other one writes.
    fn exchange(
        &self,
        toolchain: &Toolchain,
        sources: &[String],
        against: Against<'_>,
        notes: &mut Vec<String>,
        gathered: &mut Gathered,
    ) -> Result<()> {
        let name = against.name;
        if self.workspace.trial_source(EXCHANGE).is_none() {
            notes.push(format!("frames of {name} not read: the ruleset has no program for it"));
            return Ok(());
        }
        let cannot = |said: String| {
            let said = self.workspace.without_name(&said);
            Error::input(format!("the import {name} can't be built: {said}"))
                .hint("leave --against out, or name an import that compiles")
        };
        for (path, bytes) in against.files {
            self.workspace.write(&format!("against/{path}"), bytes)?;
        }
        let tree = self.workspace.tree();
        let folder = sources.first().and_then(|path| path.split('/').next()).unwrap_or("lib");
        let below = format!("{folder}/");
        let others = against
            .files
            .keys()
            .filter(|path| path.as_str().starts_with(&below) && path.extension() == Some("c"));
        let others: Vec<String> = others.map(|path| path.as_str().to_owned()).collect();
        let other_tree = self.workspace.folder("against")?;
        let other = self.program(toolchain, (&other_tree, &others), PLAIN, EXCHANGE, "against")?;
        let other = other.map_err(cannot)?;
        let own = match self.program(toolchain, (&tree, sources), PLAIN, EXCHANGE, "plain")? {
            Ok(own) => own,
            Err(said) => {
                self.not_built(said, &toolchain.to_string(), gathered);
                return Ok(());
            }
        };
        let ways = [
            (&own, &other, "frames", format!("{name} reads what this import writes")),
            (&other, &own, "others", format!("this import reads what {name} writes")),
        ];
        for (writer, reader, folder, what) in ways {
            let folder = self.workspace.folder(folder)?;
            let run = |program: &Path, mode: &str| {
                let mut command = Command::new(program);
                command.arg(mode).arg(&folder).arg(self.seed.to_string());
                self.run(command)
            };
            let written = run(writer, "write");
            self.tell(&written, &toolchain.to_string(), &format!("{what}: "), gathered);
            let read = run(reader, "read");
            self.tell(&read, &toolchain.to_string(), &format!("{what}: "), gathered);
            let list = read.counts.iter().map(|(what, n)| format!("{n} {what}"));
            notes.push(format!("{what}: {}", list.collect::<Vec<_>>().join(", ")));
        }
        Ok(())
    }

    fn run(&self, mut command: Command) -> Report {
        command
            .current_dir(self.workspace.tree())
            .env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1")
            .env("UBSAN_OPTIONS", "print_stacktrace=0");
        match self.workspace.run(command, LIMIT) {
            Ok(outcome) => Report::read(&outcome),
            Err(said) => Report { ending: Some(said), ..Report::default() },
        }
    }

    /// Makes findings of what a program said.
    fn tell(&self, report: &Report, build: &str, before: &str, gathered: &mut Gathered) {
        for fault in &report.faults {
            let message = format!("{before}{fault}");
            gathered.add(Finding::error("round-trip", message.clone()), &message, build);
        }
        for (file, line) in &report.asserts {
            let mut finding = Finding::error("assertion", "an assertion of upstream's fails");
            finding.labels.extend(self.workspace.label(file, *line, 0, "this one"));
            gathered.add(finding, &format!("{file}:{line}"), build);
        }
        for fault in &report.sanitizer {
            let message = format!("{before}{}", fault.message);
            let mut finding = Finding::error("sanitizer", message);
            let upstream = |frame: &&(String, usize, usize)| self.workspace.is_upstream(&frame.0);
            let frame = fault.frames.iter().find(upstream).or_else(|| fault.frames.first());
            finding.labels.extend(frame.and_then(|(file, line, column)| {
                self.workspace.label(file, *line, *column, "here")
            }));
            gathered.add(finding, &fault.message, build);
        }
        if let Some(ending) = &report.ending
            && report.sanitizer.is_empty()
        {
            let message = format!("{before}the program that tries the library broke off: {ending}");
            gathered.add(Finding::error("round-trip", message.clone()), &message, build);
        }
    }
}

/// What a program said.
#[derive(Debug, Default)]
struct Report {
    faults: Vec<String>,
    asserts: Vec<(String, usize)>,
    counts: BTreeMap<String, u64>,
    sanitizer: Vec<diagnostics::Fault>,
    /// How it ended, where it didn't end well.
    ending: Option<String>,
}

impl Report {
    fn read(outcome: &Outcome) -> Report {
        let mut report =
            Report { sanitizer: diagnostics::sanitizer(&outcome.err), ..Report::default() };
        let mut done = false;
        for line in outcome.out.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "FAULT" => report.faults.push(process::plain(rest)),
                "ASSERT" => {
                    let place = rest.rsplit_once(':');
                    let place =
                        place.and_then(|(file, n)| Some((file.to_owned(), n.parse().ok()?)));
                    report.asserts.extend(place);
                }
                "COUNT" => {
                    let count = rest
                        .split_once(' ')
                        .and_then(|(n, what)| Some((process::plain(what), n.parse::<u64>().ok()?)));
                    if let Some((what, n)) = count {
                        *report.counts.entry(what).or_default() += n;
                    }
                }
                "DONE" => done = true,
                _ => {}
            }
        }
        if !done || outcome.status.is_none() {
            report.ending = Some(outcome.ending(LIMIT));
        }
        report
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn of(script: &str) -> Report {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Report::read(&process::run(command, LIMIT, &|| false).unwrap())
    }

    #[test]
    fn what_a_program_says_is_read() {
        let report = of("echo COUNT 3 round trips; echo COUNT 4 round trips; echo x y; \
            echo FAULT level 3: no; echo ASSERT lib/a.c:12; echo DONE; exit 1");
        assert_eq!(report.counts.into_iter().collect::<Vec<_>>(), [("round trips".to_owned(), 7)]);
        assert_eq!(report.faults, ["level 3: no"]);
        assert_eq!(report.asserts, [("lib/a.c".to_owned(), 12)]);
        assert_eq!(report.ending, None);
    }

    #[test]
    fn a_program_that_breaks_off_is_no_success() {
        assert!(of("echo COUNT 3 x; kill -SEGV $$").ending.unwrap().contains("signal"));
        assert!(of("exit 0").ending.is_some());
    }
}
