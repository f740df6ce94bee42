//! Web origins that may call the API.

use crate::id::CorsOriginId;
use crate::time::Timestamp;

/// An origin that an administrator allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorsOrigin {
    /// Identifier.
    pub id: CorsOriginId,
    /// As browsers write it: `https://app.example`, no path, no default port.
    pub origin: String,
    /// When it was allowed.
    pub created_at: Timestamp,
}
