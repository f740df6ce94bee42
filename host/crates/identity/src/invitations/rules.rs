//! What an inviter may give, at creation and at each claim.

use crate::capabilities_of;
use crate::capability::Capability;
use crate::error::{ErrorCode, Result, ServiceError};
use crate::roles::{RoleInfo, require_assignable_with};
use svc_domain::user::Account;

/// The only error for an invitation that cannot be used, so that it does not tell a guesser which codes existed.
pub(super) const UNAVAILABLE: ServiceError = ServiceError::Absent {
    code: ErrorCode::InvitationUnavailable,
    message: "no invitation has this shortcode, or it was used or revoked or has expired",
};

/// The same on a server whose cloud keeps invitations.
pub(super) const UNAVAILABLE_HERE: ServiceError = ServiceError::Absent {
    code: ErrorCode::InvitationUnavailable,
    message: "no invitation of this server has this shortcode, or it was used or revoked or has expired; accept invitations of \
              the cloud at the cloud",
};

/// The role of an invitation, if its inviter may give it now. An inviter who was deleted, disabled or demoted gives
/// nothing; the invitation stays open, in case that is taken back.
///
/// # Errors
/// [`UNAVAILABLE`].
pub(super) fn given_role(inviter: Option<Account>, role: Option<RoleInfo>) -> Result<RoleInfo> {
    let inviter = inviter.filter(|inviter| inviter.user.enabled);
    let (Some(inviter), Some(role)) = (inviter, role) else {
        return Err(UNAVAILABLE);
    };
    let capabilities = capabilities_of(&inviter);
    let may_invite = capabilities.contains(Capability::InvitationsCreate);
    if may_invite && require_assignable_with(capabilities, &role).is_ok() {
        Ok(role)
    } else {
        Err(UNAVAILABLE)
    }
}
