//! Sessions: begun by a sign-in, kept alive by refresh tokens that are good for one use.

use std::sync::Arc;
use std::time::Duration;

use super::super::cloud::Cloud;
use super::super::error::{Result, ServiceError};
use super::super::settings::{SessionPolicy, SessionScope, Settings};
use super::keys::{KeyRing, Keys};
use super::{ClientInfo, Context, Requester, require_not_stronger, uninterrupted};
use crate::auth::access_token::LIFETIME_SECONDS;
use crate::auth::app::App;
use crate::auth::secret_token::{RefreshToken, Salt};
use crate::auth::throttle::{Buckets, Party, Rate};
use crate::domain::audit::AuditEvent;
use crate::domain::id::{SessionId, UserId};
use crate::domain::session::{Session, SessionKind};
use crate::domain::time::Timestamp;
use crate::domain::user::{Account, User};
use crate::store::{PresentedRefresh, Rotation};

/// How long a used token gives its successor once more: an answer got lost, or several tabs asked at once.
pub const GRACE: Duration = Duration::from_secs(10);
/// How long a session lasts in any case.
const ABSOLUTE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Sessions of one account that can be refreshed; the oldest go.
const MAX_SESSIONS: i64 = 50;
/// Refreshes of one session.
const REFRESH_RATE: Rate = Rate::new(30, 1);

/// How a session begins.
#[derive(Debug, Clone)]
pub struct Opening {
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
pub struct Granted {
    /// Access token.
    pub access_token: String,
    /// Where the app keeps it.
    pub scope: SessionScope,
    /// The cookie with which it goes on.
    pub cookie: Option<RefreshCookie>,
}

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
pub struct RefreshRefusal {
    /// Why.
    pub error: ServiceError,
    /// The cookie is of no more use.
    pub clear_cookie: bool,
}

impl<E: Into<ServiceError>> From<E> for RefreshRefusal {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            clear_cookie: false,
        }
    }
}

/// The cookie is unknown, used up, or its session over.
fn ended() -> RefreshRefusal {
    RefreshRefusal {
        error: unauthorized(None, "the session has ended; sign in again"),
        clear_cookie: true,
    }
}

fn unauthorized(code: Option<&'static str>, message: &'static str) -> ServiceError {
    ServiceError::Unauthorized { code, message }
}

/// What a presented token leads to.
enum Step {
    Rotate,
    /// Used a moment ago: the same successor again.
    Repeat(Salt),
    /// Used long ago: somebody has a copy.
    Reused,
    Ended,
}

fn step(presented: &PresentedRefresh, now: Timestamp) -> Step {
    let session = &presented.session;
    if !session.is_live(now) {
        return Step::Ended;
    }
    if presented.generation == session.generation {
        return Step::Rotate;
    }
    let grace = i64::try_from(GRACE.as_millis()).unwrap_or(0);
    match &presented.rotated {
        Some((at, salt))
            if presented.generation + 1 == session.generation && now.millis() - at.millis() <= grace =>
        {
            salt.as_slice().try_into().map_or(Step::Reused, Step::Repeat)
        }
        _ => Step::Reused,
    }
}

/// Keeps sessions.
#[derive(Debug, Clone)]
pub struct Sessions {
    context: Context,
    keys: KeyRing,
    settings: Settings,
    cloud: Arc<dyn Cloud>,
    refreshes: Arc<Buckets<SessionId>>,
}

impl Sessions {
    /// Over these accounts, keys and settings.
    pub fn new(context: Context, keys: KeyRing, settings: Settings, cloud: Arc<dyn Cloud>) -> Self {
        Self {
            context,
            keys,
            settings,
            cloud,
            refreshes: Arc::new(Buckets::new(REFRESH_RATE)),
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

    /// Begins a session of an account that proved who it is.
    pub(super) async fn open(&self, user: User, opening: Opening) -> Result<Granted> {
        let sessions = self.clone();
        uninterrupted(
            "session-open",
            async move { sessions.begin(&user, opening).await },
        )
        .await
    }

    async fn begin(&self, user: &User, opening: Opening) -> Result<Granted> {
        let context = &self.context;
        let (now, policy) = (context.now(), self.policy(opening.app, user));
        let random = context.random.as_ref();
        let token = opening
            .refreshable
            .then(|| RefreshToken::generate(random))
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
            id: context.ids.next(now),
            user: user.id,
            app: opening.app.as_str().to_owned(),
            kind: opening.kind,
            user_agent: opening.client.user_agent.clone(),
            address: opening.client.address.map(|address| address.to_string()),
            created_at: now,
            last_active_at: now,
            idle_expires_at: idle_expires_at.min(expires_at),
            expires_at,
            generation: 0,
            ended_at: None,
        };
        let keys = self.keys.current();
        let access_token = self.access_token(&keys, user.id, opening.app, session.id)?;
        let previous = opening.previous.as_deref().and_then(RefreshToken::parse);
        let mut change = context.store.change_identity().await?;
        let hash = token.as_ref().map(RefreshToken::hash);
        change
            .insert_session(&session, hash.as_ref().map(|hash| hash.as_slice()))
            .await?;
        change.retire_sessions(user.id, MAX_SESSIONS, now).await?;
        let party = Party::from(opening.client.address).to_string();
        change.note_known_address(user.id, &party, now).await?;
        let details = [("app", opening.app.as_str().to_owned())];
        let event = AuditEvent::LoginSucceeded;
        let entry = context.audit_entry(event, &opening.client, Some(user), None, &details);
        change.audit(&entry).await?;
        let replaced = match previous {
            Some(token) => change.presented_refresh(&token.hash()).await?,
            None => None,
        };
        match replaced {
            Some(old) => {
                change
                    .revoke_session(old.session.user, old.session.id, now)
                    .await?;
                change.commit().await?;
            }
            None => change.commit_quietly().await?,
        }
        Ok(Granted {
            access_token,
            scope: policy.scope,
            cookie: token.map(|token| cookie(token, policy)),
        })
    }

    /// Lets a session go on: a new access token, and for a cookie the next one.
    ///
    /// # Errors
    /// Unauthorized when the cookie, or the cloud token in its place, is of no use; throttled; unavailable when the
    /// cloud has to vouch and cannot be asked. Only the first changes anything.
    pub async fn refresh(&self, request: RefreshRequest) -> std::result::Result<Granted, RefreshRefusal> {
        let token = match &request.cookie {
            Some(cookie) if !request.cross_site => RefreshToken::parse(cookie).ok_or_else(ended)?,
            _ => return self.refresh_by_cloud(request).await,
        };
        let presented = self.context.store.presented_refresh(&token.hash()).await?;
        let presented = presented.ok_or_else(ended)?;
        let account = self.context.store.account(presented.session.user).await?;
        let Some(Account { user, .. }) = account.filter(|account| self.may_go_on(&account.user)) else {
            return Err(ended());
        };
        // Before anything is used up: whatever the cloud says, the session is as it was.
        self.require_cloud_consent(&user, request.cloud_token.as_deref())
            .await?;
        if let (Step::Rotate, Err(retry_after)) = (
            step(&presented, self.context.now()),
            self.refreshes_allowed(&presented),
        ) {
            return Err(ServiceError::Throttled { retry_after }.into());
        }
        let sessions = self.clone();
        let client = request.client;
        let granted = uninterrupted("session-refresh", async move {
            sessions.rotate(&user, token, &client).await
        });
        granted.await?.ok_or_else(ended)
    }

    fn refreshes_allowed(&self, presented: &PresentedRefresh) -> std::result::Result<(), Duration> {
        // What repeats an answer costs nothing: tabs that ask at once are no flood.
        match step(presented, self.context.now()) {
            Step::Rotate => self.refreshes.take(presented.session.id),
            _ => Ok(()),
        }
    }

    fn may_go_on(&self, user: &User) -> bool {
        user.enabled && (!user.is_guest || self.settings.guest_access())
    }

    /// A linked account goes on only while its cloud account does.
    async fn require_cloud_consent(&self, user: &User, cloud_token: Option<&str>) -> Result<()> {
        let Some(linked) = &user.cloud_account else {
            return Ok(());
        };
        let token = cloud_token.ok_or_else(cloud_token_required)?;
        let vouched = self.cloud.account(token).await?;
        if vouched.id == *linked {
            Ok(())
        } else {
            Err(cloud_token_required())
        }
    }

    /// Uses up a token, in one transaction; `None` if its session is over or was just ended because of it.
    async fn rotate(&self, user: &User, token: RefreshToken, client: &ClientInfo) -> Result<Option<Granted>> {
        let context = &self.context;
        let keys = self.keys.current();
        let mut salt = Salt::default();
        context.random.fill(&mut salt).map_err(ServiceError::internal)?;
        let mut change = context.store.change_identity().await?;
        let Some(presented) = change.presented_refresh(&token.hash()).await? else {
            return Ok(None);
        };
        let now = context.now();
        let session = &presented.session;
        let app =
            App::from_name(&session.app).ok_or_else(|| ServiceError::internal("a session of no app"))?;
        let policy = self.policy(app, user);
        let successor = match step(&presented, now) {
            Step::Ended => return Ok(None),
            Step::Reused => {
                change.revoke_session(session.user, session.id, now).await?;
                let event = AuditEvent::RefreshTokenReused;
                let details = [("sessionId", session.id.to_string())];
                let entry = context.audit_entry(event, client, None, Some(user), &details);
                change.audit(&entry).await?;
                change.commit().await?;
                tracing::warn!(user = %user.id, session = %session.id, "a refresh token was used twice: session ended");
                return Ok(None);
            }
            Step::Repeat(salt) => token.successor(keys.refresh_key(), &salt),
            Step::Rotate => {
                let successor = token.successor(keys.refresh_key(), &salt);
                let rotation = Rotation {
                    session: session.id,
                    used: &token.hash(),
                    salt: &salt,
                    successor: &successor.hash(),
                    generation: session.generation + 1,
                    now,
                    idle_expires_at: policy.idle_expiry(now).min(session.expires_at),
                };
                change.rotate_refresh_token(&rotation).await?;
                successor
            }
        };
        change.commit_quietly().await?;
        Ok(Some(Granted {
            access_token: self.access_token(&keys, user.id, app, session.id)?,
            scope: policy.scope,
            cookie: Some(cookie(successor, policy)),
        }))
    }

    /// Without a cookie only a cloud account can vouch.
    async fn refresh_by_cloud(
        &self,
        request: RefreshRequest,
    ) -> std::result::Result<Granted, RefreshRefusal> {
        let Some(token) = request.cloud_token else {
            return Err(if request.cross_site {
                cloud_token_required().into()
            } else {
                ended()
            });
        };
        let vouched = self.cloud.account(&token).await.map_err(ServiceError::from)?;
        let account = self.context.store.account_by_cloud(&vouched.id).await?;
        let account = account.filter(|account| account.user.enabled);
        let account = account
            .ok_or_else(|| unauthorized(None, "no account of this server is linked to the cloud account"))?;
        let opening = Opening {
            // The token says for which app it was made; a client that does not say gets what every member has.
            app: request.app.unwrap_or(App::Music),
            kind: SessionKind::Cloud,
            client: request.client,
            refreshable: false,
            previous: None,
        };
        Ok(self.open(account.user, opening).await?)
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
        let token = cookie.and_then(RefreshToken::parse);
        if token.is_none() && session.is_none() {
            return Ok(());
        }
        let sessions = self.clone();
        uninterrupted("session-end", async move {
            let context = &sessions.context;
            let mut change = context.store.change_identity().await?;
            let now = context.now();
            let mut ended: Vec<_> = session.into_iter().collect();
            if let Some(token) = token
                && let Some(presented) = change.presented_refresh(&token.hash()).await?
            {
                ended.push((presented.session.user, presented.session.id));
            }
            for (user, session) in ended {
                if change.revoke_session(user, session, now).await? {
                    let account = change.account(user).await?.map(|account| account.user);
                    let event = AuditEvent::LoggedOut;
                    let entry = context.audit_entry(event, &client, account.as_ref(), None, &[]);
                    change.audit(&entry).await?;
                }
            }
            Ok(change.commit().await?)
        })
        .await
    }

    /// The sessions of an account, newest first.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn list(&self, user: UserId) -> Result<Vec<Session>> {
        let store = &self.context.store;
        store.account(user).await?.ok_or(ServiceError::NotFound)?;
        Ok(store.live_sessions(user, self.context.now()).await?)
    }

    /// Ends one session of an account.
    ///
    /// # Errors
    /// Not found; refused for an account that may do more than the caller; the store's.
    pub async fn revoke(&self, by: Requester, user: UserId, session: SessionId) -> Result<()> {
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
    pub async fn revoke_all(&self, by: Requester, user: UserId) -> Result<u64> {
        self.revoke_some(by, user, None).await
    }

    async fn revoke_some(&self, by: Requester, user: UserId, only: Option<SessionId>) -> Result<u64> {
        let context = self.context.clone();
        uninterrupted("session-revoke", async move {
            let mut change = context.store.change_identity().await?;
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
            change.commit().await?;
            Ok(ended)
        })
        .await
    }
}

fn cloud_token_required() -> ServiceError {
    unauthorized(
        Some("cloud_token_required"),
        "this account is linked to a cloud account, whose token is missing or of another account",
    )
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
