//! Real releases, from the source of each to what the kernel's compiler is given: that the output
//! compiles, and that it means what the release means.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests fail by panicking, helpers outside test functions included"
)]

#[path = "releases/mod.rs"]
mod harness;

#[path = "releases/built.rs"]
mod built;
#[path = "releases/closure.rs"]
mod closure;
#[path = "releases/compare.rs"]
mod compare;
#[path = "releases/cost.rs"]
mod cost;
#[path = "releases/goldens.rs"]
mod goldens;
#[path = "releases/imported.rs"]
mod imported;
#[path = "releases/interface.rs"]
mod interface;
#[path = "releases/left.rs"]
mod left;
#[path = "releases/meaning.rs"]
mod meaning;
#[path = "releases/memo.rs"]
mod memo;
#[path = "releases/modules.rs"]
mod modules;
#[path = "releases/planted.rs"]
mod planted;
#[path = "releases/proof.rs"]
mod proof;
#[path = "releases/sides.rs"]
mod sides;
#[path = "releases/syntax.rs"]
mod syntax;
#[path = "releases/threads.rs"]
mod threads;
