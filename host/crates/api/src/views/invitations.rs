//! JSON of invitations.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::id::{InvitationId, UserId};
use svc_domain::invitation::Invitation;
use svc_domain::time::Timestamp;
use svc_identity::invitations::claims::ClaimOffer;
use svc_identity::invitations::{ClaimAttempt, CreatedInvitation};

/// An invitation.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Invitation"))]
#[serde(rename_all = "camelCase")]
pub struct InvitationView {
    #[salvo(schema(value_type = String))]
    invitation_id: InvitationId,
    /// Role of the account that is created with it.
    role: String,
    /// `active`; `bound`, a cloud account holds it; `claimed`, an account was created with it; `expired`; `revoked`.
    status: &'static str,
    /// `shareable`, for whoever has the shortcode, or `direct`, for one cloud account.
    #[serde(rename = "type")]
    invitation_type: &'static str,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// Id of the inviter's account, which may be gone.
    #[salvo(schema(value_type = String))]
    created_by: UserId,
    /// When it ends unless it is used.
    #[salvo(schema(value_type = String))]
    expires_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    bound_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    claimed_at: Option<Timestamp>,
    /// Id of the account that was created with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    claimed_by: Option<UserId>,
    /// Only in the response to the creation of a shareable invitation: the server stores a hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    shortcode: Option<String>,
    /// Where the invitation is used; as `shortcode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The cloud account that a direct invitation is addressed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_public_user_id: Option<String>,
}

impl From<Invitation> for InvitationView {
    fn from(invitation: Invitation) -> Self {
        Self {
            invitation_id: invitation.id,
            status: invitation.status.as_str(),
            invitation_type: invitation.invitation_type().as_str(),
            role: invitation.role,
            created_at: invitation.created_at,
            created_by: invitation.created_by,
            expires_at: invitation.expires_at,
            bound_at: invitation.bound_at,
            claimed_at: invitation.claimed_at,
            claimed_by: invitation.claimed_by,
            shortcode: None,
            url: None,
            target_public_user_id: invitation.target,
        }
    }
}

impl InvitationView {
    /// A new invitation with its secrets. The page of an invitation that this server keeps is below `server_url`.
    pub fn created(created: CreatedInvitation, server_url: &str) -> Self {
        let CreatedInvitation {
            invitation,
            shortcode,
            url,
        } = created;
        let here = shortcode
            .as_ref()
            .filter(|_| invitation.cloud.is_none())
            .map(|shortcode| format!("{server_url}/invite/{shortcode}"));
        Self {
            url: url.or(here),
            shortcode,
            ..invitation.into()
        }
    }
}

/// What an invitation offers.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "InvitationOffer"))]
#[serde(rename_all = "camelCase")]
pub struct InvitationOfferView {
    server_name: String,
    /// Role of the account that is created with the invitation.
    role: String,
    #[salvo(schema(value_type = String))]
    expires_at: Timestamp,
}

impl InvitationOfferView {
    /// The offer of an invitation to this server.
    pub fn new(offer: ClaimOffer, server_name: String) -> Self {
        Self {
            server_name,
            role: offer.role,
            expires_at: offer.expires_at,
        }
    }
}

/// An attempt to use an invitation, for automated tests of clients.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ClaimAttempt"))]
#[serde(rename_all = "camelCase")]
pub struct ClaimAttemptView {
    #[salvo(schema(value_type = String))]
    at: Timestamp,
    /// `password`, `sign_in` or `cloud_token`.
    method: &'static str,
    /// The invitation; `null` if there is none.
    #[salvo(schema(value_type = Option<String>))]
    invitation_id: Option<InvitationId>,
    /// `claimed`, the code of the error, or `failed`.
    outcome: String,
}

impl From<ClaimAttempt> for ClaimAttemptView {
    fn from(attempt: ClaimAttempt) -> Self {
        Self {
            at: attempt.at,
            method: attempt.method.as_str(),
            invitation_id: attempt.invitation,
            outcome: attempt.outcome,
        }
    }
}
