//! The svc media server, as a library with a thin binary.
//!
//! See `ARCHITECTURE.md` for the code map and the rules between the modules.

pub mod app;
pub mod auth;
pub mod backups;
pub mod cli;
pub mod config;
pub mod data_dir;
pub mod disk_cache;
pub mod domain;
mod heap;
pub mod http;
pub mod installation;
pub mod media_root;
pub mod open_files;
pub mod plugins;
pub mod random;
pub mod scan;
pub mod secret_key;
pub mod service;
#[cfg(test)]
#[path = "../../tests/skipped.rs"]
mod skipped;
pub mod store;
pub mod tasks;
pub mod telemetry;
