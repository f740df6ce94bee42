//! Payloads of the events of invitations.

use serde::Serialize;

use crate::Events;
use crate::message::{EventKind, Message};
use svc_domain::id::{InvitationId, UserId};
use svc_domain::invitation::{Invitation, InvitationStatus};
use svc_identity::invitation_observer::InvitationObserver;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InvitationChanged<'a> {
    invitation_id: InvitationId,
    role: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_by: Option<UserId>,
}

impl InvitationObserver for Events {
    fn changed(&self, invitation: &Invitation) {
        let kind = match invitation.status {
            InvitationStatus::Active => EventKind::InvitationCreated,
            InvitationStatus::Bound => EventKind::InvitationBound,
            InvitationStatus::Claimed => EventKind::InvitationClaimed,
            InvitationStatus::Expired => EventKind::InvitationExpired,
            InvitationStatus::Revoked => EventKind::InvitationRevoked,
        };
        let payload = InvitationChanged {
            invitation_id: invitation.id,
            role: &invitation.role,
            status: invitation.status.as_str(),
            claimed_by: invitation.claimed_by,
        };
        self.publish(|| Message::new(kind, &payload));
    }
}
