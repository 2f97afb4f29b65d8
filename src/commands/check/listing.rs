//! The commits of a range that a record gets, and the states that have to be known for them.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Shard;
use super::setting::Setting;
use super::work::Task;
use crate::finding::Result;
use crate::upstream::Point;

/// Which points the record gets.
pub(super) struct Listing<'a> {
    points: &'a [Point],
    /// How many of them are not of the range.
    outside: usize,
    /// Those that are gone through, in this order.
    pub(super) shown: Vec<Shown>,
    /// Whether the range has a start that it is compared with.
    has_start: bool,
    /// Commits of the whole range.
    count: usize,
}

/// A point that is gone through.
pub(super) struct Shown {
    pub(super) point: usize,
    /// Its place in the record.
    pub(super) number: usize,
    /// The range starts from it.
    pub(super) is_start: bool,
    /// It can't be read and is of another shard: what comes behind it is held against those before it.
    pub(super) is_behind: bool,
}

impl<'a> Listing<'a> {
    pub(super) fn new(points: &'a [Point], outside: usize, shard: Option<Shard>) -> Listing<'a> {
        let count = points.len() - outside;
        let shard = shard.unwrap_or(Shard { number: 1, of: 1 });
        // The first commit's first parent.
        let start = points.get(outside).and_then(|point| point.parents.first().copied());
        let lead = usize::from(start.is_some());
        let start = start.filter(|_| shard.number == 1);
        let shown = |point, number, is_start| Shown { point, number, is_start, is_behind: false };
        let start = start.map(|point| shown(point, 0, true));
        let part = shard.part(count);
        let part = part.map(|at| shown(outside + at, at + lead, false));
        Listing {
            points,
            outside,
            shown: start.into_iter().chain(part).collect(),
            has_start: lead > 0,
            count,
        }
    }

    pub(super) fn total(&self) -> usize {
        self.count + usize::from(self.has_start)
    }

    /// The point itself.
    pub(super) fn point(&self, shown: &Shown) -> &'a Point {
        &self.points[shown.point]
    }

    /// The points that one is compared with.
    pub(super) fn parents(&self, shown: &Shown) -> &'a [usize] {
        match shown.is_start {
            true => &[],
            false => &self.points[shown.point].parents,
        }
    }

    /// The points whose states one has to know for a point.
    pub(super) fn needs(&self, shown: &Shown) -> Vec<usize> {
        self.parents(shown).iter().copied().chain([shown.point]).collect()
    }

    /// Adds what stands before commits of other shards that can't be read.
    pub(super) fn look_behind(
        &mut self,
        mut readable: impl FnMut(usize) -> Result<bool>,
    ) -> Result<()> {
        let mut seen: HashSet<usize> = self.shown.iter().map(|shown| shown.point).collect();
        let parents = |point: usize| self.points[point].parents.iter().copied();
        let mut waiting: Vec<usize> = seen.iter().copied().flat_map(parents).collect();
        let mut behind = BTreeSet::new();
        while let Some(point) = waiting.pop() {
            // Nothing is known of what stands before the range.
            if point >= self.outside && seen.insert(point) && !readable(point)? {
                behind.insert(point);
                waiting.extend(parents(point));
            }
        }
        let shown = |point| Shown { point, number: 0, is_start: false, is_behind: true };
        self.shown.splice(0..0, behind.into_iter().map(shown));
        Ok(())
    }

    /// The states to be found out, each once, in the order in which they are needed.
    pub(super) fn tasks(&self, setting: &Setting<'_>) -> Vec<Task> {
        let mut tasks: Vec<Task> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for point in self.shown.iter().flat_map(|shown| self.needs(shown)) {
            let Point { library, tag, commit, .. } = &self.points[point];
            let library = match library {
                Some(library) => format!("tree {library}"),
                None => format!("commit {}", commit.id),
            };
            let key = setting.key(&library, tag.as_deref());
            let task = *known.entry(key.clone()).or_insert_with(|| {
                tasks.push(Task { key, point, uses: 0, points: Vec::new() });
                tasks.len() - 1
            });
            tasks[task].uses += 1;
            if tasks[task].points.last() != Some(&point) {
                tasks[task].points.push(point);
            }
        }
        tasks
    }
}
