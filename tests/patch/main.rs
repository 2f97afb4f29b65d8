//! Patches: held against those that git makes, and given to the tools that apply them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod changes;
mod command;
mod commits;
mod mails;
#[path = "../releases/packages.rs"]
mod packages;
mod remedies;
mod sides;
mod support;
mod tools;
