//! What a Linux tree has against a kernel form.

use super::Entries;

pub(super) const CODES: Entries = &[
    (
        "caller-changed",
        "A function, type or constant that the tree uses would change",
        "The caller may not compile, or do something else. Change the rule, or the caller with the \
         same series.",
    ),
    (
        "caller-missing",
        "A function, type or constant that the tree uses would be gone",
        "The caller would not compile. Keep it by a rule of kind `api`, or change the caller with \
         the same series.",
    ),
    (
        "caller-unread",
        "Not all files of the tree were searched for callers",
        "What they use is not known. Look there yourself.",
    ),
    (
        "kconfig-lacks",
        "The tree has no symbol that builds a module",
        "The module would never be built. Add the symbol in a patch before, or choose a tree that \
         has it.",
    ),
    (
        "local-conflict",
        "A change of the tree's own is neither upstream nor fit to be carried over",
        "Somebody has to decide whether it is still wanted. Keep or drop it by its id.",
    ),
    (
        "not-as-made",
        "A folder, tree or patch is not what it was made as",
        "What is proved and found is about the import, not about the edits. Read these, or make it \
         again.",
    ),
];
