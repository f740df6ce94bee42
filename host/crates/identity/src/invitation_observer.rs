//! The interface to whatever publishes changes of invitations.

use svc_domain::invitation::Invitation;

/// Receives each invitation when its status has changed, to publish that.
pub trait InvitationObserver: Send + Sync + std::fmt::Debug {
    /// The invitation has a new status, or is new.
    fn changed(&self, invitation: &Invitation);
}
