//! Which of the files that came is one that went under another name. The measure and the order of
//! the choice are git's, so that a patch says the same as one made by `git format-patch`.

use std::collections::{BTreeMap, HashMap};

use super::change::Version;
use crate::text::TreePath;

/// The score of equal files.
pub(super) const ALL: u32 = 60_000;
/// The least score of a renamed file.
const LEAST: u32 = ALL / 2;
/// The least score by which two files of one name, in different folders, need no other candidate.
const LEAST_SAME_NAME: u32 = ALL / 4 * 3;
/// Beyond so many pairs only equal files and equal names are looked at.
const MAX_PAIRS: usize = 1_000_000;
/// Candidates kept for each file.
const KEPT: usize = 4;
/// Equal files among which a name is looked for.
const MAX_EQUAL: usize = 100;
/// Longest part of a line that counts as one piece, in bytes.
const PIECE: usize = 64;
/// Number of different pieces that are told apart.
const PIECES: u32 = 107_927;

/// Where a file came from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renamed {
    /// Index into the files that went.
    pub(super) source: usize,
    pub(super) score: u32,
}

/// For each file that came, the one it was.
pub(super) fn find(gone: &[Version], came: &[Version]) -> Vec<Option<Renamed>> {
    let mut search = Search {
        gone,
        came,
        used: vec![false; gone.len()],
        found: vec![None; came.len()],
        pieces: (vec![None; gone.len()], vec![None; came.len()]),
    };
    search.equal();
    search.same_name();
    search.alike();
    search.found
}

type Pieces = BTreeMap<u32, u64>;

struct Search<'v> {
    gone: &'v [Version],
    came: &'v [Version],
    used: Vec<bool>,
    found: Vec<Option<Renamed>>,
    /// Of the files that went, and of those that came.
    pieces: (Vec<Option<Pieces>>, Vec<Option<Pieces>>),
}

impl Search<'_> {
    fn equal(&mut self) {
        let mut by_id: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, file) in self.gone.iter().enumerate() {
            by_id.entry(file.id).or_default().push(at);
        }
        for (target, file) in self.came.iter().enumerate() {
            let equal = by_id.get(&file.id).map_or(&[][..], Vec::as_slice);
            let mut free =
                equal.iter().copied().filter(|&at| !self.used[at]).take(MAX_EQUAL).peekable();
            let first = free.peek().copied();
            let same = free.find(|&at| same_name(&self.gone[at].path, &file.path));
            if let Some(source) = same.or(first) {
                self.take(target, source, ALL);
            }
        }
    }

    /// Files whose name is the only one of its kind on both sides.
    fn same_name(&mut self) {
        let sources = unique(self.gone, |at| !self.used[at]);
        let targets = unique(self.came, |at| self.found[at].is_none());
        for source in 0..self.gone.len() {
            let name = self.gone[source].path.file_name();
            let (Some(Some(only)), Some(Some(target))) = (sources.get(name), targets.get(name))
            else {
                continue;
            };
            let (only, target) = (*only, *target);
            if only == source {
                let score = self.score(source, target, LEAST_SAME_NAME);
                if score >= LEAST_SAME_NAME {
                    self.take(target, source, score);
                }
            }
        }
    }

    fn alike(&mut self) {
        let sources: Vec<usize> = (0..self.gone.len()).filter(|&at| !self.used[at]).collect();
        let targets: Vec<usize> =
            (0..self.came.len()).filter(|&at| self.found[at].is_none()).collect();
        if sources.len().saturating_mul(targets.len()) > MAX_PAIRS {
            return;
        }
        let mut candidates = Vec::new();
        for &target in &targets {
            let mut best: Vec<Candidate> = Vec::with_capacity(KEPT + 1);
            for &source in &sources {
                let score = self.score(source, target, LEAST);
                let same_name = same_name(&self.gone[source].path, &self.came[target].path);
                keep(&mut best, Candidate { score, same_name, source, target });
            }
            candidates.append(&mut best);
        }
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank()));
        for Candidate { score, source, target, .. } in candidates {
            if score >= LEAST && self.found[target].is_none() && !self.used[source] {
                self.take(target, source, score);
            }
        }
    }

    fn take(&mut self, target: usize, source: usize, score: u32) {
        self.used[source] = true;
        self.found[target] = Some(Renamed { source, score });
    }

    /// How much of a file that went is in one that came; 0 where the sizes alone rule `least` out.
    fn score(&mut self, source: usize, target: usize, least: u32) -> u32 {
        let (old, new) = (&self.gone[source].bytes, &self.came[target].bytes);
        let (larger, smaller) = (old.len().max(new.len()) as u64, old.len().min(new.len()) as u64);
        if larger * u64::from(ALL - least) < (larger - smaller) * u64::from(ALL) || smaller == 0 {
            return 0;
        }
        let before = self.pieces.0[source].get_or_insert_with(|| pieces(old));
        let after = self.pieces.1[target].get_or_insert_with(|| pieces(new));
        let common =
            |(piece, bytes): (&u32, &u64)| after.get(piece).map_or(0, |others| *bytes.min(others));
        let kept: u64 = before.iter().map(common).sum();
        (kept * u64::from(ALL) / larger) as u32
    }
}

#[derive(Clone, Copy)]
struct Candidate {
    score: u32,
    same_name: bool,
    source: usize,
    target: usize,
}

impl Candidate {
    fn rank(&self) -> (u32, bool) {
        (self.score, self.same_name)
    }
}

/// Keeps the best few. Their order matters among equals: a better one takes the place of the worst,
/// and of several worst ones of the first.
fn keep(best: &mut Vec<Candidate>, new: Candidate) {
    if best.len() < KEPT {
        best.push(new);
        return;
    }
    let worst = best.iter_mut().reduce(|worst, next| match next.rank() < worst.rank() {
        true => next,
        false => worst,
    });
    if let Some(worst) = worst.filter(|worst| new.rank() > worst.rank()) {
        *worst = new;
    }
}

/// By name the index of the only file that has it; `None` for a name that several have.
fn unique(files: &[Version], open: impl Fn(usize) -> bool) -> HashMap<&str, Option<usize>> {
    let mut found = HashMap::new();
    for (at, file) in files.iter().enumerate().filter(|(at, _)| open(*at)) {
        let name = file.path.file_name();
        found.entry(name).and_modify(|only| *only = None).or_insert(Some(at));
    }
    found
}

fn same_name(one: &TreePath, other: &TreePath) -> bool {
    one.file_name() == other.file_name()
}

/// The bytes that each piece of a text has, all that fall into one number together. A piece is a
/// line or a part of one; the end of a line counts the same in all systems' forms.
fn pieces(text: &[u8]) -> Pieces {
    let mut found = Pieces::new();
    let mut piece = Piece::default();
    for (at, &byte) in text.iter().enumerate() {
        if byte == b'\r' && text.get(at + 1) == Some(&b'\n') {
            continue;
        }
        piece.add(byte);
        if byte == b'\n' || piece.length == PIECE as u64 {
            piece.end(&mut found);
        }
    }
    piece.end(&mut found);
    found
}

/// Two registers of 32 bits that shift into each other.
#[derive(Default)]
struct Piece {
    low: u32,
    high: u32,
    length: u64,
}

impl Piece {
    fn add(&mut self, byte: u8) {
        let (low, high) = (self.low, self.high);
        self.low = ((low << 7) ^ (high >> 25)).wrapping_add(u32::from(byte));
        self.high = (high << 7) ^ (low >> 25);
        self.length += 1;
    }

    fn end(&mut self, found: &mut Pieces) {
        if self.length > 0 {
            let number = self.low.wrapping_add(self.high.wrapping_mul(0x61)) % PIECES;
            *found.entry(number).or_default() += self.length;
        }
        *self = Piece::default();
    }
}
