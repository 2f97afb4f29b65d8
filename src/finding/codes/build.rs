//! What compiling, linking and running a kernel form shows.

use super::Entries;

pub(super) const CODES: Entries = &[
    (
        "assertion",
        "An assertion of the library fails while it is tried",
        "What the code takes for granted does not hold: by upstream's fault, or since a rule took away \
         what it needs. Kernels are built without assertions and go on with whatever is there.",
    ),
    (
        "build-error",
        "A compiler refuses a file",
        "A kernel with this import can't be built. The hint says which compilers and settings see it.",
    ),
    (
        "build-warning",
        "A compiler warns of something that kernels don't accept",
        "Kernels are built with warnings as errors, in more ways than upstream is: with assertions and \
         without, for 32 and 64 bits. Change upstream's file at that line.",
    ),
    (
        "duplicate-symbol",
        "Two objects of one kernel define the same name",
        "The linker refuses a kernel that has both built in. Make one of them static, or rename it.",
    ),
    (
        "missing-source",
        "The makefile lists an object that no source becomes",
        "The kernel's build ends there. The list in the makefile, or the file itself, has to change.",
    ),
    (
        "round-trip",
        "The library does not do what it is for",
        "Something else comes back than was packed, memory of the promised size does not do, or damage \
         goes unnoticed. The message says with which level and data; the seed is among the notes.",
    ),
    (
        "sanitizer",
        "A sanitizer sees undefined behaviour or a look outside of memory",
        "What works by chance here does not have to work in a kernel. The line is that of the innermost \
         function of upstream's.",
    ),
    (
        "speed-gate",
        "A comparison breaks a bound that was set for speed, size or memory",
        "The bound is one of `--fail-if`. Of speed only what is certain counts: all of the spread lies \
         beyond it.",
    ),
    (
        "stack-frame",
        "A function takes more of the stack than kernels allow",
        "Stacks of kernels have a fixed size of a few pages, and nothing catches what goes beyond. Move \
         large variables into memory that the caller hands in.",
    ),
    (
        "token-stream",
        "The import says something else to the compiler than upstream does",
        "Under the settings in the hint, the preprocessor prints other tokens before than after. A rule, \
         or this program, has changed the meaning of the file.",
    ),
];
