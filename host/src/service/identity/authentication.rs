//! From a credential to a known caller.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::super::error::ServiceError;
use super::activity::ActivityLog;
use super::keys::KeyRing;
use super::{Context, capabilities_of};
use crate::auth::access_token::{TokenIdentity, TokenRefusal};
use crate::auth::actor::{Actor, Proof};
use crate::auth::capability::CapabilitySet;
use crate::auth::credential::Credential;
use crate::auth::policy;
use crate::auth::secret_token::{PersonalAccessSecret, TokenHash};
use crate::domain::id::{PersonalAccessTokenId, SessionId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::user::{Account, User};

/// Callers that are remembered; beyond it, all are forgotten and asked for anew.
const MAX_REMEMBERED: usize = 10_000;

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

/// Whose credential is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    AccessToken(UserId, Option<SessionId>),
    PersonalAccessToken(TokenHash),
}

/// An account with what it may do.
#[derive(Debug, Clone)]
struct Principal {
    user: Arc<User>,
    roles: Arc<[String]>,
    capabilities: CapabilitySet,
}

impl Principal {
    fn new(account: Account) -> Self {
        Self {
            capabilities: capabilities_of(&account),
            roles: account.role_names().into(),
            user: Arc::new(account.user),
        }
    }

    fn actor(&self, proof: Proof) -> Actor {
        Actor {
            user: Arc::clone(&self.user),
            roles: Arc::clone(&self.roles),
            capabilities: self.capabilities,
            proof,
        }
    }
}

/// What the store said about a good credential.
#[derive(Debug, Clone)]
struct Remembered {
    /// The state of accounts and roles that it said so in.
    revision: i64,
    principal: Principal,
    token: Option<(PersonalAccessTokenId, Option<Timestamp>)>,
}

/// Makes callers known. Remembers who they are until any account, role, session or token changes: such a change is
/// known to the next request, without a question to the database by all others.
#[derive(Debug, Clone)]
pub struct Authentication {
    context: Context,
    keys: KeyRing,
    activity: ActivityLog,
    remembered: Arc<RwLock<HashMap<Key, Remembered>>>,
}

impl Authentication {
    /// Over these keys and accounts.
    pub fn new(context: Context, keys: KeyRing, activity: ActivityLog) -> Self {
        Self {
            context,
            keys,
            activity,
            remembered: Arc::default(),
        }
    }

    /// The caller behind a credential, with the account and roles of this moment: what was changed by a commit
    /// before this call counts.
    ///
    /// # Errors
    /// Which of the refusals it is, by the table in `docs/decisions.md`, "401 and 410".
    pub async fn actor(&self, credential: Option<Credential>) -> Result<Actor, AuthenticationError> {
        let now = self.context.now();
        let actor = match credential.ok_or(AuthenticationError::Missing)? {
            Credential::AccessToken(token) => {
                let keys = self.keys.current();
                let identity = keys
                    .access_tokens
                    .read(&token, now)
                    .map_err(|refusal| match refusal {
                        TokenRefusal::Invalid => AuthenticationError::InvalidAccessToken,
                        TokenRefusal::Foreign => AuthenticationError::ForeignAccessToken,
                    })?;
                self.signed_in(identity).await?
            }
            Credential::PersonalAccessToken(text) => {
                let secret = PersonalAccessSecret::parse(&text)
                    .ok_or(AuthenticationError::InvalidPersonalAccessToken)?;
                self.by_token(secret.hash(), now).await?
            }
        };
        self.activity.note(&actor, now);
        Ok(actor)
    }

    async fn signed_in(&self, identity: TokenIdentity) -> Result<Actor, AuthenticationError> {
        let proof = Proof::AccessToken {
            app: identity.app,
            session: identity.session,
            expires_at: identity.expires_at,
        };
        let key = Key::AccessToken(identity.user, identity.session);
        if let Some(known) = self.recall(&key) {
            return Ok(known.principal.actor(proof));
        }
        let store = &self.context.store;
        // Read before the store is asked: a change in between makes the answer outdated at once.
        let revision = store.identity_revision();
        let account = store.account(identity.user).await.map_err(ServiceError::from)?;
        let account = account.filter(|account| account.user.enabled);
        let principal = Principal::new(account.ok_or(AuthenticationError::ForeignAccessToken)?);
        if let Some(session) = identity.session {
            let counts = store.session_counts(session, identity.user).await;
            if !counts.map_err(ServiceError::from)? {
                return Err(AuthenticationError::InvalidAccessToken);
            }
        }
        let actor = principal.actor(proof);
        self.remember(
            key,
            Remembered {
                revision,
                principal,
                token: None,
            },
        );
        Ok(actor)
    }

    async fn by_token(&self, hash: TokenHash, now: Timestamp) -> Result<Actor, AuthenticationError> {
        const INVALID: AuthenticationError = AuthenticationError::InvalidPersonalAccessToken;
        let key = Key::PersonalAccessToken(hash);
        let known = match self.recall(&key) {
            Some(known) => known,
            None => {
                let store = &self.context.store;
                let revision = store.identity_revision();
                let token = store.personal_access_token(&hash).await;
                let token = token.map_err(ServiceError::from)?.ok_or(INVALID)?;
                let account = store.account(token.user).await.map_err(ServiceError::from)?;
                let account = account.filter(|account| account.user.enabled).ok_or(INVALID)?;
                let mut principal = Principal::new(account);
                if let Some(names) = &token.capabilities {
                    let narrowed = policy::capabilities_of_names(names);
                    principal.capabilities = principal.capabilities.intersection(narrowed);
                }
                let known = Remembered {
                    revision,
                    principal,
                    token: Some((token.id, token.expires_at)),
                };
                self.remember(key, known.clone());
                known
            }
        };
        match known.token {
            Some((id, expires_at)) if expires_at.is_none_or(|moment| now < moment) => {
                Ok(known.principal.actor(Proof::PersonalAccessToken(id)))
            }
            _ => Err(INVALID),
        }
    }

    fn recall(&self, key: &Key) -> Option<Remembered> {
        let remembered = self.remembered.read().unwrap_or_else(PoisonError::into_inner);
        let revision = self.context.store.identity_revision();
        remembered
            .get(key)
            .filter(|known| known.revision == revision)
            .cloned()
    }

    fn remember(&self, key: Key, known: Remembered) {
        let mut remembered = self.remembered.write().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= MAX_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(key, known);
    }
}
