//! The `svc` program: command line, configuration and the composition root (`app.rs`), which alone knows all concrete types.
//!
//! Everything else is a crate of its own under `host/crates`; `ARCHITECTURE.md` has the map. A library with a thin binary, so
//! that tests start the server that operators run.

pub mod app;
pub mod cli;
pub mod config;
pub mod installation;
pub mod services;
pub mod telemetry;
