//! The kernel side: where files go, and the files that are the kernel's own.

pub mod api;
pub mod builds;
pub mod layout;
pub mod modules;
pub mod replaced;
pub mod symbols;
pub mod target;
pub mod template;
