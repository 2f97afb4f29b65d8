//! What the tests on real releases stand on: the releases themselves, the compiler, and the
//! comparison of a file before and after.

pub(crate) mod compile;
pub(crate) mod directives;
pub(crate) mod packages;
pub(crate) mod settings;
pub(crate) mod stream;
pub(crate) mod tokens;
