//! What the tests on real releases stand on: the releases themselves, and the compiler.

pub(crate) mod compile;
pub(crate) mod packages;
