//! The tools of a plugin's author, behind `svc plugin …`: they build, check, test, measure and sign a plugin.
//!
//! Each verb is a function that returns a report; a report is JSON through serde and text through `Display`. A plugin
//! runs in the plugin host as it does in the server (`sandbox.rs`), with sources that record, shorten or fail reads
//! (`probe.rs`). May use `svc-domain` and `svc-plugin-host`. Compilers of other languages are started in `process.rs`.
//! `anyhow` occurs only as the error of the parsers of WIT and of components.
//!
//! To add a language: a module in `build/`, a line in `language.rs`, a folder of templates and its lines in
//! `template.rs`, and a row in the test `tests/suite/program/plugin_kit/languages.rs`.

pub mod bench;
pub mod build;
pub mod changes;
pub mod check;
pub mod conformance;
mod coverage;
pub mod dev;
pub mod doctor;
pub mod error;
pub mod finding;
pub mod follow;
pub mod golden;
pub mod inspect;
pub mod language;
pub mod managed;
pub mod manifest_outline;
mod media;
mod probe;
mod process;
pub mod project;
pub mod purge;
pub mod record;
pub mod refusal;
pub mod repro;
pub mod run;
mod run_log;
pub mod sandbox;
mod sections;
pub mod server;
pub mod signature;
pub mod template;
mod text;
mod wit;

pub use error::KitError;
