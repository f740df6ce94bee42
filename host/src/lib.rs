//! The `svc` program: command line, configuration and the composition root (`app.rs`), the only module that depends
//! on all crates.
//!
//! Everything else is in crates under `host/crates`; see `ARCHITECTURE.md`. The program is a library with a thin
//! binary, so that tests start the same server as operators do.

pub mod app;
pub mod cli;
pub mod cloud;
pub mod config;
pub mod installation;
mod invitations;
mod job_types;
pub mod plugin_kinds;
pub mod plugin_watch;
pub mod services;
mod sign_in;
pub mod start_error;
pub mod telemetry;
