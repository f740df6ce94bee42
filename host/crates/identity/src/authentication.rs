//! Authenticates a credential: resolves it to an `Actor`.

mod permissions;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::access_token::{TokenError, TokenIdentity};
use crate::activity::ActivityLog;
use crate::actor::{Actor, AuthMethod};
use crate::capability::{Capability, CapabilitySet};
use crate::credential::Credential;
use crate::error::ServiceError;
use crate::keys::KeyRing;
use crate::secret_token::{PersonalAccessSecret, TokenHash};
use crate::settings::Settings;
use crate::{Context, capabilities_of, policy};
use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;
use svc_domain::user::{Account, User};
use svc_platform::tasks::Tasks;
use svc_store::{LibraryRepository, SessionRepository, TokenRepository, UserRepository};

pub use crate::error::AuthenticationError;
pub use permissions::{PermissionSnapshot, Principal};

/// Maximum of cached actors; the cache is emptied when it is full.
const MAX_CACHED: usize = 10_000;

#[derive(Debug, Clone)]
struct CachedActor {
    /// The identity revision when it was read.
    revision: i64,
    actor: Arc<Actor>,
    ends: Option<Timestamp>,
}

/// Repositories that resolve a credential to an account and its permissions.
#[derive(Debug, Clone)]
pub struct AuthenticationRepositories {
    /// Accounts with their roles.
    pub users: UserRepository,
    /// Sessions of access tokens.
    pub sessions: SessionRepository,
    /// Personal access tokens.
    pub tokens: TokenRepository,
    /// Libraries that an account may access.
    pub libraries: LibraryRepository,
}

/// Authenticates callers. Actors are cached until their account, session or token changes, or a role that may concern
/// anyone. A change applies to the next request; other requests need no database query.
#[derive(Debug, Clone)]
pub struct Authentication {
    context: Context,
    repositories: AuthenticationRepositories,
    keys: KeyRing,
    settings: Settings,
    activity: ActivityLog,
    cache: Arc<RwLock<HashMap<TokenHash, CachedActor>>>,
}

impl Authentication {
    /// Spawns the tasks that watch open connections.
    pub fn tasks(&self) -> &Tasks {
        &self.context.tasks
    }

    /// Creates the service.
    pub fn new(
        context: Context,
        repositories: AuthenticationRepositories,
        keys: KeyRing,
        settings: Settings,
        activity: ActivityLog,
    ) -> Self {
        Self {
            context,
            repositories,
            keys,
            settings,
            activity,
            cache: Arc::default(),
        }
    }

    /// Authenticates a credential with the current account and roles; every change committed before the call is
    /// applied.
    ///
    /// # Errors
    /// See `docs/decisions/0012-401-410-503.md`.
    pub async fn actor(&self, credential: Option<Credential>) -> Result<Arc<Actor>, AuthenticationError> {
        let now = self.context.now();
        let credential = credential.ok_or(AuthenticationError::Missing)?;
        // The digest is the cache key, so a cached credential needs neither a signature check nor a database query.
        let digest = credential.digest();
        let known = match self.cached(&digest) {
            Some(known) => known,
            None => {
                // Read before the query: a change in between then makes the cached actor stale.
                let revision = self.context.identity.identity_revision();
                let (actor, ends) = self.authenticate(&credential, now, revision).await?;
                let known = CachedActor {
                    revision,
                    actor: Arc::new(actor),
                    ends,
                };
                self.insert_cached(digest, known.clone());
                known
            }
        };
        if known.ends.is_some_and(|ends| ends <= now) {
            return Err(match credential {
                Credential::AccessToken(_) | Credential::ItemLink(_) => {
                    AuthenticationError::InvalidAccessToken
                }
                Credential::PersonalAccessToken(_) => AuthenticationError::InvalidPersonalAccessToken,
            });
        }
        // Checked on each request: disabling guest access also ends the sessions of guests.
        if known.actor.user.is_guest && !self.settings.guest_access() {
            return Err(AuthenticationError::InvalidAccessToken);
        }
        self.activity.record(&known.actor, now);
        Ok(known.actor)
    }

    /// Authenticates a signed link to `path`. The actor has at most `capability`, and only what its account may do now.
    ///
    /// # Errors
    /// As for an invalid access token.
    pub async fn actor_of_link(
        &self,
        token: &str,
        path: &str,
        capability: Capability,
    ) -> Result<Arc<Actor>, AuthenticationError> {
        const INVALID: AuthenticationError = AuthenticationError::InvalidAccessToken;
        let link = self.keys.current().item_links.read(path, token).ok_or(INVALID)?;
        if link.expires_at <= self.context.now() {
            return Err(INVALID);
        }
        let revision = self.revision();
        let account = self.enabled_account(link.user).await?.ok_or(INVALID)?;
        let principal = Principal {
            user: link.user,
            is_guest: account.user.is_guest,
            binding: link.binding,
        };
        let permissions = self
            .permissions_of_account(&principal, &account)
            .await?
            .ok_or(INVALID)?;
        let only: CapabilitySet = [capability].into_iter().collect();
        Ok(Arc::new(Actor {
            capabilities: permissions.capabilities.intersection(only),
            roles: account.role_names().into(),
            scope: permissions.scope,
            user: Arc::new(account.user),
            auth_method: AuthMethod::ItemLink(link.binding),
            revision,
        }))
    }

    /// The identity revision.
    pub fn revision(&self) -> i64 {
        self.context.identity.identity_revision()
    }

    /// The version counter at the last change that may concern this account.
    pub fn revision_of(&self, user: UserId) -> i64 {
        self.context.identity.identity_revision_of(user)
    }

    async fn authenticate(
        &self,
        credential: &Credential,
        now: Timestamp,
        revision: i64,
    ) -> Result<(Actor, Option<Timestamp>), AuthenticationError> {
        match credential {
            Credential::AccessToken(token) => {
                let keys = self.keys.current();
                let identity = keys
                    .access_tokens
                    .read(token, now)
                    .map_err(|refusal| match refusal {
                        TokenError::Invalid => AuthenticationError::InvalidAccessToken,
                        TokenError::Foreign => AuthenticationError::ForeignAccessToken,
                    })?;
                let (actor, ends) = self.actor_of_login(identity, revision).await?;
                Ok((actor, Some(ends)))
            }
            // A link is valid only for the path of its item, which `actor_of_link` handles.
            Credential::ItemLink(_) => Err(AuthenticationError::InvalidAccessToken),
            Credential::PersonalAccessToken(text) => {
                let secret = PersonalAccessSecret::parse(text);
                let secret = secret.ok_or(AuthenticationError::InvalidPersonalAccessToken)?;
                self.actor_of_token(&secret, revision).await
            }
        }
    }

    async fn actor_of_login(
        &self,
        identity: TokenIdentity,
        revision: i64,
    ) -> Result<(Actor, Timestamp), AuthenticationError> {
        let account = self.enabled_account(identity.user).await?;
        let account = account.ok_or(AuthenticationError::ForeignAccessToken)?;
        let mut ends = identity.expires_at;
        if let Some(session) = identity.session {
            let end = self
                .repositories
                .sessions
                .session_end(session, identity.user)
                .await;
            // The session of a cloud account may end before the token.
            let end = end.map_err(ServiceError::from)?;
            ends = ends.min(end.ok_or(AuthenticationError::InvalidAccessToken)?);
        }
        let auth_method = AuthMethod::AccessToken {
            app: identity.app,
            session: identity.session,
            expires_at: identity.expires_at,
        };
        Ok((self.actor_of_account(account, auth_method, revision).await?, ends))
    }

    async fn actor_of_token(
        &self,
        secret: &PersonalAccessSecret,
        revision: i64,
    ) -> Result<(Actor, Option<Timestamp>), AuthenticationError> {
        const INVALID: AuthenticationError = AuthenticationError::InvalidPersonalAccessToken;
        let token = self
            .repositories
            .tokens
            .personal_access_token(&secret.hash())
            .await;
        let token = token.map_err(ServiceError::from)?.ok_or(INVALID)?;
        let account = self.enabled_account(token.user).await?.ok_or(INVALID)?;
        let auth_method = AuthMethod::PersonalAccessToken(token.id);
        let mut actor = self.actor_of_account(account, auth_method, revision).await?;
        actor.capabilities = restricted_to(actor.capabilities, token.capabilities.as_deref());
        Ok((actor, token.expires_at))
    }

    async fn enabled_account(&self, user: UserId) -> Result<Option<Account>, ServiceError> {
        let account = self.repositories.users.account(user).await?;
        Ok(account.filter(|account| account.user.enabled))
    }

    fn cached(&self, digest: &TokenHash) -> Option<CachedActor> {
        let cache = self.cache.read().unwrap_or_else(PoisonError::into_inner);
        let known = cache.get(digest)?;
        let changed = self.context.identity.identity_revision_of(known.actor.user.id);
        (changed <= known.revision).then(|| known.clone())
    }

    fn insert_cached(&self, digest: TokenHash, known: CachedActor) {
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(digest, known);
    }

    /// The media that an account may see now.
    ///
    /// # Errors
    /// Database errors.
    pub async fn scope_of(&self, user: &User) -> Result<MediaScope, ServiceError> {
        if user.is_owner {
            return Ok(MediaScope::All);
        }
        Ok(self.repositories.libraries.media_scope(user.id).await?)
    }

    async fn actor_of_account(
        &self,
        account: Account,
        auth_method: AuthMethod,
        revision: i64,
    ) -> Result<Actor, ServiceError> {
        Ok(Actor {
            capabilities: capabilities_of(&account),
            roles: account.role_names().into(),
            scope: self.scope_of(&account.user).await?,
            user: Arc::new(account.user),
            auth_method,
            revision,
        })
    }
}

/// Restricts capabilities to those of a personal access token; `None` does not restrict.
pub(super) fn restricted_to(capabilities: CapabilitySet, names: Option<&[String]>) -> CapabilitySet {
    names.map_or(capabilities, |names| {
        capabilities.intersection(policy::capabilities_of_names(names))
    })
}
