//! The tests of the whole server, in one binary. The tree mirrors the API's paths; `guards` holds the rules that
//! the source itself must keep.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod guards;
mod program;
mod truth;
