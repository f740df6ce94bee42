//! Stands in for `serde-xml-rs`, so that the server links no XML parser.
//!
//! salvo_core depends on that crate without a feature to turn it off, and calls one function of it: `to_string`, in
//! its own error page, when a client prefers XML. The server renders every error itself as JSON and never shows that
//! page. `[patch.crates-io]` in the workspace puts this crate in its place; salvo_core then falls back to an empty text.

/// Printing XML is not supported.
#[derive(Debug)]
pub struct Error;

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("this build prints no XML")
    }
}

impl std::error::Error for Error {}

/// Always fails; see the crate's description.
///
/// # Errors
/// Always.
pub fn to_string<T: serde::Serialize>(_: &T) -> Result<String, Error> {
    Err(Error)
}
