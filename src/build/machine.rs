//! The machines that an import is built for, and what kernels tell compilers for each: read off the
//! makefiles of Linux 6.12.

/// A machine that Linux runs on.
#[derive(Debug)]
pub(super) struct Machine {
    /// The kernel's name of it.
    pub(super) name: &'static str,
    /// What a compiler that is made for it says of itself (`-dumpmachine`) begins so.
    pub(super) triples: &'static [&'static str],
    /// What precedes the names of the tools for it, where it isn't the machine at hand.
    pub(super) prefixes: &'static [&'static str],
    /// Its name for clang, which is made for all machines.
    pub(super) target: &'static str,
    /// The machine whose own compiler is one for this machine, too, and the switch that says so.
    pub(super) sibling: Option<(&'static str, &'static str)>,
    /// Largest stack frame of a function that kernels are content with, in bytes.
    pub(super) frame: u64,
    /// Switches, used where the compiler knows them; some need those before them.
    pub(super) flags: &'static [&'static str],
    /// The same for gcc alone.
    pub(super) gcc: &'static [&'static str],
    /// The same for clang alone.
    pub(super) clang: &'static [&'static str],
    /// Functions that compilers call by themselves and that kernels for this machine have.
    pub(super) helpers: &'static [&'static str],
}

/// Frames that 32-bit kernels are content with (CONFIG_FRAME_WARN), and 64-bit kernels.
const FRAME_32: u64 = 1024;
const FRAME_64: u64 = 2048;

/// All of them.
pub(super) const MACHINES: [Machine; 5] = [
    Machine {
        name: "x86_64",
        triples: &["x86_64"],
        prefixes: &["x86_64-linux-gnu-"],
        target: "x86_64-linux-gnu",
        sibling: None,
        frame: FRAME_64,
        flags: &[
            "-m64",
            "-mno-sse",
            "-mno-mmx",
            "-mno-sse2",
            "-mno-3dnow",
            "-mno-avx",
            "-fcf-protection=none",
            "-mno-80387",
            "-mno-red-zone",
            "-mcmodel=kernel",
            "-fno-asynchronous-unwind-tables",
        ],
        gcc: &["-mpreferred-stack-boundary=3", "-mno-fp-ret-in-387", "-mskip-rax-setup"],
        clang: &["-mstack-alignment=8"],
        helpers: &[],
    },
    Machine {
        name: "i386",
        triples: &["i386", "i486", "i586", "i686"],
        prefixes: &["i686-linux-gnu-"],
        target: "i686-linux-gnu",
        sibling: Some(("x86_64", "-m32")),
        frame: FRAME_32,
        flags: &[
            "-mno-sse",
            "-mno-mmx",
            "-mno-sse2",
            "-mno-3dnow",
            "-mno-avx",
            "-fcf-protection=none",
            "-msoft-float",
            "-mregparm=3",
            "-fno-pic",
            "-march=i686",
        ],
        gcc: &["-freg-struct-return", "-mpreferred-stack-boundary=2"],
        clang: &["-mstack-alignment=4"],
        helpers: &[],
    },
    Machine {
        name: "arm",
        triples: &["arm"],
        prefixes: &["arm-linux-gnueabihf-", "arm-linux-gnueabi-"],
        target: "arm-linux-gnueabi",
        sibling: None,
        frame: FRAME_32,
        flags: &[
            "-mabi=aapcs-linux",
            "-mfloat-abi=soft",
            "-march=armv7-a",
            "-funwind-tables",
            "-marm",
        ],
        gcc: &["-fno-dwarf2-cfi-asm", "-mtp=cp15", "-fno-ipa-sra"],
        clang: &[],
        helpers: &[
            "__aeabi_idiv",
            "__aeabi_idivmod",
            "__aeabi_lasr",
            "__aeabi_llsl",
            "__aeabi_llsr",
            "__aeabi_lmul",
            "__aeabi_uidiv",
            "__aeabi_uidivmod",
            "__aeabi_ulcmp",
            "__aeabi_unwind_cpp_pr0",
            "__aeabi_unwind_cpp_pr1",
            "__aeabi_unwind_cpp_pr2",
            "__ashldi3",
            "__ashrdi3",
            "__bswapdi2",
            "__bswapsi2",
            "__divsi3",
            "__lshrdi3",
            "__modsi3",
            "__muldi3",
            "__udivsi3",
            "__umodsi3",
        ],
    },
    Machine {
        name: "arm64",
        triples: &["aarch64"],
        prefixes: &["aarch64-linux-gnu-"],
        target: "aarch64-linux-gnu",
        sibling: None,
        frame: FRAME_64,
        flags: &[
            "-mgeneral-regs-only",
            "-mabi=lp64",
            "-mbranch-protection=none",
            "-fno-asynchronous-unwind-tables",
        ],
        gcc: &[],
        clang: &[],
        helpers: &["__ashlti3", "__ashrti3", "__lshrti3"],
    },
    Machine {
        name: "s390",
        triples: &["s390x"],
        prefixes: &["s390x-linux-gnu-"],
        target: "s390x-linux-gnu",
        sibling: None,
        frame: FRAME_64,
        flags: &[
            "-m64",
            "-march=z10",
            "-msoft-float",
            "-mbackchain",
            "-mpacked-stack",
            "-fno-asynchronous-unwind-tables",
            "-fPIC",
        ],
        gcc: &[],
        clang: &[],
        helpers: &["__ashlti3", "__ashrti3", "__lshrti3"],
    },
];

/// Without these nothing is compiled as in a kernel.
pub(super) const REQUIRED: &[&str] = &["-std=gnu11", "-O2", "-ffreestanding", "-nostdinc"];

/// What kernels tell every compiler.
pub(super) const COMMON: &[&str] = &[
    "-fshort-wchar",
    "-funsigned-char",
    "-fno-common",
    "-fno-strict-aliasing",
    "-fno-pie",
    "-fno-delete-null-pointer-checks",
    "-fno-stack-protector",
    "-fomit-frame-pointer",
    "-fno-strict-overflow",
    "-fno-stack-check",
    "-fstrict-flex-arrays=3",
];

/// What kernels tell gcc; `-ftabstop` makes its columns bytes.
pub(super) const COMMON_GCC: &[&str] =
    &["-fno-allow-store-data-races", "-fconserve-stack", "-ftabstop=1"];

/// What kernels tell clang.
pub(super) const COMMON_CLANG: &[&str] = &["-Wno-gnu"];

/// What compilers are to warn of. Each warning is a finding, as if it were an error.
pub(super) const WARNINGS: &[&str] = &[
    "-Wall",
    "-Wundef",
    "-Wmissing-prototypes",
    "-Wmissing-declarations",
    "-Wstrict-prototypes",
    "-Wimplicit-fallthrough",
    "-Wvla",
    "-Wno-pointer-sign",
    "-Wno-address-of-packed-member",
];

/// The same for gcc alone. What may be used without a value, and what may lie behind an array, is what
/// gcc only guesses: kernels don't ask.
pub(super) const WARNINGS_GCC: &[&str] = &[
    "-Wstringop-overflow",
    "-Wunused-but-set-variable",
    "-Wno-maybe-uninitialized",
    "-Wno-array-bounds",
];

/// What compilers call by themselves and every kernel has.
pub(super) const EVERYWHERE: &[&str] = &["memcmp", "memcpy", "memmove", "memset"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_apart_and_siblings_exist() {
        for (at, machine) in MACHINES.iter().enumerate() {
            assert!(MACHINES[..at].iter().all(|other| other.name != machine.name));
            let sibling = machine.sibling.map(|(name, _)| name);
            assert!(sibling.is_none_or(|name| MACHINES.iter().any(|other| other.name == name)));
        }
    }
}
