//! The sign-in of a device without a browser, such as a TV (RFC 8628): a signed-in user approves it elsewhere.

use crate::id::{DeviceSignInId, SessionId, UserId};
use crate::named_enum::named_enum;
use crate::time::Timestamp;

named_enum! {
    /// What a user decided about a device.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DeviceSignInStatus {
        /// Nobody has decided.
        Pending => "pending",
        /// The device may fetch its session.
        Approved => "approved",
        /// The device gets no session.
        Denied => "denied",
    }
}

/// A device that waits to be signed in, without its codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceSignIn {
    /// Id.
    pub id: DeviceSignInId,
    /// Name of the app that the device runs.
    pub app: String,
    /// `User-Agent` of the device.
    pub user_agent: Option<String>,
    /// IP address of the device.
    pub address: Option<String>,
    /// When the device asked.
    pub created_at: Timestamp,
    /// When its codes expire.
    pub expires_at: Timestamp,
    /// The decision.
    pub status: DeviceSignInStatus,
    /// The account that decided.
    pub user: Option<UserId>,
    /// The session that decided; `None` if its access token belonged to no session.
    pub session: Option<SessionId>,
}
