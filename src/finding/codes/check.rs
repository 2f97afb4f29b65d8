//! What must hold of a kernel form beyond what an import refuses.

use super::Entries;

pub(super) const CODES: Entries = &[
    (
        "builtin-not-allowed",
        "A function of the compiler is used that no list has",
        "A function of the compiler may be missing in one that builds kernels, or need a library that \
         they don't have. Use what the kernel's headers offer, or list it by a rule of kind allowed.",
    ),
    (
        "floating-point",
        "Floating point is used",
        "Kernel code can't use the registers of the floating-point unit. Use integers, or leave the \
         code out by its condition.",
    ),
    (
        "global-without-prefix",
        "A global name has no prefix of the library's",
        "There is one space of global names for the whole kernel. Make it static, or give it the \
         library's prefix.",
    ),
    (
        "hardwired-macro-left",
        "A macro that the rules settle is left in the kernel form",
        "Nothing defines the macro there. Settle what it depends on, or leave the macro free.",
    ),
    (
        "header-left",
        "A header is included that the kernel form doesn't have",
        "The compiler won't find it. Map the include by a rule, or select the file.",
    ),
    (
        "intrinsics-left",
        "Intrinsics or types of a vector unit are left in the kernel form",
        "Kernel code can't use vector units. Leave the code out by its condition.",
    ),
    (
        "kernel-macro-name",
        "Something has the name of a macro of the kernel's",
        "Wherever the header with the macro comes in, what it stands for takes the place of the name. \
         Give it another.",
    ),
    (
        "libc-call-left",
        "A function of the C library is still called by its plain name",
        "No rule of the profile maps the call. Call the name that the library's dependency header has \
         for it.",
    ),
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
        "name-left",
        "A name is left that has no counterpart in the kernel",
        "The kernel offers some names of that space only. Map it to one of them, or leave its use \
         out.",
    ),
    (
        "only-in-assert",
        "A variable is read by nothing but what is compiled out",
        "Compilers warn of it where assertions are off. Mark it as used, or declare it under the same \
         condition.",
    ),
    (
        "plain-call",
        "A function of the C library is called by its own name",
        "Rules map the call, but upstream keeps to the names of its dependency header. Call that name \
         instead.",
    ),
    (
        "pragma-unguarded",
        "A pragma stands where a compiler sees it that doesn't know it",
        "Compilers warn of pragmas that they don't know. Put it into a group that tests for the \
         compiler.",
    ),
    (
        "recursion",
        "A function calls itself, directly or by way of others",
        "The kernel's stack is small. Use a loop, or say in a rule of kind allowed why its depth is \
         bounded.",
    ),
    (
        "trailing-array",
        "A struct ends with an array of one element or none",
        "Kernels hold an array to the length that is written. Declare a flexible array member or the \
         true length.",
    ),
    (
        "variable-length-array",
        "The length of an array is worked out as the program runs",
        "The kernel's stack is small, and its build warns of such arrays. Give a constant bound.",
    ),
    (
        "wide-division",
        "A 64-bit value is divided",
        "On 32-bit processors compilers call a function for it that kernels don't have. Use the \
         kernel's own, or narrower operands.",
    ),
];
