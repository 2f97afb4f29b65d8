//! Reading releases from every kind of source, sound and hostile ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper that fails is a test that fails"
)]

mod archives;
mod folders;
mod git_damage;
mod git_hostile;
mod git_lines;
mod git_revisions;
mod packages;
mod support;
mod urls;
