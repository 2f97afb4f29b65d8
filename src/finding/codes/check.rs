//! What must hold of a kernel form beyond what an import refuses.

use super::Entries;

pub(super) const CODES: Entries = &[
    (
        "boot-clash",
        "Two sources that are compiled as one have a static name in common",
        "The boot-time decompressor includes all of its sources in one unit. Rename one of the \
         two.",
    ),
    (
        "builtin-not-allowed",
        "A function of the compiler is used that no list has",
        "A function of the compiler may be missing in one that builds kernels, or need a library that \
         they don't have. Use what the kernel's headers offer, or list it by a rule of kind allowed.",
    ),
    (
        "commit-unreadable",
        "The library of a commit in a range can't be read",
        "Nothing can be told of the commit. The next one that can be read is held against the last one \
         that could.",
    ),
    (
        "export-missing",
        "The common module doesn't export what another module needs",
        "The other module could not be loaded. Export the symbol in the source of the common \
         module.",
    ),
    (
        "export-twice",
        "A symbol is exported more than once",
        "The kernel's build refuses that. Export it once, where it is defined.",
    ),
    (
        "export-undefined",
        "A module exports what it doesn't define",
        "The module would not link. Export a symbol where it is defined, and nothing else.",
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
        "header-unguarded",
        "A header has no include guard",
        "Including it twice defines things twice. Put an include guard around what it defines.",
    ),
    (
        "include-cycle",
        "Headers include each other without a guard",
        "A compiler gives up at some depth. Put an include guard around one of them.",
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
        "licence-unclear",
        "A file's SPDX line and what else is said of its licence disagree",
        "A kernel wants one identifier, and it must be the library's. Make all places say the \
         same.",
    ),
    (
        "macro-defined-twice",
        "Two files used together define a macro in different ways",
        "Compilers complain of that, and the second one wins. Keep one, or undefine it before \
         the second.",
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
        "module-undescribed",
        "A module lacks its licence or description, or states a licence that its source hasn't",
        "The kernel refuses or complains of such a module. Add MODULE_LICENSE and \
         MODULE_DESCRIPTION.",
    ),
    (
        "name-left",
        "A name is left that has no counterpart in the kernel",
        "The kernel offers some names of that space only. Map it to one of them, or leave its use \
         out.",
    ),
    (
        "object-missing",
        "A makefile lists an object that has no source",
        "The kernel's build would stop. List what is there.",
    ),
    (
        "object-twice",
        "A makefile gives one object to two modules",
        "With both built in, its symbols would be defined twice. Give it to one module.",
    ),
    (
        "object-unlisted",
        "A source is an object of no module",
        "It would not be compiled, and what it defines would be missing. List it in the makefile.",
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
        "should-be-static",
        "A global function or variable that only its own file has a use for",
        "Sparse complains, and the name may clash with another in the kernel. Make it static, \
         or define it under the condition under which others use it.",
    ),
    (
        "trailing-array",
        "A struct ends with an array of one element or none",
        "Kernels hold an array to the length that is written. Declare a flexible array member or the \
         true length.",
    ),
    (
        "type-defined-twice",
        "Two files used together define a type",
        "Compilers refuse that. Keep one of the definitions.",
    ),
    (
        "undeclared-name",
        "A name is used that nothing declares there",
        "The kernel's compiler would stop. Include what declares it, or list it in a rule of \
         kind `allowed` if kernels have it.",
    ),
    (
        "undefined-name",
        "A function is called that nothing defines",
        "The kernel would not link. Select the file that defines it, or settle the condition \
         that asks for it.",
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
    (
        "wrapper-undeclared",
        "A function of the wrapper API stands in no header",
        "The kernel could not call it. Give its section a place in the header.",
    ),
    (
        "wrapper-undefined",
        "A function is offered to the kernel and defined nowhere",
        "Callers would not link. Define it in the source of a module.",
    ),
    (
        "wrapper-undocumented",
        "A function offered to the kernel lacks its kernel-doc, or a parameter in that",
        "The kernel wants every offered function documented. Complete the comment above it.",
    ),
    (
        "wrapper-unexported",
        "A function is offered to the kernel and not exported",
        "Modules could not call it. Export it where it is defined.",
    ),
];
