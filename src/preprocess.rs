//! The partial preprocessor: drops the branches that settings decide and shortens conditions.

pub mod lexer;
