//! Creating invitations that the cloud keeps. The invitation is reserved before the cloud is asked, so that it counts for
//! the daily limit, and released if the cloud refuses.

use crate::AuthContext;
use crate::cloud::{CLOUD_TIME, CloudError, CreatedInvitation as AtCloud, InvitationRequest};
use crate::cloud_credential::Credential;
use crate::error::{ErrorCode, Result, RetryReason, ServiceError, TryLater};
use crate::invitations::Invitations;
use crate::invitations::create::{
    CreateInvitation, CreatedInvitation, audit, begin, new_invitation, require_below_limit,
};
use svc_domain::invitation::Invitation;
use svc_store::NewInvitation;

/// Length of the longest code of the cloud that is forwarded.
const MAX_CODE: usize = 64;
/// The code for a credential that the cloud no longer knows.
pub(super) const CREDENTIAL_INVALID: &str = "credential_invalid";

/// The server has no valid credential, and the inviter cannot obtain one.
const OWNER_NEEDED: ServiceError =
    ServiceError::Refused("the owner of this server has to create the first invitation");

/// The error for the client. Codes of the cloud are forwarded if they are well-formed.
pub(crate) fn refusal(error: CloudError) -> ServiceError {
    match error {
        CloudError::Rejected => ServiceError::conflict(
            ErrorCode::CloudTokenRejected,
            "the cloud rejected the token of the account",
        ),
        CloudError::TargetUnavailable => ServiceError::Absent {
            code: ErrorCode::TargetUnavailable,
            message: "the account cannot be invited",
        },
        CloudError::Refused(code) if is_code(&code) => ServiceError::CloudRefused { code },
        CloudError::Refused(_) => ServiceError::conflict(ErrorCode::CloudRefused, "the cloud refused this"),
        CloudError::Unavailable | CloudError::Unsupported => unavailable(),
    }
}

fn unavailable() -> ServiceError {
    TryLater::unavailable(RetryReason::CloudUnavailable, "the cloud cannot be reached").into()
}

fn is_code(code: &str) -> bool {
    let is_letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    (1..=MAX_CODE).contains(&code.len()) && code.bytes().all(is_letter)
}

/// Whether a text of the cloud is a link for people.
fn is_link(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

impl Invitations {
    /// Creates an invitation at the cloud, on behalf of the account that the token belongs to.
    pub(super) async fn create_at_cloud(
        &self,
        by: &AuthContext,
        request: CreateInvitation,
        token: &str,
    ) -> Result<CreatedInvitation> {
        let credential = self.credentials.get().await?;
        let reserved = self.reserve(by, &request, credential.is_some()).await?;
        let asked = self.ask_cloud(by, &reserved, credential, token);
        // Two requests for the first invitation, three if the credential is renewed.
        let asked = tokio::time::timeout(CLOUD_TIME, asked).await;
        let (credential, made) = match asked.unwrap_or_else(|_| Err(unavailable())) {
            Ok(made) => made,
            Err(error) => {
                self.invitations.release(reserved.id).await?;
                return Err(error);
            }
        };
        match self.activate(by, &reserved, &made).await {
            Ok(invitation) => {
                let is_direct = invitation.target.is_some();
                Ok(CreatedInvitation {
                    invitation,
                    shortcode: made.shortcode.filter(|_| !is_direct),
                    url: made.url.filter(|url| !is_direct && is_link(url)),
                })
            }
            Err(error) => {
                // The inviter lost its rights meanwhile.
                self.invitations.release(reserved.id).await?;
                self.take_back(credential, made.id);
                Err(error)
            }
        }
    }

    /// Reserves an invitation, after all checks that need no cloud.
    async fn reserve(
        &self,
        by: &AuthContext,
        request: &CreateInvitation,
        has_credential: bool,
    ) -> Result<Invitation> {
        let context = &self.context;
        let mut change = begin(context, by, &request.role).await?;
        if !has_credential && !by.actor.user.is_owner {
            return Err(OWNER_NEEDED);
        }
        let now = context.now();
        require_below_limit(&mut change, by, now).await?;
        let invitation = new_invitation(context, by, request, now);
        change
            .insert_invitation(&NewInvitation {
                invitation: &invitation,
                shortcode_hash: None,
                creator_cloud_account: by.actor.user.cloud_account.as_deref(),
                reserved_for: Some(self.cloud.identity()),
            })
            .await?;
        change.commit_without_invalidation().await?;
        Ok(invitation)
    }

    /// Asks the cloud. A credential that is missing or no longer valid is obtained by the owner.
    async fn ask_cloud(
        &self,
        by: &AuthContext,
        reserved: &Invitation,
        stored: Option<Credential>,
        token: &str,
    ) -> Result<(Credential, AtCloud)> {
        let request = InvitationRequest {
            role: reserved.role.clone(),
            target: reserved.target.clone(),
            expires_at: reserved.expires_at,
        };
        if let Some(credential) = stored {
            let made = self
                .cloud
                .create_invitation(credential.secret(), token, request.clone());
            match made.await {
                Err(CloudError::Refused(code)) if code == CREDENTIAL_INVALID => {}
                made => return Ok((credential, made.map_err(refusal)?)),
            }
        }
        if !by.actor.user.is_owner {
            return Err(OWNER_NEEDED);
        }
        let credential = self.credentials.obtain(by, token, refusal).await?;
        let made = self
            .cloud
            .create_invitation(credential.secret(), token, request)
            .await;
        Ok((credential, made.map_err(refusal)?))
    }

    /// Makes a reserved invitation active, if the inviter still may create it.
    async fn activate(&self, by: &AuthContext, reserved: &Invitation, made: &AtCloud) -> Result<Invitation> {
        let context = &self.context;
        let mut change = begin(context, by, &reserved.role).await?;
        let expires_at = made.expires_at.min(reserved.expires_at);
        let active = change
            .activate_invitation(reserved.id, &made.id, expires_at)
            .await?;
        let active = active.ok_or_else(|| ServiceError::internal("the reservation is gone"))?;
        audit(context, &mut change, by, &active).await?;
        change.commit_without_invalidation().await?;
        self.observer.changed(&active);
        Ok(active)
    }

    /// Revokes an invitation at the cloud that this server does not know.
    fn take_back(&self, credential: Credential, id: String) {
        let cloud = std::sync::Arc::clone(&self.cloud);
        self.context.tasks.spawn("invitation-take-back", async move {
            if cloud.revoke_invitation(credential.secret(), &id).await.is_err() {
                tracing::warn!("an invitation could not be taken back; it expires at the cloud");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_covers::covers;

    #[covers("T34")]
    #[test]
    fn codes_of_the_cloud_are_forwarded_only_if_well_formed() {
        let longest = "x".repeat(64);
        for code in ["daily_invitation_limit", "a", "0_9", &longest] {
            let error = refusal(CloudError::Refused(code.to_owned()));
            assert!(
                matches!(error, ServiceError::CloudRefused { code: sent } if sent == code),
                "{code}"
            );
        }
        let long = "x".repeat(65);
        let megabyte = "x".repeat(1 << 20);
        for code in [
            "", "A", "a b", "<script>", "a-b", "ä", "a\n", "a\0", "\u{fffd}", &long, &megabyte,
        ] {
            let error = refusal(CloudError::Refused(code.to_owned()));
            let is_generic = matches!(
                error,
                ServiceError::Conflict {
                    code: ErrorCode::CloudRefused,
                    ..
                }
            );
            assert!(is_generic, "{code:.20}");
        }
    }

    #[test]
    fn links_for_people_are_http() {
        assert!(is_link("https://cloud.example/invite/7K2M"));
        for text in [
            "javascript:alert(1)",
            "data:text/html,x",
            "/invite/7K2M",
            "file:///etc/passwd",
            "",
        ] {
            assert!(!is_link(text), "{text}");
        }
    }
}
