//! What was worked out for texts seen before; see [`crate::memo`].

pub use crate::memo::{Held, Key, KeyMaker, Memo};
