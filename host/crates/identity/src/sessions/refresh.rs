//! Refreshing a session. A refresh token is valid once; during a short grace period, a repeated use returns the newest
//! token again.

use std::time::Duration;

use crate::app::App;
use crate::cloud::{CLOUD_TIME, CloudAccount, CloudError};
use crate::cloud_accounts::VouchError;
use crate::error::{ErrorCode, Result, ServiceError};
use crate::refused_sign_ins::RefusedByService;
use crate::secret_token::cloud_token_hash;
use crate::secret_token::{RefreshToken, Salt};
use crate::sessions::{CloudProof, IssuedSession, NewSession, Proof, Sessions, cookie, presented};
use crate::{ClientInfo, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::session::{Session, SessionKind};
use svc_domain::time::Timestamp;
use svc_domain::user::{Account, User};
use svc_store::{PresentedRefresh, Rotation};

/// Grace period after the first use of a token, for lost responses and tabs that refresh at once. The newest token is
/// returned even if its successors were used meanwhile.
const GRACE: Duration = Duration::from_secs(10);

/// The message for a linked account without a valid cloud token.
const LINKED: &str =
    "this account is linked to a cloud account, whose token is missing or of another account";

/// Input of [`Sessions::refresh`].
#[derive(Debug, Clone, Default)]
pub struct RefreshRequest {
    /// The refresh cookie.
    pub cookie: Option<String>,
    /// A token of the cloud.
    pub cloud_token: Option<String>,
    /// The request comes from another site; its cookie is ignored.
    pub cross_site: bool,
    /// The app, if the client named one.
    pub app: Option<App>,
    /// The client program.
    pub client: ClientInfo,
}

/// A failed refresh.
#[derive(Debug)]
pub struct RefreshError {
    /// The cause.
    pub error: ServiceError,
    /// Whether the response has to delete the cookie.
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

/// The cookie is unknown or used, or its session has ended.
fn session_ended() -> RefreshError {
    RefreshError {
        error: unauthorized(None, "the session has ended; sign in again"),
        clear_cookie: true,
    }
}

fn unauthorized(code: Option<ErrorCode>, message: &'static str) -> ServiceError {
    ServiceError::Unauthorized { code, message }
}

/// The action for a presented token.
enum RefreshDecision {
    Rotate,
    /// Used within the grace period: return the newest token.
    Repeat,
    /// Used before the grace period: the token was copied.
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
        Some(at) if at >= grace_start(now) => RefreshDecision::Repeat,
        _ => RefreshDecision::Reused,
    }
}

/// Tokens used after this time are within the grace period.
fn grace_start(now: Timestamp) -> Timestamp {
    let grace = i64::try_from(GRACE.as_millis()).unwrap_or(0);
    Timestamp::from_millis(now.millis().saturating_sub(grace))
}

impl Sessions {
    /// Refreshes a session: issues an access token and, for a cookie, the next refresh token.
    ///
    /// # Errors
    /// Unauthorized if the cookie, or the cloud token in its place, is invalid; too many attempts; try later if the
    /// cloud is unavailable. Only the first changes the session.
    pub async fn refresh(&self, request: RefreshRequest) -> std::result::Result<IssuedSession, RefreshError> {
        let token = match &request.cookie {
            Some(cookie) if !request.cross_site => self.token(cookie).ok_or_else(session_ended)?,
            _ => return self.refresh_by_cloud(request).await,
        };
        let hash = token.hash();
        let presented = self
            .sessions
            .presented_refresh(&hash, token.session(), token.generation())
            .await?;
        let presented = presented.ok_or_else(session_ended)?;
        let account = self.users.account(presented.session.user).await?;
        let Some(Account { user, .. }) = account.filter(|account| self.can_refresh(&account.user)) else {
            return Err(session_ended());
        };
        if !presented.session.is_live(self.context.now()) {
            return Err(session_ended());
        }
        // Checked before the token is used, so that a rejection leaves the session unchanged.
        self.require_service(&user, &presented.session, &request).await?;
        let sessions = self.clone();
        let client = request.client;
        let issued = run_to_completion(&self.context.tasks, "session-refresh", async move {
            sessions.rotate(&user, token, &client).await
        });
        issued.await?.ok_or_else(session_ended)
    }

    fn can_refresh(&self, user: &User) -> bool {
        user.enabled && (!user.is_guest || self.settings.guest_access())
    }

    /// Asks the service that vouches for an account, if one does, and waits no longer than a client does: another
    /// request may validate the session first, and sessions are asked about in turn.
    async fn require_service(&self, user: &User, session: &Session, request: &RefreshRequest) -> Result<()> {
        let asked = async {
            match self.sessions.cloud_session(session.id).await? {
                Some(provider) => self.require_provider(user, session, provider).await,
                None => {
                    let token = request.cloud_token.as_deref();
                    self.require_cloud_consent(user, token, &request.client).await
                }
            }
        };
        let asked = tokio::time::timeout(CLOUD_TIME, asked).await;
        asked.unwrap_or_else(|_| Err(CloudError::Unavailable.into()))
    }

    /// A linked account can refresh only while the cloud accepts its token. A provider takes no tokens of clients, but
    /// knows other sessions of the account. Without any service there is no token that a client could get.
    async fn require_cloud_consent(
        &self,
        user: &User,
        cloud_token: Option<&str>,
        client: &ClientInfo,
    ) -> Result<()> {
        let Some(linked) = &user.cloud_account else {
            return Ok(());
        };
        let features = self.cloud.cloud().features();
        if features.sign_in && !features.accounts {
            return self.require_stand_in(user.id, linked).await;
        }
        if !features.accounts {
            return Err(VouchError::Unavailable.into());
        }
        let token = cloud_token.ok_or_else(|| cloud_token_required(LINKED))?;
        let vouched = self.cloud.vouch(token, client).await?;
        if vouched.id == *linked {
            Ok(())
        } else {
            Err(cloud_token_required(LINKED))
        }
    }

    /// Rotates a token in one transaction; `None` if its session has ended or is ended by this reuse.
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
        // The account may have been linked or disabled since the cloud was asked, or had no need to be asked.
        let account = change.account(user.id).await?;
        let Some(account) = account.filter(|account| self.can_refresh(&account.user)) else {
            return Ok(None);
        };
        let linked = account.user.cloud_account;
        if linked.is_some() && linked != user.cloud_account {
            return Err(cloud_token_required(LINKED));
        }
        let now = context.now();
        let session = &presented.session;
        let app = App::from_name(&session.app)
            .ok_or_else(|| ServiceError::internal("a session has an unknown app"))?;
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
                tracing::warn!(user = %user.id, session = %session.id, "refresh token reused; session revoked");
                return Ok(None);
            }
            RefreshDecision::Repeat => {
                let salts = change.rotation_salts(session.id, presented.generation).await?;
                if salts.len() as i64 != session.generation - presented.generation {
                    return Err(ServiceError::internal(
                        "the successors of a refresh token are unknown",
                    ));
                }
                newest_token(token, keys.refresh_key(), &salts)?
            }
            RefreshDecision::Rotate => {
                // Repeated uses are not limited, because tabs that refresh at once are no abuse.
                let allowed = self.refreshes.try_acquire(session.id);
                allowed.map_err(|wait| ServiceError::throttled("refreshes of a session", wait))?;
                let successor = token.successor(keys.refresh_key(), &salt);
                let rotation = Rotation {
                    session: session.id,
                    used: &token.hash(),
                    salt: &salt,
                    successor: &successor.hash(),
                    generation: session.generation + 1,
                    now,
                    idle_expires_at: policy.idle_expiry(now).min(session.expires_at),
                    delete_before: grace_start(now),
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

    /// Without a cookie, only a cloud token can authenticate the refresh: it is a sign-in, unless it continues one.
    async fn refresh_by_cloud(
        &self,
        mut request: RefreshRequest,
    ) -> std::result::Result<IssuedSession, RefreshError> {
        let Some(token) = request.cloud_token.take() else {
            return Err(if request.cross_site {
                cloud_token_required("a cross-site caller needs a cloud token").into()
            } else {
                session_ended()
            });
        };
        let (app, client) = (request.app, request.client.clone());
        let mut vouched = None;
        let outcome = self.open_by_cloud(&token, request, &mut vouched).await;
        if let Err(error) = &outcome {
            let refused = RefusedByService {
                by: "cloud",
                client: &client,
                app,
                account: vouched.as_ref(),
                user: None,
            };
            self.refusals.by_cloud(&refused, error);
        }
        Ok(outcome?)
    }

    /// Notes the cloud account as soon as it is known.
    async fn open_by_cloud(
        &self,
        token: &str,
        request: RefreshRequest,
        known: &mut Option<CloudAccount>,
    ) -> Result<IssuedSession> {
        let vouched = self.cloud.vouch(token, &request.client).await?;
        *known = Some(vouched.clone());
        let account = self.users.account_by_cloud(&vouched.id).await?;
        let account = account.filter(|account| account.user.enabled);
        let account = account.ok_or_else(not_linked)?;
        let new_session = NewSession {
            // Access tokens belong to an app; a client that names none gets the app of every member.
            app: request.app.unwrap_or(App::Music),
            kind: SessionKind::Cloud,
            client: request.client,
            refreshable: false,
            previous: None,
            proof: Proof::Cloud(CloudProof {
                by: "cloud",
                account: vouched.id,
                token: cloud_token_hash(token),
                expires_at: vouched.expires_at,
            }),
            // A token of the cloud does not tell when its user authenticated.
            signed_in_at: None,
        };
        match self.open(account.user, new_session).await {
            // Disabled or unlinked since.
            Err(ServiceError::Refused(_)) => Err(not_linked()),
            opened => opened,
        }
    }
}

fn not_linked() -> ServiceError {
    unauthorized(None, "no account of this server is linked to the cloud account")
}

/// Derives the session's newest token from a used one by applying each stored salt in order.
fn newest_token(used: RefreshToken, key: &[u8; 32], salts: &[Vec<u8>]) -> Result<RefreshToken> {
    salts.iter().try_fold(used, |token, salt| {
        let salt: Salt = salt.as_slice().try_into().map_err(ServiceError::internal)?;
        Ok(token.successor(key, &salt))
    })
}

fn cloud_token_required(message: &'static str) -> ServiceError {
    unauthorized(Some(ErrorCode::CloudTokenRequired), message)
}
