//! What must hold of a kernel form beyond what an import refuses.

use super::Entries;

pub(super) const CODES: Entries = &[
    (
        "meaning-changed",
        "A text of the kernel form means something else than upstream's",
        "A rule, or this program, is at fault: for some setting the compiler would be given something \
         else. Look at the setting named.",
    ),
    (
        "meaning-not-proved",
        "It can't be proved that a file of the kernel form means what upstream's means",
        "What isn't proved may be wrong. Look at the reason given.",
    ),
    (
        "plain-call",
        "A function of the C library is called by its own name",
        "Rules map the call, but upstream keeps to the names of its dependency header. Call that name \
         instead.",
    ),
];
