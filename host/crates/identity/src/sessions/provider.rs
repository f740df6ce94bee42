//! Accounts that are linked to a user of a provider: each refresh of a session asks the provider first.
//!
//! The provider is asked about a session that it signed in. One that was opened with a password, or of a device, has none
//! there: another session of the account stands in for it, and is validated as by a refresh of its own.
//!
//! A provider may accept its refresh token once and answer with the next one. Two uses of the same token would end the
//! session there, so one validation runs at a time for a session, on whichever server; the others wait for it and share
//! its outcome. The next token is stored before this server's own token is used, so that a lost response loses nothing.

use std::time::Duration;

use crate::app::App;
use crate::cloud::{CloudError, CloudSession};
use crate::error::{Result, ServiceError};
use crate::secret_token::cloud_token_hash;
use crate::sessions::{CloudProof, IssuedSession, NewSession, Proof, Sessions};
use crate::{ClientInfo, later, run_to_completion};
use svc_domain::id::{SessionId, UserId};
use svc_domain::session::{Session, SessionKind};
use svc_domain::time::Timestamp;
use svc_domain::user::User;
use svc_store::{CloudSessionRow, IdentityChange};

/// When a validation counts as given up, because its server crashed. A request to the provider takes at most 9.5 s.
const VALIDATION_TIME: Duration = Duration::from_secs(20);
/// Pause between two looks at a validation that another request runs.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Looks at it before the provider counts as away.
const LOOKS: u32 = 100;
/// Attempts to store the provider's next token, without which the session ends, and the pause between them.
const STORE_ATTEMPTS: u32 = 5;
const STORE_PAUSE: Duration = Duration::from_millis(200);

/// Sessions that are asked about in place of one that the provider does not know, while it has ended each before.
const STAND_INS: i64 = 3;

/// The state of a session's validation, as a request finds it.
enum ValidationState {
    /// This request has reserved the validation, with this token.
    Reserved(String),
    /// The session was validated meanwhile, or the provider gave no token to validate it with.
    Done,
    /// Another request validates it.
    InProgress,
    /// The session no longer exists.
    Gone,
}

impl Sessions {
    /// Opens a session of an account that signed in with a provider.
    pub(crate) async fn open_with_provider(
        &self,
        user: User,
        app: App,
        provider: CloudSession,
        client: ClientInfo,
    ) -> Result<IssuedSession> {
        let sessions = self.clone();
        run_to_completion(&self.context.tasks, "session-open", async move {
            let new_session = NewSession {
                app,
                kind: SessionKind::Cloud,
                client,
                refreshable: true,
                // A redirect from another site carries no `SameSite=Strict` cookie.
                previous: None,
                proof: Proof::Cloud(CloudProof {
                    by: "provider",
                    account: provider.account.id.clone(),
                    token: cloud_token_hash(provider.token.as_deref().unwrap_or_default()),
                    expires_at: provider.account.expires_at,
                }),
                signed_in_at: Some(sessions.context.now()),
            };
            let mut change = sessions.context.identity.change_identity().await?;
            let opened = sessions.open_within(&mut change, &user, new_session).await?;
            let id = opened.session();
            sessions.attach_provider(&mut change, id, &provider).await?;
            opened.commit(change).await
        })
        .await
    }

    /// Stores the session with a provider behind a session. One that cannot be validated later ends with the provider's.
    pub(crate) async fn attach_provider(
        &self,
        change: &mut IdentityChange,
        id: SessionId,
        provider: &CloudSession,
    ) -> Result<()> {
        let token = provider.token.as_deref();
        let row = CloudSessionRow {
            account_id: provider.account.id.clone(),
            provider_session_id: provider.session_id.clone(),
            token: token.map(|token| self.seal(id, token)).transpose()?,
            validations: 0,
            validating_until: None,
        };
        change.put_cloud_session(id, &row).await?;
        if token.is_none() {
            tracing::warn!("the provider gave no refresh token; the session ends with its ID token");
            let end = provider.account.expires_at;
            let end = end.unwrap_or_else(|| self.context.now());
            change.limit_session(id, end).await?;
        }
        Ok(())
    }

    /// The account and session of a refresh cookie; `None` if it is not the valid one of an open session.
    pub(crate) async fn of_cookie(&self, cookie: &str) -> Result<Option<(UserId, SessionId)>> {
        let Some(token) = self.token(cookie) else {
            return Ok(None);
        };
        let found = self
            .sessions
            .presented_refresh(&token.hash(), token.session(), token.generation())
            .await?;
        let session = found.filter(|found| found.generation == found.session.generation);
        let session = session.map(|found| found.session);
        let session = session.filter(|session| session.is_live(self.context.now()));
        Ok(session.map(|session| (session.user, session.id)))
    }

    /// Asks the provider whether a session still holds. The session of an account that was unlinked since needs no
    /// provider, unless the provider opened it.
    ///
    /// # Errors
    /// Unauthorized if the provider has ended it; try later if the provider is away.
    pub(super) async fn require_provider(
        &self,
        user: &User,
        session: &Session,
        row: CloudSessionRow,
    ) -> Result<()> {
        match &user.cloud_account {
            Some(linked) if *linked == row.account_id => self.validate_with_provider(session.id, row).await,
            None if session.kind == SessionKind::Local => Ok(()),
            _ => Err(CloudError::Rejected.into()),
        }
    }

    /// Asks the provider about a linked account, for a session that the provider does not know: whether one of those that
    /// it signed in still holds, the newest first.
    ///
    /// # Errors
    /// Unauthorized if there is none, or if the provider has ended them; try later if the provider is away.
    pub(super) async fn require_stand_in(&self, user: UserId, linked: &str) -> Result<()> {
        let now = self.context.now();
        let stand_ins = self.sessions.open_cloud_sessions(user, linked, now, STAND_INS);
        for (id, row) in stand_ins.await? {
            match self.validate_with_provider(id, row).await {
                Err(ServiceError::Unauthorized { .. }) => {}
                outcome => return outcome,
            }
        }
        Err(CloudError::Rejected.into())
    }

    async fn validate_with_provider(&self, id: SessionId, row: CloudSessionRow) -> Result<()> {
        let sessions = self.clone();
        // To completion: a client that hangs up must not lose the provider's next token.
        run_to_completion(&self.context.tasks, "provider-validate", async move {
            for _ in 0..LOOKS {
                match sessions.reserve_validation(id, row.validations).await? {
                    ValidationState::Reserved(token) => {
                        return sessions.validate_now(id, &row.account_id, &token).await;
                    }
                    ValidationState::Done => return Ok(()),
                    ValidationState::Gone => return Err(CloudError::Rejected.into()),
                    ValidationState::InProgress => tokio::time::sleep(LOOK_AGAIN).await,
                }
            }
            Err(CloudError::Unavailable.into())
        })
        .await
    }

    /// Reserves the session's token, unless it was used since the request arrived, when the session had this number of
    /// validations.
    async fn reserve_validation(&self, id: SessionId, validations: i64) -> Result<ValidationState> {
        let now = self.context.now();
        let mut change = self.context.identity.change_identity().await?;
        let Some(row) = change.cloud_session(id).await? else {
            return Ok(ValidationState::Gone);
        };
        let Some(token) = row.token else {
            return Ok(ValidationState::Done);
        };
        if row.validations != validations {
            return Ok(ValidationState::Done);
        }
        let until = later(now, VALIDATION_TIME);
        if row
            .validating_until
            .is_some_and(|end| is_running(end, now, until))
        {
            return Ok(ValidationState::InProgress);
        }
        let keys = self.keys.current();
        let Ok(token) = keys.secrets.open_text(&context_of(&id.to_string()), &token) else {
            tracing::warn!(session = %id, "the provider's token of a session cannot be decrypted; the session ends");
            return Ok(ValidationState::Gone);
        };
        change.set_validating(id, Some(until)).await?;
        change.commit_without_invalidation().await?;
        Ok(ValidationState::Reserved(token))
    }

    async fn validate_now(&self, id: SessionId, account_id: &str, token: &str) -> Result<()> {
        let outcome = self.cloud.cloud().validate(token).await;
        let outcome = match outcome {
            Ok(session) if session.account.id != account_id => Err(CloudError::Rejected),
            outcome => outcome,
        };
        match outcome {
            Ok(session) => {
                // One that the provider does not replace stays valid.
                let next = self.seal(id, session.token.as_deref().unwrap_or(token))?;
                self.store_outcome(id, Some(&next)).await
            }
            Err(error) => {
                let is_away = error == CloudError::Unavailable;
                if !is_away || self.outages.try_acquire(()).is_ok() {
                    tracing::info!(session = %id, ?error, "the provider did not confirm a session");
                }
                self.store_outcome(id, None).await?;
                Err(error.into())
            }
        }
    }

    /// Stores the provider's next token, or only that the validation has ended.
    async fn store_outcome(&self, id: SessionId, next: Option<&[u8]>) -> Result<()> {
        let mut attempt = 1;
        loop {
            match self.try_store_outcome(id, next).await {
                Err(error) if attempt < STORE_ATTEMPTS => {
                    tracing::warn!(%error, session = %id, "the provider's answer could not be stored; trying again");
                    attempt += 1;
                    tokio::time::sleep(STORE_PAUSE).await;
                }
                outcome => return outcome,
            }
        }
    }

    async fn try_store_outcome(&self, id: SessionId, next: Option<&[u8]>) -> Result<()> {
        let mut change = self.context.identity.change_identity().await?;
        match next {
            Some(next) => change.set_validated(id, Some(next)).await?,
            None => change.set_validating(id, None).await?,
        }
        Ok(change.commit_without_invalidation().await?)
    }

    /// Ends sessions with a provider whose sessions here were signed out. The user does not wait for it.
    pub(super) fn revoke_at_provider(&self, sealed: Vec<(SessionId, Vec<u8>)>) {
        let keys = self.keys.current();
        for (id, token) in sealed {
            let Ok(token) = keys.secrets.open_text(&context_of(&id.to_string()), &token) else {
                continue;
            };
            let cloud = std::sync::Arc::clone(self.cloud.cloud());
            self.context.tasks.spawn("provider-revoke", async move {
                match cloud.revoke(&token).await {
                    Ok(()) | Err(CloudError::Unsupported | CloudError::Rejected) => {}
                    Err(error) => tracing::info!(?error, "a session could not be ended with the provider"),
                }
            });
        }
    }

    fn seal(&self, id: SessionId, token: &str) -> Result<Vec<u8>> {
        let random = self.context.random.as_ref();
        let keys = self.keys.current();
        keys.secrets
            .seal(random, &context_of(&id.to_string()), token.as_bytes())
            .map_err(ServiceError::internal)
    }
}

/// Where a token is stored.
fn context_of(id: &str) -> [&str; 2] {
    ["cloud_sessions.token", id]
}

/// Whether a validation that ends at `end` still runs. An end beyond that of one that begins now is of a time before the
/// clock was set back.
fn is_running(end: Timestamp, now: Timestamp, until: Timestamp) -> bool {
    end > now && end <= until
}
