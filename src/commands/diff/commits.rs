//! Upstream's commits between two sides, and which of them leave the kernel form alone.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::Plan;
use super::side::{Made, Opened};
use crate::compare::upstream_paths;
use crate::finding::{Error, ErrorKind, Result};
use crate::memo::Memo;
use crate::pipeline::{self, Input};
use crate::report::console::Console;
use crate::rules::Ruleset;
use crate::text::{Files, TreePath};
use crate::upstream::{self, Between, History, Origin, Point, Range, Request};

/// Most commits that are imported where nobody has asked for it.
const MAX_UNASKED: usize = 20;
/// Most forms that are held at a time, most of whose texts are shared.
const MAX_FORMS: usize = 64;

/// The commits, and what tells which of them change the kernel form.
pub(super) struct Commits<'r> {
    pub(super) between: Between,
    range: Range,
    request: Request<'r>,
    made: &'r Made<'r>,
    /// Whether each is to be imported, however many there are.
    all: bool,
}

/// Upstream's commits between two releases of one git repository.
pub(super) fn commits<'r>(
    old: &Opened<'_>,
    new: &'r Opened<'r>,
    plan: &Plan,
    rules: &'r Ruleset,
    console: &mut Console,
) -> Result<Option<Commits<'r>>> {
    let commit = |side: &Opened<'_>| match side.made.as_ref().map(|made| &made.release.origin) {
        Some(Origin::Git { source, commit, .. }) => Some((source.clone(), commit.clone())),
        _ => None,
    };
    let (Some((source, from)), Some((other, to)), Some(made)) =
        (commit(old), commit(new), &new.made)
    else {
        return Ok(None);
    };
    if source != other || from == to {
        return Ok(None);
    }
    let progress = console.progress();
    let request = plan.sources.request(rules, &plan.sources.upstream, None);
    let paths = upstream_paths([&old.form, &new.form]);
    let found = upstream::touched(&request, (&from, &to), &paths, &progress);
    drop(progress);
    match found {
        Ok(between) if between.commits.is_empty() => {
            let (old, new) = (&old.side.name, &new.side.name);
            console.note(&format!("{new} has no commit that {old} hasn't: no commits are named"));
            Ok(None)
        }
        Ok(between) => {
            let range = Range { from, to, all_parents: true };
            Ok(Some(Commits { between, range, request, made, all: plan.commits }))
        }
        // The comparison stands without them: a shallow clone has no history.
        Err(error) if error.kind != ErrorKind::Internal => {
            console.note(&format!("which commits lie between is not known: {}", error.message));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

impl Commits<'_> {
    /// Which of these commits change the kernel form, by importing each and the one before it; none
    /// where that is too much.
    pub(super) fn changing(&self, places: &[usize]) -> Result<Option<BTreeSet<usize>>> {
        if places.len() > MAX_UNASKED && !self.all {
            return Ok(None);
        }
        if places.is_empty() {
            return Ok(Some(BTreeSet::new()));
        }
        let history = History::open(&self.request, &self.range, &upstream::Silent)?;
        let of_id = history.points.iter().enumerate();
        let of_id: HashMap<String, usize> =
            of_id.map(|(at, point)| (point.commit.id.to_string(), at)).collect();
        let importer = Importer {
            commits: self,
            memo: Memo::default(),
            history: RefCell::new(history),
            forms: RefCell::default(),
        };
        let mut found = BTreeSet::new();
        for place in places {
            let lost = || Error::internal("a commit of the range is not in it");
            let id = self.between.commits.get(*place).map(|commit| &commit.id);
            let at = *id.and_then(|id| of_id.get(id)).ok_or_else(lost)?;
            if importer.changes(at)? {
                found.insert(*place);
            }
        }
        Ok(Some(found))
    }
}

/// Imports commits.
struct Importer<'r> {
    commits: &'r Commits<'r>,
    memo: Memo,
    history: RefCell<History>,
    /// Forms by the library's folder; none of a commit that can't be imported.
    forms: RefCell<HashMap<String, Option<Arc<Files>>>>,
}

impl Importer<'_> {
    fn changes(&self, at: usize) -> Result<bool> {
        let (here, parent) = {
            let history = self.history.borrow();
            let here = history.points[at].clone();
            let parent = here.parents.first().and_then(|at| history.points.get(*at)).cloned();
            (here, parent)
        };
        let Some(parent) = parent.filter(|parent| parent.library != here.library) else {
            return Ok(false);
        };
        let (old, new) = (self.form(&parent)?, self.form(&here)?);
        Ok(match (old, new) {
            (Some(old), Some(new)) => old != new,
            // What can't be imported has no form.
            (old, new) => old.is_some() != new.is_some(),
        })
    }

    /// What an import makes of upstream's files: all else in the kernel form follows from these.
    fn form(&self, point: &Point) -> Result<Option<Arc<Files>>> {
        let key = point.library.map(|id| id.to_string()).unwrap_or_default();
        if let Some(form) = self.forms.borrow().get(&key) {
            return Ok(form.clone());
        }
        let Made { rules, profile, target, .. } = self.commits.made;
        let release = match self.history.borrow_mut().read(point, &self.commits.request) {
            Err(error) if error.kind == ErrorKind::Input => None,
            release => Some(release?),
        };
        let form = match release {
            None => None,
            Some(release) => {
                let (version, files) = (release.version, &release.files);
                let input = Input { version, exact: false, files, target };
                let derived = pipeline::derive(input, rules, profile, &self.memo)?;
                let text = |file: &pipeline::OutputFile| Arc::clone(file.text.bytes());
                let files = derived.files.iter().map(|(path, file)| (path.clone(), text(file)));
                Some(Arc::new(files.collect::<std::collections::BTreeMap<TreePath, _>>()))
            }
        };
        let mut forms = self.forms.borrow_mut();
        if forms.len() >= MAX_FORMS {
            forms.clear();
        }
        forms.insert(key, form.clone());
        Ok(form)
    }
}
