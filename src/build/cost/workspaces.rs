//! How much memory callers ask for, as programs of the ruleset say that are linked with the kernel form.
//!
//! What such a program writes to standard output is read line by line: `CALLER name | how` says what the
//! lines after it are about, `WORKSPACE level compress decompress` is one row in bytes, where level 0 is any
//! and `-` no figure, and `DONE` comes last.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rayon::prelude::*;

use super::measured::MeasuredUse;
use crate::build::compile::KERNEL;
use crate::build::process::{Outcome, plain};
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::finding::Result;
use crate::text::TreePath;

/// The programs: each by itself, so that a form that lacks a function still answers the others.
const PROGRAMS: &str = "harness/workspaces/";
/// How long one may take.
const LIMIT: Duration = Duration::from_secs(60);
/// Most rows that are taken of one.
const MOST: usize = 1000;

/// What the programs said, and what became of those that didn't.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) uses: Vec<MeasuredUse>,
    pub(super) notes: Vec<String>,
}

/// Builds and runs all of them.
///
/// # Errors
/// The folder can't be made.
pub(super) fn all(
    workspace: &Workspace<'_>,
    native: &Toolchain,
    units: &[TreePath],
) -> Result<Told> {
    let mut told = Told::default();
    let programs = workspace.trials(PROGRAMS, ".c");
    if programs.is_empty() {
        told.notes.push("workspaces are not known: the ruleset has no program for it".to_owned());
        return Ok(told);
    }
    let asker = Asker { workspace, native, folder: workspace.folder("programs")? };
    let mut sources: Vec<String> = units.iter().map(|unit| unit.as_str().to_owned()).collect();
    sources.extend(workspace.trials(KERNEL, ".c").iter().map(|path| Workspace::trial(path)));
    let objects: Result<Vec<PathBuf>, String> =
        sources.par_iter().map(|source| asker.object(source)).collect();
    match objects {
        Ok(objects) => {
            let answers: Vec<_> =
                programs.par_iter().map(|program| asker.answer(program, &objects)).collect();
            for (program, answer) in programs.iter().zip(answers) {
                let name = program.strip_prefix(PROGRAMS).unwrap_or(program);
                let name = name.strip_suffix(".c").unwrap_or(name);
                match answer {
                    Ok(uses) => told.uses.extend(uses),
                    Err(said) => {
                        let said = workspace.without_name(&said);
                        told.notes.push(format!("workspaces for {name} are not known: {said}"));
                    }
                }
            }
        }
        Err(said) => {
            let said = workspace.without_name(&said);
            told.notes.push(format!("workspaces are not known, it can't be run here: {said}"));
        }
    }
    Ok(told)
}

struct Asker<'a> {
    workspace: &'a Workspace<'a>,
    native: &'a Toolchain,
    folder: PathBuf,
}

impl Asker<'_> {
    /// Compiles a source in a hurry: little of it runs, and what it says doesn't depend on how fast.
    fn object(&self, source: &str) -> Result<PathBuf, String> {
        let object = self.folder.join(format!("{}.o", source.replace('/', "__")));
        let mut command = self.native.hosted(self.workspace, &self.workspace.tree());
        command.args(["-O0", "-c", "-o"]).arg(&object).arg(source);
        self.workspace.finished(command).map(|()| object)
    }

    /// What a program says.
    fn answer(&self, program: &str, objects: &[PathBuf]) -> Result<Vec<MeasuredUse>, String> {
        let own = self.object(&Workspace::trial(program))?;
        let path = own.with_extension("run");
        let mut command = self.native.bare(self.workspace);
        command.arg("-o").arg(&path).arg(own).args(objects);
        self.workspace.finished(command)?;
        read(&self.workspace.run(Command::new(&path), LIMIT)?)
    }
}

/// Reads what a program said.
fn read(outcome: &Outcome) -> Result<Vec<MeasuredUse>, String> {
    let mut uses: Vec<MeasuredUse> = Vec::new();
    let mut done = false;
    for line in outcome.out.lines().take(MOST) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "CALLER" => {
                let (user, how) = rest.split_once('|').unwrap_or((rest, ""));
                let (user, how) = (plain(user.trim()), plain(how.trim()));
                uses.push(MeasuredUse { user, how, ..MeasuredUse::default() });
            }
            "WORKSPACE" => {
                let row = row(rest).ok_or_else(|| format!("it says `{}`", plain(line)))?;
                let last = uses.last_mut().ok_or("it doesn't say who asks")?;
                last.rows.insert(row.0, row.1);
            }
            "DONE" => done = true,
            _ => {}
        }
    }
    match done && outcome.succeeded() {
        true => Ok(uses),
        false => Err(format!("the program broke off: {}", outcome.ending(LIMIT))),
    }
}

/// `level compress decompress`.
fn row(text: &str) -> Option<(i32, [Option<u64>; 2])> {
    let mut words = text.split_whitespace();
    let level = words.next()?.parse().ok()?;
    let mut figure = || match words.next()? {
        "-" => Some(None),
        number => number.parse().ok().map(Some),
    };
    let both = [figure()?, figure()?];
    words.next().is_none().then_some((level, both))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::process::run;

    fn of(script: &str) -> Result<Vec<MeasuredUse>, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        read(&run(command, LIMIT, &|| false).unwrap())
    }

    #[test]
    fn what_a_program_says_is_read() {
        let uses = of("echo CALLER a fs '|' pages of 4 KB; echo WORKSPACE 1 70 9; echo noise; \
            echo WORKSPACE -5 60 -; echo CALLER other; echo WORKSPACE 0 - 8; echo DONE")
        .unwrap();
        assert_eq!(uses.len(), 2);
        assert_eq!((&*uses[0].user, &*uses[0].how), ("a fs", "pages of 4 KB"));
        let rows: Vec<_> = uses[0].rows.iter().collect();
        assert_eq!(rows, [(&-5, &[Some(60), None]), (&1, &[Some(70), Some(9)])]);
        assert_eq!((&*uses[1].user, &*uses[1].how), ("other", ""));
        assert_eq!(uses[1].rows[&0], [None, Some(8)]);
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for (script, said) in [
            ("echo CALLER a; echo WORKSPACE 1 2 3", "broke off: exit status: 0"),
            ("echo CALLER a; echo DONE; exit 3", "broke off: exit status: 3"),
            ("echo CALLER a; echo WORKSPACE 1 2; echo DONE", "says `WORKSPACE 1 2`"),
            ("echo CALLER a; echo WORKSPACE 1 2 3 4; echo DONE", "says `WORKSPACE 1 2 3 4`"),
            ("echo CALLER a; echo WORKSPACE 1 -2 3; echo DONE", "says `WORKSPACE 1 -2 3`"),
            ("echo WORKSPACE 1 2 3; echo DONE", "doesn't say who"),
        ] {
            let answer = of(script).unwrap_err();
            assert!(answer.contains(said), "{script}: {answer}");
        }
    }
}
