//! `kernelize` turns a release of an upstream C library into the form the Linux kernel carries.
//!
//! The modules stand in dependency order; each uses only those above it (ARCHITECTURE.md).

pub mod text;

pub mod finding;

pub mod memo;

pub mod edit;

pub mod rules;

pub mod git;

pub mod upstream;

pub mod preprocess;

pub mod syntax;

pub mod rewrite;

pub mod kernel;

pub mod proof;

pub mod pipeline;

pub mod check;

pub mod build;

pub mod linux;

pub mod patch;

pub mod letter;

pub mod series;

pub mod compare;

pub mod report;

pub mod commands;

pub mod cli;
