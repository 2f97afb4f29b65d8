//! `kernelize` turns a release of an upstream C library into the form the Linux kernel carries.
//!
//! The modules stand in dependency order; each uses only those above it (ARCHITECTURE.md).

pub mod text;

pub mod finding;

pub mod edit;

pub mod rules;

pub mod upstream;

pub mod preprocess;

pub mod syntax;

pub mod rewrite;

pub mod kernel;

pub mod pipeline;

pub mod letter;

pub mod report;

pub mod commands;

pub mod cli;
