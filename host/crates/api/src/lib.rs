//! The HTTP API: routes with their access, typed input, views, errors, and the OpenAPI document.
//!
//! May use every crate below it but `svc-store` and `svc-plugin-host`. A handler is typed input, one call of a use case, one
//! view: no SQL, no rule.
//!
//! To add an endpoint: a handler in `routes/<resource>.rs`, a line in `router.rs`, a view in `views/`, a test in
//! `host/tests/http/`; then `cargo xtask openapi`.

pub mod api_error;
pub mod api_reference;
pub mod binary_content;
pub mod body;
pub mod client;
pub mod csrf;
mod date_time;
pub mod docs;
pub mod error_codes;
pub mod extract;
pub mod list_query;
pub mod logout_form;
pub mod media_response;
pub mod middleware;
pub mod openapi;
mod plugin_upload;
pub mod query;
pub mod redirect;
pub mod refresh_cookie;
pub mod request_context;
pub mod requested_url;
pub mod response;
pub mod response_cache;
pub mod route;
pub mod router;
pub mod routes;
pub mod routing;
pub mod sign_in_cookie;
pub mod state;
pub mod tag;
pub mod thumbnail_size;
pub mod versioned;
pub mod views;
pub mod waveform_response;
