//! What compiling, linking and running a kernel form shows.

use super::Entries;

pub(super) const CODES: Entries = &[];
