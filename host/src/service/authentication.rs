//! From a credential to a known caller.

use std::sync::Arc;

use super::error::ServiceError;
use crate::auth::access_token::{AccessTokens, TokenRefusal};
use crate::auth::actor::{Actor, Proof};
use crate::auth::credential::Credential;
use crate::domain::time::Clock;
use crate::store::Store;

/// Why a credential makes nobody known.
#[derive(Debug, thiserror::Error)]
pub enum AuthenticationError {
    /// None was shown, or several that differ.
    #[error("sign in first")]
    Missing,
    /// The access token is bad or has ended; a fresh one may do.
    #[error("the access token is invalid or has expired")]
    InvalidAccessToken,
    /// The access token was made elsewhere, or its account is gone: sign in again.
    #[error("the access token is not valid on this server")]
    ForeignAccessToken,
    /// The personal access token is unknown, revoked or has ended.
    #[error("the personal access token is invalid, revoked or expired")]
    InvalidPersonalAccessToken,
    /// The server could not tell.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

/// Makes callers known.
#[derive(Debug, Clone)]
pub struct Authentication {
    store: Store,
    tokens: Arc<AccessTokens>,
    clock: Arc<dyn Clock>,
}

impl Authentication {
    /// Over these tokens and accounts.
    pub fn new(store: Store, tokens: Arc<AccessTokens>, clock: Arc<dyn Clock>) -> Self {
        Self { store, tokens, clock }
    }

    /// The caller behind a credential, with the account and roles of this moment: what was changed by a commit
    /// before this call counts.
    ///
    /// # Errors
    /// Which of the refusals it is, by the table in `docs/decisions.md`, "401 and 410".
    pub async fn actor(&self, credential: Option<Credential>) -> Result<Actor, AuthenticationError> {
        let token = match credential.ok_or(AuthenticationError::Missing)? {
            Credential::AccessToken(token) => token,
            // No such token was ever made by this version.
            Credential::PersonalAccessToken(_) => {
                return Err(AuthenticationError::InvalidPersonalAccessToken);
            }
        };
        let identity = self
            .tokens
            .read(&token, self.clock.now())
            .map_err(|refusal| match refusal {
                TokenRefusal::Invalid => AuthenticationError::InvalidAccessToken,
                TokenRefusal::Foreign => AuthenticationError::ForeignAccessToken,
            })?;
        let account = self
            .store
            .account(identity.user)
            .await
            .map_err(ServiceError::from)?;
        match account {
            Some((user, roles)) if user.enabled => Ok(Actor::new(
                user,
                roles,
                Proof::AccessToken {
                    app: identity.app,
                    session: identity.session,
                    expires_at: identity.expires_at,
                },
            )),
            _ => Err(AuthenticationError::ForeignAccessToken),
        }
    }
}
