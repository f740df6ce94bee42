//! The API in process: the real router, services, plugin host and store (SQLite in a directory of its own).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::large_futures,
    clippy::semicolon_if_nothing_returned,
    missing_docs,
    unreachable_pub,
    reason = "a test fails by panicking, and waits for what it spawned"
)]

mod audit;
mod auth;
mod cinema;
mod cors_origins;
mod dev;
mod docs;
mod events;
mod history;
mod index;
mod invitations;
mod items;
mod jobs;
mod libraries;
mod licensing;
mod links;
mod ls;
mod movies;
mod music;
mod photo_albums;
mod photos;
mod playback_queues;
mod plugins;
mod ratings;
mod reset;
mod roles;
mod search;
mod server;
mod settings;
mod setup;
mod support;
mod system;
mod tv;
mod users;

use serde_json::{Value, json};

const INSTANCE: &str = "0123456789abcdef0123456789abcdef";
/// An id that no resource has.
const UNKNOWN: &str = "0000000000001";
const LISTED_ORIGIN: &str = "https://app.example";

/// The path of a route with an id in place of each parameter.
fn filled(path: &str) -> String {
    let parts = path
        .split('/')
        .map(|part| if part.starts_with('{') { UNKNOWN } else { part });
    parts.collect::<Vec<_>>().join("/")
}

fn credentials(password: &str) -> Value {
    json!({"username": "ada", "password": password})
}
