//! What an import refuses, or warns of.

use super::Entries;

pub(super) const CODES: Entries = &[
    (
        "api-deprecated",
        "The kernel's interface uses a function that upstream advises against",
        "Upstream may remove it in a later release. Use what its comment names instead.",
    ),
    (
        "api-missing",
        "The kernel's interface needs something that this release doesn't declare",
        "The wrapper can't be written. Find out what took its place, or end the rule by `until`.",
    ),
    (
        "api-rule",
        "A rule of the kernel's interface can't be carried out",
        "The wrapper that comes of it would not compile, or not be documented. Correct the rule.",
    ),
    (
        "api-signature",
        "A function or type of the kernel's interface is declared otherwise than its rule knows",
        "Callers in the kernel would be given something else than before. Look at what changed, \
         then adapt the rule.",
    ),
    (
        "binary-file",
        "A source file holds a NUL byte",
        "It is no text, so nothing in it can be trusted to be C. Replace the file.",
    ),
    (
        "default-removed",
        "A macro is used whose default value went with a decided branch",
        "The kernel form would not compile. Leave the macro free, or have its value put in place \
         of the default.",
    ),
    (
        "edits-overlap",
        "Two rules want to change the same bytes",
        "The result would depend on their order. Make one of them narrower.",
    ),
    (
        "empty-module",
        "No source of the release belongs to a kernel module",
        "The module would be empty. Correct its folder, or select its files by a rule.",
    ),
    (
        "file-without-rule",
        "No rule takes or skips a file of the release",
        "Whether the kernel needs it is a decision. Take it or skip it by a rule of kind `files`.",
    ),
    (
        "forbidden-name",
        "A name stays that has no counterpart in the kernel",
        "The kernel form would not compile. Map the name by a rule, or fold away what uses it.",
    ),
    (
        "hardwired-left",
        "The value of a macro is needed in a condition, and not known",
        "The condition stays, though its macro is set. Give the macro a value or a range.",
    ),
    (
        "hardwired-redefined",
        "A macro is defined or undefined against its setting",
        "Conditions before and behind the line need different settings. Leave the macro free.",
    ),
    (
        "include-computed",
        "An include names its header by a macro",
        "It can't be followed, so what it brings is unknown. Name the header itself.",
    ),
    (
        "include-not-allowed",
        "A header is included that no rule allows",
        "The kernel has no such header, or nobody has said that the library may use it. Add a rule \
         of kind `includes`, or fold away the line.",
    ),
    (
        "include-unresolved",
        "An included file is not among the files of the kernel form",
        "The kernel form would not compile. Take the file by a rule, or map the include.",
    ),
    (
        "libc-call",
        "A function of the C library is called",
        "The kernel has no C library. Call the name that the library has for it, which its \
         dependency header maps, or map the call by a rule.",
    ),
    (
        "licence-mismatch",
        "A licence line is not the one that the rule wants",
        "A wrong licence must not get into the kernel. Find out which licence is meant.",
    ),
    (
        "module-needs-module",
        "A kernel module needs a symbol of another one that isn't the common module",
        "Only the common module may export to the others. Move the definition, or the call.",
    ),
    (
        "place-taken",
        "Two files of the release would get the same path in the kernel",
        "One would overwrite the other. Map one of them elsewhere, or skip it.",
    ),
    (
        "portability-left",
        "A condition stays on a macro that a kernel build never needs",
        "Kernel code has no use for other compilers and systems. Settle what the condition \
         depends on.",
    ),
    (
        "rule-template",
        "A template can't be filled in",
        "The file that it makes would be missing. Correct the template or what it refers to.",
    ),
    (
        "rule-unmatched",
        "A rule matches nothing in the release, or not as often as it expects",
        "What it was made for is gone or has changed. End it by `until`, or adapt it.",
    ),
    (
        "symbol-defined-twice",
        "A symbol is defined in more than one object",
        "The kernel would not link. Make one of the definitions static, or give it another name.",
    ),
    (
        "syntax-error",
        "A file is not C as the grammar has it",
        "Nothing can be said of what the parser couldn't read. Correct the code, or mask the macro \
         that stands where C has no place for one.",
    ),
    (
        "template-lacks",
        "A file of our own lacks something that the header it stands for offers",
        "The kernel form would not compile. Add it to the template.",
    ),
    (
        "unbalanced-conditional",
        "Conditional directives don't pair up",
        "What belongs to which branch can't be told. Add or remove the directive.",
    ),
    (
        "unbalanced-section",
        "The markers of a section don't pair up",
        "What is to be taken out can't be told. Add or remove the marker.",
    ),
    (
        "unclassified-macro",
        "A condition depends on a macro that no rule knows",
        "Whether a kernel build defines it is a decision. Add a rule of kind `macros` that settles \
         or classifies it, with the reason.",
    ),
    (
        "undefined-symbol",
        "Nothing in the kernel form defines a symbol that is needed",
        "The kernel would not link. Select the file that defines it, or settle the condition that \
         asks for it.",
    ),
    (
        "unfit-name",
        "A file's name holds signs that a makefile can't",
        "The name would be read as something else. Rename the file, or skip it by a rule.",
    ),
    (
        "unplaced-source",
        "No module needs anything of a source file",
        "It would be compiled for nothing, or not at all. Leave it out by a rule of kind `files`, \
         or give its folder to a module.",
    ),
    (
        "unterminated-comment",
        "A comment is never closed",
        "All that follows is a comment, directives included. Close it.",
    ),
];
