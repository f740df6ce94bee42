//! Using the invitation that a cloud account holds, when that account signs in for the first time.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::ClientInfo;
use crate::app::App;
use crate::cloud::{CloudAccount, CloudError};
use crate::cloud_credential::Credential;
use crate::error::{Result, ServiceError};
use crate::invitations::attempt::ClaimMethod;
use crate::invitations::claims::{Claimant, Claims};
use svc_domain::invitation::Invitation;
use svc_domain::user::Account;

/// How long a sign-in waits for the invitations of its account.
const HELD_WAIT: Duration = Duration::from_secs(5);
/// Invitations of one account that are tried.
const MAX_HELD: usize = 100;
/// Pauses before a claim is reported to the cloud again.
const RETRY_AFTER: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

impl Claims {
    /// Uses an invitation that a cloud account holds, for a new account that is linked to it; `None` if it holds none
    /// that can be used. The token is one that the cloud has just accepted. The claim is decided here, and the cloud is
    /// told of it afterwards. The cloud is waited for until this time.
    ///
    /// # Errors
    /// Refused if no role of the invitations permits the app; conflict without a free seat; try later if the cloud does
    /// not respond.
    pub async fn claim_held(
        &self,
        token: &str,
        vouched: &CloudAccount,
        app: App,
        client: &ClientInfo,
        until: Instant,
    ) -> Result<Option<Account>> {
        let cloud = &self.parts.cloud;
        if !cloud.features().invitations {
            return Ok(None);
        }
        let Some(credential) = self.parts.credentials.get().await? else {
            return Ok(None);
        };
        let held = cloud.bound_invitations(credential.secret(), token);
        let held = timeout_at(until.min(Instant::now() + HELD_WAIT), held).await;
        let held = match held.unwrap_or(Err(CloudError::Unavailable)) {
            Ok(ids) => ids,
            Err(CloudError::Unavailable) => return Err(CloudError::Unavailable.into()),
            Err(_) => return Ok(None),
        };
        let mut refused = None;
        for id in held.into_iter().take(MAX_HELD) {
            let known = self.parts.invitations.by_cloud_id(cloud.identity(), &id).await?;
            let Some(invitation) = known.filter(|known| known.is_open(self.parts.context.now())) else {
                continue;
            };
            let claimant = Claimant::Cloud(vouched.clone());
            let claimed = self.claim(invitation.clone(), claimant, app, client, until).await;
            let now = self.parts.context.now();
            self.last
                .record(now, ClaimMethod::CloudToken, Some(invitation.id), &claimed);
            match claimed {
                Ok(account) => {
                    self.tell_claim(credential, token.to_owned(), &invitation, id);
                    return Ok(Some(account));
                }
                // Its inviter may no longer give the role, or it was revoked meanwhile.
                Err(ServiceError::Absent { .. }) => {}
                Err(error @ ServiceError::Refused(_)) => refused = Some(error),
                Err(error) => return Err(error),
            }
        }
        refused.map_or(Ok(None), Err)
    }

    /// Tells the cloud that the account has used an invitation, so that it shows that.
    fn tell_claim(&self, credential: Credential, token: String, invitation: &Invitation, id: String) {
        let (cloud, invitation) = (Arc::clone(&self.parts.cloud), invitation.id);
        self.parts.context.tasks.spawn_until_end("invitation-claimed", async move {
            let mut pauses = RETRY_AFTER.into_iter();
            loop {
                let told = cloud.claim_invitation(credential.secret(), &token, &id).await;
                match (told, pauses.next()) {
                    (Ok(true), _) => return,
                    (Err(CloudError::Unavailable), Some(pause)) => tokio::time::sleep(pause).await,
                    (Ok(false) | Err(_), _) => {
                        tracing::warn!(%invitation, "the cloud does not show that an invitation was claimed");
                        return;
                    }
                }
            }
        });
    }
}
