//! The log of a run of the indexer, as the tools of authors read it.

use serde::Deserialize;

/// An entry about a file that could not be read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErroredFile {
    /// Below its media directory.
    pub(crate) relative_path: String,
    /// The plugin with its version.
    #[serde(default)]
    pub(crate) plugin: Option<String>,
    /// Code and message of the failure.
    #[serde(default)]
    pub(crate) reason: Option<String>,
}
