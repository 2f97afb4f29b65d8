//! The build of what is checked, where one is wanted.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::{Build, Plan};
use crate::build::{self, Against, Built, Extent, Request};
use crate::check::Scope;
use crate::commands::held::{self, Sources};
use crate::commands::signals::Signals;
use crate::finding::{Error, Result};
use crate::kernel::target::Target;
use crate::linux::tree;
use crate::report::console::Console;
use crate::rules::{Profile, Ruleset};
use crate::text::Files;
use crate::upstream::Progress;

/// Builds one state after the other.
pub(super) struct Builder<'a> {
    build: &'a Build,
    jobs: usize,
    against: Option<(&'a str, Files)>,
    /// What all builds said so far; none has been made where it is `None`. Held during a build: it has
    /// all processors for itself.
    said: Mutex<Option<Vec<String>>>,
}

impl<'a> Builder<'a> {
    /// Reads what the results are held against; `None` where nothing is built.
    ///
    /// # Errors
    /// It can't be read or imported.
    pub(super) fn new(
        plan: &'a Plan,
        sources: &Sources,
        rules: (&Ruleset, &Profile, &Target),
        console: &mut Console,
    ) -> Result<Option<Builder<'a>>> {
        let Some(build) = &plan.build else { return Ok(None) };
        let read = |name: &'a String| Ok((name.as_str(), against(name, sources, rules, console)?));
        let against = build.against.as_ref().map(read).transpose()?;
        let (jobs, said) = (plan.jobs.unwrap_or(0), Mutex::new(None));
        Ok(Some(Builder { build, jobs, against, said }))
    }

    /// Builds a kernel form. A signal ends it, and this program, when all that it has made is gone.
    ///
    /// # Errors
    /// As for [`build::run`].
    pub(super) fn build(&self, scope: Scope<'_>, progress: &dyn Progress) -> Result<Built> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let signals = Signals::hold();
        let request = Request {
            scope,
            linux: self.build.linux.as_deref(),
            against: self.against.as_ref().map(|(name, files)| Against { name, files }),
            jobs: self.jobs,
            seed: self.build.seed,
            extent: Extent::ALL,
            interrupted: &|| signals.caught(),
        };
        let built = build::run(&request, progress)?;
        match &mut *said {
            // Of several states only what holds for all of them can be said.
            Some(said) => said.retain(|note| built.notes.contains(note)),
            none => *none = Some(built.notes.clone()),
        }
        Ok(built)
    }

    /// What was done and what could not be, in sentences.
    pub(super) fn notes(&self) -> Vec<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }
}

/// The files of an import's folder, of a kernel tree, or of the import of a release.
fn against(
    name: &str,
    sources: &Sources,
    (ruleset, profile, target): (&Ruleset, &Profile, &Target),
    console: &mut Console,
) -> Result<Files> {
    let path = Path::new(name);
    let files = if path.is_dir() {
        tree::import_or_tree(path, &ruleset.library)?
    } else {
        let release = sources.other(Some(name.to_owned()), ruleset, console);
        let release = release.map_err(|error| match error.hint {
            Some(_) => error,
            None => error.hint("--against takes an import's folder, a kernel tree or a release"),
        })?;
        let tree = held::import(&release, ruleset, profile, target)?;
        let files = tree.files.into_iter();
        files.map(|(path, file)| (path, file.text.bytes().clone())).collect()
    };
    let folder = format!("{}/", ruleset.library.output);
    if !files.keys().any(|path| path.as_str().starts_with(&folder)) {
        let library = &ruleset.library.name;
        return Err(Error::input(format!("{name} holds no {library}: nothing lies in {folder}"))
            .hint("--against takes an import's folder, a kernel tree or a release"));
    }
    Ok(files)
}
