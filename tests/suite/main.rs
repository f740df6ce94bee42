//! Tests of the whole server in one binary; `guards` holds the rules for the source.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub,
    reason = "tests fail by panicking, start programs, wait and tell what they skip"
)]

mod guards;
mod library;
mod program;
mod truth;
