//! Databases, guest plugins, kinds of plugins and the skip log, shared by tests of several crates.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests fail by panicking, and read the names"
)]

pub mod archives;
pub mod databases;
pub mod guests;
pub mod interfaces;
pub mod kinds;
mod skipped;

pub use skipped::skipped;
