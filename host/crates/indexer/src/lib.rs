//! The indexer: scans, the watcher, and the schedule that starts them.
//!
//! `scan/` is the pipeline (its README walks through the phases); `indexing.rs` controls runs; `scan_scheduler.rs` starts them.
//! The only crate that uses rayon. May use `svc-domain`, `svc-platform`, `svc-store`, `svc-plugin-host`, `svc-identity` and
//! `svc-events`.
//!
//! To add a phase: a module in `scan/` and its place in `scan/run.rs`; phases meet in bounded channels.

pub mod indexing;
mod run_events;
pub mod scan;
pub mod scan_scheduler;
