//! The review page.

mod charts;
mod cost;
mod figures;
mod speed;
