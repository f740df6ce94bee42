//! Signing in with a token of the cloud.

use tokio::time::Instant;

use super::{Login, LoginRequest, Logins};
use crate::app::App;
use crate::cloud::{CLOUD_TIME, CloudAccount};
use crate::cloud_accounts::VouchError;
use crate::error::{Result, ServiceError};
use crate::refused_sign_ins::RefusedByService;
use crate::secret_token::cloud_token_hash;
use crate::sessions::{CloudProof, Proof};
use svc_domain::user::User;

/// What is known of who signs in.
#[derive(Debug, Default)]
struct SignedIn {
    account: Option<CloudAccount>,
    user: Option<User>,
}

impl Logins {
    /// Signs in the account of a token that the cloud vouches for. Refusals are in the audit log and in the log.
    pub(super) async fn sign_in_by_cloud(
        &self,
        app: App,
        token: &str,
        request: LoginRequest,
    ) -> Result<Login> {
        let client = request.client.clone();
        let mut known = SignedIn::default();
        let outcome = self.try_cloud_token(app, token, request, &mut known).await;
        if let Err(error) = &outcome {
            let refused = RefusedByService {
                by: "cloud",
                client: &client,
                app: Some(app),
                account: known.account.as_ref(),
                user: known.user.as_ref(),
            };
            self.refusals.by_cloud(&refused, error);
        }
        outcome
    }

    /// Notes the accounts as soon as they are known.
    async fn try_cloud_token(
        &self,
        app: App,
        token: &str,
        request: LoginRequest,
        known: &mut SignedIn,
    ) -> Result<Login> {
        // For the account, its invitations and the seats.
        let until = Instant::now() + CLOUD_TIME;
        // Takes that time at most.
        let vouched = self.cloud.vouch(token, &request.client).await;
        let vouched = vouched.map_err(|error| match error {
            VouchError::Rejected => ServiceError::Unauthorized {
                code: None,
                message: "the cloud rejected this token",
            },
            other => other.into(),
        })?;
        known.account = Some(vouched.clone());
        let account = match self.users.account_by_cloud(&vouched.id).await? {
            Some(account) => Some(account),
            None => {
                let claims = &self.claims;
                let claimed = claims.claim_held(token, &vouched, app, &request.client, until);
                match claimed.await? {
                    Some(account) => Some(account),
                    // A parallel sign-in may have used the invitation.
                    None => self.users.account_by_cloud(&vouched.id).await?,
                }
            }
        };
        known.user = account.as_ref().map(|account| account.user.clone());
        let account = account.filter(|account| account.user.enabled);
        let account = account.ok_or(ServiceError::Unauthorized {
            code: None,
            message: "no account of this server is linked to the cloud account",
        })?;
        let proof = Proof::Cloud(CloudProof {
            by: "cloud",
            account: vouched.id,
            token: cloud_token_hash(token),
            expires_at: vouched.expires_at,
        });
        self.open_session(account.user.id, app, proof, request).await
    }
}
