//! The API over HTTP: routes, what they take and give, and the server that speaks it.
//!
//! To add an endpoint: a handler in `routes/<resource>.rs` (typed input, one service call, one view), its view in
//! `views/<resource>.rs`, and one line in `router.rs` with the access it takes. Guard, OpenAPI document, the list
//! of `GET /api` and the authorization tests follow from that line.

pub mod access;
mod activity;
mod admission;
pub mod answer;
pub mod answer_memory;
mod body;
pub mod client;
pub mod connection;
pub mod deadline;
pub mod docs;
pub mod event_stream;
pub mod extract;
pub mod file_body;
pub mod item_query;
mod json_body;
pub mod limits;
pub mod media_answer;
pub mod media_types;
pub mod middleware;
pub mod openapi;
pub mod pagination;
pub mod picture_size;
pub mod problem;
pub mod query;
pub mod range;
pub mod refresh_cookie;
mod refusal;
pub mod request_context;
mod request_service;
pub mod revised;
pub mod route;
pub mod router;
pub mod routes;
pub mod server;
pub mod site;
pub mod state;
mod transport;
mod unsent;
pub mod views;
pub mod waveform_answer;

#[cfg(test)]
mod tests;
