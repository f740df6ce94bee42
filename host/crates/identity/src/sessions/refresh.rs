//! Letting a session go on: a refresh token is good for one use, and for a moment gives the newest token once more.

use std::time::Duration;

use crate::app::App;
use crate::error::{Result, ServiceError};
use crate::secret_token::{RefreshToken, Salt};
use crate::sessions::{IssuedSession, NewSession, Sessions, cookie, presented};
use crate::{ClientInfo, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::session::SessionKind;
use svc_domain::time::Timestamp;
use svc_domain::user::{Account, User};
use svc_store::{PresentedRefresh, Rotation};

/// How long after its use a token gives the session's newest token once more: an answer got lost, or several tabs
/// asked at once. Others may have gone on from its successor meanwhile, as often as they like.
const GRACE: Duration = Duration::from_secs(10);

/// What a linked account is told without the right cloud token.
const LINKED: &str =
    "this account is linked to a cloud account, whose token is missing or of another account";

/// A request to go on.
#[derive(Debug, Clone, Default)]
pub struct RefreshRequest {
    /// The refresh cookie.
    pub cookie: Option<String>,
    /// The token of a cloud account.
    pub cloud_token: Option<String>,
    /// It comes from a page of another site: no cookie counts.
    pub cross_site: bool,
    /// The app, if the client says.
    pub app: Option<App>,
    /// The program that asks.
    pub client: ClientInfo,
}

/// A session that does not go on.
#[derive(Debug)]
pub struct RefreshError {
    /// Why.
    pub error: ServiceError,
    /// The cookie is of no more use.
    pub clear_cookie: bool,
}

impl<E: Into<ServiceError>> From<E> for RefreshError {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            clear_cookie: false,
        }
    }
}

/// The cookie is unknown, used up, or its session over.
fn ended() -> RefreshError {
    RefreshError {
        error: unauthorized(None, "the session has ended; sign in again"),
        clear_cookie: true,
    }
}

fn unauthorized(code: Option<&'static str>, message: &'static str) -> ServiceError {
    ServiceError::Unauthorized { code, message }
}

/// What a presented token leads to.
enum RefreshDecision {
    Rotate,
    /// Used a moment ago: the newest token again.
    Repeat,
    /// Used long ago: somebody has a copy.
    Reused,
    Ended,
}

fn decide(presented: &PresentedRefresh, now: Timestamp) -> RefreshDecision {
    let session = &presented.session;
    if !session.is_live(now) {
        return RefreshDecision::Ended;
    }
    if presented.generation == session.generation {
        return RefreshDecision::Rotate;
    }
    match presented.rotated_at {
        Some(at) if at >= grace_begins(now) => RefreshDecision::Repeat,
        _ => RefreshDecision::Reused,
    }
}

/// Tokens that were used since then may be used again.
fn grace_begins(now: Timestamp) -> Timestamp {
    let grace = i64::try_from(GRACE.as_millis()).unwrap_or(0);
    Timestamp::from_millis(now.millis().saturating_sub(grace))
}

impl Sessions {
    /// Lets a session go on: a new access token, and for a cookie the next one.
    ///
    /// # Errors
    /// Unauthorized when the cookie, or the cloud token in its place, is of no use; throttled; unavailable when the
    /// cloud has to vouch and cannot be asked. Only the first changes anything.
    pub async fn refresh(&self, request: RefreshRequest) -> std::result::Result<IssuedSession, RefreshError> {
        let token = match &request.cookie {
            Some(cookie) if !request.cross_site => self.token(cookie).ok_or_else(ended)?,
            _ => return self.refresh_by_cloud(request).await,
        };
        let hash = token.hash();
        let presented = self
            .sessions
            .presented_refresh(&hash, token.session(), token.generation())
            .await?;
        let presented = presented.ok_or_else(ended)?;
        let account = self.users.account(presented.session.user).await?;
        let Some(Account { user, .. }) = account.filter(|account| self.may_go_on(&account.user)) else {
            return Err(ended());
        };
        if !presented.session.is_live(self.context.now()) {
            return Err(ended());
        }
        // Before anything is used up: whatever the cloud says, the session is as it was.
        self.require_cloud_consent(&user, request.cloud_token.as_deref())
            .await?;
        let sessions = self.clone();
        let client = request.client;
        let issued = run_to_completion(&self.context.tasks, "session-refresh", async move {
            sessions.rotate(&user, token, &client).await
        });
        issued.await?.ok_or_else(ended)
    }

    fn may_go_on(&self, user: &User) -> bool {
        user.enabled && (!user.is_guest || self.settings.guest_access())
    }

    /// A linked account goes on only while its cloud account does.
    async fn require_cloud_consent(&self, user: &User, cloud_token: Option<&str>) -> Result<()> {
        let Some(linked) = &user.cloud_account else {
            return Ok(());
        };
        let token = cloud_token.ok_or_else(|| cloud_token_required(LINKED))?;
        let vouched = self.cloud.account(token).await?;
        if vouched.id == *linked {
            Ok(())
        } else {
            Err(cloud_token_required(LINKED))
        }
    }

    /// Uses up a token, in one transaction; `None` if its session is over or was just ended because of it.
    async fn rotate(
        &self,
        user: &User,
        token: RefreshToken,
        client: &ClientInfo,
    ) -> Result<Option<IssuedSession>> {
        let context = &self.context;
        let keys = self.keys.current();
        let mut salt = Salt::default();
        context.random.fill(&mut salt).map_err(ServiceError::internal)?;
        let mut change = context.identity.change_identity().await?;
        let Some(presented) = presented(&mut change, &token).await? else {
            return Ok(None);
        };
        let now = context.now();
        let session = &presented.session;
        let app =
            App::from_name(&session.app).ok_or_else(|| ServiceError::internal("a session of no app"))?;
        let policy = self.policy(app, user);
        let successor = match decide(&presented, now) {
            RefreshDecision::Ended => return Ok(None),
            RefreshDecision::Reused => {
                change.revoke_session(session.user, session.id, now).await?;
                let event = AuditEvent::RefreshTokenReused;
                let details = [("sessionId", session.id.to_string())];
                let entry = context.audit_entry(event, client, None, Some(user), &details);
                change.audit(&entry).await?;
                change.commit_of([session.user]).await?;
                tracing::warn!(user = %user.id, session = %session.id, "a refresh token was used twice: session ended");
                return Ok(None);
            }
            RefreshDecision::Repeat => {
                let salts = change.rotation_salts(session.id, presented.generation).await?;
                if salts.len() as i64 != session.generation - presented.generation {
                    return Err(ServiceError::internal(
                        "a refresh token whose successors are not known",
                    ));
                }
                newest(token, keys.refresh_key(), &salts)?
            }
            RefreshDecision::Rotate => {
                // What repeats an answer costs nothing: tabs that ask at once are no flood.
                let allowed = self.refreshes.try_acquire(session.id);
                allowed.map_err(|retry_after| ServiceError::Throttled { retry_after })?;
                let successor = token.successor(keys.refresh_key(), &salt);
                let rotation = Rotation {
                    session: session.id,
                    used: &token.hash(),
                    salt: &salt,
                    successor: &successor.hash(),
                    generation: session.generation + 1,
                    now,
                    idle_expires_at: policy.idle_expiry(now).min(session.expires_at),
                    forget_before: grace_begins(now),
                };
                change.rotate_refresh_token(&rotation).await?;
                successor
            }
        };
        change.commit_without_invalidation().await?;
        Ok(Some(IssuedSession {
            access_token: self.access_token(&keys, user.id, app, session.id)?,
            scope: policy.scope,
            cookie: Some(cookie(successor, policy)),
        }))
    }

    /// Without a cookie only a cloud account can vouch.
    async fn refresh_by_cloud(
        &self,
        request: RefreshRequest,
    ) -> std::result::Result<IssuedSession, RefreshError> {
        let Some(token) = request.cloud_token else {
            return Err(if request.cross_site {
                cloud_token_required("a cross-site caller needs a cloud token").into()
            } else {
                ended()
            });
        };
        let vouched = self.cloud.account(&token).await.map_err(ServiceError::from)?;
        let account = self.users.account_by_cloud(&vouched.id).await?;
        let account = account.filter(|account| account.user.enabled);
        let account = account
            .ok_or_else(|| unauthorized(None, "no account of this server is linked to the cloud account"))?;
        let new_session = NewSession {
            // The token says for which app it was made; a client that does not say gets what every member has.
            app: request.app.unwrap_or(App::Music),
            kind: SessionKind::Cloud,
            client: request.client,
            refreshable: false,
            previous: None,
            password_hash: None,
        };
        Ok(self.open(account.user, new_session).await?)
    }
}

/// The session's newest token, made again from one that was used: each was made from the one before it.
fn newest(used: RefreshToken, key: &[u8; 32], salts: &[Vec<u8>]) -> Result<RefreshToken> {
    salts.iter().try_fold(used, |token, salt| {
        let salt: Salt = salt.as_slice().try_into().map_err(ServiceError::internal)?;
        Ok(token.successor(key, &salt))
    })
}

fn cloud_token_required(message: &'static str) -> ServiceError {
    unauthorized(Some("cloud_token_required"), message)
}
