//! The caller of a request, once known.

use crate::domain::id::SessionId;
use crate::domain::time::Timestamp;
use crate::domain::user::User;

use super::app::App;
use super::capability::{Capability, CapabilitySet};
use super::policy;

/// By what the caller proved who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// An access token from signing in.
    AccessToken {
        /// The app they signed in to.
        app: App,
        /// The session that the token belongs to, if it has one.
        session: Option<SessionId>,
        /// When the token ends.
        expires_at: Timestamp,
    },
}

/// A known caller, with everything that decides what they may do, read for this request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The account.
    pub user: User,
    /// Names of its roles.
    pub roles: Vec<String>,
    /// What they allow together.
    pub capabilities: CapabilitySet,
    /// The credential that was shown.
    pub proof: Proof,
}

impl Actor {
    /// The caller behind `proof`, with what the roles allow.
    pub fn new(user: User, roles: Vec<String>, proof: Proof) -> Self {
        let capabilities = policy::capabilities_of_names(roles.iter().map(String::as_str));
        Self {
            user,
            roles,
            capabilities,
            proof,
        }
    }

    /// Whether the caller may do something.
    pub fn may(&self, capability: Capability) -> bool {
        self.capabilities.contains(capability)
    }
}
