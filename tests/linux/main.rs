//! Linux trees: what they hold, what they have changed, and how that goes onto a new import.

// A test fails by panicking, its helpers too.
#![allow(clippy::unwrap_used)]

mod again;
mod digests;
mod hidden;
mod real;
mod support;
mod synthetic;
