//! The only place that prints: findings, errors, summaries and progress, as text, JSON, or in
//! the forms that services for continuous integration read.
//!
//! The rest of the program hands over data; what goes to which stream is decided here. Standard
//! output carries what a command was asked for, standard error everything said about it.

pub mod audit;
pub mod check;
pub mod compare;
pub mod console;
pub mod crash;
pub mod error;
mod excerpt;
pub mod explain;
pub mod found;
pub mod github;
pub mod json;
pub mod junit;
pub mod origin;
pub mod page;
mod pager;
pub mod paint;
pub mod patch;
pub mod progress;
pub mod sarif;
pub mod summary;
pub mod text;
pub mod visible;
