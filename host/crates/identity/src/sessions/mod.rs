//! Sessions: opened by a login, extended by refresh tokens (`refresh.rs`), ended by logout or revocation.

mod refresh;
mod revoke;

use std::sync::Arc;
use std::time::Duration;

use crate::access_token::LIFETIME_SECONDS;
use crate::app::App;
use crate::cloud::Cloud;
use crate::error::{LOGIN_REFUSED, Result, ServiceError};
use crate::keys::{KeyRing, Keys};
use crate::rate_limiter::{RateLimit, RateLimiter};
use crate::secret_token::RefreshToken;
use crate::settings::{SessionPolicy, SessionScope, Settings};
use crate::throttle::ClientNetwork;
use crate::{AuthContext, ClientInfo, Context, require_not_stronger, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::{SessionId, UserId};
use svc_domain::session::{Session, SessionKind};
use svc_domain::time::Timestamp;
use svc_domain::user::User;
use svc_store::{IdentityChange, PresentedRefresh, SessionRepository, UserRepository};

pub use refresh::{RefreshError, RefreshRequest};

/// Maximum lifetime of a session.
const ABSOLUTE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Maximum of refreshable sessions per account; the oldest are deleted.
const MAX_SESSIONS: i64 = 50;
/// Limit on refreshes of one session.
const REFRESH_RATE: RateLimit = RateLimit::new(30, 1);

/// Input for a new session.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The app.
    pub app: App,
    /// How the account authenticated.
    pub kind: SessionKind,
    /// The client program.
    pub client: ClientInfo,
    /// Whether to issue a refresh cookie; not for requests from another site.
    pub refreshable: bool,
    /// The refresh cookie of the request, whose session ends.
    pub previous: Option<String>,
    /// The hash that the password matched, if there was one.
    pub password_hash: Option<String>,
}

/// A refresh cookie to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshCookie {
    /// The cookie value.
    pub token: RefreshToken,
    /// `Max-Age` of the cookie; a browser-session cookie if `None`.
    pub max_age: Option<Duration>,
}

/// A new or extended session.
#[derive(Debug)]
pub struct IssuedSession {
    /// Access token.
    pub access_token: String,
    /// Where the app stores it.
    pub scope: SessionScope,
    /// The cookie for the next refresh.
    pub cookie: Option<RefreshCookie>,
}

/// The sessions service.
#[derive(Debug, Clone)]
pub struct Sessions {
    context: Context,
    users: UserRepository,
    sessions: SessionRepository,
    keys: KeyRing,
    settings: Settings,
    cloud: Arc<dyn Cloud>,
    refreshes: Arc<RateLimiter<SessionId>>,
}

impl Sessions {
    /// Creates the service.
    pub fn new(
        context: Context,
        users: UserRepository,
        sessions: SessionRepository,
        keys: KeyRing,
        settings: Settings,
        cloud: Arc<dyn Cloud>,
    ) -> Self {
        Self {
            context,
            users,
            sessions,
            keys,
            settings,
            cloud,
            refreshes: Arc::new(RateLimiter::new(REFRESH_RATE)),
        }
    }

    /// The session policy of the app; a guest's session ends with the browser.
    fn policy(&self, app: App, user: &User) -> SessionPolicy {
        let policy = self.settings.session_policy(app);
        if user.is_guest && policy.scope == SessionScope::Local {
            SessionPolicy {
                scope: SessionScope::Session,
                ..policy
            }
        } else {
            policy
        }
    }

    fn access_token(&self, keys: &Keys, user: UserId, app: App, session: SessionId) -> Result<String> {
        let (now, random) = (self.context.now(), self.context.random.as_ref());
        keys.access_tokens
            .issue(user, app, Some(session), now, random)
            .map_err(ServiceError::internal)
    }

    /// Parses a cookie and verifies its seal.
    fn token(&self, cookie: &str) -> Option<RefreshToken> {
        RefreshToken::read(cookie, self.keys.current().refresh_key())
    }

    /// Opens a session for an authenticated account.
    pub(super) async fn open(&self, user: User, new_session: NewSession) -> Result<IssuedSession> {
        let sessions = self.clone();
        run_to_completion(&self.context.tasks, "session-open", async move {
            sessions.begin(&user, new_session).await
        })
        .await
    }

    async fn begin(&self, user: &User, new_session: NewSession) -> Result<IssuedSession> {
        let context = &self.context;
        let (now, policy) = (context.now(), self.policy(new_session.app, user));
        let (keys, id) = (self.keys.current(), context.ids.next(now));
        let random = context.random.as_ref();
        let token = new_session
            .refreshable
            .then(|| RefreshToken::generate(random, keys.refresh_key(), id))
            .transpose()
            .map_err(ServiceError::internal)?;
        // Without a refresh token the session ends with its only access token.
        let (idle_expires_at, expires_at) = if token.is_some() {
            (policy.idle_expiry(now), later(now, ABSOLUTE))
        } else {
            let end = Timestamp::from_millis(now.millis() + LIFETIME_SECONDS * 1000);
            (end, end)
        };
        let session = Session {
            id,
            user: user.id,
            app: new_session.app.as_str().to_owned(),
            kind: new_session.kind,
            user_agent: new_session.client.user_agent.clone(),
            address: new_session.client.address.map(|address| address.to_string()),
            created_at: now,
            last_active_at: now,
            idle_expires_at: idle_expires_at.min(expires_at),
            expires_at,
            generation: 0,
            ended_at: None,
        };
        let access_token = self.access_token(&keys, user.id, new_session.app, session.id)?;
        let previous = new_session
            .previous
            .as_deref()
            .and_then(|cookie| self.token(cookie));
        let mut change = context.identity.change_identity().await?;
        // Repeated inside the transaction: the account may have been disabled or its password changed since it
        // authenticated, which revoked all of its sessions.
        let account = change.account(user.id).await?;
        let is_proved = match &new_session.password_hash {
            Some(hash) => change.has_password_hash(user.id, hash).await?,
            None => true,
        };
        if !is_proved || !account.is_some_and(|account| account.user.enabled) {
            return Err(LOGIN_REFUSED);
        }
        let hash = token.as_ref().map(RefreshToken::hash);
        change
            .insert_session(&session, hash.as_ref().map(|hash| hash.as_slice()))
            .await?;
        change.retire_sessions(user.id, MAX_SESSIONS, now).await?;
        let party = ClientNetwork::from(new_session.client.address).to_string();
        change.record_known_address(user.id, &party, now).await?;
        let details = [("app", new_session.app.as_str().to_owned())];
        let event = AuditEvent::LoginSucceeded;
        let entry = context.audit_entry(event, &new_session.client, Some(user), None, &details);
        change.audit(&entry).await?;
        let replaced = match previous {
            Some(token) => presented(&mut change, &token).await?,
            None => None,
        };
        match replaced {
            Some(old) => {
                change
                    .revoke_session(old.session.user, old.session.id, now)
                    .await?;
                change.commit_of([old.session.user]).await?;
            }
            None => change.commit_without_invalidation().await?,
        }
        Ok(IssuedSession {
            access_token,
            scope: policy.scope,
            cookie: token.map(|token| cookie(token, policy)),
        })
    }

    async fn revoke_some(&self, by: AuthContext, user: UserId, only: Option<SessionId>) -> Result<u64> {
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "session-revoke", async move {
            let mut change = context.change_by(&by).await?;
            let now = context.now();
            let target = change.account(user).await?.ok_or(ServiceError::NotFound)?;
            if user != by.actor.user.id {
                require_not_stronger(&by, &target)?;
            }
            let ended = match only {
                Some(session) => u64::from(change.revoke_session(user, session, now).await?),
                None => change.revoke_sessions(user, by.actor.session(), now).await?,
            };
            if ended > 0 {
                let details = [("sessions", ended.to_string())];
                let event = AuditEvent::SessionsRevoked;
                change
                    .audit(&context.audit_of(&by, event, Some(&target.user), &details))
                    .await?;
            }
            change.commit_of([user]).await?;
            Ok(ended)
        })
        .await
    }
}

/// Decides what to do with a refresh token, within a transaction.
async fn presented(change: &mut IdentityChange, token: &RefreshToken) -> Result<Option<PresentedRefresh>> {
    let hash = token.hash();
    Ok(change
        .presented_refresh(&hash, token.session(), token.generation())
        .await?)
}

fn cookie(token: RefreshToken, policy: SessionPolicy) -> RefreshCookie {
    RefreshCookie {
        token,
        max_age: (policy.scope == SessionScope::Local).then_some(policy.idle),
    }
}

fn later(moment: Timestamp, by: Duration) -> Timestamp {
    let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(moment.millis().saturating_add(by))
}
