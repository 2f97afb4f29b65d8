//! The proof that a kernel form means what upstream's text means.

/// What was proved of an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// Files from upstream.
    pub files: usize,
    /// Files that were proved.
    pub proved: usize,
    /// Conditions upstream in those.
    pub conditions: usize,
    /// Independent facts that the conditions which stay depend on: every setting of them is covered.
    pub facts: usize,
}
