//! What must hold of a kernel form beyond what an import refuses.

use super::Entries;

pub(super) const CODES: Entries = &[];
