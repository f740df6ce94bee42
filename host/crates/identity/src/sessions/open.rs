//! Opens sessions of accounts that have authenticated.

use std::time::Duration;

use crate::access_token::LIFETIME_SECONDS;
use crate::app::App;
use crate::error::{LOGIN_REFUSED, Result, ServiceError};
use crate::secret_token::{RefreshToken, TokenHash};
use crate::sessions::{IssuedSession, Sessions, cookie, presented};
use crate::throttle::ClientNetwork;
use crate::{ClientInfo, later, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::{SessionId, UserId};
use svc_domain::session::{Session, SessionKind};
use svc_domain::time::Timestamp;
use svc_domain::user::User;
use svc_store::IdentityChange;

/// Maximum lifetime of a session.
const ABSOLUTE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Maximum of refreshable sessions per account; the oldest are deleted.
const MAX_SESSIONS: i64 = 50;
/// Idle timeout of a session that a cloud token continues: an app refreshes every quarter of an hour, and open streams
/// depend on the session between two cloud tokens.
const CLOUD_IDLE: Duration = Duration::from_secs(60 * 60);

/// How an account proved itself, which is verified again inside the transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// With the password of this hash.
    Password(String),
    /// The guest needs none.
    Guest,
    /// With a cloud token.
    Cloud(CloudProof),
    /// Another session approved the device. Whoever opens the session verifies that inside the same transaction.
    Approval,
}

/// A cloud token for which the cloud vouched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudProof {
    /// Who vouched, in the audit log: `cloud` for a token, `provider` for a sign-in by redirect.
    pub by: &'static str,
    /// Id of the cloud account.
    pub account: String,
    /// Hash of the token.
    pub token: TokenHash,
    /// When the account's session with the cloud ends.
    pub expires_at: Option<Timestamp>,
}

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
    /// What is verified again.
    pub proof: Proof,
    /// When the user authenticated; `None` if no user did for this session.
    pub signed_in_at: Option<Timestamp>,
}

/// A session that was opened within a transaction.
#[derive(Debug)]
pub(crate) struct Opened {
    session: SessionId,
    issued: IssuedSession,
    /// The account that had a session which this one replaced, or shortened.
    replaced: Option<UserId>,
}

impl Opened {
    pub(crate) fn session(&self) -> SessionId {
        self.session
    }

    pub(crate) async fn commit(self, change: IdentityChange) -> Result<IssuedSession> {
        match self.replaced {
            Some(user) => change.commit_of([user]).await?,
            None => change.commit_without_invalidation().await?,
        }
        Ok(self.issued)
    }
}

impl Sessions {
    /// Opens a session for an authenticated account.
    pub(crate) async fn open(&self, user: User, new_session: NewSession) -> Result<IssuedSession> {
        let sessions = self.clone();
        run_to_completion(&self.context.tasks, "session-open", async move {
            let mut change = sessions.context.identity.change_identity().await?;
            let opened = sessions.open_within(&mut change, &user, new_session).await?;
            opened.commit(change).await
        })
        .await
    }

    /// Opens a session within a transaction, which the caller commits.
    pub(crate) async fn open_within(
        &self,
        change: &mut IdentityChange,
        user: &User,
        new_session: NewSession,
    ) -> Result<Opened> {
        require_proof(change, user, &new_session.proof).await?;
        let now = self.context.now();
        if let (Proof::Cloud(cloud), false) = (&new_session.proof, new_session.refreshable)
            && let Some(session) = change
                .session_by_cloud_token(&cloud.token, user.id, new_session.app.as_str(), now)
                .await?
        {
            return self
                .continue_by_cloud(change, user, new_session.app, session, cloud)
                .await;
        }
        let (keys, id) = (self.keys.current(), self.context.ids.next(now));
        let policy = self.policy(new_session.app, user);
        let random = self.context.random.as_ref();
        let token = new_session
            .refreshable
            .then(|| RefreshToken::generate(random, keys.refresh_key(), id))
            .transpose()
            .map_err(ServiceError::internal)?;
        let (idle_expires_at, expires_at) = match (&token, &new_session.proof) {
            (Some(_), _) => (policy.idle_expiry(now), later(now, ABSOLUTE)),
            (None, Proof::Cloud(cloud)) => cloud_expiry(now, cloud),
            // Without a refresh token the session ends with its only access token.
            (None, _) => {
                let end = Timestamp::from_millis(now.millis() + LIFETIME_SECONDS * 1000);
                (end, end)
            }
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
            signed_in_at: new_session.signed_in_at,
        };
        let hash = token.as_ref().map(RefreshToken::hash);
        change
            .insert_session(&session, hash.as_ref().map(|hash| hash.as_slice()))
            .await?;
        if let (Proof::Cloud(cloud), None) = (&new_session.proof, &token) {
            change.set_cloud_token(id, &cloud.token).await?;
        }
        self.record(change, user, &new_session, now).await?;
        let replaced = self
            .end_previous(change, new_session.previous.as_deref(), now)
            .await?;
        let issued = IssuedSession {
            access_token: self.access_token(&keys, user.id, new_session.app, id)?,
            scope: policy.scope,
            cookie: token.map(|token| cookie(token, policy)),
        };
        Ok(Opened {
            session: id,
            issued,
            replaced,
        })
    }

    /// Issues the next access token of a session that a cloud token continues.
    async fn continue_by_cloud(
        &self,
        change: &mut IdentityChange,
        user: &User,
        app: App,
        session: Session,
        cloud: &CloudProof,
    ) -> Result<Opened> {
        let now = self.context.now();
        let (idle_expires_at, expires_at) = cloud_expiry(now, cloud);
        // Its access tokens may be cached with a later end.
        let replaced = (expires_at < session.expires_at).then_some(user.id);
        let continued = Session {
            last_active_at: now,
            idle_expires_at,
            expires_at,
            ..session
        };
        change.continue_session(&continued).await?;
        let keys = self.keys.current();
        let issued = IssuedSession {
            access_token: self.access_token(&keys, user.id, app, continued.id)?,
            scope: self.policy(app, user).scope,
            cookie: None,
        };
        Ok(Opened {
            session: continued.id,
            issued,
            replaced,
        })
    }

    /// Limits the sessions of the account, and notes where and when it signed in.
    async fn record(
        &self,
        change: &mut IdentityChange,
        user: &User,
        new_session: &NewSession,
        now: Timestamp,
    ) -> Result<()> {
        change.retire_sessions(user.id, MAX_SESSIONS, now).await?;
        let mut details = vec![("app", new_session.app.as_str().to_owned())];
        let by = match &new_session.proof {
            Proof::Password(_) | Proof::Guest => None,
            Proof::Cloud(cloud) => Some(cloud.by),
            Proof::Approval => Some("device"),
        };
        details.extend(by.map(|by| ("by", by.to_owned())));
        // Nobody proved at a device's address that the account is theirs, so it gains no trust.
        if new_session.proof != Proof::Approval {
            let party = ClientNetwork::from(new_session.client.address).to_string();
            change.record_known_address(user.id, &party, now).await?;
        }
        let event = AuditEvent::LoginSucceeded;
        let entry = self
            .context
            .audit_entry(event, &new_session.client, Some(user), None, &details);
        Ok(change.audit(&entry).await?)
    }

    /// Ends the session of the cookie that came with the sign-in; returns its account.
    async fn end_previous(
        &self,
        change: &mut IdentityChange,
        cookie: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<UserId>> {
        let Some(token) = cookie.and_then(|cookie| self.token(cookie)) else {
            return Ok(None);
        };
        let Some(old) = presented(change, &token).await? else {
            return Ok(None);
        };
        change
            .revoke_session(old.session.user, old.session.id, now)
            .await?;
        Ok(Some(old.session.user))
    }
}

/// Repeated inside the transaction: since it authenticated, the account may have been disabled, its password changed or
/// its cloud account unlinked, which revoked sessions that existed then.
async fn require_proof(change: &mut IdentityChange, user: &User, proof: &Proof) -> Result<()> {
    let account = change.account(user.id).await?;
    let Some(account) = account.filter(|account| account.user.enabled) else {
        return Err(LOGIN_REFUSED);
    };
    let holds = match proof {
        Proof::Password(hash) => change.has_password_hash(user.id, hash).await?,
        Proof::Cloud(cloud) => account.user.cloud_account.as_ref() == Some(&cloud.account),
        Proof::Guest | Proof::Approval => true,
    };
    if holds { Ok(()) } else { Err(LOGIN_REFUSED) }
}

/// Idle and absolute expiry of a session that lasts as long as that with the cloud.
fn cloud_expiry(now: Timestamp, cloud: &CloudProof) -> (Timestamp, Timestamp) {
    let expires_at = cloud.expires_at.unwrap_or_else(|| later(now, ABSOLUTE));
    (later(now, CLOUD_IDLE).min(expires_at), expires_at)
}
