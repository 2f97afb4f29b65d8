//! What a watcher of a terminal sees while something takes long.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

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

    /// Says what is being done now.
    pub fn step(&self, what: &str) {
        self.bar.set_message(super::visible::one_line(what).into_owned());
    }
}

impl Drop for Progress {
    /// Whatever comes next on the terminal starts on a clean line.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
