//! The cloud plugin: the client of the protocol that `docs/cloud-protocol.md` describes.
//!
//! [`discovery`] finds the endpoints, [`exchange`] sends a request and reads its answer or refusal, [`messages`] are the
//! bodies, [`forms`] the forms of texts, [`unique`] reads objects whose names are data, and [`releases`] verifies what was
//! released.

pub mod discovery;
pub mod endpoints;
pub mod exchange;
pub mod forms;
pub mod messages;
pub mod releases;
pub mod unique;

use svc_plugin_api::cloud::{
    Cloud, CloudError, CreatedInvitation, InvitationRequest, InvitationStatus, Release, ReleaseChannel,
    Server, ServiceAccount, ServiceFeatures, ServiceSubscription, clock,
};

use crate::exchange::Call;
use crate::forms::Result;
use crate::messages::{
    Account, Channels, Claimed, Created, Credential, Ids, NewInvitation, Registration, Revoked, Statuses,
    StatusesRequest, Subscription,
};

/// Invitations of one request for their statuses.
const STATUSES: usize = 500;

pub struct CloudClient;

impl Cloud for CloudClient {
    /// All that the protocol has; what the configured cloud lacks is unsupported when it is called.
    fn features() -> ServiceFeatures {
        ServiceFeatures::ACCOUNTS
            | ServiceFeatures::INVITATIONS
            | ServiceFeatures::LICENSING
            | ServiceFeatures::RELEASES
    }

    fn account(token: String) -> Result<ServiceAccount> {
        // Before anything is sent: it cannot be a token of the cloud.
        let call = Call::get("account").token(&token)?.instance();
        let account: Account = call.send(discovery::accounts()?.account()?)?;
        account.checked(clock::now())
    }

    fn credential(owner_token: String, server: Server) -> Result<String> {
        let body = Registration {
            instance_id: server.instance_id,
            name: forms::cut(&server.name, forms::NAME),
        };
        let call = Call::post("credential").token(&owner_token)?.body(&body)?;
        let registered: Credential = call.send(discovery::invitations()?.servers()?)?;
        forms::credential(registered.credential)
    }

    fn create_invitation(
        credential: String,
        token: String,
        request: InvitationRequest,
    ) -> Result<CreatedInvitation> {
        let body = NewInvitation {
            role: request.role,
            target: request.target,
            expires_at: request.expires_at,
        };
        let call = Call::post("create-invitation")
            .credential(&credential)?
            .token(&token)?
            .body(&body)?;
        let created: Created = call.send(discovery::invitations()?.invitations_url()?)?;
        created.checked(&body)
    }

    fn revoke_invitation(credential: String, id: String) -> Result<bool> {
        let call = Call::delete("revoke-invitation").credential(&credential)?;
        let endpoints = discovery::invitations()?;
        let url = format!("{}/{}", endpoints.invitations_url()?, forms::id(id)?);
        let revoked: Revoked = call.send(&url)?;
        Ok(revoked.revoked)
    }

    fn invitation_statuses(credential: String, ids: Vec<String>) -> Result<Vec<Option<InvitationStatus>>> {
        let endpoints = discovery::invitations()?;
        let url = endpoints.invitation_statuses()?;
        let mut statuses = Vec::with_capacity(ids.len());
        for ids in ids.chunks(STATUSES) {
            let body = StatusesRequest { ids };
            let call = Call::post("invitation-statuses")
                .credential(&credential)?
                .body(&body)?;
            let answer: Statuses = call.send(url)?;
            statuses.extend(answer.checked(ids.len())?);
        }
        Ok(statuses)
    }

    fn bound_invitations(credential: String, token: String) -> Result<Vec<String>> {
        let call = Call::get("bound-invitations")
            .credential(&credential)?
            .token(&token)?;
        let bound: Ids = call.send(discovery::invitations()?.bound_invitations()?)?;
        bound.ids.into_iter().map(forms::id).collect()
    }

    fn claim_invitation(credential: String, token: String, id: String) -> Result<bool> {
        let call = Call::post("claim-invitation")
            .credential(&credential)?
            .token(&token)?;
        let endpoints = discovery::invitations()?;
        let url = format!("{}/{}/claim", endpoints.invitations_url()?, forms::id(id)?);
        let claimed: Claimed = call.send(&url)?;
        Ok(claimed.claimed)
    }

    fn subscription(credential: String) -> Result<ServiceSubscription> {
        let call = Call::get("subscription").credential(&credential)?;
        let subscription: Subscription = call.send(discovery::licensing()?.subscription()?)?;
        subscription.checked()
    }

    fn release_channels() -> Result<Vec<ReleaseChannel>> {
        let call = Call::get("release-channels").shared();
        let channels: Channels = call.send(discovery::releases()?.release_channels()?)?;
        channels.checked()
    }

    fn latest_release(channel: String) -> Result<Release> {
        if !forms::is_name(&channel) {
            return Err(CloudError::Refused("channel_unknown".to_owned()));
        }
        let endpoints = discovery::releases()?;
        let url = format!("{}/{channel}/latest", endpoints.release_channels()?);
        let call = Call::get("latest-release").shared();
        let release: messages::Release = call.send(&url)?;
        // A key may be younger than the document that is kept, the first one in particular.
        if !releases::is_trusted(&release.key, &endpoints) {
            discovery::renew(&endpoints)?;
        }
        releases::verified(release, &channel, &endpoints)
    }
}

svc_plugin_api::export_plugin!(CloudClient, manifest = "plugin.toml", abilities = [cloud]);
