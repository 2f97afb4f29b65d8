//! A Linux tree: what it holds of the library, which release that came from, what was changed there,
//! and how those changes go onto a new import. Reads, never writes.

pub mod again;
pub mod base;
mod blocks;
pub mod callers;
mod carried;
pub mod carry;
mod classify;
mod cover;
pub mod digests;
mod folder;
mod generated;
mod hunks;
pub mod interface;
mod items;
pub mod kconfig;
mod meaning;
mod merge;
pub mod named;
mod normal;
pub mod search;
pub mod tree;
mod verdict;
