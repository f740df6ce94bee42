//! Sessions: opened by a sign-in (`open.rs`), extended by refresh tokens or cloud tokens (`refresh.rs`), ended by logout or
//! revocation.

mod open;
mod provider;
mod recent;
mod refresh;
mod revoke;

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::cloud_accounts::CloudAccounts;
use crate::error::{Result, ServiceError};
use crate::keys::{KeyRing, Keys};
use crate::rate_limiter::{RateLimit, RateLimiter};
use crate::refused_sign_ins::RefusedSignIns;
use crate::secret_token::RefreshToken;
use crate::settings::{SessionPolicy, SessionScope, Settings};
use crate::{AuthContext, Context, require_not_stronger, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::{SessionId, UserId};
use svc_domain::user::User;
use svc_store::{IdentityChange, PresentedRefresh, SessionRepository, UserRepository};

pub use open::{CloudProof, NewSession, Proof};
pub use recent::RECENT;
pub use refresh::{RefreshError, RefreshRequest};

/// Limit on refreshes of one session.
const REFRESH_RATE: RateLimit = RateLimit::new(30, 1);

/// Limit on log lines about a provider that is away: each refresh would write one.
const OUTAGE_LINES: RateLimit = RateLimit::new(1, 60);

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
    cloud: CloudAccounts,
    refusals: RefusedSignIns,
    refreshes: Arc<RateLimiter<SessionId>>,
    outages: Arc<RateLimiter<()>>,
}

impl Sessions {
    /// Creates the service.
    pub fn new(
        context: Context,
        users: UserRepository,
        sessions: SessionRepository,
        keys: KeyRing,
        settings: Settings,
        cloud: CloudAccounts,
        refusals: RefusedSignIns,
    ) -> Self {
        Self {
            context,
            users,
            sessions,
            keys,
            settings,
            cloud,
            refusals,
            refreshes: Arc::new(RateLimiter::new(REFRESH_RATE)),
            outages: Arc::new(RateLimiter::new(OUTAGE_LINES)),
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
