//! The wrapper API of small headers.
