//! States found out by several threads, and handed over in the order in which they are wanted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::setting::Setting;
use crate::check::compare::State;
use crate::finding::{Error, Result};
use crate::upstream::{History, Release};

/// A state that is to be found out.
pub(super) struct Task {
    /// Its name in the cache.
    pub(super) key: String,
    /// A point that has it.
    pub(super) point: usize,
    /// All points that have it.
    pub(super) points: Vec<usize>,
    /// How often it will be taken.
    pub(super) uses: usize,
}

/// What the threads have found so far.
pub(super) struct Results<'a> {
    tasks: &'a [Task],
    of_point: HashMap<usize, usize>,
    ready: HashMap<usize, (Arc<State>, usize)>,
    failed: HashMap<usize, Error>,
    receiver: Receiver<(usize, Result<State>)>,
}

impl Results<'_> {
    /// The state of a point; waits for it. It is let go when it was taken as often as was said.
    pub(super) fn take(&mut self, point: usize) -> Result<Arc<State>> {
        let lost = || Error::internal("a state that was to be checked is not there");
        let task = *self.of_point.get(&point).ok_or_else(lost)?;
        loop {
            if let Some((state, uses)) = self.ready.get_mut(&task) {
                *uses -= 1;
                let (state, is_last) = (Arc::clone(state), *uses == 0);
                if is_last {
                    self.ready.remove(&task);
                }
                return Ok(state);
            }
            if let Some(error) = self.failed.remove(&task) {
                return Err(error);
            }
            let (done, result) = self.receiver.recv().map_err(|_| lost())?;
            match result {
                Ok(state) => {
                    self.ready.insert(done, (Arc::new(state), self.tasks[done].uses));
                }
                Err(error) => {
                    self.failed.insert(done, error);
                }
            }
        }
    }
}

/// Finds out all tasks by `jobs` threads while `consume` takes what they find.
///
/// Each thread is a pool of its own: what a check does side by side it does one after the other here,
/// since other commits keep the processors busy, and no thread takes up a second commit meanwhile.
pub(super) fn run(
    setting: &Setting<'_>,
    jobs: Option<usize>,
    tasks: &[Task],
    history: &mut History,
    read: &(dyn Fn(usize, &mut History) -> Result<Release> + Sync),
    consume: impl FnOnce(&mut Results<'_>) -> Result<()>,
) -> Result<()> {
    let jobs = jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let points = tasks
        .iter()
        .enumerate()
        .flat_map(|(at, task)| task.points.iter().map(move |point| (*point, at)));
    let (sender, receiver) = channel();
    let mut results = Results {
        tasks,
        of_point: points.collect(),
        ready: HashMap::new(),
        failed: HashMap::new(),
        receiver,
    };
    let worker = Worker {
        setting,
        tasks,
        next: &AtomicUsize::new(0),
        stop: &AtomicBool::new(false),
        history: &Mutex::new(history),
        read,
        alone: jobs.min(tasks.len()) > 1,
    };
    thread::scope(|scope| {
        for _ in 0..jobs.min(tasks.len()) {
            let (worker, sender) = (&worker, sender.clone());
            scope.spawn(move || worker.work(&sender));
        }
        drop(sender);
        let outcome = consume(&mut results);
        worker.stop.store(true, Ordering::Relaxed);
        outcome
    })
}

struct Worker<'a, 'h> {
    setting: &'a Setting<'a>,
    tasks: &'a [Task],
    next: &'a AtomicUsize,
    stop: &'a AtomicBool,
    /// Objects are read by one thread at a time: most are shared, and read already.
    history: &'a Mutex<&'h mut History>,
    read: &'a (dyn Fn(usize, &mut History) -> Result<Release> + Sync),
    alone: bool,
}

impl Worker<'_, '_> {
    fn work(&self, sender: &Sender<(usize, Result<State>)>) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        // Where there is none, the threads share the global one, which is only slower.
        let _pool = if self.alone { pool.build().ok() } else { None };
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(at) else { return };
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let read = || {
                let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
                (self.read)(task.point, &mut history)
            };
            let state = self.setting.state_if_readable(&task.key, read);
            let failed = state.is_err();
            if sender.send((at, state)).is_err() || failed {
                return;
            }
        }
    }
}
