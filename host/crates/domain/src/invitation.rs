//! Invitations: each gives one person an account with a role, once.

use crate::id::{InvitationId, UserId};
use crate::named_enum::named_enum;
use crate::time::Timestamp;

named_enum! {
    /// The status of an invitation. The names are part of the API.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum InvitationStatus {
        /// Nobody has used it.
        Active => "active",
        /// A cloud account holds it.
        Bound => "bound",
        /// It was used for an account.
        Claimed => "claimed",
        /// It ended unused.
        Expired => "expired",
        /// It was taken back.
        Revoked => "revoked",
    }
}

/// Who can use an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvitationType {
    /// Whoever has its shortcode.
    Shareable,
    /// One cloud account.
    Direct,
}

impl InvitationType {
    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shareable => "shareable",
            Self::Direct => "direct",
        }
    }
}

/// The invitation at the cloud that keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudInvitation {
    /// Which cloud.
    pub cloud: String,
    /// Its id there.
    pub id: String,
}

/// An invitation. Holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Id.
    pub id: InvitationId,
    /// Name of the role that it grants.
    pub role: String,
    /// The stored status, or that at a time after [`Invitation::at`].
    pub status: InvitationStatus,
    /// The cloud account that it is addressed to.
    pub target: Option<String>,
    /// Set if a cloud keeps it.
    pub cloud: Option<CloudInvitation>,
    /// The inviter, whose account may be gone.
    pub created_by: UserId,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ends unless it is used.
    pub expires_at: Timestamp,
    /// Since when a cloud account holds it.
    pub bound_at: Option<Timestamp>,
    /// When it was used.
    pub claimed_at: Option<Timestamp>,
    /// The account that was created with it.
    pub claimed_by: Option<UserId>,
}

impl Invitation {
    /// Who can use it.
    pub fn invitation_type(&self) -> InvitationType {
        match self.target {
            Some(_) => InvitationType::Direct,
            None => InvitationType::Shareable,
        }
    }

    /// Whether it can be used.
    pub fn is_open(&self, now: Timestamp) -> bool {
        matches!(self.status, InvitationStatus::Active | InvitationStatus::Bound) && now < self.expires_at
    }

    /// The invitation with its status at a time: expired if its end has passed, stored or not.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        let was_open = matches!(self.status, InvitationStatus::Active | InvitationStatus::Bound);
        if was_open && !self.is_open(now) {
            self.status = InvitationStatus::Expired;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_invitations_alone_expire() {
        let end = Timestamp::from_millis(1_000);
        let before = Timestamp::from_millis(999);
        for status in InvitationStatus::ALL {
            let invitation = Invitation {
                id: InvitationId::from(1),
                role: "member".to_owned(),
                status,
                target: None,
                cloud: None,
                created_by: UserId::from(1),
                created_at: Timestamp::from_millis(0),
                expires_at: end,
                bound_at: None,
                claimed_at: None,
                claimed_by: None,
            };
            let is_open = matches!(status, InvitationStatus::Active | InvitationStatus::Bound);
            assert_eq!(invitation.is_open(before), is_open, "{status:?}");
            assert!(!invitation.is_open(end), "{status:?}");
            assert_eq!(invitation.clone().at(before).status, status);
            let at_end = if is_open {
                InvitationStatus::Expired
            } else {
                status
            };
            assert_eq!(invitation.at(end).status, at_end, "{status:?}");
        }
    }
}
