//! What is sent over HTTP, and what comes back.

pub use crate::bindings::cloud::svc::plugin::http::{Header, HttpError, Request, Response};

/// A header.
pub fn header(name: impl Into<String>, value: impl Into<String>) -> Header {
    Header {
        name: name.into(),
        value: value.into(),
    }
}

impl Response {
    /// The value of the first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self
            .headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name));
        header.map(|header| header.value.as_str())
    }
}
