//! From the files before and the files after to one patch in mail format, and back.
//!
//! The same files and texts give the same bytes: nothing here knows a clock, a host or a user.

mod apply;
mod change;
mod cover;
mod difference;
mod encode;
mod mail;
mod parse;
mod quote;
mod renames;
mod stat;
mod text;

pub use apply::{apply, apply_edited};
pub use change::{Change, FileChange, Version};
pub use difference::{Difference, Part, first_difference};
pub use mail::{Mail, file_name};
pub use parse::{ParsedPatch, parse};
