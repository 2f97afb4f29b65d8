//! Real releases, from the source of each to what the kernel's compiler is given: that the output
//! compiles, and that it means what the release means.

#[path = "releases/mod.rs"]
mod harness;

#[path = "releases/goldens.rs"]
mod goldens;
#[path = "releases/imported.rs"]
mod imported;
#[path = "releases/meaning.rs"]
mod meaning;
#[path = "releases/syntax.rs"]
mod syntax;
