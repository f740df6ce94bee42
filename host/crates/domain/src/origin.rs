//! Web origins that may call the API.

use crate::id::CorsOriginId;
use crate::time::Timestamp;

/// An origin that an administrator added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorsOrigin {
    /// Id.
    pub id: CorsOriginId,
    /// Serialized as browsers send it: `https://app.example`, no path, no default port.
    pub origin: String,
    /// When it was added.
    pub created_at: Timestamp,
}
