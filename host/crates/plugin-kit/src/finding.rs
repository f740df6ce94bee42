//! What a verb found: whether it passed, and what to do about it.

use std::fmt;

use serde::Serialize;

/// One check.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What was checked.
    pub check: String,
    /// Result.
    pub status: Status,
    /// What was found.
    pub detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The result of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nothing to object to.
    Passed,
    /// Works, but probably not as intended.
    Warning,
    /// The server rejects the plugin, or would have to end its calls.
    Failed,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = match self.status {
            Status::Passed => "ok     ",
            Status::Warning => "warning",
            Status::Failed => "FAILED ",
        };
        write!(f, "  {status} {}: {}", self.check, self.detail)?;
        if let Some(next) = &self.next {
            write!(f, "\n          next: {next}")?;
        }
        Ok(())
    }
}
