//! The commits between two others.

use std::collections::HashSet;

use git2::Oid;

use super::objects::Objects;
use super::parse::Commit;
use super::{Repository, short};
use crate::finding::{Error, Result};

/// Most commits of a range.
const MAX_RANGE: usize = 100_000;
/// Most commits that are looked at to find out which are part of a range.
const MAX_SEEN: usize = 5_000_000;

impl Repository {
    /// The commits of `to` that `from` hasn't, oldest first, each behind its parents: those of the
    /// first-parent line, or all. `seen` is told how many commits were looked at.
    pub fn between(
        &self,
        from: &Commit,
        to: &Commit,
        all_parents: bool,
        seen: &dyn Fn(u64),
    ) -> Result<Vec<Commit>> {
        let walk = Walk { repository: self, objects: Objects::new(self)?, seen };
        match all_parents {
            true => walk.all(from, to),
            false => walk.first_parents(from, to),
        }
    }
}

struct Walk<'r> {
    repository: &'r Repository,
    objects: Objects<'r>,
    seen: &'r dyn Fn(u64),
}

impl Walk<'_> {
    fn commit(&self, id: Oid) -> Result<Commit> {
        let text = id.to_string();
        self.objects.commit(id, &|| format!("commit {}", short(&text)))
    }

    fn first_parents(&self, from: &Commit, to: &Commit) -> Result<Vec<Commit>> {
        let mut line = Vec::new();
        let mut at = to.clone();
        let mut met = false;
        loop {
            if at.id == from.id {
                met = true;
                break;
            }
            self.bounded(line.len())?;
            let parent = at.parents.first().copied();
            line.push(at);
            let Some(parent) = parent else { break };
            at = self.commit(parent)?;
        }
        if !met {
            // The start lies elsewhere: what it stands on is cut off.
            let old = self.ancestors(from)?;
            let new = line.iter().take_while(|commit| !old.contains(&commit.id)).count();
            line.truncate(new);
        }
        self.fits(line.len())?;
        line.reverse();
        Ok(line)
    }

    /// Depth first with a list of its own, first parents first: the same order on every machine.
    fn all(&self, from: &Commit, to: &Commit) -> Result<Vec<Commit>> {
        let mut known = self.ancestors(from)?;
        let mut out = Vec::new();
        let mut pending = Vec::new();
        if known.insert(to.id) {
            pending.push((to.clone(), 0));
        }
        while let Some((commit, next)) = pending.pop() {
            let Some(&parent) = commit.parents.get(next) else {
                out.push(commit);
                self.fits(out.len())?;
                continue;
            };
            pending.push((commit, next + 1));
            self.fits(pending.len())?;
            if known.insert(parent) {
                self.bounded(known.len())?;
                pending.push((self.commit(parent)?, 0));
            }
        }
        Ok(out)
    }

    fn ancestors(&self, of: &Commit) -> Result<HashSet<Oid>> {
        let mut known = HashSet::from([of.id]);
        let mut pending = vec![of.clone()];
        while let Some(commit) = pending.pop() {
            for parent in commit.parents {
                if known.insert(parent) {
                    self.bounded(known.len())?;
                    pending.push(self.commit(parent)?);
                }
            }
        }
        Ok(known)
    }

    fn bounded(&self, seen: usize) -> Result<()> {
        (self.seen)(seen as u64);
        match seen > MAX_SEEN {
            true => Err(Error::input(format!(
                "{} has over {MAX_SEEN} commits",
                self.repository.shown()
            ))),
            false => Ok(()),
        }
    }

    fn fits(&self, count: usize) -> Result<()> {
        match count > MAX_RANGE {
            true => Err(Error::usage(format!("the range has over {MAX_RANGE} commits"))
                .hint("choose a later start")),
            false => Ok(()),
        }
    }
}
