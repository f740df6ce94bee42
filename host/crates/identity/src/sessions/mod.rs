//! Sessions: begun by a sign-in, kept alive by refresh tokens (`refresh.rs`), ended by their owner or others.

mod refresh;

pub use refresh::{RefreshError, RefreshRequest};

use std::sync::Arc;
use std::time::Duration;

use crate::access_token::LIFETIME_SECONDS;
use crate::app::App;
use crate::cloud::Cloud;
use crate::error::{Result, ServiceError};
use crate::keys::{KeyRing, Keys};
use crate::login::REFUSED;
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

/// How long a session lasts in any case.
const ABSOLUTE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Sessions of one account that can be refreshed; the oldest go.
const MAX_SESSIONS: i64 = 50;
/// Refreshes of one session.
const REFRESH_RATE: RateLimit = RateLimit::new(30, 1);

/// How a session begins.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The app.
    pub app: App,
    /// Who vouches for it.
    pub kind: SessionKind,
    /// The program that signs in.
    pub client: ClientInfo,
    /// Whether it gets a refresh cookie: not from another site.
    pub refreshable: bool,
    /// The refresh cookie that it sent, whose session ends.
    pub previous: Option<String>,
    /// The hash of the password that it proved with, if with one.
    pub password_hash: Option<String>,
}

/// A refresh cookie to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshCookie {
    /// The secret.
    pub token: RefreshToken,
    /// How long the browser keeps it; as long as it runs if absent.
    pub max_age: Option<Duration>,
}

/// A session that began or went on.
#[derive(Debug)]
pub struct IssuedSession {
    /// Access token.
    pub access_token: String,
    /// Where the app keeps it.
    pub scope: SessionScope,
    /// The cookie with which it goes on.
    pub cookie: Option<RefreshCookie>,
}

/// Keeps sessions.
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
    /// Over these accounts, keys and settings.
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

    /// What an app is told and given of how long its sessions last. A guest's end with the browser.
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

    /// The refresh token of a cookie, if this server made it.
    fn token(&self, cookie: &str) -> Option<RefreshToken> {
        RefreshToken::read(cookie, self.keys.current().refresh_key())
    }

    /// Begins a session of an account that proved who it is.
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
        // Without a refresh token the session is as long as its one access token.
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
        // The account may have been disabled, or its password changed, since somebody proved to be it: what ended
        // all its sessions then must end this one too.
        let account = change.account(user.id).await?;
        let is_proved = match &new_session.password_hash {
            Some(hash) => change.has_password_hash(user.id, hash).await?,
            None => true,
        };
        if !is_proved || !account.is_some_and(|account| account.user.enabled) {
            return Err(REFUSED);
        }
        let hash = token.as_ref().map(RefreshToken::hash);
        change
            .insert_session(&session, hash.as_ref().map(|hash| hash.as_slice()))
            .await?;
        change.retire_sessions(user.id, MAX_SESSIONS, now).await?;
        let party = ClientNetwork::from(new_session.client.address).to_string();
        change.note_known_address(user.id, &party, now).await?;
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

    /// Ends the session of a cookie and that of an access token, whichever there are.
    ///
    /// # Errors
    /// The store's.
    pub async fn end(
        &self,
        cookie: Option<&str>,
        session: Option<(UserId, SessionId)>,
        client: ClientInfo,
    ) -> Result<()> {
        let token = cookie.and_then(|cookie| self.token(cookie));
        if token.is_none() && session.is_none() {
            return Ok(());
        }
        let sessions = self.clone();
        run_to_completion(&self.context.tasks, "session-end", async move {
            let context = &sessions.context;
            let mut change = context.identity.change_identity().await?;
            let now = context.now();
            let mut ended: Vec<_> = session.into_iter().collect();
            if let Some(token) = token
                && let Some(presented) = presented(&mut change, &token).await?
            {
                ended.push((presented.session.user, presented.session.id));
            }
            for &(user, session) in &ended {
                if change.revoke_session(user, session, now).await? {
                    let account = change.account(user).await?.map(|account| account.user);
                    let event = AuditEvent::LoggedOut;
                    let entry = context.audit_entry(event, &client, account.as_ref(), None, &[]);
                    change.audit(&entry).await?;
                }
            }
            Ok(change.commit_of(ended.into_iter().map(|(user, _)| user)).await?)
        })
        .await
    }

    /// The sessions of an account, newest first.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn list(&self, user: UserId) -> Result<Vec<Session>> {
        self.users.account(user).await?.ok_or(ServiceError::NotFound)?;
        Ok(self.sessions.live_sessions(user, self.context.now()).await?)
    }

    /// Ends one session of an account.
    ///
    /// # Errors
    /// Not found; refused for an account that may do more than the caller; the store's.
    pub async fn revoke(&self, by: AuthContext, user: UserId, session: SessionId) -> Result<()> {
        let ended = self.revoke_some(by, user, Some(session)).await?;
        if ended == 0 {
            return Err(ServiceError::NotFound);
        }
        Ok(())
    }

    /// Ends all sessions of an account but the caller's own; gives how many there were.
    ///
    /// # Errors
    /// As [`Sessions::revoke`].
    pub async fn revoke_all(&self, by: AuthContext, user: UserId) -> Result<u64> {
        self.revoke_some(by, user, None).await
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

/// What a token leads to, within a change.
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
