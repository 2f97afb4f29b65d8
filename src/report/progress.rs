//! What a watcher of a terminal sees while something takes long.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::visible::one_line;
use crate::upstream;

/// A line that says what is being done. Shows nothing unless it is watched.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts; `watched` says whether standard error is a terminal that wants to know.
    pub(super) fn new(watched: bool) -> Progress {
        if !watched {
            return Progress { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Progress { bar }
    }

    /// `done` of `total` are done, which tells how long the rest will take.
    pub fn count(&self, phase: &str, done: u64, total: u64) {
        self.bar.set_position(done);
        if self.bar.length() == Some(total) {
            return;
        }
        self.bar.set_message(one_line(phase).into_owned());
        self.bar.set_length(total);
        self.bar.reset_eta();
        // A timer draws whenever it wants: the numbers have to be there before what shows them.
        let style = "{spinner} {msg} {pos} of {len}, {eta} left {wide_bar} {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            self.bar.set_style(style);
        }
    }
}

impl upstream::Progress for Progress {
    fn step(&self, phase: &str, done: u64, total: Option<u64>) {
        let phase = one_line(phase);
        self.bar.set_message(match total {
            Some(total) if total > 0 => format!("{phase} {}%", done.min(total) * 100 / total),
            _ if done > 0 => format!("{phase} {done}"),
            _ => phase.into_owned(),
        });
    }
}

impl Drop for Progress {
    /// Whatever comes next on the terminal starts on a clean line.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
