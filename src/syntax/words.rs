//! The words of C and its compilers that decide what a macro body is.

/// Words that may stand before, between or behind the parts of a declaration and that it can do
/// without.
pub(super) fn is_specifier(word: &[u8]) -> bool {
    is_vendor_specifier(word)
        || matches!(
            word,
            b"static"
                | b"extern"
                | b"inline"
                | b"register"
                | b"const"
                | b"volatile"
                | b"restrict"
                | b"constexpr"
                | b"thread_local"
                | b"_Noreturn"
                | b"_Thread_local"
                | b"noreturn"
        )
}

/// The specifiers that no standard knows. The grammar takes only some of them, and those only in
/// some places.
pub(super) fn is_vendor_specifier(word: &[u8]) -> bool {
    matches!(
        word,
        b"__inline"
            | b"__inline__"
            | b"__forceinline"
            | b"__extension__"
            | b"__const"
            | b"__const__"
            | b"__volatile"
            | b"__restrict"
            | b"__restrict__"
            | b"__thread"
            | b"__cdecl"
            | b"__stdcall"
            | b"__fastcall"
            | b"__vectorcall"
            | b"__thiscall"
            | b"__unaligned"
            | b"__vector"
    )
}

/// Words that take an argument in parentheses and, with it, are attributes.
pub(crate) fn is_attribute(word: &[u8]) -> bool {
    matches!(
        word,
        b"__attribute__"
            | b"__attribute"
            | b"__declspec"
            | b"__pragma"
            | b"_Pragma"
            | b"_Alignas"
            | b"alignas"
    )
}

/// The attribute that marks a declaration as deprecated.
pub(super) fn is_deprecation(word: &[u8]) -> bool {
    matches!(word, b"deprecated" | b"__deprecated__")
}

/// Operators on a type.
pub(super) fn takes_type(word: &[u8]) -> bool {
    matches!(
        word,
        b"sizeof" | b"alignof" | b"_Alignof" | b"__alignof" | b"__alignof__" | b"_alignof"
    )
}

/// Keywords behind which an operand comes: what stands behind them is no operator.
pub(super) fn awaits_operand(word: &[u8]) -> bool {
    matches!(word, b"return" | b"case" | b"else" | b"do" | b"goto" | b"sizeof")
}
