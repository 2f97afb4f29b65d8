//! The `kernelize` command.
fn main() {}
