//! A Linux tree: who in it calls the library, and what its headers offer.

pub mod callers;
pub mod interface;
