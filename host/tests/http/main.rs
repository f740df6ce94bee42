//! The API in process: the real router, services, plugin host and store (SQLite in a directory of its own).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stderr,
    missing_docs,
    unreachable_pub,
    reason = "a test fails by panicking, and waits for what it spawned"
)]

mod access;
mod access_matrix;
mod anonymous;
mod audit;
mod audit_lines;
mod connections;
mod dev;
mod document;
mod event_streams;
mod events;
mod filters;
mod full_queues;
mod general;
mod h2_wire;
mod history;
mod http2;
mod http2_send_buffer;
mod in_flight;
mod index_states;
mod index_watch;
mod input;
mod jobs;
mod jwt;
mod kiosk;
mod libraries;
mod library;
mod limits;
mod links;
mod login;
mod login_limits;
mod ls;
mod malformed_requests;
mod media;
mod media_files;
mod movies;
mod nulls;
mod open_streams;
mod origins;
mod people;
mod photo_albums;
mod playback_queues;
mod plugins;
mod privilege_escalation;
mod references;
mod refresh;
mod refresh_cloud;
mod refresh_grace;
mod refresh_load;
mod reset;
mod reset_restart;
mod response_cache;
mod roles;
mod search;
mod secret_leaks;
mod serving;
mod sessions;
mod settings;
mod setup;
mod shutdown;
mod statuses;
mod test_server;
mod thumbnails;
mod token_rules;
mod tokens;
mod tv;
mod unchanged_writes;
mod user_changes;
mod users;
mod video_rights;
mod waveforms;
mod write_requests;

use serde_json::{Value, json};

use test_server::{Reply, TestServer, TestServerOptions};

const INSTANCE: &str = "0123456789abcdef0123456789abcdef";
const LISTED_ORIGIN: &str = "https://app.example";

/// The path of a route with something in place of its parameters.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| {
        if part.starts_with('{') {
            "0000000000001"
        } else {
            part
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

fn credentials(password: &str) -> Value {
    json!({"username": "ada", "password": password})
}
