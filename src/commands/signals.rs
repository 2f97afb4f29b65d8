//! Signals that wait while something half made lies on the disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;

use crate::finding::{Error, Result};

/// Signals that would end the process wait until what was begun is gone or in place.
pub(super) struct Signals {
    caught: Arc<AtomicUsize>,
    released: Arc<AtomicBool>,
}

impl Signals {
    /// From now on they wait, until this value goes.
    pub(super) fn hold() -> Signals {
        let signals =
            Signals { caught: Arc::default(), released: Arc::new(AtomicBool::new(false)) };
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            let (caught, released) = (&signals.caught, &signals.released);
            let number = usize::try_from(signal).unwrap_or_default();
            // Where a handler can't be set, the signal ends us as ever, and the next run tidies up.
            let _ = flag::register_conditional_default(signal, Arc::clone(released));
            let _ = flag::register_usize(signal, Arc::clone(caught), number);
        }
        signals
    }

    /// Whether one came.
    pub(super) fn caught(&self) -> bool {
        self.caught.load(Ordering::SeqCst) != 0
    }

    /// Refuses to go on if one came.
    pub(super) fn check(&self) -> Result<()> {
        match self.caught() {
            false => Ok(()),
            true => Err(Error::usage("interrupted; nothing was changed")),
        }
    }
}

impl Drop for Signals {
    /// From now on a signal ends the process again, and so does one that waited.
    fn drop(&mut self) {
        self.released.store(true, Ordering::SeqCst);
        if let Ok(signal @ 1..) = i32::try_from(self.caught.load(Ordering::SeqCst)) {
            // Where this fails, the error that stopped the work is still reported.
            let _ = emulate_default_handler(signal);
        }
    }
}
