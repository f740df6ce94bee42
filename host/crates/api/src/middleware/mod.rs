//! What happens around handlers, one concern in a file: [`AroundRequest`] calls those of every request, [`AroundHandler`]
//! those that a route's data asks for.

mod around_handler;
mod around_request;
mod authenticate;
mod authorize;
mod cache;
mod contain;
mod dev_access;
mod error_body;
mod request_check;
mod request_log;
mod response_headers;

pub use around_handler::AroundHandler;
pub use around_request::AroundRequest;
pub use authenticate::credential;
pub use error_body::ErrorBody;
