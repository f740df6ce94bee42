//! From a credential to a known caller.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::access_token::{TokenError, TokenIdentity};
use crate::activity::ActivityLog;
use crate::actor::{Actor, AuthMethod, CredentialBinding};
use crate::capability::{Capability, CapabilitySet};
use crate::credential::Credential;
use crate::error::ServiceError;
use crate::keys::KeyRing;
use crate::policy;
use crate::secret_token::{PersonalAccessSecret, TokenHash};
use crate::settings::Settings;
use crate::{Context, capabilities_of};
use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;
use svc_domain::user::{Account, User};
use svc_platform::tasks::Tasks;
use svc_store::{LibraryRepository, SessionRepository, TokenRepository, UserRepository};

/// Callers that are remembered; beyond it, all are forgotten and asked for anew.
const MAX_CACHED: usize = 10_000;

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

/// Who is behind a connection that stays open, and by what. Two with the same one may do the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Principal {
    user: UserId,
    is_guest: bool,
    binding: CredentialBinding,
}

impl Principal {
    /// Of this caller.
    pub fn of(actor: &Actor) -> Self {
        Self {
            user: actor.user.id,
            is_guest: actor.user.is_guest,
            binding: actor.binding(),
        }
    }

    /// The account.
    pub fn user(&self) -> UserId {
        self.user
    }
}

/// What an open connection's caller may do at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionSnapshot {
    /// Of the roles, narrowed to the token's.
    pub capabilities: CapabilitySet,
    /// What they see of the media.
    pub scope: MediaScope,
    /// When the personal access token ends, and the connection with it. The end of an access token ends none: its
    /// session goes on.
    pub ends: Option<Timestamp>,
}

/// What a good credential was found to be.
#[derive(Debug, Clone)]
struct CachedActor {
    /// The state of accounts and roles at that time.
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

/// Makes callers known. Remembers who they are until their account, session or token changes, or what is about all,
/// such as a role: such a change is known to the next request, without a question to the database by all others.
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
    /// Where those work who watch over what callers have opened.
    pub fn tasks(&self) -> &Tasks {
        &self.context.tasks
    }

    /// Over these keys and accounts.
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

    /// The caller behind a credential, with the account and roles of this moment: what was changed by a commit
    /// before this call counts.
    ///
    /// # Errors
    /// Which of the refusals it is, by `docs/decisions/0012-401-410-503.md`.
    pub async fn actor(&self, credential: Option<Credential>) -> Result<Arc<Actor>, AuthenticationError> {
        let now = self.context.now();
        let credential = credential.ok_or(AuthenticationError::Missing)?;
        // A credential is known again by its digest: neither signature nor database are asked a second time.
        let digest = credential.digest();
        let known = match self.cached(&digest) {
            Some(known) => known,
            None => {
                // Read before the store is asked: a change in between makes the answer outdated at once.
                let revision = self.context.identity.identity_revision();
                let (actor, ends) = self.look_up(&credential, now, revision).await?;
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
        // Looked at each time: whoever shuts guests out means those who are in, too.
        if known.actor.user.is_guest && !self.settings.guest_access() {
            return Err(AuthenticationError::InvalidAccessToken);
        }
        self.activity.note(&known.actor, now);
        Ok(known.actor)
    }

    /// The user behind a signed link to `path`, who may do no more than `capability` by it, and only what they may at
    /// this moment.
    ///
    /// # Errors
    /// As for an access token that does not count.
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

    /// The state of accounts, as a number that rises with each change.
    pub fn revision(&self) -> i64 {
        self.context.identity.identity_revision()
    }

    /// The last change that was, or may have been, about an account.
    pub fn revision_of(&self, user: UserId) -> i64 {
        self.context.identity.identity_revision_of(user)
    }

    /// What the caller of an open connection may do as of now; `None` when it is to be closed: account gone or
    /// disabled, session or token revoked.
    ///
    /// # Errors
    /// The store's: nobody can tell.
    pub async fn permissions(
        &self,
        principal: &Principal,
    ) -> Result<Option<PermissionSnapshot>, ServiceError> {
        match self.enabled_account(principal.user).await? {
            Some(account) => self.permissions_of_account(principal, &account).await,
            None => Ok(None),
        }
    }

    /// The same for an account that was read already.
    async fn permissions_of_account(
        &self,
        principal: &Principal,
        account: &Account,
    ) -> Result<Option<PermissionSnapshot>, ServiceError> {
        let mut permissions = PermissionSnapshot {
            capabilities: capabilities_of(account),
            scope: self.scope_of(&account.user).await?,
            ends: None,
        };
        match principal.binding {
            CredentialBinding::Account => {}
            CredentialBinding::Session(session) => {
                if !self
                    .repositories
                    .sessions
                    .session_counts(session, principal.user)
                    .await?
                {
                    return Ok(None);
                }
            }
            CredentialBinding::Token(id) => {
                let tokens = self
                    .repositories
                    .tokens
                    .personal_access_tokens(principal.user)
                    .await?;
                let Some(token) = tokens.into_iter().find(|token| token.id == id) else {
                    return Ok(None);
                };
                permissions.capabilities = narrowed(permissions.capabilities, token.capabilities.as_deref());
                permissions.ends = token.expires_at;
            }
        }
        Ok((!self.is_expired(principal, permissions.ends)).then_some(permissions))
    }

    /// Whether an open connection is over without any change of its account: by time, or because guests are not
    /// welcome any more.
    pub fn is_expired(&self, principal: &Principal, ends: Option<Timestamp>) -> bool {
        ends.is_some_and(|ends| ends <= self.context.now())
            || (principal.is_guest && !self.settings.guest_access())
    }

    async fn look_up(
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
                let ends = identity.expires_at;
                Ok((self.signed_in(identity, revision).await?, Some(ends)))
            }
            // It opens an item's own path, which does not come this way.
            Credential::ItemLink(_) => Err(AuthenticationError::InvalidAccessToken),
            Credential::PersonalAccessToken(text) => {
                let secret = PersonalAccessSecret::parse(text);
                let secret = secret.ok_or(AuthenticationError::InvalidPersonalAccessToken)?;
                self.by_token(&secret, revision).await
            }
        }
    }

    async fn signed_in(&self, identity: TokenIdentity, revision: i64) -> Result<Actor, AuthenticationError> {
        let account = self.enabled_account(identity.user).await?;
        let account = account.ok_or(AuthenticationError::ForeignAccessToken)?;
        if let Some(session) = identity.session {
            let counts = self
                .repositories
                .sessions
                .session_counts(session, identity.user)
                .await;
            if !counts.map_err(ServiceError::from)? {
                return Err(AuthenticationError::InvalidAccessToken);
            }
        }
        let auth_method = AuthMethod::AccessToken {
            app: identity.app,
            session: identity.session,
            expires_at: identity.expires_at,
        };
        Ok(self.known(account, auth_method, revision).await?)
    }

    async fn by_token(
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
        let mut actor = self.known(account, auth_method, revision).await?;
        actor.capabilities = narrowed(actor.capabilities, token.capabilities.as_deref());
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

    /// What an account sees of the media, by the state of accounts at this moment.
    ///
    /// # Errors
    /// The store's.
    pub async fn scope_of(&self, user: &User) -> Result<MediaScope, ServiceError> {
        if user.is_owner {
            return Ok(MediaScope::All);
        }
        Ok(self.repositories.libraries.media_scope(user.id).await?)
    }

    async fn known(
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

/// What is left of these capabilities with a personal access token that was made for some of them.
pub(super) fn narrowed(capabilities: CapabilitySet, names: Option<&[String]>) -> CapabilitySet {
    names.map_or(capabilities, |names| {
        capabilities.intersection(policy::capabilities_of_names(names))
    })
}
