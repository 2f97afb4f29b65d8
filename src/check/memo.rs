//! What was worked out for texts seen before: commits of a range share most of their files.

/// Results by content. Shared by threads.
#[derive(Debug, Default)]
pub struct Memo {}
